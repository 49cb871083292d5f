"""What device kernels compute, in the emulator, beside the processor: the same bits wherever nothing is summed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import weft
from support.device_code import device_code
from support.ptx import MEMORY
from weft import TensorSpec
from weft_emulator.faults import Fault
from weft_emulator.machine import Launch, Machine, Options
from weft_emulator.modules import Module


@pytest.fixture(autouse=True)
def emulator() -> Iterator[None]:
    """Let the emulator stand for a GPU."""
    with weft.settings.scope(cuda="emulator"):
        yield


def _normal(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def _integers(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).integers(-5, 9, shape).astype(np.int32)


def _softmax(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def _layer_norm(x: Any, g: Any, b: Any) -> Any:
    mean = np.mean(x, axis=1, keepdims=True)
    variance = np.mean((x - mean) ** 2, axis=1, keepdims=True)
    return (x - mean) / np.sqrt(variance + np.float32(1e-5)) * g + b


def _scatter(x: Any, k: Any, v: Any) -> Any:
    last, added, counted = x.copy(), x.copy(), np.zeros(x.shape[0], np.int64)
    last[k] = v
    np.add.at(added, k, v)
    np.add.at(counted, k, 1)
    return last, added, counted


def _of_narrow(x: Any) -> Any:
    running = np.cumsum(x, axis=1, dtype=x.dtype), np.maximum.accumulate(x, axis=1), np.cumsum(x)
    ordered = np.sort(x, axis=1), np.argsort(x, axis=0, kind="stable")
    return (*running, *ordered, x[x > 0], np.nonzero(x)[1], x.argmax(1), x.any(0))


def _added(x: Any, k: Any, v: Any) -> Any:
    x = x.copy()
    np.add.at(x, k, v)
    return x


def _attention(q: Any, k: Any, v: Any) -> Any:
    scores = q @ np.swapaxes(k, -1, -2) * 0.25
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ v


def _unnormalized(scores: Any) -> Any:
    return np.exp(scores - scores.max())


def _of_vector(q: Any, k: Any, v: Any) -> Any:
    """Only some keys are looked at."""
    scores = np.where(np.arange(k.shape[0]) != 3, k @ q * 0.25, -np.inf)
    weights = _unnormalized(scores.astype(np.float32))
    return weights / weights.sum() @ v


def _causal(q: Any, k: Any, v: Any) -> Any:
    seen = np.tril(np.ones((q.shape[0], k.shape[0]), bool))
    scores = np.where(seen, q @ k.T * 0.25, -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.tanh(weights / weights.sum(axis=1, keepdims=True) @ v)


def _adam(p: Any, m: Any, v: Any, g: Any) -> Any:
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g * g
    return p - 0.01 * m / (np.sqrt(v) + 1e-8), m, v


_F32 = np.float32
_SPECIAL = np.array([0, -0.0, 1, -3.5, 5e-324, 1e-310, 1e300, np.inf, -np.inf, np.nan, 7.25, 2.0**-1022])
_ROWS = TensorSpec((None, None), _F32)

EXACT: dict[str, tuple[Any, ...]] = {
    # points
    "vectors": (lambda x, y: np.exp(x) * y + 1, _normal(64, 256), _normal(256)),
    "a rest": (lambda x: np.tanh(x), _normal(1001)),
    "unknown extents": (lambda x, y: x * y, _normal(33, 20), _normal(20), (_ROWS, TensorSpec((None,), _F32))),
    "views": (lambda x: x[1:-1, 2:] - x[2:, :-2], _normal(40, 50)),
    "pads": (lambda x: np.pad(x, 2), _normal(30, 20)),
    "gathers": (lambda x, i: x[i], _normal(100, 16), np.arange(50) * 2),
    "gathers of rows": (
        lambda x, i, j: (x[i] * 2, x[:, j], np.take_along_axis(x, j[None], axis=1)),
        _normal(30, 20),
        np.arange(-30, 24, 3),
        np.arange(9) % 5,
        (_ROWS, TensorSpec((None,), np.int64), TensorSpec((9,), np.int64)),
    ),
    "halves": (lambda x: np.exp(x) + x, _normal(128).astype(np.float16)),
    "complex numbers": (lambda x: x * x[3] + 1j, (_normal(50) + 1j * _normal(50)).astype(np.complex64)),
    "roots": (lambda x: np.floor(np.sqrt(np.abs(x))) * np.copysign(x, -x), _normal(100)),
    "remainders": (lambda x, y: (np.fmod(x, y), x % y), _SPECIAL.repeat(12), np.tile(_SPECIAL, 12)),
    "large angles": (lambda x: np.sin(x) + np.cos(x), _normal(100).astype(np.float64) * 1e15),
    "siblings": (_adam, *(np.abs(_normal(1000 + n)[:1000]) for n in range(4))),
    "siblings of several types": (
        lambda x, y: (np.hypot(x, y), np.arctan2(y, x), x > y, (x * y).astype(np.float64), x - y.T),
        _normal(33, 33),
        _normal(34, 33)[1:],
    ),
    "siblings of unknown extents": (
        lambda x, y: (x + y, x > y, x * x - y),
        _normal(19, 30),
        _normal(30),
        (_ROWS, TensorSpec((None,), _F32)),
    ),
    "several reductions": (
        lambda x: (x.sum(0), x.max(0), (x * x).sum(1) + 1, x.min(1), x.min(), x.max() - 1),
        _integers(700, 40),
    ),
    "several reductions of unknown extents": (
        lambda x: (x.max(0), x.min(0) * 2, x.min(1), x.max(1), x.min(), x.max() - 1),
        _normal(300, 41),
        (_ROWS,),
    ),
    # squares
    "transposes": (lambda x, y: x.T * 2 + y, _normal(70, 45), _normal(45, 70)),
    "transposed batches": (
        lambda x: x.transpose(2, 0, 1) + 1,
        _normal(20, 33, 40),
        (TensorSpec((None,) * 3, _F32),),
    ),
    # whole
    "integers": (lambda x: x.sum(), _integers(40000)),
    "more integers than are loaded at once": (lambda x: x.sum(), _integers(700003)),
    "a maximum": (lambda x: x.max(), _normal(10003), (TensorSpec((None,), _F32),)),
    "the first maximum": (lambda x: x.argmax(), _normal(3000)),
    # rows
    "maxima of rows": (lambda x: x.max(1), _normal(70, 100)),
    "first maxima of rows": (lambda x: x.argmax(1), _normal(10, 100)),
    # columns
    "maxima of columns": (lambda x: x.max(0), _normal(77, 45)),
    "slices of columns": (lambda x: x.sum(0), _integers(1000, 12)),
    # scans
    "running sums of integers": (lambda x: x.cumsum(), _integers(5000)),
    "running sums of long rows": (lambda x: np.cumsum(x, axis=1), _integers(3, 9000)),
    "running sums of long rows of odd lengths": (lambda x: np.cumsum(x, axis=1), _integers(3, 9001)),
    "running sums of what is not aligned": (lambda x: np.cumsum(x[1:] * 2), _integers(20002)),
    "running sums of a column": (lambda x: np.cumsum(x, axis=0), _integers(9000, 2)),
    "running maxima": (lambda x: np.maximum.accumulate(x, axis=1), _normal(3, 1100)),
    "sums down columns": (lambda x: np.cumsum(x, axis=0), _normal(30, 200)),
    "running sums of unknown extents": (
        lambda x: (np.cumsum(x), np.cumsum(x * 2, axis=1), np.cumprod(x, axis=0)),
        _integers(70, 40).astype(np.float32),
        (_ROWS,),
    ),
    # scatters
    "scatters": (
        _scatter,
        _normal(40, 3),
        _integers(120).astype(np.int64),
        _normal(120, 3),
    ),
    "scatters of bytes": (
        lambda x, y, k, v: (_added(x, k, v), _added(y, k, v > 0)),
        _integers(39).astype(np.int8),
        _integers(39) > 7,
        np.arange(-150, 150) % 39,
        (_integers(300) * 31).astype(np.int8),
    ),
    "scatters of words of two bytes": (
        _added,
        _integers(39).astype(np.uint16),
        np.arange(300) % 39 - 20,
        (_integers(300) * 9999).astype(np.uint16),
    ),
    # compactions
    "masks": (lambda x: (x[x > 0], np.nonzero(x > 1)[0]), _normal(4200)),
    "bytes": (_of_narrow, (_integers(3, 1100) * 31).astype(np.int8)),
    "truth values": (_of_narrow, _integers(3, 1100) > 3),
    # sorts
    "sorts": (
        lambda x: (np.sort(x), np.argsort(x, kind="stable", axis=0)),
        np.where(_normal(2, 1100) > 2, np.float32(np.nan), np.round(np.abs(_normal(2, 1100)), 2)),
        (_ROWS,),
    ),
    "sorts of complex numbers": (
        np.sort,
        np.array([1 + 2j, 1 - 1j, complex(np.nan, 1), 1 + np.nan * 1j, -3]),
    ),
    # products
    "products of integers": (lambda a, b: a @ b, _integers(130, 20), _integers(20, 130)),
    "one tile of long integers": (lambda a: a @ a.T, _integers(10, 12).astype(np.int64)),
}

ROUNDED: dict[str, tuple[Any, ...]] = {
    "a sum": (lambda x: x.sum(), _normal(70, 333)),
    "a sum of complex numbers": (lambda x: x.sum(), (_normal(50, 30) + 1j * _normal(50, 30))),
    "a sum of doubles": (lambda x: (x * x).sum(), _normal(20000).astype(np.float64)),
    "softmax of a warp": (_softmax, _normal(16, 100)),
    "softmax of a block": (_softmax, _normal(3, 4096)),
    "softmax of unknown extents": (_softmax, _normal(9, 300), (_ROWS,)),
    "layer norm": (_layer_norm, _normal(8, 512), _normal(512), _normal(512)),
    "sums of columns": (lambda x: x.sum(0), _normal(300, 64)),
    "sums of unknown columns": (lambda x: x.sum(0), _normal(200, 33), (_ROWS,)),
    "a product and what follows": (
        lambda a, b, c: np.maximum(a @ b + c, 0),
        _normal(96, 64),
        _normal(64, 80),
        _normal(80),
    ),
    "a transposed factor": (lambda a, b: a @ b.T, _normal(64, 48), _normal(40, 48)),
    "halves on tensor cores": (
        lambda a, b, c: np.maximum(a @ b.T + c, 0),
        _normal(70, 64).astype(np.float16),
        _normal(45, 64).astype(np.float16),
        _normal(45).astype(np.float16),
    ),
    "causal attention": (_causal, _normal(70, 20), _normal(70, 20), _normal(70, 9)),
    "attention of unknown extents": (
        _attention,
        _normal(2, 20, 16),
        _normal(2, 37, 16),
        _normal(2, 37, 8),
        (
            TensorSpec((None, None, 16), _F32),
            TensorSpec((None, None, 16), _F32),
            TensorSpec((None, None, 8), _F32),
        ),
    ),
    "attention of few rows to many keys": (_causal, _normal(5, 20), _normal(700, 20), _normal(700, 9)),
    "attention of few rows of halves": (
        _attention,
        _normal(2, 9, 16).astype(np.float16),
        _normal(2, 530, 16).astype(np.float16),
        _normal(2, 530, 16).astype(np.float16),
    ),
    "attention of one row": (_attention, _normal(3, 1, 16), _normal(3, 70, 16), _normal(3, 70, 9)),
    "attention of one row and many keys": (_attention, _normal(1, 16), _normal(600, 16), _normal(600, 16)),
    "attention of a vector": (_of_vector, _normal(16), _normal(70, 16), _normal(70, 9)),
    "attention of a vector, divided last": (
        lambda q, k, v: _unnormalized(k @ q * 0.25) @ v / _unnormalized(k @ q * 0.25).sum(),
        _normal(16),
        _normal(600, 16),
        _normal(600, 16),
    ),
    "attention of a vector to an unknown number of keys": (
        _of_vector,
        _normal(16),
        _normal(37, 16),
        _normal(37, 8),
        (TensorSpec((16,), _F32), TensorSpec((None, 16), _F32), TensorSpec((None, 8), _F32)),
    ),
    "attention of one row of halves": (
        _attention,
        _normal(2, 1, 16).astype(np.float16),
        _normal(2, 600, 16).astype(np.float16),
        _normal(2, 600, 16).astype(np.float16),
    ),
    "attention of one row and an unknown number of keys": (
        _attention,
        _normal(2, 1, 16),
        _normal(2, 37, 16),
        _normal(2, 37, 8),
        (
            TensorSpec((2, 1, 16), _F32),
            TensorSpec((2, None, 16), _F32),
            TensorSpec((2, None, 8), _F32),
        ),
    ),
    "attention of many columns": (_attention, _normal(20, 200), _normal(37, 200), _normal(37, 140)),
    "attention of halves": (
        _attention,
        _normal(2, 3, 17, 16).astype(np.float16),
        _normal(2, 3, 70, 16).astype(np.float16),
        _normal(2, 3, 70, 16).astype(np.float16),
    ),
    "attention of halves of many columns": (
        _attention,
        _normal(17, 200).astype(np.float16),
        _normal(20, 200).astype(np.float16),
        _normal(20, 224).astype(np.float16),
    ),
    "attention of bfloat16": (
        _attention,
        _normal(130, 24).astype(weft.bfloat16),
        _normal(70, 24).astype(weft.bfloat16),
        _normal(70, 24).astype(weft.bfloat16),
    ),
    "running sums": (lambda x: x.cumsum(), _normal(9000)),
    "running sums of halves": (lambda x: np.cumsum(x, axis=1), _normal(5, 100).astype(np.float16)),
    "running sums of complex numbers": (lambda x: x.cumsum(), (_normal(1500) + 1j * _normal(1500))),
    "factors of bfloat16": (
        lambda a, b: a @ b + 1,
        _normal(33, 64).astype(weft.bfloat16),
        _normal(64, 40).astype(weft.bfloat16),
    ),
    "halves of odd extents": (
        lambda a, b: a @ b,
        _normal(40, 37).astype(np.float16),
        _normal(37, 90).astype(np.float16),
    ),
    "halves by warpgroups": (
        lambda a, b, c: np.maximum(a @ b.T + c, 0),
        _normal(72, 136).astype(np.float16),
        _normal(80, 136).astype(np.float16),
        _normal(80).astype(np.float16),
    ),
    "bands of warpgroups": (
        lambda a, b: a @ b,
        _normal(584, 64).astype(np.float16),
        _normal(64, 72).astype(np.float16),
    ),
    "batches by warpgroups": (
        lambda a, b: a.transpose(0, 2, 1) @ b,
        _normal(2, 64, 72).astype(weft.bfloat16),
        _normal(2, 64, 136).astype(weft.bfloat16),
    ),
    "batches of squares": (lambda a, b: a @ b + 1, _normal(3, 16, 15), _normal(3, 15, 13)),
    "batches": (lambda a, b: a @ b, _normal(3, 20, 30), _normal(3, 30, 20)),
    "a vector and a matrix": (lambda v, a: v @ a, _normal(200), _normal(200, 70)),
    "small batches": (lambda a, b: np.maximum(a @ b, 0), _normal(30, 4, 5), _normal(30, 5, 3)),
    "a product of unknown extents": (lambda a, b: a @ b, _normal(150, 70), _normal(70, 130), (_ROWS, _ROWS)),
    "a product of doubles": (
        lambda a, b: a @ b,
        _normal(33, 50).astype(np.float64),
        _normal(50, 35).astype(np.float64),
    ),
}


def _both(function: Callable[..., Any], given: tuple[Any, ...]) -> tuple[Any, Any]:
    arguments = [value for value in given if isinstance(value, np.ndarray)]
    signature = next((list(value) for value in given if isinstance(value, tuple)), None)
    here = weft.function(function, input_signature=signature, device="cpu")(*arguments)
    there = weft.function(function, input_signature=signature, device="cuda")(*arguments)
    for one, other in zip(there, here, strict=True) if isinstance(here, tuple) else [(there, here)]:
        assert type(one) is type(other)
        assert one.dtype == other.dtype
    return there, here


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.sampled(4)
def test_the_same_bits(name: str) -> None:
    function, *given = EXACT[name]
    with np.errstate(all="ignore"):
        there, here = _both(function, tuple(given))
    for one, other in zip(there, here, strict=True) if isinstance(here, tuple) else [(there, here)]:
        np.testing.assert_array_equal(one, other)
        if one.dtype.kind == "f":
            np.testing.assert_array_equal(np.signbit(one), np.signbit(other))


@pytest.mark.sampled
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("shape", [(20, 33), (130, 260)])
def test_sums_of_one_array_are_those_of_each_alone(axis: int | None, shape: tuple[int, int]) -> None:
    x = _normal(*shape)
    together = weft.function(
        lambda x: (x.sum(axis=axis), (x * x).mean(axis=axis), x.max(axis=axis)), device="cuda"
    )(x)
    alone = [
        weft.function(lambda x: x.sum(axis=axis), device="cuda")(x),
        weft.function(lambda x: (x * x).mean(axis=axis), device="cuda")(x),
        x.max(axis=axis),
    ]
    for one, other in zip(together, alone, strict=True):
        np.testing.assert_array_equal(one, other)


def test_several_results_are_made_of_one_product() -> None:
    def step(a: Any, b: Any, m: Any, v: Any) -> Any:
        gradient = a @ b
        m[...] = 0.9 * m + 0.1 * gradient
        v[...] = 0.99 * v + gradient * gradient
        return m / (np.sqrt(v) + 1)

    a, b = _integers(40, 33).astype(_F32), _integers(33, 50).astype(_F32)
    here, there = ([np.ones((40, 50), _F32), np.full((40, 50), 2, _F32)] for _ in range(2))
    expected = weft.function(step)(a, b, *here)
    found = weft.function(step, device="cuda")(a, b, *there)
    for one, other in zip([found, *there], [expected, *here], strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", ROUNDED)
@pytest.mark.sampled(4)
def test_sums_differ_by_rounding_alone(name: str) -> None:
    function, *given = ROUNDED[name]
    there, here = _both(function, tuple(given))
    scale = float(np.max(np.abs(here)))
    bound = 4 * float(np.finfo(np.asarray(here).dtype).eps) if np.asarray(here).dtype != np.float32 else 1e-6
    assert float(np.max(np.abs(there - here))) <= bound * scale


@pytest.mark.parametrize(("keys", "launches"), [(70, 1), (600, 2)])
def test_attention_to_nothing_is_nan_as_the_processor_has_it(keys: int, launches: int) -> None:
    q, k, v = _normal(10, 16), _normal(keys, 16), _normal(keys, 24).astype(np.float32) * _F32(1e37)
    mask = _normal(10, keys) > 0
    mask[3], mask[5, : keys - 6] = False, False  # nothing at all, and nothing in the first tile or piece
    k[9, 0], q[7, 0] = np.inf, np.nan
    v[2, 1] = np.inf

    def attention(q: Any, k: Any, v: Any, mask: Any) -> Any:
        scores = np.where(mask, q @ k.T, -np.inf)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True) @ v

    compiled = weft.function(attention, device="cuda")
    with np.errstate(all="ignore"):
        there, again, here = compiled(q, k, v, mask), compiled(q, k, v, mask), attention(q, k, v, mask)
    device = compiled.get_concrete_function(q, k, v, mask).cost_analysis().device
    assert device is not None
    assert device.launches == launches
    np.testing.assert_array_equal(there, again)
    assert np.isnan(here[3]).all()
    assert np.isfinite(here).any()
    np.testing.assert_array_equal(np.isfinite(there), np.isfinite(here))
    np.testing.assert_allclose(there, here, rtol=2e-6, atol=1e31)


def test_a_factor_that_begins_anywhere() -> None:
    x = _normal(1 + 64 * 64).astype(np.float16)
    row = weft.device_put(x)
    there = np.asarray(weft.function(lambda a: a @ a)(row[1:].reshape(64, 64)))
    here = weft.function(lambda a: a @ a)(x[1:].reshape(64, 64))
    assert float(np.max(np.abs(there - here))) <= 4e-3 * float(np.max(np.abs(here)))


def test_rows_that_begin_anywhere() -> None:
    x = _normal(1 + 8 * 100)
    there, row = weft.function(_softmax), weft.device_put(x)
    for part in (
        slice(1, None),
        slice(None, -1),
    ):  # elements one by one, and four at a time, by the same code
        ours = np.asarray(there(row[part].reshape(8, 100)))
        np.testing.assert_allclose(ours, _softmax(x[part].reshape(8, 100)), rtol=1e-6)


def test_iterations_and_what_is_left_for_one_thread() -> None:
    def f(x, y, n):
        for k in range(40):
            for i in range(40):
                y[i] += x[k] * 0.25
        if y[3] > 0.5:
            for i in range(40):
                y[i] = y[i] * 2
        for i in range(1, n - 1):
            y[i] = x[i - 1] * 2 - x[i] + x[i + 1]
        for i in range(1, n):
            x[i] = x[i] + x[i - 1] * x[i - 1] * 0.125
        return y

    first, second = ([_normal(40).copy(), np.zeros(40, _F32)] for _ in range(2))
    n = np.int64(40)
    here, there = weft.function(f)(*first, n), weft.function(f, device="cuda")(*second, n)
    np.testing.assert_array_equal(there, here)
    np.testing.assert_array_equal(second[0], first[0])


def test_a_row_is_made_of_the_row_before_by_a_thread_for_each_element() -> None:
    def f(x, n):
        table = np.zeros((2, 41), np.int64)
        table[0] = x
        for i in range(n):
            table[1, i] = max(table[0, (i * 7) % 41], 1)
        return table

    x, there = _integers(41).astype(np.int64), weft.function(f, device="cuda")
    np.testing.assert_array_equal(there(x, np.int64(41)), f(x, 41))
    with pytest.raises(IndexError, match="index 41 is out of bounds for axis 1 with size 41"):
        there(x, np.int64(60))


def _exchange(u, n):
    both = np.zeros((2, 70))
    both[0] = u
    for t in range(n):
        for i in range(1, 69):
            both[1, i] = both[0, i - 1] + 0.5 * both[0, i] - both[0, i + 1]
        if both[1, 5] > both[1, 40]:
            both[1, 5] = both[1, 6] + t
        for i in range(1, 69):
            both[0, i] = both[1, 69 - i]
    return both


def test_threads_of_one_block_exchange_what_they_write() -> None:
    u, n = _normal(70).astype(np.float64), np.int64(7)
    here, there = weft.function(_exchange)(u, n), weft.function(_exchange, device="cuda")(u, n)
    np.testing.assert_array_equal(there, here)


def test_each_barrier_of_one_block_is_needed() -> None:
    code = device_code(_exchange, np.zeros(70), np.int64(7))
    name = next(name for name, schedule in code.schedules.items() if schedule.startswith("one block"))
    (ptx,) = {kernel.ptx for kernel in code.kernels if kernel.name == name}
    barriers = [match.span() for match in re.finditer(r"bar\.sync\s+0;", ptx)]
    assert len(barriers) >= 3
    run_block(ptx, name, 7)
    for start, end in barriers:
        with pytest.raises(Fault, match=r"race with a (read|write) of another warp since the last barrier"):
            run_block(ptx[:start] + ptx[end:], name, 7)


def run_block(ptx: str, name: str, count: int) -> None:
    """Run the kernel of steps on what it has for arguments: a count, and an array."""
    module = Module(ptx, MEMORY, (9, 0), 13000)
    address = MEMORY.allocate(2 * 70 * 8)
    try:
        MEMORY.span(address, 2 * 70 * 8).view(np.float64)[...] = np.arange(140) % 11
        parameters = np.array([count, address], np.uint64).tobytes()
        launch = Launch((1, 1, 1), (128, 1, 1), parameters)
        Machine(module.kernels[name], launch, MEMORY, np.random.default_rng(0), Options()).run()
    finally:
        MEMORY.release(address)
        module.unload()


def test_what_is_written_in_place_is_read_before() -> None:
    def f(x):
        x -= x.max(axis=1, keepdims=True)
        x += x[:, ::-1]
        return x.sum(axis=0)

    first, second = _integers(20, 36), _integers(20, 36)
    here, there = weft.function(f)(first), weft.function(f, device="cuda")(second)
    np.testing.assert_array_equal(there, here)
    np.testing.assert_array_equal(second, first)


def test_nan_and_signed_zero() -> None:
    x = np.array([[1.0, np.nan, 2.0, -0.0] * 8, [-0.0, 0.0, -np.inf, np.inf] * 8], _F32)
    there, here = _both(lambda x: (x.max(1), np.sign(x), np.minimum(x, -x), x.sum(1)), (x,))
    for one, other in zip(there, here, strict=True):
        np.testing.assert_array_equal(one, other)


def test_nothing_at_all() -> None:
    there, here = _both(
        lambda x, y: (x.sum(0), x.sum(1), x * 2, y @ x, y.cumsum(0), np.sort(y)),
        (_normal(0, 5), _normal(3, 0), (_ROWS, _ROWS)),
    )
    for one, other in zip(there, here, strict=True):
        np.testing.assert_array_equal(one, other)


def test_no_products_and_no_squares_of_unknown_extents() -> None:
    def f(x):
        return x @ x.transpose(0, 2, 1), x.transpose(0, 2, 1) * 2

    there = weft.function(f, device="cuda", input_signature=[TensorSpec((None, None, None), _F32)])
    for shape in ((0, 20, 30), (2, 0, 30), (2, 20, 0), (2, 20, 30)):
        x = _normal(*shape)
        for mine, own in zip(there(x), f(x), strict=True):
            np.testing.assert_allclose(mine, own, rtol=1e-4, atol=1e-5)
            assert mine.shape == own.shape


@pytest.mark.sampled
@pytest.mark.parametrize("shapes", [[(5, 0), (0, 4)], [(0, 3), (3, 4)], [(3, 4), (4, 0)]])
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2"])
def test_products_without_elements_divide_by_no_number_of_tiles(
    dtype: str, shapes: list[tuple[int, int]]
) -> None:
    signature = [weft.TensorSpec([None, None], dtype)] * 2
    a, b = (np.ones(shape, dtype) for shape in shapes)
    with weft.settings.scope(cuda="emulator"):
        there = weft.function(lambda a, b: a @ b, input_signature=signature, device="cuda")(a, b)
        weft.synchronize()  # where nothing is copied, nobody waits
    np.testing.assert_array_equal(there, a @ b)

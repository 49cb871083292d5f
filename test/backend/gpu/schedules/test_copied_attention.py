"""Attention of halves whose keys and values are copied ahead, in the emulator: beside exact attention in doubles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import weft
from weft import TensorSpec

Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def emulator() -> Iterator[None]:
    """Let the emulator stand for a GPU."""
    with weft.settings.scope(cuda="emulator"):
        yield


def _softmax(scores: Any) -> Any:
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def _attention(q: Any, k: Any, v: Any) -> Any:
    return _softmax(q @ np.swapaxes(k, -1, -2) * q.dtype.type(0.25)).astype(v.dtype) @ v


def _causal(q: Any, k: Any, v: Any) -> Any:
    seen = np.tril(np.ones((q.shape[-2], k.shape[-2]), bool))
    return (
        _softmax(np.where(seen, q @ np.swapaxes(k, -1, -2) * q.dtype.type(0.25), q.dtype.type(-np.inf))) @ v
    )


def _of_masked_rows(q: Any, k: Any, v: Any) -> Any:
    """With the lowest number for what is not looked at: all keys of some rows, which have equal weights."""
    seen = np.arange(q.shape[-2])[:, None] % 3 != 0
    return _softmax(np.where(seen, q @ np.swapaxes(k, -1, -2), np.finfo(np.float16).min)) @ v


def _by_columns(q: Any, k: Any, v: Any) -> Any:
    """Keys that are transposed already."""
    return _softmax(q @ k * q.dtype.type(0.25)) @ v


def _numbers(dtype: Any, *shape: int) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(dtype)


def _ptx(function: Any, *arguments: Any) -> str:
    return str(weft.function(function, target="sm_90a").get_concrete_function(*arguments).as_text("ptx"))


CASES: dict[str, tuple[Any, ...]] = {
    # The function, queries, keys, values
    "many tiles": (_attention, (2, 130, 64), (2, 330, 64), (2, 330, 64)),
    "two tiles and no rest": (_attention, (128, 128), (128, 128), (128, 128)),
    "one tile": (_attention, (20, 64), (30, 64), (30, 32)),
    "few rows": (_attention, (2, 9, 64), (2, 1100, 64), (2, 1100, 64)),
    "other columns": (_attention, (33, 40), (150, 40), (150, 72)),
    "many columns": (_attention, (20, 256), (70, 256), (70, 256)),
    "causal": (_causal, (2, 200, 64), (2, 200, 64), (2, 200, 64)),
    "rows of the lowest number": (_of_masked_rows, (40, 64), (140, 64), (140, 64)),
    "transposed keys": (_by_columns, (40, 64), (64, 144), (144, 64)),
}


OF_BFLOATS = ["many tiles", "one tile", "few rows", "causal"]
"""It has 384 columns at most, and another lowest number; the rest goes the way of float16."""


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("name", "dtype"), [*((name, "float16") for name in CASES), *((name, "bfloat16") for name in OF_BFLOATS)]
)
def test_attention_of_copied_tiles(name: str, dtype: str) -> None:
    function, *shapes = CASES[name]
    kind = np.float16 if dtype == "float16" else weft.bfloat16
    given = [_numbers(kind, *shape) for shape in shapes]
    ptx = _ptx(function, *given)
    assert "cp.async" in ptx
    assert "ldmatrix.sync.aligned.m8n8.x4.trans" in ptx
    compiled = weft.function(function, device="cuda")
    there = compiled(*given)
    exact = function(*[x.astype(np.float64) for x in given])
    eps = float(np.finfo(np.float16).eps) if dtype == "float16" else 2.0**-7
    assert float(np.max(np.abs(there.astype(np.float64) - exact))) <= 4 * eps * float(np.max(np.abs(exact)))
    np.testing.assert_array_equal(there, compiled(*given))


@pytest.mark.parametrize(
    ("keys", "values"), [((37, 44), (37, 64)), ((37, 64), (37, 50)), ((37, 16), (37, 16))], ids=str
)
def test_what_copies_cannot_take_comes_by_registers(keys: Any, values: Any) -> None:
    given = [_numbers(np.float16, *shape) for shape in ((20, keys[1]), keys, values)]
    assert "cp.async" not in _ptx(_attention, *given)
    there = weft.function(_attention, device="cuda")(*given)
    exact = _attention(*[x.astype(np.float64) for x in given])
    assert float(np.max(np.abs(there - exact))) <= 4e-3 * float(np.max(np.abs(exact)))


def test_arrays_that_begin_anywhere() -> None:
    q, *others = (_numbers(np.float16, 70, 64) for _ in range(3))
    moved = [
        weft.device_put(np.concatenate([[0], x.ravel()]).astype(np.float16))[1:].reshape(70, 64)
        for x in others
    ]
    there = np.asarray(weft.function(_causal)(weft.device_put(q), *moved))
    np.testing.assert_array_equal(there, weft.function(_causal, device="cuda")(q, *others))


def test_a_number_of_keys_that_is_not_known() -> None:
    rows = TensorSpec((None, 64), "float16")
    function = weft.function(_attention, device="cuda", input_signature=[rows] * 3)
    for count, keys in ((5, 1), (130, 64), (40, 65), (3, 200)):
        given = [_numbers(np.float16, size, 64) for size in (count, keys, keys)]
        exact = _attention(*[x.astype(np.float64) for x in given])
        assert float(np.max(np.abs(function(*given) - exact))) <= 4e-3 * float(np.max(np.abs(exact)))

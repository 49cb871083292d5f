"""Results are the same bits for every number of threads, and those that NumPy has; nothing leaks."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.cpu.codegen.sharing import kernels as parallel_kernels
from weft.backend.cpu.codegen.sharing import loops as parallel_loops

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(7)


@pytest.fixture(autouse=True)
def _number_of_threads() -> Iterator[None]:
    yield
    weft.set_num_threads(None)


def numbers(*shape: int, dtype: str = "float32") -> Array:
    if dtype.startswith("int"):
        return RNG.integers(-50, 50, shape, dtype)
    return RNG.standard_normal(shape).astype(dtype)


def softmax(x: Array) -> Array:
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def layer_norm(x: Array) -> Array:
    mean = np.mean(x, axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(np.mean((x - mean) ** 2, axis=-1, keepdims=True) + 1e-5)


def shift(x: Array) -> Array:
    x[1:] = x[:-1] + 1
    return x


def gather(x: Array, i: Array) -> Array:
    return x[i] * 2


def running(x: Array) -> Array:
    return np.cumsum(x, axis=0) + x


def scans(x: Array, y: Array) -> Array:
    return np.concatenate([np.cumsum(x), np.cumsum(y), np.cumsum(x * y)])


def three_products(x: Array, a: Array, b: Array, c: Array) -> Array:
    return np.concatenate([x @ a, x @ b, x @ c])


def two_scans(x: Array, y: Array) -> list[Array]:
    return [np.cumsum(x), np.cumprod(y)]


CASES: dict[str, tuple[Callable[..., Any], tuple[Array, ...]]] = {
    "chain": (lambda x: np.tanh(x * 0.5) * np.exp(-x * x) + np.where(x > 0, x, 0.1 * x), (numbers(300_007),)),
    "chain of doubles": (lambda x: np.log1p(np.abs(x)) / (1 + x * x), (numbers(501, 403, dtype="f8"),)),
    "integers": (lambda x, y: x * y + (x ^ y), (numbers(400_001, dtype="int64"), numbers(1, dtype="int64"))),
    "broadcast": (
        lambda x, y, z: (x + y) * z,
        (numbers(700, 1), numbers(1, 901), numbers(700, 901)),
    ),
    "strided": (lambda x: np.sin(x[::3, 1::2]) + 1, (numbers(1500, 901),)),
    "transpose": (lambda x: x.T + 1, (numbers(1021, 771),)),
    "softmax": (softmax, (numbers(517, 601),)),
    "layer norm": (layer_norm, (numbers(333, 1025, dtype="f8"),)),
    "sum of columns": (lambda x: np.sum(x, axis=0), (numbers(517, 4099),)),
    "maxima of rows": (lambda x: np.max(x, axis=1), (numbers(1517, 601),)),
    "sum": (lambda x: np.sum(x * x), (numbers(1_000_003),)),
    "sum of some": (lambda x: np.sum(x), (numbers(70_001),)),
    "sum of doubles": (lambda x: np.sum(x), (numbers(1200, 1100, dtype="f8"),)),
    "maximum": (lambda x: np.max(np.abs(x)), (numbers(1_100, 1_000),)),
    "product of all": (lambda x: np.prod(1 + x * 1e-4), (numbers(200_000, dtype="f8"),)),
    "sum of integers": (lambda x: np.sum(x), (numbers(2_000_001, dtype="int32"),)),
    "any": (lambda x: np.any(x > 4), (numbers(1_000_001),)),
    "product": (lambda a, b: a @ b, (numbers(257, 311), numbers(311, 203))),
    "square product": (lambda a, b: a @ b, (numbers(512, 512), numbers(512, 512))),
    "product of integers": (lambda a, b: a @ b, (numbers(190, 200, dtype="int32"), numbers(200, 230, dtype="int32"))),
    "product, transposed": (lambda a, b: a.T @ b.T, (numbers(300, 200), numbers(290, 300))),
    "batched product": (lambda a, b: a @ b, (numbers(5, 100, 90), numbers(5, 90, 110))),
    "few rows": (lambda a, b: a @ b, (numbers(2, 1500), numbers(1500, 1600))),
    "vector": (lambda a, b: a @ b, (numbers(1500), numbers(1500, 1600))),
    "dense": (lambda a, b, c: np.maximum(a @ b + c, 0), (numbers(260, 300), numbers(300, 280), numbers(280))),
    "in place": (shift, (numbers(400_000),)),
    "gather": (gather, (numbers(3000), RNG.integers(0, 3000, 500_000))),
    "scan": (running, (numbers(700, 900),)),
    "independent scans": (scans, (numbers(200_000, dtype="f8"), numbers(200_000, dtype="f8"))),
    "independent results": (two_scans, (numbers(2, 60_000, dtype="f8") * 0.01, numbers(2, 60_000, dtype="f8"))),
    "independent products": (three_products, tuple(numbers(101, 101) for _ in range(4))),
    "sort": (lambda x: np.sort(x, axis=-1), (numbers(300, 500),)),
}  # fmt: skip


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", CASES)
def test_the_number_of_threads_changes_no_bit(name: str) -> None:
    function, arguments = CASES[name]
    expected = function(*(a.copy() for a in arguments))
    compiled = weft.function(function)
    weft.set_num_threads(1)
    alone = np.asarray(compiled(*(a.copy() for a in arguments)))
    tolerance = 1e-3 if alone.dtype == np.float32 else 1e-9
    np.testing.assert_allclose(alone, expected, rtol=tolerance, atol=tolerance * 10)
    for count in (2, 3, 8):
        weft.set_num_threads(count)
        for _ in range(3):
            shared = np.asarray(compiled(*(a.copy() for a in arguments)))
            assert shared.tobytes() == alone.tobytes()


@pytest.mark.sampled
@pytest.mark.parametrize(
    "name", ["chain", "softmax", "product", "transpose", "sum", "sum of columns", "broadcast"]
)
@pytest.mark.parametrize("scale", [0, 1, 2, 60, 100])
def test_sizes_of_the_run(name: str, scale: int) -> None:
    """One compiled function for all sizes: empty ones, such as are not worth sharing, and long ones."""
    function, arguments = CASES[name]
    specs = [weft.TensorSpec([None if e > 1 else 1 for e in a.shape], str(a.dtype)) for a in arguments]
    compiled = weft.function(function, input_signature=specs)
    parts = [a[tuple(slice(-(-e * scale // 100)) for e in a.shape)] for a in arguments]
    if scale == 0:
        parts = [np.zeros([min(e, 1) - (e > 1) for e in a.shape], a.dtype) for a in arguments]
        if name == "softmax":
            pytest.skip("NumPy has no maximum of nothing")
    parts = [np.ascontiguousarray(part) for part in parts]
    weft.set_num_threads(1)
    alone = compiled(*parts)
    np.testing.assert_allclose(alone, function(*parts), rtol=1e-3, atol=1e-2)
    for count in (2, 5):
        weft.set_num_threads(count)
        assert np.asarray(compiled(*parts)).tobytes() == np.asarray(alone).tobytes()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", CASES)
def test_loops_that_are_shared_however_short(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces of one iteration each: no iteration relies on another."""
    monkeypatch.setattr(parallel_loops, "GRAIN", 1)
    monkeypatch.setattr(parallel_kernels, "GRAIN", 1)
    function, arguments = CASES[name]
    parts = [np.ascontiguousarray(a[tuple(slice(-(-e // 7)) for e in a.shape)]) for a in arguments]
    if name == "gather":
        parts[1] %= parts[0].size
    if name == "independent results":
        parts = list(arguments)
    expected = function(*(a.copy() for a in parts))
    weft.set_num_threads(4)
    found = weft.function(function)(*(a.copy() for a in parts))
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-2)


def test_copies_of_operands_are_freed() -> None:
    code = """
import resource, numpy as np, weft
weft.set_num_threads(2)
product = weft.function(lambda a, b: a @ b)
a, b = np.ones((2, 512, 512), np.float32)
for _ in range(20):
    product(a, b)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for _ in range(400):
    product(a, b)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    if sys.platform == "win32":
        pytest.skip("there is no resource usage to ask for")
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert int(result.stdout) < 40_000, result.stderr  # a copy of a panel is 64 KiB, in kibibytes

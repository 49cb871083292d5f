"""Operands of contractions that are packed once: before loops, at compile time and between calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import weft
from weft.backend.cpu.codegen.contractions import plan
from weft.backend.target import compiling_as_if, host, named, why_not_here

SMALL = {"PACKED": 1, "FEW_TILES": 0}
"""With these, small operands are packed as large ones are."""


TARGETS = [t for t in ("x86-64-v2", "x86-64-v3", "x86-64-v4") if not why_not_here(named(t))]


@pytest.fixture
def small_caches() -> Iterator[None]:
    with patch.dict(vars(plan), SMALL), compiling_as_if(first_level_cache=64):
        yield


def numbers(shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    generator = np.random.default_rng(len(shape) + sum(shape))
    if np.dtype(dtype).kind in "iu":
        return generator.integers(-3, 4, shape).astype(dtype)
    return (generator.standard_normal(shape) / 4).astype(dtype)


def in_a_loop(x: Any, w: Any, n: Any) -> Any:
    for _ in range(n):
        x = x @ w
    return x


def transposed(x: Any, w: Any, n: Any) -> Any:
    while n > 0:
        x = x + x @ w.T
        n = n - 1
    return x


def twice(x: Any, w: Any, n: Any) -> Any:
    for _ in range(n):
        for _ in range(2):
            x = np.maximum(x @ w - 1, 0) + x
    return x


def batched(x: Any, w: Any, n: Any) -> Any:
    y = x[None] + np.zeros((3, 1, 1), x.dtype)
    for _ in range(n):
        y = y @ w
    return y


FUNCTIONS = [in_a_loop, transposed, twice, batched]
DTYPES = ["float32", "float64", "int32", "int64", "int16", "float16"]
SHAPES = [(40, 16), (33, 33), (50, 7), (70, 100)]


def pairs_of_all() -> Iterator[tuple[Callable[..., Any], tuple[int, int], str]]:
    """All functions with all dtypes: the first in all shapes, the others in one each, which functions differ in."""
    for number, function in enumerate(FUNCTIONS):
        for count, dtype in enumerate(DTYPES):
            for shape in SHAPES if count == 0 else [SHAPES[(number + count) % len(SHAPES)]]:
                yield function, shape, dtype


@pytest.mark.sampled(3)
@pytest.mark.usefixtures("small_caches")
@pytest.mark.parametrize(("function", "shape", "dtype"), [*pairs_of_all()])
def test_loops(function: Callable[..., Any], shape: tuple[int, int], dtype: str) -> None:
    rows, size = shape
    x, w = numbers((rows, size), dtype), numbers((size, size), dtype)
    compiled = weft.function(function)
    for n in (0, 1, 4):
        steps = np.int64(n)
        tolerance = {"e": 3e-2, "f": 1e-5, "d": 1e-12}.get(x.dtype.char, 0)
        expected = function(x, w, n)
        np.testing.assert_allclose(
            compiled(x, w, steps),
            expected,
            rtol=tolerance,
            atol=tolerance * (1 + float(np.abs(expected).max())),
        )
    kernels = compiled.get_concrete_function(x, w, np.int64(1)).as_text("kernels")
    # Short vectors of narrow numbers have no masks, which the last panel would need unless it is full.
    packs = host().vector_bytes == 64 or w.itemsize >= 4 or size % 16 == 0
    assert ("floordiv" in kernels) == packs


@pytest.mark.sampled
@pytest.mark.usefixtures("small_caches")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("size", [8, 16, 21, 100])
def test_machines(target: str, size: int) -> None:
    x, w = numbers((40, size), "float32"), numbers((size, size), "float32")
    compiled = weft.function(transposed, target=target)
    expected = transposed(x, w, 3)
    np.testing.assert_allclose(compiled(x, w, np.int64(3)), expected, rtol=1e-5, atol=1e-5)

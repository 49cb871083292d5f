"""Reductions and divisions of compiled functions: accuracy, special values, sizes around those of vectors and parts."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.target import host

Array = np.ndarray[Any, Any]


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", ["tenths", "uniform", "normal"])
def test_long_sums_are_good_to_a_few_units(dtype: type, kind: str) -> None:
    size = 3_000_000
    generator = np.random.default_rng(0)
    if kind == "tenths":
        x = np.full(size, 0.1, dtype)
    else:
        x = getattr(generator, "random" if kind == "uniform" else "standard_normal")(size, dtype=dtype)
    exact, scale = math.fsum(x.tolist()), float(np.abs(x).sum(dtype=np.float64))
    total = weft.function(lambda x: np.sum(x))(x)
    unit = np.finfo(dtype).eps * (scale / math.sqrt(size) if kind == "normal" else scale)
    units = 12 if host().vector_bytes == 64 else 16  # fewer lanes add up more numbers each
    assert abs(float(total) - exact) <= units * unit


def test_a_sum_that_is_asked_for_in_f64_is_one() -> None:
    x = np.random.default_rng(0).random(100_000, dtype=np.float32)
    total = weft.function(lambda x: np.sum(x, dtype=np.float64))(x)
    assert abs(total - math.fsum(x)) <= 1e-14 * float(total)


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_the_variance_of_values_far_from_zero(axis: int | None) -> None:
    x = (np.random.default_rng(0).standard_normal((500, 300)) + 1e4).astype(np.float32)
    wanted = np.var(x.astype(np.float64), axis=axis)
    np.testing.assert_allclose(weft.function(lambda x: np.var(x, axis=axis))(x), wanted, rtol=1e-6)


@pytest.mark.parametrize("dynamic", [False, True])
def test_sizes_around_those_of_parts(dynamic: bool) -> None:
    def figures(x: Any) -> Any:
        return np.sum(x), np.max(x), np.min(x), np.mean(x), np.sum(x.astype(np.int32)), np.any(x == 49)

    spec = [weft.TensorSpec((None,), "float32")] if dynamic else None
    compiled = weft.function(figures, input_signature=spec)
    for size in (1, 2, 3, 15, 16, 17, 63, 64, 65, 2047, 16384, 16385, 100_001, 1_100_003):
        x = np.random.default_rng(size).integers(-50, 50, size).astype(np.float32)
        for value, wanted in zip(compiled(x), figures(x.astype(np.float64)), strict=True):
            np.testing.assert_allclose(value, wanted, rtol=1e-7)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "complex128"])
def test_sums_of_parts_of_run_time_length(dtype: str) -> None:
    def prefixes(x: Any, y: Any) -> Any:
        sums = np.zeros(len(x) + 1, x.dtype)
        for n in range(len(x) + 1):
            sums[n] = x[:n] @ y[:n]
        return sums

    generator = np.random.default_rng(0)
    for size in (0, 70):
        x, y = (generator.integers(-9, 9, size).astype(dtype) for _ in range(2))
        np.testing.assert_array_equal(weft.function(prefixes)(x, y), prefixes(x, y))


def test_a_row_is_solved_in_place_with_what_is_known_of_it() -> None:
    def solve(matrix: Any, x: Any) -> None:
        for i in range(len(x)):
            x[i] = (x[i] - matrix[i, :i] @ x[:i]) / matrix[i, i]

    compiled = weft.function(solve)
    generator = np.random.default_rng(0)
    for size in (1, 50):
        matrix = np.tril(generator.random((size, size))) + size * np.eye(size)
        x = generator.random(size)
        wanted = np.linalg.solve(matrix, x)
        compiled(matrix, x)
        np.testing.assert_allclose(x, wanted, rtol=1e-13)


@pytest.mark.parametrize("size", [16_385, 20_001, 32_767, 32_768])
def test_sums_do_not_depend_on_whether_the_length_is_known(size: int) -> None:
    x = np.random.default_rng(size).standard_normal(size)
    unknown = weft.function(lambda x: np.sum(x), input_signature=[weft.TensorSpec((None,), "float64")])
    known = weft.function(lambda x: np.sum(x), input_signature=[weft.TensorSpec((size,), "float64")])
    assert unknown(x) == known(x)


SHAPES = [(0, 5), (5, 0), (1, 7), (3, 5), (4, 16), (5, 17), (30, 200), (9, 3000)]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "uint8", "bool"])
def test_columns(dtype: str) -> None:
    """One program for all shapes: each has a kernel of its own in it."""
    arrays = [np.random.default_rng(0).integers(0, 9, shape).astype(dtype) for shape in SHAPES]

    def sums(arrays: Any) -> Any:
        return [np.sum(x, axis=0) for x in arrays]

    def sums_of_rows(arrays: Any) -> Any:
        return [np.sum(x.T, axis=1) for x in arrays]

    def largest(arrays: Any) -> Any:
        return [np.max(x, axis=0) for x in arrays]

    for function in (sums, sums_of_rows, largest):
        given = arrays[1:] if function is largest else arrays
        for found, wanted in zip(weft.function(function)(given), function(given), strict=True):
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("function", [np.sum, np.max, np.min, np.mean])
def test_special_values_stay_in_their_columns(function: Callable[..., Any]) -> None:
    compiled = weft.function(lambda x: function(x, axis=0))
    for value in (np.nan, np.inf, -np.inf):
        for place in (0, 3, 6):
            x = np.ones((7, 40), np.float32)
            x[place, 5] = value
            np.testing.assert_array_equal(compiled(x), function(x, axis=0))


def numbers(dtype: type, size: int) -> Array:
    """Numbers of all magnitudes, subnormals and zeros of both signs among them, and special values."""
    generator = np.random.default_rng(size)
    limits = np.finfo(dtype)
    exponents = generator.uniform(limits.minexp - limits.nmant - 1, limits.maxexp, size)
    x = (generator.uniform(-2, 2, size) * np.exp2(exponents / 2) * np.exp2(exponents / 2)).astype(dtype)
    x[:8] = [0.0, -0.0, np.inf, -np.inf, np.nan, limits.tiny, limits.smallest_subnormal, limits.max]
    return x


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_quotients_by_one_divisor_are_rounded_once(dtype: type) -> None:
    divide = weft.function(lambda x, d: x / d)
    generator = np.random.default_rng(0)
    usual = generator.uniform(0.5, 2, (300, 512)).astype(dtype)
    all_ones = np.nextafter(dtype(2), dtype(1))
    divisors = [*numbers(dtype, 60), *generator.uniform(-9, 9, 200).astype(dtype), all_ones, dtype(3)]
    unusual = numbers(dtype, 512)
    for row, divisor in zip(np.resize(usual, (len(divisors), 512)), divisors, strict=True):
        for x in (row, unusual, np.where(row < 1, row, dtype(-0.0))):
            found, wanted = divide(x, divisor), x / divisor
            assert np.array_equal(found, wanted, equal_nan=True), (divisor, x[found != wanted])
            np.testing.assert_array_equal(np.signbit(found)[wanted == 0], np.signbit(wanted)[wanted == 0])


@pytest.mark.sampled
@pytest.mark.parametrize("shape", [(0, 5), (1, 1), (3, 1000), (300, 700)])
@pytest.mark.parametrize("dynamic", [False, True])
def test_rows_of_a_layer_norm(shape: tuple[int, int], dynamic: bool) -> None:
    def normalise(x: Any) -> Any:
        centred = x - np.mean(x, axis=1, keepdims=True)
        return centred / np.sqrt(np.mean(centred**2, axis=1, keepdims=True) + x.dtype.type(1e-5))

    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    spec = [weft.TensorSpec((None, None), "float32")] if dynamic and 1 not in shape else None
    function: Callable[..., Any] = weft.function(normalise, input_signature=spec)
    np.testing.assert_allclose(function(x), normalise(x.astype(np.float64)), rtol=1e-5, atol=1e-6)

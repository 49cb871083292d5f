"""Histograms of the range that the elements have."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import weft


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint32"])
def test_counts_and_edges(dtype: str) -> None:
    def program(x: Any) -> Any:
        ranged = np.histogram(x, 4, range=(1, 30))  # edges have the dtype of the elements
        return [*(np.histogram(x, bins) for bins in (1, 10, 40)), np.histogram(x, 5, density=True), ranged]

    generator = np.random.default_rng(0)
    compiled = weft.function(program)
    for x in (generator.uniform(0, 50, 200), np.full(200, 3.0), np.arange(200) * 0.25):
        elements = x.astype(dtype)
        for found, expected in zip(compiled(elements), program(elements), strict=True):
            for got, wanted in zip(found, expected, strict=True):
                np.testing.assert_array_equal(got, wanted, strict=True)


@pytest.mark.parametrize("strange", [np.nan, np.inf, -np.inf])
def test_ranges_that_are_not_finite(strange: float) -> None:
    compiled = weft.function(lambda x: np.histogram(x))
    for x in (np.array([1.0, strange, 2.1]), np.array([0.1, 2, strange], np.float32)):
        with pytest.raises(ValueError, match=r"autodetected range .*is not finite") as expected:
            np.histogram(x)
        with pytest.raises(ValueError, match=re.escape(str(expected.value))):
            compiled(x)


def test_no_elements() -> None:
    x = np.zeros(0, np.float32)
    for found, expected in zip(weft.function(lambda x: np.histogram(x))(x), np.histogram(x), strict=True):
        np.testing.assert_array_equal(found, expected, strict=True)


def same(found: Any, expected: Any) -> None:
    for got, wanted in zip(found, expected, strict=True):
        assert got.dtype == wanted.dtype
        np.testing.assert_allclose(got, wanted, rtol=1e-4 if wanted.dtype == np.float32 else 1e-12)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "complex128"])
def test_weights(dtype: str) -> None:
    def program(x: Any, weights: Any) -> Any:
        return (
            np.histogram(x, 30, weights=weights),
            np.histogram(x, 30, (-0.5, 0.75), weights=weights),
            np.histogram(x, [-1, 0.1, 0.5, 0.9], weights=weights),
        )

    generator = np.random.default_rng(0)
    x, weights = generator.normal(size=(20, 9)), generator.uniform(-9, 9, (20, 9)).astype(dtype)
    x[0, :3] = -0.5, 0.75, np.nextafter(0.75, 1)
    for found, expected in zip(weft.function(program)(x, weights), program(x, weights), strict=True):
        same(found, expected)


def test_weights_of_another_shape() -> None:
    compiled = weft.function(lambda x, w: np.histogram(x, weights=w))
    unknown = [weft.TensorSpec([None], "float64")] * 2
    sized = weft.function(lambda x, w: np.histogram(x, weights=w), input_signature=unknown)
    same(sized(np.arange(9.0), np.arange(9.0)), np.histogram(np.arange(9.0), weights=np.arange(9.0)))
    for function, weights in ((compiled, np.ones(4)), (compiled, np.ones((3, 1))), (sized, np.ones(4))):
        with pytest.raises(ValueError, match="weights should have the same shape as a"):
            function(np.ones(3), weights)


def test_infinite_elements_of_which_the_number_is_unknown() -> None:
    compiled = weft.function(lambda x: np.histogram(x[x < 0], 4))
    with pytest.raises(ValueError, match=r"autodetected range of \[-inf, -inf\] is not finite"):
        compiled(np.array([-np.inf, 1.0]))


def test_numbers_of_bins_and_ranges_of_the_program() -> None:
    def by_number(x: Any, bins: Any) -> Any:
        return np.histogram(x, bins)

    def by_range(x: Any, low: Any, high: Any) -> Any:
        return np.histogram(x, 20, (low, high))

    def of_some(x: Any) -> Any:
        return np.histogram(x[x > 0.5], 6)

    x = np.random.default_rng(0).uniform(size=100)
    number, ranged, some = weft.function(by_number), weft.function(by_range), weft.function(of_some)
    for bins in (1, 5, 90):
        same(number(x, np.int64(bins)), by_number(x, bins))
    for low, high in ((0.25, 0.5), (-3.0, 9.0), (0.5, 0.5)):
        same(ranged(x, np.float64(low), np.float64(high)), by_range(x, low, high))
    for elements in (x, x / 4):  # of the second there is none
        same(some(elements), of_some(elements))
    assert number.trace_count == ranged.trace_count == some.trace_count == 1


def test_bins_and_ranges_that_cannot_be() -> None:
    number = weft.function(lambda x, bins: np.histogram(x, bins))
    ranged = weft.function(lambda x, low, high: np.histogram(x, 20, (low, high)))
    x = np.array([1, np.nextafter(1, 2)])
    for compiled, eager, arguments in (
        (number, np.histogram, (x, np.int64(0))),
        (number, np.histogram, (x, np.int64(5))),
        (ranged, lambda x, low, high: np.histogram(x, 20, (low, high)), (x, np.float64(1), np.float64(0))),
        (
            ranged,
            lambda x, low, high: np.histogram(x, 20, (low, high)),
            (x, np.float64(1), np.float64(np.inf)),
        ),
    ):
        with pytest.raises(ValueError, match=r"bins|range") as expected:
            eager(*arguments)
        with pytest.raises(ValueError, match=re.escape(str(expected.value))):
            compiled(*arguments)
    with pytest.raises(TypeError, match="`bins` must be an integer, a string, or an array"):
        weft.function(lambda x, bins: np.histogram(x, bins))(x, np.float64(5))


@pytest.mark.sampled
@pytest.mark.parametrize("bins", [17, 100, 999])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int32", "uint8"])
def test_elements_on_edges_and_next_to_them(dtype: str, bins: int) -> None:
    def program(x: Any) -> Any:
        ranged = np.histogram(x, bins, (-3.3, 41.7))
        return [ranged] if x.dtype == np.float16 else [ranged, np.histogram(x, bins)]

    compiled = weft.function(program)
    generator = np.random.default_rng(bins)
    for low, high in ((-3.3, 41.7), (0, 200), (0.1, 0.7), (3, 60)):
        edges = np.linspace(low, high, bins + 1)
        around = np.concatenate([edges, np.nextafter(edges, -100), np.nextafter(edges, 100)])
        x = np.concatenate([around, generator.uniform(low, high, 500)]).astype(dtype)
        x = np.concatenate([x, np.nextafter(x, x.dtype.type(100))]) if x.dtype.kind == "f" else x
        for found, expected in zip(compiled(x), program(x), strict=True):
            for got, wanted in zip(found, expected, strict=True):
                np.testing.assert_array_equal(got, wanted, strict=True)


@pytest.mark.parametrize("scale", [5e-324, 1e-310, 1e-300, 1e300])
def test_very_small_and_large_elements(scale: float) -> None:
    compiled = weft.function(lambda x: np.histogram(x, 20))
    x = np.arange(100) * scale
    np.testing.assert_array_equal(compiled(x)[0], np.histogram(x, 20)[0])
    with pytest.raises(ValueError, match="Too many bins for data range"):
        compiled(np.arange(100) % 15 * 5e-324)


def test_histograms_of_an_array_share_what_they_compute() -> None:
    def program(x: Any, weights: Any) -> Any:
        return np.histogram(x, 1000)[0], np.histogram(x, 1000, weights=weights)[0]

    x = np.random.default_rng(0).random(5000)
    concrete = weft.function(program).get_concrete_function(x, x)
    optimized = concrete.as_text("optimized")
    assert len(re.findall(r"weft\.min\"", optimized)) == 1
    assert len(re.findall(r"weft\.floor", optimized)) == 1
    assert "weft.gather" not in optimized


def test_many_bins_are_counted_in_integers() -> None:
    compiled = weft.function(lambda x: np.histogram(x, (1 << 22) + 3))
    x = np.random.default_rng(0).random(100)
    for got, wanted in zip(compiled(x), np.histogram(x, (1 << 22) + 3), strict=True):
        np.testing.assert_array_equal(got, wanted)

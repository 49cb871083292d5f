"""Medians, quantiles and partitions: of extents, places and numbers of NaN that are known when the program runs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "all": lambda x: (
        np.median(x),
        np.nanmedian(x),
        np.nanpercentile(x, 30.0),
        np.nanquantile(x, [0.9, 0.1, 0.5]),
    ),
    "rows": lambda x: (
        np.median(x, axis=1),
        np.nanmedian(x, axis=-1, keepdims=True),
        np.nanquantile(x, 0.25, axis=1),
    ),
    "columns": lambda x: (
        np.median(x, axis=0),
        np.nanmedian(x, axis=0),
        np.nanpercentile(x, [0, 100], axis=0),
    ),
}


def data(dtype: str, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    random = np.random.default_rng(shape[-1])
    if np.dtype(dtype).kind in "iu":
        return random.integers(0, 100, shape).astype(dtype)
    x = random.normal(size=shape).astype(dtype)
    special = random.random(shape)
    x[special < 0.02], x[(special > 0.1) & (special < 0.12)], x[special > 0.98] = np.nan, np.inf, -np.inf
    if len(x):
        x[0] = np.where(np.isnan(x[0]), 1, x[0])
        x[-1] = np.nan if len(x) > 2 else x[-1]
    return x


def same(found: Any, expected: Any) -> None:
    for one, other in zip(found, expected, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        rounding = np.finfo(other.dtype).eps if other.dtype.kind == "f" else 0
        np.testing.assert_allclose(one, other, rtol=4 * rounding)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("question", "dtype"),
    [
        ("all", "float64"),
        ("all", "int64"),
        ("rows", "float32"),
        ("rows", "uint8"),
        ("columns", "float64"),
        ("columns", "float16"),
    ],
)
def test_as_numpy(question: str, dtype: str) -> None:
    function = QUESTIONS[question]
    compiled = weft.function(function, input_signature=[weft.TensorSpec((None, None), dtype)])
    shapes = [(3, 4), (1, 7), (2, 1), (4, 301), (40, 9), (5, 64)]
    if np.dtype(dtype).kind == "f":
        shapes += [(0, 3)] if question == "columns" else [(3, 0)] if question == "rows" else [(0, 0)]
    for shape in shapes:
        x = data(dtype, shape)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of empty slices
            if 0 in shape and question != "all":
                expected = (np.median(x, axis=int(question == "rows")),)
                same(compiled(x)[:1], expected)
            elif 0 not in shape:
                same(compiled(x), function(x))


@pytest.mark.parametrize("dtype", ["float64", "int32"])
def test_quantiles_at_places_of_data(dtype: str) -> None:
    compiled = weft.function(
        lambda x, q: (np.quantile(x, q), np.percentile(x, q * 100)),
        input_signature=[weft.TensorSpec((None,), dtype), weft.TensorSpec((), "float64")],
    )
    for length in (1, 2, 9, 300):
        x = np.random.default_rng(length).permutation(length).astype(dtype)
        for q in (0.0, 0.3, 0.77, 1.0):
            expected = np.quantile(x, q), np.percentile(x, q * 100)
            np.testing.assert_allclose(compiled(x, np.float64(q)), expected, rtol=1e-14)
    for bad in (-0.1, 1.5, np.nan):
        with pytest.raises(ValueError, match=r"Quantiles must be in the range \[0, 1\]"):
            compiled(x, np.float64(bad))
    with pytest.raises(IndexError, match="index -1 is out of bounds for axis 0 with size 0"):
        compiled(x[:0], np.float64(0.5))
    with pytest.raises(IndexError, match="index -1 is out of bounds for axis 0 with size 0"):
        np.quantile(x[:0].astype(float), 0.5)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8", "complex128"])
def test_partitions(dtype: str) -> None:
    compiled = weft.function(
        lambda x, k: (
            np.partition(x, k, axis=0),
            np.partition(x, [2, -1]),
            np.partition(x, (k, 0), axis=None),
        ),
        input_signature=[weft.TensorSpec((None, None), dtype), weft.TensorSpec((), "int64")],
    )
    for shape in ((3, 3), (500, 4), (7, 300)):
        x = data("float64" if dtype == "complex128" else dtype, shape).astype(dtype)
        for k in (0, 1, -1, shape[0] // 2):
            columns, rows, flat = compiled(x, np.int64(k))
            for found, axis, places in ((columns, 0, [k]), (rows, 1, [2, -1]), (flat.reshape(-1), 0, [k, 0])):
                ordered = np.sort(x if found.ndim > 1 else x.reshape(-1), axis=axis)
                assert found.dtype == x.dtype
                np.testing.assert_array_equal(np.take(found, places, axis), np.take(ordered, places, axis))
                np.testing.assert_array_equal(np.sort(found, axis=axis), ordered)
    with pytest.raises(ValueError, match=r"kth\(=7\) out of bounds \(7\)"):
        compiled(x, np.int64(7))


def filtered(image: Any) -> Any:
    """A median filter in loops."""
    found = np.zeros_like(image)
    for i in range(1, image.shape[0] - 1):
        for j in range(1, image.shape[1] - 1):
            found[i, j] = np.median(image[i - 1 : i + 2, j - 1 : j + 2])
    return found


def moving(x: Any, width: Any) -> Any:
    """Medians of windows, and of what is above zero."""
    found = np.empty(len(x) - width)
    for i in range(len(x) - width):
        found[i] = np.median(x[i : i + width])
    return found, np.median(x[x > 0]), np.percentile(x[x > 0], 90)


def test_medians_in_loops() -> None:
    random = np.random.default_rng(1)
    compiled = weft.function(filtered)
    for shape in ((5, 6), (9, 4), (2, 2)):
        image = random.random(shape)
        np.testing.assert_array_equal(compiled(image), filtered(image))
    compiled = weft.function(moving)
    for length, width in ((30, 4), (41, 15), (300, 150)):
        x = random.normal(size=length)
        for found, expected in zip(compiled(x, np.int64(width)), moving(x, width), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-15)


def test_ends_and_none() -> None:
    """Places that are integers are ends, and nothing is subtracted there; there may be none."""
    x = np.array([np.inf, 1.0, -np.inf])
    compiled = weft.function(lambda x: (np.quantile(x, 1), np.quantile(x, [0, 1]), np.quantile(x, [])))
    same(compiled(x), (np.quantile(x, 1), np.quantile(x, [0, 1]), np.quantile(x, [])))
    for function in (np.quantile, weft.function(lambda x, q: np.quantile(x, q))):
        with pytest.raises(TypeError, match="numpy boolean subtract"):
            function(x > 0, 0.5)


def test_derivatives() -> None:
    x = np.array([3.0, 1.0, 2.0, 7.0, np.nan])

    @weft.function(input_signature=[weft.TensorSpec((None,), "float64")])
    def gradient(x: Any) -> Any:
        return weft.grad(lambda x: np.nanmedian(x) + 10 * np.nanquantile(x, 1.0))(x)

    np.testing.assert_array_equal(gradient(x), [0.5, 0, 0.5, 10, 0])


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["float32", "int16"])
@pytest.mark.parametrize("method", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_methods(method: str, dtype: str) -> None:
    """Also at places that single and double precision put on different sides of an element."""
    parts = np.array([0, 0.1, 0.3, 0.45, 0.5, 0.7, 1])

    def questions(x: Any, single: Any) -> Any:
        return (
            np.quantile(x, 0.3, method=method),
            np.quantile(x, parts, axis=0, method=method),
            np.quantile(x, single, axis=0, method=method),
            np.nanquantile(x, 0.3, axis=0, method=method),
            np.percentile(x, 30.0, axis=1, method=method, keepdims=True),
            np.nanpercentile(x, single * 100, axis=0, method=method),
        )

    x, single = data(dtype, (11, 4)), parts.astype("float32")
    with warnings.catch_warnings(), np.errstate(invalid="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        expected = questions(x, single)
    same(weft.function(questions)(x, single), expected)


@pytest.mark.parametrize("part", [np.float64(0.3), np.float32(0.3), np.array([0.3], "float16"), 0.3, 1])
def test_dtypes_of_parts(part: Any) -> None:
    x = np.arange(5, dtype="float32")
    found = weft.function(lambda x: (np.quantile(x, part), np.nanpercentile(x, part)))(x)
    assert [each.dtype for each in found] == [np.quantile(x, part).dtype, np.nanpercentile(x, part).dtype]


def test_a_method_that_is_not_there_is_named() -> None:
    with pytest.raises(
        weft.UnsupportedError, match="methods there are: linear, lower, higher, midpoint, nearest"
    ):
        weft.quantile(np.arange(3.0), 0.5, method="hazen")

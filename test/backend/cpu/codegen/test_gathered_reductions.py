"""Reductions over rows of a length that data decides, with elements at places that data gives: sparse rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft

Array = np.ndarray[Any, Any]
LENGTHS = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 255, 256, 257, 513, 0, 3000]


def products(rows: Array, columns: Array, values: Array, x: Array) -> Array:
    y = np.empty(rows.size - 1, np.result_type(values, x))
    for i in range(rows.size - 1):
        c = columns[rows[i] : rows[i + 1]]
        v = values[rows[i] : rows[i + 1]]
        y[i] = v @ x[c]
    return y


def matrix(dtype: str, index: str, size: int = 100) -> tuple[Array, Array, Array, Array]:
    generator = np.random.default_rng(3)
    rows = np.concatenate([[0], np.cumsum(LENGTHS)]).astype(index)
    count = int(rows[-1])
    least = 0 if index.startswith("u") else -size
    columns = generator.integers(least, size, count).astype(index)
    values, x = (generator.integers(-9, 9, n).astype(dtype) for n in (count, size))
    return rows, columns, values, x


@pytest.mark.parametrize("unknown", [False, True], ids=["known sizes", "unknown sizes"])
@pytest.mark.parametrize("index", ["int32", "uint32", "int64"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "int64", "complex128"])
@pytest.mark.sampled
def test_rows_of_a_sparse_matrix(dtype: str, index: str, unknown: bool) -> None:
    arrays = matrix(dtype, index)
    spec = [weft.TensorSpec((None,), a.dtype.name) for a in arrays] if unknown else None
    compiled = weft.function(products, input_signature=spec)
    value, wanted = compiled(*arrays), products(*arrays)
    assert value.dtype == wanted.dtype
    np.testing.assert_array_equal(value, wanted)  # whole numbers: exact in any order
    assert compiled(*arrays).tobytes() == value.tobytes()


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_lanes_off_the_mask_read_nothing_that_counts(number: float) -> None:
    rows, columns, values, x = matrix("float64", "int64")
    columns[columns % 100 == 0] = 1
    x[0] = number  # what lanes off the mask read
    compiled = weft.function(products)
    for places in ((), range(40, 50)):
        columns[list(places)] = 0
        wanted = products(rows, columns, values, x)
        assert np.isfinite(wanted).all() == (not places)
        np.testing.assert_array_equal(compiled(rows, columns, values, x), wanted)


@pytest.mark.sampled
@pytest.mark.parametrize("place", [100, -101, 2**40])
@pytest.mark.parametrize("row", [1, 9, -1])
def test_places_out_of_range_are_errors(place: int, row: int) -> None:
    rows, columns, values, x = matrix("float64", "int64")
    columns[rows[row] - 1 if row < 0 else rows[row]] = place
    with pytest.raises(IndexError, match=f"index {place} is out of bounds for axis 0 with size 100"):
        weft.function(products)(rows, columns, values, x)


@pytest.mark.parametrize("unknown", [False, True])
def test_an_empty_array_is_not_read(unknown: bool) -> None:
    rows, columns = np.zeros(4, np.int64), np.zeros(0, np.int64)
    arrays = rows, columns, np.zeros(0), np.zeros(0)
    spec = [weft.TensorSpec((None,), a.dtype.name) for a in arrays] if unknown else None
    np.testing.assert_array_equal(weft.function(products, input_signature=spec)(*arrays), np.zeros(3))


def test_rows_that_are_not_in_order_are_empty() -> None:
    _, columns, values, x = matrix("float64", "int64")
    rows = np.array([5, 2, 9, 9, 4000, 99999, -3, 7])
    np.testing.assert_array_equal(
        weft.function(products)(rows, columns, values, x), products(rows, columns, values, x)
    )


def test_other_reductions_of_elements_at_places() -> None:
    def extremes(rows: Array, columns: Array, x: Array) -> Any:
        largest, smallest, total = (np.zeros(rows.size - 1) for _ in range(3))
        for i in range(rows.size - 1):
            c = columns[rows[i] : rows[i + 1]]
            if c.size > 0:
                largest[i], smallest[i] = np.max(x[c]), np.min(np.abs(x[c]))
            total[i] = np.sum(np.where(x[c] > 0.5, x[c], 0.0))
        return largest, smallest, total

    rows, columns, _, _ = matrix("float64", "int64")
    x = np.random.default_rng(0).random(100)
    x[7] = np.nan
    for value, wanted in zip(
        weft.function(extremes)(rows, columns, x), extremes(rows, columns, x), strict=True
    ):
        np.testing.assert_allclose(value, wanted, rtol=1e-13)

"""Sorting, compiled: NaN, ties, zeros of both signs, many lengths, and the same as NumPy's stable sort."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from support.op_values import OPS, assert_as_reference, distance, edge_values, run_compiled
from weft.dialect.dtypes import ALL_DTYPES, kind
from weft.frontend.tracing.staging import apply


def shuffled(dtype: np.dtype[Any], length: int, rows: int = 3) -> np.ndarray[Any, Any]:
    """Rows drawn from the edge values of a dtype, so that many are equal, and some NaN."""
    return np.random.default_rng(length).choice(edge_values(dtype), (rows, length))


def dynamic(name: str, rank: int, dtype: np.dtype[Any], **attributes: Any) -> weft.Function:
    """One op, compiled for all shapes of a rank."""
    spec = weft.TensorSpec((None,) * rank, dtype)
    return weft.function(lambda x: apply(OPS[name], x, **attributes), input_signature=[spec])


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=str)
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.sampled(3)
def test_every_length(dtype: np.dtype[Any], descending: bool) -> None:
    attributes = {"axis": 1, "descending": descending}
    compiled = {name: dynamic(name, 2, dtype, **attributes) for name in ("sort", "argsort")}
    for length in (0, 1, 2, 3, 4, 5, 8, 9, 31, 33, 300):
        x = shuffled(dtype, length)
        for name, function in compiled.items():
            (expected,) = OPS[name].compute([x], attributes)
            assert not distance(function(x), expected).any()


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_every_axis(axis: int) -> None:
    x = np.random.default_rng(0).integers(0, 5, (3, 4, 6))
    attributes = {"axis": axis, "descending": False}
    assert_as_reference([(OPS[name], [x], attributes) for name in ("sort", "argsort")])


def test_positions_are_those_of_a_stable_sort() -> None:
    x = np.array([0.0, -0.0, 1.0, 0.0, -0.0, np.nan, 1.0, np.nan])
    ((positions,),) = run_compiled([(OPS["argsort"], [x], {"axis": 0, "descending": False})])
    assert positions.tolist() == [0, 1, 3, 4, 2, 6, 5, 7]
    ((positions,),) = run_compiled([(OPS["argsort"], [x], {"axis": 0, "descending": True})])
    assert positions.tolist() == [5, 7, 2, 6, 0, 1, 3, 4]


def test_sorting_keeps_the_signs_of_zeros() -> None:
    x = np.array([0.0, -0.0, 1.0, -0.0])
    ((result,),) = run_compiled([(OPS["sort"], [x], {"axis": 0, "descending": False})])
    assert np.signbit(result).sum() == 2


def test_a_nan_with_a_sign_is_last_too() -> None:
    x = np.array([1.0, -np.nan, np.inf, np.nan], np.float32)
    ((result,),) = run_compiled([(OPS["sort"], [x], {"axis": 0, "descending": False})])
    np.testing.assert_array_equal(result, np.array([1, np.inf, np.nan, np.nan], np.float32))


def test_scratch_rows_are_not_mixed_up_with_the_result() -> None:
    """The result, the keys and the positions have one dtype; the result has two rows like the scratch."""
    x = np.random.default_rng(0).integers(0, 100, (2, 8))
    assert_as_reference([(OPS["argsort"], [x], {"axis": 1, "descending": False})])


@pytest.mark.parametrize("dtype", [d for d in ALL_DTYPES if kind(d) != "b"], ids=str)
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.sampled(3)
def test_searching(dtype: np.dtype[Any], side: str) -> None:
    values = edge_values(dtype)
    (ordered,) = OPS["sort"].compute([values], {"axis": 0, "descending": False})
    uses = [
        (OPS["searchsorted"], [ordered[:count], values], {"side": side})
        for count in (0, 1, 2, 5, len(ordered))
    ]
    assert_as_reference(uses)


@pytest.mark.parametrize("dtype", [dtype for dtype in ALL_DTYPES if kind(dtype) != "c"], ids=str)
@pytest.mark.parametrize("length", [64, 200, 899, 900, 70_000])
@pytest.mark.sampled
def test_long_rows(dtype: np.dtype[Any], length: int) -> None:
    values = (
        np.random.default_rng(length).integers(0, 256, (2, length * dtype.itemsize), np.uint8).view(dtype)
    )
    values = values % 2 == 1 if kind(dtype) == "b" else values
    attributes = {"axis": 1, "descending": length % 2 == 1}
    for x in (values, shuffled(dtype, length, rows=2)):
        for name in ("sort", "argsort"):
            (expected,) = OPS[name].compute([x], attributes)
            ((found,),) = run_compiled([(OPS[name], [x], attributes)])
            with np.errstate(invalid="ignore"):  # some NaN signal
                assert not distance(found, expected).any()


def test_digits_that_are_the_same_in_all_keys() -> None:
    for x in (np.zeros(1000, np.int64), np.arange(1000)[::-1] << 40, np.arange(1000)[::-1] << 16):
        np.testing.assert_array_equal(weft.function(lambda x: np.sort(x))(x.copy()), np.sort(x))

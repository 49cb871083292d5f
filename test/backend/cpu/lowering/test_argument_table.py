"""Functions of many arrays: they look up each array where they use it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.cpu.lowering.argument_table import MAX_ARRAYS

FEW, MANY = MAX_ARRAYS - 2, MAX_ARRAYS + 6


def arrays(count: int) -> list[np.ndarray[Any, Any]]:
    return [np.arange(6.0).reshape(2, 3) + i for i in range(count)]


def run_entry(function: Any, *arguments: Any) -> str:
    """What the entry passes on."""
    text = weft.function(function).get_concrete_function(*arguments).as_text("llvm")
    body = text[text.index('define void @"') :]
    return body[: body.index("ret void")]


def total(arrays: Any) -> Any:
    result = arrays[0]
    for array in arrays[1:]:
        result = result + array
    return result


@pytest.mark.parametrize(("count", "by_table"), [(FEW, False), (MANY, True)])
def test_what_is_passed(count: int, by_table: bool) -> None:
    assert (
        "(ptr %arrays, ptr %workspace, ptr %record)\n  ret" in run_entry(total, arrays(count)) + "ret"
    ) is by_table
    assert ("%a1.data" in run_entry(total, arrays(count))) is not by_table


@pytest.mark.parametrize("count", [FEW, MANY])
def test_sums_and_results(count: int) -> None:
    given = arrays(count)
    np.testing.assert_array_equal(weft.function(total)(given), total(given))

    def shifted(arrays: Any) -> Any:
        return [array + i for i, array in enumerate(arrays)]

    for got, expected in zip(weft.function(shifted)(given), shifted(given), strict=True):
        np.testing.assert_array_equal(got, expected)


def branches_and_loops(arrays: Any, n: Any) -> Any:
    result = arrays[0]
    for i in range(n):
        if result[0, 0] > 3 * i:
            result = result - arrays[1] @ arrays[2].T @ arrays[3]
        else:
            result = result + arrays[4]
        for array in arrays[5:]:
            array[0] += result[1]
    return result, arrays[-1] * 2


@pytest.mark.sampled
@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize("count", [FEW, MANY])
def test_uses_in_branches_and_loops_and_writes(count: int, n: int) -> None:
    given, expected_given = arrays(count), arrays(count)
    got = weft.function(branches_and_loops)(given, np.int64(n))
    expected = branches_and_loops(expected_given, n)
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a, b)
    for a, b in zip(given, expected_given, strict=True):
        np.testing.assert_allclose(a, b)


def test_arrays_that_are_not_contiguous_and_empty_ones() -> None:
    given = [array[:, ::2] for array in arrays(MANY)]
    np.testing.assert_array_equal(weft.function(total)(given), total(given))
    empty = [np.zeros((0, 3), np.float32)] * 1 + [np.zeros((0, 3), np.float32) for _ in range(MANY)]
    assert weft.function(total)(empty).shape == (0, 3)


def test_unknown_sizes_are_passed_as_before() -> None:
    @weft.function(input_signature=[[weft.TensorSpec([None, 3], "float64") for _ in range(MANY)]])
    def of_any_length(arrays: Any) -> Any:
        return total(arrays)

    for rows in (0, 2, 7):
        given = [np.full((rows, 3), float(i)) for i in range(MANY)]
        np.testing.assert_array_equal(of_any_length(given), total(given))


def test_errors_come_out() -> None:
    def check(arrays: Any, i: Any) -> Any:
        return total(arrays)[i]

    given = arrays(MANY)
    compiled = weft.function(check)
    np.testing.assert_array_equal(compiled(given, np.int64(1)), total(given)[1])
    with pytest.raises(IndexError, match="index 2 is out of bounds"):
        compiled(given, np.int64(2))

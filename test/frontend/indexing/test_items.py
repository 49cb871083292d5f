"""`container[index]` with a traced index: arrays, lists, tuples, ranges, and what is refused."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from support.staged import run_staged
from weft.dialect.errors import UnsupportedError
from weft.frontend.indexing.views import get_item, set_item

Pair = namedtuple("Pair", "a b")
TABLE = np.arange(12.0).reshape(3, 4)
LARGE = np.arange(3000.0).reshape(3, 1000)
ROWS = [np.arange(3.0) * k for k in range(4)]

READ: list[Callable[[Any], Any]] = [
    lambda i: get_item(TABLE, i),
    lambda i: get_item(TABLE, (i, 2)),
    lambda i: get_item(TABLE, (slice(None), i)),
    lambda i: get_item(TABLE, slice(i, None)),
    lambda i: get_item(TABLE, (slice(None, None, 2), [i, 0])),
    lambda i: get_item(LARGE, i),
    lambda i: get_item([3, 1, 2], i),
    lambda i: get_item((3, 1.5, 2), i) * 1.0,
    lambda i: get_item((True, False, True), i),
    lambda i: get_item([1j, 2j, 3], i),
    lambda i: get_item([np.float64(2), 1.5, 3], i),
    lambda i: get_item([i, 7, i + 1], i),
    lambda i: get_item(ROWS[:3], i),
    lambda i: get_item([i * TABLE, TABLE, TABLE + i], i),
    lambda i: get_item([(1, 2.5), (3, 4.5), (5, 6.5)], i)[1],
    lambda i: get_item([Pair(1, ROWS[0]), Pair(2, ROWS[1]), Pair(3, ROWS[2])], i).b,
    lambda i: get_item(range(10, 4, -2), i),
    lambda i: get_item(["same"] * 3, i) * 0 or i,
    lambda i: get_item(TABLE, 1) + i,
    lambda i: get_item({"a": TABLE}, "a") + i,
]


def outcome(function: Callable[[], Any]) -> Any:
    """The value, or the text of an IndexError."""
    try:
        return function()
    except IndexError as error:
        return str(error)


@pytest.mark.sampled
@pytest.mark.parametrize("i", [0, 2, -1, -3, 3, -4])
@pytest.mark.parametrize("function", READ)
def test_reading_is_pythons(function: Callable[[Any], Any], i: int) -> None:
    got = outcome(lambda: run_staged(function, np.asarray(i)))
    expected = outcome(lambda: function(np.int64(i)))
    np.testing.assert_array_equal(got, expected)
    assert np.shape(got) == np.shape(expected)


@pytest.mark.parametrize(
    ("container", "index", "error"),
    [
        ([1, 2], np.array([1]), "only integer scalar arrays can be converted to a scalar index"),
        ([1, 2], np.float64(1), "list indices must be integers or slices, not numpy.float64"),
        ((1, 2), np.bool_(True), "tuple indices must be integers or slices, not numpy.bool"),
        (range(3), np.float32(1), "range indices must be integers or slices, not numpy.float32"),
    ],
)
def test_wrong_indices_have_pythons_words(container: Any, index: Any, error: str) -> None:
    with pytest.raises(TypeError) as expected:
        container[index]
    with pytest.raises(TypeError) as found:
        run_staged(lambda i: get_item(container, i), np.asarray(index))
    assert str(found.value) == str(expected.value) == error


REFUSED: list[tuple[Callable[[Any], Any], str]] = [
    (lambda i: get_item("abc", i), "a str is indexed by a traced value"),
    (lambda i: get_item(bytearray(b"abc"), i), "a bytearray is indexed by a traced value"),
    (lambda i: get_item({0: 1}, i), "used as a key of a dict"),
    (lambda i: set_item({}, i, 1), "used as a key of a dict"),
    (lambda i: get_item([1, 2], slice(i)), "a list is sliced with a traced bound"),
    (lambda i: get_item([1, None], i), "holds a NoneType"),
    (lambda i: get_item([1, True], i), r"different types \(bool, int\)"),
    (lambda i: get_item([ROWS[0], TABLE], i), "one type and shape"),
    (lambda i: get_item([np.float32(1), np.float64(1)], i), "different types"),
    (lambda i: get_item([np.int8(1), 2.5], i), "different types"),
    (lambda i: get_item([np.float32(1), 0.1], i), "different types"),
    (lambda i: get_item([10**30, 1], i), "beyond 64 bits"),
    (lambda i: set_item(np.zeros(3), i, 1), "written at a traced place"),
    (lambda i: set_item([ROWS[0], ROWS[1]], i, ROWS[2]), "stack the arrays"),
]


@pytest.mark.parametrize(("function", "why"), REFUSED)
def test_what_cannot_be_compiled_says_why(function: Callable[[Any], Any], why: str) -> None:
    with pytest.raises(UnsupportedError, match=why):
        run_staged(function, np.asarray(0))


def test_an_empty_list_has_no_elements() -> None:
    with pytest.raises(IndexError, match="list index out of range"):
        run_staged(lambda i: get_item([], i), np.asarray(0))


@pytest.mark.parametrize("container", [TABLE, ROWS])
def test_what_python_has_cannot_be_written_through(container: Any) -> None:
    def write(i: Any) -> None:
        get_item(container, i)[0] = 1

    with pytest.raises(UnsupportedError, match="writes to an array that a traced place finds in a list"):
        run_staged(write, np.asarray(0))


def test_arrays_in_lists_are_read_at_each_call() -> None:
    rows = [np.zeros(3), np.ones(3)]
    compiled = weft.function(lambda i: get_item(rows, i) * 2)
    np.testing.assert_array_equal(compiled(np.int64(1)), [2, 2, 2])
    rows[1][:] = 5
    np.testing.assert_array_equal(compiled(np.int64(1)), [10, 10, 10])


@pytest.mark.parametrize("i", [0, 2, -1, 3])
def test_numbers_in_lists_are_replaced(i: int) -> None:
    def replace(i: Any) -> Any:
        numbers = [1, 2, 3]
        set_item(numbers, i, 7)
        set_item(numbers, 0, numbers[0] + 1)
        return numbers[0], numbers[1], numbers[2]

    assert outcome(lambda: run_staged(replace, np.asarray(i))) == outcome(lambda: replace(i))


@settings(max_examples=8, deadline=None)
@given(
    st.sampled_from([bool, int, float, complex]),
    st.lists(st.integers(0, 9), min_size=2, max_size=9),
    st.integers(0, 9),
    st.data(),
)
def test_numbers_at_places_keep_their_class(
    kind: type, whole: list[int], new: int, data: st.DataObject
) -> None:
    place = data.draw(st.integers(-len(whole), len(whole) - 1))

    def change(numbers: list[Any], i: Any) -> Any:
        found, both = numbers[i], [number for number in numbers if numbers[i] == number]
        numbers[i] = kind(new % 2)
        return found, both, numbers

    taken, expected = ([kind(number % 2) for number in whole] for _ in range(2))
    result = weft.function(change)(taken, np.int64(place))
    assert repr(result) == repr(change(expected, place))
    assert repr(taken) == repr(expected)


def test_python_assigns_what_it_can() -> None:
    numbers, table = [1, 2], np.zeros(2)
    set_item(numbers, 0, 5)
    set_item(table, slice(1), 2)
    assert (numbers, table.tolist()) == ([5, 2], [2, 0])
    with pytest.raises(TypeError, match="does not support item assignment"):
        run_staged(lambda i: set_item((1, 2), i, 3), np.asarray(0))


def test_the_first_axis_that_an_index_is_outside_of_is_told() -> None:
    def first_of_row(row: int, columns: int) -> np.ndarray:
        table = np.zeros((3, columns))
        table[row - 1, 0] += 1
        return table

    compiled = weft.function(first_of_row)
    np.testing.assert_array_equal(compiled(1, 2), first_of_row(1, 2))
    np.testing.assert_array_equal(compiled(2, 3), first_of_row(2, 3))
    for row, axis in ((5, 0), (-4, 0), (1, 1), (4, 0)):
        with pytest.raises(IndexError, match=f"out of bounds for axis {axis}"):
            compiled(row, 0)

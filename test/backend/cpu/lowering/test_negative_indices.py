"""Indices that loops check may be negative, in bounds or not: the element or the error is NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import weft

LEAST = np.iinfo(np.int64).min
LARGEST = np.iinfo(np.int64).max


def counted(indices, n):
    counts = np.zeros(n, np.int64)
    for i in range(len(indices)):
        counts[indices[i]] += 1
    return counts


def binned(rows, columns, n, m):
    counts = np.zeros((n, m), np.int64)
    for i in range(len(rows)):
        counts[rows[i], columns[i]] += 1
    return counts


def chased(following, first):
    place, steps = first, 0
    while following[place] != place and steps < 50:
        place = following[place]
        steps += 1
    return place, steps


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8, np.uint64])
@pytest.mark.parametrize("n", [1, 7, 100])
def test_indices_of_both_signs_are_elements(dtype: type, n: int) -> None:
    least = 0 if np.dtype(dtype).kind == "u" else -n
    indices = np.random.default_rng(n).integers(least, n, 300).astype(dtype)
    compiled = weft.function(counted)
    assert np.array_equal(compiled(indices, n), counted(indices, n))
    assert np.array_equal(compiled(indices[::-2], n), counted(indices[::-2], n))


def outcome(function, *arguments):
    """What a call gives, or the first line of what it raises."""
    try:
        return repr(function(*arguments))
    except IndexError as error:
        return str(error).splitlines()[0]


@pytest.mark.parametrize("wrong", [100, -101, 199, -200, LEAST, LARGEST, LEAST + 100, LARGEST - 100])
def test_indices_out_of_bounds_are_told(wrong: int) -> None:
    indices = np.arange(-100, 100)
    indices[150] = wrong
    told = outcome(weft.function(counted), indices, 100)
    assert told == outcome(counted, indices, 100)
    assert "out of bounds" in told


@pytest.mark.parametrize("row", [0, 2, -3, 3, -4, 9])
@pytest.mark.parametrize("column", [0, 4, -5, 5, -6, 9])
def test_each_of_two_indices_has_its_own_extent(row: int, column: int) -> None:
    arguments = np.array([1, row, -1]), np.array([2, column, -2]), 3, 5
    assert outcome(weft.function(binned), *arguments) == outcome(binned, *arguments)


@pytest.mark.parametrize(
    "following", [[1, 2, 3, 3], [-1, 0, 1, -2], [1, -3, -2, 0], [5, 1, 2, 3], [-5, 1, 2, 3]]
)
def test_loops_follow_negative_indices(following: list[int]) -> None:
    links = np.array(following)
    compiled = weft.function(lambda links: int(chased(links, 0)[0]))
    assert outcome(compiled, links) == outcome(lambda links: int(chased(links, 0)[0]), links)


def interpolated(places, table):
    found = np.empty(len(places))
    for i in range(len(places)):
        k = places[i]
        if k >= len(table) - 1:
            found[i] = table[len(table) - 1]
        else:
            found[i] = table[k] + 10 * table[k + 1]
    return found


@pytest.mark.parametrize("wrong", [None, 9, 200, -11, LEAST, LARGEST])
def test_indices_behind_checked_ones(wrong: int | None) -> None:
    """From -1 the element behind is the first one, from -2 the last."""
    table = np.arange(10.0)
    places = np.concatenate([np.arange(-10, 10), np.arange(30) % 7 - 5])
    if wrong is not None:
        places[25] = wrong
    assert outcome(weft.function(interpolated), places, table) == outcome(interpolated, places, table)

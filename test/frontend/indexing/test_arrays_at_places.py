"""Lists of arrays, of which the one at a place that data say is written, or replaced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.differential import assert_same


def of_elements(n: Any, x: Any) -> Any:
    rows = [np.zeros(3), x, x * 2]
    rows[n][0] = 50
    rows[n - 1][1:] += 2
    rows[n].fill(n)
    return rows


def in_loops(n: Any, x: Any) -> Any:
    rows = [np.zeros(3) for _ in range(4)]
    for i in range(7):
        rows[i % 4][(i + n) % 3] += i
        if rows[n][0] > 3:
            rows[n][rows[n] > 4] = -1
    return rows


def under_names(n: Any, x: Any) -> Any:
    rows = [x, np.ones(3), x[::-1]]
    row = rows[n]
    row[0] = 5
    row += 1
    return rows, row + 0


def of_parts(n: Any, x: Any) -> Any:
    parts = [x[:2], x[1:]]
    parts[n][0] = 100
    part = parts[n % 2]
    part *= 2
    return x


def of_dicts(n: Any, x: Any) -> Any:
    named = {"a": x, "b": x + 1, "c": x * 3}
    named[["a", "b", "c"][n]][1] = 7
    return named


def replaced(n: Any, x: Any) -> Any:
    rows = [x, np.ones(3), x * 2]
    new = np.arange(3.0)
    rows[n] = new
    new[0] = 9
    rows[0] += 1
    rows[n - 1] = rows[n] * 2
    return rows, new


def updated(n: Any, x: Any) -> Any:
    rows = [x, np.ones(3), x * 2]
    first = rows[0]
    rows[n] += 1
    rows[n] *= first
    return rows, first


PROGRAMS = [of_elements, in_loops, under_names, of_parts, of_dicts, replaced, updated]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_arrays_at_places_of_lists_are_written(program: Callable[..., Any]) -> None:
    compiled = weft.function(program)
    for n in (0, 1, 2, -1):
        given, expected = np.arange(3.0) + 1, np.arange(3.0) + 1
        try:
            wanted = program(n, expected)
        except IndexError as error:
            with pytest.raises(IndexError, match=str(error)):
                compiled(np.int64(n), given)
            continue
        assert_same([compiled(np.int64(n), given), given], [wanted, expected])


def test_what_has_one_of_them_and_is_not_written_is_refused() -> None:
    @weft.function
    def f(n: Any, x: Any) -> Any:
        rows = [x, np.ones(3)]
        row = rows[n]
        x[0] = 4.0
        return row + 1

    with pytest.raises(weft.UnsupportedError, match="be one that was written since"):
        f(np.int64(0), np.zeros(3))


def test_of_many_arrays_none_is_written() -> None:
    @weft.function
    def f(n: Any) -> Any:
        rows = [np.zeros(2) for _ in range(65)]
        rows[n][0] = 1
        return rows

    with pytest.raises(weft.UnsupportedError, match="that a traced place finds in a list or NumPy array"):
        f(np.int64(3))

"""Arrays in lists that grow: compiled lists take copies, so that writing an array afterwards is refused."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.behaviour_harness import same


def _history(s, n):
    hist = []
    for i in range(n):
        s += i
        hist.append(s)
    return hist


def _rows(m, n):
    rows = []
    for i in range(n):
        rows.append(m[i])
        m[i] *= 2
    return rows


def _afterwards(x, n):
    items = []
    for _ in range(n):
        items.append(x)
    x[0] = 7
    return items


@pytest.mark.parametrize(
    ("function", "array"), [(_history, np.ones(3)), (_rows, np.ones((4, 3))), (_afterwards, np.ones(3))]
)
def test_writing_afterwards_is_refused(function, array):
    with pytest.raises(weft.UnsupportedError, match=r"is written to afterwards.*append a copy"):
        weft.function(function)(array, np.int64(3))


def test_copies_may_be_kept():
    def f(s, n):
        hist = []
        for i in range(n):
            s += i
            hist.append(s.copy())
        return hist

    same(f, *[(np.ones(3), np.int64(n)) for n in (0, 1, 5)])


def test_rows_of_an_array_that_was_written_before():
    def f(m, n):
        for i in range(n):
            m[i] *= 2
        rows = []
        for i in range(n):
            rows.append(m[i])
        return rows

    same(f, *[(np.ones((4, 3)), np.int64(n)) for n in (0, 4)])


def test_arrays_made_in_the_loop():
    def f(x, n):
        out = []
        for i in range(n):
            y = x * i
            y[0] = -1
            out.append(y)
        return out

    same(f, *[(np.ones(3), np.int64(n)) for n in (0, 4)])

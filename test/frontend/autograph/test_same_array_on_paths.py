"""An array that is the same on all paths that have it stays that array, and may be written later."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.behaviour_harness import same


def returned_early(n, y, x):
    for i in range(int(x[0]) + 3):
        if (x > y).all():
            return i, x
        y -= 1.0
    x += y
    return n, x


def converged(n, y, x):
    k = 0
    while k < n:
        if x.sum() > y:
            return k, x
        x += 1.0
        k += 1
    x[:] = 0.0
    return -1, x


def best_so_far(n, y, x):
    best = None
    for _ in range(int(x[0]) + 3):
        if x.sum() > y:
            best = x
        x += 1.0
    if best is None:
        return x, False
    best[0] = 100.0
    return x, best is x


def bound_on_one_path(n, y, x):
    if y > 0:
        held = x
    x += y
    if y > 0:
        held[0] = 100.0
    return x


def beside_a_number(n, y, x):
    held = (n, x) if y > 0 else (n + 1, x)
    x *= 3.0
    held[1][0] += held[0]
    return held, x


def view_that_was_there(n, y, x):
    tail, found = x[1:], None
    while n > 0:
        if tail.sum() > y:
            found = tail
            break
        x += 1.0
        n -= 1
    x[2] = -1.0
    return x if found is None else found


def kept_in_a_tuple(n, y, x):
    kept = (x, 0.0)
    for i in range(int(x[0]) + 3):
        if x.sum() < y:
            kept = (x, float(i))
        x += 1.0
    return kept


def list_bound_on_one_path(n, y, x):
    log = [x]
    if y > 0:
        held = log
    x += 1.0
    if y > 0:
        held.append(x * 2)
    return log, x * 2


PROGRAMS = (
    returned_early,
    converged,
    best_so_far,
    bound_on_one_path,
    beside_a_number,
    view_that_was_there,
    kept_in_a_tuple,
    list_bound_on_one_path,
)


@pytest.mark.parametrize("program", PROGRAMS)
def test_such_arrays_are_written(program):
    starts = ((3, 2.0), (3, -10.0), (5, 20.0), (0, 1.0))
    same(program, *((n, y, np.arange(4.0)) for n, y in starts), traces=None)


def test_the_array_is_the_callers():
    x = np.zeros(3)
    assert weft.function(converged)(2, -1.0, x)[1] is x


def test_another_array_on_a_path_is_itself():
    def program(x, y):
        held = x if x.sum() > y else x + 1
        x += 1.0
        return held * 2

    for y in (1.0, -1.0):
        given, expected = np.zeros(3), np.zeros(3)
        np.testing.assert_array_equal(weft.function(program)(given, y), program(expected, y))
        np.testing.assert_array_equal(given, expected)

"""Names that get their first value in the body of a `try`: bound where Python has them bound, and unbound elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from support.behaviour_harness import same


def with_else(a, i):
    try:
        v = a[i]
    except IndexError:
        return -1.0
    else:
        w = 2.0
    return v + w


def bound_before_and_in_else(a, i):
    w = 1.0
    try:
        v = a[i]
    except IndexError:
        return -1.0
    else:
        w = v
    return v + w


def handler_returns(a, i):
    try:
        v = a[i]
    except IndexError:
        return -1.0
    w = v * 2
    return v + w


def handler_binds(a, i):
    try:
        v = a[i]
    except IndexError:
        v = -1.0
        w = 2.0
    else:
        w = v * 2
    return v + w


def two_handlers_return(a, i):
    try:
        v = a[i]
        u = a[i + 1]
    except IndexError:
        return -1.0
    except ValueError:
        return -2.0
    return v + u


def in_a_loop(a, i):
    for k in range(3):
        try:
            v = a[i + k]
        except IndexError:
            break
        else:
            w = v * 2
        a[0] += v + w
    return a


def handler_returns_or_binds(a, i):
    try:
        v = a[i]
        u = a[i + 1]
    except IndexError:
        if i > 6:
            return -1.0
        u = v = 3.0
    return v + u


def handler_returns_or_not(a, i):
    try:
        v = a[i]
    except IndexError:
        if i > 6:
            return -1.0
    return v


def handler_continues(a, i):
    s = 0.0
    for j in range(4):
        try:
            v = a[i + j]
        except IndexError:
            continue
        s += v
    return s


def of_a_function_around(a, i):
    v = 1.0

    def inner():
        nonlocal v
        try:
            v = a[0] + 5
            w = a[i]
        except IndexError:
            return
        v += w

    inner()
    return v


def inside_of_finally(a, i):
    try:
        try:
            v = a[i]
        except IndexError:
            return -5.0
        z = a[i + 3]
    except IndexError:
        return v
    finally:
        a[0] += 1
    return v + z


def counts_in_a_loop_that_always_raises(a, i):
    try:
        left = 5
        while i < 5:
            left -= 1
            if left > i:
                a[0] += left
            raise ValueError(f"after {i}")
    except IndexError:
        return -1.0
    return a[0]


def counted_in_a_loop_that_always_raises(a, i):
    try:
        left = 5
        while i < 5:
            left -= 1
            if left > i:
                a[0] += left
            raise ValueError
    except ValueError:
        return left + a[0]
    return a[0]


PROGRAMS = [
    with_else,
    bound_before_and_in_else,
    handler_returns,
    handler_binds,
    two_handlers_return,
    in_a_loop,
    handler_returns_or_binds,
    handler_returns_or_not,
    handler_continues,
    of_a_function_around,
    inside_of_finally,
    counts_in_a_loop_that_always_raises,
    counted_in_a_loop_that_always_raises,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_a_try_binds(program):
    same(program, *[(np.arange(5.0), np.int64(i)) for i in (1, 3, 5, 7)], joined=True)

"""Variables of a function that functions in it read, where they have a value on some paths only."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.behaviour_harness import same
from weft.dialect.errors import UnsupportedError


def bound_on_a_path(n):
    def read():
        return v

    if n > 2:
        v = 3
    return read()


def bound_in_a_loop(n):
    for i in range(n):
        w = i * 2
    read = lambda: w + 1
    return read() if n != 7 else -1


def counter_of_a_loop(n):
    def read(a):
        return a

    for i in range(n):

        def read(a):  # noqa: F811
            return a + i

    return read(3)


def changed_within(n):
    def change():
        nonlocal t
        t += 1

    for i in range(n):
        t = i
        change()
    return t


def two_levels(n):
    for i in range(n):
        v = i

    def outer():
        def inner():
            return v + 1

        return inner() * 2

    return outer()


def deleted_on_a_path(n):
    v = n
    if n > 2:
        del v
    return (lambda: v)()


@pytest.mark.parametrize("n", [0, 1, 4, 7])
@pytest.mark.parametrize(
    "function",
    [bound_on_a_path, bound_in_a_loop, counter_of_a_loop, changed_within, two_levels, deleted_on_a_path],
)
def test_functions_read_what_may_be_unbound(function, n):
    same(function, np.int64(n))


def test_functions_with_attributes_made_in_loops_are_refused():
    @weft.function
    def f(n):
        total = 0
        while n > 0:
            n -= 1

            def count(a):
                count.n += 1
                return a + count.n

            count.n = 0
            total += count(n)
        return total

    with pytest.raises(
        UnsupportedError, match=r"another function with attributes of its own \(count\).*before the loop"
    ):
        f(np.int64(3))

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


def in_comprehensions(n):
    for i in range(n):
        first = i * 2
        if i > 2:
            break
    rows = [[a - first for a in range(2)] for _ in range(2)]
    return (
        rows,
        {k: first for k in range(2)},
        sum(a * first for a in rows[0]),
        any(a > first for a in rows[1]),
    )


def in_classes(n):
    if n > 0:
        v = n * 2

    class Held:
        start = v

        def late(self):
            return [v + k for k in range(2)]

    return Held.start, Held().late()


def in_methods(n):
    class Held:
        def late(self):
            return v + 1

    held = Held()
    if n > 1:
        v = n * 2
    return held.late()


def in_generators(n):
    def scaled():
        for i in range(3):
            yield i * k

    if n > 1:
        k = n + 3
    return list(scaled())


@pytest.mark.parametrize("n", [0, 1, 4, 7])
@pytest.mark.parametrize(
    "function",
    [
        bound_on_a_path,
        bound_in_a_loop,
        counter_of_a_loop,
        changed_within,
        two_levels,
        deleted_on_a_path,
        in_comprehensions,
        in_classes,
        in_methods,
        in_generators,
    ],
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

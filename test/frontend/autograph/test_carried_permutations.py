"""Arrays that change places in a loop: what the caller's arrays hold afterwards, as in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from support.behaviour_harness import same
from support.differential import assert_same

_RANDOM = np.random.default_rng(3)
_COUNTS = [np.int64(n) for n in (0, 1, 2, 3, 4, 7, 40)]


def _vector() -> np.ndarray:
    return _RANDOM.standard_normal(9)


@pytest.mark.parametrize("n", [*_COUNTS, 20, 41], ids=str)
def test_an_argument_and_a_copy_of_it(n):
    def heat(u, n):
        new = u.copy()
        for _ in range(n):
            new[1:-1] = u[1:-1] + 0.1 * (u[:-2] - 2 * u[1:-1] + u[2:])
            u, new = new, u
        return u

    same(heat, (_vector(), n))


@pytest.mark.parametrize("n", _COUNTS, ids=str)
def test_two_arguments(n):
    def leapfrog(u, v, n):
        for _ in range(n):
            v[1:-1] = u[:-2] + u[2:]
            u, v = v, u
        return u[3], v[2]

    same(leapfrog, (_vector(), _vector(), n))


@pytest.mark.parametrize("n", _COUNTS, ids=str)
def test_three_arguments_in_a_ring(n):
    def ring(a, b, c, n):
        for _ in range(n):
            a[0] += 1
            c[1] -= b[2]
            a, b, c = b, c, a
        return a

    same(ring, (_vector(), _vector(), _vector(), n))


@pytest.mark.parametrize("limit", [0.0, 3.0, 1e9])
def test_in_a_while_loop(limit):
    def grow(u, v, limit):
        while abs(u[4]) < limit:
            v[:] = u * 1.5
            u, v = v, u
        return v[0]

    same(grow, (_vector(), _vector(), np.float64(limit)))


def test_a_swap_on_one_path_only_is_refused():
    @weft.function
    def f(u, v, n):
        for i in range(n):
            v[0] = u[0] + 1
            if u[0] > 1:
                u, v = v, u
        return u

    with pytest.raises(
        weft.UnsupportedError, match=r"writes in place to '\w', which is an array.*make a copy"
    ):
        f(_vector(), _vector(), np.int64(3))


class Held:
    """Arrays of an object, of which others hold some, too."""

    def __init__(self) -> None:
        self.u, self.v = np.zeros(3), np.ones(3)
        self.items = [np.zeros(3)]
        self.others = [self.u, self.v, self.items[0]]


def swapped(held: Any, x: Any, n: Any) -> None:
    """Double buffers that are attributes."""
    for i in range(n):
        held.u += x * i
        held.u, held.v = held.v, held.u


def fresh_first(held: Any, x: Any, n: Any) -> None:
    """What is written is new in each iteration."""
    for _ in range(n):
        held.u = held.u * 0.5
        held.u += x
        held.items[0] = held.items[0] + x
        held.items[0] *= 2


@pytest.mark.parametrize("function", [swapped, fresh_first])
def test_attributes_change_places(function: Any) -> None:
    compare(function)


def compare(function: Any) -> None:
    compiled = weft.function(function)
    for count in (0, 1, 2, 3):
        ours, theirs, x = Held(), Held(), np.ones(3)
        assert_same(compiled(ours, x, np.int64(count)), function(theirs, x, count))
        for got, expected in zip(
            [ours.u, ours.v, *ours.items, *ours.others],
            [theirs.u, theirs.v, *theirs.items, *theirs.others],
            strict=True,
        ):
            np.testing.assert_array_equal(got, expected)


def rebound(held: Any, x: Any, n: Any) -> None:
    for _ in range(n):
        held.u += x
        held.u = held.u * 0.5


def rebound_item(held: Any, x: Any, n: Any) -> None:
    for _ in range(n):
        held.items[0] += x
        held.items[0] = held.items[0] * 0.5


def rebound_alias(held: Any, x: Any, n: Any) -> Any:
    u = held.u
    for _ in range(n):
        u += x
        u = u * 0.5
    return u


def taken_from_another(held: Any, x: Any, n: Any) -> None:
    for _ in range(n):
        held.u += x
        held.u = held.v


def taken_from_a_local(held: Any, x: Any, n: Any) -> Any:
    u, v = np.zeros(3), np.zeros(3)
    for _ in range(n):
        u += x
        u = v
    return u, v


def taken_from_an_argument(v: Any, x: Any, n: Any) -> Any:
    u = np.zeros(3)
    for _ in range(n):
        u += x
        u = v
    return u


def under_another_name(held: Any, x: Any, n: Any) -> None:
    for _ in range(n):
        held.others[0] += x
        held.u = held.u * 2


def rebound_in_a_branch(held: Any, x: Any, n: Any) -> None:
    if n > 3:
        held.u += x
        held.u = held.u * 2
    held.u += 1


@pytest.mark.parametrize(
    "function",
    [rebound, rebound_item, rebound_alias, taken_from_another, taken_from_a_local, rebound_in_a_branch],
)
def test_arrays_are_written_before_others_take_their_names(function: Any) -> None:
    """The first iteration writes to those from before the loop."""
    compare(function)


def test_arrays_that_become_an_argument_are_written() -> None:
    compiled = weft.function(taken_from_an_argument)
    for count in (0, 1, 3):
        ours, theirs, x = np.zeros(3), np.zeros(3), np.ones(3)
        assert_same(compiled(ours, x, np.int64(count)), taken_from_an_argument(theirs, x, count))
        assert_same(ours, theirs)


@pytest.mark.parametrize("function", [under_another_name])
def test_arrays_that_are_written_under_other_names_are_refused(function: Any) -> None:
    """Which array is written depends on the iteration, and others see those from before the loop."""
    held = Held()
    with pytest.raises(weft.UnsupportedError, match=r"this (loop )?(writes|reads)"):
        weft.function(function)(held, np.ones(3), np.int64(4))
    np.testing.assert_array_equal(held.others, Held().others)

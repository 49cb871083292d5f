"""Arrays that change places in a loop: what the caller's arrays hold afterwards, as in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

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


def test_an_argument_that_is_written_and_then_replaced_is_refused():
    @weft.function
    def f(u, n):
        for _ in range(n):
            u[0] = 1
            u = u * 2
        return u

    with pytest.raises(weft.UnsupportedError, match="in some iterations and another one in others"):
        f(_vector(), np.int64(3))

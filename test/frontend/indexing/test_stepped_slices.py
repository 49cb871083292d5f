"""`x[start:stop:step]` with a step that is known when the program runs: a view, as in NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import weft
from support.differential import check

STEPS = (-9, -2, -1, 1, 2, 3, 9)


@pytest.mark.parametrize("size", [0, 1, 2, 7])
def test_all_bounds(size):
    def f(x, start, stop, step):
        return x[start:stop:step], x[::step], x[start::step], x[:stop:step][::-1]

    compiled = weft.function(f)
    x = np.arange(float(size))
    for start, stop, step in itertools.product((-9, -1, 0, 2, 9), (-9, -2, 0, 3, 9), STEPS):
        found = compiled(x, np.int64(start), np.int64(stop), np.int64(step))
        for got, expected in zip(found, f(x, start, stop, step), strict=True):
            np.testing.assert_array_equal(got, expected)


@pytest.mark.sampled
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("size", [1, 2, 8])
def test_a_view_is_written_and_sees_writes(size, step):
    def f(x, step):
        view = x[1::step]
        x[::step] = 5
        x[::-step] += np.arange(x[::-step].size)
        view *= 2
        x[0] = -1
        return x, view

    check(f, np.arange(float(size)), np.int64(step))


@pytest.mark.parametrize("step", STEPS)
def test_beside_other_indices(step):
    def f(z, step):
        z[1, ::step] = 7
        z[..., ::step] *= 2
        rows = z[::step]
        z[0, 0] = 100
        more = z[None, ::step, 1], z[z[:, 0] > 3, ::step], z[[0, 1], ::step]
        return z, rows, z[::step, ::-step], *more

    check(f, np.arange(24.0).reshape(4, 6), np.int64(step))


def test_the_sieve():
    def primes(n):
        is_prime = np.ones(n + 1, bool)
        is_prime[:2] = False
        i = 2
        while i * i <= n:
            if is_prime[i]:
                is_prime[i * i :: i] = False
            i += 1
        return np.flatnonzero(is_prime)

    compiled = weft.function(primes)
    for n in (1, 2, 3, 30, 1000):
        np.testing.assert_array_equal(compiled(np.int64(n)), primes(n))


@pytest.mark.parametrize(
    ("step", "error", "match"),
    [
        (np.int64(0), ValueError, "^slice step cannot be zero"),
        (np.float64(1), TypeError, "slice indices must be integers or None or have an __index__ method"),
        (np.ones(2, int), TypeError, "only integer scalar arrays can be converted to a scalar index"),
    ],
)
def test_what_is_no_step(step, error, match):
    with pytest.raises(error, match=match):
        weft.function(lambda x, step: x[::step])(np.arange(3), step)


def test_what_is_no_bound_beside_a_step():
    with pytest.raises(TypeError, match="slice indices must be integers or None or have an __index__ method"):
        weft.function(lambda x, step: x[1.5::step])(np.arange(3), np.int64(1))

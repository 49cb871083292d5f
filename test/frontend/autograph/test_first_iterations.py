"""Loops that write to an array from before them, and then give its name to another: the first iteration alone does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.differential import assert_same
from support.interpreted import interpreted

X, V = np.arange(4.0), np.ones(4)


def counted(x: Any, v: Any, n: Any) -> Any:
    for _ in range(n):
        x += v * 0.5
        x = x % 3.0
    return x


def counted_by_while(x: Any, v: Any, n: Any) -> Any:
    i = 0
    while i < n:
        x += v * 0.5
        x = x % 3.0
        i += 1
    else:
        i += 10
    return x, i


def leapfrog(x: Any, v: Any, n: Any) -> Any:
    energies = []
    for _ in range(n):
        v -= x * 0.1
        x += v * 0.5
        x = np.where(x > 2, x - 2, x)
        energies.append(x.max())
    return x, v, energies


def left(x: Any, v: Any, n: Any) -> Any:
    for i in range(n):
        x += v * (i + 1)
        x = x % 3.0
        if x.sum() > 4:
            break
    else:
        v = v + 1
    return x, v


def exchanged(x: Any, v: Any, n: Any) -> Any:
    for _ in range(n):
        x[0] += 1
        x = v
    return x


class Particles:
    def __init__(self) -> None:
        self.x, self.v = np.arange(4.0), np.ones(4)

    def step(self) -> None:
        self.x += self.v * 0.1
        self.x = self.x % 3


def stepped(x: Any, v: Any, n: Any) -> Any:
    particles = Particles()
    for _ in range(n):
        particles.step()
    return particles.x


@pytest.mark.sampled
@pytest.mark.parametrize("function", [counted, counted_by_while, leapfrog, left, exchanged, stepped])
@pytest.mark.parametrize("n", [np.int64(0), np.int64(1), np.int64(3), 40])
def test_the_first_iteration_writes_to_what_was_there(function: Callable[..., Any], n: Any) -> None:
    given, found = (X.copy(), V.copy()), (X.copy(), V.copy())
    expected = function(*given, n)
    assert_same(interpreted(function)(*found, n), expected)
    assert_same(found, given)


def test_state_of_objects_is_written_in_the_first_iteration() -> None:
    def run(particles: Any, n: Any) -> Any:
        for _ in range(n):
            particles.step()
        return particles.x.sum()

    one, other = Particles(), Particles()
    begun = one.x, other.x
    compiled = interpreted(run)
    for n in (2, 3, 0):
        assert_same(compiled(other, np.int64(n)), run(one, np.int64(n)))
        assert_same(other.x, one.x)
    assert_same(begun[1], begun[0])


@pytest.mark.parametrize("n", [0, 1, 3])
def test_a_loop_that_is_never_unrolled_may_have_no_iteration(n: int) -> None:
    def run(x: Any) -> Any:
        total = x
        for i in weft.range(n):
            total += i + 1
            total = total % 3
        return total, x

    assert_same(interpreted(run)(X.copy()), run(X.copy()))

"""What loops in loops carry may change places where its size, which the outer loop decides, is bounded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft

X = np.random.default_rng(0).random(12)


def swapped(x: Any, n: Any) -> Any:
    s = 0.0
    for i in range(n):
        y = x[: i % 12 + 1]
        z = np.cos(y)
        for _ in range(i):
            y, z = np.sin(z) + y, y * 0.5
        s = s + np.sum(y * y) + z[0]
    return s


def in_a_circle(x: Any, n: Any) -> Any:
    s = 0.0
    for i in range(n):
        y = x[: i % 12 + 1] + 1
        z = np.cos(y)
        w = z * 2
        for _ in range(i):
            y, z, w = z, w, y[::-1] * 0.9 + np.sum(z) * 0.01
        s = s + np.sum(y * w) + z[0]
    return s


def until_data_says_so(x: Any, n: Any) -> Any:
    s = 0.0
    for i in range(n):
        y = x[: i % 12 + 1] + 1
        z = np.cos(y)
        while np.sum(y) > 1:
            y, z = y * 0.5 + z * 0.25, np.roll(y, 1) * 0.5
        s = s + np.sum(y * z)
    return s


def in_spare_memory(x: Any, n: Any) -> Any:
    """A step that cannot be made where its operand lies."""
    s = 0.0
    for i in range(n):
        y = x[: i % 12 + 1] + 1
        for _ in range(20):
            y = np.cos(np.cumsum(y)) + np.cos(y)
        s = s + np.sum(y * y)
    return s


def of_two_bounds(x: Any, n: Any) -> Any:
    """Parts whose sizes have nothing to do with each other take each other's place."""
    s = 0.0
    for i in range(n):
        y = x[: i % 12 + 1 : 2]
        z = x[i % 5 :: -1] * 2
        for _ in range(i % 4 + 1):
            y, z = z, y[::-1]
        s = s + np.sum(y) * 2 + np.sum(z)
    return s


def sorted_and_listed(x: Any, n: Any) -> Any:
    s, items = 0.0, []
    for i in range(n):
        y = x[i % 3 : i % 3 + i % 9 + 1] + 1
        z = np.sort(y)[::-1] * 0.5
        for _ in range(i % 5):
            if np.sum(y) > 1:
                y, z = z * np.dot(y, z) * 0.01, np.concatenate([y[1:], z[:1]])
            y = y + 0
            y[::2] *= 0.5
            items.append(y[0])
        s = s + np.sum(y * z)
    for item in items:
        s = s + item
    return s


def of_a_call(x: Any, n: Any) -> Any:
    if n > 3:
        return of_a_call(x + 1, n - 3)
    return of_two_bounds(x, n) + in_a_circle(x, n)


PROGRAMS = [
    swapped,
    in_spare_memory,
    in_a_circle,
    until_data_says_so,
    of_two_bounds,
    sorted_and_listed,
    of_a_call,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_parts_of_bounded_sizes(program: Any) -> None:
    compiled = weft.function(program)
    for n in (0, 1, 7, 30):
        np.testing.assert_allclose(compiled(X, np.int64(n)), program(X, n), rtol=1e-12)


def test_parts_of_more_than_a_slot_keeps() -> None:
    def large(x: Any, n: Any) -> Any:
        last, s = x * 1, 0.0
        for i in range(n):
            y = x[: i % 9000 + 8500]
            z = y * 0.5
            for _ in range(i % 4):
                y, z = z[::-1] + y, y
            s = s + np.sum(y) * 2 + np.sum(z)
            last = z
        return last, s

    x = np.random.default_rng(0).random(9000)
    compiled = weft.function(large)
    for n in (0, 1, 7):
        for found, wanted in zip(compiled(x, np.int64(n)), large(x, n), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-12)

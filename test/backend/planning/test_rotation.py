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


@pytest.mark.parametrize("program", [swapped, in_spare_memory, in_a_circle, until_data_says_so])
def test_parts_of_bounded_sizes(program: Any) -> None:
    compiled = weft.function(program)
    for n in (0, 1, 7, 30):
        np.testing.assert_allclose(compiled(X, np.int64(n)), program(X, n), rtol=1e-12)

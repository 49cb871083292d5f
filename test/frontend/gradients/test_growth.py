"""Programs that work element by element, and their gradients, take time in proportion to their length."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import weft


def written(x: Any) -> Any:
    """Reads and writes of elements, swaps, slices of a table that is filled."""
    p, s = np.zeros_like(x), 0.0
    for i in range(1, len(x)):
        old = p[i]
        p[i] = x[i] * np.sum(p[i - 1 : i]) + x[i - 1]
        p[i - 1], p[i] = p[i] * 0.5, p[i - 1]
        s = s * 0.5 + p[i - 1] * old
    return s + np.sum(p * p)


def appended(x: Any) -> Any:
    """A list that grows."""
    out = []
    for i in range(len(x)):
        out.append(np.sin(x[i]))
    return np.sum(np.stack(out) ** 2)


def seconds(function: Any, n: int) -> float:
    """The least processor time of a call on n elements."""
    x, best = np.full(n, 0.5), np.inf
    function(x)
    for _ in range(5):
        start = time.process_time_ns()
        function(x)
        best = min(best, time.process_time_ns() - start)
    return best


@pytest.mark.processor  # the emulator takes a millisecond for an element
@pytest.mark.parametrize("make", [weft.function, weft.grad], ids=["forward", "reverse"])
@pytest.mark.parametrize("program", [written, appended])
def test_time_grows_as_the_length(make: Any, program: Any) -> None:
    function = make(program)
    assert seconds(function, 40_000) < 9 * seconds(function, 10_000)  # four times as long; quadratic: sixteen

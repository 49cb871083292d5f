"""Sums of nothing are the int 0 where branches join them with floats, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from support.behaviour_harness import same


def floats(x: Any, n: Any) -> Any:
    found = []
    for i in range(n):
        found.append(float(x[i]))
    return found


def replaced_on_a_path(x: Any, n: Any) -> Any:
    total = sum(floats(x, n))
    if n > 3:
        total = 2.0
    return total, total + 1, -total, isinstance(total, int)


def computed_on_a_path(x: Any, n: Any) -> Any:
    total = 1.0
    if n < 3:
        total = sum(floats(x, n))
    return total * 2


def of_a_generator(x: Any, n: Any) -> Any:
    total = sum(float(x[i]) for i in range(n))
    if total > 2:
        total = 2.0
    held = np.zeros(3)
    for i in range(3):
        held[i] = total * i
    return total, held, x * total


def added_on_a_path(x: Any, n: Any) -> Any:
    total = 0
    for i in range(n):
        total += x[i]
    if n > 2:
        for i in range(n):
            total += x[i]
        total /= n
    found = []
    for _ in range(3):
        found.append(total)
    return total, found


def returned_on_a_path(x: Any, n: Any) -> Any:
    total = 0
    for value in x[:n]:
        total += value
    if n > 3:
        return total
    if n > 1:
        total = total + 1
    return total * 2


def largest(x: Any, n: Any) -> Any:
    best = max(floats(x, n), default=0)
    if n > 2:
        best = best * 2
    return best, best + 1


PROGRAMS = [
    replaced_on_a_path, computed_on_a_path, of_a_generator, added_on_a_path, returned_on_a_path, largest
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_sums_that_may_be_empty(program: Callable[..., Any]) -> None:
    for n in (0, 2, 4):
        same(program, (np.arange(5.0), np.int64(n)))

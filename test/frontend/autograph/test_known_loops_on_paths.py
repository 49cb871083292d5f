"""Loops on known values in branches that are not taken, where Python never finds out that they do not end."""

from __future__ import annotations

import itertools
import sys
from typing import Any

import numpy as np
import pytest

import weft
from support.behaviour_harness import same
from weft.frontend.autograph.operators.statements.statements import while_

X = np.arange(1.0, 5.0)


def halved_to_one(x: Any) -> Any:
    n, steps = 6, 0
    if x[0] < 0:
        n = 0  # for which the loop has no end
    if x[0] > 0 or n == 6:
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
    return n, steps


def of_zero(x: Any) -> Any:
    n, steps = 0, 0
    if x[0] < 0:
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
    return n, steps


def for_ever(x: Any) -> Any:
    k = 0
    if x[0] < 0:
        while True:
            k += 1
    return k


def of_items(x: Any) -> Any:
    items = [1]
    if x[0] < 0:
        while items:
            items.append(items.pop() + 1)
    return items


def counted(x: Any) -> Any:
    total = 0
    if x[0] < 0:
        for k in itertools.count():
            if k == -1:
                break
            total += k
    return total


def in_a_loop(x: Any) -> Any:
    total = 0
    for _ in range(int(x[0]) - 1):
        n = 5
        while n != 0:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
        total += n
    return total


def long(x: Any) -> Any:
    """One that ends, behind more iterations than are made before it is recorded."""
    n, total = 0, 0
    if x[0] > 1:
        while n < 7000:
            n += 2
            total += n
    return n, total


PROGRAMS = [halved_to_one, of_zero, for_ever, of_items, counted, in_a_loop]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_loops_that_would_not_end_are_recorded(program: Any) -> None:
    same(program, (X,))


def test_loops_that_end_give_what_they_give() -> None:
    same(long, (X,), (X * 2,))


def test_what_cannot_be_recorded_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    statements = sys.modules[while_.__module__]
    monkeypatch.setattr(statements, "MOST_ITEMS", 100)

    def program(x: Any) -> Any:
        total = 0
        if x[0] < 0:
            for value in iter(lambda: 1, 0):
                total += value
        return total

    with pytest.raises(weft.TraceSizeError, match="100 iterations with values that are known while tracing"):
        weft.function(program)(X)

"""Conditions of single threads, or of all that take the same way."""

from __future__ import annotations

from collections.abc import Callable

from ....dialect.mlir import Value
from ...nests.emit import Branch as Branch
from ...nests.emit import compare as compare
from ...nests.emit import create, scalar, while_loop
from ...nests.emit import only_if as only_if
from ...nests.emit import otherwise as otherwise


def first_without(holds: Callable[[Value], Value], start: Value, end: Value) -> Value:
    """The first number from `start` to `end` of which something does not hold, which holds of all before it."""

    def halved(low: Value, high: Value) -> list[Value]:
        one = scalar(low.type, 1)
        middle = create("arith.shrui", [low.type], [create("arith.addi", [low.type], [low, high]), one])
        is_held = holds(middle)
        behind = create("arith.addi", [low.type], [middle, one])
        bounds = [(behind, low), (high, middle)]
        return [create("arith.select", [low.type], [is_held, *pair]) for pair in bounds]

    return while_loop([start, end], lambda low, high: [compare("ult", low, high), low, high], halved)[0]

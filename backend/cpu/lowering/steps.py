"""How many operations ops of structured loops execute, as far as the constants in them tell."""

from __future__ import annotations

import math

from ....dialect.mlir import Operation
from ....passes.rewriting import constant_integer


def steps_of(op: Operation) -> float:
    """How many operations an op executes, itself included; infinitely many if that is not known."""
    inside = [inner.operation for region in op.regions for block in region for inner in block.operations]
    return 1 + in_rounds(trips_of(op), sum(map(steps_of, inside)))


def in_rounds(rounds: float, steps: float) -> float:
    """What so many rounds of so many operations are; no round, or nothing to do in each, is nothing."""
    return rounds * steps if rounds and steps else 0


def trips_of(op: Operation) -> float:
    """How many rounds a loop makes, infinitely many if that is not known; 1 for any other op."""
    if op.name == "scf.while":
        return math.inf
    if op.name != "scf.for":
        return 1
    bounds = [constant_integer(value) for value in list(op.operands)[:3]]
    start, stop, step = bounds
    if start is None or stop is None or step is None or step <= 0:
        return math.inf
    return max(0, -((start - stop) // step))

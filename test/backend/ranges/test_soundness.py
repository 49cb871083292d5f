"""Comparisons that ranges decide are what they were decided to be, in every run of random functions on integers."""

from __future__ import annotations

import contextlib
import itertools

import pytest

from support.outcomes import seeds
from support.random_integers import EDGES, Interpreter, Writer, wrapped
from weft.backend.ranges.interval import everything
from weft.backend.ranges.program import Numbering
from weft.backend.ranges.walk import Steps, TooLongError, Walk
from weft.dialect.mlir import Operation, ir
from weft.dialect.register import context

IN_BATCH = 10
SEEDS = seeds(10)


def decided_in(function: Operation) -> dict[Operation, bool]:
    program = Numbering(function)
    found: dict[Operation, bool] = {}
    walk = Walk(program, Steps(), lambda *_: None, found.__setitem__)
    with contextlib.suppress(TooLongError):
        walk.over([everything(width) for width in program.widths[:3]], is_last=True)
    return found


@pytest.mark.parametrize("first", SEEDS[::IN_BATCH])
def test_decided_comparisons_are_right(first: int) -> None:
    checked = 0
    for seed in range(first, min(first + IN_BATCH, SEEDS.stop)):
        text = Writer(seed).function()
        with context(), ir.Location.unknown():
            module = ir.Module.parse(text)
            function = module.body.operations[0].operation
            found = decided_in(function)
            interpreter = Interpreter()
            some = [EDGES[(seed + k) % len(EDGES)] for k in (0, 5, 11)]
            for a, b in itertools.product(some, (0, 3, -2, 2**63 - 1)):
                interpreter.fuel = 3000
                interpreter.run(function, [a, b, wrapped(a + b, 8)])
        for operation, holds in found.items():
            assert interpreter.seen[operation] <= {holds}, f"seed {seed}: {operation} in\n{text}"
            checked += bool(interpreter.seen[operation])
    assert checked > 0 or len(SEEDS) < IN_BATCH

"""How many rows a loop over time works on at once, and for how many steps, so that they stay in a cache.

Bands follow each other so closely that what one leaves behind the next one finds there: a row comes from further away
once for all steps of a round, and only rows that are new to a band come at all. That pays where rows would come from
memory otherwise: 38 half steps of a stencil of five points take 33 ms instead of 60 on two arrays of 1400x1400 doubles,
which are beyond the last level, but 7.6 ms instead of 6.4 on 700x700, which are in it (Zen 4).
"""

from __future__ import annotations

import math
from typing import Any

from .....dialect.mlir import Operation
from .....dialect.records import NamedTuple
from ....target import processor
from ..vectors.temporaries import element_bytes
from .steps import Shifts, Steps, has_rows, shifts_of

_FILLED = 0.8
"""How much of the second-level cache the rows of a band may fill."""
_LEAST_ELEMENTS = 4096
"""What a statement computes at a time, at least, if the cache has room for it: it is a call."""
_LEAST_STEPS, _MOST_STEPS = 4, 64


class Bands(NamedTuple):
    """Rows that are new to a band, and the steps that are taken on it."""

    rows: int
    steps: int
    shifts: Shifts


def is_beyond_caches(loop: Operation) -> bool:
    """Whether the tensors that a loop carries are larger than what a core has of the last level."""
    last_level = processor().last_level_cache // processor().last_level_cores
    types = [result.type for result in loop.results if has_rows(result)]
    return sum(int(type.shape[0]) * _row_bytes(type) for type in types) > last_level


def best_bands(steps: Steps) -> Bands | None:
    """Bands that fit the second-level cache; None where there are none."""
    shifts = shifts_of(steps.statements)
    types = [argument.type for argument in steps.carried]
    width = max(math.prod(steps.carried[statement.place].type.shape[1:]) for statement in steps.statements)
    reach = max(shifts.within) - min(shifts.within) + 2
    room = int(processor().second_level_cache * _FILLED) // sum(map(_row_bytes, types)) - reach
    rows = -(-_LEAST_ELEMENTS // width)
    while rows >= 1:
        depth = min((room - rows) // max(shifts.step, 1), _MOST_STEPS)
        if depth >= _LEAST_STEPS:
            return Bands(rows, depth, shifts)
        rows //= 2
    return None


def _row_bytes(type: Any) -> int:
    return int(math.prod(type.shape[1:]) * element_bytes(type.element_type))

"""How long one thread takes for what it does one step after the other, as far as extents of loops tell."""

from __future__ import annotations

import math

from ....dialect.mlir import Operation, Type, ir
from ....passes.rewriting import constant_integer, operations_directly_in
from ...planning.shapes import static_shape
from ...target import gpu_figures, processor
from .trip_costs import LONG

MOST_STEPS = 4096
"""So much is left to one thread: below a tenth of a millisecond, which copies to the host and back take, too."""


EXPECTED_TURNS = "weft.expected_turns"
"""The attribute of a loop that has so many turns on average: where data decides, or where it is hardly ever come to."""


def is_better_on_host(steps: float, work: float, size: int) -> bool:
    """Whether so many operations behind each other take the device long, and the host less.

    The host does all the `work` behind each other, and copies arrays of so many bytes.
    """
    figures = gpu_figures()
    seconds = steps * figures.step
    host = work * processor().step_seconds + figures.seconds_of_trip(size)
    return seconds > LONG and seconds > host


def steps_of_one_thread(op: Operation) -> int | None:
    """How many operations run, one after the other; None where only data tells."""
    total = 0
    for inner in operations_directly_in(op):
        steps = steps_of_one_thread(inner)
        if steps is None:
            return None
        total += 1 + steps
    count = turns(op)
    return None if count is None else count * total


def known_bytes(type: Type) -> int:
    """The bytes of an array, as if extents that are not known were 1."""
    width = type.element_type.width if hasattr(type.element_type, "width") else 128
    return math.prod(extent or 1 for extent in static_shape(type)) * int(width) // 8


def turns(op: Operation) -> int | None:
    """How often the regions of an operation run."""
    if EXPECTED_TURNS in op.attributes:
        return int(op.attributes[EXPECTED_TURNS].value)
    if op.name == "scf.while":
        return None
    if op.name == "scf.for":
        first, last, step = map(constant_integer, list(op.operands)[:3])
        if first is None or last is None or step is None:
            return None
        return max(0, -(-(last - first) // step))
    if op.name.startswith("linalg."):
        return _points(op)
    return 1


def _points(nest: Operation) -> int | None:
    """The points of a loop nest: no operand has more elements, but for products."""
    shapes = [static_shape(v.type) for v in nest.operands if isinstance(v.type, ir.ShapedType)]
    sizes = [None if None in shape else math.prod(extent or 0 for extent in shape) for shape in shapes]
    known = [size for size in sizes if size is not None]
    return max(known, default=1) if len(known) == len(sizes) else None

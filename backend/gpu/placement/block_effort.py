"""How long a block takes for what its threads share, as far as extents tell."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from ....dialect.mlir import Operation
from ....passes.rewriting import operations_in
from ...nests.iterations import perfect_nest
from ...nests.nest import loop_nest
from ...planning.shapes import static_shape
from .effort import steps_of_one_thread, turns

BARRIER = 2
"""A barrier takes as long as so many operations."""
_COMBINE = 16
"""And so long take threads for what they have made to become one number."""


def points_of(op: Operation) -> int | None:
    """How many points of a nest, or iterations of loops, there are for threads; None where that is not known."""
    if op.name == "scf.for":
        counts = [turns(loop) for loop in perfect_nest(op)]
        known = [count for count in counts if count is not None]
        return math.prod(known) if len(known) == len(counts) else None
    extents = _extents(op)
    if extents is None:
        return None
    parallel = [extent for extent, is_parallel in extents if is_parallel]
    return math.prod(parallel) if parallel else math.prod(extent for extent, _ in extents)


def _extents(nest: Operation) -> list[tuple[int, bool]] | None:
    """The extents of a nest, and whether points along them are independent."""
    if any(None in static_shape(v.type) for v in nest.operands if hasattr(v.type, "shape")):
        return None
    found = loop_nest(nest)
    known = [extent for extent in found.extents if isinstance(extent, int)]
    return list(zip(known, found.parallel, strict=True))


def steps_of_block(
    ops: Iterable[Operation], is_shared: Callable[[Operation], bool], threads: int
) -> int | None:
    """How many operations a thread does, one after the other; None where only data tells."""
    total = 0
    for op in ops:
        steps = _shared_steps(op, threads) if is_shared(op) else _walked_steps(op, is_shared, threads)
        if steps is None:
            return None
        total += steps
    return total


def _shared_steps(op: Operation, threads: int) -> int | None:
    points = points_of(op)
    if points is None:
        return None
    rounds = -(-points // threads)
    if op.name == "linalg.generic":
        extents = _extents(op) or []
        is_whole = not any(is_parallel for _, is_parallel in extents)
        each = math.prod(extent for extent, is_parallel in extents if not is_parallel) if not is_whole else 1
        work = len(operations_in(op.regions[0].blocks[0])) + len(list(op.operands))
        return rounds * each * work + BARRIER + (_COMBINE if is_whole else 0)
    *_, innermost = perfect_nest(op)
    inside = [steps_of_one_thread(inner) for inner in operations_in(innermost.regions[0].blocks[0])]
    known = [steps for steps in inside if steps is not None]
    return rounds * (len(inside) + sum(known)) + BARRIER if len(known) == len(inside) else None


def _walked_steps(op: Operation, is_shared: Callable[[Operation], bool], threads: int) -> int | None:
    count, total = turns(op), 1
    for block in (block for region in op.regions for block in region):
        steps = steps_of_block(operations_in(block), is_shared, threads)
        if steps is None:
            return None
        total += steps
    return None if count is None else count * total

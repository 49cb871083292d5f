"""Which loop nests of a kernel run in one loop.

A softmax over rows is six nests over the same rows: run row by row, the row stays in the first-level cache
and its temporaries are one row long. Two nests may share the loop over a dimension when everything that one
writes and the other touches is addressed by that dimension along the same axis: then an iteration only meets
its own data.
"""

from __future__ import annotations

from collections.abc import Sequence

from .....passes.notes import fields, note, place_of, wanted
from ....nests.emit import Emitter
from ....nests.extents import same_extent
from ....nests.independence import IndependentNests, any_order
from ....nests.nest import LoopNest
from . import lagging_rows, lagging_stores
from .prefetch import prefetch_next_row
from .schedule import emit_loops


def emit_nests(nests: list[LoopNest], emitter: Emitter) -> None:
    """Write nests that follow each other as loops, sharing loops where that is allowed and pays."""
    while nests:
        if len(nests) > 1 and _emit_in_place(nests[0], nests[1], emitter):
            nests = nests[2:]
            continue
        count = _fusable_prefix(nests)
        group, nests = nests[:count], nests[count:]
        if count == 1:
            with group[0].operation.location:
                emit_loops(group[0], emitter)
            continue
        dims = [nest.free_dims()[0] for nest in group]
        extent, parallel = group[0].extents[dims[0]], any_order(group, dims)
        with group[0].operation.location, emitter.loop(extent, parallel=parallel) as position:
            for nest, dim in zip(group, dims, strict=True):
                nest.fixed[dim] = position
            if wanted():
                _note_rows(group)
            prefetch_next_row(group, dims, position, emitter)
            emit_nests(group, emitter)


def _note_rows(group: Sequence[LoopNest]) -> None:
    """Note that nests share an outer loop."""
    own, *others = dict.fromkeys(place_of(nest.operation.location) for nest in group)
    if others:
        reason = (
            f"runs row by row with {fields(len(others))}, so that what goes between them stays in the cache"
        )
        note("rows", own, reason, *others)


def _emit_in_place(nest: LoopNest, copy: LoopNest, emitter: Emitter) -> bool:
    """Write a nest and the copy of its result over what it read as one loop, where that is possible."""
    location, operations = nest.operation.location, (nest.operation, copy.operation)
    vectors = lagging_stores.match_lagging_stores(nest, copy, emitter)
    rows = lagging_rows.match_lagging_rows(nest, copy, emitter) if vectors is None else None
    with location:
        if vectors is not None:
            vectors.emit()
            for operation in operations:
                operation.erase()
        elif rows is not None:
            rows.emit()
    return vectors is not None or rows is not None


def _fusable_prefix(nests: Sequence[LoopNest]) -> int:
    """How many of the first nests can share the loop over their next dimension."""
    together = IndependentNests()
    count = 1
    if not _may_lead(nests[0]) or not together.join(nests[0], nests[0].free_dims()[0]):
        return count
    while count < len(nests) and _joins(nests[:count], together, nests[count]):
        count += 1
    return count


def _may_lead(nest: LoopNest) -> bool:
    """Whether the next dimension of a nest is parallel, and not the one that should run innermost."""
    free = nest.free_dims()
    if not free or not nest.parallel[free[0]] or nest.extents[free[0]] == 1:
        return False
    remaining = [dim for dim in free if nest.extents[dim] != 1]
    return len(remaining) < 2 or nest.innermost() != free[0]


def _joins(group: Sequence[LoopNest], together: IndependentNests, nest: LoopNest) -> bool:
    if not _may_lead(nest):
        return False
    dim = nest.free_dims()[0]
    if len(nest.free_dims()) == 1 and nest.is_copy() and all(earlier.is_copy() for earlier in group):
        return False  # vectors that are copied one after the other: together, LLVM would have to make vector code
    if not any(same_extent(earlier, earlier.free_dims()[0], nest, dim) for earlier in group):
        return False
    return together.join(nest, dim)

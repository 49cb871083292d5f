"""Loops for a nest: vector code where it is contiguous, else scalar code that LLVM may vectorise.

The dimension that is contiguous in memory runs innermost. Reductions carry their accumulators in registers
where they run innermost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from .....dialect.mlir import Operation, Value, ir
from .....passes.notes import note, wanted
from ....nests.emit import Emitter, ForLoop, Index, load, store
from ....nests.independence import any_order
from ....nests.nest import LoopNest, nested
from .loop_notes import note_form
from .strided_loops import match_strided_loop
from .transposed_loops import match_transposed_loops
from .vector_loops import VectorLoop, match_vector_loop

BLOCK_COLUMNS = 2048
"""Columns of an accumulator row that stay in the first-level cache while rows are added to it."""

TRANSPOSE_TILE = 32
"""Edge of the tiles in which an array is read along one axis and written along another."""


def emit_loops(nest: LoopNest, emitter: Emitter) -> None:
    """Write the free dimensions of a nest as loops at the insertion point."""
    order = nest.loop_order()
    carried = _trailing_reductions(nest, order)
    squares = match_transposed_loops(nest, order, emitter)
    if squares is not None:
        note("vector", nest.operation.location, "is transposed in squares of vectors")
        squares.emit()
        nest.operation.erase()
        return
    vector_loop, inside = _vector_form(nest, order, carried, emitter)
    if wanted():
        note_form(nest, order, vector_loop)
    with _loops_over_tiles(nest, emitter, _tile_sizes(nest, order)) as bounds:
        if vector_loop is not None:
            with _loops(nest, emitter, order[: len(order) - inside], bounds):
                vector_loop.emit(bounds.get(order[-1]))
        else:
            with _loops(nest, emitter, order[: len(order) - len(carried)], bounds):
                _emit_reductions(nest, emitter, carried)
    if vector_loop is not None:
        nest.operation.erase()


def _vector_form(
    nest: LoopNest, order: Sequence[int], carried: Sequence[int], emitter: Emitter
) -> tuple[VectorLoop | None, int]:
    """The vector form of the innermost loops, where there is a good one, and how many loops it takes over."""
    if not order:
        return None, 0
    inner = order[-1]
    if all(nest.parallel):
        return match_vector_loop(nest, inner, emitter) or match_strided_loop(nest, inner, emitter), 1
    from .reductions import (
        match_column_reduction,
        match_gathered_reduction,
        match_search,
        match_strided_reduction,
        match_vector_reduction,
    )

    if carried:
        matchers = (
            match_search,
            match_vector_reduction,
            match_gathered_reduction,
            match_strided_reduction,
        )
        found = (match(nest, carried, emitter) for match in matchers)
        return next((loop for loop in found if loop is not None), None), len(carried)
    columns = match_column_reduction(nest, order, emitter)
    if columns is not None:
        return columns, 2
    return match_vector_loop(nest, inner, emitter) or match_strided_loop(nest, inner, emitter), 1


def _tile_sizes(nest: LoopNest, order: Sequence[int]) -> dict[int, int]:
    """Dimensions to run over in tiles, so that lines brought into the cache are used up."""
    if len(order) < 2:
        return {}
    last, before = order[-1], order[-2]
    if not nest.parallel[before] and nest.parallel[last]:
        return {last: BLOCK_COLUMNS} if _longer(nest.extents[last], 2 * BLOCK_COLUMNS) else {}
    if not all(nest.parallel[dim] for dim in order):
        return {}
    strided = [
        dim
        for dim in order[:-1]
        for access in nest.inputs
        if not access.is_scalar and access.mentions(last) and access.is_contiguous_in(dim)
    ]
    if not strided or not all(_longer(nest.extents[dim], TRANSPOSE_TILE) for dim in (strided[0], last)):
        return {}
    return {strided[0]: TRANSPOSE_TILE, last: TRANSPOSE_TILE}


def _longer(extent: Index, bound: int) -> bool:
    return not isinstance(extent, int) or extent > bound


@contextmanager
def _loops_over_tiles(
    nest: LoopNest, emitter: Emitter, tiles: dict[int, int]
) -> Iterator[dict[int, tuple[Index, Index]]]:
    """Loops over whole tiles; yields the range of each tiled dimension."""
    if not tiles:
        yield {}
        return
    (dim, size), *rest = tiles.items()
    with emitter.loop(nest.extents[dim], size, parallel=any_order([nest], [dim])) as start:
        stop = emitter.minimum(emitter.add(start, size), nest.extents[dim])
        with _loops_over_tiles(nest, emitter, dict(rest)) as bounds:
            yield {dim: (start, stop), **bounds}


def _trailing_reductions(nest: LoopNest, order: Sequence[int]) -> list[int]:
    """The innermost loops that are reductions: their accumulators live in registers."""
    count = len(order)
    while count and not nest.parallel[order[count - 1]]:
        count -= 1
    return list(order[count:])


@contextmanager
def _loops(
    nest: LoopNest, emitter: Emitter, dims: Sequence[int], bounds: dict[int, tuple[Index, Index]]
) -> Iterator[None]:
    if not dims:
        yield
        return
    start, stop = bounds.get(dims[0], (0, nest.extents[dims[0]]))
    with emitter.loop(stop, 1, start, parallel=any_order([nest], [dims[0]])) as position:
        nest.fixed[dims[0]] = position
        with _loops(nest, emitter, dims[1:], bounds):
            yield


def _emit_reductions(nest: LoopNest, emitter: Emitter, dims: Sequence[int]) -> None:
    """Write the innermost reduction loops around the body, then store what the body yields."""
    arguments = list(nest.body.arguments)[len(nest.inputs) :]
    points = [nest.fixed.get(dim, 0) for dim in range(len(nest.parallel))]
    places = [access.indices(emitter, points) for access in nest.outputs]
    initial = [
        load(access.memref, place) if dims or any(True for _ in argument.uses) else None
        for access, place, argument in zip(nest.outputs, places, arguments, strict=True)
    ]
    results = _reduction_loop(nest, emitter, list(dims), initial)
    for value, access, place in zip(results, nest.outputs, places, strict=True):
        store(value, access.memref, place)


def _reduction_loop(nest: LoopNest, emitter: Emitter, dims: list[int], carried: list[Value]) -> list[Value]:
    if not dims:
        return emit_body(nest, emitter, carried)
    dim, *rest = dims
    loop = ForLoop(emitter, 0, nest.extents[dim], 1, carried)
    with loop.body():
        nest.fixed[dim] = loop.position
        loop.end(_reduction_loop(nest, emitter, rest, loop.carried))
    return loop.results


def emit_body(nest: LoopNest, emitter: Emitter, accumulators: Sequence[Value]) -> list[Value]:
    """Move the scalar body to the insertion point (all dimensions are fixed); returns what it yields.

    `accumulators` are the current values of the outputs.
    """
    points = [nest.fixed[dim] for dim in range(len(nest.parallel))]
    arguments = list(nest.body.arguments)
    for argument, access in zip(arguments, nest.inputs, strict=False):
        if any(True for _ in argument.uses):
            value = (
                access.memref if access.is_scalar else load(access.memref, access.indices(emitter, points))
            )
            argument.replace_all_uses_with(value)
    for argument, value in zip(arguments[len(nest.inputs) :], accumulators, strict=True):
        if value is not None:
            argument.replace_all_uses_with(value)
    for op in [op for op in nested(nest.operation) if op.operation.name == "linalg.index"]:
        position = emitter.value(points[op.operation.attributes["dim"].value])
        op.operation.results[0].replace_all_uses_with(position)
        op.operation.erase()
    *operations, terminator = nest.body.operations
    for op in operations:
        _move_here(op.operation)
    results = list(terminator.operation.operands)
    nest.operation.operation.erase()
    return results


def _move_here(operation: Operation) -> None:
    """Move an operation to the current insertion point."""
    anchor = ir.Operation.create("ub.poison", [ir.IndexType.get()], [])
    operation.move_before(anchor)
    anchor.erase()

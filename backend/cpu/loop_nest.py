"""A linalg.generic on memrefs seen as a loop nest, and its plain translation into loops.

The loop order puts the dimension that is contiguous in memory innermost, and reductions carry their
accumulator in a register where the reduction is innermost; vectorising what comes out is left to LLVM.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ...dialect.mlir import Block, Operation, Value, ir
from .emit import Emitter, ForLoop, Index, create, load, store

BLOCK_COLUMNS = 1024
"""Columns of an accumulator row that stay in the first-level cache while rows are added to it."""

TRANSPOSE_TILE = 32
"""Edge of the tiles in which an array is read along one axis and written along another."""


@dataclass
class Access:
    """How one operand is addressed: a memref with an affine expression per axis, or a scalar value."""

    memref: Value
    expressions: list[Any]
    is_scalar: bool

    def indices(self, emitter: Emitter, dims: Sequence[Index]) -> list[Value]:
        """The indices of the element at a point of the loop nest."""
        return [emitter.value(emitter.affine(expression, dims)) for expression in self.expressions]

    def axis_of(self, dim: int) -> int | None:
        """The only axis that `dim` addresses, when it does so alone; None if it is not used like that."""
        axes = [axis for axis, expression in enumerate(self.expressions) if uses(expression, dim)]
        if len(axes) == 1 and isinstance(self.expressions[axes[0]], ir.AffineDimExpr):
            return axes[0]
        return None

    def mentions(self, dim: int) -> bool:
        """Whether the address depends on `dim`."""
        return any(uses(expression, dim) for expression in self.expressions)

    def is_contiguous_in(self, dim: int) -> bool:
        """Whether neighbours along `dim` are neighbours in memory."""
        axis = self.axis_of(dim)
        return axis is not None and axis == len(self.expressions) - 1 and unit_stride(self.memref)


@dataclass
class LoopNest:
    """A linalg.generic: its loop dimensions, operand accesses and scalar body."""

    operation: Operation
    inputs: list[Access]
    outputs: list[Access]
    parallel: list[bool]
    extents: list[Index]
    fixed: dict[int, Index] = field(default_factory=dict)
    """Positions of the dimensions that loops around this nest already run over."""

    @property
    def body(self) -> Block:
        """The scalar body: one argument per operand."""
        return self.operation.regions[0].blocks[0]

    @property
    def accesses(self) -> list[Access]:
        """Inputs, then outputs."""
        return self.inputs + self.outputs

    def free_dims(self) -> list[int]:
        """Dimensions without a loop yet, in order."""
        return [dim for dim in range(len(self.parallel)) if dim not in self.fixed]

    def uses_index(self) -> bool:
        """Whether the body asks for its position."""
        return any(op.operation.name == "linalg.index" for op in nested(self.operation))

    def innermost(self) -> int | None:
        """The free dimension that is cheapest as the innermost loop."""
        free = self.free_dims()
        return min(free, key=lambda dim: (self._cost(dim), -dim)) if free else None

    def _cost(self, dim: int) -> float:
        """Memory cost of running innermost over `dim`: strided reads are bad, strided writes worse."""
        cost = 0.0
        for weight, accesses in ((1, self.inputs), (2, self.outputs)):
            for access in accesses:
                if access.is_scalar or not access.mentions(dim):
                    continue
                cost += -1 if access.is_contiguous_in(dim) else weight
        if self.extents[dim] == 1:
            cost += 100
        return cost

    def loop_order(self) -> list[int]:
        """Free dimensions, outermost first."""
        last = self.innermost()
        free = [dim for dim in self.free_dims() if dim != last]
        ordered = [dim for dim in free if self.parallel[dim]] + [
            dim for dim in free if not self.parallel[dim]
        ]
        return ordered if last is None else [*ordered, last]


def loop_nest(operation: Operation) -> LoopNest:
    """Describe a linalg.generic on memrefs (and scalars)."""
    maps = [attribute.value for attribute in operation.attributes["indexing_maps"]]
    count = next(iter(operation.attributes["operandSegmentSizes"]))
    accesses = [
        Access(operand, list(map_.results), not isinstance(operand.type, ir.MemRefType))
        for operand, map_ in zip(operation.operands, maps, strict=True)
    ]
    parallel = ["parallel" in str(kind) for kind in operation.attributes["iterator_types"]]
    extents = [_extent(accesses, dim) for dim in range(len(parallel))]
    return LoopNest(operation, accesses[:count], accesses[count:], parallel, extents)


def _extent(accesses: Sequence[Access], dim: int) -> Index:
    """The size of a loop dimension: static if some operand says so, else read from a memref."""
    found: tuple[Value, int] | None = None
    for access in accesses:
        axis = None if access.is_scalar else access.axis_of(dim)
        if axis is None:
            continue
        if not access.memref.type.is_dynamic_dim(axis):
            return int(access.memref.type.shape[axis])
        found = found or (access.memref, axis)
    if found is None:
        raise ValueError(f"no operand gives the size of loop dimension {dim}")
    return memref_size(*found)


def memref_size(memref: Value, axis: int) -> Value:
    """The size of a dynamic axis, as the value it was allocated with where that is known."""
    owner = memref.owner
    if isinstance(owner, ir.OpView | ir.Operation) and owner.operation.name == "memref.alloc":
        dynamic = [a for a in range(memref.type.rank) if memref.type.is_dynamic_dim(a)]
        return owner.operation.operands[dynamic.index(axis)]
    index = ir.IndexType.get()
    position = create("arith.constant", [index], [], {"value": ir.IntegerAttr.get(index, axis)})
    return create("memref.dim", [index], [memref, position])


def uses(expression: Any, dim: int) -> bool:
    """Whether an affine expression depends on a dimension."""
    if isinstance(expression, ir.AffineDimExpr):
        return bool(expression.position == dim)
    if isinstance(expression, ir.AffineConstantExpr):
        return False
    return uses(expression.lhs, dim) or uses(expression.rhs, dim)


def unit_stride(memref: Value) -> bool:
    """Whether neighbours along the last axis are neighbours in memory."""
    return bool(memref.type.rank > 0 and memref.type.get_strides_and_offset()[0][-1] == 1)


def nested(operation: Operation) -> Iterator[Operation]:
    """All operations inside, in order, outer before inner."""
    for region in operation.regions:
        for block in region.blocks:
            for op in block.operations:
                yield op
                yield from nested(op.operation)


# -- Emission


def emit_loops(nest: LoopNest, emitter: Emitter) -> None:
    """Write the free dimensions of a nest as loops at the insertion point."""
    order = nest.loop_order()
    tiles = _tile_sizes(nest, order)
    with _loops_over_tiles(nest, emitter, tiles) as bounds:
        carried = _trailing_reductions(nest, order)
        outer = order[: len(order) - len(carried)]
        with _loops(nest, emitter, outer, bounds):
            _emit_reductions(nest, emitter, carried)


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
    with emitter.loop(nest.extents[dim], size) as start:
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
    with emitter.loop(stop, 1, start) as position:
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

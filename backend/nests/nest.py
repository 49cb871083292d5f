"""A linalg.generic on memrefs seen as a loop nest, and its plain translation into loops.

The loop order puts the dimension that is contiguous in memory innermost, and reductions carry their
accumulator in a register where the reduction is innermost; vectorising what comes out is left to LLVM.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import Any

from ...dialect.mlir import Block, Operation, Value, ir
from ...dialect.records import dataclass
from ...passes.preconditions import refuse
from ...passes.rewriting import operations_of
from .emit import Emitter, Index, create, prefetch, scalar


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


@dataclass(frozen=True)
class Prefetch:
    """What will be read soon: an access at a point of its nest, but for the dimension along the row."""

    access: Access
    points: list[Index]
    along: int
    extent: Index

    def emit(self, emitter: Emitter, position: Index) -> None:
        """Ask for the line of an element, or of the last one where a row of unknown length is shorter."""
        points = list(self.points)
        if not isinstance(self.extent, int):
            position = emitter.minimum(position, emitter.subtract(self.extent, 1))
        points[self.along] = position
        prefetch(self.access.memref, self.access.indices(emitter, points), 2)


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
    prefetches: list[Prefetch] = field(default_factory=list)
    """What to bring to the cache while the innermost loop runs."""
    ahead: dict[int, int] = field(default_factory=dict)
    """Operands of which what lies so many elements further in memory is asked for: it is needed in a while."""

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

    def is_copy(self) -> bool:
        """Whether the body does nothing but yield the element of the only input."""
        first, *others = self.body.operations
        yields = first.operation.operands
        return (
            not others and len(self.inputs) == len(self.outputs) == 1 and yields[0] == self.body.arguments[0]
        )

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
    if not all(isinstance(result.type, ir.MemRefType) for result in _outputs(operation)):
        refuse(
            operation,
            "a loop nest is made of an op on memrefs: run --plan-buffers, or --one-shot-bufferize, before",
        )
    maps = [attribute.value for attribute in operation.attributes["indexing_maps"]]
    count = next(iter(operation.attributes["operandSegmentSizes"]))
    accesses = [
        Access(operand, list(map_.results), not isinstance(operand.type, ir.MemRefType))
        for operand, map_ in zip(operation.operands, maps, strict=True)
    ]
    parallel = ["parallel" in str(kind) for kind in operation.attributes["iterator_types"]]
    extents = [_extent(accesses, dim) for dim in range(len(parallel))]
    return LoopNest(operation, accesses[:count], accesses[count:], parallel, extents)


def _outputs(operation: Operation) -> list[Value]:
    inputs = next(iter(operation.attributes["operandSegmentSizes"]))
    return list(operation.operands)[inputs:]


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


def _behind_offsets(view: Operation) -> int:
    """The number of the operand behind the memref and the offsets of a view."""
    source, offsets, *_ = view.attributes["operandSegmentSizes"]
    return int(source) + int(offsets)


_SIZED: Mapping[str, Callable[[Operation], int]] = MappingProxyType(
    {
        "memref.alloc": lambda _: 0,
        "memref.view": lambda _: 2,
        "memref.subview": _behind_offsets,
        "memref.reinterpret_cast": _behind_offsets,
    }
)
"""What is given the sizes of dynamic axes, all of which its result has, and the first operand that is one."""


def memref_size(memref: Value, axis: int) -> Value:
    """The size of a dynamic axis, as the value that it was allocated or viewed with where that is known."""
    owner = memref.owner
    if isinstance(owner, ir.OpView | ir.Operation) and owner.operation.name in _SIZED:
        operation = owner.operation
        dynamic = [a for a in range(memref.type.rank) if memref.type.is_dynamic_dim(a)]
        first = _SIZED[operation.name](operation)
        return operation.operands[first + dynamic.index(axis)]
    index = ir.IndexType.get()
    return create("memref.dim", [index], [memref, scalar(index, axis)])


def whole(memref: Value) -> Access:
    """How a nest over all of a memref addresses it."""
    return Access(memref, [ir.AffineExpr.get_dim(dim) for dim in range(memref.type.rank)], is_scalar=False)


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


def nested(operation: Operation) -> list[Operation]:
    """All operations inside, in order, outer before inner."""
    return operations_of(operation)

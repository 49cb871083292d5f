"""Regions of tensors: rectangular parts with strides, single elements, and loops over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...dialect.mlir import Operation, Value, dialect, ir
from ...dialect.records import dataclass
from ...dialect.types import TensorType
from ..index_arithmetic import Extent, IndexArithmetic
from .conversion import Conversion, linalg_index

arith = dialect("arith")
scf = dialect("scf")
tensor = dialect("tensor")

_DYNAMIC = ir.ShapedType.get_dynamic_size()


@dataclass(frozen=True)
class Region:
    """Offset, size and stride along every axis of a tensor; strides are positive."""

    offsets: Sequence[Extent]
    sizes: Sequence[Extent]
    strides: Sequence[int]

    @property
    def is_empty(self) -> bool:
        """Whether it is known to hold no element."""
        return 0 in [size for size in self.sizes if isinstance(size, int)]

    def moved(self, math: IndexArithmetic, axis: int, distance: Extent) -> Region:
        """The region farther along an axis."""
        offsets = list(self.offsets)
        offsets[axis] = math.add(offsets[axis], distance)
        return Region(offsets, self.sizes, self.strides)

    def of_rank(self, kept: Sequence[int]) -> list[int]:
        """The static sizes of the kept axes, for the type of what the region holds."""
        return [size if isinstance(size, int) else _DYNAMIC for size in (self.sizes[axis] for axis in kept)]


def box(offsets: Sequence[Extent], sizes: Sequence[Extent]) -> Region:
    """A region without gaps."""
    return Region(offsets, sizes, [1] * len(sizes))


def _split(values: Sequence[Extent]) -> tuple[list[Value], list[int]]:
    """The dynamic operands and the static attribute of a list of extents."""
    dynamic = [value for value in values if not isinstance(value, int)]
    return dynamic, [value if isinstance(value, int) else _DYNAMIC for value in values]


def extract_region(source: Value, region: Region, dropped: Sequence[int] = ()) -> Value:
    """The elements of a region, without the `dropped` axes (of size 1)."""
    kept = [axis for axis in range(len(region.sizes)) if axis not in dropped]
    result = ir.RankedTensorType.get(region.of_rank(kept), ir.RankedTensorType(source.type).element_type)
    parts = [_split(part) for part in (region.offsets, region.sizes, region.strides)]
    return tensor.ExtractSliceOp(result, source, *(p[0] for p in parts), *(p[1] for p in parts)).result


def insert_region(source: Value, destination: Value, region: Region) -> Value:
    """The destination with a region replaced by the source, which may lack axes of size 1."""
    parts = [_split(part) for part in (region.offsets, region.sizes, region.strides)]
    return tensor.InsertSliceOp(source, destination, *(p[0] for p in parts), *(p[1] for p in parts)).result


def inserted_parts(x: Value, sizes: Sequence[Extent]) -> list[tuple[Value, Region]]:
    """What was inserted, one by one, into an empty tensor to make x; x itself where it was made otherwise."""
    parts: list[tuple[Value, Region]] = []
    current = x
    while (op := _maker(current)) is not None and op.name == "tensor.insert_slice":
        parts.append((op.opview.source, _region_of(op.opview)))
        current = op.opview.dest
    if parts and op is not None and op.name == "tensor.empty":
        return parts[::-1]
    return [(x, box([0] * len(sizes), sizes))]


def _maker(x: Value) -> Operation | None:
    """The op whose result a value is; None for an argument."""
    return None if isinstance(x.owner, ir.Block) else x.owner.operation


def _region_of(op: Any) -> Region:
    """The region of an insertion."""

    def merged(static: Any, dynamic: Any) -> list[Extent]:
        remaining = iter(dynamic)
        return [next(remaining) if extent == _DYNAMIC else extent for extent in static]

    offsets = merged(op.static_offsets, op.offsets)
    return Region(offsets, merged(op.static_sizes, op.sizes), list(op.static_strides))


def scalar_tensor(value: Value) -> Value:
    """A scalar (as it is in memory) as a tensor of rank 0."""
    return tensor.FromElementsOp(ir.RankedTensorType.get([], value.type), [value]).result


def read_elements(
    c: Conversion,
    source: Value,
    result: TensorType,
    extents: Sequence[Extent],
    place: Callable[[list[Value]], Sequence[Extent]],
) -> Value:
    """A tensor whose element at some indices is the source's at the place that is computed from them."""

    def body(_: Value) -> list[Value]:
        indices = [linalg_index(axis) for axis in range(result.rank)]
        return [tensor.ExtractOp(source, [c.index(i) for i in place(indices)]).result]

    destination = c.empty(result, extents)
    maps = [ir.AffineMap.get_identity(result.rank)]
    return c.generic([], [destination], maps, ["parallel"] * result.rank, body)[0]


def loop_nest(
    c: Conversion,
    extents: Sequence[Extent],
    carried: Value,
    body: Callable[[list[Value], Value], Value],
) -> Value:
    """Loops in row-major order that carry a tensor: `body(indices, tensor)` gives the next one."""

    def nest(depth: int, indices: list[Value], current: Value) -> Value:
        if depth == len(extents):
            return body(indices, current)
        loop = scf.ForOp(c.index(0), c.index(extents[depth]), c.index(1), [current])
        with ir.InsertionPoint(loop.body):
            scf.YieldOp([nest(depth + 1, [*indices, loop.induction_variable], loop.inner_iter_args[0])])
        return loop.results[0]

    return nest(0, [], carried)


def when(condition: Value, current: Value, then: Callable[[], Value]) -> Value:
    """What `then` builds where the condition holds, else the current value."""
    choice = scf.IfOp(condition, [current.type], has_else=True)
    with ir.InsertionPoint(choice.then_block):
        scf.YieldOp([then()])
    with ir.InsertionPoint(choice.else_block):
        scf.YieldOp([current])
    return choice.results[0]


def index_of(c: Conversion, stored: Value) -> Value:
    """An i64 scalar as an index."""
    return arith.IndexCastOp(ir.IndexType.get(), stored).result


def wrap_index(c: Conversion, index: Value, extent: Extent) -> Value:
    """The index counted from the front: negative ones count from the end."""
    math = IndexArithmetic()
    return math.where_negative(index, math.add(index, extent), index)


def clamp_index(c: Conversion, index: Value, extent: Extent) -> Value:
    """The index moved into bounds, so that reading there is safe whatever the index is."""
    math = IndexArithmetic()
    return math.maximum(math.minimum(index, math.subtract(extent, 1)), 0)


def index_or_first(c: Conversion, index: Value, extent: Extent) -> Value:
    """The index if it is in bounds, else 0: one comparison, which machine code needs no more where it is decided."""
    return arith.SelectOp(is_within(c, index, extent), index, c.index(0)).result


def is_within(c: Conversion, index: Value, extent: Extent) -> Value:
    """Whether 0 <= index < extent, as an i1."""
    predicate: Any = arith.CmpIPredicate.ult
    return arith.CmpIOp(predicate, index, c.index(extent)).result

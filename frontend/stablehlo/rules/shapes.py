"""Making tensors, and giving them other shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....dialect.attributes import elements_from_mlir, type_to_mlir
from ....dialect.dtypes import kind
from ....dialect.emitter import INT64, Extent, Tensor
from ....dialect.mlir import Operation, ir
from .table import Builder, Refused, ints, number, result_type, rule

LARGEST_KNOWN = 32
"""The largest number of elements of a constant that is looked at: a shape, say."""


@rule("constant")
def constant(b: Builder, op: Operation) -> Tensor:
    """`weft.constant`; of many equal elements, one that is broadcast."""
    attribute, wanted = op.attributes["value"], result_type(op)
    if attribute.is_splat and (wanted.size or 0) > LARGEST_KNOWN:
        text = str(attribute).rpartition(" : ")[0]
        scalar = ir.Attribute.parse(f"{text} : {type_to_mlir(wanted.with_shape(()))}")
        return b.broadcast(b.constant(value=elements_from_mlir(scalar)), list(wanted.shape))  # type: ignore[arg-type]
    value = elements_from_mlir(attribute)
    found: Tensor = b.constant(value=value)
    if value.ndim == 1 and value.size <= LARGEST_KNOWN and kind(value.dtype) in "iu":
        b.known_elements[found.handle] = [int(element) for element in value]
    return found


@rule("iota")
def iota(b: Builder, op: Operation) -> Tensor:
    """The numbers from 0 on along an axis."""
    wanted = result_type(op)
    return _numbered(b, op, list(wanted.shape), number(op, "iota_dimension"))  # type: ignore[arg-type]


rule("dynamic_iota", says="The numbers from 0 on along an axis, of a shape that is computed.")(
    lambda b, op, shape: _numbered(b, op, b.extents_of(shape, result_type(op)), number(op, "iota_dimension"))
)
rule("dynamic_reshape", says="`weft.reshape`, to a shape that is computed.")(
    lambda b, op, x, shape: b.reshaped(x, b.extents_of(shape, result_type(op)))
)
rule("transpose", says="`weft.transpose`.")(lambda b, op, x: b.moved(x, ints(op, "permutation")))
rule("broadcast", says="New leading axes.")(
    lambda b, op, x: b.broadcast(x, [*ints(op, "broadcast_sizes"), *b.extents(x)])
)
rule("optimization_barrier", says="The operands.")(lambda b, op, *operands: operands)


def _numbered(b: Builder, op: Operation, extents: Sequence[Extent], axis: int) -> Tensor:
    line = b.converted(b.iota(extents[axis]), result_type(op).dtype)
    return b.broadcast(b.inserted(line, range(1, len(extents) - axis)), extents)


@rule("get_dimension_size")
def get_dimension_size(b: Builder, op: Operation, x: Tensor) -> Tensor:
    """`weft.dim`."""
    extent = b.extent(x, number(op, "dimension"))
    found = b.as_number(extent, np.dtype(np.int32))
    b.known_elements[found.handle] = [extent]
    return found


@rule("reshape")
def reshape(b: Builder, op: Operation, x: Tensor) -> Tensor:
    """`weft.reshape`."""
    shape = result_type(op).shape
    if None in shape:
        raise Refused("has a result of a size that is not known: dynamic_reshape takes it as an operand")
    found: Tensor = x if x.shape == shape else b.reshape(x, shape=shape)
    if x.handle in b.known_elements and len(shape) < 2:
        b.known_elements[found.handle] = b.known_elements[x.handle]
    return found


def _placed(b: Builder, x: Tensor, axes: Sequence[int], rank: int) -> Tensor:
    """A tensor of some rank whose axes i of the operand is axes[i]; the others have one element."""
    order = sorted(range(len(axes)), key=axes.__getitem__)
    return b.inserted(b.moved(x, order), [axis for axis in range(rank) if axis not in axes])


@rule("broadcast_in_dim")
def broadcast_in_dim(b: Builder, op: Operation, x: Tensor) -> Tensor:
    """`weft.broadcast_to`, with axes at any place."""
    wanted = result_type(op)
    placed = _placed(b, x, ints(op, "broadcast_dimensions"), wanted.rank)
    if None in wanted.shape:
        raise Refused(
            "has a result of a size that is not known: dynamic_broadcast_in_dim takes it as an operand"
        )
    found = b.broadcast(placed, list(wanted.shape))  # type: ignore[arg-type]
    if x.handle in b.known_elements and wanted.shape == (1,):
        b.known_elements[found.handle] = b.known_elements[x.handle]
    return found


@rule("dynamic_broadcast_in_dim")
def dynamic_broadcast_in_dim(b: Builder, op: Operation, x: Tensor, shape: Tensor) -> Tensor:
    """`weft.broadcast_to` a shape that is computed; axes that turn out to have one element are repeated."""
    wanted = result_type(op)
    axes, whole = ints(op, "broadcast_dimensions"), ints(op, "known_nonexpanding_dimensions")
    extents = b.extents_of(shape, wanted)
    placed = _placed(b, x, axes, wanted.rank)
    kept = [b.extent(placed, a) if placed.shape[a] is None else extents[a] for a in range(placed.rank)]
    spread = b.broadcast(placed, kept)
    open_axes = [axes[i] for i, extent in enumerate(x.shape) if extent is None and i not in whole]
    if not open_axes:
        return spread
    dims = [extent for extent in extents if isinstance(extent, Tensor)]
    sizes = tuple(-1 if isinstance(extent, Tensor) else extent for extent in extents)
    return b.one("stretch", spread, *dims, shape=sizes)


@rule("concatenate")
def concatenate(b: Builder, op: Operation, *parts: Tensor) -> Tensor:
    """`weft.concat`."""
    found = b.joined(parts, number(op, "dimension"))
    if parts[0].rank == 1 and all(part.handle in b.known_elements for part in parts):
        b.known_elements[found.handle] = [
            element for part in parts for element in b.known_elements[part.handle]
        ]
    return found


@rule("reverse")
def reverse(b: Builder, op: Operation, x: Tensor) -> Tensor:
    """Axes in reverse."""
    for axis in ints(op, "dimensions"):
        x = b.flip(x, axis)
    return x


@rule("pad")
def pad(b: Builder, op: Operation, x: Tensor, value: Tensor) -> Tensor:
    """`weft.pad`; with elements between others, too, and cut where a size is negative."""
    low, high, inside = (ints(op, f"{name}") for name in PADDING)
    return padded(b, x, value, low, high, inside)


@rule("dynamic_pad")
def dynamic_pad(
    b: Builder, op: Operation, x: Tensor, value: Tensor, low: Tensor, high: Tensor, inside: Tensor
) -> Tensor:
    """`weft.pad` by sizes that are known after all."""
    given = [b.elements(sizes) for sizes in (low, high, inside)]
    if any(isinstance(size, Tensor) for sizes in given for size in sizes):
        raise Refused("pads by sizes that are computed")
    return padded(b, x, value, *given)  # type: ignore[arg-type]


PADDING = ("edge_padding_low", "edge_padding_high", "interior_padding")


def padded(
    b: Builder,
    x: Tensor,
    value: Tensor,
    low: Sequence[int],
    high: Sequence[int],
    inside: Sequence[int],
) -> Tensor:
    """A tensor with elements between its own, before and behind them; negative sizes cut."""
    for axis, gap in enumerate(inside):
        if gap and x.shape[axis] != 0:
            x = _spread(b, x, value, axis, gap)
    added = [[max(size, 0) for size in sizes] for sizes in (low, high)]
    if any(map(any, added)):
        x = b.pad(x, value, low=tuple(added[0]), high=tuple(added[1]))
    for axis, (before, behind) in enumerate(zip(low, high, strict=True)):
        if before < 0:
            x = b.along(x, axis, -before, int(np.iinfo(np.int64).max))
        if behind < 0:
            # Of an extent that is known, as the size that is cut may be larger than the axis.
            extent = x.shape[axis]
            x = b.along(x, axis, 0, behind if extent is None else max(extent + behind, 0))
    return x


def _spread(b: Builder, x: Tensor, value: Tensor, axis: int, gap: int) -> Tensor:
    """With a gap of some elements between each two along an axis."""
    split = b.inserted(x, [axis + 1])
    at_axis = tuple(gap if a == axis + 1 else 0 for a in range(split.rank))
    wide = b.pad(split, value, low=(0,) * split.rank, high=at_axis)
    extents = b.extents(x)
    extent = extents[axis] * (gap + 1)
    extents[axis] = extent
    flat = b.reshaped(wide, extents)
    return b.along(flat, axis, 0, -gap if isinstance(extent, Tensor) else extent - gap)


@rule("slice")
def slice_(b: Builder, op: Operation, x: Tensor) -> Tensor:
    """`weft.slice`."""
    start, stop, step = (ints(op, name) for name in ("start_indices", "limit_indices", "strides"))
    found: Tensor = b.slice(x, start=tuple(start), stop=tuple(stop), step=tuple(step))
    known = b.known_elements.get(x.handle)
    if known is not None and x.rank == 1:
        b.known_elements[found.handle] = known[start[0] : stop[0] : step[0]]
    return found


@rule("set_dimension_size")
def set_dimension_size(b: Builder, op: Operation, x: Tensor, size: Tensor) -> Tensor:
    """The first elements along an axis."""
    axis = number(op, "dimension")
    return b.cut(x, axis, 0, b.converted(size, INT64))


@rule("map")
def map_(b: Builder, op: Operation, *operands: Tensor) -> Tensor:
    """What the region does to scalars, done to tensors."""
    (found,) = b.applied(op.regions[0], operands)
    return b.broadcast(found, b.extents(operands[0]))


def is_zero(value: Any) -> bool:
    """Whether a size is known to be none."""
    return isinstance(value, int) and value == 0

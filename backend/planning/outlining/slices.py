"""Slices in the form that the backend wants.

* Unit dimensions are dropped in the slice itself: `collapse_shape(extract_slice)` becomes a rank-reducing
  `extract_slice`, and `insert_slice(expand_shape)` a rank-extending `insert_slice`; so they need no memory between.
* What a part of a slice is updated with is inserted where the slice lies: `x[i, :n] += 1` writes to `x`, and not a row
  of it, which is then inserted. The part itself is read from there, too.
* One element is no slice: it is read with `tensor.extract` and written with `tensor.insert`, as a scalar.
* Offsets become operands, so that the steps of an unrolled loop over `x[0]`, `x[1]`, ... share a kernel.
"""

from __future__ import annotations

from ....dialect.made_ops import operation_of, slice_of
from ....dialect.mlir import Operation, Type, Value, dialect, ir
from ....dialect.records import dataclass
from ....passes.control_flow.structure import made_by
from ....passes.index_arithmetic import Extent, IndexArithmetic
from ....passes.rewriting import constant_integer, operations_directly_in, reassociation_of
from ..shapes import kept_axes, mixed, static_shape


@dataclass(frozen=True)
class Slice:
    """Offsets, sizes and strides of a slice, and which of its axes the smaller tensor has."""

    offsets: list[Extent]
    sizes: list[Extent]
    strides: list[Extent]
    kept: list[int]

    @staticmethod
    def of(op: Operation) -> Slice:
        """The slice of a `tensor.extract_slice` or `tensor.insert_slice`."""
        first = 1 if op.name == "tensor.extract_slice" else 2
        small = op.results[0] if first == 1 else op.operands[0]
        sizes = mixed(op, "static_sizes", first + 1)
        offsets, strides = mixed(op, "static_offsets", first), mixed(op, "static_strides", first + 2)
        return Slice(offsets, sizes, strides, kept_axes(sizes, static_shape(small.type)))

    def part(self, inner: Slice, builder: IndexArithmetic) -> Slice:
        """Where a slice of this slice lies."""
        offsets, sizes, strides = list(self.offsets), list(self.sizes), list(self.strides)
        for place, axis in enumerate(self.kept):
            offsets[axis] = builder.add(offsets[axis], builder.multiply(inner.offsets[place], strides[axis]))
            sizes[axis] = inner.sizes[place]
            strides[axis] = builder.multiply(inner.strides[place], strides[axis])
        return Slice(offsets, sizes, strides, [self.kept[place] for place in inner.kept])


def simplify_slices(function: Operation, builder: IndexArithmetic) -> None:
    """Bring the slices of a function, in nested regions too, into the first three of the forms above."""
    for op in operations_directly_in(function):
        if op.name == "tensor.collapse_shape":
            _drop_units_in_extract(op)
        elif op.name == "tensor.extract":
            _extract_element(op, builder)
        elif op.name == "tensor.insert_slice":
            _insert_element(_insert_directly(_drop_units_in_insert(op), builder), builder)
        elif op.regions:
            simplify_slices(op, builder)


def _drop_units_in_extract(op: Operation) -> None:
    extract = made_by(op.operands[0], "tensor.extract_slice")
    if extract is None:
        return
    if not _drops_only_units(op, extract.results[0].type, op.results[0].type):
        return
    with ir.InsertionPoint(extract), extract.location:
        new = _with_types(extract, list(extract.operands), op.results[0].type)
    op.results[0].replace_all_uses_with(new.results[0])
    op.erase()
    _erase_if_unused(extract)


def _drop_units_in_insert(op: Operation) -> Operation:
    """Insert what an `expand_shape` was made of; returns the op that does it."""
    expand = made_by(op.operands[0], "tensor.expand_shape")
    if expand is None:
        return op
    if not _drops_only_units(expand, expand.results[0].type, expand.operands[0].type):
        return op
    with ir.InsertionPoint(op), op.location:
        new = _with_types(op, [expand.operands[0], *list(op.operands)[1:]], op.results[0].type)
    op.results[0].replace_all_uses_with(new.results[0])
    op.erase()
    _erase_if_unused(expand)
    return new


def _insert_directly(op: Operation, builder: IndexArithmetic) -> Operation:
    """Insert into a tensor what its slice was updated with; returns the op that does it."""
    update = made_by(op.operands[0], "tensor.insert_slice")
    row = None if update is None else made_by(update.operands[1], "tensor.extract_slice")
    if update is None or row is None or row.operands[0] != op.operands[1]:
        return op
    outer, inner = Slice.of(op), Slice.of(update)
    if Slice.of(row) != outer:
        return op
    parts = [use.owner.operation for use in row.results[0].uses]
    for part in parts:
        if part.name == "tensor.extract_slice" and Slice.of(part) == inner:
            with ir.InsertionPoint(part), part.location:
                new = _sliced(part, [row.operands[0]], outer.part(inner, builder))
            part.results[0].replace_all_uses_with(new.results[0])
            part.erase()
    with ir.InsertionPoint(op), op.location:
        new = _sliced(op, [update.operands[0], op.operands[1]], outer.part(inner, builder))
    op.results[0].replace_all_uses_with(new.results[0])
    op.erase()
    _erase_if_unused(update)
    _erase_if_unused(row)
    return new


def _sliced(op: Operation, tensors: list[Value], where: Slice) -> Operation:
    """A slice like another one, of other tensors and with other bounds."""
    return slice_of(op.name, tensors, op.results[0].type, where.offsets, where.sizes, where.strides)


def _drops_only_units(reshape: Operation, large: Type, small: Type) -> bool:
    """Whether a reshape only drops unit dimensions, and the rank-reduced slice of the small type means the same."""
    shape = static_shape(large)
    wide = [axis for axis, extent in enumerate(shape) if extent != 1]
    if any(len([axis for axis in group if axis in wide]) > 1 for group in reassociation_of(reshape)):
        return False
    # Dynamic sizes may be 1 at run time; types tell which dimensions remain only when they are unambiguous.
    reduced = [extent for extent in shape if extent != 1]
    return [extent for extent in static_shape(small) if extent != 1] == reduced


def _extract_element(op: Operation, builder: IndexArithmetic) -> None:
    """Read an element of a slice from what it is a slice of."""
    extract = made_by(op.operands[0], "tensor.extract_slice")
    if extract is None:
        return
    slice_ = Slice.of(extract)
    places = [_constant(index) for index in list(op.operands)[1:]]
    # Where the slice is, if possible: what it is a slice of may be overwritten before the element is read.
    early = all(map(_is_in, places, (slice_.sizes[axis] for axis in slice_.kept)))
    with ir.InsertionPoint(extract if early else op), op.location:
        indices = list(slice_.offsets)
        for axis, place in zip(slice_.kept, places, strict=True):
            indices[axis] = builder.add(indices[axis], builder.multiply(place, slice_.strides[axis]))
        element = dialect("tensor").extract(extract.operands[0], [builder.value(index) for index in indices])
    op.results[0].replace_all_uses_with(element)
    op.erase()
    _erase_if_unused(extract)


def _is_in(place: Extent, size: Extent) -> bool:
    """Whether a slice is sure to have a place; what may be empty is read only where the program does."""
    return isinstance(place, int) and isinstance(size, int) and 0 <= place < size


def _insert_element(op: Operation, builder: IndexArithmetic) -> None:
    """Write a slice of one element with `tensor.insert`."""
    slice_ = Slice.of(op)
    if any(not isinstance(size, int) or size != 1 for size in slice_.sizes):
        return
    tensor = dialect("tensor")
    with ir.InsertionPoint(op), op.location:
        element = _single_element(op.operands[0], builder)
        indices = [builder.value(offset) for offset in slice_.offsets]
        new = tensor.insert(element, op.operands[1], indices)
    op.results[0].replace_all_uses_with(new)
    op.erase()


def _single_element(value: Value, builder: IndexArithmetic) -> Value:
    owner = value.owner
    if not isinstance(owner, ir.Block) and owner.operation.name in ("tensor.from_elements", "linalg.fill"):
        return owner.operation.operands[0]
    return dialect("tensor").extract(value, [builder.value(0)] * len(static_shape(value.type)))


def make_offsets_operands(op: Operation, builder: IndexArithmetic) -> Operation | None:
    """Rewrite a slice with its static offsets as operands; None when there is none to rewrite."""
    slice_ = Slice.of(op)
    large = static_shape(op.operands[0 if op.name == "tensor.extract_slice" else 1].type)
    movable = [
        isinstance(offset, int) and isinstance(size, int) and size != extent
        for offset, size, extent in zip(slice_.offsets, slice_.sizes, large, strict=True)
    ]
    if not any(movable):
        return None
    with ir.InsertionPoint(op), op.location:
        for axis in filter(movable.__getitem__, range(len(movable))):
            slice_.offsets[axis] = builder.value(slice_.offsets[axis])
        new = _sliced(op, list(op.operands)[: 1 if op.name == "tensor.extract_slice" else 2], slice_)
    op.results[0].replace_all_uses_with(new.results[0])
    return new


def _with_types(op: Operation, operands: list[Value], result: Type) -> Operation:
    return operation_of(op.name, operands, [result], **dict(op.attributes.items()))


def _constant(index: Value) -> Extent:
    """The index as an int where it is a constant."""
    number = constant_integer(index)
    return index if number is None else number


def _erase_if_unused(op: Operation) -> None:
    if not any(True for result in op.results for _ in result.uses):
        op.erase()

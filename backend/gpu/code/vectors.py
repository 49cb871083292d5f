"""Neighbours in memory that a thread reads or writes by one access of up to 16 bytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ....dialect.mlir import Type, Value, ir
from ...nests.collapse import is_identity_layout
from ...nests.emit import Emitter, Index, create
from ...nests.nest import Access
from .control import compare, only_if, otherwise
from .points import read

BYTES = 16
"""Of an access of a thread."""


def element_bytes(element: Type) -> int:
    """The size of an element; 0 for what vectors do not hold."""
    if isinstance(element, ir.ComplexType | ir.IndexType):
        return 0
    return max(int(element.width) // 8, 1)


def is_vector(access: Access, dim: int) -> bool:
    """Whether neighbours along a dimension of a nest can be read and written at once."""
    return not access.is_scalar and access.is_contiguous_in(dim)


def rows_are_multiples(access: Access, lanes: int) -> bool:
    """Whether rows are a multiple of so many elements apart, if their length is such a multiple."""
    type = access.memref.type
    if is_identity_layout(type):
        return True
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    strides, _ = type.get_strides_and_offset()
    return all(stride != dynamic and stride % lanes == 0 for stride in strides[:-1])


def lanes_of(accesses: Iterable[Access], dim: int) -> int:
    """How many neighbours along a dimension the widest of some accesses hold in 16 bytes; 1 if that does not fit."""
    vectors = [access for access in accesses if is_vector(access, dim)]
    widths = [element_bytes(access.memref.type.element_type) for access in vectors]
    if not widths or 0 in widths:
        return 1
    lanes = BYTES // max(widths)
    return lanes if all(rows_are_multiples(access, lanes) for access in vectors) else 1


def load_lanes(
    access: Access,
    points: Sequence[Sequence[Index]],
    dim: int,
    emitter: Emitter,
    aligned: Value | None = None,
) -> list[Value]:
    """The elements of an operand at neighbouring points along a dimension, which may have to be `aligned` for that."""
    lanes = len(points)
    if access.is_scalar or not access.mentions(dim):
        return [read(access, points[0], emitter)] * lanes
    if lanes == 1 or not is_vector(access, dim):
        return [read(access, point, emitter) for point in points]
    if aligned is None:
        return elements_of(load_vector(access, points[0], lanes, emitter))
    type, operands = _vector_type(access, lanes), [access.memref, *access.indices(emitter, points[0])]
    with only_if(aligned, [type]) as branch:
        branch.give([create("vector.load", [type], operands, vector_alignment(type))])
    with otherwise(branch):
        branch.give([create("vector.load", [type], operands, vector_alignment(type, 1))])
    return elements_of(branch.results[0])


def load_vector(access: Access, point: Sequence[Index], lanes: int, emitter: Emitter) -> Value:
    """Neighbours in memory, of which the first is at a point."""
    type = _vector_type(access, lanes)
    return create(
        "vector.load", [type], [access.memref, *access.indices(emitter, point)], vector_alignment(type)
    )


def elements_of(vector: Value) -> list[Value]:
    """The elements of a vector."""
    type = vector.type
    places = [{"static_position": ir.DenseI64ArrayAttr.get([lane])} for lane in range(type.shape[0])]
    return [create("vector.extract", [type.element_type], [vector], place) for place in places]


def store_lanes(
    values: Sequence[Value],
    access: Access,
    point: Sequence[Index],
    emitter: Emitter,
    aligned: Value | None = None,
) -> None:
    """Store neighbours, of which the first is at a point; one by one, if they have to be `aligned` and are not."""
    type = _vector_type(access, len(values))
    vector = create("vector.from_elements", [type], list(values))
    operands = [vector, access.memref, *access.indices(emitter, point)]
    if aligned is None:
        create("vector.store", [], operands, vector_alignment(type))
        return
    with only_if(aligned) as branch:
        create("vector.store", [], operands, vector_alignment(type))
    with otherwise(branch):
        create("vector.store", [], operands, vector_alignment(type, 1))


def is_aligned(
    memrefs: Iterable[Value], lanes: int, extents: Iterable[Index], emitter: Emitter
) -> Value | None:
    """Whether vectors of all memrefs are where they may be, and extents multiples of the lanes; None if they are.

    All threads find the same.
    """
    rests: list[Value] = []

    def must_divide(number: Value, size: int) -> None:
        rests.append(create("arith.andi", [number.type], [number, emitter.value(size - 1)]))

    for memref in dict.fromkeys(memrefs):
        size = min(BYTES, lanes * element_bytes(memref.type.element_type))
        pointer = create("memref.extract_aligned_pointer_as_index", [emitter.index_type], [memref])
        must_divide(pointer, size)
        offset = _offset(memref, emitter)
        if offset is not None:
            must_divide(offset, size)
    for extent in extents:
        if not isinstance(extent, int):
            must_divide(extent, lanes)
    if not rests:
        return None
    bits = rests[0]
    for rest in rests[1:]:
        bits = create("arith.ori", [bits.type], [bits, rest])
    return compare("eq", bits, emitter.value(0))


def _offset(memref: Value, emitter: Emitter) -> Value | None:
    """The bytes from the pointer of a memref to its first element, unless there are none."""
    _, offset = memref.type.get_strides_and_offset()
    size = element_bytes(memref.type.element_type)
    if offset != ir.ShapedType.get_dynamic_stride_or_offset():
        return emitter.value(offset * size) if offset else None
    rank, index = memref.type.rank, emitter.index_type
    results = [ir.MemRefType.get([], memref.type.element_type), index, *[index] * (2 * rank)]
    metadata = ir.Operation.create("memref.extract_strided_metadata", results, [memref])
    return emitter.value(emitter.multiply(metadata.results[1], size))


def _vector_type(access: Access, lanes: int) -> Type:
    return ir.VectorType.get([lanes], access.memref.type.element_type)


def vector_alignment(type: Type, lanes: int | None = None) -> dict[str, ir.Attribute]:
    """That so many neighbours are where one access may take them; all of a vector, unless told otherwise."""
    size = min(BYTES, (lanes or int(type.shape[0])) * element_bytes(type.element_type))
    return {"alignment": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), size)}

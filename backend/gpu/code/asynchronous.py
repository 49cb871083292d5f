"""Copies to shared memory that threads do not wait for (cp.async), and matrices that warps load from there (ldmatrix).

What a thread has begun to copy it closes to a group; it waits until all but the newest groups have come. Others see
what has come for it behind a barrier.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Type, Value, ir
from ...nests.emit import Emitter, Index, create
from ...nests.nest import Access
from .tensor_copies import beyond, constant, pointer_type
from .vectors import BYTES, element_bytes


def _word() -> Type:
    return ir.IntegerType.get_signless(32)


def _number(value: int) -> ir.Attribute:
    return ir.IntegerAttr.get(_word(), value)


def address(access: Access, point: Sequence[Index], emitter: Emitter) -> Value:
    """Where in device memory the element of an operand at a point is."""
    memref, index = access.memref, emitter.index_type
    rank = memref.type.rank
    results = [ir.MemRefType.get([], memref.type.element_type), index, *[index] * (2 * rank)]
    metadata = ir.Operation.create("memref.extract_strided_metadata", results, [memref]).results
    strides, offset = memref.type.get_strides_and_offset()
    unknown = ir.ShapedType.get_dynamic_stride_or_offset()
    flat: Index = metadata[1] if offset == unknown else offset
    for axis, place in enumerate(access.indices(emitter, point)):
        stride = metadata[2 + rank + axis] if strides[axis] == unknown else strides[axis]
        flat = emitter.add(flat, emitter.multiply(place, stride))
    start = create("memref.extract_aligned_pointer_as_index", [index], [memref])
    long = ir.IntegerType.get_signless(64)
    generic = create("llvm.inttoptr", [pointer_type(0)], [create("arith.index_cast", [long], [start])])
    distance = emitter.value(emitter.multiply(flat, element_bytes(memref.type.element_type)))
    bytes_ = create("arith.index_cast", [long], [distance])
    return beyond(create("llvm.addrspacecast", [pointer_type(1)], [generic]), bytes_)


def begin_copy(to: Value, source: Value, is_asked: Value | None) -> None:
    """Begin to copy 16 bytes; zeros come instead if they are not asked for."""
    attributes = {"size": _number(BYTES), "modifier": ir.Attribute.parse("#nvvm<load_cache_modifier cg>")}
    operands = [to, source]
    if is_asked is not None:
        operands.append(create("arith.select", [_word()], [is_asked, constant(BYTES), constant(0)]))
    create("nvvm.cp.async.shared.global", [], operands, attributes)


def close_group() -> None:
    """Close the group of what the thread has begun to copy."""
    create("nvvm.cp.async.commit.group", [], [])


def wait_for_groups(newest: int) -> None:
    """Wait for all groups of the thread but so many of the newest."""
    create("nvvm.cp.async.wait.group", [], [], {"n": _number(newest)})


def load_matrices(at: Value, count: int, transposed: bool) -> list[Value]:
    """What a thread has of squares of 8 by 8 halves, two or four, each with a line at the address of a thread."""
    type = ir.Type.parse(f"!llvm.struct<({', '.join(['i32'] * count)})>")
    attributes = {
        "num": _number(count),
        "layout": ir.Attribute.parse(f"#nvvm.mma_layout<{'col' if transposed else 'row'}>"),
        "shape": ir.Attribute.parse("#nvvm.ld_st_matrix_shape<m = 8, n = 8>"),
        "eltType": ir.Attribute.parse("#nvvm.ld_st_matrix_elt_type<b16>"),
    }
    made = create("nvvm.ldmatrix", [type], [at], attributes)
    places = [{"position": ir.DenseI64ArrayAttr.get([number])} for number in range(count)]
    return [create("llvm.extractvalue", [_word()], [made], place) for place in places]

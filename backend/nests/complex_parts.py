"""Memrefs of complex numbers seen as memrefs of their parts: the same memory, without a copy."""

from __future__ import annotations

from ...dialect.mlir import Type, Value, ir
from .emit import Emitter, Index, create, scalar

_DYNAMIC = ir.ShapedType.get_dynamic_size()
_DYNAMIC_STRIDE = ir.ShapedType.get_dynamic_stride_or_offset()


def split_parts(memref: Value, emitter: Emitter) -> Value:
    """The parts along a further axis of two."""
    shape, strides, offset = _layout(memref)
    strides = [_twice(stride) for stride in strides]
    return _view(memref, [*shape, 2], [*strides, 1], offset, emitter)


def flat_parts(memref: Value, emitter: Emitter) -> Value:
    """The parts side by side along the last axis, which must have unit stride."""
    shape, strides, offset = _layout(memref)
    *outer, last = shape
    return _view(memref, [*outer, _twice(last)], [*map(_twice, strides[:-1]), 1], offset, emitter)


def _layout(memref: Value) -> tuple[list[int], list[int], int]:
    strides, offset = memref.type.get_strides_and_offset()
    return list(memref.type.shape), list(strides), offset


def _twice(number: int) -> int:
    return number if number in (_DYNAMIC, _DYNAMIC_STRIDE) else 2 * number


def _view(memref: Value, shape: list[int], strides: list[int], offset: int, emitter: Emitter) -> Value:
    """Rewrite the descriptor: pointers, then offset, sizes and strides, all but those of the last axis doubled."""
    part = memref.type.element_type.element_type
    layout = ir.StridedLayoutAttr.get(_twice(offset), strides)
    type = ir.MemRefType.get(shape, part, layout, memref.type.memory_space)
    rank, flat = memref.type.rank, len(shape) == memref.type.rank
    source = _cast(memref, _descriptor_type(rank))
    fields = [_field(source, [index], "!llvm.ptr") for index in (0, 1)]
    fields.append(_doubled(_field(source, [2], "i64")))
    sizes = [_field(source, [3, axis], "i64") for axis in range(rank)]
    steps = [_field(source, [4, axis], "i64") for axis in range(rank)]
    one, two = (_integer(number) for number in (1, 2))
    if flat:
        sizes = [*sizes[:-1], _doubled(sizes[-1])]
        steps = [*map(_doubled, steps[:-1]), one]
    else:
        sizes, steps = [*sizes, two], [*map(_doubled, steps), one]
    target = create("llvm.mlir.undef", [_descriptor_type(len(shape))], [])
    places = [[0], [1], [2], *([3, axis] for axis in range(len(shape)))]
    places += [[4, axis] for axis in range(len(shape))]
    for place, value in zip(places, [*fields, *sizes, *steps], strict=True):
        position = {"position": ir.DenseI64ArrayAttr.get(place)}
        target = create("llvm.insertvalue", [target.type], [target, value], position)
    return _cast(target, type)


def _descriptor_type(rank: int) -> Type:
    arrays = f", array<{rank} x i64>, array<{rank} x i64>" if rank else ""
    return ir.Type.parse(f"!llvm.struct<(ptr, ptr, i64{arrays})>")


def _cast(value: Value, type: Type) -> Value:
    return create("builtin.unrealized_conversion_cast", [type], [value])


def _field(descriptor: Value, place: list[int], type: str) -> Value:
    position = {"position": ir.DenseI64ArrayAttr.get(place)}
    return create("llvm.extractvalue", [ir.Type.parse(type)], [descriptor], position)


def _integer(number: Index) -> Value:
    return scalar(ir.IntegerType.get_signless(64), number)


def _doubled(value: Value) -> Value:
    return create("arith.muli", [value.type], [value, _integer(2)])

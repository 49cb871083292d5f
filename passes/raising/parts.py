"""Parts of arrays that all iterations of a loop take together: slices between bounds, with axes where they belong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from ...dialect.mlir import Value
from ...dialect.op import Op
from ...dialect.ops.elementwise import Maximum
from ...dialect.ops.indexing import Scatter
from ...dialect.ops.shape import Transpose
from ...dialect.ops.slicing import INT64_MAX, DynamicSlice, DynamicSliceUpdate, Slice, SliceUpdate
from ...dialect.register import decode_attributes, op_class_of
from ...dialect.sizes import terms_of
from ..control_flow.linear import is_at_most_zero, linear
from ..control_flow.structure import index_from, producer, weft_op
from ..rewriting import type_of

Attributes: TypeAlias = "dict[str, Any]"

_AT_CONSTANTS: Mapping[type[Op], type[Op]] = MappingProxyType(
    {DynamicSlice: Slice, DynamicSliceUpdate: SliceUpdate}
)


def without_maximum(bound: Value) -> Value | None:
    """An index that is not negative, without the op that sees to that; None if that is not known."""
    form = linear(bound)
    if is_at_most_zero(-form):
        return bound
    names = list(terms_of(form).items())
    made = producer(names[0][0][0]) if len(names) == 1 and names[0][0] and names[0][1] == 1 else None
    if made is None or op_class_of(made) is not Maximum:
        return None
    for one, other in (list(made.operands), list(made.operands)[::-1]):
        if linear(other) == 0:
            return index_from(one) if is_at_most_zero(-linear(one)) else bound
    return None


def before_writes(array: Value, axis: int, window: tuple[Value, Value]) -> Value:
    """What has the same elements between two bounds, before writes of single places behind or in front of these."""
    start, stop = map(linear, window)
    while (made := producer(array)) is not None and op_class_of(made) is Scatter:
        base, _, *indices = made.operands
        axes = decode_attributes(Scatter, made)["axes"]
        if axis not in axes or type_of(indices[0]).rank:
            break
        place = linear(indices[axes.index(axis)])
        if not all(map(is_at_most_zero, (-start, -place))):
            break
        if not is_at_most_zero(stop - place) and not is_at_most_zero(place - start + 1):
            break
        array = base
    return array


def moved(value: Value, axis: int, to: int) -> Value:
    """A value with one axis elsewhere."""
    if axis == to:
        return value
    order = [other for other in range(type_of(value).rank) if other != axis]
    order.insert(to, axis)
    return weft_op(Transpose, value, permutation=tuple(order))


def part(op_class: type[Op], operands: Sequence[Value], window: tuple[Value, Value], axis: int) -> Value:
    """A slice, or its update, between two bounds on an axis."""
    rank = type_of(operands[0]).rank
    bounds = {"start": [0] * rank, "stop": [INT64_MAX] * rank}
    ends, axes = list[Value](), dict[str, tuple[int, ...]]()
    for name, value in zip(bounds, window, strict=True):
        form = linear(value)
        axes[f"{name}_axes"] = () if isinstance(form, int) else (axis,)
        if isinstance(form, int):
            bounds[name][axis] = form
        else:
            ends.append(value)
    attributes: Attributes = {**{name: tuple(ends) for name, ends in bounds.items()}, "step": (1,) * rank}
    if not ends:
        return weft_op(_AT_CONSTANTS[op_class], *operands, **attributes)
    return weft_op(op_class, *operands, *ends, **attributes, **axes)

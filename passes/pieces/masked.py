"""Reductions of what a condition chooses, of arrays in blocks, as reductions of everything that count only that.

    %n, %c = weft.nonzero %mask                       %w = weft.select %mask, %x, 0
    %x' = weft.gather %x, %n[:%c]            ->       %s = weft.sum %w
    %s = weft.sum %x'

How many elements are chosen, only the run tells; so no value of that size may lie between pieces.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ...dialect.dtypes import is_half
from ...dialect.emitter import INT64, Tensor
from ...dialect.mlir import Operation, Value, ir
from ...dialect.op import Elementwise, Op
from ...dialect.op_emitter import OpEmitter
from ...dialect.ops.indexing import Gather
from ...dialect.ops.reductions import (
    AllOf,
    AnyOf,
    Max,
    Mean,
    Min,
    Prod,
    Reduction,
    Spread,
    Std,
    Sum,
    extremum_of_nothing,
    normalize_axes,
)
from ...dialect.ops.selection import Nonzero
from ...dialect.ops.shape import Dim
from ...dialect.ops.slicing import DynamicSlice
from ...dialect.records import NamedTuple
from ...dialect.register import decode_attributes, op_class_of
from ..partition.rules.packed import takes_what_is_there
from ..rewriting import is_unused, operations_in

_NOTHING: Mapping[type[Op], complex | None] = MappingProxyType(
    {Sum: 0, Mean: 0, Prod: 1, AnyOf: 0, AllOf: 1, Max: None, Min: None}
)
"""What does not count in a reduction; None of what depends on the dtype."""


class _Chosen(NamedTuple):
    """An array, of an axis of which a mask chooses."""

    value: Tensor | None
    """None for the places that are chosen."""
    mask: Tensor
    dim: int


def reduce_by_masks(function: Operation) -> None:
    """Rewrite what is computed of chosen elements, up to reductions of them; other uses stay as they are."""
    known: dict[Value, _Chosen] = {}
    operations = operations_in(function.regions[0].blocks[0])
    for operation in operations:
        op_class = op_class_of(operation)
        if op_class is None or (op_class is not DynamicSlice and known.keys().isdisjoint(operation.operands)):
            continue
        with ir.InsertionPoint(operation):
            found = _rewritten(OpEmitter(operation.location), operation, op_class, known)
        if isinstance(found, _Chosen):
            known[operation.results[0]] = found
        elif found is not None:
            operation.results[0].replace_all_uses_with(found.handle)
    for operation in reversed(operations):
        op_class = op_class_of(operation)
        if op_class is not None and op_class.is_pure() and is_unused(operation):
            operation.erase()


def _rewritten(
    b: OpEmitter, operation: Operation, op_class: type[Op], known: Mapping[Value, _Chosen]
) -> _Chosen | Tensor | None:
    if op_class is DynamicSlice:
        owner = operation.operands[0].owner
        if isinstance(owner, ir.Block) or op_class_of(owner.operation) is not Nonzero:
            return None
        is_all = takes_what_is_there(operation, owner.operation)
        return _Chosen(None, b.value(owner.operation.operands[0]), 0) if is_all else None
    given = decode_attributes(op_class, operation)
    if op_class is Gather:
        return _read(b, operation, given["axes"], given["position"], known)
    chosen = [known[value] for value in operation.operands if value in known]
    if any(each.value is None for each in chosen):
        return None
    if issubclass(op_class, Elementwise) and op_class.results == 1:
        return _elementwise(b, operation, op_class, known)
    (one,) = chosen[:1]
    assert one.value is not None
    if op_class is Dim:
        is_counted = given["axis"] % one.value.rank == one.dim
        return _count(b, one) if is_counted else b.emit(Dim, [one.value], given)[0]
    if not issubclass(op_class, (Reduction, Spread)):
        return None
    axes = normalize_axes(given["axes"], one.value.rank)
    if one.dim not in axes:
        gone = 0 if given["keepdims"] else sum(axis < one.dim for axis in axes)
        return one._replace(value=b.emit(op_class, [one.value], given)[0], dim=one.dim - gone)
    kind = one.value.dtype
    if issubclass(op_class, Spread):
        return _spread(b, op_class, one, axes, given) if kind.kind == "f" and not is_half(kind) else None
    if op_class not in _NOTHING or (op_class is Mean and is_half(kind)):
        return None
    return _reduced(b, op_class, one, axes, keepdims=given["keepdims"])


def _read(
    b: OpEmitter, operation: Operation, axes: Sequence[int], position: int, known: Mapping[Value, _Chosen]
) -> _Chosen | None:
    """`x[mask]` of an array that is as long as the mask."""
    source, *indices = operation.operands
    places = known.get(indices[0]) if len(indices) == 1 else None
    if places is None or places.value is not None or source in known or len(axes) != 1:
        return None
    x = b.value(source)
    if x.shape[axes[0]] != places.mask.shape[0]:
        return None
    rest = [dim for dim in range(x.rank) if dim != axes[0]]
    order = (*rest[:position], axes[0], *rest[position:])
    moved = x if position == axes[0] else b.transpose(x, permutation=order)
    return _Chosen(moved, places.mask, position)


def _elementwise(
    b: OpEmitter, operation: Operation, op_class: type[Op], known: Mapping[Value, _Chosen]
) -> _Chosen | None:
    """What is computed of what one mask has chosen, and of what is broadcast to it."""
    operands, found = [], set()
    rank = max(b.value(value).rank for value in operation.operands)
    for value in operation.operands:
        each = known.get(value)
        if each is None or each.value is None:
            operands.append(b.value(value))
            continue
        operands.append(each.value)
        found.add((each.mask.handle, each.dim + rank - each.value.rank))
    ((mask, dim), *others) = found
    for value, tensor in zip(operation.operands, operands, strict=True):
        own = dim - (rank - tensor.rank)
        if others or (value not in known and own >= 0 and tensor.shape[own] != 1):
            return None
    made = b.emit(op_class, operands, decode_attributes(op_class, operation))[0]
    return _Chosen(made, b.value(mask), dim)


def _reduced(
    b: OpEmitter, op_class: type[Op], chosen: _Chosen, axes: Sequence[int], *, keepdims: bool
) -> Tensor:
    x = chosen.value
    assert x is not None
    nothing = _NOTHING[op_class]
    if nothing is None:
        nothing = extremum_of_nothing(x.dtype, smallest=op_class is Min)
    others = tuple(dim for dim in range(x.rank) if dim != chosen.dim)
    mask = b.expand_dims(chosen.mask, axes=others) if others else chosen.mask
    counted = b.select(mask, x, b.number(nothing, x.dtype))
    kind = Sum if op_class is Mean else op_class
    made = b.emit(kind, [counted], {"axes": tuple(axes), "keepdims": keepdims})[0]
    return b.divide(made, _counted(b, chosen, axes, made)) if op_class is Mean else made


def _spread(
    b: OpEmitter, op_class: type[Op], chosen: _Chosen, axes: Sequence[int], given: Mapping[str, Any]
) -> Tensor:
    """Variance and standard deviation: of the distances from the mean."""
    assert chosen.value is not None
    away = chosen.value - _reduced(b, Mean, chosen, axes, keepdims=True)
    squares = _reduced(b, Sum, chosen._replace(value=away * away), axes, keepdims=given["keepdims"])
    left = _counted(b, chosen, axes, squares) - b.number(given["correction"], squares.dtype)
    found: Tensor = b.divide(squares, b.maximum(left, b.number(0, squares.dtype)))
    return b.one("sqrt", found) if op_class is Std else found


def _counted(b: OpEmitter, chosen: _Chosen, axes: Sequence[int], like: Tensor) -> Tensor:
    """How many elements are reduced to one."""
    assert chosen.value is not None
    beside = math.prod(chosen.value.shape[dim] or 0 for dim in axes if dim != chosen.dim)
    return b.converted(_count(b, chosen) * beside, like.dtype)


def _count(b: OpEmitter, chosen: _Chosen) -> Tensor:
    found: Tensor = b.sum(b.converted(chosen.mask, INT64), axes=(0,), keepdims=False)
    return found

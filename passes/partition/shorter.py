"""Blocks of what is made from less: it is made that long, and a generator draws the numbers of a block only."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...dialect.attributes import elements_from_mlir
from ...dialect.emitter import Tensor
from ...dialect.mlir import Operation, ir
from ...dialect.op import Elementwise
from ...dialect.op_emitter import OpEmitter
from ...dialect.ops.creation import Arange, Constant
from ...dialect.ops.random import RandomFloats
from ...dialect.ops.shape import BroadcastTo, Reshape
from ...dialect.register import decode_attributes, op_class_of
from .jumps import behind, words_of_draw


def made_shorter(b: OpEmitter, x: Tensor, dim: int, block: range) -> Tensor | None:
    """A block of an axis of what is made from less; None of others."""
    owner = x.handle.owner
    if isinstance(owner, ir.Block):
        return None
    operation = owner.operation
    op_class = op_class_of(operation)
    if op_class is BroadcastTo and len(operation.operands) == 1:
        return _broadcast(b, operation, dim, block)
    if op_class is Constant and x.rank:
        elements = operation.attributes["value"]
        if getattr(elements, "is_splat", False):
            array = elements_from_mlir(elements)
            shape = _with(array.shape, dim, len(block))
            found: Tensor = b.broadcast_to(b.constant(value=array.reshape(-1)[:1].reshape(())), shape=shape)
            return found
    if op_class is Arange and len(operation.operands) == 2:
        start, step = (b.value(operand) for operand in operation.operands)
        if start.dtype.kind in "iu":
            found = b.arange(start + step * b.number(block.start, step.dtype), step, shape=(len(block),))
            return found
    return _drawn(b, x, dim, block) if x.type.is_static else None


def _with(shape: Sequence[int | None], dim: int, extent: int) -> tuple[int, ...]:
    return tuple(extent if place == dim else own or 0 for place, own in enumerate(shape))


def _broadcast(b: OpEmitter, operation: Operation, dim: int, block: range) -> Tensor:
    source, shape = b.value(operation.operands[0]), decode_attributes(BroadcastTo, operation)["shape"]
    own = dim - (len(shape) - source.rank)
    if own >= 0 and source.shape[own] != 1:
        source = b.along(source, own, block.start, block.stop)
    found: Tensor = b.broadcast_to(source, shape=_with(shape, dim, len(block)))
    return found


def _drawn(b: OpEmitter, x: Tensor, dim: int, block: range) -> Tensor | None:
    """A block of numbers that a generator draws one behind the other, and of what is computed of each of them."""
    owner = x.handle.owner
    operation = None if isinstance(owner, ir.Block) else owner.operation
    op_class = None if operation is None else op_class_of(operation)
    if operation is None or op_class is None or any(extent != 1 for extent in x.shape[:dim]):
        return None
    attributes = decode_attributes(op_class, operation)
    if op_class is RandomFloats and words_of_draw(operation) is not None:
        state = behind(b, b.value(operation.operands[0]), attributes["algorithm"], block.start)
        return b.emit(RandomFloats, [state], {**attributes, "shape": (len(block),)})[0]
    if op_class is Reshape and len(operation.operands) == 1:
        inner = math.prod(extent or 0 for extent in x.shape[dim + 1 :])
        flat = b.value(operation.operands[0])
        numbers = range(block.start * inner, block.stop * inner)
        line = _drawn(b, flat, 0, numbers) if flat.rank == 1 else None
        return None if line is None else b.reshape(line, shape=_with(x.shape, dim, len(block)))
    if issubclass(op_class, Elementwise) and op_class.results == 1:
        operands = [b.value(operand) for operand in operation.operands]
        drawn = [_drawn(b, each, dim, block) for each in operands if each.shape == x.shape]
        others = [each for each in operands if each.shape != x.shape]
        if not drawn or None in drawn or any(each.rank == x.rank and each.shape[dim] != 1 for each in others):
            return None
        parts = iter(drawn)
        own = [next(parts) if each.shape == x.shape else each for each in operands]
        return b.emit(op_class, [each for each in own if each is not None], attributes)[0]
    return None

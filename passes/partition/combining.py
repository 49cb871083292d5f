"""Reductions over ranks that are ready at the same time go as one: starting a message takes longer than its bytes."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from ...dialect.emitter import Tensor
from ...dialect.mlir import Block, Operation, Value, ir
from ...dialect.op import Effect
from ...dialect.op_emitter import OpEmitter
from ...dialect.ops.distributed import AllReduce
from ...dialect.register import decode_attributes, op_class_of, tensor_type
from ..rewriting import operations_in, operations_of
from .messages import Messages

_MOST = 1 << 20
"""Reductions of more bytes go by themselves: they would be copied, and bandwidth is what they take."""


def has_effects(operation: Operation) -> bool:
    """Whether an op, or one inside of it, does something besides computing values, or may."""
    inside = operations_of(operation) if len(operation.regions) else ()
    return any(_has_effects(op) for op in (operation, *inside))


def _has_effects(operation: Operation) -> bool:
    op_class = op_class_of(operation)
    if op_class is not None:
        return bool(set(op_class.effects) - {Effect.ALLOCATE})
    return str(operation.name) == "func.call"


def combine(messages: Messages, ready: Sequence[int]) -> dict[Value, Tensor]:
    """Join reductions, by their numbers among the messages, that are the last one for their ops and need not wait.

    Returns what is to stand for their results; the ops are left without uses, for the caller to erase.
    """
    replaced: dict[Value, Tensor] = {}
    groups: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
    for number in ready:
        operation = messages.reductions[number]
        kind = tensor_type(operation.operands[0])
        if messages.sent[number].bytes <= _MOST and kind.is_static:
            attributes = decode_attributes(AllReduce, operation)
            groups[operation.block, kind.dtype.str, attributes["reduction"], attributes["over"]].append(
                number
            )
    for numbers in groups.values():
        if len(numbers) > 1:
            _join(messages, numbers, replaced)
    return replaced


def _join(messages: Messages, numbers: Sequence[int], replaced: dict[Value, Tensor]) -> None:
    operations = [messages.reductions[number] for number in numbers]
    last = operations[-1]
    moved = _users_before(operations[:-1], last)
    with ir.InsertionPoint(last):
        b = OpEmitter(operations[0].location)
        tensors = [b.value(operation.operands[0]) for operation in operations]
        lines = [b.reshaped(x, [_size(x)]) for x in tensors]
        together = lines[0]
        for line in lines[1:]:
            together = b.concat(together, line, axis=0)
        sums = b.emit(AllReduce, [together], decode_attributes(AllReduce, last))[0]
        start = 0
        for operation, x in zip(operations, tensors, strict=True):
            part = b.along(sums, 0, start, start + _size(x))
            start += _size(x)
            made = b.reshaped(part, [extent or 0 for extent in x.shape])
            operation.results[0].replace_all_uses_with(made.handle)
            replaced[operation.results[0]] = made
    for operation in moved:
        operation.move_before(last)
    first = messages.sent[numbers[0]]
    total = sum(messages.sent[number].bytes for number in numbers)
    messages.sent[numbers[0]] = first._replace(bytes=total)
    for number in numbers[1:]:
        messages.sent[number] = messages.sent[number]._replace(kind="")


def _size(x: Tensor) -> int:
    return math.prod(extent or 0 for extent in x.shape)


def _users_before(operations: Sequence[Operation], last: Operation) -> list[Operation]:
    """What uses results of ops in front of another one in their block, in order."""
    used: set[Value] = {result for operation in operations for result in operation.results}
    found: list[Operation] = []
    block: Block = last.block
    for operation in operations_in(block):
        if operation == last:
            break
        if not used.isdisjoint(operation.operands):
            found.append(operation)
            used.update(operation.results)
    return found

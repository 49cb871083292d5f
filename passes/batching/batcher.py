"""Writes ops for all lanes: what differs from lane to lane gets an axis of lanes in front, the rest stays as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from ...dialect.attributes import type_from_mlir, type_to_mlir
from ...dialect.batching import Laned, Lanes, batched, elementwise
from ...dialect.emitter import INT64, Extent, Tensor
from ...dialect.errors import BatchingError
from ...dialect.host_calls import callback_of
from ...dialect.mlir import Operation, Type, Value, ir
from ...dialect.op import Op
from ...dialect.op_emitter import OpEmitter
from ...dialect.ops.differentiation import Gradient, Independent, Pairs, Tangent
from ...dialect.ops.indexing import FindOutOfBounds
from ...dialect.ops.selection import Select
from ...dialect.ops.state import AllocRef, RaiseIf, WriteRef
from ...dialect.ops.ufunc_loops import LoopOp
from ...dialect.register import decode_attributes, op_class_of, tensor_type
from ...dialect.types import TensorType
from ..base import Statistics
from ..control_flow.structure import (
    CAST,
    EXTRACT,
    FROM_ELEMENTS,
    INDEX_CAST,
    extracted,
    index_from,
    tensor_from,
)
from .analysis import Differing, only_ends_the_call

Handler: TypeAlias = "Callable[[Batcher, Operation, Value | None], None]"
"""Writes an op with regions, where those lanes run it that a mask tells; None for all."""

_WRITES = (
    "a function under weft.vmap writes to an array or variable from outside, to which all rows would write at once: "
    "return what it has computed, and write it behind the call"
)


class Batcher:
    """Writes the ops between `weft.lane` and `weft.lanes` of one number, in front of those whose place they take."""

    def __init__(
        self,
        begin: Operation,
        extent: Extent,
        differing: Differing,
        handlers: Mapping[str, Handler],
        statistics: Statistics,
    ) -> None:
        self.extent = extent
        self._begin = begin
        self.differing = differing
        self.statistics = statistics
        self._handlers = handlers
        self._values: dict[Value, Value] = {}
        """What stands for values that differ from lane to lane: tensors, also for numbers that are none."""
        self._replaced: list[Operation] = []

    # Values

    def __contains__(self, value: Value) -> bool:
        return value in self._values

    def emitter(self, operation: Operation) -> OpEmitter:
        """Makes ops at the current insertion point, for an op."""
        return OpEmitter(operation.location)

    def lanes(self, b: OpEmitter) -> Lanes:
        """The lanes, first among the axes."""
        extent = b.value(self.extent.handle) if isinstance(self.extent, Tensor) else self.extent
        return Lanes(lambda: extent)

    def give(self, value: Value, lanes: Tensor) -> None:
        """Note what stands for a value."""
        self._values[value] = lanes.handle

    def tensor(self, b: OpEmitter, value: Value) -> Tensor:
        """A value that is the same in all lanes as a tensor."""
        return b.value(value if isinstance(value.type, ir.RankedTensorType) else tensor_from(value))

    def laned(self, b: OpEmitter, value: Value) -> Laned:
        """What stands for an operand."""
        known = self._values.get(value)
        return Laned(self.tensor(b, value), False) if known is None else Laned(b.value(known), True)

    def spread(self, b: OpEmitter, value: Value) -> Tensor:
        """What stands for an operand, with an element for each lane, in the type that is known of it."""
        return b.refined(self.lanes(b).spread(b, self.laned(b, value)), self.type_of(value.type))

    def type_of(self, wanted: Type) -> TensorType:
        """The type of what stands for values of a type."""
        if isinstance(wanted, ir.RankedTensorType):
            one = type_from_mlir(wanted)
            assert isinstance(one, TensorType)
        else:
            one = TensorType((), np.dtype(np.bool_) if str(wanted) == "i1" else _number_type(wanted))
        return one.with_shape([self.extent if isinstance(self.extent, int) else None, *one.shape])

    def mlir_type(self, wanted: Type) -> Type:
        """The type of what stands for values of a type, as MLIR's."""
        return type_to_mlir(self.type_of(wanted))

    def scalar_type(self) -> Type:
        """The type of extents."""
        return type_to_mlir(TensorType((), INT64))

    def selected(self, b: OpEmitter, mask: Tensor, left: Laned, right: Laned) -> Tensor:
        """Of two values the left one in the lanes of a mask."""
        return elementwise(b, Select, [Laned(mask, True), left, right], {}, self.lanes(b))[0].value

    # Ops

    def write_all(self, operations: Iterable[Operation], mask: Value | None) -> None:
        """Write ops in program order."""
        for operation in operations:
            with ir.InsertionPoint(operation):
                self._write(operation, mask)

    def _write(self, operation: Operation, mask: Value | None) -> None:
        handler = self._handlers.get(operation.name)
        if handler is not None:
            handler(self, operation, mask)
            return
        op_class = op_class_of(operation)
        operands = list(operation.operands)
        if op_class in (WriteRef, AllocRef):
            raise BatchingError(_WRITES, str(operation.location))
        if op_class is RaiseIf:
            self._raise(operation, mask)
        elif callback_of(operation) is not None:
            self.one_by_one(operation, mask)
        elif self._fails_in_each(operation, mask):
            if op_class is FindOutOfBounds and (mask is not None or tensor_type(operands[0]).rank == 0):
                self._find_in_each(operation)
            else:
                self.one_by_one(operation, mask)
        elif op_class is Independent or any(value in self for value in operands):
            self._write_for_lanes(operation, mask)

    def _fails_in_each(self, operation: Operation, mask: Value | None) -> bool:
        """Whether an op is to say of each lane by itself whether it failed there."""
        op_class = op_class_of(operation)
        if op_class is None or not any(value in self for value in operation.operands):
            return False
        fails = op_class is FindOutOfBounds or (issubclass(op_class, LoopOp) and op_class.fails)
        return fails and (mask is not None or not only_ends_the_call(operation))

    def _write_for_lanes(self, operation: Operation, mask: Value | None) -> None:
        b, op_class = self.emitter(operation), op_class_of(operation)
        if op_class is None:
            made: Sequence[Laned] | None = self._scalar(b, operation)
        else:
            operands = [self.laned(b, value) for value in operation.operands]
            place = None if op_class is None else _DERIVATIVES.get(op_class)
            if place is not None and operands[place - 1].has_lanes:
                operands[place] = self._where_it_is_made(b, operation.operands[place])
            if op_class is Gradient and not operands[2].has_lanes:
                raise BatchingError(
                    "a function under weft.vmap asks for the gradient by a value from outside, of which all rows have "
                    "one: pass it as an argument, or ask for the gradient of what weft.vmap gives",
                    str(operation.location),
                )
            made = batched(b, op_class, operands, decode_attributes(op_class, operation), self.lanes(b))
        if made is None:
            self.one_by_one(operation, mask)
            return
        for value, found in zip(operation.results, made, strict=True):
            if found.has_lanes:
                self.give(value, b.refined(found.value, self.type_of(value.type)))
            else:
                self.stand_in(value, found.value.handle)
        self.statistics["ops on all lanes"] += 1
        self.replaced(operation)

    def _where_it_is_made(self, b: OpEmitter, value: Value) -> Laned:
        """What stands for a derivative, with lanes where it is made: others are computed of it right behind that."""
        if value in self:
            return self.laned(b, value)
        with self._behind(value):
            return Laned(self.spread(b, value), True)

    def _behind(self, value: Value) -> ir.InsertionPoint:
        """The place behind what makes a value, or where the lanes begin."""
        owner = value.owner
        is_argument = isinstance(owner, ir.Block)
        block, holder = (owner, None) if is_argument else (owner.operation.block, owner.operation)
        while block != self._begin.block:
            holder = block.owner.operation
            if holder.name == "func.func":
                return ir.InsertionPoint(self._begin)
            block = holder.block
        if holder is None or not self._begin.is_before_in_block(holder):
            return ir.InsertionPoint(self._begin)
        return (
            ir.InsertionPoint.at_block_begin(owner)
            if is_argument
            else ir.InsertionPoint.after(owner.operation)
        )

    def stand_in(self, value: Value, other: Value) -> None:
        """Let the users of a value that is the same in all lanes use another."""
        if other.type != value.type:
            other = ir.Operation.create(CAST, results=[value.type], operands=[other]).results[0]
        value.replace_all_uses_with(other)

    def _scalar(self, b: OpEmitter, operation: Operation) -> list[Laned] | None:
        """What moves numbers between types: what stands for them are tensors anyway."""
        operand = operation.operands[0]
        if operation.name == EXTRACT and len(operation.operands) == 1:
            return [self.laned(b, operand)]
        if operation.name == FROM_ELEMENTS and len(operation.operands) == 1:
            return [self.laned(b, operand)]
        if operation.name == INDEX_CAST and operand in self:
            return [self.laned(b, operand)]
        if operation.name == CAST:
            return [self.laned(b, operand)]
        return None

    def one_by_one(self, operation: Operation, mask: Value | None) -> None:
        """Write an op in a loop over the lanes."""
        self._handlers[ONE_BY_ONE](self, operation, mask)

    def _raise(self, operation: Operation, mask: Value | None) -> None:
        """End the call where the condition holds in one of the lanes: with the numbers of the first such."""
        condition, *values = operation.operands
        if mask is None and condition not in self and not any(value in self for value in values):
            return
        b = self.emitter(operation)
        holds = self.spread(b, condition)
        if mask is not None:
            holds = holds & b.value(mask)
        place = b.argmax(holds, axis=0, keepdims=False) if any(value in self for value in values) else None
        shown = []
        for value in values:
            number = self.laned(b, value)
            shown.append(
                b.gather(number.value, place, axes=(0,), position=0) if number.has_lanes else number.value
            )
        b.emit(
            RaiseIf,
            [b.any(holds, axes=(0,), keepdims=False), *shown],
            decode_attributes(RaiseIf, operation),
        )
        self.replaced(operation)

    def _find_in_each(self, operation: Operation) -> None:
        """Whether there is an index outside in a lane, and the first one in it."""
        b = self.emitter(operation)
        self.replaced(operation)
        indices = self.spread(b, operation.operands[0])
        extent = self.laned(b, operation.operands[1])
        if indices.rank == 1:
            is_wrong = (indices < -extent.value) | b.greater_equal(indices, extent.value)
            self.give(operation.results[0], is_wrong)
            self.give(operation.results[1], b.select(is_wrong, indices, b.number(0, INT64)))
            return
        lines = b.reshaped(indices, [b.extent(indices, 0), b.count(indices, range(1, indices.rank))])
        limit = b.expand_dims(extent.value, axes=(1,)) if extent.has_lanes else extent.value
        wrong = (lines < -limit) | b.greater_equal(lines, limit)
        where = b.argmax(wrong, axis=1, keepdims=True)
        found = b.squeeze(b.take_along_axis(lines, where, axis=1), axes=(1,))
        is_wrong = b.any(wrong, axes=(1,), keepdims=False)
        self.give(operation.results[0], is_wrong)
        self.give(operation.results[1], b.select(is_wrong, found, b.number(0, INT64)))

    def unlaned(self, b: OpEmitter, wanted: Type, row: Tensor) -> Value:
        """A tensor of one lane as a value of a type: a number where that is none."""
        if isinstance(wanted, ir.RankedTensorType):
            one = type_from_mlir(wanted)
            assert isinstance(one, TensorType)
            return b.refined(row, one).handle
        return index_from(row.handle) if str(wanted) == "index" else extracted(row.handle)

    # The end

    def replaced(self, operation: Operation) -> None:
        """Note that something takes the place of an op: before that is noted of those inside of it."""
        self._replaced.append(operation)

    def erase_replaced(self) -> None:
        """Erase what something took the place of; what else uses it is outside."""
        gone = set(self._replaced)
        for operation in reversed(self._replaced):
            for result in operation.results:
                for use in result.uses:
                    user = use.owner.operation
                    if user not in gone:
                        raise BatchingError(
                            "a function under weft.vmap leaves what it has computed for one row where others find it "
                            "(in an attribute, a variable around it, a list), but there are many rows: return it",
                            str(operation.location),
                        )
            operation.erase()


def _number_type(wanted: Type) -> np.dtype[Any]:
    return np.dtype(np.int64) if str(wanted) in ("index", "i64") else np.dtype(_NUMBERS[str(wanted)])


_NUMBERS = {
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
}

_DERIVATIVES: dict[type[Op], int] = {Tangent: 2, Pairs: 1}
"""Which operand is a derivative."""

ONE_BY_ONE = "one by one"
"""The name under which a handler writes what runs in a loop over the lanes."""

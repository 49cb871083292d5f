"""Keep tensors in memory so that the columns which a loop goes through are rows.

    for j in range(1, n): p[:, j] = a * p[:, j - 1] + b    becomes    for j in range(1, n): p[j] = a * p[j - 1] + b

Recurrences along the last axis, such as the sweeps of implicit methods, touch a cache line for every element. So the
loop carries, and reads, the tensors with the last axis in front: all that an iteration takes then is contiguous.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ...dialect.attributes import type_to_mlir
from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.ops.indexing import Gather, Scatter
from ...dialect.ops.shape import BroadcastTo, Transpose
from ...dialect.ops.slicing import Slice, SliceUpdate
from ...dialect.records import dataclass
from ...dialect.register import decode_attributes, op_class_of
from ..base import Pass, Statistics
from ..control_flow.structure import (
    FOR,
    YIELD,
    body,
    control_ops,
    defined_inside,
    functions_with_control_flow,
    is_inside,
    producer,
    trip_count,
    used_inside,
    weft_op,
    yielded,
)
from ..rewriting import operations_of, type_of

_FEWEST_ELEMENTS = 2048
"""Smaller tensors stay in the first-level cache, where a column costs little more than a row. A recurrence over 64 x 64
float64 takes 2.6 us instead of 5.3, over 1024 x 1024 2.1 ms instead of 9.6; one over 32 x 32 gains nothing (Zen 4)."""

_PART = 8
"""What is read or replaced as a whole between columns is at most this part of a tensor: it is transposed itself."""


@dataclass(frozen=True)
class TransposeColumns(Pass):
    """Move the last axis of tensors to the front where an `scf.for` takes column after column of them.

    What the loop carries is transposed if the loop does nothing to it but read and write columns, or small slices;
    what it only reads, if all that it reads are columns. Between loops, and in loops around them, the tensor stays
    transposed if all that is done to it there can be done to it so.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        """Inner loops first: what is transposed before and behind them may be so in all of an outer one."""
        for function in functions_with_control_flow(module):
            if not any(_is_column(operation) for operation in operations_of(function)):
                continue
            for loop in control_ops(function, FOR):
                moved = _transpose_carried(loop) + _transpose_read(loop)
                statistics["tensors transposed"] += moved
            _merge(function)


def _transpose_carried(loop: Operation) -> int:
    """Transpose what a loop carries; says how many tensors."""
    moved = 0
    for value in list(body(loop).arguments)[1:]:
        layout = _Layout(value)
        if not _is_large(value) or not layout.found() or not _pays(loop, value, layout.columns, costs=2):
            continue
        with ir.InsertionPoint(loop):
            loop.operands[2 + value.arg_number] = _transposed(loop.operands[2 + value.arg_number])
        layout.write()
        _transpose_result(loop, loop.results[value.arg_number - 1])
        moved += 1
    return moved


def _transpose_read(loop: Operation) -> int:
    """Transpose what a loop reads from outside; says how many tensors."""
    moved = 0
    inside, block = defined_inside(loop), body(loop)
    for value in dict.fromkeys(used_inside(loop)):
        if value in inside or value in list(loop.operands) or not _is_large(value):
            continue
        users = [user for user in _users(value) if is_inside(user, block)]
        made = producer(value)
        costs = 0 if made is not None and _is_backward(made) else 1
        if all(_reads_column(user) or _is_forward(user) for user in users) and _pays(
            loop, value, users, costs=costs
        ):
            with ir.InsertionPoint(loop):
                transposed = _transposed(value)
            for user in users:
                _read_transposed(user, transposed)
            moved += 1
    return moved


def _pays(loop: Operation, value: Value, users: Sequence[Operation], *, costs: int) -> bool:
    """Whether transposing a tensor `costs` times outside of a loop is less than what its users in there lose."""
    if any(_is_forward(user) or _is_backward(user) for user in users):
        return True  # it is transposed in there
    trips = trip_count(loop)
    accesses = sum(len(_users(user.results[0])) if op_class_of(user) is Gather else 1 for user in users)
    return trips is not None and 2 * trips >= (type_of(value).shape[-1] or 0) and 2 * accesses > costs


def _merge(function: Operation) -> None:
    """Do to tensors as loops have them what is done between the loops."""
    while any(_raise(operation) or _sink(operation) for operation in operations_of(function)):
        pass  # what is erased then is looked at no more


def _raise(operation: Operation) -> bool:
    """Transpose a tensor before a part of it is replaced, where nothing else reads it as it is behind that."""
    if not _is_forward(operation):
        return False
    update = producer(operation.operands[0])
    if update is None or op_class_of(update) is not SliceUpdate or not _keeps(update):
        return False
    if update.block != operation.block or len(_users(update.results[0])) != 1:
        return False
    with ir.InsertionPoint(update):
        update.operands[0] = _transposed(update.operands[0])
    _transpose_user(update)
    _transpose_type(update.results[0])
    operation.results[0].replace_all_uses_with(update.results[0])
    operation.erase()
    return True


def _sink(operation: Operation) -> bool:
    """Do to a tensor as a loop leaves it all that is done to it behind the loop, where that is possible."""
    if not _is_backward(operation):
        return False
    layout = _Layout(operation.results[0])
    if not layout.found():
        return False
    layout.write()
    return True


class _Layout:
    """The values that are one tensor while it is updated, those that a loop carries among them, and their users."""

    def __init__(self, value: Value) -> None:
        self._first = value
        self._members: dict[Value, None] = {value: None}
        self._users: list[Operation] = []
        self._backward: list[Operation] = []

    @property
    def columns(self) -> list[Operation]:
        """What reads and writes columns, or transposes."""
        accesses = (op for op in self._users if _is_column(op) or _is_forward(op))
        return [*accesses, *self._backward]

    def found(self) -> bool:
        """Look for them all; whether all that is done to them can be done to the tensor transposed."""
        pending = [self._first]
        while pending:
            value = pending.pop()
            near = self._origins(value)
            following = self._following(value)
            if near is None or following is None:
                return False
            for other in (*near, *following):
                if other not in self._members:
                    self._members[other] = None
                    pending.append(other)
        return True

    def _origins(self, value: Value) -> list[Value] | None:
        """What a value is an update of, or what an iteration leaves for the next one."""
        made = producer(value)
        if made is None:
            return [yielded(value.owner)[value.arg_number - 1]] if value == self._first else None
        if _is_backward(made):
            self._backward.append(made)
            return []
        return [made.operands[0]] if op_class_of(made) in _UPDATES and _keeps(made) else None

    def _following(self, value: Value) -> list[Value] | None:
        """The updates of a value."""
        found: list[Value] = []
        for use in value.uses:
            user, index = use.owner.operation, use.operand_number
            if user.name == YIELD and self._is_carried(user, index):
                continue
            if index != 0 or not _keeps(user):
                return None
            self._users.append(user)
            if op_class_of(user) in _UPDATES:
                found.append(user.results[0])
        return found

    def _is_carried(self, end: Operation, index: int) -> bool:
        """Whether what an iteration hands on is the tensor in the next one."""
        first = self._first
        return (
            isinstance(first.owner, ir.Block) and end.block == first.owner and index == first.arg_number - 1
        )

    def write(self) -> None:
        """Transpose the values, and what is done to them."""
        for value in self._members:
            made = producer(value)
            if made is None or not _is_backward(made):
                _transpose_type(value)
        for operation in self._users:
            if not _is_forward(operation):
                _transpose_user(operation)
        for operation in [*(op for op in self._users if _is_forward(op)), *self._backward]:
            operation.results[0].replace_all_uses_with(operation.operands[0])
            operation.erase()


# What is done to a tensor


_UPDATES = (Scatter, SliceUpdate)
_BOUNDS = ("start", "stop", "step")


def _is_large(value: Value) -> bool:
    """Whether a value is a tensor of known size that columns can be taken of, and that transposing may pay for."""
    if not isinstance(value.type, ir.RankedTensorType):
        return False
    shape = type_of(value).shape
    return len(shape) > 1 and None not in shape and math.prod(n or 0 for n in shape) >= _FEWEST_ELEMENTS


def _is_column(operation: Operation) -> bool:
    """Whether an op reads or writes the elements at one index on the last axis of its first operand."""
    op_class = op_class_of(operation)
    if op_class is not Gather and op_class is not Scatter:
        return False
    attributes = decode_attributes(op_class, operation)
    last = type_of(operation.operands[0]).rank - 1
    is_one = type_of(list(operation.operands)[-1]).rank == 0
    return is_one and last > 0 and attributes["axes"] == (last,) and attributes["position"] == 0


def _reads_column(operation: Operation) -> bool:
    return op_class_of(operation) is Gather and _is_column(operation)


def _keeps(operation: Operation) -> bool:
    """Whether an op can be done to its first operand transposed, at little cost."""
    op_class = op_class_of(operation)
    if op_class in (Slice, SliceUpdate):
        part = operation.results[0] if op_class is Slice else operation.operands[1]
        whole = operation.operands[0]
        if not type_of(part).is_static or not type_of(whole).is_static:
            return False
        return _size(part) * _PART <= _size(whole)
    return _is_column(operation) or _is_forward(operation)


def _size(value: Value) -> int:
    return math.prod(extent or 0 for extent in type_of(value).shape)


def _forward(rank: int) -> tuple[int, ...]:
    """The last axis in front."""
    return (rank - 1, *range(rank - 1))


def _backward(rank: int) -> tuple[int, ...]:
    """The first axis behind."""
    return (*range(1, rank), 0)


def _is_forward(operation: Operation) -> bool:
    return _permutes(operation, _forward)


def _is_backward(operation: Operation) -> bool:
    return _permutes(operation, _backward)


def _permutes(operation: Operation, axes: Callable[[int], tuple[int, ...]]) -> bool:
    if op_class_of(operation) is not Transpose:
        return False
    permutation = decode_attributes(Transpose, operation)["permutation"]
    return len(permutation) > 1 and permutation == axes(len(permutation))


def _users(value: Value) -> list[Operation]:
    return [use.owner.operation for use in value.uses]


# Rewriting


def _transposed(value: Value) -> Value:
    """A tensor with its last axis in front, at the current insertion point."""
    made = producer(value)
    if made is not None and _is_backward(made):
        before: Value = made.operands[0]
        return before
    permutation = _forward(type_of(value).rank)
    if made is not None and op_class_of(made) is BroadcastTo and not type_of(made.operands[0]).rank:
        shape = type_of(value).shape
        return weft_op(BroadcastTo, *made.operands, shape=tuple(shape[axis] for axis in permutation))
    return weft_op(Transpose, value, permutation=permutation)


def _transpose_result(operation: Operation, result: Value) -> None:
    """Let the users of a result, which an op is to give transposed, have it as it was."""
    users = [(use.owner.operation, use.operand_number) for use in result.uses]
    _transpose_type(result)
    with ir.InsertionPoint.after(operation):
        back = weft_op(Transpose, result, permutation=_backward(type_of(result).rank))
    for user, index in users:
        user.operands[index] = back


def _transpose_type(value: Value) -> None:
    """Let a value be of the type that it has with the last axis in front."""
    found = type_of(value)
    value.set_type(type_to_mlir(found.with_shape([found.shape[axis] for axis in _forward(found.rank)])))


def _read_transposed(user: Operation, transposed: Value) -> None:
    """Let an op that reads columns, or transposes, read a tensor that is transposed."""
    if _is_forward(user):
        user.results[0].replace_all_uses_with(transposed)
        user.erase()
    else:
        user.operands[0] = transposed
        _transpose_user(user)


def _transpose_user(operation: Operation) -> None:
    """Let an op do to its first operand, which is transposed, what it did to it before."""
    op_class = op_class_of(operation)
    if op_class in (Gather, Scatter):
        operation.attributes["axes"] = ir.DenseI64ArrayAttr.get([0])
        return
    assert op_class is not None
    bounds = decode_attributes(op_class, operation)
    for name in _BOUNDS:
        found = bounds[name]
        operation.attributes[name] = ir.DenseI64ArrayAttr.get([found[axis] for axis in _forward(len(found))])
    if op_class is Slice:
        _transpose_result(operation, operation.results[0])
    else:
        with ir.InsertionPoint(operation):
            operation.operands[1] = _transposed(operation.operands[1])

"""Read what was put into a tensor from there.

    %u = linalg.generic ...                                       %u = linalg.generic ...
    %y = tensor.insert_slice %u into %x[1] [8]         ->         %y = tensor.insert_slice %u into %x[1] [8]
    linalg.generic ins(%u, %shifted_part_of_y)                    %v = tensor.extract_slice %y[1] [8]
                                                                  linalg.generic ins(%v, %shifted_part_of_y)

A value that is only put into a tensor is computed there; one that is read itself lies in memory of its own, and is
copied.
"""

from __future__ import annotations

from ...dialect.made_ops import operation_of
from ...dialect.mlir import Block, Module, Operation, Value, ir
from ...dialect.records import dataclass
from ..base import Pass, Statistics
from ..rewriting import operations_in, operations_of
from .read_first import VIEWS, destinations

_EXTRACT, _INSERT = "tensor.extract_slice", "tensor.insert_slice"
_BOUNDS = ("static_offsets", "static_sizes", "static_strides")


@dataclass(frozen=True)
class ReadInserted(Pass):
    """Let ops that read a tensor anyway read there, too, what was put into it.

    The two half steps of a stencil on two arrays are such ops: the second one reads what the first one wrote at all
    places around, and at the place itself, where `weft-simplify` knows the value.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        """Look at every slice that is replaced."""
        orders: dict[Block, list[Operation]] = {}
        for operation in operations_of(module.operation):
            if operation.name == _INSERT and _pays(operation, orders):
                statistics["reads redirected"] += _redirect(operation)
                orders.clear()


def _pays(insert: Operation, orders: dict[Block, list[Operation]]) -> bool:
    """Whether what is put into a tensor could be computed there, if nothing read it but ops that read the tensor."""
    update, before, *_ = insert.operands
    if isinstance(update.owner, ir.Block):
        return False
    maker = update.owner.operation
    if not maker.name.startswith("linalg.") or maker.block != insert.block or len(maker.results) != 1:
        return False
    users = _others(update, insert)
    if not users or any(_root(operand) == before for operand in maker.operands):
        return False
    for user in users:
        if user.block != insert.block or not user.name.startswith("linalg.") or update in destinations(user):
            return False
        if not any(_root(operand) == insert.results[0] for operand in user.operands if operand != update):
            return False
    order = orders.get(insert.block)
    if order is None:
        order = orders[insert.block] = operations_in(insert.block)
    behind = order[order.index(insert) + 1 :]
    if any(user not in behind for user in users):
        return False
    last = max(behind.index(user) for user in users)
    return not any(insert.results[0] in destinations(op) for op in behind[: last + 1])


def _others(value: Value, operation: Operation) -> list[Operation]:
    """The ops that use a value, but for one."""
    users = [use.owner.operation for use in value.uses]
    return [user for user in users if user != operation]


def _root(value: Value) -> Value:
    """The tensor that a value is a view of."""
    while not isinstance(value.owner, ir.Block) and value.owner.operation.name in VIEWS:
        value = value.owner.operation.operands[0]
    return value


def _redirect(insert: Operation) -> int:
    """Read the part of the tensor in place of what was put there; how many ops do."""
    update, _, *bounds = insert.operands
    users = _others(update, insert)
    counts = list(insert.attributes["operandSegmentSizes"])
    with ir.InsertionPoint.after(insert), insert.location:
        read = operation_of(
            _EXTRACT,
            [insert.results[0], *bounds],
            [update.type],
            operandSegmentSizes=ir.DenseI32ArrayAttr.get([1, *counts[2:]]),
            **{name: insert.attributes[name] for name in _BOUNDS},
        )
    for user in users:
        for place, operand in enumerate(user.operands):
            if operand == update:
                user.operands[place] = read.results[0]
    return len(users)

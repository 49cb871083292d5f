"""What the passes on scf share: regions and their terminators, ops made, moved and copied, loops rebuilt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ...dialect.attributes import elements_from_mlir
from ...dialect.errors import PythonNumberError
from ...dialect.made_ops import constant_index as constant_index
from ...dialect.made_ops import extracted as extracted
from ...dialect.made_ops import index_from as index_from
from ...dialect.made_ops import operation_of as operation_of
from ...dialect.made_ops import tensor_from as tensor_from
from ...dialect.mlir import Block, Location, Module, Operation, Type, Value, ir
from ...dialect.op import Array, Op
from ...dialect.ops.creation import Constant
from ...dialect.ops.state import RaiseIf
from ...dialect.register import create, op_class_of
from ..rewriting import blocks_of, holds, made_again, operations_of
from ..rewriting import operations_in as operations_in
from ..rewriting import terminator as terminator

IF, FOR, WHILE = "scf.if", "scf.for", "scf.while"
LOOPS = frozenset({FOR, WHILE})
CONTROL = frozenset({IF, *LOOPS})
YIELD, CONDITION = "scf.yield", "scf.condition"
EXTRACT, FROM_ELEMENTS, CAST = "tensor.extract", "tensor.from_elements", "tensor.cast"
INDEX_CAST, SCALAR_CONSTANT = "arith.index_cast", "arith.constant"


def has_control_flow(root: Operation) -> bool:
    """Whether there is a branch or a loop in an op; costs half a microsecond for every op without one."""
    return holds(root, CONTROL)


def control_ops(root: Operation, *names: str) -> list[Operation]:
    """The branches and loops inside an op, inner ones first."""
    wanted = frozenset(names) or CONTROL
    found: list[Operation] = []
    advance = ir.WalkResult.ADVANCE

    def visit(operation: Operation) -> Any:
        if operation.name in wanted:
            found.append(operation)
        return advance

    root.walk(visit, ir.WalkOrder.POST_ORDER)
    return [operation for operation in found if operation != root]


def functions_with_control_flow(module: Module) -> list[Operation]:
    """The functions that hold a branch or a loop."""
    functions = operations_in(module.body)
    return [f for f in functions if f.name == "func.func" and has_control_flow(f)]


def is_number_check(operation: Operation) -> bool:
    """Whether an op ends the call where compiled code has not the number that Python has, as of more than 64 bits."""
    is_check = op_class_of(operation) is RaiseIf
    return is_check and str(operation.attributes["error"].value) == PythonNumberError.__name__


# Blocks


def body(operation: Operation, region: int = 0) -> Block:
    """The one block of a region; of the else branch of an `scf.if` only where `has_else` holds."""
    return operation.regions[region].blocks[0]


def has_else(branch: Operation) -> bool:
    """Whether an `scf.if` has an else branch."""
    return len(branch.regions[1].blocks) > 0


def yielded(block: Block) -> list[Value]:
    """What a block hands over: the operands of its `scf.yield`, those of `scf.condition` but the condition."""
    last = terminator(block)
    operands = list(last.operands)
    return operands[1:] if last.name == CONDITION else operands


def handed_over(block: Block, place: int) -> Value:
    """One of what `yielded` gives, which takes the same however many there are."""
    last = terminator(block)
    return last.operands[place + (last.name == CONDITION)]


def replace_terminator(block: Block, values: Sequence[Value]) -> None:
    """Let a block hand over other values; the condition of a while loop stays."""
    last = terminator(block)
    operands = [last.operands[0], *values] if last.name == CONDITION else list(values)
    with ir.InsertionPoint(last):
        ir.Operation.create(last.name, operands=operands, loc=last.location)
    last.erase()


def splice(block: Block, before: Operation) -> list[Value]:
    """Move the ops of a block in front of an op; returns what the block handed over. The block is left empty."""
    *moved, last = operations_in(block)
    values = yielded(block)
    last.erase()
    for operation in moved:
        operation.move_before(before)
    return values


def defined_inside(operation: Operation) -> set[Value]:
    """All values that ops and blocks inside an op define."""
    found: set[Value] = set()
    for inner in operations_of(operation):
        found.update(inner.results)
        if op_class_of(inner) is None:  # ours have no regions
            _add_arguments(found, inner)
    _add_arguments(found, operation)
    return found


def loops_with_values(function: Operation) -> list[tuple[Operation, set[Value]]]:
    """The loops of a function, inner ones first, each with all values that ops and blocks inside of it define."""
    loops = control_ops(function, *LOOPS)
    if not loops:
        return []
    operations = operations_of(function)
    holders = [op for op in operations if op_class_of(op) is None and len(op.regions)]  # ours have no regions
    inside: dict[Operation, set[Value]] = {holder: set() for holder in holders}
    for operation in reversed(operations):  # what ops hold comes before them
        own = inside.get(operation) if op_class_of(operation) is None else None
        if own is not None:
            _add_arguments(own, operation)
        around = inside.get(operation.parent)
        if around is not None:
            around.update(operation.results)
            around.update(own or ())
    return [(loop, inside[loop]) for loop in loops]


def _add_arguments(found: set[Value], operation: Operation) -> None:
    for block in blocks_of(operation):
        found.update(block.arguments)


def is_inside(operation: Operation | None, block: Block) -> bool:
    """Whether an op is in a block, or in a region of an op there; costs as much as it is deep."""
    while operation is not None:
        if operation.block == block:
            return True
        around = operation.parent
        operation = None if around is None or around.operation.name == "func.func" else around.operation
    return False


def used_inside(operation: Operation) -> list[Value]:
    """The operands of an op and of all ops inside it."""
    operands = list(operation.operands)
    if len(operation.regions):
        for inner in operations_of(operation):
            operands += inner.operands
    return operands


def is_used(value: Value) -> bool:
    """Whether a value has a use."""
    return next(iter(value.uses), None) is not None


def replace_all(values: Iterable[Value], others: Iterable[Value]) -> None:
    """Let the users of values use others of the same types."""
    for value, other in zip(values, others, strict=True):
        if value != other:
            value.replace_all_uses_with(other)


# Values


def producer(value: Value) -> Operation | None:
    """The op that makes a value, or None for the argument of a block."""
    owner = value.owner
    return None if isinstance(owner, ir.Block) else owner.operation


def made_by(value: Value, name: str) -> Operation | None:
    """The op that makes a value, when it has a name."""
    operation = producer(value)
    return operation if operation is not None and operation.name == name else None


def tensor_of(scalar: Value) -> Value | None:
    """The tensor of rank 0 that a scalar was extracted from."""
    extract = made_by(scalar, EXTRACT)
    return extract.operands[0] if extract is not None and len(extract.operands) == 1 else None


def constant_of(value: Value) -> Array | None:
    """The array of a tensor that is constant: a `weft.constant`, or a scalar constant made a tensor."""
    operation = producer(value)
    if operation is None:
        return None
    is_dense = operation.name == SCALAR_CONSTANT and isinstance(value.type, ir.RankedTensorType)
    if is_dense or operation.name == Constant.mlir_name():
        return elements_from_mlir(operation.attributes["value"])
    if operation.name == FROM_ELEMENTS and len(operation.operands) == 1:
        scalar = scalar_constant(operation.operands[0])
        is_boolean = str(operation.operands[0].type) == "i1"
        if scalar is not None and str(operation.results[0].type) in ("tensor<i1>", "tensor<i64>"):
            return np.asarray(scalar, np.bool_ if is_boolean else np.int64)
    return None


def scalar_constant(value: Value) -> int | None:
    """The number that an i1, i64 or index is known to be; a true i1 is 1."""
    operation = producer(value)
    if operation is None:
        return None
    if operation.name == SCALAR_CONSTANT and isinstance(
        operation.attributes["value"], (ir.IntegerAttr, ir.BoolAttr)
    ):
        return (
            abs(number)
            if (number := int(operation.attributes["value"])) == -1 and str(value.type) == "i1"
            else number
        )
    if operation.name == INDEX_CAST:
        return scalar_constant(operation.operands[0])
    tensor = tensor_of(value)
    array = None if tensor is None else constant_of(tensor)
    return None if array is None or array.ndim or array.dtype.kind not in "bi" else int(array)


# Making ops


def weft_op(op_class: type[Op], *operands: Value, **attributes: Any) -> Value:
    """The only result of a new weft op at the current insertion point."""
    made: Value = create(op_class, list(operands), attributes).results[0]
    return made


def constant_tensor(value: Any, dtype: Any = np.int64) -> Value:
    """A `weft.constant` of rank 0 at the current insertion point."""
    return weft_op(Constant, value=np.asarray(value, dtype))


def copy_of(operation: Operation, values: dict[Value, Value]) -> Operation:
    """A copy at the current insertion point that uses `values` in place of their keys; its results are added."""
    copy = operation.clone().operation
    values.update(zip(operation.results, copy.results, strict=True))
    use_values(copy, values)
    return copy


def computed(
    wanted: Sequence[Value], operations: Sequence[Operation], values: dict[Value, Value]
) -> list[Value]:
    """Values that some ops of a block make, by copies at the current insertion point of those that they need.

    `values` has what stands for others of the block, and is added to.
    """
    needed = set(wanted)
    for operation in reversed(operations):
        if not needed.isdisjoint(operation.results):
            needed.update(operation.operands)
    for operation in operations:
        if not needed.isdisjoint(operation.results):
            copy_of(operation, values)
    return [values.get(value, value) for value in wanted]


def use_values(operation: Operation, values: dict[Value, Value]) -> None:
    """Let an op, and the ops inside it, use `values` in place of their keys."""
    for changed in [operation, *(operations_of(operation) if len(operation.regions) else ())]:
        for index, operand in enumerate(changed.operands):
            if operand in values:
                changed.operands[index] = values[operand]


def copy_block(block: Block, values: dict[Value, Value]) -> list[Value]:
    """Copy the ops of a block at the current insertion point; returns what the copy hands over."""
    *operations, _ = operations_in(block)
    for operation in operations:
        copy_of(operation, values)
    return [values.get(value, value) for value in yielded(block)]


def add_yield(values: Sequence[Value], location: Location) -> None:
    """End a block, at the current insertion point, with what it hands over."""
    operation_of(YIELD, values, [], location=location)


# Rebuilding


def new_if(condition: Value, types: Sequence[Type], location: Location) -> tuple[Operation, Block, Block]:
    """An `scf.if` at the current insertion point with two blocks that are yet to be filled."""
    made = operation_of(IF, [condition], types, regions=2, location=location)
    return made, made.regions[0].blocks.append(), made.regions[1].blocks.append()


def keep_results(branch: Operation, kept: Sequence[bool]) -> Operation:
    """An `scf.if` in the place of one, with those results that are to be kept; the others have no use."""
    results = list(branch.results)
    types = [result.type for result, keep in zip(results, kept, strict=True) if keep]
    with ir.InsertionPoint(branch):
        made = operation_of(IF, branch.operands, types, regions=2, location=branch.location)
    for region in range(2 if has_else(branch) else 1):
        block = body(branch, region)
        replace_terminator(block, [v for v, keep in zip(yielded(block), kept, strict=True) if keep])
        block.append_to(made.regions[region])
    replace_all([result for result, keep in zip(results, kept, strict=True) if keep], made.results)
    branch.erase()
    return made


def carry(
    loop: Operation, begun: Sequence[Value], more: Callable[[Block, list[Value]], list[Value]]
) -> Operation:
    """A loop in the place of one that carries more values, at the insertion point in front of it.

    `more` gives, for each block and what it gets of them, what the block hands over. The loop stays, empty, for
    `replace_loop`.
    """
    types = [value.type for value in (*loop.results, *begun)]
    made = made_again(loop, types, [*loop.operands, *begun])
    for number in range(len(made.regions)):
        block = body(made, number)
        values = [block.add_argument(value.type, loop.location) for value in begun]
        handed = more(block, values)
        replace_terminator(block, [*yielded(block), *handed])
    return made


def replace_loop(loop: Operation, made: Operation) -> None:
    """Let a loop that carries more values stand for one."""
    replace_all(loop.results, list(made.results)[: len(loop.results)])
    loop.erase()


def trip_count(loop: Operation) -> int | None:
    """How often an `scf.for` runs, when its bounds are constants."""
    bounds = [scalar_constant(bound) for bound in list(loop.operands)[:3]]
    if any(bound is None for bound in bounds):
        return None
    lower, upper, step = (int(bound) for bound in bounds if bound is not None)
    return max(0, -((lower - upper) // step)) if step > 0 else None

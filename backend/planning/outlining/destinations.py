"""Which operand a result is an update of: ops in destination-passing style, loops, branches and calls of kernels.

%1 = linalg.generic ins(%x) outs(%0) { ... }        %1 is made in the memory of %0
%2 = scf.for ... iter_args(%c = %1) { ... }         and so is %2, as the loop starts with it
"""

from __future__ import annotations

from typing import TypeAlias

from ....dialect.mlir import Operation, Value, ir
from ....dialect.ops.random import FillRandom
from ....dialect.ops.ufunc_loops import CallLibrary, CallLoop
from ....passes.rewriting import terminator
from ..names import is_kernel_name
from ..shapes import static_shape

VIEWS = frozenset({"tensor.collapse_shape", "tensor.expand_shape", "tensor.cast"})
"""What gives the same memory another shape."""

UPDATES = "weft.updates"
"""At the call of a function: for each result the operand that it is an update of, or -1 (`updated_parameters`)."""

Origins: TypeAlias = "dict[Value, Value | None]"
"""What was found for results of branches, in a function that stays what it is."""


def origin(value: Value, inside: set[Operation], known: Origins | None = None) -> Value | None:
    """The value from outside some ops that a result of theirs is an update of, if there is one.

    Follows `tensor.insert_slice`, the initial values of loops and the accumulators of reductions back to a
    value that is not defined by the ops in `inside`, and other shapes of the memory where it has its own in the end.
    """
    result, is_reshaped = value, False

    def found() -> Value | None:
        return None if is_reshaped and not has_shape_of(value, result) else value

    while True:
        owner = value.owner
        if isinstance(owner, ir.Block):
            parent = owner.owner.operation
            if not _is_within(parent, inside):
                return found()
            step = _initial_value(parent, value.arg_number)
        else:
            op = owner.operation
            if not _is_within(op, inside):
                return found()
            if op.name in VIEWS:
                step, is_reshaped = op.operands[0], True
            elif known is not None and value in known:
                step = known[value]
            else:
                step = destination_of(op, value, known)
                if known is not None and op.name == "scf.if":
                    known[value] = step
        if step is None:
            return None
        value = step


def has_shape_of(value: Value, result: Value) -> bool:
    """Whether two shapes of the same memory are one; of several unknown sizes it cannot be told."""
    return bool(value.type == result.type) and static_shape(value.type).count(None) < 2


def _is_within(op: Operation, inside: set[Operation]) -> bool:
    while op.name != "func.func":
        if op in inside:
            return True
        op = op.parent.operation
    return False


def _initial_value(loop: Operation, argument: int) -> Value | None:
    if loop.name == "scf.for":
        return loop.operands[2 + argument]
    if loop.name == "scf.while":
        return loop.operands[argument]
    return None


def destination_of(op: Operation, result: Value, known: Origins | None = None) -> Value | None:
    """The operand that a result of an op is an update of, if there is one."""
    name: str = op.name
    if name in ("tensor.insert_slice", "tensor.insert"):
        return op.operands[1]
    if name == "scf.for":
        return op.operands[3 + result.result_number]
    if name == "func.call" and is_kernel_name(op.attributes["callee"].value):
        # The last arguments of a kernel are the destinations of its tensor results.
        tensors = sum(isinstance(value.type, ir.RankedTensorType) for value in op.results)
        return op.operands[len(op.operands) - tensors + result.result_number]
    if name == "func.call" and UPDATES in op.attributes:
        updated = op.attributes[UPDATES][result.result_number]
        return None if updated < 0 else op.operands[updated]
    if name.startswith("linalg."):
        return _accumulator(op, result)
    if name in (CallLoop.mlir_name(), CallLibrary.mlir_name()):
        written = result.result_number + 1 < len(op.results)
        return op.operands[len(op.operands) - len(op.results) + 1 + result.result_number] if written else None
    if name == FillRandom.mlir_name():
        return op.operands[1 - result.result_number]  # the numbers, and the state
    if name == "scf.while":
        condition = terminator(op.regions[0].blocks[0])
        carried = condition.operands[1 + result.result_number]
        is_argument = isinstance(carried.owner, ir.Block) and carried.owner == condition.block
        return op.operands[carried.arg_number] if is_argument else None
    if name == "scf.if":
        inside = {op}
        ends = [terminator(region.blocks[0]).operands[result.result_number] for region in op.regions]
        first, second = (origin(end, inside, known) for end in ends)
        return first if first is not None and second is not None and first == second else None
    return None


def _accumulator(op: Operation, result: Value) -> Value | None:
    """The operand that a linalg op accumulates into, None when it does not read what it overwrites."""
    index = len(op.operands) - len(op.results) + result.result_number
    if op.name == "linalg.generic" and not any(True for _ in op.regions[0].blocks[0].arguments[index].uses):
        return None
    return op.operands[index]

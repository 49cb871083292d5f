"""Let loops of numbers alone end where a check of Python's ints fails, and fail behind them.

    scf.while (%k = %start)                        scf.while (%k = %start, %f = false)
      condition(%k != 1)                             condition(%k != 1 and not %f)
    do                                             do
      weft.raise_if (3 * %k overflows)
      yield 3 * %k + 1                               yield 3 * %k + 1, (3 * %k overflows)
                                                   weft.raise_if %f

A loop that may end the call in the middle cannot run in the lanes of vectors. What such a loop computes after a check
has failed is of no use, and nobody sees it: there are only ops on numbers in it that are safe whatever these are, and
an `scf.for` with a loop inside is left as it is where what is of no use might keep that one from ending.
"""

from __future__ import annotations

import numpy as np

from ...dialect.mlir import Block, Module, Operation, Value, ir
from ...dialect.ops.comparison import LogicalAnd, LogicalNot, LogicalOr
from ...dialect.ops.state import RaiseIf
from ...dialect.records import dataclass
from ...dialect.register import create
from ..base import Pass, Statistics
from ..rewriting import operations_of, terminator, type_of
from .speculation import is_speculatable
from .structure import (
    CONDITION,
    LOOPS,
    WHILE,
    body,
    carry,
    constant_tensor,
    control_ops,
    extracted,
    functions_with_control_flow,
    is_number_check,
    operations_in,
    replace_loop,
    tensor_from,
    tensor_of,
    used_inside,
    weft_op,
)

_MESSAGE = "the result of an operator on ints has more than 64 bits, and compiled code has ints of 64 bits"


@dataclass(frozen=True)
class CheckNumbersBehind(Pass):
    """Check Python's ints behind the loops on numbers that compute them. These end where one has more than 64 bits."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for function in functions_with_control_flow(module):
            if not any(map(is_number_check, operations_of(function))):
                continue
            for loop in control_ops(function, *LOOPS):
                checks = [op for block in _blocks(loop) for op in operations_in(block) if is_number_check(op)]
                if checks and _computes_with_numbers(loop):
                    _check_behind(loop, checks)
                    statistics["checks of ints behind loops"] += len(checks)


def _blocks(loop: Operation) -> list[Block]:
    return [body(loop, number) for number in range(len(loop.regions))]


def _computes_with_numbers(loop: Operation) -> bool:
    """Whether a loop has ops on numbers alone, and ends whatever becomes of them."""
    useless = set[Value]() if loop.name == WHILE else set(list(body(loop).arguments)[1:])
    for block in _blocks(loop):
        *operations, _ = operations_in(block)
        for operation in operations:
            if operation.name in LOOPS:
                inside = [
                    inner
                    for inner in operations_of(operation)
                    if inner.name not in (*LOOPS, CONDITION, "scf.yield")
                ]
                if loop.name == WHILE or not useless.isdisjoint(
                    [*operation.operands, *used_inside(operation)]
                ):
                    return False
            else:
                inside = [operation]
            if not all(map(_is_on_numbers, inside)):
                return False
            if not useless.isdisjoint(operation.operands):
                useless.update(operation.results)
    return True


def _is_on_numbers(operation: Operation) -> bool:
    if is_number_check(operation):
        return True
    values = [*operation.operands, *operation.results]
    tensors = [value for value in values if isinstance(value.type, ir.RankedTensorType)]
    return (
        not len(operation.regions)
        and is_speculatable(operation)
        and not any(type_of(value).rank for value in tensors)
    )


def _check_behind(loop: Operation, checks: list[Operation]) -> None:
    """Let a loop carry whether checks have failed, and raise behind it."""
    with ir.InsertionPoint(loop), loop.location:
        begun = [constant_tensor(False, np.bool_) for _ in checks]
        made = carry(loop, begun, lambda block, flags: _handed(block, checks, flags))
    flags = list(made.results)[len(loop.results) :]
    for check, flag in zip(checks, flags, strict=True):
        with ir.InsertionPoint(loop), check.location:
            create(RaiseIf, [flag], {"error": str(check.attributes["error"].value), "message": _MESSAGE})
        check.erase()
    replace_loop(loop, made)


def _handed(block: Block, checks: list[Operation], flags: list[Value]) -> list[Value]:
    """Whether checks have failed at the end of a block; a loop does not go on then."""
    failed = [_failed(block, check, flag) for check, flag in zip(checks, flags, strict=True)]
    last = terminator(block)
    if last.name == CONDITION:
        with ir.InsertionPoint(last), last.location:
            goes_on = tensor_of(last.operands[0]) or tensor_from(last.operands[0])
            for value in failed:
                goes_on = weft_op(LogicalAnd, goes_on, weft_op(LogicalNot, value))
            last.operands[0] = extracted(goes_on)
    return failed


def _failed(block: Block, check: Operation, flag: Value) -> Value:
    """Whether a check has failed at the end of a block, which it may be in."""
    if check.block != block:
        return flag
    with ir.InsertionPoint(check), check.location:
        return weft_op(LogicalOr, flag, check.operands[0])

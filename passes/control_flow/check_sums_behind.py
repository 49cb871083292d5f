"""Check behind a loop, and not in each iteration, that what it adds up has 64 bits.

    scf.for %i (%t = %start)                               scf.for %i (%t = %start, %h = %start >> 32)
      weft.raise_if (weft.add_overflows %t, %x)
      yield weft.add %t, %x                                  yield weft.add %t, %x; weft.add %h, %x >> 32
                                                           weft.raise_if (%t >> 32) - %h is far from 0

%t wraps around: it is the sum, or the sum less a multiple of 2**64. %h is the sum in units of 2**32, but for less than
one an iteration, and has 64 bits itself. So the two differ by less than the number of iterations, or by 2**32 and more.
Sums that leave 64 bits on the way and come back are right, as Python's are; both sums can be vectorised.
"""

from __future__ import annotations

from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.ops.comparison import GreaterEqual, LogicalAnd, LogicalOr, NotEqual, RightShift
from ...dialect.ops.elementwise import Add, Subtract
from ...dialect.ops.overflow import AddOverflows, SubtractOverflows
from ...dialect.ops.selection import Select
from ...dialect.ops.state import RaiseIf
from ...dialect.records import dataclass
from ...dialect.register import create, op_class_of
from ..base import Pass, Statistics
from ..rewriting import operations_of
from .structure import (
    FOR,
    body,
    carry,
    constant_tensor,
    control_ops,
    functions_with_control_flow,
    is_number_check,
    producer,
    replace_loop,
    tensor_from,
    trip_count,
    weft_op,
    yielded,
)

_MOST_TRIPS = 2**31
_UNIT = 32
_CHECKS = {Add: AddOverflows, Subtract: SubtractOverflows}


@dataclass(frozen=True)
class CheckSumsBehind(Pass):
    """Check sums of Python's ints behind the loops that add them up. Nothing else asks for them in these.

    A loop that runs 2**31 times or more fails the check.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        for function in functions_with_control_flow(module):
            if not any(map(is_number_check, operations_of(function))):
                continue
            for loop in control_ops(function, FOR):
                trips = trip_count(loop)
                if trips is None or trips < _MOST_TRIPS:
                    sums = [found for n in range(len(loop.results)) if (found := _Sum.of(loop, n))]
                    if sums:
                        _check_behind(loop, sums)
                        statistics["sums checked behind loops"] += len(sums)


@dataclass(frozen=True, eq=False)
class _Sum:
    """What a loop adds up: `total + number`, or `total - number`, perhaps in some iterations only."""

    position: int
    added: Operation
    number: Value
    check: Operation
    choice: Operation | None
    """The `weft.select` between the total with and without the number."""

    @classmethod
    def of(cls, loop: Operation, position: int) -> _Sum | None:
        """That of a value which a loop carries; None where it is not checked, or something else is made of it."""
        block = body(loop)
        total, handed = block.arguments[1 + position], yielded(block)[position]
        made = producer(handed)
        choice = made if made is not None and op_class_of(made) is Select else None
        if choice is not None:
            made = next((p for v in list(choice.operands)[1:] if v != total and (p := producer(v))), None)
        kind = None if made is None else op_class_of(made)
        if made is None or kind not in _CHECKS:
            return None
        left, right = made.operands
        number = right if left == total else left
        if total not in (left, right if kind is Add else left) or number == total:
            return None
        owners = {use.owner.operation for use in total.uses} - {made, choice}
        asked = [owner for owner in owners if op_class_of(owner) is _CHECKS[kind]]
        if len(asked) != 1 or list(asked[0].operands) != [left, right]:
            return None
        check = _check_of(asked[0], is_chosen=choice is not None)
        uses = [use.owner.operation for use in made.results[0].uses]
        is_all = owners <= {asked[0], check} and len(uses) == 1 and len(list(handed.uses)) == 1
        if check is None or not is_all or any(op.block != block for op in (made, check, choice or made)):
            return None
        return cls(position, made, number, check, choice)

    def carried(self, high: Value) -> Value:
        """What is added up in units, with the number of an iteration."""
        with ir.InsertionPoint(self.choice or self.added), self.added.location:
            kind = Add if op_class_of(self.added) is Add else Subtract
            more = weft_op(kind, high, _units(self.number))
            if self.choice is None:
                return more
            condition, *options = self.choice.operands
            return weft_op(
                Select, condition, *(more if each == self.added.results[0] else high for each in options)
            )

    def check_at(self, total: Value, high: Value, is_long: Value | None) -> None:
        """Make the check of a sum, at the insertion point."""
        with self.check.location:
            apart = weft_op(Subtract, _units(total), high)
            near = weft_op(Add, apart, constant_tensor(_MOST_TRIPS))
            fails = weft_op(NotEqual, _units(near), constant_tensor(0))
            what = "a sum of ints has more than 64 bits"
            if is_long is not None:
                fails, what = weft_op(LogicalOr, fails, is_long), f"{what}, or is of 2**31 ints or more"
            message = f"{what}, and compiled code has ints of 64 bits"
            error = str(self.check.attributes["error"].value)
            create(RaiseIf, [fails], {"error": error, "message": message})


def _check_of(overflow: Operation, is_chosen: bool) -> Operation | None:
    """The check that asks for an overflow, in iterations that add something."""
    uses = [use.owner.operation for use in overflow.results[0].uses]
    if is_chosen and len(uses) == 1 and op_class_of(uses[0]) is LogicalAnd:
        uses = [use.owner.operation for use in uses[0].results[0].uses]
    return uses[0] if len(uses) == 1 and is_number_check(uses[0]) else None


def _units(value: Value) -> Value:
    return weft_op(RightShift, value, constant_tensor(_UNIT))


def _check_behind(loop: Operation, sums: list[_Sum]) -> None:
    """Let a loop carry the sums in units, too, and check them behind it."""
    lower, upper, _, *initial = loop.operands
    with ir.InsertionPoint(loop), loop.location:
        begun = [_units(initial[each.position]) for each in sums]
        made = carry(loop, begun, lambda _, highs: [s.carried(h) for s, h in zip(sums, highs, strict=True)])
        is_long = None
        if trip_count(loop) is None:
            trips = weft_op(Subtract, tensor_from(upper), tensor_from(lower))
            is_long = weft_op(GreaterEqual, trips, constant_tensor(_MOST_TRIPS))
        results = list(made.results)
        for each, high in zip(sums, results[len(initial) :], strict=True):
            each.check_at(results[each.position], high, is_long)
            each.check.erase()
    replace_loop(loop, made)

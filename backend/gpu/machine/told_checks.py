"""Checks of data in loops that a block runs: where one fails, the kernel ends, and tells the host of it.

    scf.for %t = ... {                             call @kernel_2(..., %word)
      %bad = ... of numbers of the device          %ending = memref.load %word
      scf.if %bad { raise, exit }                  scf.for %t = ... {
      ...                                            scf.if %t == %ending { raise, exit }

Numbers that the host needs for what it does there, the kernel has told it as well. If these are all that it needs of
the loop, it does so behind the kernel, wherever in the loop the check was (`ChecksBehind`). Else it follows the loop to
that place, and does there what it would have done, with arrays that nothing has changed since (`ToldChecks`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ....dialect.mlir import Block, Operation, Type, Value, dialect, ir
from ....dialect.records import dataclass, replace
from ....passes.rewriting import is_defined_inside, operations_in, operations_of
from .loop_parts import LoopParts, exit_of

NO_ENDING = -(2**63)
"""What stands in the word if no check has failed."""


@dataclass
class ToldChecks:
    """The checks of data in a loop, with the words by which the device tells of them."""

    parts: LoopParts
    checks: list[Operation]
    ending: Value
    """The word for the number of the iteration and of the check in which the loop ended."""
    numbers: list[list[tuple[Value, Value]]]
    """For each check, the numbers of the device that its branch needs, and their words."""

    @staticmethod
    def of(parts: LoopParts, told: set[Value], new_word: Callable[[Type], Value]) -> ToldChecks | None:
        """Those of a loop, with new words; None if there are none."""
        checks = checks_of_data(parts, told)
        if not checks:
            return None
        ending = new_word(ir.IntegerType.get_signless(64))
        numbers = [[(value, new_word(value.type)) for value in _needed(check, told)] for check in checks]
        return ToldChecks(parts, checks, ending, numbers)

    def let_device_tell(self) -> None:
        """Write, into the loop, what the device stores where a check fails."""
        _let_device_tell(self.parts, self.checks, self.numbers, self.ending, self._number)

    def let_host_end(self) -> LoopParts:
        """Let the host come to a check where the device has; the kernel is called before the loop already.

        What the loop does besides is returned.
        """
        loop = self.parts.loop
        with ir.InsertionPoint(loop), loop.location:
            ending = dialect("memref").load(self.ending, [])
        for place, (check, numbers) in enumerate(zip(self.checks, self.numbers, strict=True)):
            with ir.InsertionPoint(check), check.location:
                arith = dialect("arith")
                is_here = arith.cmpi(arith.CmpIPredicate.eq, self._number(place), ending)
            check.operands[0] = is_here
            inside = [op for op in operations_of(check) if op not in self.parts.notes]
            for value, word in numbers:
                with ir.InsertionPoint.at_block_begin(check.regions[0].blocks[0]), check.location:
                    read = dialect("memref").load(word, [])
                _replace(value, read, inside)
        return self.parts

    def _number(self, place: int) -> Value:
        """The number of a check, in this iteration, at the insertion point."""
        arith, word = dialect("arith"), ir.IntegerType.get_signless(64)
        block = _block_of(self.checks[place], self.parts.loop)
        is_counted = self.parts.loop.name == "scf.for"
        iteration = block.arguments[0 if is_counted else len(block.arguments) - 1]
        if is_counted:
            iteration = arith.index_cast(word, iteration)
        all_before = arith.muli(iteration, arith.constant(word, len(self.checks)))
        return arith.addi(all_before, arith.constant(word, place))


@dataclass
class ChecksBehind:
    """The checks in a loop, with the words by which the device tells of them all that the host has to know."""

    parts: LoopParts
    ending: Value
    """The word for the number of the check in which the loop ended."""
    numbers: list[list[tuple[Value, Value]]]
    """For each check, the numbers of the loop that its branch needs, and their words."""

    @staticmethod
    def of(parts: LoopParts, new_word: Callable[[Type], Value]) -> ChecksBehind:
        """Those of a loop, with new words."""
        ending = new_word(ir.IntegerType.get_signless(64))
        needed = [_of_loop(check, parts.loop) for check in parts.checks]
        return ChecksBehind(parts, ending, [[(v, new_word(v.type)) for v in values] for values in needed])

    def let_device_tell(self) -> None:
        """Write, into the loop, what the device stores where a check fails."""
        _let_device_tell(self.parts, self.parts.checks, self.numbers, self.ending, _constant)

    def let_host_end(self) -> LoopParts:
        """Do, before the loop and behind the kernel, what the host does where a check has failed.

        What the loop does besides is returned.
        """
        arith, checks = dialect("arith"), self.parts.checks
        with ir.InsertionPoint(self.parts.loop), self.parts.loop.location:
            ending = dialect("memref").load(self.ending, [])
        for place, (check, numbers) in enumerate(zip(checks, self.numbers, strict=True)):
            with ir.InsertionPoint(self.parts.loop), check.location:
                is_here = arith.cmpi(arith.CmpIPredicate.eq, _constant(place), ending)
                copy = check.clone().operation
                copy.operands[0] = is_here
            pairs = zip(operations_of(check), operations_of(copy), strict=True)
            inside = [own for op, own in pairs if op not in self.parts.notes or own.erase()]
            for value, word in numbers:
                with ir.InsertionPoint.at_block_begin(copy.regions[0].blocks[0]), check.location:
                    read = dialect("memref").load(word, [])
                _replace(value, read, inside)
        return replace(self.parts, checks=[], notes=[])


def _let_device_tell(
    parts: LoopParts,
    checks: Sequence[Operation],
    numbers: Sequence[Sequence[tuple[Value, Value]]],
    ending: Value,
    number_of: Callable[[int], Value],
) -> None:
    for place, (check, pairs) in enumerate(zip(checks, numbers, strict=True)):
        with ir.InsertionPoint(exit_of(check)), check.location:
            told = [(number_of(place), ending), *pairs]
            parts.notes += [ir.Operation.create("memref.store", operands=[*pair]) for pair in told]


def _constant(number: int) -> Value:
    return dialect("arith").constant(ir.IntegerType.get_signless(64), number)


def can_be_behind(parts: LoopParts, is_number: Callable[[Type], bool]) -> bool:
    """Whether numbers are all that the host needs to know where a check has failed."""
    return all(is_number(v.type) for check in parts.checks for v in _of_loop(check, parts.loop))


def _of_loop(check: Operation, loop: Operation) -> list[Value]:
    """The values that the branch of a check takes from the loop around."""
    values = [value for op in operations_of(check) for value in op.operands]
    outside = [v for v in values if is_defined_inside(v, loop) and not is_defined_inside(v, check)]
    return list(dict.fromkeys(outside))


def checks_of_data(parts: LoopParts, told: set[Value]) -> list[Operation]:
    """The checks of which numbers of the device say whether they fail."""
    return [check for check in parts.checks if check.operands[0] in told]


def can_be_told(parts: LoopParts, told: set[Value], is_number: Callable[[Type], bool]) -> bool:
    """Whether words can tell of the checks of data: which iteration it was, and the numbers that the host needs."""
    return all(
        _is_once_an_iteration(check, parts.loop) and all(is_number(v.type) for v in _needed(check, told))
        for check in checks_of_data(parts, told)
    )


def _is_once_an_iteration(check: Operation, loop: Operation) -> bool:
    while check.parent.operation != loop:
        check = check.parent.operation
        if check.name != "scf.if":
            return False
    return True


def _needed(check: Operation, told: set[Value]) -> list[Value]:
    """The numbers that data tells and the branch of a check takes from outside of it."""
    values = [value for op in operations_of(check) for value in op.operands if value in told]
    return list(dict.fromkeys(value for value in values if not is_defined_inside(value, check)))


def _block_of(op: Operation, loop: Operation) -> Block:
    """The block of a loop in which an operation is."""
    while op.parent.operation != loop:
        op = op.parent.operation
    return next(block for region in loop.regions for block in region if op in operations_in(block))


def _replace(value: Value, other: Value, ops: list[Operation]) -> None:
    for op in ops:
        for number, operand in enumerate(op.operands):
            if operand == value:
                op.operands[number] = other

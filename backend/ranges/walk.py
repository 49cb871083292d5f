"""A walk over a function in program order that knows what every integer lies between.

Conditions say more of integers in their branches, behind a branch that ends the call, and in the body of a loop. What a
loop carries is what it begins with, and what an iteration makes of that, until nothing is new: an interval that keeps
growing is widened first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ...dialect.errors import WeftError
from ...dialect.mlir import Operation
from .comparisons import EQ, MIRRORED, NE, OPPOSITE, SIGNED, SLE, SLT, compared, implied
from .interval import ARITHMETIC, FALSE, TRUE, WIDEST, Interval, common, everything, fitting, joined, widened
from .program import (
    ARITHMETIC_OP,
    CALL,
    CAST,
    CHOICE,
    COMPARISON,
    CONSTANT,
    DIM,
    FOR,
    IF,
    NOTHING,
    WHILE,
    Body,
    Instruction,
    Numbering,
)
from .spans import Limits, is_below, largest_sum, limits_below

Call: TypeAlias = Callable[[Operation, list[Interval], bool], "list[Interval] | None"]
"""What a called function returns for integers of some intervals, and whether that is the last time the call is looked
at; None if it is not known."""
Decided: TypeAlias = Callable[[Operation, bool], None]

MOST_STEPS = 20_000
"""Operations looked at in a module, those in loops several times: a matter of ten milliseconds."""
_NEVER_REACHED = 1 << 46
"""So many iterations take days, however little they do."""
_FAR = 3
"""How many operations away from an integer of which more is known others are looked at again."""


class TooLongError(WeftError):
    """A module takes more steps than it is worth; what was found so far holds."""


class Steps:
    """Counts steps."""

    def __init__(self, most: int = MOST_STEPS) -> None:
        self._left = most

    def take(self, count: int) -> None:
        """Raise `TooLongError` when there are no more."""
        self._left -= count
        if self._left < 0:
            raise TooLongError("a function has too many integers to follow")


class Walk:
    """Walks over one function; `decided` is told the comparisons whose truth is known, in the last walk over each."""

    def __init__(self, program: Numbering, steps: Steps, call: Call, decided: Decided) -> None:
        self._program = program
        self._steps = steps
        self._call = call
        self._decided = decided
        self._known: list[Interval] = [everything(width) for width in program.widths]
        self._undo: list[tuple[int, Interval]] = []
        self._counters: dict[int, Limits] = {}
        self._is_last = False

    def over(self, arguments: Sequence[Interval], is_last: bool) -> list[Interval]:
        """Walk for arguments of some intervals, those that are no integers included; what is returned."""
        self._is_last = is_last
        body = self._program.body
        self._set_all(body.arguments, arguments)
        self._walk(body)
        return self._all(body.passed)

    # What is known

    def _of(self, number: int) -> Interval:
        return everything(WIDEST) if number == NOTHING else self._known[number]

    def _all(self, numbers: Sequence[int]) -> list[Interval]:
        return [self._of(number) for number in numbers]

    def _set_all(self, numbers: Sequence[int], intervals: Sequence[Interval]) -> None:
        for number, interval in zip(numbers, intervals, strict=True):
            if number != NOTHING:
                self._known[number] = interval

    def _forget(self, mark: int) -> None:
        """Take back what was learnt since a mark."""
        while len(self._undo) > mark:
            number, interval = self._undo.pop()
            self._known[number] = interval

    def _learn(self, number: int, interval: Interval, distance: int = _FAR) -> None:
        """An integer lies in an interval as well, from here on; so others that were computed from it lie closer."""
        if number == NOTHING:
            return
        old = self._known[number]
        new = common(old, interval)
        if new is None or new == old:
            return  # nothing new, or a place that is never reached
        self._undo.append((number, old))
        self._known[number] = new
        if distance:
            for use in self._program.uses.get(number, ()):
                if use.kind != CHOICE:
                    self._learn(use.results[0], self._evaluated(use), distance - 1)

    def _assume(self, condition: int, holds: bool) -> None:
        """An integer is not zero, or it is, from here on; and so is what follows from that."""
        if condition == NOTHING:
            return
        low, high = self._known[condition]
        if not holds:
            self._learn(condition, FALSE)
        elif low >= 0:
            self._learn(condition, (max(low, 1), high))
        made = self._program.made_by.get(condition)
        if made is None:
            return
        if made.kind == COMPARISON:
            self._assume_comparison(made, holds)
        elif made.kind == ARITHMETIC_OP and self._program.widths[condition] == 1:
            self._assume_bits(made, holds)
        elif made.kind == IF:
            self._assume_branches(made, made.results.index(condition), holds)
        elif made.kind == CHOICE:
            which, *chosen = made.operands
            for taken, value in ((True, chosen[0]), (False, chosen[1])):
                if self._contradicts(value, holds):
                    self._assume(which, not taken)
                    self._assume(chosen[1] if taken else chosen[0], holds)

    def _assume_comparison(self, made: Instruction, holds: bool) -> None:
        left, right = made.operands
        predicate = made.detail if holds else OPPOSITE[made.detail]
        if predicate in (EQ, NE) and self._of(right) == FALSE:
            self._assume(left, predicate == NE)
        one, other = implied(predicate, self._of(left), self._of(right))
        self._learn(left, one)
        self._learn(right, other)

    def _assume_bits(self, made: Instruction, holds: bool) -> None:
        if made.name == ("arith.andi" if holds else "arith.ori"):
            for operand in made.operands:
                self._assume(operand, holds)
        elif made.name == "arith.xori" and self._of(made.operands[1]) == TRUE:
            self._assume(made.operands[0], not holds)

    def _assume_branches(self, made: Instruction, place: int, holds: bool) -> None:
        """A result of a branch tells which way was taken when the other one gives something else."""
        results = [region.passed[place] for region in made.regions]
        for taken, value in ((True, results[0]), (False, results[1])):
            if self._contradicts(value, holds):
                self._assume(made.operands[0], not taken)
                self._assume(results[1] if taken else results[0], holds)

    def _contradicts(self, number: int, holds: bool) -> bool:
        """Whether an integer is known to be zero, or not to be."""
        low, high = self._of(number)
        return (low, high) == FALSE if holds else low > 0 or high < 0

    # Operations

    def _walk(self, body: Body) -> None:
        self._steps.take(len(body.instructions) + 1)
        for made in body.instructions:
            kind = made.kind
            if kind == FOR:
                self._for(made)
            elif kind == WHILE:
                self._while(made)
            elif kind == IF:
                self._if(made)
            elif kind == CALL:
                found = self._call(made.operation, self._all(made.operands), self._is_last)
                for place, number in enumerate(made.results):
                    if number != NOTHING:
                        self._known[number] = (
                            found[place] if found else everything(self._program.widths[number])
                        )
            elif kind != COMPARISON:
                self._known[made.results[0]] = self._evaluated(made)
            else:
                if made.operands:  # else it was computed before
                    self._known[made.results[0]] = self._evaluated(made)
                low, high = self._known[made.results[0]]
                if self._is_last and low == high:
                    self._decided(made.operation, bool(low))

    def _evaluated(self, made: Instruction) -> Interval:
        width = self._program.widths[made.results[0]]
        if made.kind == CONSTANT:
            return made.detail, made.detail
        if made.kind == ARITHMETIC_OP:
            one, other = made.operands
            found = ARITHMETIC[made.name](self._of(one), self._of(other), width)
            return self._offset(one, other, found) if made.name == "arith.addi" else found
        if made.kind == COMPARISON:
            return self._compared(made)
        if made.kind == CHOICE:
            return self._choice(made)
        if made.kind == CAST:
            low, high = self._of(made.operands[0])
            if made.name == "arith.extui" and low < 0:
                return fitting(0, (1 << made.detail) - 1, width)
            return fitting(low, high, width)
        if made.kind == DIM:
            return (0, everything(width)[1]) if made.detail < 0 else (made.detail, made.detail)
        return everything(width)

    def _compared(self, made: Instruction) -> Interval:
        """A comparison, which the limit of a counter may decide where intervals do not."""
        one, other = made.operands
        found = compared(made.detail, self._of(one), self._of(other))
        if found[0] == found[1] or not self._counters:
            return found
        for predicate, low, high in ((made.detail, one, other), (MIRRORED[made.detail], other, one)):
            if predicate in SIGNED and self._of(low)[0] < 0:
                continue  # a large number
            if is_below(low, high, self._program, self._counters, self._of):
                return TRUE if SIGNED.get(predicate, predicate) in (SLT, SLE, NE) else FALSE
        return found

    def _offset(self, one: int, other: int, found: Interval) -> Interval:
        """A sum, of which more may be known if it is of a counter."""
        for counter, start in ((one, other), (other, one)):
            limits = self._counters.get(counter)
            most = largest_sum(start, limits, self._program, self._of) if limits else None
            if most is not None:
                low = self._of(counter)[0] + self._of(start)[0]
                high = min(self._of(counter)[1] + self._of(start)[1], most)
                return fitting(low, high, WIDEST) if low <= high else found
        return found

    def _choice(self, made: Instruction) -> Interval:
        condition, *values = made.operands
        found: list[Interval] = []
        for holds, value in zip((True, False), values, strict=True):
            if self._of(condition) == (FALSE if holds else TRUE):
                continue
            mark = len(self._undo)
            self._assume(condition, holds)
            found.append(self._of(value))
            self._forget(mark)
        return joined(found[0], found[-1])

    # Branches and loops

    def _if(self, made: Instruction) -> None:
        condition = made.operands[0]
        results: list[list[Interval]] = []
        left: list[bool] = []
        """Which ways lead on."""
        for holds, region in zip((True, False), made.regions, strict=False):
            if self._of(condition) == (FALSE if holds else TRUE):
                continue
            mark = len(self._undo)
            self._assume(condition, holds)
            self._walk(region)
            if not region.exits:
                results.append(self._all(region.passed))
                left.append(holds)
            self._forget(mark)
        if len(made.regions) == 1 and self._of(condition) != TRUE:
            left.append(False)
        if made.results and results:
            self._set_all(made.results, [joined(*pair) for pair in zip(results[0], results[-1], strict=True)])
        elif made.results:
            self._set_all(
                made.results,
                [everything(self._program.widths[n]) if n != NOTHING else TRUE for n in made.results],
            )
        if len(left) == 1:
            self._assume(condition, left[0])

    def _for(self, made: Instruction) -> None:
        body = made.regions[0]
        lower, upper, step = self._all(made.operands[:3])
        if lower[0] >= upper[1]:  # it never runs
            self._set_all(made.results, self._all(made.operands[3:]))
            return
        position, last = (lower[0], upper[1] - 1), everything(WIDEST)[1]
        wraps_around = upper[1] - 1 + step[1] > last and (last - lower[1]) // step[1] < _NEVER_REACHED
        if step[0] < 1 or wraps_around or "unsignedCmp" in made.operation.attributes:
            position = everything(WIDEST)
        is_counter = position[0] >= 0
        self._counters[body.arguments[0]] = (
            limits_below(made.operands[1], self._program, self._counters, self._of) if is_counter else {}
        )

        def iteration(carried: list[Interval]) -> list[Interval]:
            self._set_all(body.arguments, [position, *carried])
            mark = len(self._undo)
            self._walk(body)
            passed = self._all(body.passed)
            self._forget(mark)
            return passed

        carried = self._settled(self._all(made.operands[3:]), body.arguments[1:], iteration)
        self._set_all(made.results, carried)

    def _while(self, made: Instruction) -> None:
        test, body = made.regions
        condition, *passed = test.passed

        def iteration(carried: list[Interval]) -> list[Interval]:
            self._set_all(test.arguments, carried)
            mark = len(self._undo)
            self._walk(test)
            inner = len(self._undo)
            self._assume(condition, True)
            self._set_all(body.arguments, self._all(passed))
            self._walk(body)
            following = self._all(body.passed)
            self._forget(inner)
            self._assume(condition, False)
            results[:] = self._all(passed)
            self._forget(mark)
            return following

        results: list[Interval] = []
        self._settled(self._all(made.operands), test.arguments, iteration)
        self._set_all(made.results, results)

    def _settled(
        self,
        initial: list[Interval],
        arguments: Sequence[int],
        iteration: Callable[[list[Interval]], list[Interval]],
    ) -> list[Interval]:
        """What a loop carries to the beginning of any of its iterations, and out of it; the last walk comes last."""
        is_last, self._is_last = self._is_last, False
        carried = initial
        if any(number != NOTHING for number in arguments):
            for attempt in range(MOST_STEPS):
                after = [joined(a, b) for a, b in zip(initial, iteration(carried), strict=True)]
                if all(
                    old[0] <= new[0] and new[1] <= old[1] for old, new in zip(carried, after, strict=True)
                ):
                    carried = after  # what is reached lies in what was assumed
                    break
                carried = [
                    joined(old, new)
                    if attempt == 0 or number == NOTHING
                    else widened(old, new, self._program.widths[number])
                    for number, old, new in zip(arguments, carried, after, strict=True)
                ]
        self._is_last = is_last
        iteration(carried)
        return carried

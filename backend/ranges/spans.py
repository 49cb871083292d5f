"""Counters of loops over a part of an array: `for k in range(start, stop)` counts from 0 to `stop - start`.

What the counter and `start` lie between says too little of their sum, the index: it is below `stop`, whatever they are.
So is that of a loop in such a loop that goes up to its counter. A counter up to an extent is below it, and one less
is further below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from .interval import FALSE, TRUE, WIDEST, Interval, everything
from .program import ARITHMETIC_OP, CHOICE, Instruction, Numbering

Known: TypeAlias = Callable[[int], Interval]
Limits: TypeAlias = "Mapping[int, int]"
"""Integers that a counter is below, and by how much at least."""


def limits_below(
    stop: int, program: Numbering, counters: Mapping[int, Limits], known: Known
) -> dict[int, int]:
    """What counters from 0, or from more, are below that are below an integer."""
    made = _arithmetic(program, stop)
    name = "" if made is None else made.name
    if made is not None and name == "arith.maxsi":
        # What is below the maximum and not negative is below the other one, where one is 0.
        others = [operand for operand in made.operands if known(operand) != FALSE]
        return limits_below(others[0], program, counters, known) if len(others) == 1 else {}
    found = {stop: 1, **{limit: distance + 1 for limit, distance in counters.get(stop, {}).items()}}
    if made is not None and name == "arith.minsi":
        for operand in made.operands:
            found.update(limits_below(operand, program, counters, known))
    return found


def largest_sum(start: int, limits: Limits, program: Numbering, known: Known) -> int | None:
    """What a counter and an integer are at most, by its limits, where one of the two is something less the other."""
    found = []
    for limit, distance in limits.items():
        for difference, other in ((limit, start), (start, limit)):
            made = _arithmetic(program, difference)
            if made is not None and made.name == "arith.subi" and made.operands[1] == other:
                least, most = everything(WIDEST)
                (low, high), (first, last) = known(made.operands[0]), known(other)
                if program.widths[difference] == WIDEST and least <= low - last and high - first <= most:
                    found.append(high - distance)
    return min(found, default=None)


def is_below(
    number: int, limit: int, program: Numbering, counters: Mapping[int, Limits], known: Known
) -> bool:
    """Whether a counter, or a sum of it and a constant, is less than an integer, by the limits of the counter."""
    counter, more = _shifted(number, program, known)
    limits = counters.get(counter)
    if not limits:
        return False
    base, distance = _shifted(limit, program, known)
    for bound, less in limits.items():
        origin, offset = _shifted(bound, program, known)
        if origin == base and offset - less + more < distance:
            return True
    return False


def _shifted(number: int, program: Numbering, known: Known) -> tuple[int, int]:
    """What an integer is the sum of: another one, and a constant; no sum is one that may wrap around."""
    offset = 0
    while (made := program.made_by.get(number)) is not None:
        if made.kind == CHOICE and known(made.operands[0]) in (FALSE, TRUE):
            number = made.operands[1 if known(made.operands[0]) == TRUE else 2]
            continue
        if made.kind != ARITHMETIC_OP or made.name not in ("arith.addi", "arith.subi"):
            break
        base, other = made.operands
        if made.name == "arith.addi" and _is_known(known(base)):
            base, other = other, base
        sign = 1 if made.name == "arith.addi" else -1
        (low, high), (least, most) = known(base), everything(program.widths[number])
        step = sign * known(other)[0]
        if not _is_known(known(other)) or low + step < least or high + step > most:
            break
        number, offset = base, offset + step
    return number, offset


def _is_known(interval: Interval) -> bool:
    return interval[0] == interval[1]


def _arithmetic(program: Numbering, number: int) -> Instruction | None:
    made = program.made_by.get(number)
    return made if made is not None and made.kind == ARITHMETIC_OP else None

"""Intervals of integers, and what arithmetic that wraps around makes of them.

An interval holds all integers from its first to its last number, both included. Those of more than one bit are signed;
those of one bit are 0 and 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Interval: TypeAlias = "tuple[int, int]"

WIDEST = 64
FALSE, TRUE = (0, 0), (1, 1)


def everything(width: int) -> Interval:
    """All integers of so many bits.

    >>> everything(8), everything(1)
    ((-128, 127), (0, 1))
    """
    return (0, 1) if width == 1 else (-(1 << (width - 1)), (1 << (width - 1)) - 1)


def joined(one: Interval, other: Interval) -> Interval:
    """The smallest interval that holds both."""
    return min(one[0], other[0]), max(one[1], other[1])


def common(one: Interval, other: Interval) -> Interval | None:
    """What both hold."""
    low, high = max(one[0], other[0]), min(one[1], other[1])
    return (low, high) if low <= high else None


def widened(old: Interval, new: Interval, width: int) -> Interval:
    """An interval that holds both, and is reached after a few steps however often this is asked: where a bound moves,
    it goes to the next one of few."""
    low, high = everything(width)
    if new[0] >= old[0]:
        low = old[0]
    elif new[0] >= 0:
        low = 0
    elif new[0] >= -1:
        low = -1
    return low, old[1] if new[1] <= old[1] else high


def fitting(low: int, high: int, width: int) -> Interval:
    """From one integer to another, as they are computed in so many bits: anything when one of them does not fit."""
    least, most = everything(width)
    return (low, high) if least <= low and high <= most else (least, most)


def _corners(function: Callable[[int, int], int], x: Interval, y: Interval) -> tuple[int, int]:
    """The extrema of a function that is monotone in each of its arguments."""
    values = [function(a, b) for a in x for b in y]
    return min(values), max(values)


def _truncated(a: int, b: int) -> int:
    return a // b if a >= 0 else -(-a // b)


def _divided(function: Callable[[int, int], int]) -> Callable[[Interval, Interval, int], Interval]:
    def divided(x: Interval, y: Interval, width: int) -> Interval:
        return fitting(*_corners(function, x, y), width) if y[0] > 0 else everything(width)

    return divided


def _divided_without_sign(x: Interval, y: Interval, width: int) -> Interval:
    return (x[0] // y[1], x[1] // y[0]) if x[0] >= 0 and y[0] > 0 else everything(width)


def _remainder(x: Interval, y: Interval, width: int) -> Interval:
    if y[0] <= 0:
        return everything(width)
    most = y[1] - 1
    return max(-most, min(x[0], 0)), min(most, max(x[1], 0))


def _remainder_without_sign(x: Interval, y: Interval, width: int) -> Interval:
    if y[0] <= 0:
        return everything(width)
    return 0, y[1] - 1 if x[0] < 0 else min(y[1] - 1, x[1])


def _and(x: Interval, y: Interval, width: int) -> Interval:
    """Bits can only be lost: the result of a number that is not negative is neither negative nor larger."""
    limits = [interval[1] for interval in (x, y) if interval[0] >= 0]
    return (0, min(limits)) if limits else everything(width)


def _or(x: Interval, y: Interval, width: int) -> Interval:
    if x[0] < 0 or y[0] < 0:
        return everything(width)
    return max(x[0], y[0]), (1 << max(x[1].bit_length(), y[1].bit_length())) - 1


def _xor(x: Interval, y: Interval, width: int) -> Interval:
    if x[0] < 0 or y[0] < 0:
        return everything(width)
    if x[0] == x[1] and y[0] == y[1]:
        return x[0] ^ y[0], x[0] ^ y[0]
    return 0, (1 << max(x[1].bit_length(), y[1].bit_length())) - 1


def _shifted_left(x: Interval, y: Interval, width: int) -> Interval:
    if not 0 <= y[0] <= y[1] < width:
        return everything(width)
    return fitting(*_corners(lambda a, b: a << b, x, y), width)


def _shifted_right(x: Interval, y: Interval, width: int) -> Interval:
    if not 0 <= y[0] <= y[1] < width:
        return everything(width)
    return _corners(lambda a, b: a >> b, x, y)


def _shifted_right_without_sign(x: Interval, y: Interval, width: int) -> Interval:
    if x[0] >= 0:
        return _shifted_right(x, y, width)
    if y[0] == y[1] and 0 < y[0] < width:
        return 0, (1 << (width - y[0])) - 1
    return everything(width)


def _smaller_without_sign(x: Interval, y: Interval, width: int) -> Interval:
    limits = [interval[1] for interval in (x, y) if interval[0] >= 0]
    if len(limits) == 2:
        return min(x[0], y[0]), min(limits)
    return (0, limits[0]) if limits else everything(width)


def _larger_without_sign(x: Interval, y: Interval, width: int) -> Interval:
    return (max(x[0], y[0]), max(x[1], y[1])) if x[0] >= 0 and y[0] >= 0 else everything(width)


def _divided_upwards_without_sign(x: Interval, y: Interval, width: int) -> Interval:
    return (-(-x[0] // y[1]), -(-x[1] // y[0])) if x[0] >= 0 and y[0] > 0 else everything(width)


ARITHMETIC: dict[str, Callable[[Interval, Interval, int], Interval]] = {
    "arith.addi": lambda x, y, width: fitting(x[0] + y[0], x[1] + y[1], width),
    "arith.subi": lambda x, y, width: fitting(x[0] - y[1], x[1] - y[0], width),
    "arith.muli": lambda x, y, width: fitting(*_corners(lambda a, b: a * b, x, y), width),
    "arith.maxsi": lambda x, y, width: (max(x[0], y[0]), max(x[1], y[1])),
    "arith.minsi": lambda x, y, width: (min(x[0], y[0]), min(x[1], y[1])),
    "arith.minui": _smaller_without_sign,
    "arith.maxui": _larger_without_sign,
    "arith.divsi": _divided(_truncated),
    "arith.floordivsi": _divided(lambda a, b: a // b),
    "arith.ceildivsi": _divided(lambda a, b: -(-a // b)),
    "arith.divui": _divided_without_sign,
    "arith.ceildivui": _divided_upwards_without_sign,
    "arith.remsi": _remainder,
    "arith.remui": _remainder_without_sign,
    "arith.andi": _and,
    "arith.ori": _or,
    "arith.xori": _xor,
    "arith.shli": _shifted_left,
    "arith.shrsi": _shifted_right,
    "arith.shrui": _shifted_right_without_sign,
}
"""What operations on two integers of so many bits give, for numbers of two intervals; not for single bits, unless they
are `andi`, `ori` and `xori`."""

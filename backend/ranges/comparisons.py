"""What comparisons say of integers, and intervals of comparisons."""

from __future__ import annotations

from .interval import FALSE, TRUE, Interval

EQ, NE, SLT, SLE, SGT, SGE, ULT, ULE, UGT, UGE = range(10)
"""The predicates of `arith.cmpi`, by their numbers."""

OPPOSITE = {EQ: NE, NE: EQ, SLT: SGE, SLE: SGT, SGT: SLE, SGE: SLT, ULT: UGE, ULE: UGT, UGT: ULE, UGE: ULT}
MIRRORED = {EQ: EQ, NE: NE, SLT: SGT, SLE: SGE, SGT: SLT, SGE: SLE, ULT: UGT, ULE: UGE, UGT: ULT, UGE: ULE}
SIGNED = {ULT: SLT, ULE: SLE, UGT: SGT, UGE: SGE}
_UNKNOWN = (0, 1)


def compared(predicate: int, x: Interval, y: Interval) -> Interval:
    """The truth of a comparison: 0, 1 or either.

    >>> compared(ULT, (0, 3), (4, 9)), compared(ULT, (-5, -1), (4, 9)), compared(SLT, (0, 4), (4, 9))
    ((1, 1), (0, 0), (0, 1))
    """
    if predicate in SIGNED:
        if x[0] < 0 <= x[1] or y[0] < 0 <= y[1]:
            return _UNKNOWN
        if (x[0] < 0) != (y[0] < 0):  # as unsigned numbers, negative ones are the large ones
            return TRUE if (y[0] < 0) == (predicate in (ULT, ULE)) else FALSE
        predicate = SIGNED[predicate]
    if predicate in (SGT, SGE):
        return compared(MIRRORED[predicate], y, x)
    if predicate in (NE, SLE):
        return {TRUE: FALSE, FALSE: TRUE, _UNKNOWN: _UNKNOWN}[
            compared(EQ, x, y) if predicate == NE else compared(SLT, y, x)
        ]
    if predicate == SLT:
        return TRUE if x[1] < y[0] else FALSE if x[0] >= y[1] else _UNKNOWN
    if x[0] == x[1] == y[0] == y[1]:
        return TRUE
    return FALSE if x[1] < y[0] or y[1] < x[0] else _UNKNOWN


def implied(predicate: int, x: Interval, y: Interval) -> tuple[tuple[int, int], tuple[int, int]]:
    """What the operands of a comparison lie between where it holds, beyond what is known of them; never nothing.

    >>> implied(ULT, (-9, 9), (4, 5))
    ((0, 4), (4, 5))
    """
    return _implied(predicate, x, y), _implied(MIRRORED[predicate], y, x)


def _implied(predicate: int, x: Interval, y: Interval) -> tuple[int, int]:
    low, high = x
    if predicate in SIGNED:
        if predicate in (ULT, ULE) and y[0] >= 0:
            low = max(low, 0)
        elif x[0] < 0 or y[0] < 0:
            return x
        predicate = SIGNED[predicate]
    if predicate == EQ:
        low, high = max(low, y[0]), min(high, y[1])
    elif predicate == NE and y[0] == y[1]:
        low, high = low + (low == y[0]), high - (high == y[0])
    elif predicate in (SLT, SLE):
        high = min(high, y[1] - (predicate == SLT))
    elif predicate in (SGT, SGE):
        low = max(low, y[0] + (predicate == SGT))
    return (low, high) if low <= high else x

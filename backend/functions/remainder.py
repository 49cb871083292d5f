"""The remainder of a division of floats, exactly, by one division of its own.

The quotient q of two magnitudes, rounded, is below the next whole number or is that: its whole part is right or one too
large. As long as q has fewer bits than a significand, what it leaves, x - q * y, is a multiple of the last place of y
and not above y, so that a fused multiplication and a correction by y are exact. Greater quotients, infinities, NaN and
divisions by zero are left to the C library, which takes off bit by bit.
"""

from __future__ import annotations

import math

from ...dialect.mlir import ir
from ..nests.emit import create
from .number import Number, all_of
from .registry import expands

NAME = "arith.remf"
LEFT = "weft.left_to_library"
"""Marks remainders that are no longer expanded."""

_FEW_BITS = {32: 2.0**22, 64: 2.0**51}


@expands("remf")
def remf(x: Number, y: Number) -> Number:
    """What x / y, rounded towards zero, leaves, with the sign of x."""
    dividend, divisor = abs(x), abs(y)
    quotient = dividend / divisor
    whole = Number(create("math.trunc", [x.type], [quotient.value]))
    left = (-whole).times_plus(divisor, dividend)
    left = (left + divisor).where(left.compare("<", 0.0), left)
    is_usual = all_of(quotient.compare("<", _FEW_BITS[x.bits]), divisor.compare("<", math.inf))
    return left.with_sign_of(x).unless_rare(is_usual, lambda: _by_library(x, y))


def _by_library(x: Number, y: Number) -> Number:
    return Number(create(NAME, [x.type], [x.value, y.value], {LEFT: ir.UnitAttr.get()}))

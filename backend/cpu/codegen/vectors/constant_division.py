"""Division of vectors of 64-bit integers by constants, with the high halves of products: LLVM would divide one by one.

x // d is the product of x with 2**k / d, rounded up, without its lowest k bits: what the rounding adds to the quotient
is less than 1 / d as long as it is less than 2**(k - 64) for each unit of the rounded number. Magnitudes of signed
numbers leave room for that in 64 bits. For unsigned ones the number has 65, the highest of which is added.
"""

from __future__ import annotations

from .....dialect.mlir import Operation
from .....passes.rewriting import constant_integer
from ....functions.number import Integer

_HALF = 32
_LOW = (1 << _HALF) - 1


def constant_divisor(op: Operation) -> int | None:
    """The constant that an operation divides 64-bit integers by, if shifts do not do that."""
    divisor, width = constant_integer(op.operands[1]), op.results[0].type.width
    if divisor is None or width != 64:
        return None
    if not op.name.endswith("si"):
        divisor %= 1 << 64
    return divisor if abs(divisor) & (abs(divisor) - 1) else None


def divided(x: Integer, divisor: int, is_signed: bool) -> Integer:
    """The quotients, rounded towards zero."""
    length = abs(divisor).bit_length()
    if not is_signed:
        factor = -(-(1 << (64 + length)) // divisor) - (1 << 64)
        high = _high_half(x, factor)
        return (((x - high) >> 1) + high) >> (length - 1)
    factor = -(-(1 << (63 + length)) // abs(divisor))
    quotient = _high_half(x.magnitude(), factor) >> (length - 1)
    is_negative = (x ^ divisor).compare("<", 0)
    return (x.constant(0) - quotient).where(is_negative, quotient)


def _high_half(x: Integer, factor: int) -> Integer:
    """The high half of the products of unsigned numbers with one, of products of halves."""
    low, high = x & _LOW, x >> _HALF
    factor_low, factor_high = factor & _LOW, factor >> _HALF
    middle = high * factor_low + ((low * factor_low) >> _HALF)
    other = low * factor_high + (middle & _LOW)
    return high * factor_high + (middle >> _HALF) + (other >> _HALF)

"""Native code that writes floats as Python does: with the fewest digits that tell them, and `e` for large ones.

Translated to native code (see `native_python/translator.py`) with `describe.py`.
"""

from __future__ import annotations

from ..native_python.intrinsics import byte, stack
from .describe import MINUS, ZERO, put, put_integer
from .given_floats import double_of_single, shortest
from .messages import HALF, SINGLE

POINT, EXPONENT, PLUS = ord("."), ord("e"), ord("+")
LOWER_N, LOWER_A, LOWER_I, LOWER_F = ord("n"), ord("a"), ord("i"), ord("f")
INFINITY = 0x7FF0000000000000
MAGNITUDE = (1 << 63) - 1
SMALLEST, LARGEST = -4, 16
"""Exponents of numbers that are written without `e`."""


def put_float(text: int, size: int, length: int, bits: int, kind: int) -> int:
    """Write the float of some bits."""
    bits = as_double(bits, kind)
    magnitude = bits & MAGNITUDE
    if magnitude > INFINITY:
        return put(text, size, put(text, size, put(text, size, length, LOWER_N), LOWER_A), LOWER_N)
    if bits < 0:
        length = put(text, size, length, MINUS)
    if magnitude == INFINITY:
        return put(text, size, put(text, size, put(text, size, length, LOWER_I), LOWER_N), LOWER_F)
    scientific = stack(5)
    shortest(magnitude, scientific)
    end = scientific
    while byte(end) != EXPONENT:
        end += 1
    exponent = 0
    at = end + 2
    while byte(at) != 0:
        exponent = 10 * exponent + byte(at) - ZERO
        at += 1
    if byte(end + 1) == MINUS:
        exponent = -exponent
    return put_digits(text, size, length, scientific, end, exponent)


def put_digits(text: int, size: int, length: int, digits: int, end: int, exponent: int) -> int:
    """Write digits, the first of which stands before the point, with an exponent."""
    if exponent < SMALLEST or exponent >= LARGEST:
        length = put(text, size, length, byte(digits))
        if end > digits + 1:
            length = put_rest(text, size, put(text, size, length, POINT), digits + 2, end)
        length = put(text, size, length, EXPONENT)
        length = put(text, size, length, MINUS if exponent < 0 else PLUS)
        exponent = -exponent if exponent < 0 else exponent
        if exponent < 10:
            length = put(text, size, length, ZERO)
        return put_integer(text, size, length, exponent)
    if exponent < 0:
        length = put(text, size, put(text, size, length, ZERO), POINT)
        for _zero in range(-exponent - 1):
            length = put(text, size, length, ZERO)
        length = put(text, size, length, byte(digits))
        return put_rest(text, size, length, digits + 2, end)
    length = put(text, size, length, byte(digits))
    at = digits + 2
    for _digit in range(exponent):
        length = put(text, size, length, byte(at) if at < end else ZERO)
        at += 1
    length = put(text, size, length, POINT)
    return put_rest(text, size, length, at, end) if at < end else put(text, size, length, ZERO)


def put_rest(text: int, size: int, length: int, at: int, end: int) -> int:
    """Write what is between two addresses."""
    while at < end:
        length = put(text, size, length, byte(at))
        at += 1
    return length


def as_double(bits: int, kind: int) -> int:
    """The bits of the double that a float of some kind is."""
    if kind == SINGLE:
        return double_of_single(bits)
    if kind == HALF:
        return double_of_single(single_of_half(bits & 0xFFFF))
    return bits


def single_of_half(bits: int) -> int:
    """The bits of the single float that a float16 is."""
    sign = (bits >> 15) << 31
    exponent = (bits >> 10) & 31
    fraction = bits & 1023
    if exponent == 31:
        return sign | (255 << 23) | (fraction << 13)
    if exponent == 0:
        if fraction == 0:
            return sign
        exponent = 1
        while fraction < 1024:  # of a number that is too small for a leading one
            fraction = fraction << 1
            exponent -= 1
        fraction = fraction & 1023
    return sign | ((exponent + 112) << 23) | (fraction << 13)

"""Native code that writes the message of a failure: its text, and the numbers in it as Python shows them.

Translated to native code (see `native_python/translator.py`): every value is a 64-bit integer.
"""

from __future__ import annotations

from ..native_python.intrinsics import byte, set_byte, stack, word
from .given_floats import put_float
from .given_texts import put_other
from .messages import HALF, INTEGER, MARK

ZERO, MINUS = ord("0"), ord("-")


def weft_describe(message: int, values: int, text: int, size: int) -> int:
    """Write as much of a message as there is room for, and a zero; how long all of it is."""
    length = 0
    while byte(message) != 0:
        if byte(message) == MARK:
            value = word(values + 8 * (byte(message + 1) - 1))
            kind = byte(message + 2)
            if kind == INTEGER:
                length = put_integer(text, size, length, value)
            elif kind <= HALF:
                length = put_float(text, size, length, value, kind)
            else:
                length = put_other(text, size, length, value, kind)
            message += 3
        else:
            length = put(text, size, length, byte(message))
            message += 1
    if size > 0:
        set_byte(text + min(length, size - 1), 0)
    return length


def put(text: int, size: int, length: int, character: int) -> int:
    """Write a character behind others, if there is room; how many there are."""
    if length < size - 1:
        set_byte(text + length, character)
    return length + 1


def put_integer(text: int, size: int, length: int, value: int) -> int:
    """Write a number."""
    if value < 0:
        length = put(text, size, length, MINUS)
    digits = stack(4)
    count = 0
    while value != 0 or count == 0:
        rest = value % 10  # of the sign of the number, as in C
        set_byte(digits + count, ZERO + (rest if rest > 0 else -rest))
        value = value // 10
        count += 1
    while count > 0:
        count -= 1
        length = put(text, size, length, byte(digits + count))
    return length

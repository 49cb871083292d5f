"""Sorting integers digit by digit, from the last digit on (Knuth, TAOCP 5.2.5): a digit is a byte.

It takes time for each byte in which numbers differ, and none to compare. Translated to native code with `rows.py`.
"""

from __future__ import annotations

from ..native_python.intrinsics import half, set_half, set_word, stack, word
from .given import allocate, copy_bytes, free, most_digits

BYTES = 1600
"""So many bytes of numbers for each digit pay the time that its table of counts takes: where words have twice the
size, NumPy's vectors hold half as many."""

BUCKETS = 256
"""How many values a digit has."""


def is_sorted_by_digits(differ: int, length: int, size: int) -> int:
    """Whether integers of a size, which differ in some bits, are sorted faster here than by NumPy."""
    digits = 0
    for digit in range(size):
        digits += ((differ >> (8 * digit)) & (BUCKETS - 1)) != 0
    return digits <= most_digits() and length * size >= BYTES * digits


def sort_by_digits(numbers: int, length: int, size: int, differ: int) -> int:
    """Sort integers of a size, which differ in some bits; 0 where there is no memory, and nothing was done."""
    scratch = allocate(size * length)
    if scratch == 0:
        return 0
    source = numbers
    target = scratch
    for digit in range(size):
        if (differ >> (8 * digit)) & (BUCKETS - 1):
            distribute(source, target, length, size, 8 * digit)
            source = target
            target = numbers if source == scratch else scratch
    if source == scratch:
        copy_bytes(numbers, scratch, size * length)
    free(scratch)
    return 1


def distribute(source: int, target: int, length: int, size: int, shift: int) -> int:
    """Copy integers in the order of one digit; those of equal digits keep theirs."""
    counts = stack(BUCKETS)
    sign = BUCKETS // 2 if shift == 8 * size - 8 else 0
    for bucket in range(BUCKETS):
        set_word(counts + 8 * bucket, 0)
    for number in range(length):
        digit = (load(source + size * number, size) >> shift) & (BUCKETS - 1)
        entry = counts + 8 * (digit ^ sign)
        set_word(entry, word(entry) + 1)
    first = target
    for bucket in range(BUCKETS):
        count = word(counts + 8 * bucket)
        set_word(counts + 8 * bucket, first)
        first += size * count
    for number in range(length):
        value = load(source + size * number, size)
        entry = counts + 8 * (((value >> shift) & (BUCKETS - 1)) ^ sign)
        place = word(entry)
        set_word(entry, place + size)
        store(place, value, size)
    return 0


def load(address: int, size: int) -> int:
    """The integer of 4 or 8 bytes at an address."""
    return half(address) if size == 4 else word(address)


def store(address: int, value: int, size: int) -> int:
    """Store an integer of 4 or 8 bytes."""
    if size == 4:
        set_half(address, value)
    else:
        set_word(address, value)
    return 0

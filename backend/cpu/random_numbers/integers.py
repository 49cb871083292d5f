"""Random integers between bounds, permutations and samples.

Translated to native code, for each algorithm and dtype of bounds.
"""

from __future__ import annotations

from ..native_python.intrinsics import (
    bit_length,
    multiply_high,
    set_word,
    stack,
    unsigned_less,
    unsigned_remainder,
    word,
)
from .given import integer, integer_bits, integer_bytes, set_integer
from .words import LOWER, next_half, next_word

ALL = -1
"""All bits of a word."""

LARGE = 10000
"""A sample of more items may be the end of a shuffled range."""

FREE = -1
"""What is in a place of the table of a sample that nothing is in."""


def weft_random_integers(
    spare: int, core: int, target: int, count: int, lows: int, highs: int, step: int
) -> int:
    """Integers between bounds, those of the next number are so many bytes behind those of one."""
    buffer = stack(2)
    set_word(buffer + 8, 0)
    for _number in range(count):
        low = integer(lows)
        span = integer(highs) - low
        if integer_bits() == 64:
            drawn = below_word(spare, core, span)
        elif integer_bits() == 32:
            drawn = below_half(spare, core, span & LOWER)
        else:
            drawn = below_part(spare, core, buffer, span & ((1 << integer_bits()) - 1))
        set_integer(target, low + drawn)
        target += integer_bytes()
        lows += step
        highs += step
    return 0


def below_word(spare: int, core: int, span: int) -> int:
    """An integer from zero to a span: by a half where that is enough, else by a word (Lemire, 2019)."""
    if span >> 32 == 0:
        return below_half(spare, core, span)
    if span == ALL:
        return next_word(core)
    count = span + 1
    drawn = next_word(core)
    if unsigned_less(drawn * count, count):
        threshold = unsigned_remainder(-count, count)
        while unsigned_less(drawn * count, threshold):
            drawn = next_word(core)
    return multiply_high(drawn, count)


def below_half(spare: int, core: int, span: int) -> int:
    """An integer from zero to a span of 32 bits."""
    if span == 0:
        return 0
    if span == LOWER:
        return next_half(spare, core)
    count = span + 1
    product = next_half(spare, core) * count
    if product & LOWER < count:
        threshold = (LOWER - span) % count
        while product & LOWER < threshold:
            product = next_half(spare, core) * count
    return product >> 32


def below_part(spare: int, core: int, buffer: int, span: int) -> int:
    """An integer from zero to a span of 16 or 8 bits, or of one."""
    if span == 0:
        return 0
    all_ones = (1 << integer_bits()) - 1
    if span == all_ones:
        return next_part(spare, core, buffer)
    count = span + 1
    product = next_part(spare, core, buffer) * count
    if product & all_ones < count:
        threshold = (all_ones - span) % count
        while product & all_ones < threshold:
            product = next_part(spare, core, buffer) * count
    return product >> integer_bits()


def next_part(spare: int, core: int, buffer: int) -> int:
    """The next bits of a half, lower ones first; another half where all were taken."""
    if word(buffer + 8) == 0:
        set_word(buffer, next_half(spare, core))
        set_word(buffer + 8, 32 // integer_bits())
    else:
        set_word(buffer, word(buffer) >> integer_bits())
    set_word(buffer + 8, word(buffer + 8) - 1)
    return word(buffer) & ((1 << integer_bits()) - 1)


def weft_random_permutation(spare: int, core: int, target: int, rows: int, length: int) -> int:
    """For every row its places, shuffled."""
    for _row in range(rows):
        count_up(target, length)
        last = length - 1
        while last > 0:
            swap(target, last, below_masked(spare, core, last))
            last -= 1
        target += 8 * length
    return 0


def count_up(target: int, length: int) -> int:
    """Write 0, 1, 2, ..."""
    for number in range(length):
        set_word(target + 8 * number, number)
    return 0


def swap(places: int, one: int, other: int) -> int:
    """Exchange two words."""
    kept = word(places + 8 * one)
    set_word(places + 8 * one, word(places + 8 * other))
    set_word(places + 8 * other, kept)
    return 0


def below_masked(spare: int, core: int, span: int) -> int:
    """An integer from zero to a span: drawn until one that has as many bits is not above it."""
    mask = mask_of(span)
    drawn = mask
    while 1:
        drawn = (next_half(spare, core) if span <= LOWER else next_word(core)) & mask
        if drawn <= span:
            break
    return drawn


def mask_of(value: int) -> int:
    """As many ones as a value has bits."""
    return (1 << bit_length(value)) - 1


def weft_random_choice(spare: int, core: int, target: int, count: int, asked: int, table: int) -> int:
    """Different places among a population; the table has a word for each of them, or for each of twice the sample."""
    population = word(asked)
    shuffles = word(asked + 8)
    if population > LARGE and count > population // (50 if shuffles else 20):
        count_up(table, population)
        shuffle(spare, core, table, population, population - count)
        for number in range(count):
            set_word(target + 8 * number, word(table + 8 * (population - count + number)))
        return 0
    mask = mask_of(6 * count // 5)
    for place in range(mask + 1):
        set_word(table + 8 * place, FREE)
    for number in range(count):
        last = population - count + number
        drawn = below_word(spare, core, last)
        if enter(table, mask, drawn) == 0:
            drawn = last
            enter(table, mask, last)
        set_word(target + 8 * number, drawn)
    if shuffles:
        shuffle(spare, core, target, count, 1)
    return 0


def shuffle(spare: int, core: int, places: int, length: int, first: int) -> int:
    """Shuffle words from the last one to the first one, which is not the very first."""
    last = length - 1
    while last >= (first if first > 1 else 1):
        swap(places, last, below_word(spare, core, last))
        last -= 1
    return 0


def enter(table: int, mask: int, value: int) -> int:
    """Enter a value in a table; whether it was not there."""
    place = value & mask
    while word(table + 8 * place) != FREE and word(table + 8 * place) != value:
        place = (place + 1) & mask
    is_new = word(table + 8 * place) == FREE
    set_word(table + 8 * place, value)
    return is_new

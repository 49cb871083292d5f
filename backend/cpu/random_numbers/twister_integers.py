"""Random integers and permutations of the Mersenne Twister, as Python's `random` and NumPy's older functions make them.

Translated to native code, for each dtype. `addresses` is the address of the addresses of what is given and taken.
"""

from __future__ import annotations

from ..native_python.intrinsics import bit_length, set_word, stack, unsigned_less, word
from .given import integer, integer_bits, integer_bytes, set_integer
from .integers import ALL, count_up, mask_of, swap
from .twister_words import FRAME, home_of, next_of_twister, next_pair, numbers_of
from .words import LOWER


def weft_twister_integers(addresses: int) -> int:
    """Integers from the lowest to the highest one, as NumPy's older functions draw them: until one is not too large."""
    home = home_of(addresses, 4, stack(FRAME))
    lowest = word(addresses + 8)
    highest = word(addresses + 16)
    step = integer_bytes() * word(word(addresses + 24))
    target = numbers_of(addresses, 4)
    buffer = stack(2)
    set_word(buffer + 8, 0)
    for _number in range(word(word(addresses + 32))):
        low = integer(lowest)
        span = integer(highest) - low
        drawn = 0
        if integer_bits() >= 32:
            drawn = masked(home, span & ALL_OF_32 if integer_bits() == 32 else span)
        else:
            drawn = masked_part(home, buffer, span & ((1 << integer_bits()) - 1))
        set_integer(target, low + drawn)
        target += integer_bytes()
        lowest += step
        highest += step
    return 0


ALL_OF_32 = (1 << 32) - 1


def masked(home: int, span: int) -> int:
    """An integer from zero to a span."""
    if span == 0:
        return 0
    if span == ALL:
        return next_pair(home)
    mask = ALL if span < 0 else mask_of(span)
    drawn = (next_of_twister(home) if span >> 32 == 0 else next_pair(home)) & mask
    while unsigned_less(span, drawn):
        drawn = (next_of_twister(home) if span >> 32 == 0 else next_pair(home)) & mask
    return drawn


def masked_part(home: int, buffer: int, span: int) -> int:
    """An integer from zero to a span of fewer bits than 32, of which several come of one draw."""
    if span == 0:
        return 0
    mask = mask_of(span)
    drawn = next_part_of_twister(home, buffer) & mask
    while drawn > span:
        drawn = next_part_of_twister(home, buffer) & mask
    return drawn


def next_part_of_twister(home: int, buffer: int) -> int:
    """The next bits of a word, lower ones first; another word where all were taken."""
    if word(buffer + 8) == 0:
        set_word(buffer, next_of_twister(home))
        set_word(buffer + 8, 32 // integer_bits())
    else:
        set_word(buffer, word(buffer) >> integer_bits())
    set_word(buffer + 8, word(buffer + 8) - 1)
    return word(buffer) & ((1 << integer_bits()) - 1)


def weft_twister_permutation(addresses: int) -> int:
    """Places, shuffled as NumPy's older functions do."""
    home = home_of(addresses, 1, stack(FRAME))
    length = word(word(addresses + 8))
    target = numbers_of(addresses, 1)
    count_up(target, length)
    last = length - 1
    while last > 0:
        swap(target, last, masked(home, last))
        last -= 1
    return 0


def weft_twister_order(addresses: int) -> int:
    """Places, shuffled as Python does."""
    home = home_of(addresses, 1, stack(FRAME))
    length = word(word(addresses + 8))
    target = numbers_of(addresses, 1)
    count_up(target, length)
    last = length - 1
    while last > 0:
        swap(target, last, below_of_twister(home, last + 1))
        last -= 1
    return 0


def weft_twister_pool(addresses: int) -> int:
    """Places, of which the last ones are in random order, the first one last: of a sample of Python's."""
    home = home_of(addresses, 2, stack(FRAME))
    last = word(word(addresses + 8))
    length = word(word(addresses + 16))
    target = numbers_of(addresses, 2)
    count_up(target, length)
    for number in range(last):
        swap(target, length - 1 - number, below_of_twister(home, length - number))
    return 0


def weft_twister_distinct(addresses: int) -> int:
    """Different integers from zero up to a count: a sample of Python's of which there are much more."""
    home = home_of(addresses, 2, stack(FRAME))
    count = word(word(addresses + 8))
    target = numbers_of(addresses, 2)
    for number in range(word(word(addresses + 16))):
        drawn = below_of_twister(home, count)
        while has(target, number, drawn):
            drawn = below_of_twister(home, count)
        set_word(target + 8 * number, drawn)
    return 0


def has(target: int, length: int, wanted: int) -> int:
    """Whether an integer is among others."""
    for number in range(length):
        if word(target + 8 * number) == wanted:
            return 1
    return 0


def weft_twister_below(addresses: int) -> int:
    """Integers from zero up to a count, as Python draws them."""
    home = home_of(addresses, 2, stack(FRAME))
    count = word(word(addresses + 8))
    target = numbers_of(addresses, 2)
    for number in range(word(word(addresses + 16))):
        set_word(target + 8 * number, below_of_twister(home, count))
    return 0


def below_of_twister(home: int, count: int) -> int:
    """An integer from zero up to a count: drawn until one that has as many bits is below it."""
    length = bit_length(count)
    drawn = bits_of_twister(home, length)
    while drawn >= count:
        drawn = bits_of_twister(home, length)
    return drawn


def weft_twister_bits(addresses: int) -> int:
    """So many random bits."""
    home = home_of(addresses, 2, stack(FRAME))
    length = word(word(addresses + 8))
    target = numbers_of(addresses, 2)
    for number in range(word(word(addresses + 16))):
        set_word(target + 8 * number, bits_of_twister(home, length))
    return 0


def bits_of_twister(home: int, length: int) -> int:
    """So many random bits, lower ones first: of each word the upper ones."""
    if length == 0:
        return 0
    if length <= 32:
        return next_of_twister(home) >> (32 - length)
    lower = next_of_twister(home) & LOWER
    return lower | ((next_of_twister(home) >> (64 - length)) << 32)

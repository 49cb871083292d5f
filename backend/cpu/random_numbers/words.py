"""Random words: the steps of PCG64, PCG64DXSM and Philox.

Translated to native code (see `native_python/translator.py`) for each algorithm: every value is a 64-bit integer.
`core` is the address of what `dialect/bit_generators.py` describes: of state and increment, or of all of Philox;
`spare` that of the word with the spare half.
"""

from __future__ import annotations

from ..native_python.intrinsics import multiply_high, rotate_right, set_word, unsigned_less, word
from .given import algorithm

PCG64 = 0
PCG64DXSM = 1
PHILOX = 2

MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
MULTIPLIER_LOW = MULTIPLIER & (1 << 64) - 1
MULTIPLIER_HIGH = MULTIPLIER >> 64
CHEAP_MULTIPLIER = 0xDA942042E4DD58B5

LOWER, UPPER = (1 << 32) - 1, (1 << 64) - (1 << 32)
"""The halves of a word."""

PHILOX_BUFFER = 4
PHILOX_ROUNDS = 10
PHILOX_FACTOR_0, PHILOX_FACTOR_1 = 0xD2E7470EE14C6C93, 0xCA5A826395121157
PHILOX_KEY_0, PHILOX_KEY_1 = 0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B
KEY, COUNTER = 48, 64
"""Where key and counter of a Philox are, behind place, buffer and spare half."""


def next_word(core: int) -> int:
    """The next word; changes the state."""
    if algorithm() == PHILOX:
        return next_of_philox(core)
    low = word(core)
    high = word(core + 8)
    increment_low = word(core + 16)
    increment_high = word(core + 24)
    if algorithm() == PCG64DXSM:
        set_word(core, step_low(low, CHEAP_MULTIPLIER, increment_low))
        set_word(core + 8, step_high(low, high, CHEAP_MULTIPLIER, 0, increment_low, increment_high))
        return double_xorshift_multiply(low, high)
    next_low = step_low(low, MULTIPLIER_LOW, increment_low)
    next_high = step_high(low, high, MULTIPLIER_LOW, MULTIPLIER_HIGH, increment_low, increment_high)
    set_word(core, next_low)
    set_word(core + 8, next_high)
    return xorshift_rotate(next_low, next_high)


def next_half(spare: int, core: int) -> int:
    """The next 32 bits: the half that a word left before, or the lower one of the next word."""
    kept = word(spare)
    if kept & LOWER:
        set_word(spare, kept & UPPER)
        return kept >> 32
    drawn = next_word(core)
    set_word(spare, (drawn & UPPER) | 1)
    return drawn & LOWER


def step_low(low: int, multiplier_low: int, increment_low: int) -> int:
    """The lower half of state times multiplier plus increment."""
    return low * multiplier_low + increment_low


def step_high(
    low: int, high: int, multiplier_low: int, multiplier_high: int, increment_low: int, increment_high: int
) -> int:
    """The upper half."""
    product = multiply_high(low, multiplier_low) + low * multiplier_high + high * multiplier_low
    carry = unsigned_less(step_low(low, multiplier_low, increment_low), increment_low)
    return product + increment_high + carry


def xorshift_rotate(low: int, high: int) -> int:
    """The output of PCG64: XSL RR."""
    return rotate_right(high ^ low, high >> 58)


def double_xorshift_multiply(low: int, high: int) -> int:
    """The output of PCG64DXSM, of the state before its step."""
    high = high ^ (high >> 32)
    high = high * CHEAP_MULTIPLIER
    high = high ^ (high >> 48)
    return high * (low | 1)


def next_of_philox(core: int) -> int:
    """The next word of the buffer, which is filled by the next value of the counter."""
    place = word(core) & LOWER
    if place >= PHILOX_BUFFER:
        increase_counter(core + COUNTER)
        fill_buffer(core)
        place = 0
    set_word(core, (word(core) & UPPER) | (place + 1))
    return word(core + 8 + 8 * place)


def increase_counter(counter: int) -> int:
    """Add one to an integer of four words."""
    for number in range(4):
        here = counter + 8 * number
        set_word(here, word(here) + 1)
        if word(here) != 0:
            break
    return 0


def fill_buffer(core: int) -> int:
    """Encrypt the counter."""
    key_0 = word(core + KEY)
    key_1 = word(core + KEY + 8)
    first = word(core + COUNTER)
    second = word(core + COUNTER + 8)
    third = word(core + COUNTER + 16)
    fourth = word(core + COUNTER + 24)
    for _round in range(PHILOX_ROUNDS):
        mixed = multiply_high(PHILOX_FACTOR_1, third) ^ second ^ key_0
        second = PHILOX_FACTOR_1 * third
        third = multiply_high(PHILOX_FACTOR_0, first) ^ fourth ^ key_1
        fourth = PHILOX_FACTOR_0 * first
        first = mixed
        key_0 += PHILOX_KEY_0
        key_1 += PHILOX_KEY_1
    set_word(core + 8, first)
    set_word(core + 16, second)
    set_word(core + 24, third)
    set_word(core + 32, fourth)
    return 0

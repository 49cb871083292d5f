"""Random floats: uniform, normal and exponential.

Translated to native code, for each algorithm and precision. The layers of the ziggurats and the order in which words
are drawn are NumPy's, so that all numbers are.
"""

from __future__ import annotations

from ..native_python.intrinsics import FloatFunction, bits, from_bits, set_half, set_word, wide, word
from .given import algorithm, border, height, inverse_border, is_double, limit, unit, width
from .words import (
    MULTIPLIER,
    MULTIPLIER_HIGH,
    MULTIPLIER_LOW,
    PCG64,
    next_half,
    next_word,
    step_high,
    step_low,
    xorshift_rotate,
)

MODULUS = 1 << 128
MULTIPLIER_4 = pow(MULTIPLIER, 4, MODULUS)
"""Four steps at once multiply by this, and add the increment times the next one."""
INCREMENTS_4 = sum(pow(MULTIPLIER, power, MODULUS) for power in range(4)) % MODULUS
MULTIPLIER_4_LOW, MULTIPLIER_4_HIGH = MULTIPLIER_4 & (1 << 64) - 1, MULTIPLIER_4 >> 64
INCREMENTS_4_LOW, INCREMENTS_4_HIGH = INCREMENTS_4 & (1 << 64) - 1, INCREMENTS_4 >> 64

BLOCK = 4

log1p = FloatFunction("log1p")
exp = FloatFunction("exp")
double_exp = FloatFunction("exp", real="double")


def weft_random_uniform(spare: int, core: int, target: int, count: int) -> int:
    """Numbers in [0, 1)."""
    done = 0
    if algorithm() == PCG64 and is_double():
        done = count // BLOCK * BLOCK
        fill_blocks(core, target, count // BLOCK)
    for number in range(count - done):
        store(target, done + number, uniform(spare, core))
    return 0


def fill_blocks(core: int, target: int, blocks: int) -> int:
    """Uniform numbers of PCG64, four at once: four states that make four steps each do not wait for each other."""
    low = word(core)
    high = word(core + 8)
    add_low = word(core + 16)
    add_high = word(core + 24)
    add_4_low = step_low(add_low, INCREMENTS_4_LOW, 0)
    add_4_high = step_high(add_low, add_high, INCREMENTS_4_LOW, INCREMENTS_4_HIGH, 0, 0)
    low_1 = step_low(low, MULTIPLIER_LOW, add_low)
    high_1 = step_high(low, high, MULTIPLIER_LOW, MULTIPLIER_HIGH, add_low, add_high)
    low_2 = step_low(low_1, MULTIPLIER_LOW, add_low)
    high_2 = step_high(low_1, high_1, MULTIPLIER_LOW, MULTIPLIER_HIGH, add_low, add_high)
    low_3 = step_low(low_2, MULTIPLIER_LOW, add_low)
    high_3 = step_high(low_2, high_2, MULTIPLIER_LOW, MULTIPLIER_HIGH, add_low, add_high)
    low_4 = step_low(low_3, MULTIPLIER_LOW, add_low)
    high_4 = step_high(low_3, high_3, MULTIPLIER_LOW, MULTIPLIER_HIGH, add_low, add_high)
    for _block in range(blocks):
        set_word(target, bits(of_word(xorshift_rotate(low_1, high_1))))
        set_word(target + 8, bits(of_word(xorshift_rotate(low_2, high_2))))
        set_word(target + 16, bits(of_word(xorshift_rotate(low_3, high_3))))
        set_word(target + 24, bits(of_word(xorshift_rotate(low_4, high_4))))
        target += 8 * BLOCK
        low = low_4
        high = high_4
        high_1 = step_high(low_1, high_1, MULTIPLIER_4_LOW, MULTIPLIER_4_HIGH, add_4_low, add_4_high)
        low_1 = step_low(low_1, MULTIPLIER_4_LOW, add_4_low)
        high_2 = step_high(low_2, high_2, MULTIPLIER_4_LOW, MULTIPLIER_4_HIGH, add_4_low, add_4_high)
        low_2 = step_low(low_2, MULTIPLIER_4_LOW, add_4_low)
        high_3 = step_high(low_3, high_3, MULTIPLIER_4_LOW, MULTIPLIER_4_HIGH, add_4_low, add_4_high)
        low_3 = step_low(low_3, MULTIPLIER_4_LOW, add_4_low)
        high_4 = step_high(low_4, high_4, MULTIPLIER_4_LOW, MULTIPLIER_4_HIGH, add_4_low, add_4_high)
        low_4 = step_low(low_4, MULTIPLIER_4_LOW, add_4_low)
    set_word(core, low)
    return set_state_high(core, high)


def set_state_high(core: int, high: int) -> int:
    """Store the upper half of a PCG's state."""
    set_word(core + 8, high)
    return 0


def of_word(drawn: int) -> float:
    """The number in [0, 1) that the upper bits of a word, or of half of one, say."""
    return float(drawn >> (11 if is_double() else 8)) * unit()


def uniform(spare: int, core: int) -> float:
    """The next number in [0, 1)."""
    return of_word(next_word(core) if is_double() else next_half(spare, core))


def store(target: int, number: int, value: float) -> int:
    """Store a float at a place."""
    if is_double():
        set_word(target + 8 * number, bits(value))
    else:
        set_half(target + 4 * number, bits(value))
    return 0


def weft_random_inverse_exponential(spare: int, core: int, target: int, count: int) -> int:
    """Exponential numbers by the inverse of their distribution."""
    for number in range(count):
        store(target, number, log_of_rest(spare, core))
    return 0


def log_of_rest(spare: int, core: int) -> float:
    """Minus the logarithm of what a uniform number leaves of one."""
    return -log1p(-uniform(spare, core))


def weft_random_normal(spare: int, core: int, target: int, count: int) -> int:
    """Normal numbers."""
    if algorithm() == PCG64 and is_double():
        return fill_normal(spare, core, target, count)
    for number in range(count):
        drawn = next_word(core) if is_double() else next_half(spare, core)
        value = scaled_normal(drawn)
        if magnitude_of(drawn) >= limit(drawn & 255):
            value = finished_normal(spare, core, drawn)
        store(target, number, value)
    return 0


def fill_normal(spare: int, core: int, target: int, count: int) -> int:
    """Normal numbers of PCG64, whose state goes to memory only where the first word does not decide."""
    low = word(core)
    high = word(core + 8)
    add_low = word(core + 16)
    add_high = word(core + 24)
    for number in range(count):
        high = step_high(low, high, MULTIPLIER_LOW, MULTIPLIER_HIGH, add_low, add_high)
        low = step_low(low, MULTIPLIER_LOW, add_low)
        drawn = xorshift_rotate(low, high)
        value = scaled_normal(drawn)
        if magnitude_of(drawn) >= limit(drawn & 255):
            set_word(core, low)
            set_word(core + 8, high)
            value = finished_normal(spare, core, drawn)
            low = word(core)
            high = word(core + 8)
        set_word(target + 8 * number, bits(value))
    set_word(core, low)
    return set_state_high(core, high)


def magnitude_of(drawn: int) -> int:
    """The bits of a word, or of half of one, that say how far from zero a normal number is in its layer."""
    return (drawn >> 9) & ((1 << 52) - 1 if is_double() else (1 << 23) - 1)


def scaled_normal(drawn: int) -> float:
    """The normal number that a word says, unless its layer says otherwise."""
    sign = ((drawn >> 8) & 1) << (63 if is_double() else 31)
    return from_bits(bits(float(magnitude_of(drawn)) * width(drawn & 255)) ^ sign)


def finished_normal(spare: int, core: int, drawn: int) -> float:
    """The normal number of a word that is at the border of its layer: there, in the tail, or of other words."""
    while magnitude_of(drawn) >= limit(drawn & 255):
        layer = drawn & 255
        if layer == 0:
            return tail_of_normal(spare, core, (magnitude_of(drawn) >> 8) & 1)
        if is_below_normal(point_of(spare, core, layer), scaled_normal(drawn)):
            break
        drawn = next_word(core) if is_double() else next_half(spare, core)
    return scaled_normal(drawn)


def is_below_normal(height: float, place: float) -> int:
    """Whether a height is below the normal density (of maximum 1) at a place, in doubles as NumPy's C has it."""
    return wide(height) < double_exp(wide(place) * -0.5 * wide(place))


def point_of(spare: int, core: int, layer: int) -> float:
    """A random height in a layer."""
    return (height(layer - 1) - height(layer)) * uniform(spare, core) + height(layer)


def tail_of_normal(spare: int, core: int, is_negative: int) -> float:
    """A number beyond the lowest layer (Marsaglia, 1964)."""
    beyond = proposed_tail(spare, core)
    bound = log_of_rest(spare, core)
    while not beyond * beyond < bound + bound:
        beyond = proposed_tail(spare, core)
        bound = log_of_rest(spare, core)
    value = border() + beyond
    return -value if is_negative else value


def proposed_tail(spare: int, core: int) -> float:
    """How far beyond the border a number in the tail may be."""
    return -inverse_border() * log1p(-uniform(spare, core))


def weft_random_exponential(spare: int, core: int, target: int, count: int) -> int:
    """Exponential numbers."""
    for number in range(count):
        drawn = bits_of_exponential(spare, core)
        value = scaled_exponential(drawn)
        if drawn >> 8 >= limit(drawn & 255):
            value = finished_exponential(spare, core, drawn)
        store(target, number, value)
    return 0


def bits_of_exponential(spare: int, core: int) -> int:
    """The bits of the next word that say an exponential number: the layer, and above it the place in it."""
    return next_word(core) >> 3 if is_double() else next_half(spare, core) >> 1


def scaled_exponential(drawn: int) -> float:
    """The exponential number that bits say, unless their layer says otherwise."""
    return float(drawn >> 8) * width(drawn & 255)


def finished_exponential(spare: int, core: int, drawn: int) -> float:
    """The exponential number of bits at the border of their layer: there, in the tail, or of other words."""
    while drawn >> 8 >= limit(drawn & 255):
        layer = drawn & 255
        if layer == 0:
            return border() + log_of_rest(spare, core)
        if point_of(spare, core, layer) < exp(-scaled_exponential(drawn)):
            break
        drawn = bits_of_exponential(spare, core)
    return scaled_exponential(drawn)

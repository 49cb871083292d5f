"""Multiples of pi taken off arguments of any size, exactly enough (Payne and Hanek, SIGNUM Newsletter 18, 1983).

x / pi is the bits of x, as an integer, times bits of 1 / pi: those before and behind a window, which depends on the
exponent of x, add even numbers and what is too small.
"""

from __future__ import annotations

from collections.abc import Sequence

from .number import Integer, Number

_WORDS = (
    0x0000000000000000,
    0x517CC1B727220A94,
    0xFE13ABE8FA9A6EE0,
    0x6DB14ACC9E21C820,
    0xFF28B1D5EF5DE2B0,
    0xDB92371D2126E970,
    0x0324977504E8C90E,
    0x7F0EF58E5894D39F,
    0x74411AFA975DA242,
    0x74CE38135A2FBF20,
    0x9CC8EB1CC1A99CFA,
    0x4E422FC5DEFC941D,
    0x8FFC4BFFEF02CC07,
    0xF79788C5AD05368F,
    0xB69B3F6793E584DB,
    0xA7A31FB34F2FF516,
    0xBA93DD63F5F2F8BD,
    0x9E839CFBC5294975,
    0x35FDAFD88FC6AE84,
    0x2B0198237E3DB5D5,
)
"""64 zeros and the first bits of 1 / pi."""
_LOW_HALF = 0xFFFFFFFF
_PI = (3.141592653589793, 1.2246467991473532e-16)


def less_multiples_of_pi(
    x: Number, shift: float = 0.0, halves: bool = False
) -> tuple[Number, Number, Integer]:
    """x - (n + shift) * pi as a sum of two numbers, at most pi / 2, and a number with the parity of n.

    With `halves`, multiples of pi / 2 are taken off. |x| is at least 2**16; shift is 0 or 1/2.
    """
    single = x.bits == 32
    bits = abs(x.widen() if single else x).to_bits()
    high, low = _turns_of_single(bits) if single else _turns_of_double(bits)
    if halves:
        high, low = (high << 1) | (low >> 63), low << 1
    negative = x.to_bits().compare("<", 0)
    high, low = (high ^ -1).where(negative, high), (low ^ -1).where(negative, low)
    # The top bit is the parity of x / pi, and a number nearest to that is wanted.
    high = high + (0 if shift else 1 << 62)
    turns = high >> 63
    fraction = (high & ((1 << 63) - 1)) - (1 << 62)
    factor = 0.5 if halves else 1.0
    if not single:
        return (*_times_pi(fraction, low, factor), turns)
    r = _from_halves(fraction)[0] * (_PI[0] * factor)
    narrow = r.narrow(x.type)
    return narrow, (r - narrow.widen()).narrow(x.type), turns.narrow(32)


def _turns_of_single(bits: Integer) -> tuple[Integer, Integer]:
    """The lowest 128 bits of |x| / pi * 2**127, the first 64 of them, for an f64 with the 24 bits of an f32."""
    significand = ((bits >> 29) & ((1 << 23) - 1)) | (1 << 23)
    first, second = _window((bits >> 52) - (1046 - 63), 2, 2)
    high = significand * first + ((significand * (second >> 32)) >> 32)
    return high, high.constant(0)


def _turns_of_double(bits: Integer) -> tuple[Integer, Integer]:
    """The lowest 192 bits of |x| / pi * 2**191, the first 128 of them."""
    significand = (bits & ((1 << 52) - 1)) | (1 << 52)
    return _product(significand, _window((bits >> 52) - (1075 - 63), 16, 3))


def _window(start: Integer, last_word: int, count: int) -> list[Integer]:
    """Some words of bits from a position in the first words, up to the last that a window starts in."""
    words: Sequence[Integer] = [start.constant(word) for word in _WORDS[: last_word + count + 1]]
    index = start >> 6
    for level in reversed(range(last_word.bit_length())):
        step = 1 << level
        chosen = (index & step).compare("!=", 0)
        words = [
            words[i + step].where(chosen, words[i]) if i + step < len(words) else words[i]
            for i in range(min(len(words), step + count))
        ]
    shift = start & 63
    back = shift ^ 63
    return [(words[i] << shift) | ((words[i + 1] >> 1) >> back) for i in range(count)]


def _product(factor: Integer, words: Sequence[Integer]) -> tuple[Integer, Integer]:
    """The upper two of the lower three words of a product."""
    first, second, third = words
    low = factor * second
    carried = _upper_word(factor, third)
    sum = low + carried
    carry = sum.constant(1).where(sum.compare("u<", low), 0)
    return factor * first + _upper_word(factor, second) + carry, sum


def _upper_word(a: Integer, b: Integer) -> Integer:
    """The upper word of the product of two words, by halves."""
    a_high, a_low, b_high, b_low = a >> 32, a & _LOW_HALF, b >> 32, b & _LOW_HALF
    cross, other = a_low * b_high, a_high * b_low
    middle = ((a_low * b_low) >> 32) + (cross & _LOW_HALF) + (other & _LOW_HALF)
    return a_high * b_high + (cross >> 32) + (other >> 32) + (middle >> 32)


def _times_pi(high: Integer, low: Integer, factor: float) -> tuple[Number, Number]:
    """factor * pi * (high * 2**-63 + low * 2**-127), high being signed, as the sum of two numbers."""
    first, rest = _from_halves(high)
    rest = rest + _from_half(low >> 32, 0.0, -95)
    value = first + rest
    rest = (first - value) + rest
    result = value * (_PI[0] * factor)
    error = value.fused_times_plus(_PI[0] * factor, -result)
    error = error + value.times_plus(_PI[1] * factor, rest * (_PI[0] * factor))
    total = result + error
    return total, (result - total) + error


def _from_halves(word: Integer) -> tuple[Number, Number]:
    """A signed word times 2**-63 as the sum of two numbers."""
    upper = _from_half((word + (1 << 63)) >> 32, -(2.0**31), -31)
    lower = _from_half(word & _LOW_HALF, 0.0, -63)
    sum = upper + lower
    return sum, (upper - sum) + lower


def _from_half(word: Integer, addend: float, exponent: int) -> Number:
    """(word + addend) * 2**exponent for a word below 2**32."""
    number = (word | (0x433 << 52)).as_float64()
    return (number - (2.0**52 - addend)) * 2.0**exponent

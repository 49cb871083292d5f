"""Taking numbers apart into mantissa and exponent, and scaling by powers of two.

AVX-512 has instructions for both, which treat special values as IEEE 754 has it for scaleB and logB; other
machines work on the bits.
"""

from __future__ import annotations

import math

from ...dialect.records import dataclass
from .instructions import by_registers, has_instructions, instruction, integer
from .number import Number, any_of


@dataclass(frozen=True)
class Layout:
    """The bits of a floating format."""

    mantissa: int
    bias: int

    @property
    def whole(self) -> float:
        """Adding this number rounds to a whole number, which lies in the low bits of the sum."""
        return 1.5 * 2.0**self.mantissa

    @property
    def one(self) -> int:
        """The bits of 1."""
        return self.bias << self.mantissa

    @property
    def infinity(self) -> int:
        """The bits of infinity."""
        return (2 * self.bias + 1) << self.mantissa


_LAYOUTS = {32: Layout(23, 127), 64: Layout(52, 1023)}


def layout(x: Number) -> Layout:
    """The format of a number."""
    return _LAYOUTS[x.bits]


def rounded(x: Number, factor: float) -> tuple[Number, Number]:
    """x * factor rounded to a whole number: the number, and one whose low bits are that integer.

    The product is below a quarter of 2 to the number of mantissa bits; the low bits are those of two's complement.
    """
    shifted = x.times_plus(factor, layout(x).whole)
    return shifted - layout(x).whole, shifted


def power_of_two(shifted: Number, offset: int = 0) -> Number:
    """2**(n + offset) in the normal range, n being in the low bits of a number that `rounded` made."""
    form = layout(shifted)
    bits = (shifted.to_bits() << form.mantissa) + ((form.bias + offset) << form.mantissa)
    return bits.as_number(shifted.type)


def scale(x: Number, exponent: Number) -> Number:
    """x * 2**exponent for a whole exponent, at most 1.5 times that of the largest number in magnitude; rounds once."""
    if has_instructions(x):
        return by_registers(_scale_instruction, x, exponent)
    form = layout(x)
    biased = (
        form.whole + form.bias
    )  # what is added to it has the bits of an exponent in the low ones of the sum
    shifted = exponent.times_plus(0.5, biased)
    rest = (exponent - (shifted - biased)) + biased
    return x * _of_exponent(shifted) * _of_exponent(rest)


def _of_exponent(biased: Number) -> Number:
    """The power of two whose exponent, with its bias, is in the low bits of a number.

    LLVM takes long where many additions of the bias to such bits are in one kernel, and compares all of them.
    """
    return (biased.to_bits() << layout(biased).mantissa).as_number(biased.type)


def split(x: Number) -> tuple[Number, Number]:
    """The mantissa in [3/4, 3/2) and the exponent of a positive number.

    The exponent of 0 is -inf, that of inf is inf, both with a mantissa of 1; the mantissa is NaN below zero.
    """
    if has_instructions(x):
        mantissa, exponent = mantissa_of(x), exponent_of(x)
        return mantissa, (exponent + 1.0).where(mantissa.compare("<", 1.0), exponent)
    form = layout(x)
    lift = float(form.mantissa + 2)
    denormal = x.compare("<", 2.0 ** (1 - form.bias))
    bits = (x * 2.0**lift).where(denormal, x).to_bits()
    lowest = form.one - (1 << (form.mantissa - 1))  # the bits of 3/4
    # Adding the distance from 3/4 to 1 carries into the exponent for mantissas above 3/2.
    shifted = bits + (form.one - lowest)
    mantissa = ((shifted & ((1 << form.mantissa) - 1)) + lowest).as_number(x.type)
    base = 2.0**form.mantissa
    biased = ((shifted >> form.mantissa) | x.constant(base).to_bits()).as_number(x.type)
    offset = x.constant(base + form.bias + lift).where(denormal, base + form.bias)
    exponent = biased - offset
    exponent = x.where(x.compare("==", math.inf), exponent)
    zero = x.compare("==", 0.0)
    exponent = x.constant(-math.inf).where(zero, exponent)
    mantissa = x.constant(1.0).where(any_of(zero, x.compare("==", math.inf)), mantissa)
    return mantissa.where(x.compare(">=", 0.0), math.nan), exponent


def mantissa_of(x: Number) -> Number:
    """The mantissa in [3/4, 3/2): NaN below zero, 1 for 0 and infinity."""
    if not has_instructions(x):
        return split(abs(x))[0].where(x.compare(">=", 0.0), math.nan)  # of what `exponent_of` takes apart
    return by_registers(_mantissa_instruction, x)


def unit_mantissa_of(x: Number) -> Number:
    """The mantissa of the magnitude in [1, 2): 1 for 0 and infinity."""
    if not has_instructions(x):
        mantissa, _ = split(abs(x))
        return (mantissa + mantissa).where(mantissa.compare("<", 1.0), mantissa)
    return by_registers(_unit_mantissa_instruction, x)


def exponent_of(x: Number) -> Number:
    """The exponent of the magnitude, for mantissas from 1 to 2: -inf for 0, inf for infinity."""
    if not has_instructions(x):
        mantissa, exponent = split(abs(x))
        return (exponent - 1.0).where(mantissa.compare("<", 1.0), exponent)
    return by_registers(_exponent_instruction, x)


def fixed(x: Number, source: Number, responses: int) -> Number:
    """x, but other numbers where a source is special: digits, for each class of numbers, say which.

    They are those of VFIXUPIMM in Intel's Software Developer's Manual.
    """
    return by_registers(lambda value, special: _fix_instruction(value, special, responses), x, source)


def _scale_instruction(x: Number, exponent: Number) -> Number:
    return instruction("mask.scalef", x, [x.value, exponent.value, x.value])


def _exponent_instruction(x: Number) -> Number:
    return instruction("mask.getexp", x, [x.value, x.value])


def _mantissa_instruction(x: Number) -> Number:
    # The interval [3/4, 3/2); the sign of the source is dropped and NaN made of negative numbers.
    return instruction("mask.getmant", x, [x.value, integer(0b1111, 32), x.value])


def _unit_mantissa_instruction(x: Number) -> Number:
    # The interval [1, 2); the sign of the source is dropped.
    return instruction("mask.getmant", x, [x.value, integer(0b0100, 32), x.value])


def _fix_instruction(x: Number, source: Number, responses: int) -> Number:
    table = source.to_bits().constant(responses)
    return instruction("mask.fixupimm", x, [x.value, source.value, table.value, integer(0, 32)])

"""Logarithms with tables in registers, for machines whose instructions look up 16 numbers at once (AVX-512), and the
devices that they launch kernels on."""

from __future__ import annotations

import math

from .exponents import exponent_of, fixed, layout, mantissa_of, scale
from .instructions import has_instructions
from .logarithm_tables import NATURAL, Table
from .lookup import permute
from .number import Integer, Number

_NOT_POSITIVE = 0x03530422
"""Of 0 the logarithm is -inf, of inf inf, of negative numbers and NaN it is NaN."""


def logarithm(x: Number, tables: dict[int, Table]) -> Number:
    """The logarithm in the base of some tables, exact for powers of two in base 2."""
    table, mantissa = tables[x.bits], mantissa_of(x)
    inverse, log = (permute(_interval(mantissa), x, t) for t in (table.inverse, table.logarithm))
    rest = mantissa.times_plus(inverse, -1.0)
    # Below 1, the exponent is one less than that of the mantissa: the table has it.
    exponent = exponent_of(x)
    whole, slope = exponent.times_plus(table.two, log), rest.polynomial(table.polynomial)
    if not table.two_low:
        return rest.times_plus(slope, whole)
    low = permute(_interval(mantissa), x, 8 * (0.0,) + 8 * (table.two_low,))
    return whole + rest.times_plus(slope, exponent.times_plus(table.two_low, low))


def log1p_of_sum(x: Number, lost: Number, low: Number | None, doublings: Number | None) -> Number:
    """log((1 + x + low) * 2**doublings) for low numbers small against x; lost is what rounding 1 + x loses."""
    table, one_plus = NATURAL[x.bits], x + 1.0
    # Mantissas are those from 1 to 2, as the numbers are scaled by the exponent.
    halved = tuple(c / 2 if i >= 8 else c for i, c in enumerate(table.inverse))
    inverse, log = (permute(_interval(one_plus), x, t) for t in (halved, table.logarithm))
    exponent = exponent_of(one_plus)
    factor = scale(inverse, -exponent)
    start = one_plus.times_plus(factor, -1.0)
    whole = (exponent if doublings is None else exponent + doublings).times_plus(table.two, log)
    if low is None:
        rest = lost.times_plus(factor, start)
        result = rest.times_plus(rest.polynomial(table.polynomial), whole)
    else:
        correction = (lost + low) * factor
        rest = start + correction
        rounded_off = (start - rest) + correction
        tail = (rest * rest).times_plus(rest.polynomial(table.polynomial[:-1]), rounded_off)
        result = whole + (rest + tail)
    return _of_positive(result, one_plus)


def _of_positive(result: Number, source: Number) -> Number:
    """A logarithm of a number that is positive and finite, or what it is of others."""
    if has_instructions(source):
        return fixed(result, source, _NOT_POSITIVE)
    result = source.where(source.compare("==", math.inf), result)
    result = source.constant(-math.inf).where(source.compare("==", 0.0), result)
    return result.where(source.compare(">=", 0.0), math.nan)


def _interval(x: Number) -> Integer:
    return x.to_bits() >> (layout(x).mantissa - 4)

"""Functions of the C library by which NumPy draws in the tails of its distributions and at the borders of layers.

They are glibc's, operation by operation: `log1p` of double precision with fused products (Ng, 1993, as fdlibm has it),
`log1pf` without, and `expf` by a table of 32 powers of two in double precision (Nagy, 2017). Of floats all arguments
that draws have were compared: 2^24 of `log1pf`, and 2^27 of `expf`.
"""

from __future__ import annotations

import ctypes
import math
from functools import cache

import numpy as np

from ....dialect.mlir import ir
from ...functions.number import Integer, Number
from ...nests.emit import create
from .random_words import as_index, table_entry

_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_PLACES = (
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
    2.222219843214978396e-01,
    1.818357216161805012e-01,
    1.531383769920937332e-01,
    1.479819860511658591e-01,
)
_LN2_HIGH_SINGLE, _LN2_LOW_SINGLE = 6.9313812256e-01, 9.0580006145e-06
_PLACES_SINGLE = (
    6.6666668653e-01,
    4.0000000596e-01,
    2.8571429849e-01,
    2.2222198546e-01,
    1.8183572590e-01,
    1.5313838422e-01,
    1.4798198640e-01,
)
_POWERS = 32
_TURNS = float.fromhex("0x1.71547652b82fep+0") * _POWERS
"""How many parts of a power of two one is as an exponent of e."""
_EXPONENTIAL = tuple(
    float.fromhex(digits) / _POWERS**power
    for digits, power in (
        ("0x1.c6af84b912394p-5", 3),
        ("0x1.ebfce50fac4f3p-3", 2),
        ("0x1.62e42ff0c52d6p-1", 1),
    )
)


@cache
def has_known_functions(precision: str) -> bool:
    """Whether the C library has these functions, as numbers tell whose last bits others have otherwise."""
    if precision == "float64":
        return all(math.log1p(-part * 2.0**-53) == float.fromhex(found) for part, found in _LOGARITHMS)
    try:
        library = ctypes.CDLL(None)
        functions = [library.log1pf, library.expf]
    except (AttributeError, OSError, TypeError):  # no such library, or none that is found in this way
        return False
    for function in functions:
        function.restype, function.argtypes = ctypes.c_float, [ctypes.c_float]
    logarithm, exponential = functions
    return all(
        logarithm(-part * 2.0**-24) == float.fromhex(found) for part, found in _SHORT_LOGARITHMS
    ) and all(
        exponential(-float.fromhex(place)) == float.fromhex(found) for place, found in _SHORT_EXPONENTIALS
    )


_LOGARITHMS = (
    (2633849632742858, "-0x1.623358f3efaf0p-2"),
    (1950366947322710, "-0x1.f3c4e70f84c9ep-3"),
    (5736436270423013, "-0x1.035406b715518p+0"),
    (1222838123594743, "-0x1.2ad184aebf7d2p-3"),
    (7540149518119186, "-0x1.d094d13dd9a04p+0"),
    (2068601293390031, "-0x1.0b2fc6fe88682p-2"),
    (2651128298696457, "-0x1.64fb0193e02d8p-2"),
    (2309341515803140, "-0x1.2f589af5f35e6p-2"),
    (2501230591440011, "-0x1.4d1c88dab34b0p-2"),
    (1546927767188697, "-0x1.81e8d46b54d1ap-3"),
    (3419269212589083, "-0x1.e8df8b44b106ep-2"),
    (5850587380031161, "-0x1.0c6c20f657e6cp+0"),
    (3748613188508021, "-0x1.1389f7fe82972p-1"),
    (8766276163023784, "-0x1.cf86d05988a1ap+1"),
    (5987478247865205, "-0x1.17c5a7bd3756ap+0"),
    (3285249991179340, "-0x1.d09a928bc56e8p-2"),
)
"""Numbers, by their 53 bits, and the logarithms of what they leave of one, which are not the nearest floats, and mostly
others where products are rounded."""

_SHORT_LOGARITHMS = (
    (13554997, "-0x1.a66338p+0"),
    (4416394, "-0x1.38d254p-2"),
    (11171385, "-0x1.18a184p+0"),
    (11122059, "-0x1.166360p+0"),
    (6273112, "-0x1.df7e70p-2"),
    (3813771, "-0x1.0813e0p-2"),
    (5264769, "-0x1.81a198p-2"),
    (7781681, "-0x1.3f2050p-1"),
)
"""The same of 24 bits."""

_SHORT_EXPONENTIALS = (
    ("0x1.14e7c4p-4", "0x1.de87eap-1"),
    ("0x1.be7ef6p-5", "0x1.e4d742p-1"),
    ("0x1.746350p-1", "0x1.eecc8cp-2"),
    ("0x1.f51fbap-7", "0x1.f83ac2p-1"),
    ("0x1.2c5e4cp-3", "0x1.ba27acp-1"),
    ("0x1.8a8876p+2", "0x1.1397acp-9"),
)
"""Floats, and the exponentials of what they are below zero, which are not the nearest floats."""


def log1p(x: Number) -> Number:
    """The logarithm of one plus a number in (-1, 0]."""
    return _log1p_double(x) if x.bits == 64 else _log1p_single(x)


def _log1p_double(x: Number) -> Number:
    high = (x.to_bits() >> 32) & 0x7FFFFFFF
    is_near = (Integer(high.compare("<", 0x3FD2BEC4))).value
    one = x + 1.0
    bits = one.to_bits()
    mantissa = (bits >> 32) & 0xFFFFF
    is_upper = (Integer(mantissa.compare("<", 0x6A09E)) ^ 1).value
    power = (bits >> 52) - 1023
    power = (power + 1).where(is_upper, power)
    correction = (x - (one - 1.0)) / one
    scale = mantissa.constant(0x3FE00000).where(is_upper, 0x3FF00000)
    scaled = ((bits & 0xFFFFFFFF) | ((mantissa | scale) << 32)).as_float64()
    rest = ((mantissa.constant(0x100000) - mantissa) >> 2).where(is_upper, mantissa)
    f = x.where(is_near, scaled - 1.0)
    half = f * 0.5 * f
    short = f.fused_times_plus(-0.66666666666666666, 1.0) * half
    s = f / (f + 2.0)
    z = s * s
    pairs = [z.fused_times_plus(_PLACES[at + 1], _PLACES[at]) for at in (1, 3, 5)]
    z2 = z * z
    z4 = z2 * z2
    sum = z.fused_times_plus(_PLACES[0], z2 * pairs[0])
    sum = z4.fused_times_plus(pairs[1], sum)
    sum = (z4 * z2).fused_times_plus(pairs[2], sum)
    product = (sum + half) * s
    k = _real(power)
    added = k.fused_times_plus(_LN2_LOW, correction)
    is_short = rest.compare("==", 0)
    behind = (short - added).where(is_short, half - (added + product))
    far = k.fused_times_plus(_LN2_HIGH, -(behind - f))
    near = f - (half - product)
    tiny = x - x * x * 0.5
    return tiny.where(high.compare("<", 0x3E200000), near.where(is_near, far))


def _log1p_single(x: Number) -> Number:
    bits = x.to_bits()
    magnitude = bits & 0x7FFFFFFF
    is_near = magnitude.compare("<", 0x3E95F61F)
    one = x + 1.0
    ones = one.to_bits()
    mantissa = ones & 0x7FFFFF
    is_upper = (Integer(mantissa.compare("<", 0x3504F7)) ^ 1).value
    power = (ones >> 23) - 127
    power = (power + 1).where(is_upper, power)
    correction = (x - (one - 1.0)) / one
    scaled = (mantissa | mantissa.constant(0x3F000000).where(is_upper, 0x3F800000)).as_number(x.type)
    rest = ((mantissa.constant(0x800000) - mantissa) >> 2).where(is_upper, mantissa)
    f = x.where(is_near, scaled - 1.0)
    half = f * 0.5 * f
    short = half * (1.0 - f * 0.66666666666666666)
    s = f / (f + 2.0)
    z = s * s
    sum: Number = z.constant(_PLACES_SINGLE[-1])
    for place in reversed(_PLACES_SINGLE[:-1]):
        sum = sum * z + place
    product = s * (half + z * sum)
    k = Number(create("arith.sitofp", [x.type], [power.value]))
    added = k * _LN2_LOW_SINGLE + correction
    is_short = rest.compare("==", 0)
    behind = (short - added).where(is_short, half - (product + added))
    far = k * _LN2_HIGH_SINGLE - (behind - f)
    near = f - (half - product)
    tiny = (x - x * x * 0.5).where((Integer(magnitude.compare("<", 0x24800000)) ^ 1).value, x)
    return tiny.where(magnitude.compare("<", 0x31000000), near.where(is_near, far))


def exp_of_float32(x: Number) -> Number:
    """The exponential of a float of single precision, whose power of two is no power of a subnormal number."""
    wide = x.widen()
    turns = wide * _TURNS
    nearest = turns.round()
    rest = turns - nearest
    count = Integer(create("arith.fptosi", [ir.IntegerType.get_signless(64)], [nearest.value]))
    scale = (table_entry(_powers_of_two(), as_index(count & (_POWERS - 1))) + (count << 47)).as_float64()
    cubic, square, linear = _EXPONENTIAL
    upper = rest * cubic + square
    lower = rest * linear + 1.0
    result: Number = ((upper * (rest * rest) + lower) * scale).narrow(x.type)
    return result


@cache
def _powers_of_two() -> tuple[int, ...]:
    """The bits of the powers between one and two, without what their places add to the bits of the exponent."""
    powers = np.exp2(np.arange(_POWERS) / _POWERS).view(np.int64)
    return tuple(int(bits) - (place << 47) for place, bits in enumerate(powers))


def density_of_normal(x: Number) -> Number:
    """The normal density, of maximum one, in double precision."""
    wide = x if x.bits == 64 else x.widen()
    exponent = wide * -0.5 * wide
    return Number(create("math.exp", [exponent.type], [exponent.value]))


def density_of_exponential(x: Number) -> Number:
    """The exponential density."""
    if x.bits == 32:
        return exp_of_float32(-x)
    return Number(create("math.exp", [x.type], [(-x).value]))


def _real(word: Integer) -> Number:
    return Number(create("arith.sitofp", [ir.F64Type.get()], [word.value]))

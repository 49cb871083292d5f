"""Elementary functions as plain arithmetic, so that loops over them vectorise.

Every function takes and returns a `Number` (a scalar or a vector of f32 or f64) and is right to 2 ulp, for
NaN, infinities, both zeros and denormals too. The reductions and coefficients are the classic ones of Cephes
and fdlibm.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

from ....dialect.mlir import Value
from .number import Integer, Number, all_of, any_of


@dataclass(frozen=True)
class _Format:
    """What depends on the precision: layout of the bits, split constants and polynomials."""

    mantissa: int
    bias: int
    ln2_high: float
    ln2_low: float
    expm1: tuple[float, ...]
    """(exp(r) - 1 - r) / r**2 for |r| <= ln(2) / 2, highest coefficient first."""
    log: tuple[float, ...]
    """f32: (log(1 + f) - f + f**2 / 2) / f**3; f64: the tail of log((1 + s) / (1 - s)) in s**2."""
    exp_lowest: float
    exp_highest: float
    sinh: tuple[float, ...]
    """(sinh(x) - x) / x**3 as a polynomial in x**2."""
    tanh_numerator: tuple[float, ...]
    tanh_denominator: tuple[float, ...]
    half_pi: tuple[float, ...]
    trigonometric_bound: float
    """Beyond it the argument of sin and cos is not reduced exactly enough."""
    sin: tuple[float, ...]
    cos: tuple[float, ...]


_F32 = _Format(
    mantissa=23,
    bias=127,
    ln2_high=0.693359375,
    ln2_low=-2.12194440e-4,
    expm1=(
        1.9875691500e-4,
        1.3981999507e-3,
        8.3334519073e-3,
        4.1665795894e-2,
        1.6666665459e-1,
        5.0000001201e-1,
    ),
    log=(
        7.0376836292e-2,
        -1.1514610310e-1,
        1.1676998740e-1,
        -1.2420140846e-1,
        1.4249322787e-1,
        -1.6668057665e-1,
        2.0000714765e-1,
        -2.4999993993e-1,
        3.3333331174e-1,
    ),
    exp_lowest=-104.0,
    exp_highest=89.0,
    sinh=tuple(1.0 / math.factorial(n) for n in range(11, 1, -2)),
    tanh_numerator=(
        -5.70498872745e-3,
        2.06390887954e-2,
        -5.37397155531e-2,
        1.33314422036e-1,
        -3.33332819422e-1,
    ),
    tanh_denominator=(1.0,),
    half_pi=(1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15),
    trigonometric_bound=32768.0,
    sin=(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1),
    cos=(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2),
)

_F64 = _Format(
    mantissa=52,
    bias=1023,
    ln2_high=6.93147180369123816490e-01,
    ln2_low=1.90821492927058770002e-10,
    expm1=tuple(1.0 / math.factorial(n) for n in range(13, 1, -1)),
    log=(
        1.479819860511658591e-01,
        1.531383769920937332e-01,
        1.818357216161805012e-01,
        2.222219843214978396e-01,
        2.857142874366239149e-01,
        3.999999999940941908e-01,
        6.666666666666735130e-01,
    ),
    exp_lowest=-746.0,
    exp_highest=710.0,
    sinh=tuple(1.0 / math.factorial(n) for n in range(19, 1, -2)),
    tanh_numerator=(-9.64399179425052238628e-1, -9.92877231001918586564e1, -1.61468768441708447952e3),
    tanh_denominator=(1.0, 1.12811678491632931402e2, 2.23548839060100448583e3, 4.84406305325125486048e3),
    half_pi=(1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33),
    trigonometric_bound=1.0e6,
    sin=(
        1.58969099521155010221e-10,
        -2.50507602534068634195e-08,
        2.75573137070700676789e-06,
        -1.98412698298579493134e-04,
        8.33333333332248946124e-03,
        -1.66666666666666324348e-01,
    ),
    cos=(
        -1.13596475577881948265e-11,
        2.08757232129817482790e-09,
        -2.75573143513906633035e-07,
        2.48015872894767294178e-05,
        -1.38888888888741095749e-03,
        4.16666666666666019037e-02,
    ),
)


def _format(x: Number) -> _Format:
    return _F32 if x.bits == 32 else _F64


# -- Exponentials


@dataclass(frozen=True)
class _Exponential:
    """exp of a value as 2**exponent * (1 + fraction), |fraction| < 0.42."""

    fraction: Number
    exponent: Integer

    def value(self) -> Number:
        """exp, right down to denormals and up to infinity."""
        return _scale(self.fraction + 1.0, self.exponent)

    def half_minus_half(self) -> Number:
        """(exp - 1) / 2, without overflow before that of exp / 2."""
        scale = _power_of_two(self.exponent - 1, self.fraction)
        return scale.times_plus(self.fraction, scale - 0.5)


def _exponential(x: Number) -> _Exponential:
    """Reduce by multiples of ln(2); `x` must be in the range where exp neither vanishes nor overflows far."""
    format = _format(x)
    count = (x * (1 / math.log(2))).round()
    rest = count.times_plus(-format.ln2_high, x)
    rest = count.times_plus(-format.ln2_low, rest)
    return _Exponential(_expm1_polynomial(rest), count.to_integer())


def _expm1_polynomial(r: Number) -> Number:
    return r.polynomial(_format(r).expm1).times_plus(r * r, r)


def _power_of_two(exponent: Integer, like: Number) -> Number:
    """2**exponent for an exponent in the normal range."""
    format = _format(like)
    return ((exponent + format.bias) << format.mantissa).as_number(like.type)


def _scale(x: Number, exponent: Integer) -> Number:
    """x * 2**exponent in two steps, as one factor need not be representable."""
    half = exponent >> 1
    return x * _power_of_two(half, x) * _power_of_two(exponent - half, x)


def _clamp(x: Number) -> Number:
    return x.at_least(_format(x).exp_lowest).at_most(_format(x).exp_highest)


def exp(x: Number) -> Number:
    """e**x."""
    return x.where(x.is_nan(), _exponential(_clamp(x)).value())


def exp2(x: Number) -> Number:
    """2**x."""
    bound = _format(x).bias * 1.5
    clamped = x.at_least(-bound).at_most(bound)
    count = clamped.round()
    fraction = _expm1_polynomial((clamped - count) * math.log(2))
    return x.where(x.is_nan(), _Exponential(fraction, count.to_integer()).value())


def expm1(x: Number) -> Number:
    """e**x - 1, exact for small x too."""
    half = _exponential(x.at_least(-40.0).at_most(_format(x).exp_highest)).half_minus_half()
    return x.where(any_of(x.is_nan(), x.compare("==", 0.0)), half + half)


def sinh(x: Number) -> Number:
    """The hyperbolic sine: its series up to 1, from exp beyond."""
    square = x * x
    near = (x * square).times_plus(square.polynomial(_format(x).sinh), x)
    half = _half_exp(abs(x))
    far = (half - 0.25 / half).with_sign_of(x)
    return x.where(x.is_nan(), near.where(abs(x).compare("<", 1.0), far))


def cosh(x: Number) -> Number:
    """The hyperbolic cosine."""
    half = _half_exp(abs(x))
    return x.where(x.is_nan(), half + 0.25 / half)


def _half_exp(x: Number) -> Number:
    """exp(x) / 2, which overflows later than exp."""
    exponential = _exponential(x.at_most(_format(x).exp_highest + 1.0))
    return _Exponential(exponential.fraction, exponential.exponent - 1).value()


def tanh(x: Number) -> Number:
    """The hyperbolic tangent: a rational function near zero, 1 - 2 / (exp(2|x|) + 1) elsewhere."""
    format, magnitude = _format(x), abs(x).at_most(22.0)
    square = magnitude * magnitude
    near = magnitude.compare("<", 0.625)
    exponential = _exponential(magnitude + magnitude)
    scale = _power_of_two(exponential.exponent, x)
    far = scale.times_plus(exponential.fraction, scale) + 1.0
    numerator = (magnitude * square * square.polynomial(format.tanh_numerator)).where(near, -2.0)
    denominator = square.polynomial(format.tanh_denominator).where(near, far)
    result = magnitude.where(near, 1.0) + numerator / denominator
    return x.where(x.is_nan(), result.with_sign_of(x))


# -- Logarithms


@dataclass(frozen=True)
class _Logarithm:
    """log of a positive value as exponent * ln(2) + log(1 + fraction)."""

    fraction: Number
    exponent: Number
    shortfall: Number
    """fraction - log(1 + fraction)."""


def _logarithm(x: Number) -> _Logarithm:
    format = _format(x)
    tiny = x.compare("<", 2.0 ** (1 - format.bias))
    lift = format.mantissa + 2
    scaled = (x * 2.0**lift).where(tiny, x)
    bits = scaled.to_bits()
    # Adding the distance from sqrt(1/2) to 1 carries into the exponent for mantissas above sqrt(2).
    one = format.bias << format.mantissa
    root_half = 0x3F3504F3 if x.bits == 32 else 0x3FE6A09E667F3BCD
    shifted = bits + (one - root_half)
    exponent = (shifted >> format.mantissa) - format.bias
    mantissa = ((shifted & ((1 << format.mantissa) - 1)) + root_half).as_number(x.type)
    exponent = (exponent - lift).where(tiny, exponent)
    fraction = mantissa - 1.0
    return _Logarithm(fraction, exponent.to_number(x.type), _log_shortfall(fraction))


def _log_shortfall(f: Number) -> Number:
    """f - log(1 + f)."""
    half_square = f * f * 0.5
    if f.bits == 32:
        return half_square - f * f * f * f.polynomial(_F32.log)
    s = f / (f + 2.0)
    z = s * s
    return half_square - s * (half_square + z * z.polynomial(_F64.log))


def _logarithm_result(x: Number, result: Number) -> Number:
    """Put in what holds outside the positive finite numbers."""
    result = x.where(x.compare("==", math.inf), result)
    result = result.constant(-math.inf).where(x.compare("==", 0.0), result)
    result = result.constant(math.nan).where(x.compare("<", 0.0), result)
    return x.where(x.is_nan(), result)


def log(x: Number) -> Number:
    """The natural logarithm."""
    format, parts = _format(x), _logarithm(x)
    low = parts.exponent.times_plus(format.ln2_low, -parts.shortfall)
    return _logarithm_result(x, parts.exponent.times_plus(format.ln2_high, parts.fraction + low))


def log1p(x: Number) -> Number:
    """log(1 + x), exact for small x too: the rounding error of 1 + x is added back."""
    format, one_plus = _format(x), x + 1.0
    parts = _logarithm(one_plus)
    lost = (1.0 - (one_plus - x)).where(x.compare(">", 1.0), x - (one_plus - 1.0))
    correction = (lost / one_plus).where(one_plus.compare("<", math.inf), 0.0)
    low = parts.exponent.times_plus(format.ln2_low, correction) - parts.shortfall
    result = parts.exponent.times_plus(format.ln2_high, parts.fraction + low)
    result = _logarithm_result(one_plus, result)
    return x.where(x.compare("==", 0.0), result)


def log2(x: Number) -> Number:
    """The base-2 logarithm."""
    parts = _logarithm(x)
    return _logarithm_result(x, _in_base(parts, 1.4426950408889634, 2.0355273740931033e-17) + parts.exponent)


def log10(x: Number) -> Number:
    """The base-10 logarithm."""
    parts = _logarithm(x)
    # log10(2) with few enough bits that its product with the exponent is exact, and the remainder.
    high = 0.301025390625
    small = _in_base(parts, 0.4342944819032518, 1.098319650216765e-17)
    small = parts.exponent.times_plus(math.log10(2) - high, small)
    return _logarithm_result(x, parts.exponent.times_plus(high, small))


def _in_base(parts: _Logarithm, high: float, low: float) -> Number:
    """log(1 + fraction) times a factor given as the sum of two numbers."""
    fraction = parts.fraction
    if fraction.bits == 32:
        rounded: float = struct.unpack("f", struct.pack("f", high))[0]
        high, low = rounded, high - rounded
    return fraction.times_plus(high, fraction.times_plus(low, -(parts.shortfall * high)))


# -- Trigonometric functions, for arguments up to `trigonometric_bound`


def _quarter_turns(x: Number) -> tuple[Number, Integer]:
    """The argument less the nearest multiple of pi/2, and that multiple."""
    count = (x * (2 / math.pi)).round()
    rest = x
    for part in _format(x).half_pi:
        rest = count.times_plus(-part, rest)
    return rest, count.to_integer()


def _sin_polynomial(r: Number) -> Number:
    z = r * r
    return (z * z.polynomial(_format(r).sin)).times_plus(r, r)


def _cos_polynomial(r: Number) -> Number:
    z = r * r
    high = 1.0 - z * 0.5
    lost = (1.0 - high) - z * 0.5
    return high + (z * z).times_plus(z.polynomial(_format(r).cos), lost)


def needs_exact_reduction(x: Number) -> Value:
    """Whether sin and cos of an argument take more than this module does (infinities and NaN do not)."""
    return all_of(
        abs(x).compare(">", _format(x).trigonometric_bound),
        abs(x).compare("<", math.inf),
    )


def sin(x: Number) -> Number:
    """The sine."""
    rest, quarter = _quarter_turns(x)
    result = _from_quarter(rest, quarter)
    return x.where(x.compare("==", 0.0), result)


def cos(x: Number) -> Number:
    """The cosine."""
    rest, quarter = _quarter_turns(x)
    return _from_quarter(rest, quarter + 1)


def _from_quarter(rest: Number, quarter: Integer) -> Number:
    """sin(rest + quarter * pi/2)."""
    odd = (quarter & 1).compare("!=", 0)
    result = _cos_polynomial(rest).where(odd, _sin_polynomial(rest))
    sign = (quarter & 2) << (rest.bits - 2)
    return (result.to_bits() ^ sign).as_number(rest.type)


def tan(x: Number) -> Number:
    """The tangent, to 3 ulp."""
    rest, quarter = _quarter_turns(x)
    sine, cosine = _sin_polynomial(rest), _cos_polynomial(rest)
    odd = (quarter & 1).compare("!=", 0)
    result = (-cosine).where(odd, sine) / sine.where(odd, cosine)
    return x.where(x.compare("==", 0.0), result)


# -- Functions good to about 1e-13: meant for f32 arguments, computed in f64


_ATAN = (
    1.62858201153657823623e-02,
    -3.65315727442169155270e-02,
    4.97687799461593236017e-02,
    -5.83357013379057348645e-02,
    6.66107313738753120669e-02,
    -7.69187620504482999495e-02,
    9.09088713343650656196e-02,
    -1.11111104054623557880e-01,
    1.42857142725034663711e-01,
    -1.99999999998764832476e-01,
    3.33333333333329318027e-01,
)


def atan(x: Number) -> Number:
    """The arc tangent."""
    magnitude = abs(x)
    inverted = magnitude.compare(">", 1.0)
    # Below 1: t; above: 1/t, from pi/2 down. What is above tan(pi/8) then is turned by pi/4.
    small = magnitude.at_most(1.0).where(magnitude.compare("<", 1.0), (1.0 / magnitude).at_most(1.0))
    turned = small.compare(">", math.tan(math.pi / 8))
    t = ((small - 1.0) / (small + 1.0)).where(turned, small)
    z = t * t
    angle = t - t * z * z.polynomial(_ATAN)
    angle = (angle + math.pi / 4).where(turned, angle)
    angle = (math.pi / 2 - angle).where(inverted, angle)
    return x.where(x.is_nan(), angle.with_sign_of(x))


def asin(x: Number) -> Number:
    """The arc sine; NaN outside [-1, 1]."""
    return atan(x / ((1.0 - x) * (x + 1.0)).sqrt())


def acos(x: Number) -> Number:
    """The arc cosine; NaN outside [-1, 1]."""
    half = atan(((1.0 - x) / (x + 1.0)).sqrt())
    return half + half


_ERF = (
    1.2873585826134119e-05,
    -3.668349630367569e-05,
    3.298166514361336e-05,
    -7.24620314889167e-05,
    0.00029513373401520896,
    -0.0006727965874649553,
    0.0012770781536441313,
    -0.0025306731595722844,
    0.004861253793852784,
    -0.008629832321591356,
    0.014347218437205343,
    -0.02246626395799292,
    0.03306107327080911,
    -0.045766463410655295,
    0.05988686028227138,
    -0.07472772838182547,
    0.09020899618649306,
    -0.10771044890915892,
    0.13167511686643962,
    -0.1765762332142437,
    0.3535309956434043,
)


def erf(x: Number) -> Number:
    """The error function: x times a polynomial in x**2 / 8 - 1 up to 4, where it has become 1."""
    magnitude = abs(x).at_most(4.0)
    w = magnitude.times_plus(magnitude * 0.125, -1.0)
    return x.where(x.is_nan(), (magnitude * w.polynomial(_ERF)).with_sign_of(x))


def cbrt(x: Number) -> Number:
    """The cube root."""
    return x.where(x.is_nan(), exp(log(abs(x)) * (1 / 3)).with_sign_of(x))


def pow(x: Number, y: Number) -> Number:
    """x**y with the special cases of C."""
    magnitude = exp(y * log(abs(x)))
    whole = y.compare("==", y.floor())
    odd = all_of(whole, (y * 0.5).compare("!=", (y * 0.5).floor()))
    negative = x.constant(1.0).with_sign_of(x).compare("<", 0.0)
    result = (-magnitude).where(all_of(negative, odd), magnitude)
    finite_negative = all_of(x.compare("<", 0.0), x.compare(">", -math.inf))
    fraction = all_of(y.compare("!=", y.floor()), abs(y).compare("<", math.inf))
    result = x.constant(math.nan).where(all_of(finite_negative, fraction), result)
    one = any_of(y.compare("==", 0.0), x.compare("==", 1.0))
    one = any_of(one, all_of(x.compare("==", -1.0), abs(y).compare("==", math.inf)))
    return x.constant(1.0).where(one, result)

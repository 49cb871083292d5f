"""Arc functions. Polynomials are minimax ones, found by Remez's algorithm."""

from __future__ import annotations

from ...dialect.mlir import Value
from .number import Number
from .registry import expands
from .rows import numbers

_PI = {32: (3.1415927410125732, -8.742277657347586e-08), 64: (3.141592653589793, 1.2246467991473532e-16)}
_HALF_PI = {32: (1.5707963705062866, -4.371138828673793e-08), 64: (1.5707963267948966, 6.123233995736766e-17)}

_ASIN = {
    32: (0.0422177799, 0.0241482407, 0.0454769284, 0.0749524385, 0.166667536),
    64: numbers("""
        0.03195107588125471 -0.01628195785468388 0.019565807720942952 0.006513943556842765
        0.012172537339374583 0.013884714982775277 0.01735975905593275 0.022371754330173257 0.03038195929780099
        0.044642856824271215 0.07500000000342145 0.16666666666665386
    """),
}
"""(asin(s) / s - 1) / s**2 as a polynomial in s**2, |s| <= 1/2."""
_ATAN = {
    32: numbers("""
        0.00297457865 -0.0165811609 0.0435535498 -0.0758058354 0.106789455 -0.142142117 0.199941382
        -0.333331674
    """),
    64: numbers("""
        1.9074315214141065e-05 -0.00020959981165419612 0.0010918650074640507 -0.003609057526905929
        0.008575836115392812 -0.01580864582197216 0.02396675206308103 -0.03148004088099866
        0.037611911441124496 -0.042655555572940054 0.04739520695086617 -0.0525843156271186
        0.058815954291266744 -0.06666577163210317 0.0769230020246729 -0.09090908671736332 0.11111111096730189
        -0.1428571428545276 0.1999999999999811 -0.3333333333333333
    """),
}
"""(atan(t) / t - 1) / t**2 as a polynomial in t**2, |t| <= 1."""


def _arc_parts(x: Number) -> tuple[Value, Number, Number]:
    """Whether |x| > 1/2; s and asin(s) - s, for s = |x| or, above 1/2, sqrt((1 - |x|) / 2)."""
    magnitude = abs(x)
    above = magnitude.compare(">", 0.5)
    square = magnitude.times_plus(-0.5, 0.5).where(above, magnitude * magnitude)
    s = square.sqrt().where(above, magnitude)
    return above, s, s * square * square.polynomial(_ASIN[x.bits])


@expands("asin")
def asin(x: Number) -> Number:
    """The arc sine; NaN outside [-1, 1]. Above 1/2 it is pi/2 - 2 asin(s)."""
    above, s, tail = _arc_parts(x)
    high, low = _HALF_PI[x.bits]
    # By halves of pi/2, as a sum above 1 would lose a bit of a result below.
    first = s.times_plus(-2.0, high / 2).where(above, s)
    second = tail.times_plus(-2.0, low).where(above, tail)
    return (x.constant(high / 2).where(above, 0.0) + (first + second)).with_sign_of(x)


@expands("acos")
def acos(x: Number) -> Number:
    """The arc cosine; NaN outside [-1, 1]. Above 1/2 in magnitude it is 2 asin(s), or pi less that."""
    above, s, tail = _arc_parts(x)
    s, tail = s.with_sign_of(x), tail.with_sign_of(x)
    negative = x.compare("<", 0.0)
    factor = x.constant(2.0).where(above, -1.0)
    first, second = (
        part.times_plus(factor, x.constant(whole).where(negative, 0.0).where(above, half))
        for part, whole, half in zip((s, tail), _PI[x.bits], _HALF_PI[x.bits], strict=True)
    )
    return first + second


@expands("atan")
def atan(x: Number) -> Number:
    """The arc tangent; above 1 it is pi/2 + atan(-1 / x)."""
    magnitude = abs(x)
    inverted = magnitude.compare(">", 1.0)
    t = x.constant(-1.0).where(inverted, magnitude) / magnitude.where(inverted, 1.0)
    high, low = (x.constant(part).where(inverted, 0.0) for part in _HALF_PI[x.bits])
    return _turned(t, high, low).with_sign_of(x)


@expands("atan2")
def atan2(y: Number, x: Number) -> Number:
    """The angle of the point (x, y) as C has it, with the signs of zeros."""
    width, height = abs(x), abs(y)
    steep = height.compare(">", width)
    smaller, larger = width.where(steep, height), height.where(steep, width)
    ratio = smaller / larger
    ratio = x.constant(1.0).where(smaller.compare("==", larger), ratio)
    ratio = smaller.where(larger.compare("==", 0.0), ratio)
    # From the x axis: ratio, or pi - ratio; steep: pi/2 - ratio, or pi/2 + ratio.
    left = x.to_bits().compare("<", 0)
    signed = ((x.to_bits() ^ (-width).where(steep, width).to_bits()) & _sign_bit(x)) | ratio.to_bits()
    t = signed.as_number(x.type)
    high, low = (
        x.constant(half).where(steep, x.constant(whole).where(left, 0.0))
        for half, whole in zip(_HALF_PI[x.bits], _PI[x.bits], strict=True)
    )
    return _turned(t, high, low).with_sign_of(y)


def _sign_bit(x: Number) -> int:
    return -(1 << (x.bits - 1))


def _turned(t: Number, high: Number, low: Number) -> Number:
    """high + low + atan(t) for |t| <= 1."""
    square = t * t
    tail = (t * square).times_plus(square.polynomial(_ATAN[t.bits]), low)
    return (high + t) + tail

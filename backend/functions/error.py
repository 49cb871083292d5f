"""The error function. Polynomials are minimax ones, found by Remez's algorithm."""

from __future__ import annotations

from .exponential import expm1_of_reduced
from .exponents import power_of_two
from .number import Number

_NEAR = {
    32: (-0.000597689359, 0.00499098282, -0.0267655719, 0.112818033, -0.376124948, 0.128379151),
    64: (
        -8.290015562956751e-10,
        1.3961900304124533e-08,
        -1.6259572752628957e-07,
        1.645351969119586e-06,
        -1.4925187986325428e-05,
        0.00012055316322538614,
        -0.0008548326627395231,
        0.005223977619464503,
        -0.026866170644598456,
        0.11283791670952671,
        -0.3761263890318371,
        0.1283791670955126,
    ),
}
"""erf(x) / x - 1 as a polynomial in x**2 for |x| <= 0.93."""
_FAR = {
    32: (
        0.000194942069,
        -0.00303364894,
        0.0221896134,
        -0.103856049,
        -0.637266099,
        -1.12762725,
        -0.000207054138,
    ),
    64: (
        -6.408511924691377e-12,
        1.525040670086204e-10,
        -1.6387970281027992e-09,
        1.0345823015794352e-08,
        -4.029712501314182e-08,
        7.623859805335198e-08,
        1.702383714997445e-07,
        -2.0841522340077034e-06,
        9.623088066939166e-06,
        -2.7163502039220516e-05,
        2.627766407973913e-05,
        0.0002373232912943781,
        -0.001977902905389181,
        0.01003382544125613,
        -0.041561098048133835,
        -0.843107256358468,
        -2.6389675142347873,
        -1.8496055099332482,
    ),
}
"""log(1 - erf(x)) as a polynomial in x - center, from 0.92 to where erf is 1."""
_CENTER = {32: 0.0, 64: 1.0}
_HIGHEST = {32: 4.0, 64: 6.0}


def erf(x: Number) -> Number:
    """The error function: an odd polynomial near zero, 1 - exp(a polynomial) elsewhere."""
    magnitude, square = abs(x), x * x
    near = square.polynomial(_NEAR[x.bits]).times_plus(x, x)
    shifted = magnitude.at_most(_HIGHEST[x.bits])
    if _CENTER[x.bits]:
        shifted = shifted - _CENTER[x.bits]
    fraction, parts = expm1_of_reduced(shifted.polynomial(_FAR[x.bits]))
    power = power_of_two(parts.shifted)
    far = (-power).times_plus(fraction, 1.0 - power).with_sign_of(x)
    return far.where(magnitude.compare(">", 0.925), near)

"""Cube roots with tables in registers, for machines with AVX-512 and the devices that they launch kernels on.

With |x| = m * 2**(3k + j), 1 <= m < 2, the root is 2**k times that of 2**j / c, from a table, times that of
1 + r = c * m. c is chosen such that its roots are very nearly numbers of the format, so that the result is nearly
rounded to nearest, and those of cubes are exact.
"""

from __future__ import annotations

import math

from .exponents import exponent_of, layout, rounded, scale, unit_mantissa_of
from .instructions import has_instructions
from .lookup import permute
from .number import Number, any_of
from .rows import numbers

_INVERSE = {
    32: (0.940910697, 0.841606319, 0.761906087, 0.696263969, 0.640595317, 0.5919227, 0.5519014, 0.516242623),
    64: numbers("""
        0.9411933688979189 0.8421085269773002 0.7618885023711316 0.695663145005985 0.640000933086325
        0.5926082812571419 0.5517432612039398 0.5161291788714993
    """),
}
"""c for each eighth from 1 to 2."""
_ROOTS = {
    32: (
        (1.02050984, 1.05916512, 1.09487915, 1.12825871, 1.16003764, 1.19099975, 1.21911919, 1.2465663),
        (1.28576183, 1.33446443, 1.37946129, 1.4215169, 1.46155584, 1.50056565, 1.53599393, 1.57057512),
        (1.6199584, 1.68131983, 1.73801231, 1.79099905, 1.84144497, 1.89059424, 1.93523109, 1.97880065),
    ),
    64: (
        numbers("""
            1.0204076685616903 1.0589545279719403 1.0948875735604562 1.1285834259568948 1.1603966444710518
            1.1905402827011062 1.2192356538163234 1.2466576200163513
        """),
        numbers("""
            1.2856331010950246 1.334199100673337 1.3794719011971401 1.4219260149255637 1.4620081585964555
            1.4999867629229169 1.5361406650255243 1.5706901774704451
        """),
        numbers("""
            1.619796206511245 1.6809855316891462 1.7380256860567775 1.7915145175978493 1.8420148541337165
            1.8898648971702536 1.9354159594651672 1.978945617458128
        """),
    ),
}
"""The cube roots of 2**j / c."""
_POLYNOMIAL = {
    32: (-0.0413017236, 0.0618578158, -0.111110911, 0.333333224),
    64: numbers("""
        -0.01178191421494134 0.01358494853841487 -0.01583396401721984 0.019000843025015146
        -0.023472032284290786 0.03017832694674071 -0.04115226337405379 0.06172839506145994
        -0.11111111111111122 0.33333333333333337
    """),
}
"""((1 + r)**(1/3) - 1) / r for |r| <= 0.06, highest coefficient first."""


def cbrt_by_table(x: Number) -> Number:
    """The cube root; in AVX-512, infinite exponents take care of 0 and infinity."""
    mantissa, exponent = unit_mantissa_of(x), exponent_of(x)
    third, _ = rounded(exponent - 1.0, 1 / 3)
    rest = third.times_plus(-3.0, exponent)
    interval = mantissa.to_bits() >> (layout(x).mantissa - 3)
    inverse = permute(interval, x, _INVERSE[x.bits] * (2 if x.bits == 32 else 1))
    r = mantissa.times_plus(inverse, -1.0)
    first, second, last = _ROOTS[x.bits]
    _, octave = rounded(rest, 8.0)
    place = interval + octave.to_bits()
    # The lowest bit of the exponent of m, which is 1, stands above those of the interval.
    if x.bits == 32:
        root = permute(place, x, second + last + last + first)
    else:
        root = permute(place, x, last).where(rest.compare("==", 2.0), permute(place, x, second + first))
    root = root.times_plus(r * r.polynomial(_POLYNOMIAL[x.bits]), root)
    root = scale(root, third)
    if not has_instructions(x):
        magnitude = abs(x)
        special = any_of(magnitude.compare("==", 0.0), magnitude.compare("==", math.inf))
        root = magnitude.where(special, root)
    return root.with_sign_of(x)

"""Sine, cosine and tangent.

Multiples of pi (of pi/2, for the tangent) are taken off in three parts (Cody and Waite 1980), of large arguments
by another way.
Polynomials are minimax ones, found by Remez's algorithm.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from ...dialect.mlir import ir
from ..nests.emit import create
from .exponents import rounded
from .large_angles import less_multiples_of_pi
from .number import Integer, Number, all_of, any_lane, rarely
from .registry import expands
from .rows import numbers

_PI = {
    32: (3.141592502593994, 1.5099578831723193e-07, 1.078060505991553e-14),
    64: (3.141592653589793, 1.224646799147353e-16, 2.1657133478438278e-32),
}
_HALF_PI = {
    32: (1.570796251296997, 7.549789415861596e-08, 5.390302529957765e-15),
    64: (1.5707963267948966, 6.123233995736765e-17, 1.0828566739219139e-32),
}
"""Each part is rounded down: taking no multiples of positive numbers off a zero leaves its sign."""
_LARGEST = {32: 131072.0, 64: 1e8}
"""Beyond it three parts are not exact enough."""

_SIN = {
    32: (-2.49617376e-08, 2.7597564e-06, -0.000198425812, 0.00833334774, -0.166666672),
    64: numbers("""
        2.7187319623855942e-15 -7.642768626522938e-13 1.6058931546546144e-10 -2.505210671972849e-08
        2.7557319209581534e-06 -0.00019841269841200919 0.008333333333333174 -0.16666666666666666
    """),
}
"""(sin(r) / r - 1) / r**2 as a polynomial in r**2, |r| <= pi / 2."""
_TAN = {
    32: (0.00989518035, 0.00223923055, 0.02499309, 0.0532489605, 0.133408263, 0.33333075),
    64: numbers("""
        1.0838964405200947e-05 -2.903065513696987e-05 5.841500744992112e-05 -3.756767547079798e-05
        7.683930995357985e-05 7.817169911495293e-05 0.00024590099959539063 0.000588248229172099
        0.0014561719149667257 0.0035920826648592054 0.008863239710900745 0.021869488285855443
        0.05396825397716289 0.13333333333317277 0.33333333333333437
    """),
}
"""(tan(r) / r - 1) / r**2 as a polynomial in r**2, |r| <= pi / 4."""


@expands("sin")
def sin(x: Number) -> Number:
    """The sine: that of x - n * pi, with the sign of (-1)**n."""
    count, shifted = rounded(x, 1 / math.pi)
    near = _less_multiples(x, count, _PI[x.bits]), x.constant(0.0), shifted.to_bits()
    r, _, turns = _reduced(x, near, lambda: less_multiples_of_pi(x))
    return _sine(r, turns)


@expands("cos")
def cos(x: Number) -> Number:
    """The cosine: the sine of x - (n + 1/2) * pi, with the sign of (-1)**(n + 1)."""
    count, shifted = rounded(x.times_plus(1 / math.pi, -0.5), 1.0)
    near = _less_multiples(x, count + 0.5, _PI[x.bits]), x.constant(0.0), shifted.to_bits()
    r, _, turns = _reduced(x, near, lambda: less_multiples_of_pi(x, shift=0.5))
    return _sine(r, turns ^ 1)


_Reduced: TypeAlias = "tuple[Number, Number, Integer]"
"""What is left of an argument, what rounding that lost, and an integer with the parity of the multiple taken off."""


def _reduced(x: Number, near: _Reduced, far: Callable[[], _Reduced]) -> _Reduced:
    """What holds for near arguments, in large ones the far form, which is computed if there are any.

    Infinity is near: what is left of it is NaN.
    """
    magnitude = abs(x)
    above = magnitude.compare(">", _LARGEST[x.bits])
    types = [part.value.type for part in near]
    branch = ir.Operation.create("scf.if", types, [rarely(any_lane(above))], regions=2)
    with ir.InsertionPoint(branch.regions[0].blocks.append()):
        r, lost, turns = far()
        large = all_of(above, magnitude.compare("<", math.inf))
        chosen = r.where(large, near[0]), lost.where(large, near[1]), turns.where(large, near[2])
        create("scf.yield", [], [part.value for part in chosen])
    with ir.InsertionPoint(branch.regions[1].blocks.append()):
        create("scf.yield", [], [part.value for part in near])
    first, second, third = branch.results
    return Number(first), Number(second), Integer(third)


def _less_multiples(x: Number, count: Number, parts: tuple[float, ...]) -> Number:
    for part in parts:
        x = count.fused_times_plus(-part, x)
    return x


def _sine(r: Number, turns: Integer) -> Number:
    """sin(r) * (-1)**turns."""
    r = (r.to_bits() ^ (turns << (r.bits - 1))).as_number(r.type)
    square = r * r
    return (square * square.polynomial(_SIN[r.bits])).times_plus(r, r).with_sign_of(r)


@expands("tan")
def tan(x: Number) -> Number:
    """The tangent: that of r = x - n * pi/2, or -1 / tan(r) for an odd n."""
    count, shifted = rounded(x, 2 / math.pi)
    near = (*_quarter(x, count), shifted.to_bits())
    r, lost, turns = _reduced(x, near, lambda: less_multiples_of_pi(x, halves=True))
    square = r * r
    # The derivative of the tangent is 1 + tan**2, about 1 + r**2.
    tail = (r * square).times_plus(square.polynomial(_TAN[r.bits]), lost.times_plus(square, lost))
    tangent = r + tail
    quotient = -1.0 / tangent
    rounded_off = (r - tangent) + tail
    cotangent = (quotient * quotient).times_plus(rounded_off, quotient)
    return cotangent.where((turns & 1).compare("!=", 0), tangent.with_sign_of(r))


def _quarter(x: Number, count: Number) -> tuple[Number, Number]:
    """x - count * pi/2, and what rounding it lost."""
    first, second, third = _HALF_PI[x.bits]
    start = count.fused_times_plus(-first, x)
    product = count * -second
    product_lost = count.fused_times_plus(-second, -product)
    r = start + product
    lost = ((start - r) + product) + product_lost
    return r, count.times_plus(-third, lost)

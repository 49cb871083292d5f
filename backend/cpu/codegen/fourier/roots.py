"""Roots of unity, exp(-2i pi k / n) for powers of two n, rounded correctly: computed in integers of 128 bits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import TypeAlias

_ONE = 1 << 128

_Point: TypeAlias = "tuple[int, int]"
"""Cosine and sine, in units of 1 / _ONE."""


def root(power: int, count: int) -> complex:
    """The n-th root of unity exp(-2i pi k / n) for 0 <= k < n.

    >>> root(1, 4), root(7, 8)
    (-1j, (0.7071067811865476+0.7071067811865476j))
    """
    octant, rest = divmod(8 * power, count)
    eighth = _first_eighth(max(count, 8))
    place = rest * (len(eighth) - 1) // count
    cosine, sine = eighth[len(eighth) - 1 - place if octant % 2 else place]
    if octant % 4 in (1, 2):
        cosine, sine = sine, cosine
    real, imaginary = -cosine if octant in (2, 3, 4, 5) else cosine, sine if octant >= 4 else -sine
    return complex(real / _ONE, imaginary / _ONE)


@cache
def _first_eighth(count: int) -> Sequence[_Point]:
    """The points at angles 2 pi k / n for 0 <= k <= n / 8."""
    if count == 8:
        half = math.isqrt(_ONE * _ONE // 2)
        return [(_ONE, 0), (half, half)]
    half_as_many = _first_eighth(count // 2)
    cosine = half_as_many[1][0]
    step = math.isqrt((_ONE + cosine) * _ONE // 2), math.isqrt((_ONE - cosine) * _ONE // 2)
    return [
        _product(half_as_many[k // 2], step) if k % 2 else half_as_many[k // 2] for k in range(count // 8 + 1)
    ]


def _product(x: _Point, y: _Point) -> _Point:
    """The point at the sum of two angles."""
    return (x[0] * y[0] - x[1] * y[1]) // _ONE, (x[0] * y[1] + x[1] * y[0]) // _ONE


__all__ = ["root"]

"""Roots of unity, exp(-2i pi k / n) for powers of two n, rounded correctly: computed in integers of 128 bits."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, TypeAlias

import numpy as np

_ONE = 1 << 128

_Point: TypeAlias = "tuple[int, int]"
"""Cosine and sine, in units of 1 / _ONE."""


def root(power: int, count: int) -> complex:
    """The n-th root of unity exp(-2i pi k / n).

    >>> root(-1, 4), root(-1, 8)
    (1j, (0.7071067811865476+0.7071067811865476j))
    """
    return complex(roots(np.array(power), count))


def roots(powers: np.ndarray[Any, Any], count: int) -> np.ndarray[Any, Any]:
    """The n-th roots of unity exp(-2i pi k / n) for whole numbers k, of any shape."""
    eighth = _rounded_eighth(max(count, 8))
    steps = len(eighth) - 1
    octants, places = np.divmod(powers % count * (8 * steps // count), steps)
    points = eighth[np.where(octants % 2, steps - places, places)]
    points = np.where(np.isin(octants % 4, (1, 2)), points.imag + 1j * points.real, points)
    found: np.ndarray[Any, Any] = np.where(np.isin(octants, (2, 3, 4, 5)), -points.real, points.real) + 1j * (
        np.where(octants >= 4, points.imag, -points.imag)
    )
    return found


@cache
def _rounded_eighth(count: int) -> np.ndarray[Any, Any]:
    """exp(2i pi k / n) for 0 <= k <= n / 8."""
    return np.array([complex(cosine / _ONE, sine / _ONE) for cosine, sine in _first_eighth(count)])


@cache
def _first_eighth(count: int) -> list[_Point]:
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

"""Tables of numbers and coefficients of polynomials, written in rows."""

from __future__ import annotations


def numbers(rows: str) -> tuple[float, ...]:
    """The numbers of a text.

    >>> numbers("0.5 -1e-3 2.0")
    (0.5, -0.001, 2.0)
    """
    return tuple(map(float, rows.split()))

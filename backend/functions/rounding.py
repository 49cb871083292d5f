"""Rounding to whole numbers, for machines without instructions for it (x86-64 before SSE4.1)."""

from __future__ import annotations

from .exponents import layout
from .number import Number


def roundeven(x: Number) -> Number:
    """The nearest whole number, ties to even."""
    return _rounded_magnitude(x).with_sign_of(x)


def trunc(x: Number) -> Number:
    """The whole number towards zero."""
    magnitude, rounded = abs(x), _rounded_magnitude(x)
    return (rounded - 1.0).where(rounded.compare(">", magnitude), rounded).with_sign_of(x)


def floor(x: Number) -> Number:
    """The largest whole number not above."""
    rounded = roundeven(x)
    return (rounded - 1.0).where(rounded.compare(">", x), rounded).with_sign_of(x)


def ceil(x: Number) -> Number:
    """The smallest whole number not below."""
    rounded = roundeven(x)
    return (rounded + 1.0).where(rounded.compare("<", x), rounded).with_sign_of(x)


def _rounded_magnitude(x: Number) -> Number:
    """Numbers with as many bits as a mantissa has are whole; adding them to others rounds these."""
    magnitude, large = abs(x), 2.0 ** layout(x).mantissa
    return ((magnitude + large) - large).where(magnitude.compare("<", large), magnitude)

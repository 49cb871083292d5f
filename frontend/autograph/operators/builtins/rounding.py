"""`round` of traced numbers: floats of Python's are rounded as decimals, which NumPy's are not."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from ....runtime_values.python_calls import call_python
from ....tracing.array import TracedArray
from ....tracing.number_types import number_type
from .builtins_on_arrays import fresh, int_, integer

EXACT_DIGITS = 22
"""Ten to the power of so many is a float64 without error."""


def round_(number: TracedArray, ndigits: Any = None) -> Any:
    """`round` of an array: to an int without digits, else to a number of the same type."""
    if number.dtype.kind == "c":
        kind = "complex" if number_type(number) is complex else f"numpy.{number.dtype.name}"
        raise TypeError(f"type {kind} doesn't define __round__ method")
    python_type = number_type(number)
    if not number._is_scalar:
        raise TypeError("type numpy.ndarray doesn't define __round__ method")
    if ndigits is None:
        nearest: Any = np.rint(number) if number.dtype.kind == "f" else number
        return int_(nearest)
    if python_type is None:
        rounded: Any = np.round(number, ndigits)
        return fresh(rounded, number)
    trace = number._storage.trace
    if isinstance(ndigits, TracedArray):
        return call_python(
            trace, builtins.round, (number, integer(ndigits)), int if python_type is bool else python_type
        )
    digits = ndigits.__index__()
    if python_type is not float:
        if digits >= 0:
            return int_(number)
        return call_python(trace, builtins.round, (number, digits), int)
    if not 0 <= digits <= EXACT_DIGITS:
        return call_python(trace, builtins.round, (number, digits), float)
    return _as_decimal(number, 10.0**digits)


def _as_decimal(number: Any, scale: float) -> Any:
    """The float next to the decimal with so many digits that is next to a float.

    The product with a power of ten has an error, which is known exactly (T. J. Dekker, A floating-point technique for
    extending the available precision, 1971): it decides where the product is half-way between two integers. An integer
    below 2**53 divided by an exact power of ten is what reading the decimal gives.
    """
    product: Any = number * scale
    error = _error_of_product(number, scale, product)
    nearest: Any = np.rint(product)
    rest = product - nearest
    up: Any = np.logical_and(np.equal(rest, 0.5), np.greater(error, 0.0))
    down: Any = np.logical_and(np.equal(rest, -0.5), np.less(error, 0.0))
    nearest = np.where(up, nearest + 1.0, np.where(down, nearest - 1.0, nearest))
    # Beyond, floats are further apart than decimals, and each is the one next to its own.
    is_large: Any = np.logical_not(np.less(np.abs(product), 2.0**52))
    rounded: Any = np.where(is_large, number, np.copysign(nearest / scale, number))
    return rounded._like_python(float)


_SPLITTER = 2.0**27 + 1


def _error_of_product(x: Any, y: float, product: Any) -> Any:
    high, low = _halves(x)
    y_high, y_low = _halves(y)
    return ((high * y_high - product) + high * y_low + low * y_high) + low * y_low


def _halves(value: Any) -> tuple[Any, Any]:
    """A float as the sum of two of 26 bits."""
    scaled = value * _SPLITTER
    high = scaled - (scaled - value)
    return high, value - high

"""Attributes and methods of Python's numbers, where these are traced; `real`, `imag` and `conjugate` of arrays, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..runtime_values.digits import bit_length, ones_of
from ..runtime_values.python_calls import call_python
from ..runtime_values.strings import string_of
from ..tracing.array import TracedArray
from ..tracing.number_types import number_type
from ..tracing.staging import cast
from . import elementwise

_INT = np.dtype(np.int64)


def real(x: TracedArray) -> Any:
    """The `real` property."""
    kind = number_type(x)
    if kind is None:
        return elementwise.real(x)
    if kind is complex:
        return elementwise.real(x).copy()._like_python(float)
    return x if kind is not bool else cast(x, _INT)._like_python(int)


def imag(x: TracedArray) -> Any:
    """The `imag` property."""
    kind = number_type(x)
    if kind is None:
        return elementwise.imag(x)
    if kind is complex:
        return elementwise.imag(x).copy()._like_python(float)
    return 0.0 if kind is float else 0


def conjugate(x: TracedArray, *args: Any, **kwargs: Any) -> Any:
    """The `conjugate` method; of real arrays these themselves, not a copy of them."""
    kind = number_type(x)
    if kind is None:
        return np.conjugate(x, *args, **kwargs) if args or kwargs or x.dtype.kind == "c" else x
    if kind is not complex:
        return real(x)
    conjugated: Any = np.conjugate(x)
    return conjugated._like_python(complex)


def attribute_of_number(number: TracedArray, name: str) -> Any:
    """What a number has under a name that arrays do not have; AttributeError for what it has not."""
    kind = number_type(number)
    owner, known = (kind, _ATTRIBUTES) if kind is not None else (_scalar_class(number), _OF_SCALARS)
    if name not in known or not hasattr(owner, name):
        raise AttributeError(f"'{number._class_name}' object has no attribute '{name}'")
    return known[name](number)


def _scalar_class(number: TracedArray) -> Any:
    """The class of a scalar of NumPy's; None for an array."""
    return number.dtype.type if number._is_scalar else None


def _is_integer(number: TracedArray) -> Any:
    if number.dtype.kind != "f":
        return True
    whole: Any = np.logical_and(np.isfinite(number), np.equal(np.floor(number), number))
    return whole._like_python(bool)


def _in_python(name: str, *results: type) -> Callable[[TracedArray], Any]:
    def method(number: TracedArray) -> Any:
        kind: Any = number_type(number) or _scalar_class(number)
        return call_python(number._storage.trace, getattr(kind, name), (number,), *results)

    return lambda number: lambda: method(number)


_ATTRIBUTES: dict[str, Callable[[TracedArray], Any]] = {
    "numerator": real,
    "denominator": lambda number: 1,
    "is_integer": lambda number: lambda: _is_integer(number),
    "as_integer_ratio": _in_python("as_integer_ratio", int, int),
    "bit_length": lambda number: lambda: bit_length(number),
    "bit_count": lambda number: lambda: ones_of(number),
    "hex": lambda number: lambda: string_of(float.hex, number),
}
_OF_SCALARS = {
    name: _ATTRIBUTES[name]
    for name in ("numerator", "denominator", "is_integer", "as_integer_ratio", "bit_count")
}

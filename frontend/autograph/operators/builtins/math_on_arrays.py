"""Functions of the `math` module on traced numbers: Python numbers out, and the module's errors at run time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ....tracing.array import TracedArray
from ....tracing.staging import cast
from ..statements.statements import current

Check = Callable[[Any], Any]


def _number(value: Any) -> Any:
    """An argument as the module takes it: a float."""
    if not isinstance(value, TracedArray):
        return np.float64(value)
    if value.ndim:
        value = value.reshape(())
    return cast(value, np.dtype(np.float64))


def _function(name: str, domain: Check | None = None, overflows: bool = False, result: Any = float) -> Any:
    theirs = getattr(math, name)
    ufunc = getattr(np, _UFUNCS.get(name, name))

    def function(*args: Any) -> Any:
        if not any(isinstance(value, TracedArray) for value in args):
            return theirs(*args)
        numbers = [_number(value) for value in args]
        if domain is not None:
            current().raise_if(domain(*numbers), "ValueError", _domain_message(theirs))
        value = ufunc(*numbers)
        if overflows:
            finite = np.isfinite(numbers[0])
            for number in numbers[1:]:
                finite = np.logical_and(finite, np.isfinite(number))
            overflow = np.logical_and(np.isinf(value), finite)
            current().raise_if(overflow, "OverflowError", "math range error")
        if result is int:
            value = value.astype(np.int64)
        return value._like_python(result)

    function.__name__ = name
    return function


def _domain_message(function: Callable[..., Any]) -> str:
    """What this Python says about an argument out of the domain."""
    for argument in (-1.0, 2.0):
        try:
            function(argument)
        except (ValueError, TypeError) as error:
            return str(error).replace("{", "{{") if isinstance(error, ValueError) else "math domain error"
    return "math domain error"


_UFUNCS = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
    "atan2": "arctan2",
    "pow": "power",
}
"""NumPy's names of functions that it calls otherwise."""

REPLACEMENTS: dict[Any, Callable[..., Any]] = {
    getattr(math, name): _function(name, *options)
    for name, *options in (
        ("sqrt", lambda x: x < 0),
        ("exp", None, True),
        ("expm1", None, True),
        ("log", lambda x: x <= 0),
        ("log2", lambda x: x <= 0),
        ("log10", lambda x: x <= 0),
        ("log1p", lambda x: x <= -1),
        ("sin", np.isinf),
        ("cos", np.isinf),
        ("tan", np.isinf),
        ("asin", lambda x: np.abs(x) > 1),
        ("acos", lambda x: np.abs(x) > 1),
        ("atan",),
        ("atan2",),
        ("sinh", None, True),
        ("cosh", None, True),
        ("tanh",),
        ("asinh",),
        ("acosh", lambda x: x < 1),
        ("atanh", lambda x: np.abs(x) >= 1),
        ("hypot", None, True),
        ("fabs",),
        ("copysign",),
        ("degrees",),
        ("radians",),
        ("fmod", lambda x, y: np.logical_or(np.isinf(x), y == 0)),
        ("pow", None, True),
        ("floor", None, False, int),
        ("ceil", None, False, int),
        ("trunc", None, False, int),
        ("isnan", None, False, bool),
        ("isinf", None, False, bool),
        ("isfinite", None, False, bool),
    )
}
"""What converted code calls instead of a function of the module."""


def _log(x: Any, *base: Any) -> Any:
    if not base:
        return _natural_logarithm(x)
    return (
        (_natural_logarithm(x) / _natural_logarithm(base[0]))._like_python(float)
        if _any_traced(x, *base)
        else math.log(x, *base)
    )


def _any_traced(*values: Any) -> bool:
    return any(isinstance(value, TracedArray) for value in values)


_natural_logarithm = REPLACEMENTS[math.log]
REPLACEMENTS[math.log] = _log

__all__ = ["REPLACEMENTS"]

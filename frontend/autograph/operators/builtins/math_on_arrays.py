"""Functions of the `math` module on traced numbers: Python numbers out, and the module's errors at run time."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ....tracing.array import TracedArray
from ....tracing.staging import cast, raise_if

Check = Callable[..., Any]


def _number(value: Any) -> Any:
    """An argument as the module takes it: a float."""
    if not isinstance(value, TracedArray):
        return np.float64(value)
    if value.ndim:
        value = value.reshape(())
    return cast(value, np.dtype(np.float64))


def of_math(name: str, outside: Check | None = None, overflows: bool = False, result: type = float) -> Any:
    """A function of the module on traced numbers, by its name, which is NumPy's, too; and what it makes."""
    theirs, ufunc = getattr(math, name), getattr(np, name)

    def function(*args: Any) -> Any:
        numbers = [_number(value) for value in args]
        if outside is not None:
            raise_if(outside(*numbers), "ValueError", _domain_message(theirs))
        value = ufunc(*numbers)
        if overflows:
            finite = functools.reduce(np.logical_and, map(np.isfinite, numbers))
            raise_if(np.logical_and(np.isinf(value), finite), "OverflowError", "math range error")
        return (value.astype(np.int64) if result is int else value)._like_python(result)

    return function


def _domain_message(function: Callable[..., Any]) -> str:
    """What this Python says about an argument out of the domain."""
    for argument in (-1.0, 2.0):
        try:
            function(argument)
        except (ValueError, TypeError) as error:
            return str(error).replace("{", "{{") if isinstance(error, ValueError) else "math domain error"
    return "math domain error"


def logarithm(x: Any, base: Any = None) -> Any:
    """`math.log` of traced numbers."""
    of_x = _natural_logarithm(x)
    return of_x if base is None else (of_x / _natural_logarithm(base))._like_python(float)


def _natural_logarithm(x: Any) -> Any:
    return _traced_logarithm(x) if isinstance(x, TracedArray) else math.log(x)


_traced_logarithm = of_math("log", lambda x: x <= 0)

__all__ = ["logarithm", "of_math"]

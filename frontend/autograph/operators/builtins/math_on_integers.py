"""The functions of `math` on traced ints: ints of 64 bits out, or an error where the result has more.

Those that need loops are written as programs are, and converted.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .....dialect.errors import PythonNumberError
from ....numpy_api import indexing
from ....tracing.array import TracedArray
from ....tracing.staging import raise_where
from .builtins_on_arrays import int_
from .converted_functions import converted

Function = Callable[..., Any]

_LARGEST = 2**63 - 1
_LARGEST_ROOT = math.isqrt(_LARGEST)
_FACTORIALS = np.array([math.factorial(n) for n in range(21)], np.int64)
_TAKEN = [np.dtype(f"{kind}{size}") for kind, size in zip("iiiiuuu", (1, 2, 4, 8, 1, 2, 4), strict=True)]


def is_whole(value: Any) -> bool:
    """Whether a value is an int, or one of NumPy's, that 64 bits hold."""
    if not isinstance(value, TracedArray):
        return isinstance(value, (int, np.integer)) and abs(int(value)) <= _LARGEST
    return value.ndim == 0 and (value.dtype in _TAKEN or value._python_type is bool)


def _fits(is_wrong: Any, name: str, *numbers: Any) -> None:
    places = ", ".join("{}" for _ in numbers)
    message = f"the result of {name}({places}) has more than 64 bits, and compiled code has ints of 64 bits"
    raise_where(is_wrong, PythonNumberError, message, *numbers, is_own=True)


def _factorial(n: Any) -> Any:
    raise_where(np.less(n, 0), ValueError, "factorial() not defined for negative values")
    _fits(np.greater(n, 20), "factorial", n)
    return indexing.take(_FACTORIALS, n) if isinstance(n, TracedArray) else math.factorial(n)


def _isqrt(n: Any) -> Any:
    raise_where(np.less(n, 0), ValueError, "isqrt() argument must be nonnegative")
    # The root of the float that is next to an int is the wanted one, or one beside it.
    root = np.minimum(np.sqrt(n.astype(np.float64)).astype(np.int64), _LARGEST_ROOT)
    root = root - (root * root > n)
    above = np.minimum(root + 1, _LARGEST_ROOT)
    return root + np.logical_and(above > root, above * above <= n)


def _gcd(*numbers: Any) -> Any:
    found = functools.reduce(np.gcd, numbers) if len(numbers) > 1 else np.abs(numbers[0])
    _fits(np.less(found, 0), "gcd", *numbers)
    return found


def _lcm(*numbers: Any) -> Any:
    if len(numbers) > 1:
        return functools.reduce(_lcm_of_two, numbers)
    _fits(np.less(np.abs(numbers[0]), 0), "lcm", *numbers)
    return np.abs(numbers[0])


def _lcm_of_two(one: Any, other: Any) -> Any:
    part = np.abs(np.floor_divide(one, np.maximum(np.abs(np.gcd(one, other)), 1)))
    size = np.abs(other)
    is_large = np.greater(part, np.floor_divide(_LARGEST, np.maximum(size, 1)))
    is_beyond = np.logical_or(np.less(part, 0), np.less(size, 0))  # which has no absolute value
    is_zero = np.logical_or(np.equal(part, 0), np.equal(size, 0))
    _fits(np.logical_and(np.logical_or(is_large, is_beyond), np.logical_not(is_zero)), "lcm", one, other)
    return part * size


def _require_natural(n: Any, k: Any) -> None:
    raise_where(np.less(n, 0), ValueError, "n must be a non-negative integer")
    raise_where(np.less(k, 0), ValueError, "k must be a non-negative integer")


@converted
def _comb(n: Any, k: Any) -> Any:
    _require_natural(n, k)
    result = 1
    if k > n:
        result = 0
    else:
        for i in range(min(k, n - k)):
            # No product but that of two parts without a common divisor, which the result is at least.
            common = math.gcd(result, i + 1)
            factor = (n - i) // ((i + 1) // common)
            result = result // common
            if result > 9223372036854775807 // factor:
                raise PythonNumberError(
                    f"the result of comb({n}, {k}) has more than 64 bits, and compiled code has ints of 64 bits"
                )
            result = result * factor
    return result


@converted
def _perm_of(n: Any, k: Any) -> Any:
    _require_natural(n, k)
    result = 1
    if k > n:
        result = 0
    else:
        for i in range(k):
            if result > 9223372036854775807 // (n - i):
                raise PythonNumberError(
                    f"the result of perm({n}, {k}) has more than 64 bits, and compiled code has ints of 64 bits"
                )
            result = result * (n - i)
    return result


def _perm(n: Any, k: Any = None) -> Any:
    return _factorial(n) if k is None else _perm_of(n, k)


_COMPILED: dict[str, Function] = {
    "factorial": _factorial,
    "isqrt": _isqrt,
    "gcd": _gcd,
    "lcm": _lcm,
    "comb": _comb,
    "perm": _perm,
}


def integer_row(name: str, by_python: Function) -> Function:
    """What to call instead of a function of traced arguments; what are no ints is left to Python."""
    ours = _COMPILED[name]

    def function(*args: Any) -> Any:
        given = args[:1] if name == "perm" and args[1:] == (None,) else args
        if not given or not all(map(is_whole, given)):
            return by_python(*args)
        numbers = [int_(value) if isinstance(value, TracedArray) else int(value) for value in given]
        made = ours(*numbers)
        return made._like_python(int) if isinstance(made, TracedArray) else made

    return function


def integer_names() -> Iterator[str]:
    """The functions."""
    return (name for name in _COMPILED if hasattr(math, name))

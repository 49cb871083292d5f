"""Python's operators on Python's own numbers, of which one is traced: what they raise, and what type they give.

They differ from NumPy's ufuncs: `True + True` is 2, `1 / 0` and `0.0 ** -1` raise, `5 ** -2` is a float, and complex
numbers have no order. Where the type of the result depends on the values of the call (a negative number to a fractional
power is complex), the call ends with an exception that says what to write. Ints have 64 bits, and wrap around.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...dialect.dtypes import kind
from ...dialect.errors import WeftValueError
from ..tracing.array import TracedArray
from ..tracing.number_types import PYTHON_NUMBERS, number_type
from ..tracing.staging import cast, raise_if, staged
from .ufuncs import apply_ufunc

_BITWISE = {np.bitwise_and, np.bitwise_or, np.bitwise_xor}
"""These leave bools as they are."""

_ORDERINGS: dict[np.ufunc, Callable[[Any, Any], Any]] = {
    np.less: operator.lt,
    np.less_equal: operator.le,
    np.greater: operator.gt,
    np.greater_equal: operator.ge,
}

_DIVISIONS: dict[np.ufunc, Callable[[Any, Any], Any]] = {
    np.divide: operator.truediv,
    np.floor_divide: operator.floordiv,
    np.remainder: operator.mod,
    np.divmod: divmod,
}

_FLOAT, _COMPLEX = np.dtype(np.float64), np.dtype(np.complex128)


def python_operator(ufunc: np.ufunc, *operands: Any) -> Any:
    """What the operator that a ufunc stands for gives for Python's numbers: Python's numbers again."""
    if not (ufunc in _BITWISE and all(number_type(operand) is bool for operand in operands)):
        operands = tuple(
            _as_int(operand) if number_type(operand) is bool else operand for operand in operands
        )
    if ufunc is np.power:
        return _like_python(_power(*operands))
    if ufunc in _DIVISIONS:
        _require_divisor(_DIVISIONS[ufunc], *operands)
    elif ufunc in (np.left_shift, np.right_shift):
        _require_shift(operands[1])
    elif ufunc in _ORDERINGS and complex in map(number_type, operands):
        _compare_complex(_ORDERINGS[ufunc], *operands)
    return _like_python(apply_ufunc(ufunc, *operands))


def _like_python(result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple(map(_like_python, result))
    return result._like_python(PYTHON_NUMBERS[kind(result.dtype)])


def _as_int(operand: Any) -> Any:
    if not isinstance(operand, TracedArray):
        return int(operand)
    number: Any = cast(operand, np.dtype(np.int64))
    return number._like_python(int)


def _error_of(compute: Callable[[], Any], error: type[Exception]) -> str:
    """What this Python says in an exception."""
    try:
        compute()
    except error as found:
        return str(found).replace("{", "{{").replace("}", "}}")
    raise AssertionError(f"{error.__name__} is what Python raises")


def _raise_where(condition: Any, error: type[Exception], message: str) -> None:
    """Raise where a condition on numbers holds, now or when the program runs."""
    if isinstance(condition, TracedArray):
        raise_if(condition, error.__name__, message)
    elif condition:
        raise error(message)


def _require_divisor(divide: Callable[[Any, Any], Any], dividend: Any, divisor: Any) -> None:
    one, zero = (number(value) for number, value in ((number_type(dividend), 1), (number_type(divisor), 0)))  # type: ignore[misc]
    if complex in (type(one), type(zero)) and divide is not operator.truediv:
        divide(one, zero)  # raises: there is no such division
    if isinstance(divisor, TracedArray) or not divisor:
        message = _error_of(lambda: divide(one, zero), ZeroDivisionError)
        _raise_where(_compared(np.equal, divisor, 0), ZeroDivisionError, message)


def _require_shift(count: Any) -> None:
    if isinstance(count, TracedArray) or count < 0:
        _raise_where(_compared(np.less, count, 0), ValueError, _error_of(lambda: 1 << -1, ValueError))


def _compare_complex(compare: Callable[[Any, Any], Any], left: Any, right: Any) -> None:
    compare(number_type(left)(1), number_type(right)(1))  # type: ignore[misc]  # raises: they have no order


def _compared(ufunc: np.ufunc, one: Any, other: Any) -> Any:
    return ufunc(one, other) if isinstance(one, TracedArray) else bool(ufunc(one, other))


# Powers


def _power(base: Any, exponent: Any) -> Any:
    types = {number_type(base), number_type(exponent)}
    if complex in types:
        return _complex_power(base, exponent)
    if float in types:
        return _float_power(base, exponent)
    if isinstance(exponent, TracedArray):
        message = (
            "an int to the power of a negative int is a float, which compiled code has to know beforehand: "
            "write float(x) ** y"
        )
        raise_if(np.less(exponent, 0), "PythonNumberError", message)  # type: ignore[arg-type]
    elif exponent < 0:
        return _float_power(base, exponent)
    return apply_ufunc(np.power, base, exponent)


def _float_power(base: Any, exponent: Any) -> Any:
    """A power of floats as in CPython's `float_pow`."""
    base, exponent = _as(float, _FLOAT, base), _as(float, _FLOAT, exponent)
    is_finite = _both(_finite(base), _finite(exponent))
    zero_to_negative = _both(_compared(np.equal, base, 0.0), _compared(np.less, exponent, 0.0))
    message = _error_of(lambda: 0.0**-1.0, ZeroDivisionError)
    _raise_where(_both(zero_to_negative, _finite(exponent)), ZeroDivisionError, message)
    if isinstance(exponent, TracedArray) or not exponent.is_integer():
        has_root = _both(_compared(np.less, base, 0.0), _both(is_finite, _is_fractional(exponent)))
        _raise_where(
            has_root,
            WeftValueError,  # which native calls raise, too: powers of floats are many, and roots of negative ones few
            "a negative float to a fractional power is complex, which compiled code has to know beforehand: write "
            "complex(x) ** y, or abs(x) ** y where no complex number is wanted",
        )
    if not isinstance(exponent, TracedArray) and exponent == 0.5:
        return np.sqrt(np.abs(base))  # of -0.0 and -inf, the power is positive
    trace = next(value for value in (base, exponent) if isinstance(value, TracedArray))._storage.trace
    squares = not isinstance(exponent, TracedArray) and exponent == 2.0
    result: Any = np.multiply(base, base) if squares else np.power(base, staged(trace, exponent))
    if isinstance(exponent, TracedArray) or not 0 <= exponent <= 1:
        overflows = _both(np.isinf(result), is_finite)
        _raise_where(overflows, OverflowError, _error_of(lambda: 1e300**2.0, OverflowError))
    return result


def _is_fractional(number: Any) -> Any:
    return (
        np.not_equal(np.floor(number), number) if isinstance(number, TracedArray) else not number.is_integer()
    )


def _complex_power(base: Any, exponent: Any) -> Any:
    base, exponent = _as(complex, _COMPLEX, base), _as(complex, _COMPLEX, exponent)
    if isinstance(exponent, TracedArray):
        not_positive = np.logical_or(np.less(exponent.real, 0.0), np.not_equal(exponent.imag, 0.0))
    else:
        not_positive = exponent.real < 0 or exponent.imag != 0
    zero_to_negative = _both(_compared(np.equal, base, 0j), not_positive)
    _raise_where(zero_to_negative, ZeroDivisionError, _error_of(lambda: 0j**-1, ZeroDivisionError))
    trace = next(value for value in (base, exponent) if isinstance(value, TracedArray))._storage.trace
    result: Any = np.power(staged(trace, base), staged(trace, exponent))
    overflows = _both(np.isinf(result), _both(_finite(base), _finite(exponent)))
    _raise_where(overflows, OverflowError, _error_of(lambda: (1e300 + 0j) ** 2, OverflowError))
    return result


def _as(number: type, dtype: np.dtype[Any], value: Any) -> Any:
    return cast(value, dtype) if isinstance(value, TracedArray) else number(value)


def _finite(value: Any) -> Any:
    return np.isfinite(value) if isinstance(value, TracedArray) else bool(np.isfinite(value))


def _both(one: Any, other: Any) -> Any:
    """`one and other`, of conditions that may be known."""
    for known, open_ in ((one, other), (other, one)):
        if not isinstance(known, TracedArray):
            return open_ if known else False
    return np.logical_and(one, other)

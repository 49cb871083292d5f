"""The ufuncs of dates and durations: NumPy says which loop applies, and this table what it computes of counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...dialect.errors import UnsupportedError
from ..tracing.array import TracedArray
from ..tracing.staging import cast
from .times import TracedTimes, as_times, write_times
from .units import INT64, NAT, as_ticks, convert

FLOAT64 = np.dtype(np.float64)


def is_nat(ticks: Any) -> Any:
    """Where counts are NaT."""
    return ticks == NAT


def _where_nat(result: Any, instead: Any, *operands: Any) -> Any:
    """A result, and something else where an operand is NaT."""
    masks = [is_nat(operand) for operand in operands if not _has_no_nat(operand)]
    for mask in masks:
        result = np.where(mask, instead, result)
    return result[()] if masks else result


def _has_no_nat(ticks: Any) -> bool:
    """Whether a constant is known not to be NaT anywhere."""
    return not isinstance(ticks, TracedArray) and not np.any(is_nat(np.asarray(ticks)))


def _add(a: Any, b: Any) -> Any:
    return _where_nat(a + b, NAT, a, b)


def _subtract(a: Any, b: Any) -> Any:
    return _where_nat(a - b, NAT, a, b)


def _whole(numbers: Any) -> Any:
    """Floats as counts, rounded towards zero; NaT where they are not finite."""
    finite = np.isfinite(numbers)
    return np.where(finite, cast(np.where(finite, numbers, 0.0), INT64), NAT)[()]


def _multiply(a: Any, b: Any) -> Any:
    """A duration times a number."""
    if b.dtype == FLOAT64:
        return _where_nat(_whole(cast(a, FLOAT64) * b), NAT, a)
    return _where_nat(a * b, NAT, a)


def _divide(a: Any, b: Any) -> Any:
    """A duration by a number, rounded towards zero."""
    if b.dtype == FLOAT64:
        return _where_nat(_whole(cast(a, FLOAT64) / b), NAT, a)
    by = np.where(b == 0, 1, b)
    quotient = a // by
    differ = np.logical_and(quotient * by != a, (a < 0) != (by < 0))
    return np.where(np.logical_or(is_nat(a), b == 0), NAT, quotient + cast(differ, INT64))[()]


def _ratio(a: Any, b: Any) -> Any:
    return _where_nat(cast(a, FLOAT64) / cast(b, FLOAT64), np.nan, a, b)


def _is_undefined(a: Any, b: Any) -> Any:
    return np.logical_or(np.logical_or(is_nat(a), is_nat(b)), b == 0)


def _floor_ratio(a: Any, b: Any) -> Any:
    undefined = _is_undefined(a, b)
    return np.where(undefined, 0, a // np.where(undefined, 1, b))[()]


def _remainder(a: Any, b: Any) -> Any:
    undefined = _is_undefined(a, b)
    return np.where(undefined, NAT, a % np.where(undefined, 1, b))[()]


def _maximum(a: Any, b: Any) -> Any:
    return _where_nat(np.maximum(a, b), NAT, a, b)


def _fmin(a: Any, b: Any) -> Any:
    return np.where(is_nat(a), b, np.where(is_nat(b), a, np.minimum(a, b)))[()]


def _not_nat(ticks: Any) -> Any:
    return ticks != NAT


_OF_TWO_TIMES: dict[np.ufunc, Callable[[Any, Any], Any]] = {
    np.add: _add,
    np.subtract: _subtract,
    np.divide: _ratio,
    np.floor_divide: _floor_ratio,
    np.remainder: _remainder,
    np.divmod: lambda a, b: (_floor_ratio(a, b), _remainder(a, b)),
    # NaT is the smallest count, and no time is less than it, or equal to it.
    np.equal: lambda a, b: np.logical_and(a == b, _not_nat(a)),
    np.not_equal: lambda a, b: np.logical_or(a != b, is_nat(a)),
    np.less: lambda a, b: np.logical_and(a < b, _not_nat(a)),
    np.less_equal: lambda a, b: np.logical_and(a <= b, _not_nat(a)),
    np.greater: lambda a, b: np.logical_and(a > b, _not_nat(b)),
    np.greater_equal: lambda a, b: np.logical_and(a >= b, _not_nat(b)),
    np.maximum: _maximum,
    np.minimum: np.minimum,
    np.fmax: np.maximum,
    np.fmin: _fmin,
}
"""What ufuncs compute of two counts."""

_OF_TIME_AND_NUMBER: dict[np.ufunc, Callable[[Any, Any], Any]] = {
    np.multiply: _multiply,
    np.divide: _divide,
    np.floor_divide: _divide,
}
"""What ufuncs compute of a count and a number."""

_OF_ONE: dict[np.ufunc, Callable[[Any], Any]] = {
    np.negative: lambda a: -a,  # which is NaT again, as are the next two
    np.positive: lambda a: +a,
    np.absolute: np.absolute,
    np.sign: np.sign,
    np.isnat: is_nat,
    np.isnan: is_nat,
    np.isfinite: _not_nat,
    np.isinf: lambda a: np.logical_and(is_nat(a), False),
}


def call(ufunc: np.ufunc, inputs: Sequence[Any], out: Any = None) -> Any:
    """What a ufunc gives of operands of which some are dates or durations; NumPy's `TypeError` where it has no loop."""
    operands = [as_times(value) for value in inputs]
    loop = ufunc.resolve_dtypes((*map(_kind_of, operands), *(None,) * ufunc.nout))
    given = [_in_loop(operand, dtype) for operand, dtype in zip(operands, loop, strict=False)]
    kinds = "".join(dtype.kind for dtype in loop[: ufunc.nin])
    if len(given) == 1:
        compute: Any = _OF_ONE.get(ufunc)
    elif all(kind in "mM" for kind in kinds):
        compute = _OF_TWO_TIMES.get(ufunc)
    else:
        compute = _OF_TIME_AND_NUMBER.get(ufunc)
        given = given if kinds[0] in "mM" else given[::-1]
    if compute is None:
        raise UnsupportedError(f"np.{ufunc.__name__} of dates or durations is not compiled")
    made = compute(*given)
    results = [
        TracedTimes(dtype, (one,)) if dtype.kind in "mM" else one
        for one, dtype in zip(made if ufunc.nout > 1 else (made,), loop[ufunc.nin :], strict=True)
    ]
    targets = out if isinstance(out, tuple) else (out,) * ufunc.nout
    results = [
        result if target is None else write_times(target, result)
        for result, target in zip(results, targets, strict=True)
    ]
    return tuple(results) if ufunc.nout > 1 else results[0]


def _kind_of(operand: Any) -> Any:
    """The dtype of an operand, or the class of a number of Python's."""
    number = getattr(operand, "_python_type", None) or type(operand)
    if number in (int, float, complex):
        return number
    return operand.dtype if hasattr(operand, "dtype") else np.asarray(operand).dtype


def _in_loop(operand: Any, dtype: np.dtype[Any]) -> Any:
    """An operand as the loop takes it."""
    if isinstance(operand, TracedTimes):
        return convert(operand.ticks, operand.dtype, dtype)
    if dtype.kind in "mM":
        return as_ticks(operand)
    return cast(operand if isinstance(operand, TracedArray) else np.asarray(operand)[()], dtype)

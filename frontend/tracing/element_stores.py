"""Numbers that become elements of an array: which of them have to fit, and which are cast whatever they are.

NumPy casts arrays, those of rank 0 too, as `astype` does: what does not fit wraps around. Python's numbers become
integers as `int` makes them, and raise `OverflowError` or `ValueError` where they do not fit; so do NumPy's scalars
that are stored one by one into elements of a signed dtype.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ...dialect.dtypes import kind
from ...dialect.errors import WeftValueError
from ...dialect.ops.complex_parts import Real
from ..signature.traced_value import TracedItems
from .array import TracedArray
from .extents import is_extent
from .number_types import number_type
from .staging import ArrayLike, ArrayResult, apply, asarray, cast, raise_if, trace_of, type_of_operand

_INT64, _UINT64, _FLOAT64 = np.dtype(np.int64), np.dtype(np.uint64), np.dtype(np.float64)
Refuse: TypeAlias = Callable[..., None]
"""What raises where a condition holds: of the arguments of `raise_if`."""

_PYTHON_TYPES: dict[str, Any] = {"i": int, "u": int, "f": float}
_AMBIGUOUS = "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
_EMPTY = "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty."
_INT64_MAX = np.iinfo(np.int64).max
_TOO_LARGE = "Python int too large to convert to C long"
_TOO_LARGE_UNSIGNED = (
    "a number of dtype uint64 is too large for an int, which has 64 bits and a sign in compiled code; leave it what it "
    "is (x[0] % np.uint64(10)), and convert outside"
)


def cast_elements(value: ArrayLike, dtype: np.dtype[Any]) -> ArrayResult:
    """The value as elements of a dtype, as `np.asarray(value, dtype)` converts it; numbers in lists, as `cast_element`.

    Shape: that of the value. Raises `OverflowError`, `ValueError` (NaN) or `TypeError` (complex), now or when the
    program runs, for a Python number that the dtype does not hold.
    """
    if isinstance(value, (list, tuple, TracedItems)):
        return _cast_list(value, dtype)
    return _cast_number(value, dtype, False)


def cast_element(value: ArrayLike, dtype: np.dtype[Any], refuse: Refuse = raise_if) -> ArrayResult:
    """The value as what `array[index] = value` stores, for an index without index arrays; see `cast_elements`.

    `refuse` records what is raised where a number does not fit, as `raise_if` does.
    """
    if isinstance(value, (list, tuple, TracedItems)):
        return _cast_list(value, dtype)
    return _cast_number(value, dtype, True, refuse)


def cast_flat_item(value: ArrayLike, dtype: np.dtype[Any]) -> ArrayResult:
    """The value as what `array.flat[place] = value` stores: raises one `ValueError` for all that does not fit."""
    message = "Error setting single item of array."
    try:
        require_single(value, dtype)
        return cast_element(value, dtype, lambda condition, *_: raise_if(condition, "ValueError", message))
    except (OverflowError, TypeError, ValueError):
        raise WeftValueError(message) from None


def require_single(value: ArrayLike, dtype: np.dtype[Any]) -> None:
    """Raise what this NumPy raises where an array or list is stored as one element (some take those of one)."""
    is_list = isinstance(value, (list, tuple, TracedItems))
    if not is_list and (not isinstance(value, (TracedArray, np.ndarray)) or value.ndim == 0):
        return
    shape = type_of_operand(asarray(value)).shape
    example: Any = np.ones([1 if extent is None else extent for extent in shape], dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.empty((), dtype)[()] = example.tolist() if is_list else example


def only_element(array: TracedArray) -> TracedArray:
    """The element of an array of one; other sizes have no truth, as in NumPy."""
    shape = array.type.shape
    if None in shape:
        size = array.size
        raise_if(np.greater(size, 1), "ValueError", _AMBIGUOUS)
        raise_if(np.equal(size, 0), "ValueError", _EMPTY)
    elif any(extent != 1 for extent in shape):
        raise ValueError(_EMPTY if 0 in shape else _AMBIGUOUS)
    element: TracedArray = array[(0,) * array.ndim]
    return element


def cast_unchecked(value: ArrayLike, dtype: np.dtype[Any]) -> ArrayResult:
    """The value as `np.copyto(..., casting="unsafe")` writes it: of Python's numbers, only ints have to fit."""
    if isinstance(value, TracedArray) and number_type(value) is int and kind(dtype) in "iu":
        require_in_range(value, dtype)
    return cast(value, dtype)


def _cast_list(values: Any, dtype: np.dtype[Any]) -> ArrayResult:
    if isinstance(values, TracedItems):
        return cast_element(values.stacked(), dtype)
    if trace_of(values) is None:
        return np.asarray(values, dtype)
    return asarray([cast_element(value, dtype) for value in values])


def _cast_number(
    value: ArrayLike, dtype: np.dtype[Any], is_single: bool, refuse: Refuse = raise_if
) -> ArrayResult:
    is_python = number_type(value) is not None
    if not isinstance(value, TracedArray):
        if not is_python and not isinstance(value, np.generic):
            return cast(value, dtype)
        stored = np.empty((), dtype)
        stored[()] = value if is_python or is_single else np.asarray(value)
        return stored[()]
    is_scalar = is_single and value._is_scalar and kind(dtype) == "i"
    if not (is_python or is_scalar) or value.dtype == dtype:
        return cast(value, dtype)
    if kind(value.dtype) == "c" and kind(dtype) in "iuf":
        if is_python:
            _PYTHON_TYPES[kind(dtype)](0j)  # raises
        value = apply(Real, value)
    return cast(_as_integer(value, dtype, refuse) if kind(dtype) in "iu" else value, dtype)


def _as_integer(number: Any, dtype: np.dtype[Any], refuse: Refuse) -> ArrayResult:
    """A number as the integer that `int` makes of it, which has to fit into the dtype."""
    if kind(number.dtype) == "f":
        number = whole_number(number, _TOO_LARGE, dtype, refuse)
    elif number.dtype == _UINT64 and dtype != _UINT64:
        refuse(np.greater(number, _INT64_MAX), "OverflowError", _TOO_LARGE)
        number = cast(number, _INT64)
    require_in_range(number, dtype, refuse)
    return number


def whole_number(
    number: Any, too_large: str, dtype: np.dtype[Any] = _INT64, refuse: Refuse = raise_if
) -> TracedArray:
    """A traced float as `int` makes it, in 64 bits: unsigned ones for a dtype of unsigned integers.

    Raises `ValueError` for NaN and `OverflowError` for infinity, and with the message `too_large` for what 64 bits do
    not hold, when the program runs.
    """
    is_unsigned = dtype == _UINT64
    limits = np.iinfo(np.uint64 if is_unsigned else np.int64)
    nan, infinite = np.isnan(number), np.isinf(number)
    outside: Any = None
    if np.finfo(number.dtype).max > limits.max:  # one question, which `cast` asks, too, where all is well
        wide: Any = cast(number, _FLOAT64)
        is_least: Any = np.greater(wide, -1.0) if is_unsigned else np.greater_equal(wide, float(limits.min))
        outside = np.logical_not(np.logical_and(is_least, np.less(wide, float(limits.max))))
        nan, infinite = np.logical_and(outside, nan), np.logical_and(outside, infinite)
    refuse(nan, "ValueError", "cannot convert float NaN to integer")
    refuse(infinite, "OverflowError", "cannot convert float infinity to integer")
    if outside is not None:
        refuse(outside, "OverflowError", too_large)
    whole: TracedArray = cast(number, _UINT64 if is_unsigned else _INT64)
    return whole


def signed_number(number: Any) -> TracedArray:
    """A traced bool or integer in 64 bits; `OverflowError`, when the program runs, for what these do not hold."""
    if number.dtype == _UINT64:
        raise_if(np.greater(number, _INT64_MAX), "OverflowError", _TOO_LARGE_UNSIGNED)
    signed: TracedArray = cast(number, _INT64)
    return signed


def bounded_index(index: Any) -> TracedArray:
    """A traced index in 64 bits: one number beyond them is beyond all ends; arrays wrap around, as in NumPy."""
    if index.dtype == _UINT64 and not index.ndim:
        index = np.minimum(index, np.uint64(_INT64_MAX))
    bounded: TracedArray = cast(index, _INT64)
    return bounded


def require_index(index: Any) -> None:
    """Raise `OverflowError`, when the program runs, for a number that no index can be."""
    if index.dtype == _UINT64 and not index.ndim:
        raise_if(np.greater(index, _INT64_MAX), "OverflowError", _TOO_LARGE)


def require_in_range(number: Any, dtype: np.dtype[Any], refuse: Refuse = raise_if) -> None:
    """Raise `OverflowError` when the program runs, as NumPy does for a Python int, for an integer that does not fit."""
    if np.can_cast(number.dtype, dtype, "safe"):
        return
    limits = np.iinfo(dtype)
    outside: Any = None
    if limits.bits < 64:
        outside = np.logical_or(np.less(number, limits.min), np.greater(number, limits.max))
    elif kind(dtype) == "u" and not is_extent(number):
        outside = np.less(number, 0)
    if outside is not None:
        refuse(outside, "OverflowError", f"Python integer {{0}} out of bounds for {dtype.name}", number)

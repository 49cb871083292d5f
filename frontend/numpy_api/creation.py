"""Functions that make arrays: traced ones while a function is recorded, so that traced values can be written there."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ...backend.gpu.devices.on_device import OnDevice
from ...dialect.dtypes import DTypeLike, as_dtype, kind
from ...dialect.errors import WeftValueError
from ...dialect.ops.creation import Arange
from ...dialect.ops.shape import BroadcastTo
from ..tracing.array import TracedArray
from ..tracing.element_stores import cast_elements, cast_unchecked
from ..tracing.extents import Extent, extent_scalar, is_extent, split_shape
from ..tracing.layouts import order_letter
from ..tracing.staging import (
    ArrayLike,
    ArrayResult,
    cast,
    emit,
    is_traced,
    raise_where,
    rank_0_array,
    recording,
    staged,
)
from ..tracing.staging import asarray as array_of
from .arguments import FLOAT64, INT64, common_dtype, optional_dtype, require_castable, require_device
from .arrays_on_gpus import array_on_gpu, full_on_gpu, is_on_gpu, makes_arrays, takes_device_of_first
from .documentation import Family, member
from .memory_order import in_order, is_column_major, ordered
from .selection import as_weak_operand, choose
from .shape import expand_dims, moveaxis, reshape

_numpy: Any = np
"""NumPy, for calls with arguments that the overloads of its stubs do not foresee."""

# Filled arrays


def full(
    shape: Any,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    order: str = "C",
    *,
    device: Any = None,
    like: Any = None,
) -> ArrayResult:
    """A new array of a shape, filled with a value, as `numpy.full`.

    Shape: `shape`, to which `fill_value` broadcasts; extents may be traced. Dtype: `dtype`, or that of the value.
    Raises `ValueError` for negative extents, a value that does not broadcast, and for devices that there are not.

    >>> weft.full((2, 2), 7)
    array([[7, 7],
           [7, 7]])
    """
    if is_on_gpu(device):
        given = np.asarray(fill_value) if isinstance(fill_value, OnDevice) else fill_value
        return full_on_gpu(shape, full(np.shape(given), given, dtype), device)
    require_device(device)
    value = as_weak_operand(fill_value)
    wanted = optional_dtype(dtype) or array_of(value).dtype
    extents = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    trace = recording(*extents, value)
    if trace is None:
        return np.full(shape, fill_value, wanted, order)  # type: ignore[call-overload]
    attribute, dims = split_shape(shape)
    if any(extent < 0 for extent in attribute if not dims):
        raise WeftValueError("negative dimensions are not allowed")
    filled: TracedArray = emit(
        trace, BroadcastTo, (cast_unchecked(value, wanted), *dims), {"shape": attribute}
    )
    return ordered(filled, "F" if is_column_major(order) else "C")._as_array()


def _filled(value: int) -> Family:
    def function(
        shape: Any, dtype: DTypeLike | None = None, order: str = "C", *, device: Any = None, like: Any = None
    ) -> ArrayResult:
        """Shape: `shape`, extents of which may be traced. Dtype: `dtype`, or float64.
        Raises `ValueError` for negative extents and for devices that there are not.
        """
        return full(shape, np.array(value, optional_dtype(dtype) or FLOAT64), None, order, device=device)

    return member(function)


@_filled(0)
def zeros() -> None:
    """A new array of zeros, as `numpy.zeros`.

    >>> weft.zeros((2, 2))
    array([[0., 0.],
           [0., 0.]])
    """


@_filled(1)
def ones() -> None:
    """A new array of ones, as `numpy.ones`.

    >>> weft.ones(3, weft.int32)
    array([1, 1, 1], dtype=int32)
    """


@_filled(0)
def empty() -> None:
    """A new array to write to, as `numpy.empty`; it holds zeros, so that programs behave the same each time.

    >>> weft.empty(2)
    array([0., 0.])
    """


@takes_device_of_first
def full_like(
    a: ArrayLike,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> ArrayResult:
    """A new filled array in the shape and dtype of another, as `numpy.full_like`.

    Shape: `shape`, or that of a. Dtype: `dtype`, or that of a. Raises what `full` raises.

    >>> weft.full_like(np.array([1.5, 2.5]), 7)
    array([7., 7.])
    """
    x = array_of(a)
    made = full(
        x.shape if shape is None else shape, fill_value, optional_dtype(dtype) or x.dtype, device=device
    )
    return ordered(made, order or "K", x)


def _filled_like(value: int) -> Family:
    @takes_device_of_first
    def function(
        a: ArrayLike,
        dtype: DTypeLike | None = None,
        order: str = "K",
        subok: bool = True,
        shape: Any = None,
        *,
        device: Any = None,
    ) -> ArrayResult:
        """Shape: `shape`, or that of a. Dtype: `dtype`, or that of a. Raises what `full` raises."""
        return full_like(a, value, dtype, order, subok, shape, device=device)

    return member(function)


@_filled_like(0)
def zeros_like() -> None:
    """A new array of zeros in the shape and dtype of another, as `numpy.zeros_like`.

    >>> weft.zeros_like(np.array([1, 2]))
    array([0, 0])
    """


@_filled_like(1)
def ones_like() -> None:
    """A new array of ones in the shape and dtype of another, as `numpy.ones_like`.

    >>> weft.ones_like(np.array([1, 2]))
    array([1, 1])
    """


@takes_device_of_first
def empty_like(
    prototype: ArrayLike,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> ArrayResult:
    """A new array to write to in the shape and dtype of another, as `numpy.empty_like`; it holds zeros.

    Shape: `shape`, or that of the prototype. Dtype: `dtype`, or that of the prototype. Raises what `full` raises.

    >>> weft.empty_like(np.array([1, 2]))
    array([0, 0])
    """
    return full_like(prototype, 0, dtype, order, subok, shape, device=device)


# Conversion

_COPY_MODES: dict[Any, bool | None] = {
    np._CopyMode.ALWAYS: True,
    np._CopyMode.IF_NEEDED: None,
    np._CopyMode.NEVER: False,
}
"""What libraries pass as `copy`, in the words of the Array API."""


@makes_arrays
def asarray(
    a: ArrayLike,
    dtype: DTypeLike | None = None,
    order: Any = None,
    *,
    device: Any = None,
    copy: bool | None = None,
    like: Any = None,
) -> ArrayResult:
    """An array of what NumPy would take as one, as `numpy.asarray`; `copy` as in the Array API.

    Shape: that of the argument, or of nested lists. Dtype: `dtype`, or the one NumPy gives. While a function is
    recorded, lists become arrays of its own; a NumPy array stays what it is unless it is copied. What lies on a GPU
    stays there, unless `device` is "cpu". Raises `ValueError` when `copy=False` and a copy is needed, `TypeError` for
    dtypes that weft does not have.

    >>> weft.asarray([1, 2], dtype=weft.float32)
    array([1., 2.], dtype=float32)
    """
    require_device(device)
    copy = _COPY_MODES.get(copy, copy)
    if isinstance(a, np.ndarray) and not copy:
        if copy is False and dtype is not None and as_dtype(dtype) != a.dtype:
            raise WeftValueError("Unable to avoid copy while creating an array as requested.")
        return array_of(a, dtype) if order_letter(order) in (None, "K") else np.asarray(a, dtype, order)
    if is_traced(a):
        converted = rank_0_array(a if dtype is None else cast_elements(a, as_dtype(dtype)))
        if converted is a:
            return a.copy(order or "K") if copy else in_order(a, order, copy)
        if copy is False:
            raise WeftValueError("Unable to avoid copy while creating an array as requested.")
        return ordered(converted, order or "K", a)
    if device is None and (there := array_on_gpu(a, dtype, copy)) is not None:
        return there
    if copy is False:
        raise WeftValueError("Unable to avoid copy while creating an array as requested.")
    trace = recording(a)
    if trace is None and isinstance(a, OnDevice):
        a = np.asarray(a)  # the copy to the host that `device` asks for
    value = array_of(a if dtype is None else cast_elements(a, as_dtype(dtype)), dtype)
    if trace is None:
        return np.array(value)
    return staged(trace, value) if is_traced(value) else _copied_constant(trace, value)


def _copied_constant(trace: Any, value: Any) -> ArrayResult:
    """A traced array of its own that starts as the elements of a NumPy array."""
    captured = staged(trace, value)
    copied: TracedArray = emit(trace, BroadcastTo, (captured,), {"shape": tuple(value.shape)})
    return copied._as_array()


def array(
    object: ArrayLike,
    dtype: DTypeLike | None = None,
    *,
    copy: bool | None = True,
    order: str = "K",
    subok: bool = False,
    ndmin: int = 0,
    like: Any = None,
) -> ArrayResult:
    """A new array of what NumPy would take as one, as `numpy.array`.

    Shape: that of the argument, with axes of extent 1 in front up to `ndmin`. Dtype: `dtype`, or the one NumPy gives.
    Raises what `asarray` raises.

    >>> weft.array([1, 2], ndmin=2)
    array([[1, 2]])
    """
    made = asarray(object, dtype, order, copy=copy)
    if made.ndim < ndmin:
        made = expand_dims(made, tuple(range(ndmin - made.ndim)))
    return made


def copy(a: ArrayLike, order: str = "K", subok: bool = False) -> ArrayResult:
    """A copy of an array, as `numpy.copy`.

    Shape and dtype: those of a. Raises `TypeError` for dtypes that weft does not have.

    >>> weft.copy(np.array([1, 2]))
    array([1, 2])
    """
    return rank_0_array(array_of(a).copy(order or "K"))


@makes_arrays
def astype(
    x: ArrayLike,
    dtype: DTypeLike,
    /,
    order: str = "K",
    casting: str = "unsafe",
    *,
    copy: bool = True,
    device: Any = None,
) -> ArrayResult:
    """The array in another dtype, as `numpy.astype`; a copy unless `copy` is false and nothing changes.

    Shape: that of x. Dtype: `dtype`. Raises `TypeError` for a dtype that the rule `casting` does not allow.

    >>> weft.astype(np.array([1.5, -1.5]), weft.int32)
    array([ 1, -1], dtype=int32)
    """
    require_device(device)
    source, wanted = array_of(x), as_dtype(dtype)
    require_castable(source.dtype, wanted, casting)
    if source.dtype == wanted:
        return source.copy(order or "K") if copy else in_order(source, order)
    converted = ordered(array_of(cast(source, wanted)), order or "K", source)
    return converted if isinstance(source, TracedArray) and source._is_scalar else rank_0_array(converted)


@makes_arrays
def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> ArrayResult:
    """A NumPy array that shares memory with an object of the DLPack protocol, as `numpy.from_dlpack`.

    What lies on a GPU becomes a `weft.DeviceArray` that shares its memory. Shape and dtype: those of x. Raises
    `ValueError` for devices other than "cpu", `BufferError` where memory cannot be shared.

    >>> weft.from_dlpack(np.array([1, 2]))
    array([1, 2])
    """
    require_device(device)
    if is_traced(x):
        return x.copy() if copy else x
    if device is None and (there := array_on_gpu(x, None, copy)) is not None:
        return there
    return np.from_dlpack(x, device=device, copy=copy)


# Ranges


@makes_arrays
def arange(
    start: Any,
    stop: Any = None,
    step: Any = 1,
    dtype: DTypeLike | None = None,
    *,
    device: Any = None,
    like: Any = None,
) -> ArrayResult:
    """Evenly spaced numbers from start up to but not including stop, as `numpy.arange`.

    Shape: (ceil((stop - start) / step),). Dtype: `dtype`, or that of the bounds. Bounds and step may be traced.
    Raises `ZeroDivisionError` for a step of 0, and `ValueError` where there is no such length.

    >>> weft.arange(2, 9, 3)
    array([2, 5, 8])
    """
    require_device(device)
    if any(isinstance(bound, _CALENDAR) for bound in (start, stop)):
        return _numpy.arange(*(bound for bound in (start, stop) if bound is not None), step=step, dtype=dtype)
    bounds: tuple[Any, Any] = (0, start) if stop is None else (start, stop)
    first, end = bounds
    trace = recording(first, end, step)
    wanted = optional_dtype(dtype)
    if trace is None:
        return _numpy.arange(first, end, step, wanted)
    step = 1 if step is None else step
    if not any(is_traced(bound) for bound in (first, end, step)):
        if step == 0:
            raise ZeroDivisionError("division by zero")
        result_dtype = wanted or _dtype_of_range(start, stop, step)
        known = max(math.ceil((end - first) / step), 0)
        if kind(result_dtype) not in "iuf" or (kind(result_dtype) in "iu" and not _are_integers(first, step)):
            return _copied_constant(trace, _numpy.arange(first, end, step, wanted))
        return _range(trace, first, step, known, result_dtype)
    dtypes = [b.dtype if hasattr(b, "dtype") else np.dtype(type(b)) for b in (first, end, step)]
    if any(d.kind not in "iub" for d in dtypes) or not isinstance(step, int):
        return _range_of_any(trace, first, end, step, wanted)
    first, end = (
        bound.astype(np.int64) if is_traced(bound) and bound.dtype != INT64 else bound
        for bound in (first, end)
    )
    starts_at_zero = isinstance(first, int) and first == 0 and step == 1
    length = end if starts_at_zero and is_extent(end) else np.maximum(-((end - first) // -step), 0)
    plain = FLOAT64 if any(d == np.uint64 for d in dtypes) else INT64
    return _range(trace, first, step, length, wanted or plain)


_CALENDAR = (str, bytes, np.datetime64, np.timedelta64)
"""What dates and durations are made of, whose ranges are constants."""


def _dtype_of_range(start: Any, stop: Any, step: Any) -> np.dtype[Any]:
    """The dtype that NumPy gives a range with these bounds, of which stop may be missing."""
    nothing = [type(bound)(0) for bound in (start, stop) if bound is not None]
    found: np.dtype[Any] = _numpy.arange(*nothing, step=type(step)(1)).dtype
    return found


def _range_of_any(trace: Any, first: Any, end: Any, step: Any, wanted: np.dtype[Any] | None) -> TracedArray:
    """A range with a step or with bounds that are no integers, some of which are known at run time."""
    low, high, by = (b.dtype.type(0) if is_traced(b) else b for b in (first, end, step))
    dtype = wanted or _dtype_of_range(low, high, by)
    raise_where(step == 0, ZeroDivisionError, "division by zero")
    count = np.ceil((end - first) / step)
    raise_where(np.isnan(count), WeftValueError, "arange: cannot compute length")
    raise_where(count >= 2.0**63, WeftValueError, "Maximum allowed size exceeded")
    length = cast(np.maximum(count, 0), INT64)
    number = cast(first, dtype)
    return _range(trace, staged(trace, number), cast(first + step, dtype) - number, length, dtype)


def _are_integers(*values: Any) -> bool:
    return all(isinstance(value, (int, np.integer)) for value in values)


def _range(trace: Any, start: Any, step: Any, length: Extent, dtype: np.dtype[Any]) -> TracedArray:
    if kind(dtype) == "f" and not is_traced(start):
        number = cast(start, dtype)
        step = cast(start + step, dtype) - number  # what NumPy takes for the distance of all numbers
    bounds = [array_of(cast(value, dtype)) for value in (start, step)]
    is_known = not isinstance(length, TracedArray)
    dims = [] if is_known else [extent_scalar(length)]
    made: TracedArray = emit(trace, Arange, (*bounds, *dims), {"shape": (int(length) if is_known else -1,)})
    return made


@makes_arrays
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    /,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> ArrayResult:
    """Evenly spaced numbers between two bounds, as `numpy.linspace`.

    Shape: `num` as a new axis at `axis` of the common shape of the bounds, which may be traced. Dtype: `dtype`, or a
    floating-point one. Raises `ValueError` for a negative `num`.

    >>> weft.linspace(0, 1, 5)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    require_device(device)
    if is_traced(num):
        return _linspace_of_any(start, stop, num, endpoint, retstep, optional_dtype(dtype), axis)
    count = operator.index(num)
    if count < 0:
        raise WeftValueError(f"Number of samples, {count}, must be non-negative.")
    if not any(is_traced(bound) for bound in (start, stop)):
        made = _numpy.linspace(start, stop, count, endpoint, retstep, optional_dtype(dtype), axis)
        trace = recording()
        return made if trace is None or retstep else _copied_constant(trace, made)
    computed = common_dtype(as_weak_operand(start), as_weak_operand(stop), float(count))
    wanted = optional_dtype(dtype) or computed
    first, last = (array_of(cast(bound, computed)) for bound in (array_of(start), array_of(stop)))
    difference = last - first
    divisions = count - 1 if endpoint else count
    places = reshape(arange(count, dtype=computed), (count, *(1,) * difference.ndim))
    step = difference / divisions if divisions > 0 else np.nan
    if divisions > 0:
        numbers = choose(_any_zero(step), places / divisions * difference, places * step) + first
    else:
        numbers = places * difference + first
    if endpoint and count > 1:
        numbers[-1, ...] = last
    numbers = _as_asked(numbers, wanted, axis)
    return (numbers, step) if retstep else numbers


def _linspace_of_any(
    start: Any, stop: Any, count: Any, endpoint: bool, retstep: bool, dtype: np.dtype[Any] | None, axis: int
) -> ArrayResult:
    """`linspace` of a number of places that is known at run time."""
    raise_where(count < 0, WeftValueError, "Number of samples, {0}, must be non-negative.", count)
    computed = common_dtype(as_weak_operand(start), as_weak_operand(stop), 1.0)
    first, last = (array_of(cast(bound, computed)) for bound in (array_of(start), array_of(stop)))
    difference = last - first
    divisions = count - 1 if endpoint else count
    column = (count, *(1,) * difference.ndim)
    places = reshape(arange(count, dtype=computed), column)
    divisor = cast(np.maximum(divisions, 1), computed)
    quotient = difference / divisor
    numbers = choose(_any_zero(quotient), places / divisor * difference, places * quotient) + first
    if endpoint:
        is_last = np.logical_and(reshape(arange(count), column) == count - 1, count > 1)
        numbers = choose(is_last, last, numbers)
    numbers = _as_asked(numbers, dtype or computed, axis)
    return (numbers, choose(divisions > 0, quotient, np.nan)) if retstep else numbers


def _any_zero(step: Any) -> Any:
    """Whether steps are too small for a number, one at least: NumPy then computes all numbers without them."""
    return np.any(step == 0)


def _as_asked(numbers: ArrayResult, dtype: np.dtype[Any], axis: int) -> ArrayResult:
    """Numbers along the first axis in a dtype, along another axis."""
    numbers = cast(np.floor(numbers) if kind(dtype) in "iu" else numbers, dtype)
    return moveaxis(numbers, 0, axis) if axis != 0 else numbers


def logspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> ArrayResult:
    """Powers of a base with evenly spaced exponents, as `numpy.logspace`.

    Shape and dtype: those of `linspace`. Raises what `linspace` raises.

    >>> weft.logspace(0, 2, 3)
    array([  1.,  10., 100.])
    """
    powers = np.power(base, linspace(start, stop, num, endpoint=endpoint, axis=axis))
    return powers if dtype is None else cast(powers, as_dtype(dtype))

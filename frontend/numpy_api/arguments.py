"""What the functions of the namespace share: reading axes and dtypes, making views, writing into `out`."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...backend.gpu.devices.names import CPU, device_number
from ...backend.gpu.devices.on_device import OnDevice
from ...dialect.dtypes import DTypeLike, as_dtype, element_type, kind
from ...dialect.errors import AxisError, UnsupportedError, WeftTypeError, WeftValueError
from ...dialect.ops.shape import BroadcastTo
from ...dialect.types import compatible_shapes, format_shape, normalize_axis
from ..signature.traced_value import CompositeValue
from ..tracing.array import TracedArray
from ..tracing.extents import known_shape, split_shape
from ..tracing.staging import ArrayLike, ArrayResult, asarray, cast, emit, staged, trace_of
from ..tracing.stretching import broadcast_together

NO_VALUE: Any = np._NoValue
"""What NumPy puts for keyword arguments that were not given."""

INT64, UINT64 = np.dtype(np.int64), np.dtype(np.uint64)
FLOAT64 = np.dtype(np.float64)
BOOL = np.dtype(np.bool_)


def given(value: Any) -> bool:
    """Whether an optional argument says something."""
    return value is not NO_VALUE and value is not None


def axis_index(axis: Any, rank: int, argument: str | None = None) -> int:
    """One axis counted from the front, or `AxisError` that names the argument if that is not `axis`."""
    place = operator.index(axis)
    if argument is not None and not -rank <= place < rank:
        raise AxisError(place, rank, argument)
    return normalize_axis(place, rank)


def flat_or_axis(a: ArrayLike, axis: Any) -> tuple[ArrayResult, int]:
    """An array and one of its axes counted from the front; the flattened array and its axis where there is none."""
    x = asarray(a)
    return (x.reshape(-1), 0) if axis is None else (x, axis_index(axis, x.ndim))


def axis_tuple(axis: Any, rank: int, argument: str | None = None) -> tuple[int, ...]:
    """The axes that an `axis` argument means, counted from the front, in the order given; None means all."""
    if axis is None:
        return tuple(range(rank))
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    axes = tuple(axis_index(entry, rank, argument) for entry in given)
    if len(set(axes)) != len(axes):
        raise WeftValueError(
            f"repeated axis in `{argument}` argument" if argument else "duplicate value in 'axis'"
        )
    return axes


def extent_number(extent: Any) -> int:
    """An extent that is known, as an int; bools are none."""
    if isinstance(extent, (bool, np.bool_)):
        raise WeftTypeError(f"an extent of a shape is an integer, not {extent!r}")
    return operator.index(extent)


def reduced_axes(axis: Any, rank: int) -> tuple[int, ...]:
    """The axes to reduce, which no bools say; of an array of rank 0, NumPy takes 0 and -1 for none."""
    for entry in axis if isinstance(axis, (tuple, list)) else (axis,):
        if isinstance(entry, (bool, np.bool_)):
            raise WeftTypeError(f"an axis is an integer, not {entry!r}")
    return () if rank == 0 and axis in (0, -1, (0,), (-1,)) else axis_tuple(axis, rank)


def along(axis: int, entry: Any) -> tuple[Any, ...]:
    """The index that is an entry for one axis and takes all of the axes before it."""
    return (*(slice(None),) * axis, entry)


def optional_dtype(dtype: DTypeLike | None) -> np.dtype[Any] | None:
    """The dtype that a `dtype` argument means, or None."""
    return None if dtype is None else as_dtype(dtype)


def dtype_with_out(dtype: np.dtype[Any], out: Any) -> np.dtype[Any] | None:
    """The dtype in which NumPy reduces elements of one dtype into `out`: the common one; None without `out`."""
    target = output_of(out)
    return None if target is None else common_dtype(dtype, element_type(target.dtype).dtype)


def accumulator_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in which NumPy adds and multiplies: integers and booleans become 64-bit."""
    if kind(dtype) in "bi":
        return INT64
    return UINT64 if kind(dtype) == "u" else dtype


def cast_error(source: np.dtype[Any], wanted: np.dtype[Any], casting: str = "safe") -> WeftTypeError:
    """NumPy's error for elements that a casting rule does not let into a dtype."""
    return WeftTypeError(
        f"Cannot cast array data from {source!r} to {wanted!r} according to the rule '{casting}'"
    )


def require_castable(source: np.dtype[Any], wanted: np.dtype[Any], casting: str) -> None:
    """Raise NumPy's error unless a casting rule allows to cast from one dtype to another."""
    if not np.can_cast(source, wanted, casting):  # type: ignore[arg-type]
        raise cast_error(source, wanted, casting)


def as_mask(where: ArrayLike) -> ArrayResult:
    """A `where` argument as an array of booleans."""
    mask = asarray(where)
    require_castable(mask.dtype, BOOL, "safe")
    return mask


@contextmanager
def numpy_errors() -> Iterator[None]:
    """NumPy's errors about axes and values as those of weft."""
    try:
        yield
    except np.exceptions.AxisError as error:
        argument = str(error).rpartition(": axis")[0]
        raise AxisError(error.axis, error.ndim, argument or None) from None  # type: ignore[arg-type]
    except ValueError as error:
        raise WeftValueError(str(error)) from None


def is_inexact(dtype: np.dtype[Any]) -> bool:
    """Whether a dtype is floating-point or complex."""
    return kind(dtype) in "fc"


def as_inexact(x: ArrayResult) -> ArrayResult:
    """The array in float64 where it holds integers or booleans."""
    return x if is_inexact(x.dtype) else cast(x, FLOAT64)


def promoted(*arrays: ArrayLike) -> list[ArrayResult]:
    """The arrays in the dtype that NumPy's promotion gives them together; Python scalars are weak."""
    entries = [a if isinstance(a, (bool, int, float, complex, TracedArray)) else asarray(a) for a in arrays]
    dtype = common_dtype(*entries)
    return [asarray(cast(entry, dtype)) for entry in entries]


def common_dtype(*entries: Any) -> np.dtype[Any]:
    """NumPy's result dtype of arrays, dtypes and Python scalars, traced ones included."""
    found: np.dtype[Any] = np.result_type(*map(_promotion_entry, entries))
    return element_type(found).dtype


def _promotion_entry(entry: Any) -> Any:
    """What stands for an operand in `numpy.result_type`."""
    if isinstance(entry, TracedArray) and entry._python_type is not None:
        return entry._python_type(0)
    return entry.dtype if hasattr(entry, "dtype") else entry


def require_device(device: Any) -> None:
    """Arrays of compiled code lie where it runs; `WeftValueError` where another device is asked for, or none."""
    if device not in (None, CPU):
        device_number(device)
        raise WeftValueError(
            f"device={device!r} in a compiled function: its arrays lie where the function runs; leave it out, and call "
            f"the function with arrays on that device, or make it with weft.function(device={device!r})"
        )


def deliver(result: ArrayResult, out: Any, casting: str = "same_kind") -> ArrayResult:
    """Return a result, or write it into `out` and return that."""
    out = output_of(out)
    if out is None:
        return result
    given, needed = known_shape(out), known_shape(result)
    if not compatible_shapes(given, needed):
        raise WeftValueError(
            f"output array has shape {format_shape(given)}, the result has {format_shape(needed)}"
        )
    if not np.can_cast(result.dtype, out.dtype, casting):  # type: ignore[arg-type]
        raise WeftTypeError(
            f"Cannot cast output from {result.dtype!r} to {out.dtype!r} with casting rule '{casting}'"
        )
    return write_into(out, result)


def output_of(out: Any) -> Any:
    """The array that `out` names, which may be a tuple of one; None without."""
    if isinstance(out, tuple):
        if len(out) != 1:
            raise WeftTypeError(f"the output is one array, not a tuple of {len(out)}")
        (out,) = out
    if out is None or out is NO_VALUE or out is Ellipsis:
        return None
    is_array = (
        not out._is_number
        if isinstance(out, TracedArray)
        else isinstance(out, (np.ndarray, OnDevice, CompositeValue))
    )
    if not is_array:
        name = out._class_name if isinstance(out, TracedArray) else type(out).__name__
        name = f"numpy.{name}" if isinstance(out, np.generic) else name
        raise WeftTypeError(f"the output is a {name}: only arrays can be changed in place")
    return out


def write_into(out: Any, result: ArrayResult, what: str = "output array") -> ArrayResult:
    """Replace the elements of an array by a result, which is broadcast and cast to it; returns the array.

    The error says what it is that is read-only.
    """
    if isinstance(out, np.ndarray):
        trace = trace_of((result,))
        if trace is not None and trace.python_state is not None:
            out = trace.python_state.writable(out)
    if not isinstance(out, TracedArray):
        trace = trace_of((result,))
        if trace is not None and trace.is_eager and not trace.is_remembered(result._value()):
            result = trace.elements(result._value())
        elif trace is not None:
            raise UnsupportedError(
                "what is written in place (x += ..., out=x) is a NumPy array, but the new value is known only when the "
                "compiled function runs; make the array with weft (weft.zeros, weft.asarray(x, copy=True)), or pass it "
                "as an argument"
            )
        np.copyto(out, result, casting="unsafe")
        return out
    trace = out._storage.trace
    value = staged(trace, asarray(cast(result, out.dtype)))
    if value.type.shape != out.type.shape or None in out.type.shape:
        (value,) = broadcast_together(trace, (value,), into=out)
        attribute, dims = split_shape(out.shape)
        value = emit(trace, BroadcastTo, (value, *dims), {"shape": attribute})
    out._write(value, what)
    return out

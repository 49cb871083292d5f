"""Random integers, with NumPy's checks of their bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialect.errors import WeftTypeError
from ...dialect.ops.random import RandomIntegers
from ..numpy_api.creation import zeros
from ..tracing.array import TracedArray
from ..tracing.extents import product
from ..tracing.staging import ArrayResult, asarray, cast, raise_where
from .run_time_calls import drawn_by_python
from .sizes import is_nothing, parameters, shape_of_size
from .stream import Source, Stream

INT64 = np.dtype(np.int64)


def integers(stream: Stream, low: Any, high: Any, size: Any, dtype: Any, endpoint: bool) -> ArrayResult:
    """Integers from `low` up to `high`, without it unless it is the `endpoint`; up to `low` where `high` is None."""
    made = whole_integers(stream, "integers", low, high, size, dtype, endpoint)
    if made is None:
        return drawn_by_python(stream, "integers")(low, high, size, dtype, endpoint)
    return made


def whole_integers(
    stream: Source, method: str, low: Any, high: Any, size: Any, dtype: Any, endpoint: bool
) -> ArrayResult | None:
    """As `integers`, where the bounds are whole numbers; None where they are not."""
    if high is None:
        low, high = 0, low
    wanted = np.dtype(dtype)
    if wanted.kind not in "biu":
        raise WeftTypeError(f"Unsupported dtype {wanted!r} for {method}")
    bounds = [_whole(low), _whole(high)]
    if any(bound is None for bound in bounds):
        return None
    if size is not None and is_nothing(size):
        return zeros(shape_of_size(size), wanted)
    first, last = _checked(bounds[0], bounds[1], wanted, endpoint)
    if all(np.ndim(bound) == 0 for bound in bounds):
        shape = (1,) if size is None else shape_of_size(size)
        numbers = _drawn(stream, first, last, shape, wanted)
        return numbers if size is not None else _one(numbers[0], dtype)
    first, last, shape = parameters([_as_array(first), _as_array(last)], size, None)
    return _drawn(stream, first.reshape(-1), last.reshape(-1), shape, wanted)


def below(stream: Source, count: Any, shape: tuple[Any, ...]) -> ArrayResult:
    """int64 numbers from zero up to a count, which is known to be positive."""
    return _drawn(stream, np.int64(0), count - 1, shape, INT64)


def _whole(bound: Any) -> Any:
    """A bound as a Python int, or as int64 numbers; None for one that is neither."""
    if isinstance(bound, TracedArray) or np.ndim(bound):
        array = asarray(bound)
        is_whole = array.dtype.kind in "bi" or (array.dtype.kind == "u" and array.dtype.itemsize < 8)
        return cast(array, INT64) if is_whole else None
    return int(bound)


def _checked(low: Any, high: Any, dtype: np.dtype[Any], endpoint: bool) -> tuple[Any, Any]:
    """The first and the last number; raises unless the dtype holds them, and there is one."""
    limits = (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    if isinstance(low, int) or limits[0] > INT64_LIMITS[0]:
        _require(low < limits[0], f"low is out of bounds for {dtype.name}")
    last = high if endpoint else high - 1
    if isinstance(high, int) or limits[1] < INT64_LIMITS[1]:
        _require(last > limits[1], f"high is out of bounds for {dtype.name}")
    is_empty = low > high if endpoint else low >= high
    is_zero = np.logical_not(np.any(low))
    _require(np.logical_and(np.any(is_empty), is_zero), "high < 0" if endpoint else "high <= 0")
    _require(is_empty, "low > high" if endpoint else "low >= high")
    return low, last


INT64_LIMITS = (int(np.iinfo(INT64).min), int(np.iinfo(INT64).max))


def _require(is_wrong: Any, message: str) -> None:
    raise_where(np.any(is_wrong), ValueError, message)


def _as_array(bound: Any) -> Any:
    """One of several bounds as an array; a Python int may be of any dtype."""
    return np.asarray(bound) if isinstance(bound, int) else bound


def _drawn(stream: Source, first: Any, last: Any, shape: Any, dtype: np.dtype[Any]) -> ArrayResult:
    bounds = tuple(np.asarray(b, dtype) if isinstance(b, int) else cast(b, dtype) for b in (first, last))
    numbers = stream.draw(RandomIntegers, bounds, (product(shape),))
    return numbers if len(shape) == 1 else numbers.reshape(shape)


def _one(number: Any, dtype: Any) -> ArrayResult:
    """One number: of Python's type if that was asked for."""
    return (
        cast(number, INT64)._like_python(int)
        if dtype is int
        else (number._like_python(bool) if dtype is bool else number)
    )

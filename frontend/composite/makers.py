"""NumPy's functions that make arrays, of dates and records: what they make can be written to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...dialect.errors import UnsupportedError
from ..signature.composite_arrays import holds_composite, is_composite_value, parts_of_array
from ..signature.traced_value import CompositeValue
from ..tracing.array import wrap
from ..tracing.behaviour import behaviour
from ..tracing.current import current_trace
from ..tracing.staging import trace_of, value_of
from .times import TracedTimes, ticks_for
from .units import INT64, require_no_clock

NAMES = frozenset({"array", "asarray", "asanyarray", "ascontiguousarray", "empty", "full", "ones", "zeros"})
"""The functions that are compiled with arguments which are known at run time only."""


def is_known(given: tuple[Any, ...]) -> bool:
    """Whether arguments are known while tracing."""
    return trace_of(given) is None and not _holds_traced(given)


def made_of_known(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a function makes of arguments that are known: an array of the trace, unless it is one of them."""
    require_no_clock(args)
    array = function(*args, **kwargs)
    is_ours = isinstance(array, np.ndarray) and is_composite_value(array)
    return traced(array) if is_ours and not any(array is value for value in args) else array


def make(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What one of the functions in `NAMES` makes of arguments that run time tells."""
    if name in ("zeros", "ones", "empty"):
        return _filled(name, *args, **kwargs)
    if name == "full":
        return _full(*args, **kwargs)
    return _array(name, *args, **kwargs)


def traced(array: Any) -> CompositeValue:
    """An array of the trace with the elements of another one."""
    parts, trace = parts_of_array(array), current_trace()
    assert parts is not None
    assert trace is not None
    native = [np.asarray(part).astype(part.dtype.newbyteorder("=")) for part in parts.arrays]
    arrays = tuple(
        wrap(trace, value_of(trace, part))._as_array(isinstance(array, np.ndarray)) for part in native
    )
    made: CompositeValue = behaviour().composite(parts.dtype, arrays)
    return made


def _holds_traced(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_holds_traced, value))
    return isinstance(value, CompositeValue)


def _filled(name: str, shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
    wanted = np.dtype(dtype)
    if wanted.kind not in "mM" or set(kwargs) - {"order"}:
        raise UnsupportedError(f"np.{name} of records is not compiled with a shape that run time tells")
    return TracedTimes(wanted, (behaviour().namespace_function(name)(shape, INT64),))


def _full(shape: Any, fill_value: Any, dtype: Any = None, **kwargs: Any) -> Any:
    wanted = getattr(fill_value, "dtype", None) if dtype is None else np.dtype(dtype)
    if wanted is None or wanted.kind not in "mM" or set(kwargs) - {"order"}:
        raise UnsupportedError("np.full of dates is not compiled like this")
    ticks = ticks_for(fill_value, wanted)
    return TracedTimes(wanted, (behaviour().namespace_function("full")(shape, ticks, INT64),))


def _array(name: str, value: Any, dtype: Any = None, **kwargs: Any) -> Any:
    wanted = None if dtype is None else np.dtype(dtype)
    if wanted is not None and wanted.names is not None and isinstance(value, list):
        made = traced(np.zeros(_shape_of(value), wanted))
        made[...] = value  # type: ignore[index]
        return made
    if set(kwargs) - {"copy", "order"} or not holds_composite(value):
        raise UnsupportedError(f"np.{name} of dates is not compiled like this")
    if isinstance(value, (list, tuple)):
        value = np.stack(value)
    elif name == "array" and kwargs.get("copy", True):
        value = value.copy()
    return value if dtype is None else value.astype(dtype, copy=False)


def _shape_of(records: Any) -> tuple[int, ...]:
    """The shape of nested lists of records, which are tuples."""
    return (len(records), *_shape_of(records[0] if records else ())) if isinstance(records, list) else ()

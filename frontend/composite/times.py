"""Dates and durations in a trace: counts of a unit, which arithmetic, comparisons and functions know as that."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...dialect.errors import UnsupportedError, WeftTypeError
from ..signature.composite_arrays import array_of
from ..tracing.array import TracedArray
from ..tracing.behaviour import behaviour
from ..tracing.current import current_trace
from .arrays import COMPARISONS, CompositeArray, comparison
from .units import as_ticks, convert, require_no_clock

_OPERATORS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "floordiv": np.floor_divide,
    "mod": np.remainder, "divmod": np.divmod,
}  # fmt: skip
_UNARY = {"neg": np.negative, "pos": np.positive, "abs": np.absolute}


class TracedTimes(CompositeArray):
    """An array or scalar of dates or durations in a trace."""

    __slots__ = ()

    @property
    def ticks(self) -> TracedArray:
        """The counts of units."""
        ticks: TracedArray = self.parts[0]
        return ticks

    def like(self, ticks: Any, dtype: np.dtype[Any] | None = None) -> TracedTimes:
        """Other counts, of the same unit unless a dtype is given."""
        return TracedTimes(dtype or self.dtype, (ticks,))

    def __weft_parts__(self) -> tuple[Any, Callable[[Any], Any]]:
        """The counts, and what makes NumPy's array or scalar of them."""
        return self.ticks, partial(_times_of, self.dtype)

    def __setitem__(self, index: Any, value: Any) -> None:
        self.ticks[index] = ticks_for(value, self.dtype)

    def __repr__(self) -> str:
        return f"TracedTimes({self.dtype}, {self.ticks.type})"

    what, instead = "dates", "compute with them, compare them, or convert them (x.astype('int64'))"


def _times_of(dtype: np.dtype[Any], ticks: Any) -> Any:
    return array_of(dtype, (ticks,))


def _binary(ufunc: np.ufunc, is_reflected: bool) -> Callable[[TracedTimes, Any], Any]:
    def operator(self: TracedTimes, other: Any) -> Any:
        operands = (other, self) if is_reflected else (self, other)
        return behaviour().composite_ufunc(ufunc, "__call__", operands, {})

    return operator


def _in_place(ufunc: np.ufunc) -> Callable[[TracedTimes, Any], Any]:
    def update(self: TracedTimes, other: Any) -> Any:
        given = {} if self.is_scalar else {"out": (self,)}
        return behaviour().composite_ufunc(ufunc, "__call__", (self, other), given)

    return update


def _comparison_with_none(name: str, compare: Callable[[Any, Any], Any]) -> Callable[[TracedTimes, Any], Any]:
    """A comparison; of None, which NaT is where Python compares, it asks what is NaT."""

    def compared(self: TracedTimes, other: Any) -> Any:
        if other is not None:
            return compare(self, other)
        is_nat = behaviour().composite_ufunc(np.isnat, "__call__", (self,), {})
        found = is_nat if name == "eq" else np.logical_not(is_nat)
        return found._like_python(bool) if self.is_scalar else found

    return compared


def _define(name: str, method: Callable[..., Any]) -> None:
    method.__name__ = f"__{name}__"
    setattr(TracedTimes, method.__name__, method)


for _name, _ufunc in _OPERATORS.items():
    _define(_name, _binary(_ufunc, False))
    _define(f"r{_name}", _binary(_ufunc, True))
    if _name != "divmod":
        _define(f"i{_name}", _in_place(_ufunc))
for _name, _given in COMPARISONS.items():
    _compare = comparison(*_given)
    _define(_name, _comparison_with_none(_name, _compare) if _name in ("eq", "ne") else _compare)
for _name, _ufunc in _UNARY.items():
    _define(_name, lambda self, ufunc=_ufunc: behaviour().composite_ufunc(ufunc, "__call__", (self,), {}))


def as_times(value: Any) -> Any:
    """A constant of dates or durations, as arithmetic with traced ones takes it; other values themselves."""
    if isinstance(value, datetime.timedelta):
        return as_times(np.timedelta64(value))
    if isinstance(value, datetime.date):
        return as_times(np.datetime64(value))
    if isinstance(value, (list, tuple)) and any(
        isinstance(item, (np.datetime64, np.timedelta64)) for item in value
    ):
        return as_times(np.asarray(value))
    if not isinstance(value, (np.ndarray, np.generic)) or value.dtype.kind not in "mM":
        return value
    trace = current_trace()
    if isinstance(value, np.ndarray) and trace is not None:
        trace.watch(value)
    dtype = value.dtype.newbyteorder("=")
    return TracedTimes(dtype, (value.astype(dtype).view(np.int64),))


def datetime64(*args: Any, **kwargs: Any) -> Any:
    """`numpy.datetime64`, but for the dates that are read off the clock."""
    require_no_clock(args)
    return np.datetime64(*args, **kwargs)


def is_times(value: Any) -> bool:
    """Whether a value is dates or durations, in a trace or constants."""
    if isinstance(value, TracedTimes):
        return True
    return isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "mM"


def ticks_for(value: Any, dtype: np.dtype[Any]) -> Any:
    """The counts that stand for a value where dates or durations of a dtype are wanted; TypeError as in NumPy."""
    if isinstance(value, str):
        require_no_clock(value)
        value = np.array(value, dtype)[()]
    value = as_times(value)
    if isinstance(value, TracedTimes):
        if not np.can_cast(value.dtype, dtype, "same_kind"):
            raise WeftTypeError(
                f"Cannot cast NumPy {_kind(value.dtype)} to {_kind(dtype)} with dtype {dtype}"
            )
        return convert(value.ticks, value.dtype, dtype)
    if isinstance(value, int) and not isinstance(value, bool):
        return np.int64(value)
    if isinstance(value, (TracedArray, np.ndarray, np.generic)) and value.dtype.kind in "biu":
        return as_ticks(value)
    raise WeftTypeError(f"Could not convert object to NumPy {_kind(dtype)}: {value!r}")


def write_times(target: Any, value: Any) -> Any:
    """Write dates or durations to an array, at each call to one from outside; returns what stands for the array."""
    trace = current_trace()
    if isinstance(target, np.ndarray) and trace is not None and trace.python_state is not None:
        target = trace.python_state.writable(target)
    if isinstance(target, np.ndarray):
        raise UnsupportedError(
            "what is written in place (x += ..., out=x) is an array from outside that compiled code cannot find again: "
            "pass it as an argument"
        )
    target[...] = value
    return target


def _kind(dtype: np.dtype[Any]) -> str:
    return "timedelta" if dtype.kind == "m" else "datetime"

"""Dates and durations in a trace: counts of a unit, which arithmetic, comparisons and functions know as that."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NoReturn

import numpy as np

from ...dialect.errors import ConcreteValueError, UnsupportedError, WeftTypeError
from ..signature.composite_arrays import array_of
from ..signature.traced_value import CompositeValue
from ..tracing.array import TracedArray
from ..tracing.behaviour import behaviour
from ..tracing.current import current_trace
from .units import INT64, as_ticks, convert, require_no_clock

_OPERATORS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "floordiv": np.floor_divide,
    "mod": np.remainder, "divmod": np.divmod,
}  # fmt: skip
_COMPARISONS = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip
_UNARY = {"neg": np.negative, "pos": np.positive, "abs": np.absolute}


class TracedTimes(CompositeValue):
    """An array or scalar of dates or durations in a trace."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

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

    def example(self) -> Any:
        return np.zeros((), self.dtype)[()] if self.ticks._is_scalar else np.empty(0, self.dtype)

    @property
    def shape(self) -> tuple[Any, ...]:
        """The shape."""
        return self.ticks.shape

    ndim = property(lambda self: self.ticks.ndim, doc="The number of dimensions.")
    size = property(lambda self: self.ticks.size, doc="The number of elements.")
    itemsize = property(lambda self: 8, doc="Bytes per element.")
    nbytes = property(lambda self: self.ticks.nbytes, doc="Bytes in all.")
    T = property(lambda self: self.like(self.ticks.T), doc="The transposed array.")

    def __getitem__(self, index: Any) -> TracedTimes:
        return self.like(self.ticks[index])

    def __setitem__(self, index: Any, value: Any) -> None:
        self.ticks[index] = ticks_for(value, self.dtype)

    def __len__(self) -> int:
        return len(self.ticks)

    def __iter__(self) -> Iterator[TracedTimes]:
        return map(self.like, self.ticks)

    def __repr__(self) -> str:
        return f"TracedTimes({self.dtype}, {self.ticks.type})"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(f"'numpy.ndarray' object has no attribute {name!r}")
        return partial(behaviour().composite_method, name, self)

    def __copy__(self) -> TracedTimes:
        return self.like(self.ticks.copy())

    def __deepcopy__(self, memo: Any) -> TracedTimes:
        return self.like(self.ticks.copy())

    # NumPy's protocols

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return behaviour().composite_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        return behaviour().composite_function(function, args, kwargs)

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ConcreteValueError(
            f"the value of traced dates ({self.dtype}, {self.ticks.type}) is known only when the compiled function "
            "runs: compute with them, compare them, or convert them (x.astype('int64'))"
        )

    __array__ = __bool__ = __int__ = __float__ = __index__ = __format__ = __complex__ = _refuse


def _times_of(dtype: np.dtype[Any], ticks: Any) -> Any:
    return array_of(dtype, (ticks,))


def _binary(ufunc: np.ufunc, is_reflected: bool) -> Callable[[TracedTimes, Any], Any]:
    def operator(self: TracedTimes, other: Any) -> Any:
        operands = (other, self) if is_reflected else (self, other)
        return behaviour().composite_ufunc(ufunc, "__call__", operands, {})

    return operator


def _in_place(ufunc: np.ufunc) -> Callable[[TracedTimes, Any], Any]:
    def update(self: TracedTimes, other: Any) -> Any:
        given = {} if self.ticks._is_scalar else {"out": (self,)}
        return behaviour().composite_ufunc(ufunc, "__call__", (self, other), given)

    return update


def _comparison(name: str, ufunc: np.ufunc) -> Callable[[TracedTimes, Any], Any]:
    def compare(self: TracedTimes, other: Any) -> Any:
        if other is None and name in ("eq", "ne"):  # which NaT is where Python compares
            is_nat = behaviour().composite_ufunc(np.isnat, "__call__", (self,), {})
            found = is_nat if name == "eq" else np.logical_not(is_nat)
            return found._like_python(bool) if self.ticks._is_scalar else found
        try:
            return behaviour().composite_ufunc(ufunc, "__call__", (self, other), {})
        except TypeError:  # NumPy has no loop: nothing is equal
            if name not in ("eq", "ne"):
                raise
            return np.full_like(self.ticks, name == "ne", bool)[()]

    return compare


def _define(name: str, method: Callable[..., Any]) -> None:
    method.__name__ = f"__{name}__"
    setattr(TracedTimes, method.__name__, method)


for _name, _ufunc in _OPERATORS.items():
    _define(_name, _binary(_ufunc, False))
    _define(f"r{_name}", _binary(_ufunc, True))
    if _name != "divmod":
        _define(f"i{_name}", _in_place(_ufunc))
for _name, _ufunc in _COMPARISONS.items():
    _define(_name, _comparison(_name, _ufunc))
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


__all__ = ["INT64", "TracedTimes", "as_times", "datetime64", "is_times", "ticks_for", "write_times"]

"""NumPy's functions that make arrays, in converted code: they make arrays of the trace, which it can write to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....numpy_api import creation, functions_of, lookup, requirements
from ....tracing.array import TracedArray, wrap
from ....tracing.current import current_trace
from ....tracing.staging import trace_of, value_of
from ..lists.dynamic_lists import GrowingList
from ..values.ranges import Range

KNOWN_ELEMENTS = 1024
"""Arrays made of constants with at most so many elements can be looked at while tracing."""


def array_makers() -> dict[Any, Callable[..., Any]]:
    """What to call instead of NumPy's functions that make arrays."""
    makers = {
        getattr(np, name, None): name for module in (creation, requirements) for name in functions_of(module)
    }
    return {theirs: _maker(name, theirs) for theirs, name in makers.items() if theirs is not None}


def array_method(function: Any) -> Callable[..., Any] | None:
    """What to call instead of a method of a NumPy array that makes another; None for another function."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ndarray) and getattr(function, "__name__", "") in ("copy", "astype"):
        return lambda *args, **kwargs: _own(function(*args, **kwargs))
    return None


def _maker(name: str, theirs: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes an array of the trace, which compiled code can write to."""

    def make(*args: Any, **kwargs: Any) -> Any:
        args = tuple(map(as_data, args))
        given = (*args, *kwargs.values())
        made = lookup(name)(*args, **kwargs)
        if isinstance(made, np.ndarray):
            return made if any(made is value for value in given) else _own(made)
        if isinstance(made, TracedArray) and trace_of(given) is None and not made._path:
            static = made.type.size is not None and made.type.size <= KNOWN_ELEMENTS
            if static and made._storage.ref is None and made._storage.argument is None:
                made._storage.known = (
                    np.zeros(made.shape, made.dtype) if name.startswith("empty") else theirs(*args, **kwargs)
                )
        return made

    make.__name__ = name
    return make


def as_data(value: Any) -> Any:
    """A list or range whose length is known at run time as the array that NumPy makes of it."""
    if isinstance(value, GrowingList):
        return value.stacked().copy()
    if isinstance(value, Range):
        return value.stacked()
    return value


def _own(array: Any) -> Any:
    """An array that Python made while tracing, as one of the trace."""
    trace = current_trace()
    if trace is None or not isinstance(array, np.ndarray) or array.dtype.kind not in "biufc":
        return array
    owned = wrap(trace, value_of(trace, array) if array.ndim == 0 else trace.capture(array))._as_array()
    if array.size <= KNOWN_ELEMENTS:
        owned._storage.known = array.copy()
    return owned


__all__ = ["array_makers", "array_method", "as_data"]

"""What stands in for builtins and for NumPy's array makers where converted code calls them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ....numpy_api import creation, functions_of, lookup
from ....tracing.array import TracedArray
from ....tracing.current import current_trace
from ....tracing.staging import trace_of
from ..exceptions import caught_exceptions
from ..lists.dynamic_lists import GrowingList
from ..statements import effects
from . import builtins_on_arrays, builtins_on_lists, math_on_arrays, plain_lists

KNOWN_ELEMENTS = 1024
"""Arrays made of constants with at most so many elements can be looked at while tracing."""


@cache
def _table() -> dict[int, Callable[..., Any]]:
    """The replacements, by the identity of what they replace."""
    table: dict[int, Callable[..., Any]] = {}
    table.update({id(function): ours for function, ours in builtins_on_arrays.REPLACEMENTS.items()})
    table.update({id(function): ours for function, ours in builtins_on_lists.REPLACEMENTS.items()})
    table.update({id(function): ours for function, ours in math_on_arrays.REPLACEMENTS.items()})
    table.update({id(function): ours for function, ours in effects.REPLACEMENTS.items()})
    table.update({id(function): ours for function, ours in caught_exceptions.REPLACEMENTS.items()})
    for name in functions_of(creation):
        theirs = getattr(np, name, None)
        if callable(theirs):
            table[id(theirs)] = _maker(name, theirs)
    return table


def replacement_of(function: Any) -> Callable[..., Any] | None:
    """What to call instead of a function; None for what is called as it is."""
    maker = effects.maker_of(function)
    if maker is not None:
        return maker
    method = plain_lists.method_of(function)
    if method is not None:
        return method
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ndarray) and getattr(function, "__name__", "") in ("copy", "astype"):
        return lambda *args, **kwargs: _own(function(*args, **kwargs))
    return _table().get(id(function))


def _maker(name: str, theirs: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes an array of the trace, which compiled code can write to."""

    def make(*args: Any, **kwargs: Any) -> Any:
        args = tuple(value.stacked().copy() if isinstance(value, GrowingList) else value for value in args)
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


def _own(array: Any) -> Any:
    """An array that Python made while tracing, as one of the trace."""
    trace = current_trace()
    if trace is None or not isinstance(array, np.ndarray) or array.dtype.kind not in "biufc":
        return array
    owned = trace.wrap(trace.value_of(array) if array.ndim == 0 else trace.capture(array))
    if array.size <= KNOWN_ELEMENTS:
        owned._storage.known = array.copy()
    return owned


__all__ = ["replacement_of"]

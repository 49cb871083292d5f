"""Objects of Python's own that hold other values, which are taken apart and made again: slices, partials, views.

What a compiled function gives back, prints or stores holds NumPy's values, whatever holds them.
"""

from __future__ import annotations

import copy
import functools
import types
from array import array
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from typing import Any, TypeAlias

from ..source.modules import told
from ..tracing.current import current_trace

Parts: TypeAlias = "tuple[Any, Callable[[Any], Any]]"
"""A nested value, and what makes the object of it again."""


def parts_of_holder(value: Any) -> Parts | None:
    """The parts of an object that holds other values; None for another one.

    >>> parts, make = parts_of_holder(slice(1, 5))
    >>> parts, make(parts)
    ((1, 5, None), slice(1, 5, None))
    """
    kind = type(value)
    if told(kind, "__weft_parts__") is not None:
        parts: Parts = value.__weft_parts__()
        return parts
    find = _HOLDERS.get(kind)
    return None if find is None else find(value)


def parts_of_changeable(value: Any) -> Parts | None:
    """The parts of what the program makes and the caller can change, so that each call makes it anew.

    None of anything else, and of what was there before: that stays itself.
    """
    kind, trace = type(value), current_trace()
    if kind not in (*_COPIED, *_CHANGEABLE):
        return None
    if trace is not None and trace.python_state is not None and trace.python_state.knows(value):
        return None
    return ((), lambda _: copy.copy(value)) if kind in _COPIED else parts_of_holder(value)


def _view(make: Callable[[dict[Any, Any]], Any]) -> Callable[[Any], Parts]:
    return lambda view: (dict(view.mapping), make)


def _default(value: defaultdict[Any, Any]) -> Parts:
    factory = value.default_factory
    return dict(value), lambda parts: defaultdict(factory, parts)


def _partial(value: functools.partial[Any]) -> Parts:
    def make(parts: Any) -> Any:
        function, args, named = parts
        return functools.partial(
            function if callable(function) else value.func, *args, **named
        )  # else its text

    return (value.func, value.args, value.keywords), make


_COPIED = (set, bytearray, array)
_CHANGEABLE = (deque, defaultdict, Counter, types.SimpleNamespace)

_HOLDERS: dict[type, Callable[[Any], Parts]] = {
    slice: lambda value: ((value.start, value.stop, value.step), lambda parts: slice(*parts)),
    functools.partial: _partial,
    deque: lambda value: ((list(value), value.maxlen), lambda parts: deque(*parts)),
    defaultdict: _default,
    Counter: lambda value: (dict(value), Counter),
    types.SimpleNamespace: lambda value: (dict(vars(value)), lambda parts: types.SimpleNamespace(**parts)),
    type({}.values()): _view(lambda made: made.values()),
    type({}.keys()): _view(lambda made: made.keys()),
    type({}.items()): _view(lambda made: made.items()),
}

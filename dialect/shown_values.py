"""Values in messages and notes: said without running a line of the user's code.

A `__repr__` of the user's may read properties that compute and keep something, count its calls, or raise because the
object is half made. A message that the user did not ask for must do none of that.
"""

from __future__ import annotations

import dataclasses
import reprlib
import sys
import threading
from collections import deque
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from .errors import with_article

_TRUSTED = frozenset(sys.stdlib_module_names) | {"builtins", __name__.partition(".")[0], "numpy"}

_MOST_BITS = 1000
"""Longer ints are said by their length."""

_CONTAINERS = (dict, list, tuple, set, frozenset, deque)
"""What classes derive from whose `__repr__` asks each item for its own."""


class _Shown(reprlib.Repr):
    """The short form of built-in containers, with objects of the user's own classes as what they are."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdict = self.maxdeque = 12
        self.maxstring = self.maxlong = self.maxother = 200

    def repr1(self, x: Any, level: int) -> str:
        kind = type(x)
        if dataclasses.is_dataclass(kind) and hasattr(
            kind.__repr__, "__wrapped__"
        ):  # the one that @dataclass writes
            fields = [
                f.name for f in dataclasses.fields(kind) if f.repr and f.name in getattr(x, "__dict__", ())
            ]
            told = (
                [f"{name}={self.repr1(vars(x)[name], level - 1)}" for name in fields]
                if level > 0
                else ["..."]
            )
            return f"{kind.__qualname__}({', '.join(told)})"
        if not _is_safe(kind) or isinstance(x, partial) or (isinstance(x, np.ndarray) and x.dtype.hasobject):
            return with_article(f"{kind.__name__} object")
        base: Any = next((base for base in _CONTAINERS if issubclass(kind, base)), kind)
        if base is kind:
            # one of weft's may have the name of a list
            is_pythons = kind.__module__.partition(".")[0] in sys.stdlib_module_names
            return super().repr1(x, level) if is_pythons else self.repr_instance(x, level)
        plain = dict(dict.items(x)) if base is dict else base(base.__iter__(x))
        return f"{kind.__name__}({super().repr1(plain, level)})"

    def repr_int(self, x: int, level: int) -> str:
        # Python writes no more than some thousands of digits, and takes long for them
        return (
            super().repr_int(x, level) if x.bit_length() < _MOST_BITS else f"an int of {x.bit_length()} bits"
        )


def _is_safe(kind: type) -> bool:
    """Whether `repr` of an object of this class runs nothing but built-in code, and says more than an address."""
    method: Any = kind.__repr__
    if isinstance(method, FunctionType):
        return str(method.__globals__.get("__name__", "")).partition(".")[0] in _TRUSTED
    return method is not object.__repr__


_SHOWN = _Shown()

_MOST_INSIDE = 3
"""Values that say what they may be ask for each of that, which may be such a value again, or itself."""


class _Asked(threading.local):
    """How many values are being shown, each inside of the one before."""

    values = 0


_ASKED = _Asked()


def shown_value(value: Any) -> str:
    """A value as a message says it: its `repr`, shortened, without calling a `__repr__` that the user wrote.

    Examples:
        >>> shown_value([1.5, object()])
        '[1.5, an object object]'
    """
    if _ASKED.values > _MOST_INSIDE:
        return "..."
    _ASKED.values += 1
    try:
        return _SHOWN.repr(value)
    finally:
        _ASKED.values -= 1

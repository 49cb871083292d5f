"""A whole program as one text: a function `f`, the state around it, and the calls that are made one after the other.

The text ends with `OPTIONS`, the keywords of `weft.function`, and `CALLS`, functions without parameters that make the
arguments of one call each. Executing the text twice gives two programs that share nothing.
"""

from __future__ import annotations

import contextvars
import hashlib
import itertools
import linecache
import sys
import threading
import types
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

IMPORTS = """\
import collections
import contextlib
import contextvars
import dataclasses
import functools
import math
import operator
import threading
import weakref

import numpy as np

import weft
"""

_numbers = itertools.count()
_HIDDEN = ("OPTIONS", "CALLS")


@dataclass(frozen=True)
class Loaded:
    """A program in a module of its own."""

    module: types.ModuleType

    @property
    def namespace(self) -> dict[str, Any]:
        """Its globals."""
        return vars(self.module)

    @property
    def function(self) -> Callable[..., Any]:
        """The function that is compiled."""
        made: Callable[..., Any] = self.namespace["f"]
        return made

    @property
    def options(self) -> dict[str, Any]:
        """The keywords of `weft.function`."""
        return dict(self.namespace.get("OPTIONS", {}))

    @property
    def calls(self) -> list[Callable[[], tuple[Any, ...]]]:
        """What makes the arguments of each call."""
        return list(self.namespace["CALLS"])

    def state(self) -> dict[str, Any]:
        """The data that the globals of the program hold, also as attributes of its functions and classes."""
        return {
            name: _data_of(value)
            for name, value in self.namespace.items()
            if not name.startswith("__")
            and name not in (*_HIDDEN, "f")
            and not isinstance(value, types.ModuleType)
            and not (isinstance(value, type) and value.__module__ != self.module.__name__)
        }


def _data_of(value: Any) -> Any:
    """What a global holds; of functions and classes, the data among their attributes."""
    if isinstance(value, contextvars.ContextVar):
        return value.get()
    if isinstance(value, threading.local):
        return dict(vars(value))
    if isinstance(value, (types.FunctionType, type)):
        kept = {k: v for k, v in vars(value).items() if not k.startswith("__") and not _is_part_of_class(v)}
        return kept | {"defaults": getattr(value, "__defaults__", None)}
    return value


def _is_part_of_class(value: Any) -> bool:
    """Whether an attribute of a class says what its objects do, and is no data."""
    return callable(value) or hasattr(type(value), "__get__")


def load(text: str) -> Loaded:
    """Execute the text of a program as a module of its own; the source of its functions is known to Python."""
    filename = f"<program {hashlib.sha1(text.encode()).hexdigest()[:12]}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    module = types.ModuleType(f"program_{next(_numbers)}")
    sys.modules[module.__name__] = module
    exec(_compiled(text, filename), vars(module))
    return Loaded(module)


@lru_cache(maxsize=1)
def _compiled(text: str, filename: str) -> types.CodeType:
    """The code of a program, which is loaded twice."""
    return compile(text, filename, "exec")


def forget(*programs: Loaded) -> None:
    """Take programs away again."""
    for program in programs:
        del sys.modules[program.module.__name__]
        linecache.cache.pop(program.function.__code__.co_filename, None)


__all__ = ["IMPORTS", "Loaded", "forget", "load"]

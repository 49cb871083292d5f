"""Keras's own functions are traced as they are: they only call each other and the backend."""

from __future__ import annotations

import functools
import sys
import types
from typing import Any

import weft

from .recording import CONVERTED

_PACKAGES = ("keras", "keras_weft")


@functools.cache
def mark() -> None:
    """Mark all functions of the modules that are loaded."""
    seen: set[int] = set()
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in _PACKAGES and module is not None:
            for value in list(vars(module).values()):
                _mark(value, seen)
                if isinstance(value, type) and value.__module__.partition(".")[0] in _PACKAGES:
                    for item in list(vars(value).values()):
                        _mark(item, seen)


def _mark(value: Any, seen: set[int]) -> None:
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    if isinstance(value, property):
        for accessor in (value.fget, value.fset, value.fdel):
            _mark(accessor, seen)
    elif isinstance(value, types.FunctionType) and id(value) not in seen:
        seen.add(id(value))
        if (value.__module__ or "").partition(".")[0] in _PACKAGES and not hasattr(value, CONVERTED):
            weft.do_not_convert(value)


__all__ = ["mark"]

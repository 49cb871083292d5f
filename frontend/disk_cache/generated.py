"""What belongs to Python and NumPy, or was written by them: functions that dataclasses and named tuples make."""

from __future__ import annotations

import collections
import sys
import types
from typing import Any

_LIBRARIES = frozenset(sys.stdlib_module_names) - {"__main__"} | {"numpy", "ml_dtypes"}


def is_library(module: str | None) -> bool:
    """Whether a module is Python's or NumPy's own."""
    return (module or "").partition(".")[0] in _LIBRARIES


def is_generated(member: Any) -> bool:
    """Whether a member of a class is a function that dataclasses or named tuples made."""
    if not isinstance(member, types.FunctionType):
        return False
    code = member.__code__
    if code.co_filename == collections.namedtuple.__code__.co_filename:
        return True
    if code.co_filename != "<string>":
        return False
    if str(member.__globals__.get("__name__")).startswith("namedtuple_"):
        return True
    qualified = getattr(code, "co_qualname", None)
    if qualified is None:  # Python 3.10
        return member.__name__ in _OF_DATACLASSES
    return str(qualified).startswith("__create_fn__.")


_OF_DATACLASSES = frozenset(
    {
        "__init__",
        "__repr__",
        "__eq__",
        "__lt__",
        "__le__",
        "__gt__",
        "__ge__",
        "__hash__",
        "__setattr__",
        "__delattr__",
    }
)

__all__ = ["is_generated", "is_library"]

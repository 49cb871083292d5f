"""Methods that nobody wrote: those that dataclasses and named tuples make."""

from __future__ import annotations

import collections
import dataclasses
import reprlib
import types
from typing import Any


def is_generated(member: Any) -> bool:
    """Whether a member of a class is a function that dataclasses or named tuples made."""
    if not isinstance(member, types.FunctionType):
        return False
    code = member.__code__
    if code.co_filename in _WRAPPING:  # `__repr__` of an object that may hold itself
        return is_generated(getattr(member, "__wrapped__", None))
    if code in _OF_NAMED_TUPLES:
        return True
    if code.co_filename != "<string>":
        return False
    if str(member.__globals__.get("__name__")).startswith("namedtuple_"):
        return True
    qualified = getattr(code, "co_qualname", None)
    if qualified is None:  # Python 3.10
        return member.__name__ in _OF_DATACLASSES
    return str(qualified).startswith("__create_fn__.")


_OF_NAMED_TUPLES = frozenset(
    constant for constant in collections.namedtuple.__code__.co_consts if isinstance(constant, types.CodeType)
)
_WRAPPING = frozenset(
    {dataclasses.dataclass.__code__.co_filename, reprlib.recursive_repr.__code__.co_filename}
)
_OF_DATACLASSES = frozenset(
    {"__init__", "__repr__", "__eq__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__setattr__", "__delattr__"}
)  # fmt: skip

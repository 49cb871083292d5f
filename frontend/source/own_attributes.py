"""The attributes that an object holds itself, whatever its class answers to those who ask for attributes by name."""

from __future__ import annotations

import types
from typing import Any


def own_attributes(value: Any) -> dict[str, Any]:
    """The `__dict__` of an object; empty for one without.

    Not `getattr(value, "__dict__", {})`: a class with `__getattr__` and slots alone may have something else to say.
    """
    try:
        found = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return found if isinstance(found, dict) else {}


def python_function_of(value: Any) -> types.FunctionType | None:
    """The function that another compiler compiles, as numba's dispatchers, and that knows it; None for other values."""
    if isinstance(value, (type, types.FunctionType, types.ModuleType)):
        return None
    found = own_attributes(value).get("py_func")
    return found if isinstance(found, types.FunctionType) else None


__all__ = ["own_attributes", "python_function_of"]

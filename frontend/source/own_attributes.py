"""The attributes that an object holds itself, whatever its class answers to those who ask for attributes by name."""

from __future__ import annotations

import _thread
import contextlib
import types
from typing import Any


def own_attributes(value: Any) -> dict[str, Any]:
    """The `__dict__` of an object; empty for one without.

    Not `getattr(value, "__dict__", {})`: a class with `__getattr__` and slots alone may have something else to say.
    """
    try:
        found = _accessor(value).__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return found if isinstance(found, dict) else {}


def own_attribute(owner: Any, name: str) -> Any:
    """An attribute as the object itself stores it; raises AttributeError."""
    if isinstance(owner, type) and name not in vars(owner):
        raise AttributeError(name)  # its bases may have it
    return _accessor(owner).__getattribute__(owner, name)


def set_own_attribute(owner: Any, name: str, value: Any) -> None:
    """Store an attribute in an object itself."""
    _accessor(owner).__setattr__(owner, name, value)


def delete_own_attribute(owner: Any, name: str) -> None:
    """Take an attribute out of an object, if it is in there."""
    with contextlib.suppress(AttributeError):
        _accessor(owner).__delattr__(owner, name)


def _accessor(owner: Any) -> Any:
    """What finds the attributes of an object: those of `threading.local` are others in each thread."""
    if isinstance(owner, type):
        return type
    return _thread._local if isinstance(owner, _thread._local) else object


def python_function_of(value: Any) -> types.FunctionType | None:
    """The function that another compiler compiles, as numba's dispatchers, and that knows it; None for other values."""
    if isinstance(value, (type, types.FunctionType, types.ModuleType)):
        return None
    found = own_attributes(value).get("py_func")
    return found if isinstance(found, types.FunctionType) else None

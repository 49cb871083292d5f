"""The attributes that an object holds itself, whatever its class answers to those who ask for attributes by name."""

from __future__ import annotations

import _thread
import contextlib
import types
from typing import Any

from .modules import told


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
    if is_computed(owner, name):
        attributes = own_attributes(owner)
        if name not in attributes:
            raise AttributeError(name)
        return attributes[name]
    return _accessor(owner).__getattribute__(owner, name)


def set_own_attribute(owner: Any, name: str, value: Any) -> None:
    """Store an attribute in an object itself."""
    if is_computed(owner, name):
        own_attributes(owner)[name] = value
    else:
        _accessor(owner).__setattr__(owner, name, value)


def delete_own_attribute(owner: Any, name: str) -> None:
    """Take an attribute out of an object, if it is in there."""
    if is_computed(owner, name):
        own_attributes(owner).pop(name, None)
        return
    with contextlib.suppress(AttributeError):
        _accessor(owner).__delattr__(owner, name)


def is_computed(owner: Any, name: str) -> bool:
    """Whether Python code of the class gives an attribute or takes it, which may do more than that.

    The object itself may store one under the same name, as what such a descriptor keeps there.
    """
    if isinstance(owner, type):
        return False
    for base in type(owner).__mro__:
        if name in base.__dict__:
            kind = type(base.__dict__[name])
            return issubclass(kind, property) or any(
                isinstance(getattr(kind, method, None), types.FunctionType)
                for method in ("__get__", "__set__", "__delete__")
            )
    return False


def is_native(owner: Any, name: str) -> bool:
    """Whether native code finds an attribute as the object itself stores it, the same in all threads."""
    return not isinstance(owner, _thread._local) and not is_computed(owner, name)


def _accessor(owner: Any) -> Any:
    """What finds the attributes of an object: those of `threading.local` are others in each thread."""
    if isinstance(owner, type):
        return type
    return _thread._local if isinstance(owner, _thread._local) else object


def plain_function_of(value: Any) -> Any:
    """The function that `weft.function` compiles; another value itself, of which nothing is asked."""
    return own_attributes(value).get("python_function", value)


def has_fields(kind: type) -> bool:
    """Whether a class is a dataclass; a metaclass of the user's is not asked, as `is_dataclass` does.

    What stands for objects of one is none: its attributes lie elsewhere.
    """
    return told(kind, "__weft_row__") is None and is_compared_by_fields(kind)


def is_compared_by_fields(kind: type) -> bool:
    """Whether a class is a dataclass, or derived from one, as what stands for objects of one is."""
    if type(kind) is type:
        return hasattr(kind, "__dataclass_fields__")
    return any("__dataclass_fields__" in base.__dict__ for base in kind.__mro__)


def python_function_of(value: Any) -> types.FunctionType | None:
    """The function that another compiler compiles, as numba's dispatchers, and that knows it; None for other values."""
    if isinstance(value, (type, types.FunctionType, types.ModuleType)):
        return None
    found = own_attributes(value).get("py_func")
    return found if isinstance(found, types.FunctionType) else None

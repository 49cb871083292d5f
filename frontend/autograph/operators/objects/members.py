"""What classes define: where an attribute of an object comes from."""

from __future__ import annotations

from types import FunctionType, ModuleType
from typing import Any

from ....source.modules import is_users_module


def member_of(kind: type, name: str) -> Any:
    """What a class defines under a name."""
    return first_member(kind.__mro__, name)


def first_member(classes: tuple[type, ...], name: str) -> Any:
    """What the first of some classes that defines a name has under it; None where none does."""
    for base in classes:
        if name in base.__dict__:
            return base.__dict__[name]
    return None


def looked_in(owner: Any) -> tuple[Any, tuple[type, ...]]:
    """Whose attribute is read, and the classes that may define it: behind `super()` those that follow its class."""
    if isinstance(owner, ModuleType):
        return owner, ()
    kind: Any = type(owner)
    if kind is not super or isinstance(owner.__self__, type):
        return owner, type(owner).__mro__
    bound: Any = owner
    order = bound.__self_class__.__mro__
    return bound.__self__, order[order.index(bound.__thisclass__) + 1 :]


def is_of_class(error: BaseException, name: str) -> bool:
    """Whether an attribute of a caught exception is a method or property of its class."""
    member = member_of(type(error), name)
    function = member.fget if isinstance(member, property) else member
    is_own = isinstance(function, FunctionType) and not name.startswith("__")
    return name == "__class__" or (is_own and is_users_module(function.__module__))

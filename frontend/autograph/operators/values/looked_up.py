"""What converted code looks up besides names and attributes: entries of namespaces, attributes by their names."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from .....dialect.errors import UnsupportedError
from ....runtime_values.results import RuntimeNone
from ....runtime_values.values import RuntimeValue
from ....source.modules import is_users_object
from ....source.own_attributes import own_attributes
from ....tracing.current import current_trace
from ....tracing.external_state import Lookups
from ....tracing.number_types import number_type
from ....tracing.staging import raise_if
from ..interface import operators
from .object_handles import PooledObject
from .optional import Chosen, MaybeUnbound


def lookups() -> Lookups | None:
    """What takes note; None without a trace."""
    trace = current_trace()
    return None if trace is None or trace.python_state is None else trace.python_state.lookups


def as_input(value: Any) -> Any:
    """What stands for an array that was there before the trace, where that is data; else the value itself."""
    trace = current_trace()
    if not isinstance(value, np.ndarray) or trace is None or trace.python_state is None:
        return value
    found = trace.python_state.input_of(value)
    return value if found is None else found


def note_special(kind: type, *names: str) -> None:
    """Take note that a class was asked for special methods."""
    if (noting := lookups()) is not None:
        for name in names:
            noting.special(kind, name)


def note_subclass(kind: type, classes: Any, answer: bool) -> None:
    """Take note that it was asked whether a class is one of others."""
    if (noting := lookups()) is not None:
        noting.subclass(kind, classes, answer)


def issubclass_(kind: Any, classes: Any, /) -> bool:
    """`issubclass`."""
    answer = builtins.issubclass(kind, classes)
    note_subclass(kind, classes, answer)
    return answer


def note_entry(container: Any, key: Any) -> None:
    """Take note that an entry of a dict is read, which may be a name of a module."""
    if type(container) is dict and isinstance(key, str) and (noting := lookups()) is not None:
        noting.entry(container, key)


def getattr_(owner: Any, name: Any, *default: Any) -> Any:
    """`getattr`."""
    if len(default) > 1 or not isinstance(name, str):
        if isinstance(name, Chosen):
            return name.each(lambda one: getattr_(owner, one, *default))
        _require_known(name)
        return builtins.getattr(owner, name, *default)
    if default and isinstance(owner, RuntimeNone) and not builtins.hasattr(None, name):
        return operators().if_exp(
            owner.is_none, lambda: default[0], lambda: getattr_(owner.value, name, *default)
        )
    if default and isinstance(owner, Chosen):
        return owner.each(lambda one: getattr_(one, name, *default))
    if default and (held := _of_some_paths(owner, name)) is not None and not _is_of_class(owner, name):
        found = held.value
        return operators().if_exp(held.unbound, lambda: default[0], lambda: found)
    try:
        return operators().attr(owner, name)
    except AttributeError:
        if not default:
            raise
        return default[0]


def hasattr_(owner: Any, name: Any) -> Any:
    """`hasattr`."""
    if isinstance(name, Chosen):
        return name.is_one_for(lambda one: hasattr_(owner, one))
    if not isinstance(name, str):
        _require_known(name)
        return builtins.hasattr(owner, name)
    if isinstance(owner, RuntimeNone):
        return _has_where_there(owner, name)
    if isinstance(owner, Chosen):
        return owner.is_one_for(lambda one: hasattr_(one, name))
    number = number_type(owner)
    if number is not None:
        return builtins.hasattr(number, name)
    if (held := _of_some_paths(owner, name)) is not None and not _is_of_class(owner, name):
        there: Any = np.logical_not(held.unbound)
        return there._like_python(bool)
    try:
        operators().attr(owner, name)
    except AttributeError:
        return False
    return True


def bound(owner: Any, name: str, held: MaybeUnbound) -> Any:
    """An attribute that an object has on some paths: on others that of its class, or an error of the program's."""
    found = held.value
    if _is_of_class(owner, name):
        return operators().if_exp(held.unbound, lambda: operators().attr(type(owner), name), lambda: found)
    require_there(owner, name, held)
    return found


def require_there(owner: Any, name: str, held: MaybeUnbound) -> None:
    """Raise `AttributeError`, when the program runs, where an object does not have an attribute."""
    message = f"{owner.__class__.__name__!r} object has no attribute {name!r}"
    raise_if(held.unbound, "AttributeError", message.replace("{", "{{"))


def _of_some_paths(owner: Any, name: str) -> MaybeUnbound | None:
    """What an object holds under a name that it has on some paths only; None for other attributes."""
    if isinstance(owner, PooledObject):
        pool, number = owner.in_pool()
        found = pool.get(number, name) if pool.has(name) else None
    else:
        found = own_attributes(owner).get(name) if is_users_object(owner) else None
    return found if isinstance(found, MaybeUnbound) else None


def _is_of_class(owner: Any, name: str) -> bool:
    return any(name in vars(base) for base in owner.__class__.__mro__)


def _require_known(name: Any) -> None:
    """Refuse names of attributes that the program makes."""
    if isinstance(name, RuntimeValue):
        raise UnsupportedError(
            "the name of an attribute is a text that is made when the program runs: join known texts with +, or name it"
        )


def _has_where_there(owner: Any, name: str) -> Any:
    """Whether a value that may be None has an attribute."""
    has: Any = hasattr_(owner.value, name)
    if builtins.hasattr(None, name):
        return operators().if_exp(owner.is_none, lambda: True, lambda: has)
    there: Any = np.logical_and(np.logical_not(owner.is_none), has)
    return there._like_python(bool)


def setattr_(owner: Any, name: Any, value: Any, /) -> None:
    """`setattr`."""
    if isinstance(name, Chosen):
        name.each(lambda one: setattr_(owner, one, value))
        return
    _require_known(name)
    builtins.setattr(operators().changed(owner, name), name, value)


def delattr_(owner: Any, name: Any, /) -> None:
    """`delattr`."""
    if isinstance(name, Chosen):
        name.each(lambda one: delattr_(owner, one))
        return
    _require_known(name)
    builtins.delattr(operators().changed(owner, name), name)


def vars_(owner: Any) -> Any:
    """`vars` of an object."""
    note_whole(owner)
    require_bound(owner)
    return builtins.vars(owner)


def require_bound(owner: Any) -> None:
    """Refuse to look at all attributes of an object where one of them is there on some paths only."""
    for name, value in (getattr(owner, "__dict__", None) or {}).items():
        if isinstance(value, MaybeUnbound):
            raise UnsupportedError(
                f"all attributes of a {type(owner).__name__} object are looked at or given back, of which {name} is "
                "its own on some paths only: set it before"
            )


def dir_(owner: Any) -> list[str]:
    """`dir` of an object, which tells also what its classes have."""
    for one in (owner, *(owner if isinstance(owner, type) else type(owner)).__mro__):
        note_whole(one)
    return builtins.dir(owner)


def note_whole(owner: Any) -> None:
    """Take note that all attributes of an object are looked at."""
    if (noting := lookups()) is not None:
        noting.whole(owner)

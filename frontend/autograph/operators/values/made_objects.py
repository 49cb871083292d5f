"""Objects that converted code has made of the user's classes: where paths join, they are joined attribute by attribute.

As of dataclasses, only those are of whose classes Python alone makes, sets and deletes, and which do not lead to
themselves. An object from outside of the function stays the object that it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from functools import cache
from typing import Any

from .....dialect.errors import UnsupportedError, WeftError
from ....guards.inputs import BeginsAgain
from ....reach.walks import attributes_of
from ....source.modules import is_users_module, is_users_object, told
from ....source.own_attributes import has_fields
from ....tracing.current import current_trace
from ....tracing.recorder import Recorder
from .hidden_state import MadeObjects
from .looked_up import require_bound

_DEEPEST = 8
"""How many objects are within each other at most."""


def attributes_of_made(value: Any) -> dict[str, Any] | None:
    """The attributes of an object that is joined by them; None for anything else, and where objects are told apart."""
    kind: Any = type(value)
    if not _is_plain(kind):
        return None
    trace = current_trace()
    return _attributes(trace, value) if trace is not None and trace.choices.own_objects is None else None


def _attributes(trace: Recorder, value: Any) -> dict[str, Any] | None:
    """The attributes of an object that the recording has made, if they are all that it is."""
    kind: Any = type(value)
    is_one = _is_plain(kind) and is_made(trace, value) and not _leads_far(trace, value, ())
    return attributes_of(value) if is_one else None


def attributes_of_result(value: Any) -> dict[str, Any] | None:
    """The attributes of an object that was made and is returned; one that cannot be made again is refused."""
    trace = current_trace()
    if trace is None or not is_users_object(value) or not is_made(trace, value):
        return None
    kind: Any = type(value)
    attributes = attributes_of(value) if _is_plain(kind) else None
    if attributes is None and not isinstance(value, BaseException):
        raise UnsupportedError(
            f"the function makes a {type(value).__qualname__} object and returns it, which each call would give again: "
            "its class has a __new__, a metaclass with a __call__, or attributes of its own making. Return what it "
            "holds, and make it outside"
        )
    require_bound(value)
    return attributes


def attributes_to_copy(value: Any) -> dict[str, Any] | None:
    """The attributes of an object that is taken for what it holds, as they are now; None for anything else."""
    if has_fields(type(value)):
        return {
            field.name: getattr(value, field.name) for field in fields(value) if hasattr(value, field.name)
        }
    return attributes_of_made(value)


def tell_apart(trace: Recorder, values: Iterable[Any], refusal: WeftError) -> None:
    """Begin again, and tell objects apart, where one has been taken for what it holds, which is not enough."""
    if trace.choices.own_objects is None and any(_attributes(trace, value) is not None for value in values):
        raise BeginsAgain(own_objects=refusal)


def note_joined(value: Any) -> None:
    """Take note of an object that stands for those of several paths."""
    trace = current_trace()
    if trace is not None:
        trace.state(MadeObjects).places[id(value)] = (value, trace.region)
        trace.state(MadeObjects).joined.add(id(value))


@cache
def _is_plain(kind: Any) -> bool:
    """Whether the objects of a class of the user's are their attributes, which Python alone sets and gets."""
    return (
        is_users_module(kind.__module__)
        and not has_fields(kind)
        and kind.__new__ is object.__new__
        and kind.__setattr__ is object.__setattr__
        and kind.__delattr__ is object.__delattr__
        and kind.__getattribute__ is object.__getattribute__
        and told(kind, "__del__") is None
        and type(kind).__call__ is type.__call__
    )


def is_made(trace: Recorder, value: Any) -> bool:
    """Whether converted code has made an object while recording."""
    found = trace.state(MadeObjects).places.get(id(value))
    return found is not None and found[0] is value


def is_one_of_many(trace: Recorder, value: Any) -> bool:
    """Whether an object stands for those of several paths, or for those that the iterations of a loop make."""
    made = trace.state(MadeObjects)
    one, region = made.places.get(id(value), (None, None))
    return one is value and (id(value) in made.joined or (region is not None and region.loop is not None))


def _leads_far(trace: Recorder, value: Any, around: tuple[Any, ...]) -> bool:
    """Whether an object leads to itself, or through many others."""
    if len(around) > _DEEPEST or any(value is other for other in around):
        return True
    kind: Any = type(value)
    if kind in (list, tuple):
        parts = value
    elif kind is dict:
        parts = value.values()
    elif _is_plain(kind) and is_made(trace, value):
        parts = (attributes_of(value) or {}).values()
    else:
        return False
    return any(_leads_far(trace, part, (*around, value)) for part in parts)

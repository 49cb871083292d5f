"""Attributes of one of several objects, which a run-time condition has chosen: of each one, where it is that one."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from ....reach.walks import attributes_of
from ....runtime_values.results import RuntimeObject
from ....runtime_values.values import RuntimeValue
from ....tracing.array import TracedArray
from ....tracing.number_types import number_type
from ....tracing.recorder import Recorder
from ..interface import operators
from ..values.hidden_state import was_there
from ..values.optional import Chosen, Optional, thunk


def are_objects(trace: Recorder, options: Collection[Any]) -> bool:
    """Whether the options are objects whose attributes are followed, each of which is one for all runs of a loop.

    Constants may be among them, which have no attributes that change.
    """
    objects = [option for option in options if not isinstance(option, _CONSTANTS)]
    return bool(objects) and all(
        (isinstance(option, RuntimeObject) or was_there(trace, option))
        and not isinstance(option, (type, FunctionType, ModuleType))
        and attributes_of(option) is not None
        for option in objects
    )


_CONSTANTS = (int, float, complex, str, bytes, type(NotImplemented), type(...))


def class_in_python(option: Any) -> type:
    """The class of a value that may be chosen, as far as it says which methods there are."""
    if isinstance(option, TracedArray):
        number = number_type(option)
        return np.ndarray if number is None else number
    return option.python_type or object if isinstance(option, RuntimeValue) else type(option)


def called_on_chosen(owner: Chosen, method: Callable[..., Any], *args: Any) -> Any:
    """What a method gives, called on what was chosen: that itself where the method returns it (`return self`)."""
    itself = [Itself() for _ in owner.options]

    def called(one: Any, *given: Any) -> Any:
        result = method(one, *given)
        number = next((n for n, option in enumerate(owner.options) if option is one), None)
        return itself[number] if result is one and number is not None else result

    found = owner.with_others(called, *args)
    if not isinstance(found, Chosen) or not all(option in itself for option in found.options):
        return _with_itself(found, dict(zip(itself, owner.options, strict=True)))
    return owner


class Itself:
    """Stands for the object on which a method is called, among what it may return."""


def _with_itself(found: Any, options: dict[Itself, Any]) -> Any:
    """What a method gives, with the objects in the places of what stands for them."""
    if isinstance(found, Optional):
        return Optional(found.is_none, _with_itself(found.value, options))
    if isinstance(found, Chosen) and any(isinstance(option, Itself) for option in found.options):
        held = found.held | {n for n, option in enumerate(found.options) if isinstance(option, Itself)}
        return Chosen(found.index, tuple(_with_itself(option, options) for option in found.options), held)
    return options[found] if isinstance(found, Itself) else found


class ChosenAttributes:
    """Sets and deletes attributes of the object that was chosen."""

    __slots__ = ("_changed", "_owner")
    _owner: Chosen
    _changed: Callable[[Any, str], Any]

    def __init__(self, owner: Chosen, changed: Callable[[Any, str], Any]) -> None:
        object.__setattr__(self, "_owner", owner)
        object.__setattr__(self, "_changed", changed)

    def __setattr__(self, name: str, value: Any) -> None:
        self._each(lambda option: setattr(self._changed(option, name), name, value))

    def __delattr__(self, name: str) -> None:
        self._each(lambda option: delattr(self._changed(option, name), name))

    def _each(self, change: Callable[[Any], None]) -> None:
        for number, option in enumerate(self._owner.options):
            operators().if_(self._owner.index == number, thunk(partial(change, option)))

"""Attributes of one of several objects, which a run-time condition has chosen: of each one, where it is that one."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from types import FunctionType, ModuleType
from typing import Any

from ....reach.walks import attributes_of
from ....tracing.recorder import Recorder
from ..interface import operators
from ..values.hidden_state import was_there
from ..values.optional import Chosen


def are_objects(trace: Recorder, options: Collection[Any]) -> bool:
    """Whether all options are objects whose attributes are followed, each of which is one for all runs of a loop."""
    return all(was_there(trace, option) for option in options) and all(
        not isinstance(option, (type, FunctionType, ModuleType)) and attributes_of(option) is not None
        for option in options
    )


def of_chosen(owner: Chosen, read: Callable[[Any], Any]) -> Any:
    """What is read of the object that was chosen: a chain of conditions."""
    result: Callable[[], Any] = partial(read, owner.options[-1])
    for number, option in reversed(list(enumerate(owner.options[:-1]))):
        one, others = _thunk(partial(read, option)), _thunk(result)
        result = partial(operators().if_exp, owner.index == number, one, others)
    return result()


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
            operators().if_(self._owner.index == number, _thunk(partial(change, option)))


def _thunk(function: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: function()

"""What libraries note about themselves while they are traced as they are stays, and is no change of the program."""

from __future__ import annotations

from collections.abc import Iterable
from types import FunctionType
from typing import Any

import numpy as np

from ....runtime_values.values import RuntimeValue
from ....signature.traced_value import ArrayHolder, TracedValue
from ....source.modules import has_plain_modules, is_of_plain_module
from ....source.own_attributes import own_attributes
from ....tracing.recorder import Recorder

_CONTAINERS = (list, dict, set)
_DEPTH = 3


class Assigned:
    """What converted code changes in one recording: objects' attributes, by their names, and containers."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, str], Any] = {}

    def add(self, owner: Any, name: str = "") -> None:
        """An attribute of an object is set, or a container is changed."""
        self._known[id(owner), name] = owner

    def __contains__(self, place: tuple[Any, str]) -> bool:
        return (id(place[0]), place[1]) in self._known


class PlainContainers:
    """The lists, dicts and sets that only objects of such libraries lead to."""

    def __init__(self) -> None:
        self._known: dict[int, Any] = {}

    def __contains__(self, container: Any) -> bool:
        return id(container) in self._known

    def include(self, other: PlainContainers) -> None:
        """Know also what others are."""
        self._known |= other._known

    def look_into(
        self, value: Any, items: Iterable[Any], attributes: dict[str, Any] | None, seen: set[int]
    ) -> None:
        """Take note of the containers in an object, or in a container, unless something else led to them before."""
        if has_plain_modules() and (id(value) in self._known or _is_of_library(value)):
            for item in (*items, *(attributes or {}).values()):
                if isinstance(item, _CONTAINERS) and id(item) not in seen:
                    self._known[id(item)] = item

    def is_librarys(self, trace: Recorder | None, container: Any) -> bool:
        """Whether only a library changes a container, as one that it empties and fills at each call."""
        return container in self and (trace is None or (container, "") not in trace.state(Assigned))

    def is_programs(self, trace: Recorder | None, place: Any, old: Any, new: Any) -> bool:
        """Whether a change is one of the program's: not that of an attribute or container of a library's.

        It is where converted code has made it, and where compiled code computes what is or was there.
        """
        if not has_plain_modules():
            return True
        name = getattr(place, "attribute", "")
        holder = place.owner if name else getattr(place, "container", None)
        if not (_is_of_library(holder) if name else holder in self):
            return True
        if trace is not None and (holder, name) in trace.state(Assigned):
            return True
        return _is_traced(old, _DEPTH) or _is_traced(new, _DEPTH)


def note_changed(trace: Recorder | None, owner: Any, name: str = "") -> None:
    """Take note that converted code changes something."""
    if trace is not None and has_plain_modules():
        trace.state(Assigned).add(owner, name)


def _is_of_library(holder: Any) -> bool:
    return is_of_plain_module(holder if isinstance(holder, type) else type(holder))


def _is_traced(value: Any, depth: int) -> bool:
    """Whether something that compiled code computes is in a value, but for variables and objects of libraries.

    Variables are there when the program runs; in objects of libraries each attribute is looked at by itself.
    """
    if isinstance(value, (TracedValue, RuntimeValue)):
        return True
    if depth == 0 or isinstance(value, _LEAVES):
        return False
    if isinstance(value, (list, tuple, set, frozenset)):
        inside: Iterable[Any] = value
    elif isinstance(value, dict):
        inside = value.values()
    else:
        inside = () if _is_of_library(value) else own_attributes(value).values()
    return any(_is_traced(item, depth - 1) for item in inside)


_LEAVES = (str, int, float, complex, type(None), type, ArrayHolder, FunctionType, np.ndarray)

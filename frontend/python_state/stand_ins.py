"""Traced values that stand in places of Python's state while a trace is recorded: for what is read at each call."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Iterable
from typing import Any, TypeAlias

from ...dialect.records import NamedTuple
from ..autograph.library.deques import Deque
from ..autograph.operators.values.control_flow_state import control_flow
from ..autograph.operators.values.program_locations import Attribute, Entry, ProgramLocation, Slot
from ..guards.guards import Same
from ..guards.handles import Handle, Item, Linked, Member, entry_key
from ..reach.links import Link
from ..reach.walks import walk_of
from ..signature.named_tuples import with_items
from ..source.own_attributes import own_attributes
from ..tracing.recorder import Recorder
from .class_state import ClassState

Path: TypeAlias = "tuple[Any, ...]"
"""The keys that lead from a container to something in it."""


class _Met(NamedTuple):
    container: Any
    handle: Handle
    replaced: Any
    """The container with traced values in it: another one for a tuple."""
    paths: tuple[Path, ...]


class StandIns:
    """The places that hold traced values, and what they held."""

    def __init__(self, trace: Recorder, data: ClassState) -> None:
        self._trace = trace
        self._data = data
        self._old: list[tuple[Handle, Any]] = []
        self._met: dict[int, _Met] = {}

    def put(self, place: ProgramLocation, handle: Handle, value: Any) -> None:
        """Let a traced value stand in a place."""
        self._place(place, handle, value, self._data.stand_in(handle, value))

    def put_inside(
        self, place: ProgramLocation, handle: Handle, container: Any, is_of_attribute: bool
    ) -> frozenset[Path]:
        """Let traced values stand in a container, for what in it is data; returns the paths to that.

        In containers of attributes these are all arrays, as in attributes themselves; else what changed before.
        """
        replaced, paths = self._replaced(handle, container, is_of_attribute)
        if replaced is not container:
            self._place(place, handle, container, replaced)
        return frozenset(paths)

    def restore(self) -> None:
        """Give the places back what they held."""
        for handle, value in reversed(self._old):
            handle.set(value)

    def _place(self, place: ProgramLocation, handle: Handle, value: Any, traced: Any) -> None:
        self._old.append((handle, value))
        place.set(traced)
        # It is nothing that the function, or a branch or loop which is being recorded, has changed.
        for snapshot in (self._data.snapshot, *control_flow(self._trace).remembered):
            snapshot.put(place, traced)

    def _replaced(
        self, handle: Handle, container: Any, is_of_attribute: bool
    ) -> tuple[Any, tuple[Path, ...]]:
        """The container, with traced values in it, and the paths to them; a tuple is another one then."""
        if not _is_container(container):
            return container, ()
        met = self._met.get(id(container))
        if met is not None:
            self._data.guards.append(Same(handle, met.handle))
            return met.replaced, met.paths
        made = self._data.stand_in_of_deque(container) if type(container) is deque else container
        self._met[id(container)] = _Met(container, handle, made, ())  # it may hold itself
        replaced: dict[Any, Any] = {}
        paths: list[Path] = []
        for key, value in list(_entries(container)):
            place_key = entry_key(handle, container, key)
            is_data = self._data.is_data(place_key, value)
            is_data = is_data or (is_of_attribute and self._data.is_state(place_key, value))
            if not (_is_container(value) or is_data or is_of_attribute):
                continue
            place, inner = _inside(handle, container, key, made)
            if not (_is_container(value) or is_data):
                self._data.guard_elements(inner, value)
                continue
            if isinstance(place, Attribute):
                self._data.note_guarded(place.key())
            if _is_container(value):
                traced, further = self._replaced(inner, value, is_of_attribute)
                paths += [(key, *path) for path in further]
            else:
                traced = self._data.stand_in(inner, value)
                paths.append((key,))
            if isinstance(container, tuple):
                replaced[key] = traced
            elif traced is not value:
                self._place(place, inner, value, traced)
        changed = _with_items(container, replaced) if replaced else made
        self._met[id(container)] = _Met(container, handle, changed, tuple(paths))
        return changed, tuple(paths)

    def handle_of(self, deque_: Deque) -> Handle | None:
        """How the deque that something stands for is found at later calls, as one in a tuple, which no place holds."""
        return next((met.handle for met in self._met.values() if met.replaced is deque_), None)


def _is_container(value: Any) -> bool:
    return isinstance(value, (list, dict, tuple, deque)) or _is_in_python(value) or _leads_on(value)


def _leads_on(value: Any) -> bool:
    """Whether a value is compared by what it leads to, as methods of containers are."""
    walk = walk_of(value)
    return (
        walk is not None and walk.is_content and not isinstance(value, weakref.ref) and any(walk.links(value))
    )


def _is_in_python(value: Any) -> bool:
    walk = walk_of(value)
    return walk is not None and walk.is_in_python


def _entries(container: Any) -> Iterable[tuple[Any, Any]]:
    if _is_in_python(container):
        return own_attributes(container).items()
    if not isinstance(container, (list, dict, tuple, deque)):
        walk = walk_of(container)
        return (
            []
            if walk is None
            else [(way, part) for way, part in walk.links(container) if not _is_plain(part)]
        )
    return container.items() if isinstance(container, dict) else enumerate(container)


def _is_plain(part: Any) -> bool:
    """Whether nothing in a part can be data: a tuple or deque would be another one, which nobody can put there."""
    return isinstance(part, (tuple, deque)) or not _is_container(part)


def _inside(handle: Handle, container: Any, key: Any, made: Any) -> tuple[ProgramLocation, Handle]:
    """The place of something in a container, or in what stands for one, and how it is found again."""
    if isinstance(key, Link):
        return Slot(key.after(handle.name), []), Linked(key.after(handle.name), handle, key)
    if _is_in_python(container):
        name = f"{handle.name}.{key}"
        return Attribute(name, container, key), Member(name, handle, key)
    name = f"{handle.name}[{key!r}]"
    return Entry(name, made.items_of() if isinstance(made, Deque) else made, key), Item(name, handle, key)


def _with_items(items: Any, replaced: dict[int, Any]) -> Any:
    """A tuple with other items; itself, where they are the same."""
    changed = [replaced.get(index, item) for index, item in enumerate(items)]
    if all(one is other for one, other in zip(changed, items, strict=True)):
        return items
    return with_items(items, changed)

"""Guards as data: each tells a place, and what it held; they are made anew for what a process finds there."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..guards.captures import Capture
from ..guards.dependencies import is_users_object
from ..guards.guards import Content, Deep, Guard, Identity, Kind, Names, Plain, Same, guard_of
from ..guards.handles import Cell, Global, Handle, Item, Member
from ..guards.inputs import Input
from ..guards.unbound import UNBOUND
from .fingerprints import Fingerprints
from .parts import type_data, type_from
from .portable import Data, NotPortable
from .stored_handles import Places

HIDDEN_BYTES = 1 << 20
"""Arrays that a function makes while it is traced are stored with it up to this size."""


class GuardWriter:
    """Describes the guards, captures and inputs of one program."""

    def __init__(self, places: Places, fingerprints: Fingerprints) -> None:
        self._places = places
        self._fingerprints = fingerprints
        self._arrays: dict[int, Data] = {}
        """The places of arrays that were there before the trace, by identity."""

    def reach(self, guards: Sequence[Guard]) -> None:
        """Note the functions, objects and arrays that the places of guards hold, which lead to further places."""
        is_new = True
        while is_new:
            found = [self.note(handle, value) for guard in guards for handle, value in _contents(guard)]
            is_new = any(found)

    def note(self, handle: Handle, value: Any) -> bool:
        """Note what a place holds, if another process can find the place; returns whether that is new."""
        try:
            path = self._places.describe(handle)
        except NotPortable:
            return False
        is_new = self._places.reach(value, ("in", path))
        if isinstance(value, np.ndarray) and self._arrays.setdefault(id(value), path) != path:
            raise NotPortable("an array that two places hold")  # of which another process may have two
        return is_new

    def guard(self, guard: Guard) -> Data:
        """A guard."""
        if not guard.holds():
            raise NotPortable("state that changes while it is traced")
        describe = self._places.describe
        if isinstance(guard, Names):
            entries = tuple(
                (describe(handle), self._named(handle, value)) for handle, value in _contents(guard)
            )
            return ("names", entries)
        if isinstance(guard, Same):
            return ("same", describe(guard._one), describe(guard._other))
        handle = guard._handle  # type: ignore[attr-defined]
        if isinstance(guard, Kind):
            if guard._kind is not list:
                raise NotPortable("a place of which only the type is known")
            return ("kind", describe(handle))
        if isinstance(guard, Deep):
            skip = guard._skip
            return ("deep", describe(handle), tuple(sorted(skip, key=repr)), self._value(handle, skip))
        name = {Plain: "value", Identity: "value", Content: "content"}[type(guard)]
        return (name, describe(handle), self._value(handle))

    def _named(self, handle: Handle, value: Any) -> Data:
        if value is UNBOUND and isinstance(handle, Global):
            # Then the name is one of Python's own, or there is an error.
            return ("builtin", self._fingerprints.of(getattr(builtins, handle.variable, UNBOUND)))
        return self._fingerprints.named(_name_of(handle), value)

    def _value(self, handle: Handle, skip: frozenset[tuple[Any, ...]] = frozenset()) -> Data:
        return self._fingerprints.named(_name_of(handle), handle.get(), skip=skip)

    def capture(self, capture: Capture) -> Data:
        """An array from outside: where it is, or its elements if the trace made it."""
        path = self._arrays.get(id(capture.array))
        if path is not None:
            content = None if capture.content is None else capture.content
            return ("found", path, capture.user, type_data(capture.type), content)
        if capture.content is not None:
            return ("compiled in",)
        if capture.array.nbytes > HIDDEN_BYTES:
            raise NotPortable(f"an array of {capture.array.nbytes} bytes that it made while it was traced")
        return ("made", capture.user, type_data(capture.type), capture.array.tobytes())

    def extra(self, found: Capture | Input, captures: Sequence[Capture]) -> Data:
        """A further argument: a capture by its number, or an input."""
        if isinstance(found, Capture):
            return ("capture", next(i for i, capture in enumerate(captures) if capture is found))
        return ("input", self._places.describe(found.handle), type_data(found.type), found.kind_name)


def _name_of(handle: Handle) -> str | None:
    """The name by which code reads a place."""
    if isinstance(handle, Global):
        return handle.variable
    if isinstance(handle, Member):
        return handle.attribute
    return handle.name if isinstance(handle, Cell) else None


def _contents(guard: Guard) -> list[tuple[Handle, Any]]:
    """The places that a guard looks at, and the values there."""
    if isinstance(guard, Names):
        return [(handle, value) for handle, (_, value) in zip(guard._handles, guard._entries, strict=True)]
    if isinstance(guard, Same):
        return [(guard._one, guard._one.get()), (guard._other, guard._other.get())]
    handle: Handle = guard._handle  # type: ignore[attr-defined]
    return [*inside(handle, handle.get())]


def inside(handle: Handle, value: Any, depth: int = 0) -> list[tuple[Handle, Any]]:
    """A place, and those of what is in the containers that it holds."""
    found = [(handle, value)]
    if depth < 8 and isinstance(value, (list, tuple, dict)) and len(value) <= 1000:
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        for key, entry in entries:
            if (
                isinstance(entry, (list, tuple, dict, np.ndarray))
                or is_users_object(entry)
                or callable(entry)
            ):
                found += inside(Item(f"{handle.name}[{key!r}]", handle, key), entry, depth + 1)
    return found


def sharing(guards: Iterable[Guard], handles: Iterable[Handle], values: Iterable[Any]) -> tuple[int, ...]:
    """Which of the objects that guards, places and values hold are the same, as programs may ask by `is`.

    For each object the number of the first one that is the same.
    """
    found = [value for guard in guards if not isinstance(guard, Kind) for _, value in _contents(guard)]
    found += [value for handle in handles for _, value in inside(handle, handle.get())]
    first: dict[int, int] = {}
    objects = [value for value in [*found, *values] if _has_identity(value)]
    return tuple(first.setdefault(id(value), number) for number, value in enumerate(objects))


def _has_identity(value: Any) -> bool:
    return value is not UNBOUND and type(value) not in _WITHOUT_IDENTITY and not isinstance(value, np.generic)


_WITHOUT_IDENTITY = (type(None), bool, int, float, complex, str, bytes, tuple, frozenset, slice, range)


class GuardReader:
    """Makes guards, captures and inputs of data, for what is found now; raises NotPortable where that does not fit."""

    def __init__(self, places: Places, fingerprints: Fingerprints) -> None:
        self._places = places
        self._fingerprints = fingerprints

    def guard(self, data: Data) -> list[Guard]:
        """The guards of one description."""
        kind, *parts = data
        find = self._places.find
        if kind == "names":
            return self._names(parts[0])
        if kind == "same":
            same = Same(find(parts[0]), find(parts[1]))
            _require(same.holds())
            return [same]
        handle = find(parts[0])
        value = handle.get()
        if kind == "kind":
            _require(type(value) is list)
            return [Kind(handle, list)]
        skip = frozenset(map(tuple, parts[1])) if kind == "deep" else frozenset()
        self._require(value, parts[-1], skip)
        return [Content(handle, value)] if kind == "content" else [guard_of(handle, value, skip)]

    def _names(self, entries: Sequence[Data]) -> list[Guard]:
        guards: dict[int, Names] = {}
        for path, expected in entries:
            handle = self._places.find(path)
            if not isinstance(handle, Global):
                raise NotPortable("a name that is none")
            value = handle.get()
            if expected[0] == "builtin":
                _require(value is UNBOUND)
                self._require(getattr(builtins, handle.variable, UNBOUND), expected[1])
            else:
                self._require(value, expected)
            names = guards.setdefault(id(handle.namespace), Names(handle.namespace))
            names.add(handle, handle.variable, value)
        return [*guards.values()]

    def _require(self, value: Any, expected: Data, skip: frozenset[tuple[Any, ...]] = frozenset()) -> None:
        _require(self._fingerprints.of(value, skip=skip) == expected)

    def capture(self, data: Data) -> Capture | None:
        """A capture; None for one that needs no guard."""
        kind, *parts = data
        if kind == "compiled in":
            return None
        if kind == "made":
            user, described, content = parts
            type = type_from(described)
            array = np.frombuffer(content, type.dtype).reshape(type.shape).copy()
            return Capture.of(array, None, user, is_hidden=True)
        path, user, described, content = parts
        array, type = self._places.find(path).get(), type_from(described)
        _require(isinstance(array, np.ndarray) and array.dtype == type.dtype and array.shape == type.shape)
        _require(content is None or array.tobytes() == content)
        return Capture.of(array, None, user, is_hidden=content is None)

    def extra(self, data: Data, captures: Sequence[Capture | None]) -> Capture | Input:
        """A further argument."""
        kind, *parts = data
        if kind == "capture":
            capture: Capture | None = captures[parts[0]]
            if capture is None:
                raise NotPortable("an array that is not there")
            return capture
        path, type, name = parts
        return Input.restored(self._places.find(path), type_from(type), name)


def _require(holds: bool) -> None:
    if not holds:
        raise NotPortable("another value")


__all__ = ["GuardReader", "GuardWriter", "inside", "sharing"]

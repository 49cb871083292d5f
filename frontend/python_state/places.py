"""The places that held something before a trace: names, and what is in the containers and objects that it can reach."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count, repeat
from typing import Any, TypeAlias

from ..autograph.operators.values.program_locations import Attribute, Entry, ProgramLocation, Snapshot
from ..guards.handles import Handle


class Places:
    """The places of a snapshot, and the names that code reads, by the keys of their places."""

    def __init__(self, snapshot: Snapshot, named: Mapping[Any, tuple[ProgramLocation, Handle, Any]]) -> None:
        self._snapshot = snapshot
        self._named = named
        self._index: dict[int, list[_Held]] = {}

    def of(self, value: Any) -> Iterator[ProgramLocation]:
        """The places that held a value."""
        known = self._index.get(id(value))
        for owner, key, content in known or self._held():
            if content is value:
                yield _place(owner, key)

    @contextmanager
    def indexed(self) -> Iterator[None]:
        """Find values at once in a block, where thousands are asked for; others than those of now as always."""
        index = self._index
        for held in self._held():
            index.setdefault(id(held[-1]), []).append(held)
        try:
            yield
        finally:
            self._index = {}

    def _held(self) -> Iterator[_Held]:
        """What the places held, each with a place, or with what has it and its key there."""
        snapshot = self._snapshot
        named = ((place, content) for place, _, content in self._named.values())
        for place, content in (*snapshot.cells, *snapshot.globals.values(), *snapshot.contexts, *named):
            yield place, None, content
        tuples = [("", held, held) for held in snapshot.tuples]
        entries = (*snapshot.lists, *snapshot.dicts, *tuples)
        for kind, owners in (Entry, entries), (Attribute, snapshot.objects):
            for name, owner, before in owners:
                keys, contents = (before, before.values()) if isinstance(before, dict) else (count(), before)
                yield from zip(repeat((kind, name, owner)), keys, contents, strict=False)


_Held: TypeAlias = "tuple[Any, Any, Any]"
"""A place, None and what it held; or the kind of place with its owner and what that is called, the key, and that."""


def _place(owner: Any, key: Any) -> ProgramLocation:
    if isinstance(owner, ProgramLocation):
        return owner
    kind, name, container = owner
    return (
        Entry(f"{name}[{key!r}]", container, key)
        if kind is Entry
        else Attribute(f"{name}.{key}", container, key)
    )

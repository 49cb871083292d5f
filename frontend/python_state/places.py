"""The places that held something before a trace: names, and what is in the containers and objects that it can reach."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..autograph.operators.values.program_locations import Attribute, Entry, ProgramLocation, Snapshot
from ..guards.handles import Handle


class Places:
    """The places of a snapshot, and the names that code reads, by the keys of their places."""

    def __init__(self, snapshot: Snapshot, named: Mapping[Any, tuple[ProgramLocation, Handle, Any]]) -> None:
        self._snapshot = snapshot
        self._named = named
        self._index: dict[int, list[tuple[ProgramLocation, Any]]] = {}

    def of(self, value: Any) -> Iterator[ProgramLocation]:
        """The places that held a value."""
        known = self._index.get(id(value))
        yield from (place for place, content in known or self if content is value)

    @contextmanager
    def indexed(self) -> Iterator[None]:
        """Find values at once in a block, where thousands are asked for; others than those of now as always."""
        for place, content in self:
            self._index.setdefault(id(content), []).append((place, content))
        try:
            yield
        finally:
            self._index = {}

    def __iter__(self) -> Iterator[tuple[ProgramLocation, Any]]:
        """The places with what they held."""
        snapshot = self._snapshot
        yield from (*snapshot.cells, *snapshot.globals.values(), *snapshot.contexts)
        for place, _, content in self._named.values():
            yield place, content
        for name, items, before in snapshot.lists:
            for index, content in enumerate(before):
                yield Entry(f"{name}[{index}]", items, index), content
        for name, entries, saved in snapshot.dicts:
            for key, content in saved.items():
                yield Entry(f"{name}[{key!r}]", entries, key), content
        for held in snapshot.tuples:
            for index, content in enumerate(held):
                yield Entry(f"[{index}]", held, index), content
        for name, owner, attributes in snapshot.objects:
            for key, content in attributes.items():
                yield Attribute(f"{name}.{key}", owner, key), content

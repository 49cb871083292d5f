"""What is done while a trace is set aside: it stays done, and is no change that the compiled function makes."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ..autograph.operators.values.control_flow_state import control_flow
from ..autograph.operators.values.program_locations import (
    UNBOUND,
    Attribute,
    Changes,
    Entry,
    Items,
    KeyOrder,
    OrderOfKeys,
    ProgramLocation,
    Snapshot,
)
from .generators import state_of_functions
from .state import PythonState


class SetAside(PythonState):
    """The state that one trace reads and changes, which blocks change in which nothing is recorded."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.functions_before = state_of_functions()
        """What the functions of `random` draw of, before the trace."""

    def aside(self) -> Callable[[], None]:
        """Begin such a block; returns what ends it."""
        before = [(snapshot, _changes(snapshot)) for snapshot in self._snapshots()]
        self.dependencies.refuse("weft.init_scope, in which something is done while a function is traced")
        generators, functions = self._generators.states(), state_of_functions()

        def end() -> None:
            for snapshot, known in before:
                for key, (place, value) in _changes(snapshot).items():
                    if key not in known or not _is_same(known[key][1], value):
                        _accept(snapshot, place, value)
            self._generators.accept(generators)
            if functions == self.functions_before:
                self.functions_before = state_of_functions()

        return end

    def _snapshots(self) -> list[Snapshot]:
        return [self.snapshot, *control_flow(self._trace).remembered]


def _changes(snapshot: Snapshot) -> Changes:
    return {place.key(): (place, new) for place, _, new in snapshot.all_differences()}


def _is_same(one: Any, other: Any) -> bool:
    """Whether a place holds what it held, which may be all of a list or set, or the order of keys."""
    if isinstance(one, OrderOfKeys) and isinstance(other, OrderOfKeys):
        one, other = one.keys, other.keys
    if type(one) is type(other) is tuple:
        return len(one) == len(other) and all(map(operator.is_, one, other))
    return one is other or (type(one) is type(other) is frozenset and one == other)


def _accept(snapshot: Snapshot, place: ProgramLocation, value: Any) -> None:
    """Take it that a place held what it holds now, which may be all of a list or set, or nothing."""
    if isinstance(place, (Items, KeyOrder)):
        _accept_container(snapshot, place.container, place.name)
    elif value is not UNBOUND:
        snapshot.put(place, value)
    elif isinstance(place, (Attribute, Entry)):
        holder, key = (
            (place.owner, place.attribute) if isinstance(place, Attribute) else (place.container, place.index)
        )
        for _, owner, saved in (*snapshot.objects, *snapshot.dicts):
            if owner is holder:
                saved.pop(key, None)


def _accept_container(snapshot: Snapshot, held: Any, name: str) -> None:
    snapshot.follow(tuple(held), name)
    snapshot.lists = [(n, items, tuple(items) if items is held else b) for n, items, b in snapshot.lists]
    snapshot.sets = [(n, items, frozenset(items) if items is held else b) for n, items, b in snapshot.sets]
    for _, entries, saved in snapshot.dicts:
        for key in list(entries) if entries is held else ():
            saved[key] = saved.pop(key)

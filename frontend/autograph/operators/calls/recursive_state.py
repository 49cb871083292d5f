"""What lies outside of a function that calls itself and differs from call to call: they take it and give it back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any, TypeAlias

from .....dialect.errors import UnsupportedError
from .....dialect.mlir import Type, Value
from .....dialect.records import dataclass
from ....runtime_values.values import traced_in
from ....source.modules import is_own_module
from ....tracing.array import TracedArray
from ....tracing.may_alias import all_aliases
from ....tracing.recorder import Join, Recorder
from ..branches.retry_recording import keys_differ, lengths_differ
from ..values.abstract import carried_types, flatten, unflatten
from ..values.aliases import beside_data, note_aliases, same_value
from ..values.kinds import Kind, Mismatch
from ..values.looked_up import as_input
from ..values.mismatches import require_fit, shown_name
from ..values.program_locations import (
    Entry,
    Items,
    ProgramLocation,
    Snapshot,
    consume,
    locations_to_join,
    value_after,
)
from ..values.resolve_grown_lists import changes_of
from ..values.shared_containers import joined_kind, widened_kind

Places: TypeAlias = "dict[tuple[Any, ...], tuple[ProgramLocation, Kind]]"
"""Places by their keys, with the abstract types of what they hold."""


@dataclass
class State:
    """The places that differ, among those that the function could reach when it was defined."""

    snapshot: Snapshot
    places: Places = field(default_factory=dict)
    has_learned: bool = False
    """Whether there are more places, or wider types, than the present recording began with."""
    bound: list[tuple[ProgramLocation, Any]] = field(default_factory=list)
    """What stands for the places at the beginning of the present recording."""

    def learn(self, trace: Recorder) -> bool:
        """Take note of what is not as it was; returns whether some of that was not known."""
        changes = changes_of(trace, self.snapshot)
        places = {key: place for key, (place, _) in (*changes.items(), *self.places.items())}
        found = False
        for place in locations_to_join(places):
            old, now = self.snapshot.old_value(place), value_after(changes, place, self.snapshot)
            known = self.places.get(place.key())
            if known is None and same_value(old, now):
                continue
            kind = self._joined(trace, place, known and known[1], old, now)
            if known is None or kind != known[1]:
                self.places[place.key()] = place, kind
                found = self.has_learned = True
        return found

    def _joined(
        self, trace: Recorder, place: ProgramLocation, known: Kind | None, old: Any, now: Any
    ) -> Kind:
        if isinstance(place, Items):
            lengths_differ(place, [old, now])
        if isinstance(place, Entry):
            keys_differ(place, [old, now])
        try:
            if known is None:
                old = as_input(consume(trace, place, beside_data(old, [now])))
                kind = joined_kind([old, now], [old, now], self.snapshot.knows)
            else:
                kind = widened_kind(known, old, now, self.snapshot.knows)
            require_fit(place, kind)
        except Mismatch as mismatch:
            raise UnsupportedError(
                f"a function that calls itself under a run-time condition changes {shown_name(place.name)}, which "
                f"lives outside of it, to what compiled code cannot hand on: it is {mismatch}; return the new value"
            ) from None
        return kind

    def types(self) -> list[Type]:
        """The types of the values that calls take and give back."""
        return [type_ for _, kind in self.places.values() for type_ in carried_types(kind)]

    def values(self, trace: Recorder) -> list[Value]:
        """What the places hold now."""
        return [
            value
            for place, kind in self.places.values()
            for value in flatten(trace, as_input(consume(trace, place, place.get())), kind)
        ]

    def begin(self, trace: Recorder, parameters: Iterator[Value]) -> None:
        """Let the places hold what a call is given."""
        self.has_learned = False
        for place, kind in self.places.values():
            place.set(unflatten(trace, kind, parameters))
        self.bound = [(place, place.get()) for place, _ in self.places.values()]

    def end(self, result: Any, is_copy: bool) -> None:
        """Refuse what the caller would not see: arrays of other names that are written, or returned.

        A copy would have returned what a place holds at the end, too.
        """
        storages = [array._storage for array in _arrays_in(result)]
        returned = {id(one) for storage in storages for one in (storage, *all_aliases(storage))}
        for place, start in self.bound:
            for array in _arrays_in([start, place.get()] if is_copy else start):
                is_own = is_own_module(type(getattr(place, "owner", None)).__module__)
                if (array._storage.ref is not None and not is_own) or id(array._storage) in returned:
                    raise UnsupportedError(
                        f"a function that calls itself under a run-time condition writes or returns an array that it "
                        f"finds in {shown_name(place.name)}, which holds another one in other calls: pass it the array"
                    )

    def take(self, trace: Recorder, results: Iterator[Value]) -> None:
        """Let the places hold what a call gave back."""
        for place, kind in self.places.values():
            old, value = place.get(), unflatten(trace, kind, results)
            note_aliases(Join(), value, [old])
            place.set(value)


def _arrays_in(value: Any) -> Iterator[TracedArray]:
    return (leaf for leaf in traced_in(value, depth=8) if isinstance(leaf, TracedArray) and leaf.ndim)

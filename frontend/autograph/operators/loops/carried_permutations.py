"""Arrays that change places in a loop: `u, v = v, u`, and what that means for arrays that others can see.

A loop carries the elements of its arrays. When a name is bound to another array of the loop at the end of each
iteration, and one of them is written in place, then it depends on the number of iterations which of the arrays from
before the loop holds which elements afterwards. For arrays that only the loop knows this does not matter. The
others get their elements back behind the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from .....dialect.errors import UnsupportedError
from .....dialect.records import dataclass
from ....tracing.array import TracedArray
from ....tracing.may_alias import all_aliases, connect, disconnect
from ....tracing.recorder import Join, Recorder, Storage
from ..branches.branches import stage_if
from ..values.aliases import is_visible, sees_any
from ..values.program_locations import ProgramLocation

Key = tuple[Any, ...]


class CarriedArray(Protocol):
    """What this module looks at of a place that a loop carries."""

    place: ProgramLocation
    initial: Any


@dataclass
class Permutation:
    """Arrays that change places in a cycle."""

    places: list[ProgramLocation]
    storages: list[Storage]
    """The arrays that the places hold before the loop."""

    @property
    def order(self) -> int:
        """After so many iterations every array is back in its place."""
        return len(self.places)

    def give_back(self, trace: Recorder, turn: Any) -> None:
        """Write what the arrays from before the loop hold after it; `turn` counts iterations modulo the order."""
        values = [place.get() for place in self.places]
        for value in values:
            disconnect(value._storage)
        contents = []
        for number, storage in enumerate(self.storages):
            if is_visible(storage):
                # After t iterations the place t steps before holds the array.
                held = [values[(number - t) % self.order] for t in range(self.order)]
                contents.append((storage, _chosen(trace, turn, held)))
        for storage, content in contents:
            TracedArray(storage)._write(content)
        join = Join(sees_any)
        for number, value in enumerate(values):
            turns = range(self.order)
            connect(value._storage, join, [self.storages[(number + t) % self.order] for t in turns])


def _chosen(trace: Recorder, turn: Any, values: list[Any]) -> Any:
    """The value of a number."""
    chosen = values[-1]
    for number, value in reversed(list(enumerate(values[:-1]))):
        bodies: tuple[Callable[[], Any], Callable[[], Any]] = (_constant(value), _constant(chosen))
        chosen = stage_if(trace, np.equal(turn, number), bodies, (), wants_result=True)[1]
    return chosen


def _constant(value: Any) -> Callable[[], Any]:
    return lambda: value


def find_permutations(
    carried: Mapping[Key, CarriedArray],
    bound: Mapping[Key, Any],
    ends: Mapping[Key, Any],
    versions: Mapping[Key, int | None],
) -> list[Permutation]:
    """The cycles of arrays that are written in a loop and can be seen behind it.

    `bound` is what the places hold at the start of the body, `ends` at its end; `versions` are those that arrays
    from before the loop had when it began. What cannot be given back is an `UnsupportedError`.
    """
    stored = {value._storage for value in bound.values() if isinstance(value, TracedArray)}
    for key, value in bound.items():
        _require_one_array(carried[key], value, ends.get(key), versions.get(key), stored)
    arrays = {
        key: value
        for key, value in bound.items()
        if isinstance(value, TracedArray) and value.ndim and isinstance(carried[key].initial, TracedArray)
    }
    by_storage = {id(value._storage): key for key, value in arrays.items()}
    written = [key for key, value in arrays.items() if value._storage.ref is not None]
    permutations: dict[frozenset[Key], Permutation] = {}
    for key in written:
        orbit, is_cycle = _orbit(key, ends, by_storage)
        storages = [carried[k].initial._storage for k in orbit]
        seen = [storage for storage in storages if is_visible(storage)]
        if not seen:
            continue
        whole = all(not carried[k].initial._path for k in orbit) and len(set(map(id, storages))) == len(
            storages
        )
        same_type = all(carried[k].initial.type == bound[k].type for k in orbit)
        if not (is_cycle and whole and same_type):
            raise _refusal(carried[key].place, seen[0])
        if len(orbit) > 1:
            permutations.setdefault(
                frozenset(orbit), Permutation([carried[k].place for k in orbit], storages)
            )
    return list(permutations.values())


def version_of(initial: Any) -> int | None:
    """How often an array from before a loop was written; None for other values."""
    return initial._storage.version if isinstance(initial, TracedArray) else None


def _until(storage: Storage, last: Container[Storage]) -> Iterator[Storage]:
    """A storage and what it may be, up to the last ones."""
    yield storage
    if storage not in last:
        for source in storage.aliases.by_path:
            if source is not None:
                yield from _until(source, last)


def _require_one_array(
    carried: CarriedArray, bound: Any, end: Any, version: int | None, carried_storages: Container[Storage]
) -> None:
    """Refuse to write, in some iterations, to an array that was there before the loop and is not carried as that."""
    if not isinstance(bound, TracedArray) or not bound.ndim:
        return
    initial, body = carried.initial, bound._storage.region
    is_written = bound._storage.ref is not None
    if isinstance(initial, np.ndarray) and is_written:
        raise _refusal(carried.place, None)  # from outside, and not read at each call
    if version is not None and version_of(initial) != version:
        raise _refusal(carried.place, initial._storage)  # written under another name
    if is_written and isinstance(end, np.ndarray):
        raise _refusal(carried.place, None)
    if is_written and isinstance(end, TracedArray):
        for storage in _until(end._storage, carried_storages):
            if not storage.region.is_inside(body) or storage.aliases.is_outside:
                raise _refusal(carried.place, storage)


def _orbit(key: Key, ends: Mapping[Key, Any], by_storage: Mapping[int, Key]) -> tuple[list[Key], bool]:
    """Whose arrays a place may hold in later iterations, and whether it comes back to its own."""
    orbit = [key]
    while True:
        end = ends.get(orbit[-1])
        if not isinstance(end, TracedArray):
            return orbit, False
        following = by_storage.get(id(end._storage))
        if following is None or end._path:
            mixed = [by_storage[id(s)] for s in all_aliases(end._storage) if id(s) in by_storage]
            return [*orbit, *(k for k in mixed if k not in orbit)], False
        if following == key:
            return orbit, True
        if following in orbit:
            return orbit, False
        orbit.append(following)


class WritesOthers(UnsupportedError):
    """A loop writes to an array from before it in some iterations, perhaps the first alone, and to others in others."""


def _refusal(place: ProgramLocation, storage: Storage | None) -> WritesOthers:
    made_at = None if storage is None else storage.made_at
    return WritesOthers(
        f"this loop writes in place to {place.name!r}, which is an array of the program outside of the loop (made at "
        f"{made_at or 'the entry'}) in some iterations and another one in others; make a copy before the loop "
        f"({place.name} = {place.name}.copy()), or write into one array all the time ({place.name}[...] = ...)"
    )

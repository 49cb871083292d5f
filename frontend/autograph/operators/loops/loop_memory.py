"""What is remembered of staged loops besides lists that grow: what they carry from iteration to iteration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from .....dialect.records import NamedTuple, dataclass, replace
from ....tracing.array import TracedArray
from ..branches.memory import Memory, Watched
from ..values.abstract import kind_of
from ..values.aliases import is_available
from ..values.array_kinds import as_array_kind
from ..values.control_flow_state import ConstructKey, ControlFlowState, Remembered
from ..values.kinds import ArrayKind, Container, Kind
from ..values.own_variables import inner_places, labelled_variables, own_variables, ways_to
from ..values.program_locations import Attribute, Entry, ProgramLocation, Slot, Snapshot
from ..values.shared_containers import holds_container


@dataclass
class Carried:
    """A place that a loop carries."""

    place: ProgramLocation
    initial: Any
    kind: Kind


def kinds_of(carried: dict[tuple[Any, ...], Carried]) -> list[tuple[ProgramLocation, Kind]]:
    """Places with the abstract types of what is carried in them."""
    return [(one.place, one.kind) for one in carried.values()]


class Candidate(NamedTuple):
    """A place that a loop may have to carry."""

    place: ProgramLocation
    value: Any
    before: Kind | None
    """With what abstract type it was carried when the loop was recorded before."""
    now: ArrayKind | None
    """With which it is to be carried where iterations with other values changed it."""


class LoopMemory(Memory):
    """What is known of a loop from when it was recorded before, with these or with other values."""

    def __init__(self, flow: ControlFlowState, watched: Watched, key: ConstructKey) -> None:
        super().__init__(flow, watched, key)
        self._grown: list[Any] = []
        """What began to grow in this loop."""

    @property
    def _first(self) -> Remembered:
        """The values that it began with in vain."""
        return self._flow.begun_in_vain.setdefault(self.key[1:], Remembered(self._codes))

    # How to begin

    @contextmanager
    def begins_anew(self, yes: bool) -> Iterator[None]:
        """While the loop is recorded for which the first iteration is recorded by itself if it is refused."""
        before, self._flow.begins_anew = self._flow.begins_anew, self.key if yes else None
        try:
            yield
        finally:
            self._flow.begins_anew = before

    @property
    def is_refused(self) -> bool:
        """Whether to refuse a loop with all that is wrong with it, and not mend what can be."""
        return self._flow.begins_anew == self.key

    def forget_begin(self) -> None:
        """Forget how it began, for it was not that."""
        self._flow.begun_in_vain.pop(self.key[1:], None)

    def candidates(self, snapshot: Snapshot, slots: Iterable[Slot]) -> Iterator[Candidate]:
        """The places that may have to be carried, each perhaps several times."""
        known, own = self._flow.loop_kinds.get(self.key), own_variables(self._watched)
        for place, value, kind in self._places(known or self.alike, snapshot, slots):
            is_same = known is not None and (place.key() in own or not place.is_variable)
            yield Candidate(place, value, kind if is_same else None, None if is_same else _now(value, kind))

    def _places(
        self, known: Remembered, snapshot: Snapshot, slots: Iterable[Slot], with_absent: bool = False
    ) -> Iterator[tuple[ProgramLocation, Any, Kind | None]]:
        """Variables, what is remembered of attributes and entries, and slots, each with what is remembered of it."""
        for label, place, value in labelled_variables(self._watched, snapshot):
            yield place, value, known.variables.get(label)
        yield from inner_places(known.inside, snapshot, with_absent)
        for slot in slots:
            yield slot, slot.get(), known.slots.get(slot.name)

    def grown(self, snapshot: Snapshot) -> Iterator[tuple[ProgramLocation, Any, Kind]]:
        """What is changed of the containers that begin to grow in the loop, with the abstract types that it gets."""
        for label, owner, held in snapshot.objects if self._grown else ():
            if any(one is owner for one in self._grown):
                for name, value in held.items():
                    kind = as_array_kind(kind_of(value)) or _of_any_room(kind_of(value))
                    yield Attribute(f"{label}.{name}", owner, name), value, kind

    # What was found

    def note_grown(self, container: Any) -> None:
        """Note a container that begins to grow in the loop."""
        self._grown.append(container)

    def remember(
        self, snapshot: Snapshot, carried: Iterable[tuple[ProgramLocation, Kind]], slots: Iterable[Slot]
    ) -> None:
        """Start from these types when the loop is recorded again, as part of a loop around it."""
        known = Remembered(self._codes)
        self._note(known, snapshot, carried, slots)
        self._flow.loop_kinds[self.key] = known
        self._note(self.alike, snapshot, carried, slots)

    def note_tried(
        self,
        snapshot: Snapshot,
        carried: Iterable[tuple[ProgramLocation, Kind]],
        differing: Iterable[tuple[ProgramLocation, Any]],
        slots: Iterable[Slot],
    ) -> None:
        """Note what a recording found that came to nothing, and the places with values unlike those from before."""
        later = [(place, kind_of(end)) for place, end in differing if isinstance(end, TracedArray)]
        self._note(self.alike, snapshot, [*carried, *later], slots)
        self._note(self._first, snapshot, [(p, kind_of(snapshot.old_value(p))) for p, _ in differing], ())

    def begins_apart(self) -> bool:
        """Whether the loop begins with values that were found unlike those that its iterations leave."""
        first = self._first
        if not first.variables and not first.inside:
            return False
        snapshot = Snapshot.of(self._watched)
        found = self._places(first, snapshot, (), with_absent=True)
        return any(kind is not None and kind == kind_of(value) for _, value, kind in found)

    def note_iteration(self, before: Snapshot) -> None:
        """Note what an iteration has changed that was recorded by itself."""
        differences = before.all_differences()
        changed = [(place, kind_of(now)) for place, _, now in differences if isinstance(now, TracedArray)]
        self._note(self.alike, before, changed, ())

    def _note(
        self,
        known: Remembered,
        snapshot: Snapshot,
        carried: Iterable[tuple[ProgramLocation, Kind]],
        slots: Iterable[Slot],
    ) -> None:
        labels = {place.key(): label for label, place, _ in labelled_variables(self._watched, snapshot)}
        ways = {(way[0], id(owner)): way for way, owner, _ in ways_to(snapshot)}
        own_slots = {slot.key() for slot in slots}
        for place, kind in carried:
            if holds_container(kind):
                continue
            key = place.key()
            if key in labels:
                known.variables[labels[key]] = kind
            elif key in own_slots:
                known.slots[place.name] = kind
            elif isinstance(place, Attribute) and (way := ways.get((Attribute, id(place.owner)))):
                known.inside.setdefault(way, {})[place.attribute] = kind
            elif isinstance(place, Entry) and (way := ways.get((Entry, id(place.container)))):
                known.inside.setdefault(way, {})[place.index] = kind


def _now(value: Any, known: Kind | None) -> ArrayKind | None:
    """The abstract type of data that iterations with other values changed, and left as something like `known`."""
    if known is None or not isinstance(value, TracedArray) or not is_available(value):
        return None
    kind = as_array_kind(kind_of(value))
    if kind is None or not isinstance(known, ArrayKind):
        return kind
    return replace(kind, order=known.order) if known.type.rank == kind.type.rank else kind


def _of_any_room(kind: Kind) -> Kind:
    """The abstract type of the columns of a list in which there is room for any number of items."""
    if isinstance(kind, ArrayKind):
        shape = (None, *kind.type.shape[1:])
        return replace(kind, type=kind.type.with_shape(shape))
    assert isinstance(kind, Container), "columns in a tuple"
    return replace(kind, children=tuple(map(_of_any_room, kind.children)))

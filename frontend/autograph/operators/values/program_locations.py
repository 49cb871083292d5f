"""What a branch or a loop body can change: variables, list and dict entries, attributes.

Before a body is recorded, everything mutable that it can reach is remembered; afterwards the differences are
its effect on Python state, and can be taken back. So a helper that changes an attribute is seen as well as an
assignment to a variable.
"""

from __future__ import annotations

import contextvars
import copy
import operator
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from .....dialect.errors import UnsupportedError
from .....dialect.records import dataclass
from ....guards.unbound import UNBOUND as UNBOUND  # the other operators take it from here
from ....reach.links import Link
from ....reach.walks import Keeps, Walk, attributes_of, walk_of
from ....source.code_table import assigned_globals
from ....source.modules import is_own_module
from ....source.own_attributes import (
    delete_own_attribute,
    own_attribute,
    python_function_of,
    set_own_attribute,
)
from ....tracing.array import TracedArray
from ....tracing.current import current_trace
from ....tracing.recorder import Recorder
from ....tracing.regions import Region
from ...convert.build import RETURNED
from .optional import Chosen, MaybeUnbound, Optional
from .plain_places import PlainContainers
from .unchanged_values import LEAVES, PLAIN, changed_entries, in_order, is_changed, refill


@dataclass(frozen=True)
class ProgramLocation:
    """Something that holds a value, by the user's name for it."""

    name: str

    def key(self) -> tuple[Any, ...]:
        """Equal for equal places."""
        raise NotImplementedError

    def get(self) -> Any:
        """The value, or `UNBOUND`."""
        raise NotImplementedError

    def set(self, value: Any) -> None:
        """Store a value; `UNBOUND` removes it."""
        raise NotImplementedError

    @property
    def is_variable(self) -> bool:
        """Whether a name of a function is meant, which converted code reads with care."""
        return False

    @property
    def is_returned(self) -> bool:
        """Whether it is where converted code keeps what a function returns."""
        return self.is_variable and self.name == RETURNED


@dataclass(frozen=True)
class Variable(ProgramLocation):
    """A variable that a body shares with the function around it."""

    cell: types.CellType

    def key(self) -> tuple[Any, ...]:
        return (id(self.cell),)

    def get(self) -> Any:
        try:
            return self.cell.cell_contents
        except ValueError:
            return UNBOUND

    def set(self, value: Any) -> None:
        if value is UNBOUND:
            if self.get() is not UNBOUND:
                del self.cell.cell_contents
        else:
            self.cell.cell_contents = value

    @property
    def is_variable(self) -> bool:
        return True


@dataclass(frozen=True)
class Entry(ProgramLocation):
    """An entry of a dict or list."""

    container: Any
    index: Any

    def key(self) -> tuple[Any, ...]:
        return (id(self.container), self.index)

    def get(self) -> Any:
        try:
            return self.container[self.index]
        except (KeyError, IndexError):
            return UNBOUND

    def set(self, value: Any) -> None:
        if value is UNBOUND:
            self.container.pop(self.index, None)
        else:
            self.container[self.index] = value


@dataclass(frozen=True)
class Attribute(ProgramLocation):
    """An attribute of an instance."""

    owner: Any
    attribute: str

    def key(self) -> tuple[Any, ...]:
        return (id(self.owner), "." + self.attribute)

    def get(self) -> Any:
        try:
            return own_attribute(self.owner, self.attribute)
        except AttributeError:
            return UNBOUND

    def set(self, value: Any) -> None:
        if value is UNBOUND:
            delete_own_attribute(self.owner, self.attribute)
        else:
            set_own_attribute(self.owner, self.attribute, value)


@dataclass(frozen=True)
class ContextValue(ProgramLocation):
    """The value of a variable of the context."""

    variable: contextvars.ContextVar[Any]

    def key(self) -> tuple[Any, ...]:
        return (id(self.variable), "value")

    def get(self) -> Any:
        try:
            return self.variable.get()
        except LookupError:
            return UNBOUND

    def set(self, value: Any) -> None:
        if value is UNBOUND:
            raise UnsupportedError(
                f"{self.name or self.variable.name} is set in a branch or loop that run-time values decide on, and has "
                "no value before: give it one first, as compiled code cannot take it away again"
            )
        self.variable.set(value)


def consume(trace: Recorder, place: ProgramLocation, value: Any) -> Any:
    """Take note that the value which a place had before a branch or loop matters; returns what stands for it."""
    if isinstance(place, Attribute) and trace.python_state is not None and value is not UNBOUND:
        return trace.python_state.attribute(place.owner, place.attribute, value)
    return value


@dataclass(frozen=True, eq=False)
class Slot(ProgramLocation):
    """A value of the staged code itself, which loops carry like the user's."""

    content: list[Any]

    def key(self) -> tuple[Any, ...]:
        return (id(self.content), "slot")

    def get(self) -> Any:
        return self.content[0]

    def set(self, value: Any) -> None:
        self.content[0] = value


@dataclass(frozen=True)
class Items(ProgramLocation):
    """All items of a list or set, where their number changed."""

    container: Any

    def key(self) -> tuple[Any, ...]:
        return (id(self.container), "[:]")

    def get(self) -> Any:
        return tuple(self.container)

    def set(self, value: Any) -> None:
        if isinstance(self.container, list):
            self.container[:] = value
        else:
            self.container.clear()
            self.container.update(value)


@dataclass(frozen=True)
class KeyOrder(ProgramLocation):
    """The order of the keys of a dict, where keys from before have changed places."""

    container: dict[Any, Any]

    def key(self) -> tuple[Any, ...]:
        return (id(self.container), KeyOrder)  # no key of a user's dict

    def get(self) -> Any:
        return OrderOfKeys(self.container)

    def set(self, value: Any) -> None:
        if not isinstance(value, OrderOfKeys):
            raise UnsupportedError(
                f"the order of the keys of {self.name} depends on a run-time condition: compiled code cannot follow "
                "it; take keys out and put them in again on all paths, or on none"
            )
        entries = dict(self.container)
        self.container.clear()
        self.container.update({key: entries.pop(key) for key in value.keys if key in entries})
        self.container.update(entries)


class OrderOfKeys:
    """The keys of a dict in order, as one constant."""

    def __init__(self, keys: Iterable[Any]) -> None:
        self.keys = tuple(keys)


@dataclass(eq=False)
class Snapshot:
    """The values of all places that some functions can reach."""

    cells: list[tuple[Variable, Any]] = field(default_factory=list)
    lists: list[tuple[str, list[Any], tuple[Any, ...]]] = field(default_factory=list)
    sets: list[tuple[str, set[Any], frozenset[Any]]] = field(default_factory=list)
    dicts: list[tuple[str, dict[Any, Any], dict[Any, Any]]] = field(default_factory=list)
    objects: list[tuple[str, Any, dict[str, Any]]] = field(default_factory=list)
    tuples: list[tuple[Any, ...]] = field(default_factory=list)
    slots: list[tuple[Slot, Any]] = field(default_factory=list)
    globals: dict[tuple[Any, ...], tuple[Entry | Attribute, Any]] = field(default_factory=dict)
    buffers: list[tuple[str, Any, Any]] = field(default_factory=list)
    """Collections that compiled code cannot change, with copies."""
    contexts: list[tuple[ContextValue, Any]] = field(default_factory=list)
    links: dict[int, tuple[Any, Any, Link]] = field(default_factory=dict)
    """By identity what is found by no name, index or attribute, with what leads to it, and how."""
    opaque: dict[int, Any] = field(default_factory=dict)
    """By identity what nothing is known of that it leads to."""
    plain: PlainContainers = field(default_factory=PlainContainers)
    """The lists, dicts and sets of libraries whose code is traced as it is."""
    region: Region | None = None
    """What was being recorded."""
    _seen: set[int] = field(default_factory=set)

    @classmethod
    def of(
        cls,
        functions: Iterable[Callable[..., Any] | None],
        slots: Iterable[Slot] = (),
        region: Region | None = None,
    ) -> Snapshot:
        """Remember what the functions can reach through their variables and the globals that they assign."""
        snapshot = cls(slots=[(slot, slot.get()) for slot in slots], region=region)
        for function in functions:
            if function is not None:
                snapshot.follow(function, "")
        return snapshot

    def copied(self) -> Snapshot:
        """What is remembered here, but for the slots, as a snapshot of its own."""
        held = {name: copy.copy(value) for name, value in vars(self).items() if name != "_old"}
        held["slots"] = []
        for name in ("dicts", "objects"):
            held[name] = [(label, owner, dict(saved)) for label, owner, saved in held[name]]
        return Snapshot(**held)

    def include(self, other: Snapshot) -> None:
        """Remember also what is now in the places that another snapshot knows."""
        self.plain.include(other.plain)
        for variable, _ in other.cells:
            self._add_cell(variable)
        for place, _ in other.globals.values():
            self.add_name(place)
        for name, container, _ in (
            *other.lists, *other.sets, *other.dicts, *other.objects, *other.buffers,
        ):  # fmt: skip
            self.follow(container, name)
        for known, _ in other.contexts:
            self.follow(known.variable, known.name)

    def values(self) -> Iterator[Any]:
        """Every value that was remembered."""
        for _, value in self._single():
            yield value
        for held in self.tuples:
            yield from held
        for _, _, items in self.lists:
            yield from items
        for _, _, entries in self.dicts:
            yield from entries.values()
        for _, _, attributes in self.objects:
            yield from attributes.values()

    def _single(self) -> list[tuple[ProgramLocation, Any]]:
        """The places that hold one value each, with that value."""
        return [*self.cells, *self.slots, *self.globals.values(), *self.contexts]

    def variables(self) -> Iterator[tuple[Variable, Any]]:
        """The variables of functions, with their values."""
        yield from self.cells

    def changes(self) -> Changes:
        """The places whose value is another one now, with that value."""
        for name, buffer, saved in self.buffers:
            if is_changed(buffer, saved):
                kind = type(buffer).__name__
                raise UnsupportedError(
                    f"{name or 'something'} is a {kind}, and changed where compiled code would have to change it when "
                    "it runs, which it cannot: use a list or an array"
                )
        return {place.key(): (place, new) for place, _, new in self._differences()}

    def old_value(self, place: ProgramLocation, unknown: Any = UNBOUND) -> Any:
        """What a place held; `UNBOUND` for one that did not exist, or what is given for one that is not known."""
        if isinstance(place, Entry) and isinstance(place.container, list):
            before = self._old.get((id(place.container), "[:]"), ())
            return before[place.index] if -len(before) <= place.index < len(before) else unknown
        return self._old.get(place.key(), unknown)

    def restore(self) -> None:
        """Take all changes back."""
        for _, buffer, saved in self.buffers:
            if is_changed(buffer, saved):
                refill(buffer, saved)
        for place, old, _ in list(self._differences()):
            place.set(old)
        for name, entries, saved in self.dicts:
            is_moved = any(one is not other for one, other in zip(entries, saved, strict=False))
            if is_moved and entries not in self.plain:
                KeyOrder(name, entries).set(OrderOfKeys(saved))

    def knows(self, value: Any) -> bool:
        """Whether an object was reachable."""
        return id(value) in self._seen

    def had(self, value: Any) -> bool:
        """Whether an object was reachable, or an array was made before."""
        if isinstance(value, TracedArray):
            return self.region is not None and _was_made_for(value, self.region)
        return self.knows(value)

    def replace(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Store another object wherever one was reachable, for each pair of these."""
        others = {id(old): (old, new) for old, new in pairs}
        if not others:
            return
        places: list[ProgramLocation] = [place for place, _ in self._single()]
        for name, items, before in self.lists:
            if not others.keys().isdisjoint(map(id, list.__iter__(items))):
                places += [Entry(name, items, i) for i in range(len(before))]
        places += [Entry(name, entries, key) for name, entries, saved in self.dicts for key in saved]
        places += [
            Attribute(name, owner, key) for name, owner, attributes in self.objects for key in attributes
        ]
        for place in places:
            held = place.get()
            old, new = others.get(id(held), (None, None))
            if old is held and old is not None:
                place.set(new)

    def put(self, place: ProgramLocation, value: Any) -> None:
        """Take it that a place held another value."""
        key = place.key()
        self.follow(value, place.name)
        if isinstance(place, Variable):
            self.cells = [(cell, value if cell.key() == key else old) for cell, old in self.cells]
        elif isinstance(place, ContextValue):
            self.contexts = [(known, value if known.key() == key else old) for known, old in self.contexts]
        elif isinstance(place, Attribute):
            for _, owner, attributes in self.objects:
                if owner is place.owner and place.attribute not in ("__defaults__", "__kwdefaults__"):
                    attributes[place.attribute] = value
        elif isinstance(place, Entry):
            if key in self.globals:
                self.globals[key] = (place, value)
            for _, entries, saved in self.dicts:
                if entries is place.container:
                    saved[place.index] = value
            for number, (name, items, before) in enumerate(self.lists):
                if items is place.container:
                    changed = (*before[: place.index], value, *before[place.index + 1 :])
                    self.lists[number] = (name, items, changed)

    # Walking

    def follow(self, value: Any, name: str) -> None:
        """Remember all that a value holds."""
        pending: list[tuple[Any, str]] = [(value, name)]
        self.__dict__.pop("_old", None)
        while pending:
            value, name = pending.pop()
            if isinstance(value, LEAVES) or id(value) in self._seen:
                if isinstance(value, np.ndarray) and value.dtype.hasobject and id(value) not in self._seen:
                    self._seen.add(id(value))
                    pending += [(item, name) for item in value.flat]
                continue
            self._seen.add(id(value))
            pending.extend(self._visit(python_function_of(value) or value, name))

    def _visit(self, value: Any, name: str) -> list[tuple[Any, str]]:
        """Remember one object; returns what it leads to."""
        if isinstance(value, Chosen):
            return [(option, name) for option in value.options]
        if isinstance(value, (MaybeUnbound, Optional)):
            return [(value.value, name)]
        walk = walk_of(value)
        if isinstance(value, types.FunctionType):
            self._visit_function(value, is_body=not name)
        found: list[tuple[Any, str]] = []
        if walk is not None:
            self._keep(walk, value, name)
            if type(value) is not list or not PLAIN.issuperset(map(type, value)):
                found = [
                    (item, f"{name}[{key!r}]") for key, item in walk.entries(value) if type(item) not in PLAIN
                ]
            found += [(item, name) for item in walk.members(value) if type(item) not in PLAIN]
            found += [(part, way.after(name)) for way, part in self._links(walk, value)]
        attributes = attributes_of(value)
        self.plain.look_into(value, (item for item, _ in found), attributes, self._seen)
        if attributes is not None:
            self.objects.append((name, value, attributes))
            found += [(item, f"{name}.{key}") for key, item in attributes.items()]
            found.append((type(value), type(value).__name__))
        if walk is None and attributes is None and not is_own_module(type(value).__module__):
            self.opaque[id(value)] = value
        return found

    def _keep(self, walk: Walk, value: Any, name: str) -> None:
        """Remember what an object holds."""
        if isinstance(value, tuple):
            self.tuples.append(value)
        elif walk.keeps is Keeps.ITEMS:
            self.lists.append((name, value, tuple(list.__iter__(value))))
        elif walk.keeps is Keeps.ENTRIES:
            self.dicts.append((name, value, dict(walk.entries(value))))
        elif walk.keeps is Keeps.MEMBERS and isinstance(value, set):
            self.sets.append((name, value, frozenset(value)))
        elif walk.keeps is Keeps.BUFFER:
            self.buffers.append((name, value, copy.copy(value)))
        elif walk.keeps is Keeps.VARIABLE:
            place = ContextValue(name or value.name, value)
            content = place.get()
            self.contexts.append((place, content))
            self.follow(content, place.name)

    def _links(self, walk: Walk, value: Any) -> Iterator[tuple[Link, Any]]:
        for way, part in walk.links(value):
            if not isinstance(part, LEAVES):
                self.links.setdefault(id(part), (part, value, way))
                yield way, part

    def _visit_function(self, function: types.FunctionType, is_body: bool) -> None:
        """The variables of a function; those of one that a body only calls are told from the body's by their names."""
        owner = "" if is_body else f" of {function.__name__}"
        cells = function.__closure__ or ()
        names = function.__code__.co_freevars
        variables = [
            Variable(name + owner, cell)
            for name, cell in zip(names, cells, strict=True)
            if name not in _INTERNAL
        ]
        for variable in sorted(variables, key=_leads_on):  # a list is called by its own name where it has one
            self._add_cell(variable)
        for name in assigned_globals(function.__code__):
            self.add_name(Entry(name, function.__globals__, name))

    def _add_cell(self, variable: Variable) -> None:
        if id(variable.cell) not in self._seen:
            self._seen.add(id(variable.cell))
            content = variable.get()
            self.cells.append((variable, content))
            self.follow(content, variable.name.partition(" ")[0])

    def add_name(self, place: Entry | Attribute) -> None:
        """Remember a name of a module, or an attribute of a class."""
        if place.key() not in self.globals:
            content = place.get()
            self.globals[place.key()] = (place, content)
            self.follow(content, place.name)

    # Comparing

    def _differences(self) -> Iterator[tuple[ProgramLocation, Any, Any]]:
        """Every place that the program changed, with the old and the new value."""
        trace = current_trace()
        return (found for found in self.all_differences() if self.plain.is_programs(trace, *found))

    def all_differences(self) -> Iterator[tuple[ProgramLocation, Any, Any]]:
        """Every place that changed, also by what libraries note about themselves."""
        for place, old in self._single():
            new = place.get()
            if new is not old:
                yield place, old, new
        yield from self._differences_in_sequences()
        for name, entries, saved in self.dicts:
            for key, old, new in changed_entries(saved, entries):
                yield Entry(f"{name}[{key!r}]", entries, key), old, new
            if not in_order(saved, entries):
                yield KeyOrder(name, entries), OrderOfKeys(saved), OrderOfKeys(entries)
        for name, owner, attributes in self.objects:
            for key, old, new in changed_entries(attributes, attributes_of(owner) or {}):
                yield Attribute(f"{name}.{key}" if name else key, owner, key), old, new

    def _differences_in_sequences(self) -> Iterator[tuple[ProgramLocation, Any, Any]]:
        for name, items, before in self.lists:
            is_other = len(items) != len(before)
            if is_other or (items in self.plain and any(map(operator.is_not, items, before))):
                yield Items(name, items), before, tuple(items)
                continue
            if all(map(operator.is_, items, before)):
                continue
            for index, (old, new) in enumerate(zip(before, items, strict=True)):
                if new is not old:
                    yield Entry(f"{name}[{index}]", items, index), old, new
        for name, members, known in self.sets:
            if members != known:
                yield Items(name, members), known, frozenset(members)

    @cached_property
    def _old(self) -> dict[tuple[Any, ...], Any]:
        old: dict[tuple[Any, ...], Any] = {place.key(): value for place, value in self._single()}
        for _, items, before in self.lists:
            old[(id(items), "[:]")] = before
        for _, members, known in self.sets:
            old[(id(members), "[:]")] = known
        for _, entries, saved in self.dicts:
            old[(id(entries), KeyOrder)] = OrderOfKeys(saved)
            old.update({(id(entries), key): value for key, value in saved.items()})
        for _, owner, attributes in self.objects:
            old.update({(id(owner), "." + key): value for key, value in attributes.items()})
        return old


def _was_made_for(array: TracedArray, region: Region) -> bool:
    """Whether an array, and what it takes to view it, can be used in all of a region."""
    sections = [
        s._storage.section for s in (array, *(size for step in array._path for size in step.operands))
    ]
    return all(section.is_usable and region.is_inside(section.region) for section in sections)


def _leads_on(place: Variable) -> bool:
    """Whether a variable holds something that leads to others which have names of their own, as a method of a list."""
    value = place.get()
    return not isinstance(value, (*LEAVES, list, dict, set, tuple)) and any(
        walk.links(value) for walk in (walk_of(value),) if walk is not None
    )


Changes: TypeAlias = "dict[tuple[Any, ...], tuple[ProgramLocation, Any]]"
"""Places by their keys, with their values after a body."""


def locations_to_join(places: dict[tuple[Any, ...], ProgramLocation]) -> list[ProgramLocation]:
    """The places without the entries of collections whose length changed: these are joined as a whole."""
    whole = {id(place.container) for place in places.values() if isinstance(place, Items)}
    return [p for p in places.values() if not (isinstance(p, Entry) and id(p.container) in whole)]


def value_after(changes: Changes, place: ProgramLocation, snapshot: Snapshot) -> Any:
    """The value of a place after a body with certain changes."""
    if place.key() in changes:
        return changes[place.key()][1]
    old = snapshot.old_value(place)
    if isinstance(place, Items) and isinstance(old, tuple):
        identity = id(place.container)
        return tuple(changes.get((identity, i), (None, value))[1] for i, value in enumerate(old))
    return old


_INTERNAL = frozenset({"weft_"})
"""Variables of converted code that are not the user's."""

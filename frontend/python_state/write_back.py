"""What a trace changed of Python's state, and how each call is to change it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from ...dialect.errors import UnsupportedError
from ..autograph.library.deques import Deque
from ..autograph.operators.values.mismatches import has_default
from ..autograph.operators.values.optional import MaybeUnbound
from ..autograph.operators.values.program_locations import (
    UNBOUND,
    Attribute,
    Items,
    KeyOrder,
    ProgramLocation,
)
from ..guards.handles import Arguments, ContextVariable, Handle, Item, Linked, Member
from ..runtime_values.results import RuntimeContainer
from ..tracing.current import current_trace
from .state import PythonState
from .updates import (
    BoundOnPath,
    Built,
    EntryOf,
    Known,
    Make,
    Makes,
    Order,
    Together,
    Unbinding,
    Update,
    Updates,
)


class Values(Protocol):
    """What collects the values that a compiled function has to make."""

    def meet(self, values: Iterable[Any]) -> None:
        """Take note of what is stored, all of it before the first value is taken apart."""

    def stored(self, value: Any, locate: Callable[[Any], Any]) -> Makes:
        """Take a nested value apart that is stored."""


class WriteBack:
    """Finds out what changes one compiled function makes to Python's state."""

    def __init__(self, state: PythonState, outputs: Values) -> None:
        self._state = state
        self._outputs = outputs
        self._updates: list[Update] = []
        grown = state.grown_containers()
        changes = [found for found in state.snapshot.changes().values() if not _is_count_of_changes(*found)]
        outputs.meet(_stored_in(place, value) for place, value in changes)
        with state.places.indexed():
            self._add_all(changes, grown)
        needs_arguments = any(_root(update.handle) is not None for update in self._updates)
        # What is taken out of a place is changed while it is still found there.
        self._updates.sort(key=lambda update: (-_depth(update.handle), not update.is_inside))
        outside = tuple(handle for handle in state.containers_outside() if _root(handle) is None)
        self.updates = Updates(tuple(self._updates), needs_arguments, outside) if self._updates else None
        """What was found; None where nothing is changed."""
        del self._state, self._outputs

    def _add_all(self, changes: list[tuple[ProgramLocation, Any]], grown: dict[int, Any]) -> None:
        """Take changes, and lists, dicts and sets that became ones that grow."""
        whole = {id(place.container) for place, _ in changes if isinstance(place, Items)} | set(grown)
        changed = {
            id(getattr(place, "container", None))
            for place, value in changes
            if not self._is_grown(place, value, grown)
        }
        for place, value in changes:
            if isinstance(place, KeyOrder):
                self._add_order(place, value)
            elif isinstance(place, Items):
                if id(place.container) not in grown:
                    self._add_whole(place, value)
            elif id(getattr(place, "container", None)) not in whole and not self._state.is_input(
                place, value
            ):
                self._add(place, value, grown)
        for items, value in grown.values():
            if id(items) in changed or not value.is_as_made():
                self._add_grown(items, value)

    def _add(self, place: ProgramLocation, value: Any, grown: dict[int, Any]) -> None:
        handle = self._state.handle(place)
        if handle is None:
            raise _not_found(place)
        if self._is_grown(place, value, grown):
            return  # the container itself is changed
        self._updates.append(Update(handle, self._maker(place, value)))

    def _is_grown(self, place: ProgramLocation, value: Any, grown: dict[int, Any]) -> bool:
        """Whether a place holds what the container has become that it held before."""
        old = self._state.snapshot.old_value(place)
        return id(old) in grown and grown[id(old)][1] is value

    def _add_order(self, place: KeyOrder, value: Any) -> None:
        handle = self._state.locate(place.container)
        if handle is None:
            raise _not_found(place)
        self._updates.append(Update(handle, Order(value.keys), is_order=True))

    def _add_whole(self, place: Items, value: Any) -> None:
        handle = self._state.locate(place.container)
        if handle is None:
            raise _not_found(place)
        if isinstance(place.container, list):
            is_compared = not self._state.snapshot.plain.is_librarys(current_trace(), place.container)
            old = self._state.snapshot.old_value(place) if is_compared else ()
            is_kept = is_compared and all(map(operator.is_, value, old))
            if is_kept and len(value) > len(old):
                tail = [self._maker(place, item) for item in value[len(old) :]]
                self._updates.append(Update(handle, Together(tuple(tail)), is_tail=True))
                return
            positions = {id(item): index for index, item in reversed(list(enumerate(old)))}
            makers = [
                EntryOf(handle, positions[id(item)]) if id(item) in positions else self._maker(place, item)
                for item in value
            ]
            self._updates.append(Update(handle, Together(tuple(makers)), is_whole=True))
        else:
            self._updates.append(Update(handle, self._maker(place, set(value)), is_whole=True))

    def _add_grown(self, items: Any, value: RuntimeContainer) -> None:
        handle = self._state.locate(items)
        if handle is not None:
            value = value.as_separate()  # it is filled, and not replaced by what is there already
            place = Items(handle.name, items)
            made = self._maker(place, value, is_whole=True)
            self._updates.append(Update(handle, made, is_whole=True, is_of_list=type(items) is list))

    def _maker(self, place: ProgramLocation, value: Any, is_whole: bool = False) -> Make:
        """What makes the new value; with `is_whole`, what the container in the place holds from now on."""

        def locate(part: Any) -> Handle | None:
            return None if is_whole and part is value else self._state.locate_returned(part)

        if value is UNBOUND:
            return Unbinding()
        if isinstance(value, MaybeUnbound):
            if has_default(place):
                unbound = Built(self._outputs.stored(value.unbound, locate))
                return BoundOnPath(unbound, self._maker(place, value.value))
            raise UnsupportedError(
                f"{place.name} is bound on some paths only, and lives outside of the function: bind it on all of them"
            )
        known = self._state.locate_object(value)
        if known is not None:
            return Known(known)
        try:
            return Built(self._outputs.stored(value, locate))
        except UnsupportedError as error:
            error.args = (str(error.args[0]).replace("the result", place.name, 1), *error.args[1:])
            raise


def _is_count_of_changes(place: ProgramLocation, value: Any) -> bool:
    """Whether a place is what a deque keeps besides its items, which loops over it ask."""
    return isinstance(place, Attribute) and isinstance(place.owner, Deque) and place.attribute == "_changes"


def _stored_in(place: ProgramLocation, value: Any) -> Any:
    """What is stored in a place; of a list or set that is changed, its items."""
    return tuple(value) if isinstance(place, Items) and isinstance(value, (list, set)) else value


def _depth(handle: Handle) -> int:
    """How many containers and objects a place is inside of."""
    depth = 0
    while isinstance(handle, (ContextVariable, Item, Linked, Member)):
        handle, depth = handle.parent, depth + 1
    return depth


def _root(handle: Handle) -> Arguments | None:
    while isinstance(handle, (ContextVariable, Item, Linked, Member)):
        handle = handle.parent
    return handle if isinstance(handle, Arguments) else None


def _not_found(place: ProgramLocation) -> UnsupportedError:
    return UnsupportedError(
        f"{place.name or 'an object'} is changed, which compiled code cannot find again at the next call: return the "
        "new value, or write into an array"
    )

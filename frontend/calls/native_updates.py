"""What compiled functions change besides their arguments' arrays, where native code stores it after a call."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from ...backend.cpu.dispatch.descriptors import Program
from ..guards.handles import Arguments, Bound, Cell, Fixed, Global, Handle, Item, Member, Owner
from ..guards.unbound import UNBOUND
from ..python_state.updates import Built, EntryOf, Together, Update
from ..runtime_values.result_spec import Result
from ..source.own_attributes import is_native
from .native_guards import Guards, is_index
from .parameters import Unknown

if TYPE_CHECKING:
    from .concrete import ConcreteFunction

Build: TypeAlias = Callable[[Result], None]


def updates_of(concrete: ConcreteFunction) -> Sequence[Update] | None:
    """The changes that a call makes, if native code makes them all; None where Python does."""
    if concrete._write_back is None:
        return ()
    updates = concrete.updates
    # Python that runs in the middle of a call may bind the places anew.
    if updates is None or concrete._executable.calls_python:
        return None
    return updates.updates if all(map(_is_stored, updates.updates)) else None


def built_by(updates: Sequence[Update]) -> list[Result]:
    """All that is built of computed arrays to be stored."""
    makers = [maker for update in updates for maker in _makers(update)]
    return [maker.result for maker in makers if isinstance(maker, Built) and isinstance(maker.result, Result)]


def kept_entries(updates: Sequence[Update], call: Bound) -> set[int]:
    """The lists of a call, by identity, whose items are stored as they are beside what is computed."""
    makers = [maker for update in updates for maker in _makers(update)]
    return {id(maker.handle.get(call)) for maker in makers if isinstance(maker, EntryOf)}


def _makers(update: Update) -> Sequence[Any]:
    return update.make.makers if isinstance(update.make, Together) else (update.make,)


def change_arguments(updates: Sequence[Update]) -> bool:
    """Whether some of what is changed is found in the arguments of a call."""
    return any(_is_argument(update.handle) for update in updates)


def containers_outside(concrete: ConcreteFunction, guards: Guards, call: Bound) -> list[int]:
    """Where the containers are that no argument may hold if some are changed."""
    found = [] if concrete.updates is None else concrete.updates.containers_outside(call)
    if any(has_others for _, has_others in found):
        raise Unknown
    return [guards.place(handle) for handle, _ in found]


def _is_stored(update: Update) -> bool:
    """Whether native code can make a change."""
    handle = update.handle
    is_list = update.is_whole or update.is_tail
    if update.is_order or is_list != (isinstance(update.make, Together) or update.is_of_list):
        return False
    if not is_list and not isinstance(handle, (Cell, Global, Item, Member)):
        return False
    owner = handle.parent if isinstance(handle, (Item, Member)) and not is_list else handle
    return _is_found(owner) and all(_is_made(maker, handle) for maker in _makers(update))


def _is_made(maker: Any, handle: Handle) -> bool:
    """Whether native code makes a value that is stored in a place: of what is computed, or an item that was there."""
    if isinstance(maker, EntryOf):
        return maker.handle is handle and _is_argument(handle)
    return isinstance(maker, Built) and isinstance(maker.result, Result)


def _is_found(handle: Handle) -> bool:
    """Whether native code finds a place."""
    if _is_argument(handle):
        return True
    while isinstance(handle, (Item, Member)):
        if isinstance(handle, Item) and not is_index(handle.index):
            return False
        handle = handle.parent
    return isinstance(handle, (Cell, Fixed, Global, Owner))


def _is_argument(handle: Handle) -> bool:
    """Whether a place is found in the arguments of a call."""
    while isinstance(handle, (Item, Member)):
        handle = handle.parent
    return isinstance(handle, Arguments)


class Stores:
    """Writes the steps that store what a call changes; `objects` are the places of what is among the arguments."""

    def __init__(
        self,
        program: Program,
        guards: Guards,
        call: Bound,
        objects: dict[int, int],
        items: dict[int, Sequence[int]],
    ) -> None:
        self._program, self._guards, self._call = program, guards, call
        self._objects, self._items = objects, items

    def add(self, updates: Sequence[Update], build: Build) -> None:
        """Store all values, once all of them are made."""
        for update in updates:
            makers = _makers(update)
            for maker in makers:
                self._build(maker, build)
            if isinstance(update.make, Together):
                self._program.build_list(len(makers))
        for number, update in enumerate(updates, 1):
            self._store(update, number)

    def _build(self, maker: Any, build: Build) -> None:
        if isinstance(maker, EntryOf):
            items = self._items.get(id(maker.handle.get(self._call)))
            if items is None:
                raise Unknown
            self._program.build_leaf(items[maker.position])
        else:
            build(maker.result)

    def _store(self, update: Update, number: int) -> None:
        program, handle = self._program, update.handle
        if update.is_whole or update.is_tail:
            program.store_items(self.place(handle, list), number, is_tail=update.is_tail)
        elif isinstance(handle, Cell):
            program.store_in_cell(handle.cell, number)
        elif isinstance(handle, Global):
            program.store_item(program.constant(handle.namespace), handle.variable, number)
        elif isinstance(handle, Item):
            program.store_item(self.place(handle.parent), handle.index, number)
        elif isinstance(handle, Member):
            owner = handle.parent.get(self._call)
            if isinstance(owner, (type, types.ModuleType)) or not is_native(owner, handle.attribute):
                raise Unknown  # which store attributes in other ways
            program.store_attribute(self.place(handle.parent), handle.attribute, number)

    def place(self, handle: Handle, kind: type | None = None) -> int:
        """Where the container or object of a place is."""
        found = handle.get(self._call)
        if kind is not None and type(found) is not kind:
            raise Unknown
        if _is_argument(handle):
            place = self._objects.get(id(found))
        else:
            place = None if found is UNBOUND else self._guards.place(handle)
            if place is not None and kind is not None:
                self._program.kind(place, kind)
        if place is None:
            raise Unknown
        return place

"""How what a compiled function changes of Python's state is changed again after each call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from ..dialect.errors import UnsupportedError
from ..dialect.records import dataclass
from .autograph.operators.places import UNBOUND, Items, Place
from .handles import Arguments, Bound, Handle, Item, Member
from .outputs import Outputs
from .outside import Outside, copies_in
from .results import RuntimeLength

Make: TypeAlias = Callable[[Sequence[Any], Sequence[Any], Bound], Any]
"""Makes a value of the outputs, the arrays of the call and its arguments."""


@dataclass(frozen=True)
class Update:
    """One place, and what makes its new value."""

    handle: Handle
    make: Make
    is_whole: bool = False
    """Whether the value is the items of the list or set in the place."""
    is_tail: bool = False
    """Whether the value is the items behind those of the list in the place."""

    def store(self, value: Any, bound: Bound) -> None:
        """Store the new value."""
        container: Any = self.handle.get(bound) if self.is_whole or self.is_tail else None
        if self.is_tail:
            container.extend(value)
        elif not self.is_whole:
            self.handle.set(value, bound)
        elif isinstance(container, list):
            container[:] = value
        elif container is not UNBOUND:
            container.clear()
            container.update(value)


class WriteBack:
    """The changes that one compiled function makes to Python's state."""

    def __init__(self, outside: Outside, outputs: Outputs) -> None:
        self._outside = outside
        self._outputs = outputs
        self._updates: list[Update] = []
        grown = outside.grown_lists()
        changes = list(outside.snapshot.changes().values())
        whole = {id(place.container) for place, _ in changes if isinstance(place, Items)} | set(grown)
        for place, value in changes:
            if isinstance(place, Items):
                if id(place.container) not in grown:
                    self._add_whole(place, value)
            elif id(getattr(place, "container", None)) not in whole and not outside.is_input(place, value):
                self._add(place, value, grown)
        for items, value in grown.values():
            self._add_grown(items, value)
        self.needs_arguments = any(_root(update.handle) is not None for update in self._updates)
        del self._outside, self._outputs

    def __bool__(self) -> bool:
        return bool(self._updates)

    def apply(self, outputs: Sequence[Any], leaves: Sequence[Any], bound: Bound) -> None:
        """Make all new values, then store them."""
        if self.needs_arguments:
            _require_distinct(bound)
        values = [update.make(outputs, leaves, bound) for update in self._updates]
        for update, value in zip(self._updates, values, strict=True):
            update.store(value, bound)

    def _add(self, place: Place, value: Any, grown: dict[int, Any]) -> None:
        handle = self._outside.handle(place)
        if handle is None:
            raise _not_found(place)
        old = self._outside.snapshot.old_value(place)
        if isinstance(value, RuntimeLength) and isinstance(old, list):
            return  # the list itself is changed
        self._updates.append(Update(handle, self._maker(place, value)))

    def _add_whole(self, place: Items, value: Any) -> None:
        handle = self._outside.locate(place.container)
        if handle is None:
            raise _not_found(place)
        if isinstance(place.container, list):
            old = self._outside.snapshot.old_value(place)
            if all(new is before for new, before in zip(value, old, strict=False)) and len(value) > len(old):
                tail = [self._maker(place, item) for item in value[len(old) :]]
                self._updates.append(Update(handle, _together(tail), is_tail=True))
                return
            positions = {id(item): index for index, item in reversed(list(enumerate(old)))}
            makers = [
                _entry_maker(handle, positions[id(item)])
                if id(item) in positions
                else self._maker(place, item)
                for item in value
            ]
            self._updates.append(Update(handle, _together(makers), is_whole=True))
        else:
            self._updates.append(Update(handle, self._maker(place, set(value)), is_whole=True))

    def _add_grown(self, items: list[Any], value: RuntimeLength) -> None:
        handle = self._outside.locate(items)
        if handle is not None:
            place = Items(handle.name, items)
            self._updates.append(Update(handle, self._maker(place, value), is_whole=True))

    def _maker(self, place: Place, value: Any) -> Make:
        if value is UNBOUND:
            return lambda outputs, leaves, bound: UNBOUND
        known = self._outside.locate_object(value)
        if known is not None:
            found = known
            return lambda outputs, leaves, bound: found.get(bound)
        try:
            result = self._outputs.collect(value)
        except UnsupportedError as error:
            error.args = (str(error.args[0]).replace("the result", place.name, 1), *error.args[1:])
            raise
        return lambda outputs, leaves, bound: result.build(outputs, leaves)


def _together(makers: list[Make]) -> Make:
    return lambda outputs, leaves, bound: [make(outputs, leaves, bound) for make in makers]


def _entry_maker(handle: Handle, index: int) -> Make:
    return lambda outputs, leaves, bound: handle.get(bound)[index]


def _root(handle: Handle) -> Arguments | None:
    while isinstance(handle, (Item, Member)):
        handle = handle.parent
    return handle if isinstance(handle, Arguments) else None


def _not_found(place: Place) -> UnsupportedError:
    return UnsupportedError(
        f"{place.name or 'an object'} is changed, which compiled code cannot find again at the next call: return the "
        "new value, or write into an array"
    )


def _require_distinct(bound: Bound) -> None:
    """Refuse arguments that hold one container twice, of which the trace had two."""
    if bound is None:
        return
    seen: set[int] = set()
    for container in _mutable(bound):
        if id(container) in seen:
            raise UnsupportedError(
                f"the arguments hold one {type(container).__name__} twice, and the function changes it or another one: "
                "pass a copy of one"
            )
        seen.add(id(container))


def _mutable(bound: Any) -> Iterator[Any]:
    return (container for container in copies_in(bound) if not isinstance(container, tuple))


__all__ = ["Update", "WriteBack"]

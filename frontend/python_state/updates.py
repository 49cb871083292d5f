"""How a compiled function changes Python's state after a call: the places, and what makes their new values."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Protocol

from ...dialect.errors import UnsupportedError
from ...dialect.records import NamedTuple
from ..guards.handles import Bound, Handle, Item
from ..guards.unbound import UNBOUND
from ..source.own_attributes import has_fields
from ..source.plain_items import compound


class Make(Protocol):
    """Makes a new value of the outputs, the arrays of the call and its arguments."""

    def __call__(self, outputs: Sequence[Any], leaves: Sequence[Any], bound: Bound) -> Any:
        """The value."""


class Makes(Protocol):
    """Makes a value of the outputs and the arrays of the call, as results are made."""

    def with_found(self, leaves: Sequence[Any], bound: Any) -> Sequence[Any]:
        """The arrays of the call, with what is found in it."""

    def build(self, outputs: Sequence[Any], leaves: Sequence[Any]) -> Any:
        """The value of a call."""


class Unbinding(NamedTuple):
    """The place is to hold nothing."""

    def __call__(self, outputs: Sequence[Any], leaves: Sequence[Any], bound: Bound) -> Any:
        return UNBOUND


class BoundOnPath(NamedTuple):
    """The place is to hold something, or nothing where a condition holds."""

    unbound: Make
    value: Make

    def __call__(self, outputs: Sequence[Any], leaves: Sequence[Any], bound: Bound) -> Any:
        is_unbound = self.unbound(outputs, leaves, bound)
        return UNBOUND if is_unbound else self.value(outputs, leaves, bound)


class Known(NamedTuple):
    """The place is to hold what another one holds."""

    handle: Handle

    def __call__(self, outputs: Sequence[Any], leaves: Sequence[Any], bound: Bound) -> Any:
        return self.handle.get(bound)


class EntryOf(NamedTuple):
    """An entry of a container as it was."""

    handle: Handle
    position: int

    def __call__(self, outputs: Sequence[Any], leaves: Sequence[Any], bound: Bound) -> Any:
        return self.handle.get(bound)[self.position]


class Built(NamedTuple):
    """A value that is made as results are."""

    result: Makes

    def __call__(self, outputs: Sequence[Any], leaves: Sequence[Any], bound: Bound) -> Any:
        return self.result.build(outputs, self.result.with_found(leaves, bound))


class Order(NamedTuple):
    """The keys of a dict in order."""

    keys: tuple[Any, ...]

    def __call__(self, outputs: Sequence[Any], leaves: Sequence[Any], bound: Bound) -> Any:
        return self.keys


class Together(NamedTuple):
    """A list of values."""

    makers: tuple[Make, ...]

    def __call__(self, outputs: Sequence[Any], leaves: Sequence[Any], bound: Bound) -> Any:
        return [make(outputs, leaves, bound) for make in self.makers]


class Update(NamedTuple):
    """One place, and what makes its new value."""

    handle: Handle
    make: Make
    is_whole: bool = False
    """Whether the value is the items of the list or set in the place."""
    is_tail: bool = False
    """Whether the value is the items behind those of the list in the place."""

    is_order: bool = False
    """Whether the value is the order of the keys of the dict in the place."""
    is_of_list: bool = False
    """Whether the place holds a list, of no class derived from it, whose items are a list that is made."""

    @property
    def is_inside(self) -> bool:
        """Whether what is in the place is changed, and not which it is."""
        return self.is_whole or self.is_tail or self.is_order

    def store(self, value: Any, bound: Bound) -> None:
        """Store the new value."""
        container: Any = self.handle.get(bound) if self.is_inside else None
        if self.is_order:
            for key in value:
                if key in container:
                    container[key] = container.pop(key)
        elif self.is_tail:
            container.extend(value)
        elif not self.is_whole:
            self.handle.set(value, bound)
        elif isinstance(container, list):
            container[:] = value
        elif isinstance(container, deque):
            container.clear()
            container.extend(value)
        elif isinstance(container, dict):
            _replace_items(container, value)
        elif container is not UNBOUND:
            members = set(value)
            container.difference_update(container - members)
            container.update(members - container)


def _replace_items(container: dict[Any, Any], items: dict[Any, Any]) -> None:
    """Let a dict have other items; keys that stay are the objects that they are, as are members of sets."""
    if list(container) != list(items)[: len(container)]:
        own = dict(zip(container, container, strict=True))
        items = {own.get(key, key): item for key, item in items.items()}
        container.clear()
    update: Any = OrderedDict.update if isinstance(container, OrderedDict) else dict.update
    update(container, items)  # a Counter's own adds up


def _container_of(update: Update) -> Handle:
    """Where the list, dict or set is that is changed, if it is one."""
    handle = update.handle
    return handle.parent if isinstance(handle, Item) and not update.is_inside else handle


class Updates(NamedTuple):
    """All that one call changes."""

    updates: tuple[Update, ...]
    needs_arguments: bool
    """Whether what is changed is found in the arguments of a call."""
    outside: tuple[Handle, ...] = ()
    """The containers that the trace found outside of its arguments, of which it got copies."""

    def remaining(self) -> Updates | None:
        """Those of places that may be found again: not in what the trace itself has made."""
        remaining = tuple(update for update in self.updates if not update.handle.is_gone())
        outside = tuple(handle for handle in self.outside if not handle.is_gone())
        return Updates(remaining, self.needs_arguments, outside) if remaining else None

    def require_apart(self, bound: Bound) -> None:
        """Refuse a call, before it does anything, in which a container that the trace had two of is one."""
        if self.needs_arguments:
            _require_distinct(bound)
        if self.outside and bound is not None:
            _require_apart(bound, map(_container_of, self.updates), self.outside)

    def containers_outside(self, bound: Bound) -> list[tuple[Handle, bool]]:
        """Where the containers outside are found in a call, each once, and whether they hold others."""
        found = {id(container := handle.get(bound)): (handle, container) for handle in self.outside}
        return [(handle, len(list(_mutable(container))) > 1) for handle, container in found.values()]

    def apply(self, outputs: Sequence[Any], leaves: Sequence[Any], bound: Bound) -> None:
        """Make all new values, then store them."""
        values = [update.make(outputs, leaves, bound) for update in self.updates]
        for update, value in zip(self.updates, values, strict=True):
            update.store(value, bound)


def _require_distinct(bound: Bound) -> None:
    """Refuse arguments that hold one container twice, of which the trace had two."""
    if bound is None:
        return
    containers = list(_mutable(bound))
    if len({*map(id, containers)}) == len(containers):
        return
    seen: set[int] = set()
    for container in containers:
        if id(container) in seen:
            raise UnsupportedError(
                f"the arguments hold one {type(container).__name__} twice, and the function changes it or another one: "
                "pass a copy of one"
            )
        seen.add(id(container))


def _require_apart(bound: Any, changed: Iterable[Handle], outside: Iterable[Handle]) -> None:
    """Refuse to change what an argument holds and the function finds elsewhere, too: the trace had two of it."""
    given = set(map(id, _mutable(bound)))
    if not given:
        return
    both = given & {id(handle.get(bound)) for handle in changed}
    for handle in outside if both else ():
        for container in _mutable(handle.get(bound)):
            if id(container) in both and ".__defaults__" in handle.name:
                raise UnsupportedError(
                    f"the function changes a {type(container).__name__} that is the default of a parameter "
                    f"({handle.name}), and thereby what it finds at the next call: keep it in a global variable or an "
                    "attribute, or write None for the default and make it inside"
                )
            if id(container) in both:
                raise UnsupportedError(
                    f"an argument holds a {type(container).__name__} that is also found in {handle.name}, and the "
                    "function changes it: pass a copy, or let the function find it in one way only"
                )


def _mutable(bound: Any) -> Iterator[Any]:
    try:
        copies = copies_in(bound)
    except RecursionError:  # dataclasses that lead to themselves, which are objects
        copies = copies_in(bound, lambda value: has_fields(type(value)))
    return (container for container in copies if not isinstance(container, tuple))


def copies_in(value: Any, is_constant: Callable[[Any], bool] = lambda _: False) -> list[Any]:
    """The containers that an argument is rebuilt of, outer ones first, but for what the trace has as it is."""
    found: list[Any] = []
    _add_copies(value, found, is_constant)
    return found


def _add_copies(value: Any, found: list[Any], is_constant: Callable[[Any], bool]) -> None:
    kind = type(value)
    if kind in (list, tuple) or (isinstance(value, tuple) and hasattr(value, "_fields")):
        inside: Collection[Any] = value
    elif kind in (dict, OrderedDict):
        inside = value.values()
    elif has_fields(kind) and not is_constant(value):
        inside = getattr(value, "__dict__", {}).values()
    else:
        return
    found.append(value)
    for item in compound(inside):
        _add_copies(item, found, is_constant)

"""Lists that became ones that grow, by the names that no staged code mentions: what the list is now."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterator
from functools import partial
from typing import Any

from ....reach.walks import attributes_of
from ....runtime_values.results import RuntimeLength, RuntimeTable
from ....runtime_values.values import RuntimeValue
from ....source.modules import is_users_object
from ....source.own_attributes import set_own_attribute
from ....source.plain_items import PLAIN_TYPES
from ....tracing.current import current_trace
from ....tracing.recorder import Recorder
from .control_flow_state import control_flow
from .made_objects import is_made
from .optional import Chosen, MaybeUnbound, Optional
from .program_locations import Changes, Snapshot
from .unchanged_values import same_items

_BECOMING = (list, dict, set, OrderedDict, Counter, defaultdict)
"""The classes of what may become something that grows; a list that grows may become one of those in a dict."""


_DEEPEST = 8
"""So deep containers in containers are looked into."""


def resolve_grown_list(value: Any) -> Any:
    """What a list of Python's has become; any other value as it is.

    Converted code asks wherever Python itself would look into a list: `b + [x]`, `b == c`, `[*b]`, `first, *rest = b`.
    """
    if type(value) not in _BECOMING and not isinstance(value, (RuntimeLength, RuntimeTable)):
        return value
    trace = current_trace()
    return value if trace is None or not control_flow(trace).grown else _grown(trace, value)


def resolve_result(trace: Recorder, value: Any) -> Any:
    """What a function returns, in which what has become something else gives its place to that.

    Containers and objects remain what they are: they may be elsewhere, too, and may lead to themselves.
    """
    return _followed(trace, value, {}) if control_flow(trace).grown else value


def _followed(trace: Recorder, value: Any, known: dict[int, tuple[Any, Any]]) -> Any:
    now = resolve_grown_list(value)
    if now is not value or id(value) in known:
        return known.get(id(value), (value, now))[1]
    follow = partial(_followed, trace, known=known)
    parts: Any = ()
    put: Any = value.__setitem__ if type(value) in (list, dict, OrderedDict) else None
    if put is not None:
        parts = enumerate(value) if type(value) is list else value.items()
    elif isinstance(value, Optional):
        now = Optional(value.is_none, follow(value.value))
    elif isinstance(value, Chosen) and value.held:
        now = _with_options(value, list(map(follow, value.options)))
    elif isinstance(value, tuple):
        now = _with_items(value, list(map(follow, value)))
    elif is_made(trace, value):
        parts, put = (attributes_of(value) or {}).items(), partial(set_own_attribute, value)
    known[id(value)] = value, now
    for key, item in [part for part in parts if type(part[1]) not in PLAIN_TYPES]:
        if (found := follow(item)) is not item:
            put(key, found)
    return now


def resolve_for_reading(value: Any) -> Any:
    """A nested value with what the lists in it have become, also in attributes, for what only reads it.

    A copy, in which one thing that lies in two places is one thing too.
    """
    trace = current_trace()
    return value if trace is None or not control_flow(trace).grown else _read(value, {})


def _read(value: Any, copies: dict[int, Any]) -> Any:
    now = resolve_grown_list(value)
    if now is not value or id(value) in copies:
        return copies.get(id(value), now)
    read = partial(_read, copies=copies)
    made: Any
    new: Any = type(value).__new__
    if type(value) is list:
        made = copies[id(value)] = []
        made += map(read, value)
    elif type(value) is dict:
        made = copies[id(value)] = {}
        made.update((key, read(item)) for key, item in value.items())
    elif isinstance(value, tuple):
        items = list(map(read, value))
        made = value._make(items) if hasattr(value, "_make") else tuple(items)
    elif isinstance(value, RuntimeValue):
        return value
    elif is_users_object(value) and new is object.__new__ and hasattr(value, "__dict__"):
        made = copies[id(value)] = object.__new__(type(value))
        vars(made).update((name, read(item)) for name, item in vars(value).items())
    else:
        return value
    return made


def join_successors(trace: Recorder, snapshot: Snapshot) -> None:
    """Let lists that take the places of others become what these are, as in `rows.append(row); row = []`.

    They may lie in tuples (`return cost, path` in a loop, and `return -1, []` behind it).
    """
    if control_flow(trace).grown:
        for place, new in snapshot.changes().values():
            let_succeed(snapshot.old_value(place), new)


def let_succeed(old: Any, new: Any, is_new: bool = True) -> None:
    """Let the lists in a value become what those in another are, in the place of which it may be."""
    for one, other in _lists_beside(old, resolve_grown_list(new)):
        one.let_join(other, is_new)


def may_succeed(old: Any, new: Any) -> bool:
    """Whether a value holds lists of Python's in the places of lists of another that lie together with others."""
    return any(
        one.heap is not None and type(other) is list
        for one, other in _lists_beside(old, resolve_grown_list(new))
    )


def _lists_beside(old: Any, new: Any, depth: int = _DEEPEST) -> Iterator[tuple[RuntimeLength, Any]]:
    """The lists of run-time length in a value, with what another one has in their places."""
    if isinstance(old, (MaybeUnbound, Optional)):
        yield from _lists_beside(old.value, new, depth)
    elif isinstance(new, (MaybeUnbound, Optional)):
        yield from _lists_beside(old, resolve_grown_list(new.value), depth)
    elif isinstance(old, RuntimeLength):
        if new is not old:
            yield old, new
    elif depth and type(new) is type(old) and isinstance(old, (tuple, list, dict)) and len(new) == len(old):
        for key in old if isinstance(old, dict) else range(len(old)):
            if not isinstance(new, dict) or key in new:
                yield from _lists_beside(old[key], resolve_grown_list(new[key]), depth - 1)


def changes_of(trace: Recorder, snapshot: Snapshot) -> Changes:
    """What has changed since a snapshot, with what lists, dicts and sets have become that are new since then."""
    changes = snapshot.changes()
    if not control_flow(trace).grown:
        return changes
    return {key: (place, _settled(trace, value)) for key, (place, value) in changes.items()}


def _settled(trace: Recorder, value: Any, depth: int = _DEEPEST) -> Any:
    """A value, where what has become something else gives its place to that, also in lists and dicts of its own."""
    now = resolve_grown_list(value)
    if now is not value or not depth:
        return now
    if type(value) in (list, dict):
        for key, item in list(enumerate(value) if type(value) is list else value.items()):
            settled = _settled(trace, item, depth - 1)
            if settled is not item:
                value[key] = settled
    elif isinstance(value, Chosen) and value.held:
        return _with_options(value, [_settled(trace, option, depth - 1) for option in value.options])
    elif isinstance(value, tuple):
        return _with_items(value, [_settled(trace, item, depth - 1) for item in value])
    return value


def _with_items(value: Any, items: list[Any]) -> Any:
    """A tuple with what its items have become."""
    if same_items(items, value):
        return value
    return value._make(items) if hasattr(value, "_make") else tuple(items)


def _with_options(chosen: Chosen, options: list[Any]) -> Chosen:
    """One of several values, with what these have become."""
    if same_items(options, chosen.options):
        return chosen
    return Chosen(chosen.index, tuple(options), chosen.held)


def _grown(trace: Recorder, items: Any) -> Any:
    found = control_flow(trace).grown.get(id(items))
    if found is None or found[0] is not items:
        return items
    return _grown(trace, found[1]) if isinstance(found[1], RuntimeTable) else found[1]  # put into a dict

"""Lists, dicts and objects that may be one of several at run time, and what may be done with them.

`y = a if c else b` gives one of the two lists in Python, so that a change of y is one of a or b. Compiled code makes a
new list of the joined items. That is the same as long as none of them is changed, or only one can be seen: what is
changed all the same is refused when the trace ends.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias

from .....dialect.errors import UnsupportedError
from ....guards.inputs import BeginsAgain
from ....reach.walks import attributes_of
from ....runtime_values.joined_containers import CarriedContainer, JoinedContainers
from ....runtime_values.results import RuntimeContainer
from ....tracing.array import TracedArray
from ....tracing.may_alias import all_aliases
from ....tracing.recorder import ABSENT, Recorder
from ..values.abstract import parts_of
from ..values.aliases import entries_beside, options_among, present, reachable
from ..values.composites import IMMUTABLE
from ..values.made_objects import tell_apart
from ..values.optional import Chosen
from ..values.resolve_grown_lists import resolve_grown_list
from ..values.unchanged_values import same_items
from .kept_items import begin_again_if_copied


def note_containers(
    trace: Recorder,
    name: str,
    result: Any,
    candidates: Iterable[Any],
    seen: SeenNow,
    truth: TracedArray | None = None,
    around: tuple[Any, ...] = (),
) -> None:
    """Remember which containers from before a branch or loop its result, which is in place already, may be.

    Of a branch it is told what decides which of two it is.
    """
    result, *candidates = (resolve_grown_list(present(value)) for value in (result, *candidates))
    if isinstance(result, Chosen):
        for option, found in options_among(result, candidates):
            note_containers(trace, name, option, found, seen, truth, around)
        return
    is_told = truth is not None and all(map(_is_told, candidates))
    ends = [_told_apart(trace, one) if is_told else one for one in candidates]
    candidates = [option for one in candidates for option in _options_of(one)]
    if isinstance(result, RuntimeContainer):
        result.candidates = tuple(c for c in candidates if _is_mutable(c) and c is not result)
    several = [c for c in candidates if _is_mutable(c) and c is not result]
    if several and _is_mutable(result):
        if truth is not None and is_told:
            trace.state(JoinedContainers).note(result, truth, (ends[0], ends[1]))
        elif truth is not None:
            _note_ends(trace, name, result, ends, frozenset())
        trace.state(_Joined).candidates[id(result)] = (result, several)
        held = [container for container in several if _is_seen(trace, container, seen.identities)]
        if held and not _are_of_one_heap([result, *held]):
            trace.state(_Joined).watches.append((_watch(trace, name, [result, *held], around), held))
    if any(result is one for one in around):
        return
    for item, entries in entries_beside(result, candidates):
        inner = truth if len(entries) == len(ends) else None
        note_containers(trace, name, item, entries, seen, inner, (*around, result))


def _is_told(value: Any) -> bool:
    """Whether it is known still which of several a value is."""
    return not isinstance(value, Chosen) or bool(value.index._storage.section.is_usable)


def _told_apart(trace: Recorder, value: Any) -> Any:
    """One of several containers, where it is noted what decides which; another value itself."""
    if not isinstance(value, Chosen) or not all(map(_is_mutable, options := [*_options_of(value)])):
        return value
    found = options[-1]
    for number, option in reversed(list(enumerate(options[:-1]))):
        ends = option, found
        found = Chosen(value.index, ends)
        trace.state(JoinedContainers).note(found, value.index == number, ends)
    return found


def _options_of(value: Any) -> Iterable[Any]:
    """The values that one of several may be."""
    return map(resolve_grown_list, value.options) if isinstance(value, Chosen) else (value,)


class SeenNow:
    """What variables and containers hold that the program sees, while results of one branch or loop are noted."""

    @cached_property
    def identities(self) -> set[int]:
        """The identities of what they hold."""
        held = (resolve_grown_list(present(value)) for value in reachable())
        return {id(one) for value in held for one in (value, *_options_of(value))}


class _Joined:
    """What containers of one recording may be in Python, by their identities."""

    def __init__(self) -> None:
        self.candidates: dict[int, tuple[Any, list[Any]]] = {}
        self.groups: dict[int, tuple[Any, list[object]]] = {}
        """For a container what stands for it and others that are one on some path."""
        self.watches: list[tuple[_Watch, list[Any]]] = []
        """What watches containers of a join, with those from before it that were seen then."""


def joined_of_chosen(trace: Recorder, join: Callable[[], Any]) -> Any:
    """What is read of one of several objects; where it is a container that is changed, the recording begins again."""
    before = {id(watch) for watch, _ in trace.state(_Joined).watches}
    result = join()
    for watch, _ in trace.state(_Joined).watches:
        watch.is_of_chosen = watch.is_of_chosen or id(watch) not in before
    return result


class WatchedPaths:
    """What is watched on the paths of a branch: that which is joined on one is not watched on the others.

    At the end of its path nothing is watched any longer that has not changed, where nobody sees what was there before
    the join. So it is with `node.next = changed(node.next)`, where the function joins the node with a new one.
    """

    def __init__(self, trace: Recorder) -> None:
        self._trace = trace
        self._joined = trace.state(_Joined)
        self._before = list(self._joined.watches)
        self._on_paths: list[tuple[_Watch, list[Any]]] = []

    def end_path(self) -> None:
        """Look at what has changed, where it has not been taken back yet."""
        watches = self._joined.watches
        if not watches:
            return
        seen = SeenNow().identities
        for entry in watches:
            watch, held = entry
            watch.found = watch.changed()
            if entry in self._before:
                continue
            if watch.found is None and not any(_is_seen(self._trace, container, seen) for container in held):
                self._trace.at_end[:] = [check for check in self._trace.at_end if check is not watch]
            else:
                self._on_paths.append(entry)
        self._joined.watches = list(self._before)

    def join(self) -> None:
        """Watch on, all that was watched on a path."""
        self._joined.watches += self._on_paths


def go_on_watching(trace: Recorder) -> None:
    """Where paths are joined, containers hold joined values, which is no change of them."""
    for watch, _ in trace.state(_Joined).watches:
        if watch.found is None:
            watch.contents = [(container, content_of(container)) for container, _ in watch.contents]


def _groups_of(trace: Recorder, container: Any) -> list[int]:
    """What a container has in common with others that are this one, or may be on a path."""
    _, groups = trace.state(_Joined).groups.get(id(container), (None, ()))
    return [id(container), *map(id, groups)]


def _note_group(trace: Recorder, containers: Iterable[Any]) -> None:
    """Take note that containers are one on some path."""
    groups, group = trace.state(_Joined).groups, object()
    for container in containers:
        groups.setdefault(id(container), (container, []))[1].append(group)


def require_told_apart(trace: Recorder, left: Any, right: Any) -> None:
    """Refuse to tell whether two things are one where a condition decides on it; of objects, begin again."""
    if left is right or _are_apart(trace, left, right) or _are_of_one_heap([left, right]):
        return
    is_array = isinstance(left, TracedArray)
    kind = "array" if is_array else (left if isinstance(left, RuntimeContainer) else right).__class__.__name__
    refusal = UnsupportedError(
        f"whether these are one {kind} depends on a condition, or on how often a loop ran, behind which compiled code "
        "has an equal new one: compare what they hold (==), or keep in a variable which one it is"
    )
    tell_apart(trace, (left, right), refusal)
    raise refusal


def _are_apart(trace: Recorder, left: Any, right: Any) -> bool:
    """Whether no condition decides whether two containers, or two arrays, are one."""
    if isinstance(left, TracedArray) and isinstance(right, TracedArray):
        one, other = left._storage, right._storage
        return one is other or {one, *all_aliases(one)}.isdisjoint((other, *all_aliases(other)))
    known = trace.state(_Joined).candidates
    return not known or _all_of(trace, left).keys().isdisjoint(_all_of(trace, right))


def _all_of(trace: Recorder, value: Any) -> dict[int, Any]:
    """A container and all that it may be, by their identities."""
    known, found = trace.state(_Joined).candidates, dict[int, Any]()
    waiting = [value]
    while waiting:
        value = resolve_grown_list(present(waiting.pop()))
        if id(value) not in found:
            found[id(value)] = value
            waiting.extend(known.get(id(value), (None, []))[1])
    return found


def join_names(trace: Recorder, found: Iterable[tuple[str, Any, Sequence[Any]]]) -> list[Any]:
    """What places hold behind a branch, given what they hold at the ends of its paths: one container where these are.

    Each is told by its name, what it would hold by itself, and what it holds on each path, `ABSENT` where that is not
    looked at. Where two are one container on some paths only, neither may change.
    """
    joined: list[Any] = []
    by_ends: dict[tuple[int, ...], Any] = {}
    by_end: dict[tuple[int, int], Any] = {}
    for name, result, several in found:
        ends = [resolve_grown_list(present(end)) for end in several]
        if _is_mutable(result) and all(end is ABSENT or _is_mutable(end) for end in ends):
            known = by_ends.setdefault(tuple(map(id, ends)), result)
            places = [(path, id(end)) for path, end in enumerate(ends) if end is not ABSENT]
            others = [other for place in places if (other := by_end.setdefault(place, known)) is not known]
            if known is result and others:
                _watch(trace, name, [result, *others])
            result = known
        joined.append(result)
    return joined


Contents: TypeAlias = "dict[int, tuple[Any, list[Any] | None]]"
"""Containers with what they held at some point, by their identities."""


def contents_within(values: Iterable[Any]) -> Contents:
    """The containers in some values, with what they hold."""
    found: Contents = {}
    waiting = list(values)
    while waiting:
        value = resolve_grown_list(present(waiting.pop()))
        parts = parts_of(value)
        if id(value) in found or not (parts or _is_mutable(value)):
            continue
        found[id(value)] = value, content_of(value)
        waiting.extend(parts[1] if parts else ())
    return found


def note_common(
    trace: Recorder, places: Iterable[tuple[str, Any, Sequence[Any]]], contents: Contents | None = None
) -> None:
    """Watch the containers at several places that are one container on some path, also within others.

    Each place is told by its name, what it holds, and what it holds on each path; `contents` is of the time when they
    were joined, if that is not now.
    """
    by_end: dict[tuple[int, int], list[tuple[str, Any]]] = {}
    for name, result, ends in places:
        _find_ends(trace, name, result, ends, by_end)
    for found in by_end.values():
        containers = list({id(container): container for _, container in found}.values())
        if len(containers) > 1:
            _note_group(trace, containers)
            told = contents or contents_within(containers)
            watched = [told[id(container)] for container in containers if id(container) in told]
            trace.at_end.append(_Watch(trace, found[0][0], watched))


def _find_ends(
    trace: Recorder,
    name: str,
    result: Any,
    ends: Sequence[Any],
    by_end: dict[tuple[int, int], list[tuple[str, Any]]],
    around: tuple[Any, ...] = (),
) -> None:
    result = resolve_grown_list(present(result))
    ends = [resolve_grown_list(present(end)) for end in ends]
    if _is_mutable(result) and _is_copied(result):
        for path, end in enumerate(ends):
            if end is not ABSENT and _is_mutable(end) and end is not result:
                for group in _groups_of(trace, end):
                    by_end.setdefault((path, group), []).append((name, result))
    if not any(result is one for one in around):
        for item, entries in entries_beside(result, ends):
            _find_ends(trace, name, item, entries, by_end, (*around, result))


def _are_of_one_heap(containers: list[Any]) -> bool:
    """Whether one of several containers is told by its place: a change of it is one of the right one."""
    heaps = [c.heap if isinstance(c, RuntimeContainer) else None for c in containers]
    return heaps[0] is not None and all(heap is heaps[0] for heap in heaps)


def note_common_ends(
    trace: Recorder,
    carried: Mapping[Any, Any],
    bound: Mapping[Any, Any],
    ends: Mapping[Any, Any],
    contents: Any,
) -> None:
    """Watch places of a loop that hold one container at the end of an iteration and several at its start.

    So are those watched that exchange their containers, where one of those from before the loop can be seen.
    """
    bound = {key: present(value) for key, value in bound.items()}
    ends = {key: present(value) for key, value in ends.items()}
    places = [key for key in bound if key in ends and _is_copied(bound[key]) and _is_copied(ends[key])]
    by_end: dict[int, list[Any]] = {}
    for key in places:
        for group in _groups_of(trace, ends[key]):
            by_end.setdefault(group, []).append(key)
    common = [key for keys in by_end.values() if len(keys) > 1 for key in keys]
    exchanged = [
        key for key in places if any(ends[key] is bound[other] for other in places if other is not key)
    ]
    seen = SeenNow().identities if exchanged else set()
    if any(
        _is_mutable(carried[key].initial) and _is_held(trace, carried[key].initial, seen) for key in exchanged
    ):
        common += exchanged
    for key in dict.fromkeys(common):
        trace.at_end.append(_Watch(trace, carried[key].place.name, [(bound[key], contents[key])]))


def note_carried(
    trace: Recorder, name: str, container: Any, sides: Sequence[Any], bound: Iterable[Any]
) -> None:
    """Note which containers one may be that a loop left: that from before it, or what its last iteration left.

    `bound` are what stands for those that an iteration begins with.
    """
    container, initial, end = (resolve_grown_list(present(value)) for value in (container, *sides))
    for option, found in options_among(container, (initial, end)) if isinstance(container, Chosen) else ():
        note_carried(trace, name, option, found, bound)
    if _is_copied(container):
        held = frozenset(id(resolve_grown_list(present(value))) for value in bound)
        _note_ends(trace, name, container, (initial, end), held)


def _note_ends(
    trace: Recorder, name: str, container: Any, ends: Sequence[Any], bound: frozenset[int]
) -> None:
    place = str(trace.user_location() or "an unknown place")
    carried = CarriedContainer(container, name, place, ends[0], ends[1], bound)
    trace.state(JoinedContainers).carried[id(container)] = carried


def note_earlier_ends(
    trace: Recorder, carried: Mapping[Any, Any], ends: Mapping[Any, Any], contents: Any
) -> None:
    """Watch containers from before a loop that a place holds from the second iteration on; `contents` is of before."""
    for key, content in contents.items():
        if _is_copied(ends[key]):
            trace.at_end.append(_Watch(trace, carried[key].place.name, [(ends[key], content)]))


def content_of(container: Any) -> list[Any] | None:
    """What a container holds now; None for other values."""
    container = resolve_grown_list(present(container))
    if isinstance(container, RuntimeContainer):
        return container.state()
    if isinstance(container, (set, Counter, defaultdict)):
        return [*container, *(container.values() if isinstance(container, dict) else ())]
    parts = parts_of(container)
    return None if parts is None else [*parts[0], *parts[1]]


def _watch(trace: Recorder, name: str, containers: list[Any], around: tuple[Any, ...] = ()) -> _Watch:
    watch = _Watch(trace, name, [(c, content_of(c)) for c in containers], around)
    trace.at_end.append(watch)
    return watch


class _Watch:
    """Raises where one of several containers has changed."""

    def __init__(
        self,
        trace: Recorder,
        name: str,
        contents: list[tuple[Any, list[Any] | None]],
        around: tuple[Any, ...] = (),
    ) -> None:
        self.trace = trace
        self.name = name
        self.contents = contents
        self.around = around
        """What holds the joined one, where that has been joined by what it holds."""
        self.is_of_chosen = False
        """Whether the joined one is that of one of several objects."""
        self.found: Any = None
        """One of them that has changed on a path that has ended."""
        self.place = trace.user_location()

    def changed(self) -> Any:
        """A container that has changed; None where none has."""
        if self.found is not None:
            return self.found
        for container, content in self.contents:
            now = content_of(container)
            if now is None and content is not None:  # an object that the recording, which has ended, had made
                attributes = attributes_of(container) or {}
                now = [*attributes, *attributes.values()]
            if now is not content and (now is None or content is None or not same_items(now, content)):
                return container
        return None

    def __call__(self) -> None:
        container = self.changed()
        if container is None:
            return
        begin_again_if_copied(self.trace, (container for container, _ in self.contents))
        kind = container.python_type if isinstance(container, RuntimeContainer) else type(container)
        refusal = UnsupportedError(
            f"{self.name!r} is, depending on a condition or on how often a loop ran, a {kind.__name__} that has other "
            f"names too or another one (joined at {self.place or 'an unknown place'}), and one of them is changed: "
            "compiled code could not change the right one. Copy it before the condition or loop, or change it inside"
        )
        if self.is_of_chosen and not self.trace.choices.own_chosen:
            raise BeginsAgain(own_chosen=True)
        tell_apart(self.trace, [*self.around, *(container for container, _ in self.contents)], refusal)
        raise refusal


def _is_mutable(value: Any) -> bool:
    return isinstance(value, (RuntimeContainer, set, Counter, defaultdict)) or (
        not isinstance(value, IMMUTABLE) and parts_of(value) is not None
    )


def _is_copied(value: Any) -> bool:
    """Whether a loop that carries a container makes another one of it."""
    return _is_mutable(value) and not _are_of_one_heap([value])


def _is_seen(trace: Recorder, container: Any, seen: set[int]) -> bool:
    """Whether the program can see a container: it was there before the call, or something that it sees holds it."""
    state = trace.python_state
    is_outside = state is not None and any(map(state.knows, _all_of(trace, container).values()))
    return is_outside or _is_held(trace, container, seen)


def _is_held(trace: Recorder, container: Any, seen: set[int]) -> bool:
    """Whether a variable or a container that the program sees holds a container, or one that it may be."""
    return not seen.isdisjoint(_all_of(trace, container))

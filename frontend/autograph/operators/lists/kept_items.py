"""Arrays, lists, dicts and objects that are items of a list that grows: it holds copies, where Python holds themselves.

That is the same as long as none of them is changed after it was put in or read. When one that was read is changed, or a
container that was put in, the recording begins again, and such items stay in lists of Python: loops and comprehensions
of known length that make them are unrolled, and others are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from .....dialect.errors import UnsupportedError
from ....guards.inputs import BeginsAgain
from ....runtime_values.results import RuntimeContainer
from ....source.own_attributes import own_attributes
from ....tracing.array import TracedArray
from ....tracing.current import required_trace
from ....tracing.recorder import KeptArray, KeptItem
from ..values.abstract import parts_of
from ..values.composites import IMMUTABLE
from ..values.control_flow_state import control_flow
from ..values.kinds import Kind, Static
from ..values.made_objects import tell_apart
from ..values.object_handles import AttributeOfRows, note_refused
from ..values.optional import MaybeUnbound, Optional
from ..values.resolve_grown_lists import resolve_grown_list
from ..values.unchanged_values import same_items
from .changed_arrays import let_change, note_change, note_put, note_shared_items, require_unread

if TYPE_CHECKING:
    from ....source.locations import SourceRange
    from ....tracing.recorder import Recorder
    from ....tracing.regions import Region


def keep_put(item: Any, owner: Any = None) -> None:
    """Note what is put into a list, which takes what is in it: changing it later would change the item in Python."""
    trace = required_trace()
    for part in _changeable(item):
        _keep(trace, part, owner)


def keep_records(item: Any) -> None:
    """Note the dicts and objects in what is put into a list as a copy, whose lists are the list's own."""
    for part in _changeable(item):
        if _sort_of(part) is None:
            _keep(required_trace(), part)


def keep_whole(item: Any) -> None:
    """Note an object of which there is a copy."""
    _keep(required_trace(), item)


def _keep(trace: Recorder, part: Any, owner: Any = None) -> None:
    if _sort_of(part) in trace.choices.own_items:
        _refuse(part)
    if isinstance(part, TracedArray):
        note_put(trace, part, owner, _refusal(trace, part, owner))
        _keep_unwritten(trace, part, owner)
    else:
        trace.kept_items.append(KeptItem(part, _state(part)))


def _sort_of(part: Any) -> bool | None:
    """Of which sort something is that can be changed: arrays (True), lists and sets (False), dicts and objects."""
    if isinstance(part, TracedArray):
        return True
    return False if isinstance(part, (list, set, RuntimeContainer)) else None


def _keep_unwritten(trace: Recorder, array: TracedArray, owner: Any) -> None:
    """Note an array that must not be written; in a loop that it is from outside of, not in later iterations either."""
    storage = array._storage
    since = trace.clock
    region: Region | None = trace.region
    while region is not None:
        if region.loop is region and not storage.region.is_inside(region):
            since = region.clock
        region = region.parent
    trace.kept.append(KeptArray(storage, since, owner))


def keep_read(item: Any, index: Any = None, owner: Any = None) -> None:
    """Note the arrays and containers in an item that was read, which are the list's own in Python."""
    trace = required_trace()
    trace.kept_items.extend(KeptItem(part, _state(part), index, owner) for part in _changeable(item))


def forget_read(item: Any, index: Any) -> None:
    """Note that an item is put where it was read: `rows[i] += 1` reads, writes and puts it back."""
    trace = required_trace()
    back = list(map(_identity, _changeable(item)))
    if not back:
        return
    found = [
        kept
        for kept in trace.kept_items
        if _is_same_index(kept.index, index) and _identity(kept.item) in back
    ]
    forgotten = set(map(id, found))
    trace.kept_items = [kept for kept in trace.kept_items if id(kept) not in forgotten]
    for kept in found:
        if _is_changed(kept):
            refuse = partial(_begin_again, trace, kept.item, trace.user_location())
            if not isinstance(kept.item, TracedArray):
                refuse()  # there is what holds lists and dicts as the objects that they are
            note_change(trace, kept.item, kept.owner, refuse)


def change_read(array: TracedArray, index: Any, owner: AttributeOfRows) -> list[KeptItem] | None:
    """Note that an array of an object was changed, by a name that it has.

    Gives the others that were read of objects and are still theirs, which may be one with it; None where it is not
    known to be the object's, as what let it be was taken back.
    """
    trace = required_trace()
    notes = [(kept, kept.item is array and kept.owner is owner) for kept in trace.kept_items]
    known = [kept for kept, is_known in notes if is_known]
    if not known:
        return None
    if all(kept.index is not index for kept in known):
        owner.refuse()
    others = [kept for kept, is_known in notes if not is_known and _is_current(kept, owner)]
    others = others if len(others) <= _MOST_WRITTEN else []
    trace.kept_items = [kept for kept, is_known in notes if not is_known]
    note_change(trace, array, owner, owner.refuse, {kept.item._storage for kept in others})
    keep_read(array, index, owner)
    return others


_MOST_WRITTEN = 8
"""So many arrays that were read are written with one that may be theirs."""


def _is_current(kept: KeptItem, owner: Any) -> bool:
    """Whether an array that was read is still the one that its object has."""
    if kept.owner is not owner or kept.index is None or not isinstance(kept.item, TracedArray):
        return False
    storage = kept.item._storage
    return storage.section.is_usable and not storage.aliases.is_stale


def note_written(kept: KeptItem) -> None:
    """Note that an array was written as its object has it now."""
    trace = required_trace()
    trace.kept_items = [one for one in trace.kept_items if one is not kept]
    keep_read(kept.item, kept.index, kept.owner)


def known_read(index: Any, owner: AttributeOfRows) -> TracedArray | None:
    """The array that an object has, where it was read in this iteration of the loop around."""
    trace = required_trace()
    for kept in reversed(trace.kept_items):
        is_known = kept.index is index and _is_current(kept, owner)
        if is_known and kept.item._storage.region.loop is trace.region.loop:
            return kept.item  # type: ignore[no-any-return]
    return None


def is_place_of(array: Any, index: Any, owner: AttributeOfRows) -> bool:
    """Whether an array is known to be the one that an object has."""
    return isinstance(array, TracedArray) and any(
        kept.owner is owner and kept.index is index and kept.item is array
        for kept in required_trace().kept_items
    )


def let_go(owner: AttributeOfRows) -> None:
    """Note that an object gets another array: those that were read may not be those of objects from now on."""
    trace = required_trace()
    for number, kept in enumerate(trace.kept_items):
        if kept.owner is owner and kept.index is not None:
            if isinstance(kept.item, TracedArray) and _is_written_around(trace, kept.item):
                owner.refuse()  # the iteration behind this one writes what the object does not have any more
            trace.kept_items[number] = kept._replace(index=None)


def _is_written_around(trace: Recorder, array: TracedArray) -> bool:
    """Whether a loop that is being recorded has written an array from outside of it."""
    region: Region | None = trace.region
    while region is not None:
        is_outside = region.loop is region and not array._storage.region.is_inside(region)
        if is_outside and array._storage.written_at > region.clock:
            return True
        region = region.parent
    return False


def take_out(item: Any, owner: Any = None) -> None:
    """Note that an item is taken out of a list: the arrays in it can be changed, as long as they are nowhere else."""
    trace = required_trace()
    for part in _changeable(item):
        if isinstance(part, TracedArray):
            let_change(trace, part, partial(_begin_again, trace, part))
            trace.kept_items.append(KeptItem(part, _state(part), None, owner, is_out=True))


def share_items(kind: Kind | None, array: TracedArray | None = None) -> None:
    """Note that the items of a list lie in another one, too, or are views of an array."""
    trace = required_trace()
    note_shared_items(trace, kind, partial(_begin_again_with, trace, True), array)


def is_new(item: Any) -> bool:
    """Whether what can be changed in an item was made in what is being recorded: containers, no arrays, no items."""
    snapshots = control_flow(required_trace()).snapshots
    return not any(
        isinstance(part, TracedArray) or is_read(part) or any(snapshot.knows(part) for snapshot in snapshots)
        for part in _changeable(item)
    )


def is_read(item: Any) -> bool:
    """Whether a container is an item that was read, a copy of what the list has."""
    return any(kept.item is item for kept in required_trace().kept_items)


def keep_joined(joined: Any, candidates: Sequence[Any], kept: Sequence[set[int]] | None = None) -> None:
    """Note what a branch leaves of items that were read or put: it is one of these in Python.

    What was kept on the path of each candidate may be told.
    """
    told = kept or [_kept(_noted(required_trace()))] * len(candidates)
    if any(_is_kept(item, own) for item, own in zip(candidates, told, strict=True)):
        keep_read(joined)


class KeptOnPaths:
    """The items that are kept at the ends of the paths of a branch."""

    def __init__(self, trace: Recorder) -> None:
        self._trace = trace
        self._known = _noted(trace)
        self._before = _kept(self._known)
        self.found: list[set[int]] = []

    def end_path(self) -> None:
        """Tell those of a path, which has ended."""
        known = set(map(id, self._known))
        new = [kept for kept in _noted(self._trace) if id(kept) not in known]
        self.found.append(self._before | _kept(new))
        self._known += new


def states_of(item: Any) -> list[KeptItem]:
    """What the arrays and containers in a value hold now."""
    return [KeptItem(part, _state(part)) for part in _changeable(item)]


def keep_carried(end: Any, states: Sequence[KeptItem]) -> None:
    """Note what an iteration begins with, where the one before leaves an item that is kept in its place."""
    trace = required_trace()
    if states and _is_kept(end, _kept(_noted(trace))):
        trace.kept_items.extend(states)
        for item, before, *_ in states:
            if isinstance(item, TracedArray):
                require_unread(trace, item, before, partial(_begin_again, trace, item))


def _noted(trace: Recorder) -> list[Any]:
    """The notes of what must not change: containers and arrays that were read, and arrays that were put."""
    return [*(kept for kept in trace.kept_items if not kept.is_out), *trace.kept]


def _kept(notes: Iterable[Any]) -> set[int]:
    return {_identity(note.item) if isinstance(note, KeptItem) else id(note.storage) for note in notes}


def _is_kept(item: Any, kept: set[int]) -> bool:
    return bool(kept) and any(_identity(part) in kept for part in _changeable(item))


def compare_identity(left: Any, right: Any) -> None:
    """Begin again where it is asked whether an item that was read is another object: each read makes a copy."""
    trace = required_trace()
    for value in (left, right):
        for kept in trace.kept_items:
            if kept.item is value and not kept.is_out and _sort_of(value) not in trace.choices.own_items:
                _begin_again(trace, value)


def require_unchanged(trace: Recorder) -> None:
    """Have the recording begun again if an item of a list that grows was changed, and not put back into its place."""
    for kept in trace.kept_items:
        if _is_changed(kept):
            refuse = _refusal(trace, kept.item, kept.owner)
            note_change(trace, kept.item, kept.owner, refuse) if kept.is_out else refuse()


def _is_changed(kept: KeptItem) -> bool:
    """Whether an item was changed since it was read."""
    if isinstance(kept.item, TracedArray):
        return bool(kept.item._storage.written_at > kept.before)
    return _has_changed(kept.item, kept.before)


def _refusal(trace: Recorder, item: Any, owner: Any) -> Callable[[], NoReturn]:
    """What is done where an item is changed that must not be."""
    return owner.refuse if isinstance(owner, AttributeOfRows) else partial(_begin_again, trace, item)


def _begin_again(trace: Recorder, item: Any, changed_at: SourceRange | None = None) -> NoReturn:
    """Have the recording begun again, with what is of the sort of an item as the objects that they are."""
    if _sort_of(item) in trace.choices.own_items:
        _refuse(item)
    _begin_again_with(trace, _sort_of(item), changed_at)


def _begin_again_with(trace: Recorder, sort: bool | None, changed_at: SourceRange | None = None) -> NoReturn:
    raise BeginsAgain(own_items=trace.choices.own_items | {sort}, changed_at=changed_at)


def require_no_copy(item: Any) -> None:
    """Begin again, or refuse, where an item of a list that grows is about to be changed, of which there is a copy."""
    trace = required_trace()
    if any(kept.item is item for kept in trace.kept_items):
        _begin_again(trace, item)


def begin_again_if_copied(trace: Recorder, items: Iterable[Any]) -> None:
    """Begin again where one of some containers that were changed is a copy of an item of a list that grows."""
    for item in items:
        if _sort_of(item) not in trace.choices.own_items and any(
            kept.item is item for kept in trace.kept_items
        ):
            _begin_again(trace, item)


def refuse_own(kind: Kind) -> None:
    """Refuse items that are an object of the program each, as recordings have them in which items are changed."""
    if isinstance(kind, Static) and own_attributes(kind.value) and None in required_trace().choices.own_items:
        _refuse(kind.value)


def _refuse(item: Any) -> NoReturn:
    is_array = isinstance(item, TracedArray)
    name = item.python_type.__name__ if isinstance(item, RuntimeContainer) else type(item).__name__
    kind, copy = ("an array", "rows[i].copy()") if is_array else (f"a {name}", f"{name}(rows[i])")
    place = "row[0]" if _sort_of(item) is not None else "row['a']"
    if _sort_of(item) is None and not isinstance(item, dict):
        copy, place = "copy.copy(rows[i])", "row.a"
    refusal = UnsupportedError(
        f"a list or dict whose size is known only at run time has items that are or hold {kind}, and an item of such a "
        f"list is changed{_place_of_change()}, which the list, or another name of the item, would not see; "
        f"change a copy, and put it back: row = {copy}; {place} = 1; rows[i] = row"
        f"{' (or rows[i] = rows[i] + 1)' * is_array}. Or keep what changes in one array (rows[i, 0] = 1)"
    )
    note_refused(required_trace(), refusal, item)
    tell_apart(required_trace(), [item], refusal)
    raise refusal


def _place_of_change() -> str:
    """Where an item is changed in its place, if that is known."""
    place = required_trace().choices.changed_at
    return f" (at {place})" if place else ""


def _changeable(item: Any) -> Iterator[Any]:
    """The arrays and containers in an item that can be changed."""
    while isinstance(item, (MaybeUnbound, Optional)):
        item = item.value
    if isinstance(item, TracedArray):
        if item.ndim:
            yield item
        return
    if isinstance(item, set):
        yield item
        return
    parts = parts_of(item)
    if parts is None:
        return
    if not isinstance(item, (*IMMUTABLE, slice)):
        yield item
    for part in parts[1]:
        yield from _changeable(part)


def _identity(part: Any) -> int:
    return id(part._storage if isinstance(part, TracedArray) else part)


def _is_same_index(one: Any, other: Any) -> bool:
    return one is other or (isinstance(one, int) and isinstance(other, int) and one == other)


def _state(part: Any) -> Any:
    """What a container holds now, keys and entries; for an array, what the clock shows."""
    if isinstance(part, TracedArray):
        return required_trace().clock
    if isinstance(part, (list, set)):
        return list(part)
    if isinstance(part, dict):
        return [*part, *map(resolve_grown_list, part.values())]
    keys, entries = parts_of(part) or ((), [])
    others = own_attributes(part)
    return [*keys, *map(resolve_grown_list, entries), *others, *map(resolve_grown_list, others.values())]


def _has_changed(item: Any, before: Any) -> bool:
    """Whether a container holds something else than before, or has become a list that grows."""
    return resolve_grown_list(item) is not item or not same_items(_state(item), before)

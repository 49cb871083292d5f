"""Arrays in lists that grow that are changed in place and put back: `rows[i] += 1`.

In Python that changes the array by every name and in every place that it has. Lists hold copies: the one at `i` changes
and nothing else, which is the same as long as nothing else is this array, or is looked at later. Each array that is put
into a list is new and lies there alone, or is noted to have several places, which goes with no such change. What has
been read of the list before, and what was put there by another name, cannot be read behind the change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

from .....dialect.types import TensorType
from ....tracing.array import TracedArray
from ....tracing.may_alias import all_aliases, may_be_one_of, note_write
from ....tracing.recorder import ArrayNote, Recorder, Storage
from ....tracing.regions import Region
from ..values.kinds import ArrayKind, Kind
from ..values.object_handles import AttributeOfRows

Refuse = Callable[[], NoReturn]


def note_put(trace: Recorder, array: TracedArray, owner: Any, refuse: Refuse) -> None:
    """Note an array that is put into a list, before it is known to be there."""
    if not _is_new(trace, array, owner):
        note_several_places(trace, array.type, refuse, _owners(trace, array._storage, owner))


def note_several_places(
    trace: Recorder, type_: TensorType, refuse: Refuse, owners: tuple[Any, ...] | None = None
) -> None:
    """Note that arrays of a type have several places, or other memory than their own; in a loop, in each iteration.

    They may lie in some lists, or in all for None.
    """
    since = trace.clock
    region: Region | None = trace.region
    while region is not None:
        since = region.clock if region.loop is region else since
        region = region.parent
    _note(trace, ArrayNote(type_, since, False, owners), refuse)


def note_shared_items(
    trace: Recorder, kind: Kind | None, refuse: Refuse, array: TracedArray | None = None
) -> None:
    """Note that the items of a list lie in another one, too, or are views of an array."""
    if isinstance(kind, ArrayKind):
        if kind.type.rank:
            owners = None if array is None else _owners(trace, array._storage, object())
            note_several_places(trace, kind.type, refuse, owners)
    elif kind is not None:
        for part in kind.parts:
            note_shared_items(trace, part, refuse, array)


def note_change(
    trace: Recorder, array: TracedArray, owner: Any, refuse: Refuse, written: Iterable[Storage] = ()
) -> None:
    """Note that an array was changed that an item is: what else may be it cannot be read from now on.

    But for some that are written, too.
    """
    storage = array._storage
    owners = (owner,) if isinstance(owner, AttributeOfRows) else None
    _note(
        trace, ArrayNote(array.type, storage.written_at, True, owners, trace.region.last_operation()), refuse
    )
    for other in _others(trace, storage, owner):
        if other in written:
            continue
        other.aliases.is_stale, other.aliases.refuse = True, refuse
        note_write(other)


def let_change(trace: Recorder, array: TracedArray, refuse: Refuse) -> None:
    """Let an array that was taken out of a list be changed as one of its own: what else may be it gets stale then."""
    for other in _others(trace, array._storage, None):
        array._storage.aliases.users[other] = None
        other.aliases.refuse = other.aliases.refuse or refuse


def require_unread(trace: Recorder, array: TracedArray, since: int, refuse: Refuse) -> None:
    """Refuse to read in a loop what the iteration before has left of a list, which is changed in the loop."""
    storage = array._storage
    uses = (storage.value if storage.ref is None else storage.ref).uses
    readers = [use.owner for use in uses if use.owner.name not in _ENDS]
    for note in trace.array_notes:
        is_of_loop = note.is_change and note.clock > since and _may_be_one(note.type, array.type)
        if is_of_loop and not all(_is_before(reader, note.behind) for reader in readers):
            refuse()


_ENDS = ("scf.yield", "scf.condition")


def _is_before(operation: Any, other: Any) -> bool:
    """Whether an op, or what it lies in, is in front of another one, or of what that lies in, or is that."""
    around = list(_with_parents(operation))
    for place in _with_parents(other):
        for one in around:
            if one.block == place.block:
                return bool(one == place or one.is_before_in_block(place))
    return False


def _with_parents(operation: Any) -> Iterator[Any]:
    """An op of a function, and those in which it lies."""
    while operation is not None and operation.name != "builtin.module":
        yield operation.operation
        operation = operation.parent


def _note(trace: Recorder, note: ArrayNote, refuse: Refuse) -> None:
    for other in trace.array_notes:
        change, places = (note, other) if note.is_change else (other, note)
        is_pair = change.is_change and not places.is_change and _share_owners(change, places)
        if is_pair and change.clock > places.clock and _may_be_one(change.type, places.type):
            refuse()
    trace.array_notes.append(note)


def _share_owners(one: ArrayNote, other: ArrayNote) -> bool:
    """Whether arrays of two notes may lie in one list or attribute."""
    if one.owners is None or other.owners is None:
        return True
    return any(owner is another for owner in one.owners for another in other.owners)


def _others(trace: Recorder, storage: Storage, owner: Any) -> Iterable[Storage]:
    """The arrays that were read of a list, or put into it, and can be used here; of all lists where none is told."""
    notes: list[Any] = [*trace.kept, *((note.item._storage, 0, note.owner) for note in _reads(trace))]
    for other, _, its_owner in notes:
        is_elsewhere = None not in (owner, its_owner) and owner is not its_owner
        if other is storage or is_elsewhere or not other.section.is_usable:
            continue
        if _may_be_one(other.type, storage.type):
            yield other


def _reads(trace: Recorder) -> list[Any]:
    return [note for note in trace.kept_items if isinstance(note.item, TracedArray)]


def _may_be_one(one: TensorType, other: TensorType) -> bool:
    """Whether arrays of two types may be the same."""
    return (
        one.dtype == other.dtype
        and one.rank == other.rank
        and all(a == b or a is None or b is None for a, b in zip(one.shape, other.shape, strict=True))
    )


def _owners(trace: Recorder, storage: Storage, owner: Any) -> tuple[Any, ...] | None:
    """The lists in which an array may lie that is put into one; None for any."""
    may_be = may_be_one_of(storage)
    found = {id(owner): owner}
    for other, _, its_owner in (*trace.kept, *((n.item._storage, 0, n.owner) for n in _reads(trace))):
        if other in may_be:
            found[id(its_owner)] = its_owner
    return None if None in found.values() else tuple(found.values())


def _is_new(trace: Recorder, array: TracedArray, owner: Any) -> bool:
    """Whether an array was made since, in this iteration of the loop around, and is in no list so far.

    One that was taken out of a list may be put back.
    """
    storage = array._storage
    if array._path or array._is_another is not False:
        return False
    reads = (note for note in _reads(trace) if not (note.is_out and owner is note.owner is not None))
    known = {id(kept.storage) for kept in trace.kept} | {id(note.item._storage) for note in reads}
    are_own = all(_is_own(trace, one) for one in (storage, *all_aliases(storage)))
    return are_own and not any(id(one) in known for one in may_be_one_of(storage))


def _is_own(trace: Recorder, storage: Storage) -> bool:
    """Whether an array was made by the program, in this iteration of the loop around."""
    loop = trace.region.loop
    is_of_program = storage.argument is None and storage.outside is None and storage.variable is None
    return (
        is_of_program and not storage.aliases.is_outside and (loop is None or storage.region.is_inside(loop))
    )

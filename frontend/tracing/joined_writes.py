"""Writes to arrays that are one of two or more, as a condition says: `y = x if c else x + 1`, and then `y[0] = 1`.

Compiled code has an array of its own for y. What is written to y is copied to x where that path was taken, and what is
written to x to y, right behind each write: at each place of the program all of them hold what they hold in NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ...dialect.errors import WeftWarning
from ...dialect.ops.state import WriteRef
from ..source.locations import warn_at
from .may_alias import all_aliases, all_users, end_write
from .recorder import Way

if TYPE_CHECKING:
    from ...dialect.mlir import Value
    from ...dialect.types import TensorType
    from .recorder import Conditions, Join, Recorder, Storage


def note_ways(result: Any, join: Join, candidates: Iterable[Any]) -> None:
    """Note which array a join's result is where its paths were taken; a candidate is None where it is no array."""
    aliases = result._storage.aliases
    aliases.result, aliases.ways = result, None
    if join.truth is None or aliases.is_outside:
        return
    ways: list[Way] = []
    for path, array in enumerate(candidates):
        found = () if array is None else _ways_to(array, result.type, join)
        if found is None:
            return
        ways += [way._replace(conditions=((join.truth, path), *way.conditions)) for way in found]
    aliases.ways = tuple(ways)


def _ways_to(array: Any, type_: TensorType, join: Join) -> Sequence[Way] | None:
    """The ways to what can be used of an array at the end of a path, and of what that is; None where not known."""
    storage = array._storage
    if storage.section.is_usable:
        return [Way((), array)] if array.type == type_ else None
    aliases = storage.aliases
    if aliases.is_outside:
        return None
    if aliases.join is None or not any(one.section.is_usable for one in all_aliases(storage)):
        return ()
    if aliases.ways is None or array._path or array.type != type_:
        return None
    found: list[Way] = []
    for way in aliases.ways:
        inner = _ways_to(way.array, type_, join)
        known = [(_behind(truth, join), path) for truth, path in way.conditions]
        if inner is None or (inner and any(truth is None for truth, _ in known)):
            return None
        found += [Way((*known, *one.conditions), one.array) for one in inner]
    return found


def _behind(truth: Any, join: Join) -> Any:
    """A condition as it can be used behind a join; None where it cannot."""
    return truth if truth._storage.section.is_usable else join.decided_inside.get(truth._storage)


def decided_inside(array: Any) -> list[Any]:
    """The conditions on a path that has ended by which an array is another one."""
    ways = array._storage.aliases.ways or ()
    truths = {truth._storage: truth for way in ways for truth, _ in way.conditions}
    return [truth for storage, truth in truths.items() if not storage.section.is_usable]


def is_handed_on(storage: Storage) -> bool:
    """Whether what is written to a storage can be copied to all that it may be and the program can use."""
    for one in (storage, *_sources_of(storage)):
        aliases = one.aliases
        if aliases.is_outside or aliases.is_stale or (aliases.join is not None and aliases.ways is None):
            return False
    return True


def hand_on(storage: Storage) -> None:
    """Copy what was just written to a storage to all that are the same array on the paths that were taken."""
    written = [storage, *_sources_of(storage)]
    users = _users_in_step(storage, written)
    in_step = dict.fromkeys((*written, *users))
    if len(in_step) > 1:
        _warn_in_loops(storage)
    _forget_others_of_paths(written)
    end_write(storage, in_step=in_step)
    _write_sources(storage)
    for user in users:
        for way in _usable_ways(user):
            if way.array._storage in in_step:
                _copy(user, way.conditions, user.aliases.result, way.array)
    for one in in_step:
        if one is not storage:
            end_write(one, in_step=in_step)


def _warn_in_loops(storage: Storage) -> None:
    """Warn, once for each line of the user's, where a loop copies in each iteration what it writes."""
    place = storage.trace.user_location()
    if storage.trace.region.loop is None or (key := place and (place.file, place.line)) in _warned:
        return
    _warned.add(key)
    warn_at(
        place,
        f"each iteration copies an array ({storage.type}) that is written here, and is, depending on a condition, "
        "another array of the program: if that is not to change, write to a copy that is made before the loop "
        "(y = x.copy())",
        WeftWarning,
    )


_warned: set[tuple[str, int] | None] = set()


def _forget_others_of_paths(written: list[Storage]) -> None:
    """Let get stale what may be an array made on a path, and gone by now, that something written may be, too."""
    for one in written:
        pending = [source for source in _gone_sources(one) if source.aliases.join is None]
        met = {one, *pending}
        while pending:
            for user in pending.pop().aliases.users.keys() - met:
                met.add(user)
                pending.append(user)
                user.aliases.is_stale |= user.section.is_usable


def _gone_sources(storage: Storage) -> list[Storage]:
    """What a storage may be that was made on a path and cannot be used any more, unless it is that by another."""
    found: dict[Storage, None] = {}
    pending = [storage]
    while pending:
        sources = pending.pop().aliases.by_path
        new = [one for one in sources if one is not None and not one.section.is_usable and one not in found]
        found.update(dict.fromkeys(new))
        pending += new
    return list(found)


def _write_sources(user: Storage) -> None:
    """Copy a storage to what it is where a path was taken, and there to what that is."""
    for way in _usable_ways(user):
        _copy(
            user,
            way.conditions,
            way.array,
            user.aliases.result,
            then=partial(_write_sources, way.array._storage),
        )


def _copy(
    user: Storage, where: Conditions, target: Any, source: Any, then: Callable[[], None] = lambda: None
) -> None:
    """Record that an array is copied to another one where paths to joins were taken, and what is done there then."""
    join = user.aliases.join
    assert join is not None
    target._storage.trace.make_cell(target._storage)

    def record() -> None:
        target._store(source._value())
        target._storage.version += 1  # views of it that were read before show others now
        then()

    record_where(target._storage.trace, where, record)
    target._storage.version += 1


def record_where(trace: Recorder, conditions: Conditions, record: Callable[[], None]) -> None:
    """Record something on one path of each of some branches, as the conditions that were decided earlier say."""
    if not conditions:
        record()
        return
    from ...dialect.mlir import ir  # which programs from the disk cache need not load
    from ...dialect.register import context
    from .drafts import Draft

    (truth, number), *inner = conditions
    with context():
        bit = ir.IntegerType.get_signless(1)
    decided = trace.create_upstream("tensor.extract", [truth._value()], [bit])
    draft = Draft(trace, "scf.if", decided, regions=2)
    for path in (0, 1):
        region = draft.add_region(path)
        with draft.recording(region):
            if path == number:
                record_where(trace, tuple(inner), record)
            draft.terminate(region, "scf.yield", [])
    draft.finish(draft.operands, [])


def _usable_ways(user: Storage) -> list[Way]:
    return [way for way in user.aliases.ways or () if way.array._storage.section.is_usable]


def _sources_of(storage: Storage) -> list[Storage]:
    """All that a storage may be and that is written with it."""
    found: dict[Storage, None] = {}
    pending = [storage]
    while pending:
        ways = _usable_ways(pending.pop())
        new = [way.array._storage for way in ways if way.array._storage not in found]
        found.update(dict.fromkeys(new))
        pending += new
    return list(found)


def _users_in_step(storage: Storage, written: list[Storage]) -> list[Storage]:
    """All others that may be something that is written, and are seen later: each behind what it may be."""
    found: dict[Storage, None] = {}
    pending, met = list(written), {storage}
    while pending:
        new = [user for user in pending.pop().aliases.users if user not in met]
        met.update(new)
        followed = [user for user in new if user.section.is_usable and _is_followed(user)]
        found.update(dict.fromkeys(followed))
        pending += [*followed, *(user for user in new if not user.section.is_usable)]
    ordered: dict[Storage, None] = {}

    def visit(one: Storage) -> None:
        for way in _usable_ways(one):
            if way.array._storage in found and way.array._storage not in ordered:
                visit(way.array._storage)
        ordered[one] = None

    for one in found:
        if one not in ordered:
            visit(one)
    return list(ordered)


def _is_followed(user: Storage) -> bool:
    """Whether an array that may be a written one gets its elements: it is known where it is, and can be seen."""
    join = user.aliases.join
    if user.aliases.is_stale or join is None or join.sees_any is None or user.aliases.ways is None:
        return False
    return join.sees_any([user, *all_users([user])])


def write_copy(storage: Storage, value: Value) -> None:
    """Replace all elements of a storage that has a copy of what was written."""
    storage.trace.make_cell(storage)
    storage.trace.create(WriteRef, [storage.ref, value], {})
    end_write(storage, is_copy=True)

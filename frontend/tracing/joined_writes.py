"""Writes to arrays that are one of two or more, as a condition says: `y = x if c else x + 1`, and then `y[0] = 1`.

Compiled code has an array of its own for y. What is written to y is copied to x where that path was taken, and what is
written to x to y, right behind each write: at each place of the program all of them hold what they hold in NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from ...dialect.ops.state import WriteRef
from .may_alias import all_aliases, all_users, end_write

if TYPE_CHECKING:
    from ...dialect.mlir import Value
    from .recorder import Storage


def is_handed_on(storage: Storage) -> bool:
    """Whether what is written to a storage can be copied to all that it may be and the program can use."""
    for one in (storage, *all_aliases(storage)):
        aliases = one.aliases
        if aliases.is_outside or aliases.is_stale:
            return False
        if aliases.join is not None and not _knows_arrays(one):
            return False
    return True


def _knows_arrays(storage: Storage) -> bool:
    """Whether it is known which array that can be used a storage is on each path of a join."""
    aliases = storage.aliases
    if aliases.result is None or aliases.join is None or aliases.join.where is None:
        return False
    for source, array in zip(aliases.by_path, aliases.arrays, strict=True):
        if source is None:
            continue
        is_known = array is not None and source.section.is_usable
        if not is_known and any(one.section.is_usable for one in (source, *all_aliases(source))):
            return False
    return True


def hand_on(storage: Storage) -> None:
    """Copy what was just written to a storage to all that are the same array on the paths that were taken."""
    written = [storage, *_sources_of(storage)]
    users = _users_in_step(storage, written)
    in_step = dict.fromkeys((*written, *users))
    end_write(storage, in_step=in_step)
    _write_sources(storage)
    for user in users:
        for path, array in _usable_arrays(user):
            if array._storage in in_step:
                _copy(user, path, user.aliases.result, array)
    for one in in_step:
        if one is not storage:
            end_write(one, in_step=in_step)


def _write_sources(user: Storage) -> None:
    """Copy a storage to what it is where a path was taken, and there to what that is."""
    for path, array in _usable_arrays(user):
        _copy(user, path, array, user.aliases.result, then=partial(_write_sources, array._storage))


def _copy(
    user: Storage,
    path: int,
    target: Any,
    source: Any,
    then: Callable[[], None] = lambda: None,
) -> None:
    """Record that an array is copied to another one where a path to a join was taken, and what is done there then."""
    join = user.aliases.join
    assert join is not None
    assert join.where is not None
    target._storage.trace.make_cell(target._storage)

    def record() -> None:
        target._store(source._value())
        target._storage.version += 1  # views of it that were read before show others now
        then()

    join.where(path, record)
    target._storage.version += 1


def _usable_arrays(user: Storage) -> Iterator[tuple[int, Any]]:
    for path, array in enumerate(user.aliases.arrays):
        if array is not None and array._storage.section.is_usable:
            yield path, array


def _sources_of(storage: Storage) -> list[Storage]:
    """All that a storage may be and that is written with it."""
    found: dict[Storage, None] = {}
    pending = [storage]
    while pending:
        new = [array._storage for _, array in _usable_arrays(pending.pop()) if array._storage not in found]
        found.update(dict.fromkeys(new))
        pending += new
    return list(found)


def _users_in_step(storage: Storage, written: list[Storage]) -> list[Storage]:
    """All others that may be something that is written, and are seen later: each behind what it may be."""
    found: dict[Storage, None] = {}
    pending = list(written)
    while pending:
        for user in list(pending.pop().aliases.users):
            if user is not storage and user not in found and user.section.is_usable and _is_followed(user):
                found[user] = None
                pending.append(user)
    ordered: dict[Storage, None] = {}

    def visit(one: Storage) -> None:
        for _, array in _usable_arrays(one):
            if array._storage in found and array._storage not in ordered:
                visit(array._storage)
        ordered[one] = None

    for one in found:
        if one not in ordered:
            visit(one)
    return list(ordered)


def _is_followed(user: Storage) -> bool:
    """Whether an array that may be a written one gets its elements: it is known where it is, and can be seen."""
    join = user.aliases.join
    if user.aliases.is_stale or join is None or join.sees_any is None or not _knows_arrays(user):
        return False
    return join.sees_any([user, *all_users([user])])


def write_copy(storage: Storage, value: Value) -> None:
    """Replace all elements of a storage that has a copy of what was written."""
    storage.trace.make_cell(storage)
    storage.trace.create(WriteRef, [storage.ref, value], {})
    end_write(storage, is_copy=True)

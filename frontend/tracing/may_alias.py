"""Which storages an array may be at run time: `y = a if c else b` is a or b, but has a storage of its own.

Compiled code computes the value of such an array when the branch or loop ends. As long as nothing that it may be is
written, that is all the same. A write to a makes what was computed for y stale: reading y is refused from then on.
A write to y is refused while the program can see a or b; if it cannot, what else may be one of them gets stale.

A storage has its direct sources only, and knows what has it as a source: arrays that go through many branches and
loops are long chains.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import TYPE_CHECKING

from ...dialect.errors import UnsupportedError

if TYPE_CHECKING:
    from .recorder import Join, Storage


class MayBeAnother(UnsupportedError):
    """An array may be one that the program has written to, or is about to write to, under another name."""


def connect(
    storage: Storage, join: Join, by_path: Iterable[Storage | None], is_outside: bool = False
) -> None:
    """Note what a storage, which a join has just made, may be: others, or an array from outside without one."""
    paths = tuple(by_path)
    storage.aliases.is_outside = is_outside
    if any(paths):
        storage.aliases.join, storage.aliases.by_path = join, paths
    for source in paths:
        if source is not None:
            source.aliases.users[storage] = None


def all_aliases(storage: Storage) -> list[Storage]:
    """All that a storage may be, sources of sources too, each once; those of the first path come first."""
    found = {storage: None}
    pending = [*reversed(storage.aliases.by_path)]
    while pending:
        source = pending.pop()
        if source is not None and source not in found:
            found[source] = None
            pending += reversed(source.aliases.by_path)
    return list(found)[1:]


def may_be_one_of(storage: Storage) -> set[Storage]:
    """All storages that may be the array that a storage is."""
    sources = (storage, *all_aliases(storage))
    return {*sources, *all_users(sources)}


def usable_aliases(storage: Storage) -> list[Storage]:
    """All that a storage may be of what can be used at this point of the program."""
    return [source for source in all_aliases(storage) if source.section.is_usable]


def is_seen_elsewhere(storage: Storage) -> bool:
    """Whether the program can see an array by itself that a storage may be."""
    if any(source.aliases.is_outside for source in (storage, *all_aliases(storage))):
        return True
    join = storage.aliases.join
    if join is None or join.sees_any is None:
        return False
    return join.sees_any(usable_aliases(storage))


def make_unique(storage: Storage) -> None:
    """Let a storage be an array of its own from now on; what else may be the same array gets stale."""
    join = storage.aliases.join
    if join is None:
        return
    sources = all_aliases(storage)
    for source in sources:  # the write that follows may be one to each of them, which lists may hold
        source.written_at = storage.trace.clock + 1
    own = {storage, *sources}
    for user in all_users(sources):
        if user not in own and not _are_apart(storage, user):
            user.aliases.is_stale |= user.section.is_usable
    if join.sees_any is not None:
        for source in sources:
            source.aliases.is_stale |= source.section.is_usable
    disconnect(storage)


def disconnect(storage: Storage) -> None:
    """Forget what a storage may be."""
    storage.aliases.result, storage.aliases.ways = None, None
    for source in storage.aliases.by_path:
        if source is not None:
            source.aliases.users.pop(storage, None)
    storage.aliases.join, storage.aliases.by_path = None, ()


def end_write(storage: Storage, is_copy: bool = False, in_step: Container[Storage] = ()) -> None:
    """Note that a storage has just been written, and write what has a copy of it, unless it is one itself.

    Those in step with it are written together with it.
    """
    storage.trace.clock += 1
    storage.written_at = storage.trace.clock
    storage.version += 1
    note_write(storage, in_step)
    if storage.behind_write is not None and not is_copy:
        storage.behind_write()


def note_write(storage: Storage, in_step: Container[Storage] = ()) -> None:
    """Let what may be an array that was written get stale.

    What lies in a branch or loop body that has ended was computed and used before the write. It only leads on to
    what was made of it outside, and is forgotten once it leads nowhere.
    """
    pending, met = [storage], {storage}
    while pending:
        users = pending.pop().aliases.users
        for user in list(users):
            if user in in_step:
                continue
            if user.section.is_usable:
                del users[user]
                is_new, user.aliases.is_stale = not user.aliases.is_stale, True
            else:
                if user.region.is_over and not user.aliases.users:
                    del users[user]
                is_new = user not in met
            if is_new:
                met.add(user)
                pending.append(user)


def all_users(storages: Iterable[Storage]) -> list[Storage]:
    """All storages that may be one of some others."""
    found: dict[Storage, None] = {}
    pending = list(storages)
    while pending:
        users = [user for user in pending.pop().aliases.users if user not in found]
        found.update(dict.fromkeys(users))
        pending += users
    return list(found)


def _are_apart(one: Storage, other: Storage) -> bool:
    """Whether two storages are surely two arrays: on every path to a join they may come from two others."""
    seen: set[tuple[Storage, Storage]] = set()
    pending: list[tuple[Storage, Storage]] = [(one, other)]
    while pending:
        one, other = pending.pop()
        if one is other:
            return False
        if (one, other) in seen:
            continue
        seen |= {(one, other), (other, one)}
        if one.aliases.join is not None and one.aliases.join is other.aliases.join:
            paths = zip(one.aliases.by_path, other.aliases.by_path, strict=True)
            pending += [(a, b) for a, b in paths if a is not None and b is not None]
        elif not {one, *all_aliases(one)}.isdisjoint({other, *all_aliases(other)}):
            return False
    return True


def place_of_source(storage: Storage) -> str:
    """Where an array was made that a storage may be, as messages say it."""
    sources = usable_aliases(storage)
    made_at = sources[0].made_at if sources else storage.made_at
    return str(made_at or "its entry")

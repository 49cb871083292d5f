"""Compiled code goes along with functions: entries of the cache, for processes that have another one, or none.

A worker that finds what its first call needs loads it in some milliseconds, and no compiler. Entries are found by keys
that tell the processor, the versions and the source; elsewhere they are not asked for. A pickle runs code anyway, so
this one takes no more trust than others.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from ...backend.cache import memory
from ...backend.cache.store import Store, store
from ..settings import settings

MOST_BYTES = 256 << 10
"""A function takes so much along at most."""

_MOST_READ = 256
_read: dict[str, bytes] = {}
"""Entries that were read: engines pickle a function again for each task."""

C = TypeVar("C")


def with_entries(compile: Callable[..., C], *args: Any) -> C:
    """What is compiled or loaded, which then knows the keys of its entries."""
    with memory.noted() as keys:
        made: Any = compile(*args)
    made.entries = tuple(keys)
    found: C = made
    return found


def entries_of(concretes: Iterable[Any]) -> dict[str, bytes]:
    """The entries of compiled functions, and of what all functions run with, as far as they are small enough."""
    cache = store()
    if cache is None or not settings.ship_compiled:
        return {}
    own = [key for concrete in concretes for key in getattr(concrete, "entries", ())]
    if not own:
        return {}
    found = _contents(cache, own)
    if sum(map(len, found.values())) > MOST_BYTES:
        return {}
    with_shared = found | _contents(cache, filter(_is_shared, memory.used()))
    return with_shared if sum(map(len, with_shared.values())) <= MOST_BYTES else found


def all_entries() -> dict[str, bytes]:
    """All that this process has compiled or found."""
    cache = store()
    return {} if cache is None else _contents(cache, memory.used())


def _is_shared(key: str) -> bool:
    """Whether an entry is no program of one function: its key is one word."""
    return "-" not in key


def _contents(cache: Store, keys: Iterable[str]) -> dict[str, bytes]:
    found = {}
    for key in keys:
        content = _read.get(key) or cache.content(key)
        if content is not None:
            found[key] = content
            if len(content) <= MOST_BYTES:
                _read[key] = content
    while len(_read) > _MOST_READ:
        _read.pop(next(iter(_read)))
    return found


def with_code(function: Any, reduced: str | tuple[Any, ...]) -> str | tuple[Any, ...]:
    """How a function is made elsewhere, with its compiled code in front."""
    entries = entries_of(function._known.concretes)
    if not entries:
        return reduced
    if isinstance(reduced, str):
        return arrived, (entries, _found, (function.__module__, reduced))
    make, args, *state = reduced
    return (arrived, (entries, make, args), *state)


def arrived(entries: Mapping[str, bytes], make: Callable[..., C], args: tuple[Any, ...]) -> C:
    """A function that came with compiled code."""
    memory.put(entries)
    return make(*args)


def _found(module: str, name: str) -> Any:
    """What a module holds under a name."""
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found

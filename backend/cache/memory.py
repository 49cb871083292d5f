"""Entries of the cache that came from another process: a layer of memory above the directory.

Pickled functions bring them along (`settings.ship_compiled`), and so do the plugins of clusters. They are found by
their keys, which tell the processor, the versions and the source: what does not fit is never asked for.
"""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping

_MOST_BYTES = 64 << 20
"""So much is kept; what came first goes first."""

_came: OrderedDict[str, bytes] = OrderedDict()
_lock = threading.Lock()
_size = 0

_used: dict[str, None] = {}
"""The keys of what this process has compiled or found, in this order."""

_noting = threading.local()


def put(entries: Mapping[str, bytes]) -> None:
    """Keep entries that came, as the files of the cache hold them."""
    global _size
    with _lock:
        for key, content in entries.items():
            if key not in _came:
                _came[key] = content
                _size += len(content)
        while _size > _MOST_BYTES:
            _size -= len(_came.popitem(last=False)[1])


def get(key: str) -> bytes | None:
    """The content of an entry that came."""
    return _came.get(key)


def discard(key: str) -> None:
    """Forget an entry, as it is damaged."""
    global _size
    with _lock:
        _size -= len(_came.pop(key, b""))


def keys(prefix: str = "") -> list[str]:
    """The keys of what came that begin with a prefix, the latest first."""
    with _lock:
        return [key for key in reversed(_came) if key.startswith(prefix)]


def note_use(key: str) -> None:
    """Take note that this process has what is stored under a key."""
    _used[key] = None
    for noted in getattr(_noting, "lists", ()):
        noted.append(key)


def used() -> list[str]:
    """The keys of all that this process has compiled or found."""
    return list(_used)


@contextlib.contextmanager
def noted() -> Iterator[list[str]]:
    """The keys of what this thread compiles or finds inside of the `with` block."""
    lists = _noting.__dict__.setdefault("lists", [])
    found: list[str] = []
    lists.append(found)
    try:
        yield found
    finally:
        lists.pop()

"""The sources of weft as one name, which is the same wherever they are installed."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TypeAlias

from .files import digest
from .store import store

Stamp: TypeAlias = "tuple[str, int, int]"
"""A file's path, size and time."""

_ROOMS = ("dialect", "passes", "backend", "frontend")
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@cache
def own_sources() -> list[Stamp]:
    """The modules of weft: in a checkout they change without the version."""
    return sources_below([os.path.join(_ROOT, room) for room in _ROOMS])


def sources_below(folders: list[str]) -> list[Stamp]:
    """The Python files in some folders and in those inside of them."""
    found, folders = [], list(folders)
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    told = entry.stat()
                    found.append((entry.path, told.st_size, told.st_mtime_ns))
                elif entry.name != "__pycache__" and entry.is_dir():
                    folders.append(entry.path)
    return sorted(found)


@cache
def sources_digest() -> str:
    """A name for what is in all modules of weft; the disk cache remembers it, as to read them takes 40 ms.

    >>> sources_digest() == sources_digest()
    True
    """
    cache = store()
    key = digest(("sources", own_sources()))
    found = None if cache is None else cache.read(key)
    if isinstance(found, str):
        assert cache is not None
        cache.use(key)
        return found
    contents = [(os.path.relpath(path, _ROOT), Path(path).read_bytes()) for path, _, _ in own_sources()]
    made = digest([(path.replace(os.sep, "/"), digest(content)) for path, content in sorted(contents)])
    if cache is not None:
        cache.write(key, made)
    return made

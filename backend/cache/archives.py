"""The compiled code of a cache as one file, which the cache of another machine takes: compiled once, found by many.

An entry is found by its key, which tells the processor, the versions and the source, so that what does not fit the
other machine is never asked for. The code in it runs: an archive is taken only from whom one would take a program.
"""

from __future__ import annotations

import os
import re
import zipfile
import zlib

from ...dialect.errors import ArtifactError
from .files import DamagedFile, unpack
from .store import Store

_NAME = re.compile(r"([0-9a-z_]{2}[0-9a-z_-]*)\.weft")


def export_entries(store: Store, path: str | os.PathLike[str]) -> int:
    """Write the compiled code of a cache to a file, by way of one that is renamed; returns how many entries it has."""
    count, unfinished = 0, f"{os.fspath(path)}.{os.getpid()}.part"
    try:
        with zipfile.ZipFile(unfinished, "w") as archive:
            for key, content in sorted(store.contents()):
                archive.writestr(f"{key}.weft", content)
                count += 1
        os.replace(unfinished, path)
    finally:
        if os.path.exists(unfinished):
            os.unlink(unfinished)
    return count


def import_entries(store: Store, path: str | os.PathLike[str]) -> tuple[int, int]:
    """Take the entries of a file that `export_entries` wrote; returns how many were stored, and how many were not.

    Raises ArtifactError for what is no such file, and OSError for what cannot be read.
    """
    stored = left = 0
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                named = _NAME.fullmatch(member.filename)
                if named is None:
                    left += 1
                    continue
                is_stored = _import(store, named[1], archive.read(member))
                stored, left = stored + is_stored, left + (not is_stored)
    except (zipfile.BadZipFile, zlib.error, RuntimeError, EOFError) as error:
        raise ArtifactError(
            f"{os.fspath(path)} is no file that `weft cache export` wrote, or a damaged one: {error}"
        ) from error
    return stored, left


def _import(store: Store, key: str, content: bytes) -> bool:
    """Store one entry, unless it is not whole, or stands under another key."""
    try:
        unpack(key, content)
    except DamagedFile:
        return False
    return store.put(key, content)

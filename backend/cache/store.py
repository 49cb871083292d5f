"""The files of the cache: read, written, counted and evicted. Nothing that goes wrong here is an error for the caller.

A file is written under a name of its own and renamed when it is complete, so that any number of processes may write and
read at the same time without a lock.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import threading
import time
import warnings
from collections.abc import Callable, Iterator

from ...dialect.errors import CacheWarning
from ...dialect.records import NamedTuple
from . import memory
from .files import DamagedFile, Data, digest, pack, unpack
from .location import UnusableDirectory, default_directory, is_own_file, prepared, require_own_directory

_SUFFIX = ".weft"
_UNFINISHED = ".part"
_REFUSED = "no_"
"""How the keys begin of what tells that something is not stored."""

_ABANDONED_SECONDS = 3600.0
"""An unfinished file that is older was left by a process that has ended."""

_PAUSE_SECONDS = 60.0
"""So long nothing is stored after the disk was full: it may have room again later."""

_KEPT = 0.8
"""The part of the largest size that is kept when files are evicted."""


class Configuration(NamedTuple):
    """What the user says about the cache."""

    enabled: bool
    directory: str
    """Empty for the default."""
    megabytes: int
    """The largest size."""


class Entry(NamedTuple):
    """A file of the cache."""

    path: str
    size: int
    used: float
    """When it was written, or read last."""


class Store:
    """The files in one directory."""

    def __init__(self, directory: str, megabytes: int) -> None:
        self.path = prepared(directory or default_directory())
        self._most_bytes = megabytes << 20
        self._room: int | None = None
        """The bytes that may still be written before it is counted how many there are."""
        self._numbers = itertools.count()
        self._pause_ends = 0.0
        """When it is tried again to store something."""

    def keys(self, prefix: str) -> list[str]:
        """The keys that begin with a prefix of at least two characters, those used last first."""
        found = []
        with contextlib.suppress(OSError, UnusableDirectory), os.scandir(self._own_shard(prefix)) as files:
            for file in files:
                if file.name.startswith(prefix) and file.name.endswith(_SUFFIX):
                    found.append((file.stat().st_mtime, file.name[: -len(_SUFFIX)]))
        own = [name for _, name in sorted(found, reverse=True)]
        return [*own, *(key for key in memory.keys(prefix) if key not in own)]

    def read(self, key: str) -> Data | None:
        """The data under a key; None where there is none, or none that is whole and this user's own.

        It counts as used only when `use` says so.
        """
        content = self.content(key)
        try:
            return None if content is None else unpack(key, content)
        except DamagedFile:
            self.discard(key)
            return None

    def content(self, key: str) -> bytes | None:
        """What the file of a key holds, or what came from another process for it."""
        came = memory.get(key)
        if came is not None:
            return came
        try:
            self._own_shard(key)
            return _content(self._path(key))
        except (OSError, UnusableDirectory):
            return None

    def use(self, key: str) -> None:
        """What is under a key was used now: it is evicted later."""
        with contextlib.suppress(OSError):
            os.utime(self._path(key))

    def write(self, key: str, data: Data) -> bool:
        """Store data under a key; returns whether it was stored. Says once per process why it cannot."""
        return time.monotonic() >= self._pause_ends and self.put(key, pack(key, data))

    def put(self, key: str, content: bytes) -> bool:
        """Store the content of a file for a key, as `pack` makes it; returns whether it was stored."""
        if time.monotonic() < self._pause_ends or len(content) > self._most_bytes:
            return False
        path = self._path(key)
        part = f"{path}.{os.getpid()}.{threading.get_ident()}.{next(self._numbers)}{_UNFINISHED}"
        try:
            with contextlib.suppress(FileExistsError):
                os.mkdir(self._shard(key), 0o700)
            self._own_shard(key)
            _write_whole(part, content)
            os.replace(part, path)
        except UnusableDirectory as error:
            complain(f"nothing is stored there: {error}")
            return False
        except OSError as error:
            with contextlib.suppress(OSError):
                os.unlink(part)
            if error.errno in _OF_THIS_FILE:
                return False
            self._pause_ends = time.monotonic() + _PAUSE_SECONDS
            complain(f"nothing is stored in {self.path} for a while: {error.strerror or error}")
            return False
        self._make_room(len(content))
        return True

    def discard(self, key: str) -> None:
        """Remove what is under a key."""
        memory.discard(key)
        with contextlib.suppress(OSError):
            os.unlink(self._path(key))

    def entries(self) -> Iterator[Entry]:
        """All files, those that others are writing too."""
        with contextlib.suppress(OSError), os.scandir(self.path) as shards:
            for shard in shards:
                with contextlib.suppress(OSError), os.scandir(shard.path) as files:
                    for file in files:
                        with contextlib.suppress(OSError):
                            found = file.stat(follow_symlinks=False)
                            yield Entry(file.path, found.st_size, found.st_mtime)

    def contents(self) -> Iterator[tuple[str, bytes]]:
        """The keys of all compiled code, with the contents of its files that are whole."""
        for entry in self.entries():
            name = os.path.basename(entry.path)
            if name.endswith(_SUFFIX) and not self.is_refusal(entry):
                key = name[: -len(_SUFFIX)]
                with contextlib.suppress(OSError, DamagedFile):
                    content = _content(entry.path)
                    if content is not None:
                        unpack(key, content)
                        yield key, content

    def refuse(self, what: str, reason: str) -> None:
        """Take note that something is not stored, for who asks why."""
        key = f"{_REFUSED}{digest((what, reason))}"
        if self.read(key) is None:
            self.write(key, (what, reason))
        else:
            self.use(key)

    def refusals(self) -> list[tuple[str, str]]:
        """What was not stored and why, the latest first."""
        found = map(self.read, self.keys(_REFUSED))
        return [
            (str(noted[0]), str(noted[1])) for noted in found if isinstance(noted, tuple) and len(noted) == 2
        ]

    @staticmethod
    def is_refusal(entry: Entry) -> bool:
        """Whether a file only tells that something is not stored."""
        return os.path.basename(entry.path).startswith(_REFUSED)

    @staticmethod
    def is_program(entry: Entry) -> bool:
        """Whether a file holds a compiled function: one of those whose keys have a common beginning."""
        return "-" in os.path.basename(entry.path)

    def clear(self) -> int:
        """Remove all files; returns how many there were."""
        removed = 0
        for entry in list(self.entries()):
            with contextlib.suppress(OSError):
                os.unlink(entry.path)
                removed += 1
        self._room = None
        return removed

    def evict(self) -> int:
        """Remove what was not used for longest until there is room again, and what was never finished.

        Returns how many bytes are left.
        """
        now = time.time()
        entries = sorted(self.entries(), key=lambda entry: entry.used)
        total = sum(entry.size for entry in entries)
        goal = self._most_bytes if total <= self._most_bytes else int(_KEPT * self._most_bytes)
        for entry in entries:
            is_abandoned = entry.path.endswith(_UNFINISHED) and now - entry.used > _ABANDONED_SECONDS
            if total <= goal and not is_abandoned:
                continue
            with contextlib.suppress(OSError):
                os.unlink(entry.path)
                total -= entry.size
        return total

    def _make_room(self, written: int) -> None:
        """Evict files where more was written than there is room for; files are counted rarely."""
        if self._room is not None:
            self._room -= written
        if self._room is None or self._room < 0:
            # Others write, too: what is left is counted again after a part of it was written.
            self._room = (self._most_bytes - self.evict()) // 4

    def _shard(self, key: str) -> str:
        return os.path.join(self.path, key[:2])

    def _own_shard(self, key: str) -> str:
        """The directory of a key; raises UnusableDirectory unless it is this user's alone."""
        shard = self._shard(key)
        require_own_directory(shard)
        return shard

    def _path(self, key: str) -> str:
        return os.path.join(self._shard(key), key + _SUFFIX)


class MemoryStore(Store):
    """What came from other processes, where there is no directory to write to."""

    def __init__(self) -> None:
        self.path = ""

    def keys(self, prefix: str) -> list[str]:
        return memory.keys(prefix)

    def content(self, key: str) -> bytes | None:
        return memory.get(key)

    def use(self, key: str) -> None:
        pass

    def put(self, key: str, content: bytes) -> bool:
        return False

    def write(self, key: str, data: Data) -> bool:
        return False

    def discard(self, key: str) -> None:
        memory.discard(key)

    def refuse(self, what: str, reason: str) -> None:
        pass

    def entries(self) -> Iterator[Entry]:
        return iter(())


_OF_THIS_FILE = (
    errno.EEXIST,
    errno.ENOENT,
    errno.ENAMETOOLONG,
    errno.ENOTEMPTY,
    errno.EACCES * (os.name == "nt"),
)
"""Errors that say nothing of the next file: the cache is cleared by another process, or a file is open on Windows."""


def _content(path: str) -> bytes | None:
    """The bytes of a file that is this user's own."""
    flags = (
        os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    )
    descriptor = os.open(path, flags | getattr(os, "O_CLOEXEC", 0))
    with open(descriptor, "rb", buffering=0) as file:
        found = os.fstat(descriptor)
        return file.read() if is_own_file(found) else None


def _write_whole(path: str, content: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    with open(os.open(path, flags, 0o600), "wb", buffering=0) as file:
        written = file.write(content)
        if written != len(content):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


# The cache of the process

_configure: Callable[[], Configuration] | None = None
_stores: dict[tuple[str, int], Store | None] = {}
_complained = False


def configure(configuration: Callable[[], Configuration]) -> None:
    """Say who knows what the user wants; nothing is cached before."""
    global _configure
    _configure = configuration


def store() -> Store | None:
    """The cache of this process; None where there is none, which is said once if it is not the user's wish."""
    if _configure is None:
        return None
    wanted = _configure()
    if not wanted.enabled or wanted.megabytes <= 0:
        return None
    key = (wanted.directory, wanted.megabytes)
    if key not in _stores:
        _stores[key] = None
        try:
            _stores[key] = Store(*key)
        except UnusableDirectory as error:
            complain(f"there is no disk cache: {error}")
    found = _stores[key]
    return MemoryStore() if found is None and memory.keys() else found


def complain(message: str) -> None:
    """Warn of what is wrong with the cache, once per process."""
    global _complained
    if not _complained:
        _complained = True
        warnings.warn(
            f"{message}; functions are compiled anew in each process (WEFT_CACHE_DIR chooses another directory, "
            "WEFT_CACHE=0 turns the cache off)",
            CacheWarning,
            stacklevel=2,
        )

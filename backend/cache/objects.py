"""Object code that one text determines: the runtime that is the same in all processes."""

from __future__ import annotations

from collections.abc import Callable

from .files import digest
from .machine import machine_key
from .memory import note_use
from .store import store


def cached_object(key: str, make: Callable[[], bytes]) -> bytes:
    """The object code under a key, from the disk cache or, if it is not there, made and put there.

    For code of the backend's own that every process needs, such as the thread pool. The key must tell all that the
    code depends on, besides this machine, the versions of LLVM, NumPy and Python, and the sources of weft, which are
    part of the key anyway: where they tell all, a name will do. No address of this process may be in the code; link it
    with symbols (see `Code` in `machine/code.py`). Without a cache, `make` is called each time.

    >>> cached_object("name", lambda: b"object code")
    b'object code'
    """
    cache = store()
    if cache is None:
        return make()
    name = digest(("object", machine_key(), key))
    found = cache.read(name)
    if isinstance(found, bytes):
        cache.use(name)
        note_use(name)
        return found
    made = make()
    if cache.write(name, made):
        note_use(name)
    return made

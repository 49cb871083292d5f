"""Machine code that LLVM puts into memory: that of any system and processor."""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from ....dialect.errors import InternalError
from .native_target import binding, native_machine

_lock = threading.Lock()
_numbers = itertools.count()


class LinkedLibrary:
    """An object file that LLVM has linked, freed with this object."""

    def __init__(self, object_file: bytes, exports: Iterable[str], addresses: Mapping[str, int]) -> None:
        builder = binding().JITLibraryBuilder().add_object_img(object_file)
        for name, address in addresses.items():
            builder.import_symbol(name, address)
        for name in exports:
            builder.export_symbol(name)
        with _lock:
            try:
                number = next(_numbers)
                if number % _LINKED_TOGETHER == 0:
                    _jit.cache_clear()
                self._jit = _jit()
                self._library = builder.link(self._jit, f"weft.{number}")
            except RuntimeError as error:
                raise InternalError(f"the compiled code cannot be linked: {error}") from error
        self._release = weakref.finalize(self, _release, self._library)
        self._release.atexit = False
        _close_released()

    def address(self, name: str) -> int:
        """The address of an exported function."""
        return int(self._library[name])


_released: list[Any] = []
"""Libraries whose code is not needed any more and which are not closed yet."""


def _release(library: Any) -> None:
    """Close a library, now or later: a garbage collection may call this while its thread, or another one, links."""
    _released.append(library)
    _close_released()


def _close_released() -> None:
    """Close what was released, unless the JIT is in use: who uses it looks here afterwards."""
    while _released and _lock.acquire(blocking=False):
        try:
            while _released:
                _released.pop().close()
        finally:
            _lock.release()


_LINKED_TOGETHER = 32
"""So many libraries are linked by one JIT: it keeps 8 KiB of each that was closed, until the last of them is."""


@cache
def _jit() -> Any:
    return binding().create_lljit_compiler(native_machine(0))

"""What keeps calls from the native code: it is told when it comes, and Python code says so before and after that."""

from __future__ import annotations

import contextvars
import ctypes
import threading

from ..native_python.layout import Api


class Switches:
    """The reasons for which all calls go through Python at the moment."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._reasons = 0
        self._eager: contextvars.ContextVar[bool] | None = None
        self._words: ctypes.Array[ctypes.c_int64] | None = None

    def add_reason(self, count: int) -> None:
        """Let calls go through Python for one reason more, with 1, or less, with -1."""
        with self._lock:
            self._reasons += count
            self._tell()

    def look_at(self, is_eager: contextvars.ContextVar[bool]) -> None:
        """Ask a context variable at each call, from now on, whether it goes through Python."""
        with self._lock:
            self._eager = is_eager
            self._tell()

    def connect(self, words: ctypes.Array[ctypes.c_int64]) -> None:
        """Tell native code, which has a table of words."""
        with self._lock:
            self._words = words
            self._tell()

    def _tell(self) -> None:
        if self._words is not None:
            self._words[Api.BYPASS] = self._reasons
            self._words[Api.EAGER] = 0 if self._eager is None else id(self._eager)


switches = Switches()

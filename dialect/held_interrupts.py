"""Ctrl-C while weft is at work on a program: it waits for the next place where it can be raised.

MLIR calls Python back, as weak references and dying objects do, and what is raised there is lost or becomes another
error; and a module whose import ends in the middle stays half of one. So the handler of SIGINT runs at once only while
the user's own code is traced, else between two ops that are recorded, between two passes, or at the end. Who presses
twice is not made to wait.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeAlias

import numpy as np

_Handler: TypeAlias = Callable[[int, "FrameType | None"], object]

_ROOT = os.path.dirname(os.path.dirname(__file__))
_OWN = tuple(os.path.join(_ROOT, room, "") for room in ("dialect", "passes", "backend", "frontend", "tools"))
_LIBRARIES = tuple(
    os.path.join(os.path.dirname(file), "") for file in (os.__file__, os.path.dirname(np.__file__))
)
"""Folders of code that works for who calls it."""


class _Held:
    """The handler in whose place ours is, and whether there is something that it has not been told of."""

    def __init__(self, handler: _Handler) -> None:
        self.handler = handler
        self.waits = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.waits or _is_of_user(frame):
            self.tell(frame)
        else:
            self.waits = True

    def tell(self, frame: FrameType | None = None) -> None:
        """Run the handler, which nearly always raises."""
        self.waits = False
        self.handler(signal.SIGINT, frame)


_held: _Held | None = None


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Let interrupts wait while weft's own code runs in the main thread, which is where Python handles signals."""
    global _held
    handler = None
    if _held is None and threading.current_thread() is threading.main_thread():
        handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or isinstance(handler, signal.Handlers):
        yield
        return
    held = _Held(handler)
    try:
        _held = held
        signal.signal(signal.SIGINT, held)
        yield
    finally:
        _held = None
        if signal.getsignal(signal.SIGINT) is held:
            signal.signal(signal.SIGINT, handler)
        if held.waits:
            held.tell()


def raise_held() -> None:
    """Raise what waits, where nothing is left undone by what ends here."""
    held = _held
    if held is not None and held.waits and threading.current_thread() is threading.main_thread():
        held.tell()


def _is_of_user(frame: FrameType | None) -> bool:
    """Whether code of the user runs, or of a library for it, and not weft or what works for that."""
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(_OWN):
            return False
        if not file.startswith((*_LIBRARIES, "<frozen ")):
            return True
        frame = frame.f_back
    return True

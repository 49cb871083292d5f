"""The trace that a thread records: known without anything that tracing needs."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from ...backend.cpu.dispatch.switches import switches

if TYPE_CHECKING:
    from .recorder import Recorder


class _Current(threading.local):
    trace: Recorder | None = None
    remembering: Recorder | None = None


_current = _Current()


def current_trace() -> Recorder | None:
    """The trace that this thread is recording, if any."""
    return _current.trace


def required_trace() -> Recorder:
    """The trace that this thread is recording; there is one where a value is traced."""
    assert _current.trace is not None, "what is traced exists only while a trace is recorded"
    return _current.trace


def remembering() -> Recorder | None:
    """The recorder that remembers what this thread computes in plain Python, while a tape is open."""
    return _current.remembering


def set_remembering(recorder: Recorder | None) -> None:
    """Let a recorder remember what this thread computes in plain Python; None ends that."""
    previous, _current.remembering = _current.remembering, recorder
    _tell_native_code(previous, recorder)


def set_current_trace(trace: Recorder | None) -> Recorder | None:
    """Make a trace the current one of this thread; returns the one before, to be restored."""
    previous, _current.trace = _current.trace, trace
    _tell_native_code(previous, trace)
    return previous


def _tell_native_code(before: Recorder | None, now: Recorder | None) -> None:
    """Let calls go through Python as long as something is recorded."""
    if (before is None) != (now is None):
        switches.add_reason(-1 if now is None else 1)

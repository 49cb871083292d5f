"""A second process that the work is done in, so that a crash of native code ends in a message."""

from __future__ import annotations

import mmap
import os
import signal
import sys
import warnings
from collections.abc import Callable

from ..passes.pipeline import Code, Observer, Step

NOTE_SIZE = 256


class CrashNote(Observer):
    """Notes in memory shared between the processes which pass is running."""

    def __init__(self) -> None:
        self.memory = mmap.mmap(-1, NOTE_SIZE)

    def before(self, step: Step, code: Code) -> None:
        """Note the pass."""
        self.write(f"while running {step.text}")

    def write(self, text: str) -> None:
        """Replace the note."""
        self.memory[:] = text.encode()[:NOTE_SIZE].ljust(NOTE_SIZE, b"\0")

    def read(self) -> str:
        """The last note."""
        return self.memory[:].rstrip(b"\0").decode("utf-8", "replace")


def run_guarded(work: Callable[[CrashNote], int]) -> int:
    """Run `work` in a forked process and return its exit status; a crash becomes a message and status 1.

    Where processes cannot be forked (Windows), the work is done in this process.
    """
    note = CrashNote()
    if not hasattr(os, "fork"):
        return work(note)
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        # NumPy's idle threads do not matter: the child only runs what follows.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        _run_child(work, note)
    try:
        _, status = os.waitpid(child, 0)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        sys.stderr.write(f"weft-opt: error: crashed with {name} {note.read()}".rstrip() + "\n")
        return 1
    return os.WEXITSTATUS(status)


def _run_child(work: Callable[[CrashNote], int], note: CrashNote) -> None:
    """Run the work and end the process without the clean-up that belongs to the parent."""
    status = 1
    try:
        status = work(note)
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        status = 1  # who read the output has seen enough
    finally:
        os._exit(status)

"""Catching what native code prints: MLIR writes some complaints straight to file descriptor 2."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

STANDARD_ERROR = 2


@contextmanager
def captured_stderr() -> Iterator[Callable[[], str]]:
    """Redirect file descriptor 2 into a file for a while; the value returns what was written so far."""
    sys.stderr.flush()
    saved = os.dup(STANDARD_ERROR)
    with _nowhere() as file:
        os.dup2(file.fileno(), STANDARD_ERROR)

        def read() -> str:
            file.seek(0)
            return file.read().decode("utf-8", "replace")

        try:
            yield read
        finally:
            os.dup2(saved, STANDARD_ERROR)
            os.close(saved)


def _nowhere() -> io.FileIO:
    """A file without a name."""
    if hasattr(os, "memfd_create"):
        return io.FileIO(os.memfd_create("captured"), "r+")
    import tempfile  # with much that Linux does not need

    return tempfile.TemporaryFile(buffering=0)

"""Loops that Python decides on paths that a call may not take, where they may never end."""

from __future__ import annotations

from collections.abc import Iterator

from .....dialect.errors import TraceSizeError
from ....tracing.recorder import Recorder

RECORDED_AFTER = 2_000
"""So many iterations Python makes before such a loop is recorded, if it can be."""

MOST_TESTED = 50_000
"""So many it makes of one with a test that cannot be recorded."""

MOST_ITEMS = 1_000_000
"""So many it makes of one over an iterator, which takes a hundredth of the time."""


class KnownIterations:
    """The iterations of a loop that are made while tracing.

    Code on both sides of a branch is run then, with the values that are known there: with ones for which Python would
    not have run it, a loop need not end. What each call runs ends as it does in Python.
    """

    def __init__(self, trace: Recorder | None, most: int = MOST_TESTED) -> None:
        self._may_be_skipped = trace is not None and trace.region is not trace.entry
        self._most = most
        self._count = 0

    def next(self) -> bool:
        """Count one more; returns whether the loop should be recorded by now. Refuses one that seems not to end."""
        self._count += 1
        if self._may_be_skipped and self._count > self._most:
            raise TraceSizeError(
                f"a loop has made {self._most:,} iterations with values that are known while tracing, and is on a "
                "path that is taken under a run-time condition: it may never end for values with which Python would "
                "not run it. Let it work on values that are known only at run time (n = np.int64(n)), or let it run "
                "before the condition"
            )
        return self._may_be_skipped and self._count == RECORDED_AFTER

    def each(self) -> Iterator[None]:
        """Count as many as are asked for."""
        while True:
            self.next()
            yield

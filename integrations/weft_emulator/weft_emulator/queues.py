"""Streams and events: what is asked for runs when somebody waits for it, streams in an order drawn at random.

A wait that a program lacks then shows in its results, for some seeds at least.
"""

from __future__ import annotations

import gc
import random
import time
from collections import deque
from collections.abc import Callable

from weft.backend.gpu.driver.signatures import LEGACY_STREAM, PER_THREAD_STREAM


class Work:
    """Something that is done in the order of a stream."""

    __slots__ = ("action", "after", "done", "time")

    def __init__(self, action: Callable[[], None], after: list[Work]) -> None:
        self.action = action
        self.after = after
        self.done = False
        self.time = 0.0

    @property
    def is_ready(self) -> bool:
        """Whether all that comes before, in other streams, is done."""
        return all(work.done for work in self.after)


class Queues:
    """The streams of a context."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.queues: dict[int, deque[Work]] = {LEGACY_STREAM: deque(), PER_THREAD_STREAM: deque()}
        self.independent: set[int] = set()
        """Streams that do not wait for the legacy default stream, nor it for them."""

    def add(self, stream: int, independent: bool) -> None:
        """Begin a stream."""
        self.queues[stream] = deque()
        if independent:
            self.independent.add(stream)

    def remove(self, stream: int) -> None:
        """End a stream; what was asked of it is done."""
        self.wait(stream)
        del self.queues[stream]
        self.independent.discard(stream)

    def put(self, stream: int, action: Callable[[], None], after: Work | None = None) -> Work:
        """Ask for something; KeyError for an unknown stream."""
        stream = stream or LEGACY_STREAM
        queue = self.queues[stream]
        before = [after] if after is not None and not after.done else []
        if stream == LEGACY_STREAM:
            others = [self.queues[other] for other in self.queues if other not in {stream, *self.independent}]
            before += [other[-1] for other in others if other]
        elif stream not in self.independent and self.queues[LEGACY_STREAM]:
            before.append(self.queues[LEGACY_STREAM][-1])
        work = Work(action, before)
        queue.append(work)
        return work

    def step(self) -> None:
        """Do one thing that can be done, of a stream drawn at random."""
        collects = gc.isenabled()
        gc.disable()  # what objects ask for when they go, as to wait until a module can, must not come in between
        try:
            self._step()
        finally:
            if collects:
                gc.enable()

    def _step(self) -> None:
        waiting = [queue for queue in self.queues.values() if queue]
        ready = [queue for queue in waiting if queue[0].is_ready]
        if not ready:
            if waiting:
                raise RuntimeError("streams wait for each other")
            return  # somebody else has done it
        work = self.random.choice(ready).popleft()
        try:
            work.action()
        finally:
            work.done = True
            work.after = []
            work.time = time.perf_counter()

    def finish(self, work: Work) -> None:
        """Wait for something."""
        while not work.done:
            self.step()

    def wait(self, stream: int) -> None:
        """Wait for all that was asked of a stream."""
        queue = self.queues[stream or LEGACY_STREAM]
        while queue:
            self.finish(queue[-1])

    def wait_for_all(self) -> None:
        """Wait for all streams."""
        while any(self.queues.values()):
            self.step()

    def drop(self) -> None:
        """Forget what was asked for."""
        for queue in self.queues.values():
            for work in queue:
                work.done = True
            queue.clear()


__all__ = ["Queues", "Work"]

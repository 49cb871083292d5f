"""The classes of `queue`, for programs of one thread: no locks, and nothing waits for another thread."""

from __future__ import annotations

import heapq
import queue
from collections import deque
from collections.abc import Callable
from typing import Any

from . import InPlaceOf


class Queue(InPlaceOf):
    """What compiled code has in the place of a `queue.Queue`.

    >>> waiting = Queue(maxsize=2)
    >>> waiting.put(1), waiting.put(2), waiting.full(), waiting.get(), waiting.qsize()
    (None, None, True, 1, 1)
    """

    python_type: type = queue.Queue

    def __init__(self, maxsize: int = 0) -> None:
        self.maxsize = maxsize
        self.queue: Any = self._made()

    def __weft_parts__(self) -> tuple[Any, Callable[[Any], Any]]:
        kind = self.python_type

        def make(parts: Any) -> Any:
            made = kind(parts[1])
            made.queue.extend(parts[0])
            made.unfinished_tasks = len(parts[0])
            return made

        return (list(self.queue), self.maxsize), make

    def _made(self) -> Any:
        return deque()

    def _add(self, item: Any) -> None:
        self.queue.append(item)

    def _taken(self) -> Any:
        return self.queue.popleft()

    def qsize(self) -> int:
        """How many items there are."""
        return len(self.queue)

    def empty(self) -> bool:
        """Whether there is none."""
        return not self.queue

    def full(self) -> bool:
        """Whether there is no room for another one."""
        return 0 < self.maxsize <= len(self.queue)

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """Add an item; `queue.Full` where there is no room, as no other thread takes one."""
        if 0 < self.maxsize <= len(self.queue):
            raise queue.Full
        self._add(item)

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """Take the next item; `queue.Empty` where there is none, as no other thread adds one."""
        if not self.queue:
            raise queue.Empty
        return self._taken()

    def put_nowait(self, item: Any) -> None:
        """Add an item."""
        self.put(item, False)

    def get_nowait(self) -> Any:
        """Take the next item."""
        return self.get(False)

    def task_done(self) -> None:
        """Nobody waits for this."""

    def join(self) -> None:
        """Nobody is waited for."""


class LifoQueue(Queue):
    """What compiled code has in the place of a `queue.LifoQueue`.

    >>> waiting = LifoQueue()
    >>> waiting.put(1), waiting.put(2), waiting.get()
    (None, None, 2)
    """

    python_type = queue.LifoQueue

    def _made(self) -> Any:
        return []

    def _taken(self) -> Any:
        return self.queue.pop()


class PriorityQueue(Queue):
    """What compiled code has in the place of a `queue.PriorityQueue`.

    >>> waiting = PriorityQueue()
    >>> waiting.put(2), waiting.put(1), waiting.get()
    (None, None, 1)
    """

    python_type = queue.PriorityQueue

    def _made(self) -> Any:
        return []

    def _add(self, item: Any) -> None:
        heapq.heappush(self.queue, item)

    def _taken(self) -> Any:
        return heapq.heappop(self.queue)


IN_PLACE = (Queue, LifoQueue, PriorityQueue)

for _kind in IN_PLACE:
    _kind.__name__ = _kind.__qualname__ = _kind.python_type.__name__

"""A thread that makes elements while others are used."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..tracing.current import current_trace
from .elements import Key
from .streams import StreamStep


@dataclass(eq=False)
class Prefetch(StreamStep):
    """So many elements ahead, made by a thread in plain Python; in compiled code nothing."""

    ahead: int

    def walk(self, key: Key, start: Any) -> Iterator[Any]:
        if current_trace() is not None:
            yield from self.inner.walk(key, start)
        else:
            yield from made_ahead(self.inner.walk(key, start), self.ahead)

    def cursor(self, key: Key) -> Any:
        return self.inner.cursor(key)


_END = object()


class Failure:
    """An exception of the thread."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


def made_ahead(items: Iterator[Any], ahead: int) -> Iterator[Any]:
    """The same items, asked for by a thread; it ends when the iterator that this gives is closed."""
    made: queue.Queue[Any] = queue.Queue(ahead)
    is_left = threading.Event()

    def put(item: Any) -> bool:
        while not is_left.is_set():
            try:
                made.put(item, timeout=0.1)
            except queue.Full:
                continue
            return True
        return False

    def work() -> None:
        try:
            for item in items:
                if not put(item):
                    return
            put(_END)
        except BaseException as error:  # raised where the element is asked for
            put(Failure(error))

    thread = threading.Thread(target=work, name="weft.data prefetch", daemon=True)
    thread.start()
    try:
        while (item := made.get()) is not _END:
            if isinstance(item, Failure):
                raise item.error
            yield item
    finally:
        is_left.set()
        thread.join()

"""The functions of the driver for streams and events."""

from __future__ import annotations

from typing import Any

from weft.backend.gpu.driver.signatures import NON_BLOCKING, Code

from .state import Event, Refused, State, Stream


class StreamCalls(State):
    """Streams and events."""

    def cuStreamCreate(self, stream: Any, flags: int) -> None:
        value = Stream(0)
        value.handle = stream[0] = self._new(value)
        self.queues.add(value.handle, bool(flags & NON_BLOCKING))

    def cuStreamDestroy_v2(self, stream: int | None) -> None:
        self._forget(stream, Stream)
        self.queues.remove(stream or 0)

    def _check_stream(self, stream: int | None) -> int:
        if (stream or 1) not in self.queues.queues:
            raise Refused(Code.INVALID_HANDLE, f"{stream or 0:#x} is no stream")
        return stream or 1

    def cuStreamSynchronize(self, stream: int | None) -> None:
        self.queues.wait(self._check_stream(stream))

    def cuStreamQuery(self, stream: int | None) -> int:
        queue = self.queues.queues[self._check_stream(stream)]
        if queue:
            self.queues.step()  # who asks often enough gets there
        return Code.NOT_READY if queue else 0

    def cuStreamWaitEvent(self, stream: int | None, event: int | None, flags: int) -> None:
        work = self._object(event, Event).work
        if work is not None:
            self._put(stream, lambda: None, work)

    def cuEventCreate(self, event: Any, flags: int) -> None:
        event[0] = self._new(Event(None))

    def cuEventDestroy_v2(self, event: int | None) -> None:
        self._forget(event, Event)

    def cuEventRecord(self, event: int | None, stream: int | None) -> None:
        value = self._object(event, Event)
        value.work = self._put(stream, lambda: None)

    def cuEventQuery(self, event: int | None) -> int:
        work = self._object(event, Event).work
        if work is None or work.done:
            return 0
        self.queues.step()
        return Code.NOT_READY

    def cuEventSynchronize(self, event: int | None) -> None:
        work = self._object(event, Event).work
        if work is not None:
            self.queues.finish(work)

    def cuEventElapsedTime(self, milliseconds: Any, start: int | None, end: int | None) -> int:
        first, last = (self._object(event, Event).work for event in (start, end))
        if first is None or last is None:
            return Code.INVALID_HANDLE
        if not (first.done and last.done):
            return Code.NOT_READY
        milliseconds[0] = 1000 * (last.time - first.time)
        return 0


__all__ = ["StreamCalls"]

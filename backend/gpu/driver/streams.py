"""Streams and events: the order in which a device does what is asked of it."""

from __future__ import annotations

import ctypes
from typing import Any

from ....dialect.errors import WeftTypeError, WeftValueError
from .device import Device
from .signatures import LEGACY_STREAM, NON_BLOCKING, PER_THREAD_STREAM, Code


class Stream:
    """A queue of a device: its own, or one that another library has made."""

    def __init__(self, device: Device, handle: int, *, owned: bool = False, keep: object = None) -> None:
        self.device = device
        self.handle = handle
        """As functions of the driver take it."""
        self._owned = owned
        self._keep = keep
        """What owns a foreign stream."""

    @classmethod
    def create(cls, device: Device, *, independent: bool = True) -> Stream:
        """A stream of our own; an independent one does not wait for the legacy default stream."""
        handle = ctypes.c_void_p()
        device.call("cuStreamCreate", ctypes.byref(handle), NON_BLOCKING if independent else 0)
        assert handle.value is not None
        return cls(device, handle.value, owned=True)

    @classmethod
    def default(cls, device: Device) -> Stream:
        """The legacy default stream, which other libraries use unless they are told otherwise."""
        return cls(device, LEGACY_STREAM)

    def __repr__(self) -> str:
        names = {LEGACY_STREAM: "legacy default", PER_THREAD_STREAM: "per-thread default"}
        return f"<stream {names.get(self.handle, hex(self.handle))} of {self.device}>"

    def __cuda_stream__(self) -> tuple[int, int]:
        """The protocol by which libraries take each other's streams."""
        return 0, self.handle

    def synchronize(self) -> None:
        """Wait until all that was asked of the stream is done."""
        self.device.call("cuStreamSynchronize", self.handle)

    def is_done(self) -> bool:
        """Whether all that was asked of the stream is done."""
        return _is_done(self.device, "cuStreamQuery", self.handle)

    def wait_for(self, event: Event) -> None:
        """Let what is asked from now on wait for an event."""
        self.device.call("cuStreamWaitEvent", self.handle, event.handle, 0)

    def wait_for_stream(self, other: Stream) -> None:
        """Let what is asked from now on wait for what was asked of another stream until now."""
        if (other.device, other.handle) != (self.device, self.handle):  # default streams have one handle
            self.wait_for(other.record())

    def record(self, event: Event | None = None) -> Event:
        """An event that happens when all that was asked of the stream until now is done."""
        event = Event(self.device) if event is None else event
        self.device.call("cuEventRecord", event.handle, self.handle)
        return event

    def close(self) -> None:
        """Destroy a stream of our own; what was asked of it is still done."""
        if self._owned:
            self._owned = False
            self.device.call("cuStreamDestroy_v2", self.handle)

    def __del__(self) -> None:
        if getattr(self, "_owned", False):
            self.device.call_quietly("cuStreamDestroy_v2", self.handle)


class Event:
    """A point in the work of a stream."""

    def __init__(self, device: Device, *, timing: bool = False) -> None:
        handle = ctypes.c_void_p()
        device.call("cuEventCreate", ctypes.byref(handle), 0 if timing else 2)
        assert handle.value is not None
        self.device = device
        self.handle = handle.value

    def synchronize(self) -> None:
        """Wait until it has happened."""
        self.device.call("cuEventSynchronize", self.handle)

    def is_done(self) -> bool:
        """Whether it has happened."""
        return _is_done(self.device, "cuEventQuery", self.handle)

    def milliseconds_since(self, start: Event) -> float:
        """The time between two events that have happened, both made with `timing`."""
        value = ctypes.c_float()
        self.device.call("cuEventElapsedTime", ctypes.byref(value), start.handle, self.handle)
        return value.value

    def __del__(self) -> None:
        if hasattr(self, "handle"):
            self.device.call_quietly("cuEventDestroy_v2", self.handle)


def _is_done(device: Device, function: str, handle: int) -> bool:
    device.use()
    code = device.library.code(function, handle)
    if code == Code.NOT_READY:
        return False
    device.check(code, function)
    return True


def stream_handle(stream: Any) -> int:
    """The handle of a stream of any library, or of a number.

    None is the legacy default stream. Other objects have `__cuda_stream__()`, as those of cuda.core, or `cuda_stream`,
    as PyTorch's, or `ptr`, as CuPy's.

    >>> stream_handle(None)
    1
    """
    if stream is None:
        return LEGACY_STREAM
    if isinstance(stream, bool):
        raise WeftTypeError("a bool is no stream")
    if isinstance(stream, int):
        if stream < 0:
            raise WeftValueError(f"{stream} is no stream")
        return stream or LEGACY_STREAM
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        version, handle = protocol() if callable(protocol) else protocol
        if version != 0:
            raise WeftValueError(
                f"__cuda_stream__ of {type(stream).__name__} has the unknown version {version}"
            )
        return int(handle) or LEGACY_STREAM
    for attribute in ("cuda_stream", "ptr", "handle"):
        handle = getattr(stream, attribute, None)
        if isinstance(handle, int):
            return handle or LEGACY_STREAM
    raise WeftTypeError(
        f"{type(stream).__name__} is no stream: it has neither __cuda_stream__, nor cuda_stream, nor ptr"
    )


def as_stream(device: Device, stream: Any) -> Stream:
    """A stream of any library as one of ours; the object is kept alive."""
    if isinstance(stream, Stream):
        if stream.device is not device:
            raise WeftValueError(f"{stream!r} is used on {device!r}")
        return stream
    return Stream(device, stream_handle(stream), keep=stream)

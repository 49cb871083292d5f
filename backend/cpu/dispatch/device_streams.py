"""Native code: which stream calls of this thread are queued on, and whether the driver may be called."""

from __future__ import annotations

from ..native_python.intrinsics import api, call_int, call_void, stack, word
from ..native_python.layout import TYPE, WORDS, Api, Device, Stream


def current_stream(device: int) -> int:
    """The stream that calls of this thread are queued on, which its context keeps; 0 where Python has to find it."""
    place = stack(1)
    if call_int(api(Api.GET_VARIABLE), word(device + Device.VARIABLE), api(Api.NONE), place) < 0:
        call_void(api(Api.CLEAR_ERROR))
        return 0
    chosen = word(place)
    call_void(api(Api.DECREF), chosen)
    if chosen == api(Api.NONE):
        return word(device + Device.STREAM_OBJECT)
    return chosen if handle_of(chosen, device) != 0 else 0


def handle_of(stream: int, device: int) -> int:
    """The handle of an object if it is a stream of a device, else 0."""
    if word(stream + TYPE) != api(Api.STREAM_TYPE):
        return 0
    table = word(stream + WORDS)
    if table == 0 or word(table + Stream.MEMORY) != word(device + Device.MEMORY):
        return 0
    return word(table + Stream.HANDLE)


def is_used_by(used: int, device: int) -> int:
    """Whether a stream, which has used memory, is the one that calls of this thread are queued on."""
    current = current_stream(device)
    if current == 0 or used == current:
        return current != 0
    handle = handle_of(used, device)
    return handle != 0 and handle == handle_of(current, device)


def is_entered(device: int) -> int:
    """Whether this thread may call the driver for the device; its context is the thread's from then on."""
    if word(word(device + Device.IS_USABLE)) == 0:
        return 0
    return call_int(word(device + Device.SET_CURRENT), word(device + Device.CONTEXT)) == 0

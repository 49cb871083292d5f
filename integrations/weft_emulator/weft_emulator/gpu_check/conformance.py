"""What a GPU and the emulator give for the same instruction."""

from __future__ import annotations

import base64
import ctypes
import functools
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..memory import element_dtype
from .conformance_cases import CASES, Case, Map

Arrays = list[np.ndarray[Any, Any]]


def compare(name: str, device: Any, emulated: bool) -> dict[str, Any]:
    """Whether a device and the emulator agree about a case; what the device gave comes along, for tests."""
    case = CASES[name]
    if "bf16" in name:
        element_dtype("bfloat16")  # which the emulator has of ml_dtypes: without it, nothing can be compared
    found = run_case(case, device)
    line: dict[str, Any] = {"ok": True, "results": [packed(array) for array in found]}
    if emulated:
        return line
    expected = run_case(case, emulator())
    return line | difference(case, found, expected)


def difference(case: Case, found: Arrays, expected: Arrays) -> dict[str, Any]:
    """Whether results are equal in all bits, but for NaNs, or near enough where an error is granted."""
    for number, (one, other) in enumerate(zip(found, expected, strict=True)):
        equal = one == other
        if case.floats and number == len(found) - 1:
            equal |= _near(one.view(case.floats), other.view(case.floats), case.tolerance)
        if not equal.all():
            at = int(np.flatnonzero(~equal)[0])
            what = f"{int((~equal).sum())} of {equal.size} words differ, the first at {at} of array {number}"
            return {"ok": False, "error": f"{what}: {int(one[at]):#x}, the emulator {int(other[at]):#x}"}
    return {"ok": True}


def _near(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any], tolerance: float) -> Any:
    """Whether numbers are as near as is granted, or both are NaN, whose payload nobody asks for."""
    with np.errstate(invalid="ignore", over="ignore"):
        return (np.abs(one - other) <= tolerance * np.abs(other)) | (np.isnan(one) & np.isnan(other))


@functools.cache
def emulator() -> Any:
    """An emulated device of its own, beside that which is checked."""
    from weft.backend.gpu.devices.open_devices import OpenDevice
    from weft.backend.gpu.driver.library import Library

    from ..library import Emulator

    return OpenDevice(Library(Emulator().functions, "the emulator"), 0)


def run_case(case: Case, device: Any) -> Arrays:
    """Run the kernel of a case; its arrays as they are then, as words."""
    from weft.backend.gpu.driver.modules import Module

    function = Module(device.device, case.ptx).function("k")
    stream = device.default_stream
    blocks = []
    for array in case.arrays:
        block = device.memory.allocate(array.nbytes, stream)
        device.memory.copy_in(block.address, array.ctypes.data, array.nbytes, stream)
        blocks.append(block)
    addresses = [block.address for block in blocks]
    arguments = [ctypes.c_uint64(address) for address in addresses]
    maps = [_encoded(device, map, addresses[map.array]) for map in case.maps]
    function.launch((1, 1, 1), (case.threads, 1, 1), [*arguments, *maps], stream)
    device.device.synchronize()
    results = []
    for array, block in zip(case.arrays, blocks, strict=True):
        result = np.empty_like(array)
        device.memory.copy_out(result.ctypes.data, block.address, array.nbytes, stream)
        results.append(_words(result))
    return results


def _words(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return array.reshape(-1).view(f"u{array.itemsize}")


def _encoded(device: Any, map: Map, address: int) -> Any:
    """A tensor map, as the driver writes it."""
    room = (ctypes.c_char * 256)()
    skipped = -ctypes.addressof(room) % 128
    encoded = (ctypes.c_char * 128).from_buffer(room, skipped)
    rank = len(map.extents)

    def table(type: Any, numbers: Sequence[int]) -> Any:
        return ctypes.cast((type * max(1, len(numbers)))(*numbers), ctypes.c_void_p)

    device.device.call(
        "cuTensorMapEncodeTiled",
        ctypes.addressof(encoded),
        map.kind,
        rank,
        address,
        table(ctypes.c_uint64, map.extents),
        table(ctypes.c_uint64, map.strides),
        table(ctypes.c_uint32, map.box),
        table(ctypes.c_uint32, [1] + [map.step] * (rank - 1)),
        0,
        map.swizzle,
        0,
        0,
    )
    return encoded


def packed(array: np.ndarray[Any, Any]) -> str:
    """An array as text."""
    return base64.b64encode(zlib.compress(array.tobytes(), 9)).decode()


def unpacked(text: str, like: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The words of an array that was packed, whose size another one has."""
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), f"u{like.itemsize}")


__all__ = ["compare", "difference", "emulator", "packed", "run_case", "unpacked"]

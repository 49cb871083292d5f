"""Memory that is exchanged with other libraries, without copies: DLPack, and `__cuda_array_interface__` version 3.

Layouts are those of `dlpack.h` and of Numba's description of the interface. Whoever takes memory says on which stream
it is used; that stream waits for what was asked of the other.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

from ....dialect.dtypes import element_type
from ....dialect.errors import WeftValueError
from ..devices.open_devices import OpenDevice
from ..driver.signatures import LEGACY_STREAM
from ..driver.streams import Stream

CUDA_KIND = 2
"""How DLPack counts memory of GPUs of CUDA."""

CPU_OF_DLPACK = (1, 0)
"""The processor, as DLPack names it: the kind of device, and its number."""


class _Device(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_int32), ("number", ctypes.c_int32))


class DataType(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("ndim", ctypes.c_int32),
        ("dtype", DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class ManagedTensor(ctypes.Structure):
    _fields_ = (("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


class VersionedTensor(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    )


CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
BFLOAT_CODE = 4

_capsules = ctypes.pythonapi
_new_capsule = _capsules.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", _capsules))
pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _capsules)
)
set_name = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_SetName", _capsules))

NAME, USED = b"dltensor", b"used_dltensor"
VERSIONED_NAME, USED_VERSIONED = b"dltensor_versioned", b"used_dltensor_versioned"

_lent: dict[int, list[Any]] = {}
"""What is given away, by address: the capsule, and what the taker reads, until it calls the deleter.

A capsule has no destructor: that would be Python code which runs while the exception is on its way with which somebody
refuses the capsule. What nobody has taken is found when the next one is made.
"""


def _take_back(address: int) -> None:
    _lent.pop(address, None)


_TAKE_BACK = DELETER(_take_back)


def _is_abandoned(kept: list[Any]) -> bool:
    """Whether nobody else knows the object that comes first, and, of a capsule, nobody has taken what is in it."""
    return sys.getrefcount(kept[0]) <= _ALONE and bool(is_valid(id(kept[0]), NAME))


def _count_alone() -> int:
    kept = [object()]
    return sys.getrefcount(kept[0])


_ALONE = _count_alone()


def _drop_abandoned() -> None:
    for address, kept in list(_lent.items()):
        if _is_abandoned(kept):
            _take_back(address)


def to_dlpack(array: Any, stream: Any, device: tuple[int, int] | None, copy: bool | None) -> Any:
    """A capsule with the memory of an array; BufferError for another device than its own."""
    if device is not None and tuple(device) != array.__dlpack_device__():
        raise BufferError(f"the array lies on {array.device}; copy it with to_device first")
    source = array.copy() if copy else array
    _make_wait(array.open_device, stream)
    described, kind = source.described, element_type(source.dtype)
    itemsize = source.itemsize
    shape = (ctypes.c_int64 * max(source.ndim, 1))(*source.shape)
    strides = (ctypes.c_int64 * max(source.ndim, 1))(*(step // itemsize for step in described.strides))
    code = BFLOAT_CODE if kind.name == "bfloat16" else CODES[kind.kind]
    managed = ManagedTensor(
        Tensor(
            source.address,
            _Device(*array.__dlpack_device__()),
            source.ndim,
            DataType(code, 8 * itemsize, 1),
            ctypes.cast(shape, ctypes.POINTER(ctypes.c_int64)),
            ctypes.cast(strides, ctypes.POINTER(ctypes.c_int64)),
            0,
        ),
        None,
        ctypes.cast(_TAKE_BACK, ctypes.c_void_p),
    )
    _drop_abandoned()
    address = ctypes.addressof(managed)
    capsule = _new_capsule(address, NAME, None)
    _lent[address] = [capsule, managed, shape, strides, source]
    return capsule


def _make_wait(device: OpenDevice, stream: Any) -> None:
    """Let a stream of the taker wait for what was asked of ours; -1 is none that has to wait."""
    if stream == -1:
        return
    if stream == 0:
        raise WeftValueError(
            "DLPack knows no stream 0 of CUDA: 1 is the legacy default, 2 the one per thread"
        )
    taker = Stream(device.device, LEGACY_STREAM if stream is None else int(stream))
    taker.wait_for_stream(device.stream)


def cuda_array_interface(array: Any) -> dict[str, Any]:
    """The description of an array for libraries that take it by `__cuda_array_interface__`."""
    if element_type(array.dtype).name == "bfloat16":
        raise AttributeError("__cuda_array_interface__ cannot say bfloat16; exchange it by DLPack")
    return {
        "shape": array.shape,
        "typestr": array.dtype.str,
        "data": (array.address if array.size else 0, False),
        "strides": None if array.is_contiguous() else array.strides,
        "stream": array.open_device.stream.handle,
        "version": 3,
    }

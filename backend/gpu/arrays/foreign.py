"""Arrays on devices of what lies elsewhere: copies of arrays of the host, and the memory of other libraries."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np

from ....dialect.dtypes import element_type
from ....dialect.errors import WeftTypeError, WeftValueError
from ..devices.names import device_number
from ..devices.on_device import is_foreign_array_on_gpu
from ..devices.open_devices import OpenDevice, open_device
from ..driver.streams import Stream
from .array import DeviceArray, array_of, from_host
from .exchange import (
    BFLOAT_CODE,
    CODES,
    DELETER,
    NAME,
    USED,
    USED_VERSIONED,
    VERSIONED_NAME,
    DataType,
    ManagedTensor,
    Tensor,
    VersionedTensor,
    is_valid,
    pointer_of,
    set_name,
)

_DEVICE_ORDINAL = 9
"""The attribute of a pointer that tells its device."""


def device_put(value: Any, device: str = "cuda") -> Any:
    """A value on a device: "cuda", "cuda:1" or "cpu".

    What lies there already is taken as it is, without a copy: also arrays of other libraries, by
    `__cuda_array_interface__` or DLPack. What lies elsewhere is copied. The result is a `weft.DeviceArray`, or a NumPy
    array for "cpu". Raises `DeviceError` where there is no such device, `MemoryError` where it has no room, `TypeError`
    for what is no array or has a dtype that weft does not have.

    >>> device_put([1, 2], "cpu")
    array([1, 2])
    """
    if device_number(device) is None:
        return np.asarray(foreign_array(value) if is_foreign_array_on_gpu(value) else value)
    target = open_device(device)
    source = value if isinstance(value, DeviceArray) else foreign_array(value)
    return from_host(np.asarray(value), target) if source is None else source.to_device(repr(target))


def foreign_array(value: Any) -> DeviceArray | None:
    """Memory of another library on a GPU as an array that shares it; None for what lies elsewhere, or is no array."""
    if not is_foreign_array_on_gpu(value):
        return None
    try:
        interface = getattr(value, "__cuda_array_interface__", None)
    except (RuntimeError, TypeError) as error:  # PyTorch's tensors that need gradients
        raise WeftTypeError(f"the memory of a {type(value).__qualname__} cannot be taken: {error}") from error
    if interface is not None and not (_is_opaque(interface) and hasattr(value, "__dlpack__")):
        return _from_interface(value, interface)
    return _from_dlpack(value, open_device(f"cuda:{value.__dlpack_device__()[1]}"))


def _is_opaque(interface: dict[str, Any]) -> bool:
    """Whether an interface tells the size of its elements only, as PyTorch's of bfloat16, which DLPack knows."""
    return bool(np.dtype(interface["typestr"]).kind == "V")


def _from_interface(value: Any, interface: dict[str, Any]) -> DeviceArray:
    if interface.get("mask") is not None:
        raise WeftTypeError("a masked array on a device cannot be taken: weft knows no masks")
    dtype, shape = np.dtype(interface["typestr"]), tuple(interface["shape"])
    _require_dtype(value, dtype)
    address, is_read_only = interface["data"]
    if is_read_only:
        raise WeftValueError(f"the memory of a {type(value).__qualname__} is read-only; copy it first")
    device = _device_of(address if math.prod(shape) else 0)
    stream, own = interface.get("stream"), device.stream
    if stream is not None and stream != own.handle:
        own.wait_for_stream(Stream(device.device, int(stream)))
    return array_of(address or 1, shape, dtype, device, value, interface.get("strides"))


def _device_of(address: int) -> OpenDevice:
    """The device that an address belongs to, any for 0."""
    device = open_device("cuda")
    if not address or not device.device.is_one_of_many:
        return device
    number = ctypes.c_int()
    device.device.call("cuPointerGetAttribute", ctypes.byref(number), _DEVICE_ORDINAL, address)
    return open_device(f"cuda:{number.value}")


def _require_dtype(value: Any, dtype: np.dtype[Any]) -> None:
    if not dtype.isnative:
        raise WeftTypeError(f"the memory of a {type(value).__qualname__} is in the other byte order")
    element_type(dtype)


class _Taken:
    """A tensor of another library, which is given back when nobody has it any more."""

    def __init__(self, address: int, deleter: int | None) -> None:
        self._address = address
        self._deleter = deleter

    def __del__(self) -> None:
        if self._deleter:
            DELETER(self._deleter)(self._address)


def _from_dlpack(value: Any, device: OpenDevice) -> DeviceArray:
    try:
        capsule = value.__dlpack__(stream=device.stream.handle)
    except (BufferError, RuntimeError) as error:
        raise WeftTypeError(f"the memory of a {type(value).__qualname__} cannot be taken: {error}") from error
    tensor, owner = _unpack(capsule)
    dtype = _dtype(value, tensor.dtype)
    shape = tuple(tensor.shape[axis] for axis in range(tensor.ndim))
    strides = None
    if tensor.strides:
        strides = tuple(tensor.strides[axis] * dtype.itemsize for axis in range(tensor.ndim))
    address = (tensor.data or 1) + tensor.byte_offset
    return array_of(address, shape, dtype, device, owner, strides)


def _unpack(capsule: Any) -> tuple[Tensor, _Taken]:
    """The tensor of a capsule, which is used from now on, and its owner."""
    own = id(capsule)
    if is_valid(own, VERSIONED_NAME):
        address = pointer_of(own, VERSIONED_NAME)
        versioned = VersionedTensor.from_address(address)
        set_name(own, USED_VERSIONED)
        return versioned.tensor, _Taken(address, versioned.deleter)
    if not is_valid(own, NAME):
        raise WeftTypeError("what __dlpack__ gave is no capsule that can be taken, or was taken before")
    address = pointer_of(own, NAME)
    managed = ManagedTensor.from_address(address)
    set_name(own, USED)
    return managed.tensor, _Taken(address, managed.deleter)


def _dtype(value: Any, kind: DataType) -> np.dtype[Any]:
    letters = {code: letter for letter, code in CODES.items()}
    if kind.code == BFLOAT_CODE and kind.bits == 16 and kind.lanes == 1:
        from ....dialect.dtypes import bfloat16

        return bfloat16
    if kind.lanes != 1 or kind.code not in letters:
        raise WeftTypeError(
            f"the elements of a {type(value).__qualname__} have a type that weft does not have"
        )
    letter = letters[kind.code]
    dtype = np.dtype(np.bool_) if letter == "b" else np.dtype(f"{letter}{kind.bits // 8}")
    _require_dtype(value, dtype)
    return dtype

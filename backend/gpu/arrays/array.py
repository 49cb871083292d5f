"""Arrays that lie on a device."""

from __future__ import annotations

import functools
import importlib
import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from ....dialect.dtypes import element_type
from ....dialect.errors import DeviceError, WeftTypeError, WeftValueError
from ..devices.names import device_number
from ..devices.on_device import OnDevice
from ..devices.open_devices import OpenDevice, open_device
from ..driver.memory import Block
from ..driver.streams import Stream
from .description import Description, address_of, describe_memory, has_ellipsis, is_basic, reshaped, view_at
from .exchange import CPU_OF_DLPACK, CUDA_KIND, cuda_array_interface, to_dlpack
from .strided_copies import copy_views

if TYPE_CHECKING:
    from types import ModuleType


class Operations(Protocol):
    """What computes with arrays on devices: the compiler, which stands above them."""

    def call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A function of NumPy, or of arrays, on the device."""

    def namespace(self, version: str | None) -> ModuleType:
        """The array namespace, in a version of the Array API."""


_operations: list[Operations] = []


def _computing() -> Operations:
    if not _operations:  # no name of devices was asked of the package so far, which would have brought them
        importlib.import_module(__package__.rpartition(".backend")[0]).DeviceArray  # noqa: B018
    return _operations[0]


def install_operations(operations: Operations) -> None:
    """Say what computes with arrays on devices."""
    _operations[:] = [operations]


class ForeignMemory:
    """Memory of another library, for arrays in the place of a block of our own."""

    __slots__ = ("owner",)

    def __init__(self, owner: object) -> None:
        self.owner: object = owner

    @property
    def is_free(self) -> bool:
        """Whether it was given back."""
        return self.owner is None

    def drop(self) -> None:
        """Give it back."""
        self.owner = None


class DeviceArray(OnDevice, NDArrayOperatorsMixin):
    """An array on a GPU. `weft.device_put` makes one, and compiled functions give them for arguments on a GPU.

    It is an array of the Array API: it has dtype, shape and device, exchanges its memory by DLPack and by
    `__cuda_array_interface__`, indexes to views, can be written at an index, and NumPy's functions and operators
    compute with it on its device. `np.asarray` waits for it and copies it.

    Shapes and views follow NumPy's rules, dtypes are those of weft. Raises `DeviceError` where its memory was given
    back by `delete`, or where a kernel before has broken the device.
    """

    __slots__ = ("__weakref__", "_described", "_device", "_memory")
    __array_priority__ = 100

    def __init__(self, described: Description, device: OpenDevice, memory: Block | ForeignMemory) -> None:
        self._described = described
        self._device = device
        self._memory = memory
        """What it shares with its views; it is freed with the last of them, or before, by `delete`."""

    # What it is like

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the elements."""
        dtype: np.dtype[Any] = self._described.dtype
        return dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of the axes."""
        shape: tuple[int, ...] = self._described.shape
        return shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._described.ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._described.size

    @property
    def itemsize(self) -> int:
        """The bytes of an element."""
        return self._described.itemsize

    @property
    def nbytes(self) -> int:
        """The bytes of the elements."""
        return self._described.nbytes

    @property
    def strides(self) -> tuple[int, ...]:
        """The bytes from an element to the next, for each axis."""
        return self._described.strides

    @property
    def flags(self) -> Any:
        """How the elements lie in memory, as `ndarray.flags`."""
        return self._described.flags

    @property
    def base(self) -> None:
        """None: that an array is a view of another one is not kept, only whose memory it is."""

    @property
    def device(self) -> str:
        """Where it lies, as "cuda:0"."""
        return repr(self._device)

    @property
    def open_device(self) -> OpenDevice:
        """The device, for calls."""
        return self._device

    @property
    def described(self) -> Description:
        """Its memory as an array of which no element may be read."""
        if self._memory.is_free:
            raise DeviceError("the array was deleted: its memory was given back to the device")
        return self._described

    @property
    def address(self) -> int:
        """Where its first element lies on the device."""
        return address_of(self.described)

    def ready_on(self, stream: Stream) -> int:
        """The address, once a stream waits for what others were asked to do with the memory."""
        block = self._memory
        if isinstance(block, Block) and block.stream is not stream:
            stream.wait_for_stream(block.stream)
            block.stream = stream
        return self.address

    def is_contiguous(self) -> bool:
        """Whether the elements follow each other, in C order."""
        return bool(self._described.flags.c_contiguous)

    def delete(self) -> None:
        """Give the memory back now, behind what was asked of the device; all views of it are gone, too."""
        self._memory.drop()

    # Views

    def _view(self, described: Description) -> DeviceArray:
        return DeviceArray(described, self._device, self._memory)

    def viewed(self, view: Callable[[Any], Any]) -> DeviceArray:
        """The view that a function takes of the description of the memory."""
        return self._view(view(self.described.view(np.ndarray)).view(Description))

    def contiguous(self) -> DeviceArray:
        """Itself if its elements follow each other in C order, else a copy in which they do."""
        return self if self.is_contiguous() else self.copy()

    @property
    def T(self) -> DeviceArray:
        """The view with the axes in reverse order."""
        return self._view(self.described.T)

    @property
    def mT(self) -> DeviceArray:
        """The view with the last two axes exchanged."""
        if self.ndim < 2:
            raise WeftValueError("matrix transpose with ndim < 2 is undefined")
        return self._view(self.described.swapaxes(-1, -2))

    @property
    def real(self) -> DeviceArray:
        """The view of the real parts; of real numbers, the array itself."""
        return self.viewed(lambda array: array.real) if self.dtype.kind == "c" else self

    @real.setter
    def real(self, value: Any) -> None:
        self.real[...] = value

    @property
    def imag(self) -> DeviceArray:
        """The view of the imaginary parts; of real numbers, zeros."""
        if self.dtype.kind == "c":
            return self.viewed(lambda array: array.imag)
        zeros: DeviceArray = _compute(_property("imag"), self)
        return zeros

    @imag.setter
    def imag(self, value: Any) -> None:
        if self.dtype.kind != "c":
            raise WeftTypeError("array does not have imaginary part to set")
        self.imag[...] = value

    def transpose(self, *axes: Any) -> DeviceArray:
        """The view with the axes in another order, as `ndarray.transpose`."""
        return self._view(self.described.transpose(*axes))

    def swapaxes(self, first: int, second: int) -> DeviceArray:
        """The view with two axes exchanged."""
        return self._view(self.described.swapaxes(first, second))

    def reshape(self, *shape: Any, order: str = "C", copy: bool | None = None) -> DeviceArray:
        """The elements in another shape: a view where the strides allow it, else a copy."""
        wanted = shape[0] if len(shape) == 1 else shape
        if order != "C" or copy is not None:
            changed: DeviceArray = _compute(_method("reshape"), self, wanted, order=order, copy=copy)
            return changed
        described = reshaped(self.described, wanted)
        return self._view(described) if described is not None else self.copy().reshape(wanted)

    def ravel(self, order: str = "C") -> DeviceArray:
        """The elements on one axis: a view where they are contiguous, else a copy."""
        flat: DeviceArray = self.reshape(-1) if order == "C" else _compute(_method("ravel"), self, order)
        return flat

    def __len__(self) -> int:
        if not self.ndim:
            raise WeftTypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self) -> Iterator[DeviceArray]:
        if not self.ndim:
            raise WeftTypeError("iteration over a 0-d array")
        return (self[index] for index in range(len(self)))

    def __getitem__(self, key: Any) -> DeviceArray:
        if is_basic(key):
            view = self._view(view_at(self.described, key))
            # An element is a number of its own, as it is for NumPy: else `x[0], x[1] = x[1], x[0]` would lose one.
            return view if view.ndim or has_ellipsis(key) else view.copy()
        found: DeviceArray = _compute(operator.getitem, self, key)
        return found

    def __setitem__(self, key: Any, value: Any) -> None:
        if is_basic(key) and self._is_like(value):
            place, source = view_at(self.described, key), value.described
            if value.shape == place.shape:
                if np.may_share_memory(place, source):
                    if (address_of(place), place.strides) == (address_of(source), source.strides):
                        return  # what `x[key] += y` ends with
                    value = value.copy()
                self._copy(place, value)
                return
        _compute(operator.setitem, self, key, value)

    def _is_like(self, value: Any) -> bool:
        return isinstance(value, DeviceArray) and value._device is self._device and value.dtype == self.dtype

    # Elements

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """A copy on the host; waits for the device."""
        if copy is False:
            raise WeftValueError(f"an array on {self.device} cannot be read on the host without a copy")
        source = self.contiguous()
        array = np.empty(self.shape, self.dtype)
        with self._device.working_on("copy to the host"):
            self._device.read(array, source.ready_on(self._device.stream))
        return array if dtype is None else array.astype(dtype, copy=False)

    def item(self, *index: Any) -> Any:
        """One element as a Python number, by its index or its number as in `ndarray.item`; waits for the device."""
        return np.asarray(self).item(*index)

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers; waits for the device."""
        return np.asarray(self).tolist()

    def tobytes(self, order: str = "C") -> bytes:
        """The bytes of the elements; waits for the device."""
        return np.asarray(self).tobytes("F" if self._is_fortran(order) else "C")

    def __bool__(self) -> bool:
        return bool(np.asarray(self))

    def __int__(self) -> int:
        return int(np.asarray(self))

    def __float__(self) -> float:
        return float(np.asarray(self))

    def __complex__(self) -> complex:
        return complex(np.asarray(self))

    def __index__(self) -> int:
        return operator.index(np.asarray(self))

    def __round__(self, digits: int | None = None) -> Any:
        if self.ndim:
            raise WeftTypeError("only arrays of one number can be rounded so: call np.round")
        number: Any = np.asarray(self)[()]
        return round(number, digits)

    def __contains__(self, value: Any) -> bool:
        return bool((self == value).any())

    def __hash__(self) -> int:
        raise WeftTypeError("unhashable type: 'DeviceArray'")

    def __repr__(self) -> str:
        text = repr(np.asarray(self))
        return f"DeviceArray{text.removeprefix('array')[:-1]}, device='{self.device}')"

    def __str__(self) -> str:
        return str(np.asarray(self))

    def __format__(self, specification: str) -> str:
        return format(np.asarray(self), specification)

    # Copies

    def copy(self, order: str = "C") -> DeviceArray:
        """A contiguous copy on the same device, in C order, or in that of Fortran."""
        if self._is_fortran(order):
            return self.T.copy().T
        target = empty(self.shape, self.dtype, self._device)
        target._copy(target.described, self)
        return target

    def _is_fortran(self, order: str) -> bool:
        """Whether an order of elements is that of Fortran; "A" and "K" are that of the array."""
        return order == "F" or (order in ("A", "K") and bool(self.flags.fnc))

    def __copy__(self) -> DeviceArray:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> DeviceArray:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (np.asarray(self), self.device)

    def to_device(self, device: str, /, *, stream: Any = None) -> Any:
        """The array on a device: itself if it lies there, else a copy, which is a NumPy array for "cpu"."""
        if device_number(device) is None:
            return np.asarray(self)
        target = open_device(device)
        return self if target is self._device else self._copied_to(target)

    def _copied_to(self, target: OpenDevice) -> DeviceArray:
        """A copy on another GPU, which neither the host's memory nor its thread takes part in."""
        own = self._device
        own.raise_deferred()
        source, result = self.contiguous(), empty(self.shape, self.dtype, target)
        with own.working_on("copy to another device"):
            stream, theirs = own.stream, target.stream
            start = source.ready_on(stream)
            stream.wait_for_stream(theirs)  # before that, the memory may be another's
            target.memory.copy_from(result.address, start, own.device, self.nbytes, stream)
            theirs.wait_for_stream(stream)
        return result

    def _copy(self, target: Description, other: DeviceArray) -> None:
        """Copy the elements of another array to a view of this one."""
        device, source = self._device, other.described
        with device.working_on("copy"):
            for array in (self, other):
                array.ready_on(device.stream)
            if target.flags.c_contiguous and source.flags.c_contiguous:
                device.memory.copy(address_of(target), address_of(source), target.nbytes, device.stream)
            else:
                copy_views(target, source, device.device, device.stream)

    # Exchange

    def __dlpack_device__(self) -> tuple[int, int]:
        """The kind of device and its number, as DLPack counts them."""
        return CUDA_KIND, self._device.device.ordinal

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A capsule with the memory, for use on a stream: None or 1 is the legacy default, -1 does not wait.

        For the processor (`dl_device=(1, 0)`), it has a copy.
        """
        if dl_device is not None and tuple(dl_device) == CPU_OF_DLPACK:
            return self.__array__(copy=copy).__dlpack__()
        return to_dlpack(self, stream, dl_device, copy)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The memory, as CuPy, Numba and PyTorch take it (version 3)."""
        return cuda_array_interface(self)

    # Computing

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """The functions of the Array API, which compute with such arrays on their device."""
        return _computing().namespace(api_version)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        out = kwargs.pop("out", None)
        if out is not None:
            kwargs["out"] = out[0] if len(out) == 1 else out
        return _compute(getattr(ufunc, method) if method != "__call__" else ufunc, *inputs, **kwargs)

    def __array_function__(
        self, function: Callable[..., Any], types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        return _compute(function, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        """Methods and properties of arrays that are computed."""
        if name.startswith("_") or name in _OF_THE_HOST or not hasattr(np.ndarray, name):
            raise AttributeError(f"'DeviceArray' object has no attribute {name!r}")
        if not callable(getattr(np.ndarray, name)):
            return _compute(_property(name), self)
        return lambda *args, **kwargs: _compute(_method(name), self, *args, **kwargs)


_OF_THE_HOST = ("ctypes", "data", "dump", "dumps", "setflags", "tofile")
"""What NumPy's arrays have that is about memory of the host."""


@functools.cache
def _property(name: str) -> Callable[..., Any]:
    """A property as a function: one for each name, as functions are compiled by their identity."""
    return operator.attrgetter(name)


@functools.cache
def _method(name: str) -> Callable[..., Any]:
    """A method as a function, as above."""

    def call(array: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(array, name)(*args, **kwargs)

    call.__name__ = name
    return call


def _compute(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return _computing().call(function, args, kwargs)


def empty(shape: tuple[int, ...], dtype: np.dtype[Any], device: OpenDevice) -> DeviceArray:
    """A new array whose elements nobody has set."""
    described = describe_memory(1, shape, dtype, None)
    with device.working_on("allocation"):
        block = device.memory.allocate(described.nbytes, device.stream)
    return array_of(block.address, shape, dtype, device, block)


def array_of(
    address: int,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    device: OpenDevice,
    owner: object,
    strides: tuple[int, ...] | None = None,
) -> DeviceArray:
    """An array of memory that `owner` keeps."""
    memory = owner if isinstance(owner, Block) else ForeignMemory(owner)
    return DeviceArray(describe_memory(address, shape, dtype, memory, strides), device, memory)


def from_host(array: np.ndarray[Any, Any], device: OpenDevice) -> DeviceArray:
    """A copy on a device; DeviceMemoryError, with sizes, where it has no room."""
    array = np.ascontiguousarray(array).reshape(array.shape)
    element_type(array.dtype)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    result = empty(array.shape, array.dtype, device)
    with device.working_on("copy to the device"):
        device.write(result.address, array)
    return result


def _restored(array: np.ndarray[Any, Any], device: str) -> DeviceArray:
    """What `pickle` makes of an array."""
    return from_host(array, open_device(device))

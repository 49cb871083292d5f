"""Arrays for results, in memory that is used again: 64-byte aligned, owned by the array as NumPy's own memory is.

glibc gives large blocks back to the system when they are freed, and the next result of the same size costs page faults,
up to three times the computation. Results of 64 KiB and more lie in blocks of a pool instead (see `pool_code`); they
carry a memory handler of ours (NEP 49), by which NumPy gives a block back when its array dies, in any thread, resizes
it, or tells its name (`numpy._core.multiarray.get_handler_name`).
"""

from __future__ import annotations

import ctypes
import importlib
import math
import threading
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from ....dialect.errors import InternalError
from ...cache.objects import cached_object
from ..machine.libraries import call_at_fork
from ..machine.native_code import compile_assembly, link_forever
from .limit import follow_limit
from .pool_code import EXPORTS, POOLED_BYTES, STATISTICS, SYMBOLS, pool_assembly

_HEADER = object.__basicsize__
# PyArrayObject_fields after the object header: data, nd, dimensions, strides, base, descr, flags, weakreflist,
# _buffer_info, mem_handler.
_FLAGS, _HANDLER = _HEADER + 48, _HEADER + 72
_NEW_FROM_DESCRIPTOR, _GET_HANDLER = 94, 305  # in NumPy's table of C functions


class ResultPool:
    """The pool of this process. It is never freed: arrays that die while Python exits still give memory back to it."""

    def __init__(self) -> None:
        addresses = linked_pool()
        self.new_result_address = addresses["weft_new_result"]
        """Of `PyObject *weft_new_result(PyArray_Descr *descr, int nd, const npy_intp *dims, size_t bytes)`: a new
        array, C-contiguous and not initialised, or NULL with a Python exception. `bytes` is the product of `dims` and
        the item size. No reference is stolen; the interpreter must be held. The dtype must not hold Python objects.
        """
        self.allocate_address, self.free_address = addresses["weft_allocate"], addresses["weft_free"]
        self.allocate_aligned_address = addresses["weft_allocate_aligned"]
        """Of `void *weft_allocate(size_t bytes)`, `void *weft_allocate_aligned(size_t alignment, size_t bytes)` and
        `void weft_free(void *data)`, which need no interpreter.
        """
        arguments = (ctypes.py_object, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)
        self._new = ctypes.PYFUNCTYPE(ctypes.py_object, *arguments)(self.new_result_address)
        adopt = ctypes.PYFUNCTYPE(ctypes.py_object, *arguments, ctypes.c_void_p)
        self._adopt = adopt(addresses["weft_adopt"])
        reallocate = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
        self.reallocate = reallocate(addresses["weft_reallocate"])
        """Other memory with the same content for some that `weft_allocate` gave; None if there is none."""
        self.free = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.free_address)
        """Give memory back that `weft_allocate` gave and no array has adopted."""
        self._shrink = ctypes.CFUNCTYPE(None, ctypes.c_size_t)(addresses["weft_memory_shrink"])
        state = ctypes.CFUNCTYPE(ctypes.c_void_p)(addresses["weft_memory_state"])()
        self._state = (ctypes.c_int64 * len(STATISTICS)).from_address(state)
        follow_limit(self.set_limit)
        unlock = addresses["weft_memory_unlock"]
        call_at_fork(addresses["weft_memory_lock"], unlock, unlock)

    def new(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        """A new array, not initialised; MemoryError or ValueError as by `numpy.empty`."""
        count = len(shape)
        dims = (ctypes.c_ssize_t * count)(*shape)
        array: np.ndarray[Any, Any] = self._new(dtype, count, dims, math.prod(shape) * dtype.itemsize)
        return array

    def adopt(self, address: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        """An array in memory that `weft_allocate` gave, which is the array's from now on."""
        count, size = len(shape), math.prod(shape) * dtype.itemsize
        dims = (ctypes.c_ssize_t * count)(*shape)
        array: np.ndarray[Any, Any] = self._adopt(dtype, count, dims, size, address)
        return array

    def set_limit(self, limit: int) -> None:
        """Bound the bytes of free blocks."""
        self._state[0] = limit
        self._shrink(limit)

    def release(self) -> int:
        """Give all free blocks back to the system; returns their bytes."""
        kept = self.statistics()["kept"]
        self._shrink(0)
        return kept

    def statistics(self) -> dict[str, int]:
        """What is in the state by name, see `pool_code.STATISTICS`."""
        return dict(zip(STATISTICS, self._state, strict=True))


def linked_pool(replaced: Mapping[str, int] = MappingProxyType({})) -> dict[str, int]:
    """The functions of a new pool, by name, set up; with other functions than the system's where they are given."""
    functions = _numpy_functions()
    _check_array_layout(functions[_GET_HANDLER])
    known = {"PyArray_NewFromDescr": functions[_NEW_FROM_DESCRIPTOR], **replaced}
    text = pool_assembly(_FLAGS, _HANDLER)
    code = cached_object(text, lambda: compile_assembly(text))
    addresses = link_forever(code, EXPORTS, SYMBOLS, known)
    setup = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p)(addresses["weft_memory_setup"])
    setup(id(np.ndarray))  # the native code keeps the capsule
    return addresses


_pool: list[ResultPool] = []
_making = threading.Lock()


def result_pool() -> ResultPool:
    """The pool, made when it is needed first."""
    if not _pool:
        with _making:
            if not _pool:
                _pool.append(ResultPool())
    return _pool[0]


def release_memory() -> int:
    """Give the memory that weft keeps for results back to the system; returns how many bytes that were.

    Nothing else changes: memory is got again when it is needed. See the setting `result_pool_bytes`.

    >>> release_memory() >= 0
    True
    """
    return _pool[0].release() if _pool else 0


def maker(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Callable[[], np.ndarray[Any, Any]]:
    """What makes arrays of a shape and dtype, not initialised: NumPy, or the pool where they are large."""
    if math.prod(shape) * dtype.itemsize < POOLED_BYTES:
        return partial(np.empty, shape, dtype)
    return partial(result_pool().new, shape, dtype)


def _numpy_functions() -> Any:
    """NumPy's table of C functions."""
    capsule = importlib.import_module("numpy._core._multiarray_umath")._ARRAY_API
    pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    address = pointer(("PyCapsule_GetPointer", ctypes.pythonapi))(capsule, None)
    return ctypes.cast(address, ctypes.POINTER(ctypes.c_void_p))


def _check_array_layout(get_handler: int) -> None:
    """Make sure that array objects have flags and a memory handler where expected; InternalError otherwise."""
    array = np.empty((3, 5))
    handler = ctypes.PYFUNCTYPE(ctypes.py_object)(get_handler)()
    flags = ctypes.c_int.from_address(id(array) + _FLAGS).value
    if np.ndarray.__basicsize__ < _HANDLER + 8 or flags != array.flags.num:
        raise InternalError("array objects of this Python or NumPy have unknown flags")
    if ctypes.c_void_p.from_address(id(array) + _HANDLER).value != id(handler):
        raise InternalError("array objects of this Python or NumPy have an unknown memory handler")

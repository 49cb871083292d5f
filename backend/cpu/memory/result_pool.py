"""Arrays for results, in memory that is used again: 64-byte aligned, owned by the array as NumPy's own memory is.

glibc gives large blocks back to the system when they are freed, and the next result of the same size costs page faults,
up to three times the computation. Results of 64 KiB and more lie in blocks of a pool instead (see `pool_code`); they
carry a memory handler of ours (NEP 49), by which NumPy gives a block back when its array dies, in any thread, resizes
it, or tells its name (`numpy._core.multiarray.get_handler_name`).
"""

from __future__ import annotations

import ctypes
import math
import threading
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from ....dialect.errors import InternalError
from ..machine.libraries import call_at_fork, numpy_function
from ..native_python.layout import ARRAY_FLAGS, ARRAY_HANDLER
from ..native_python.library import link_native
from . import pool_code
from .limit import follow_limit
from .pool_code import LARGEST, STATISTICS

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
        self.refusals_address = addresses["weft_scratch_refusals"]
        self.allocate_scratch_address = addresses["weft_allocate_scratch"]
        """Of `void *weft_allocate(size_t bytes)`, `void *weft_allocate_scratch(size_t alignment, size_t bytes)` and
        `void weft_free(void *data)`, which need no interpreter.
        """
        arguments = (ctypes.py_object, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)
        self._new = ctypes.PYFUNCTYPE(ctypes.py_object, *arguments)(self.new_result_address)
        self.take_address = addresses["weft_take"]
        """Of `PyObject *weft_take(PyArray_Descr *descr, int nd, const npy_intp *dims, size_t bytes, int64_t *entry)`:
        the array in a heap block of a table, which the block belongs to from then on; a small one is a copy.
        """
        take = ctypes.PYFUNCTYPE(ctypes.py_object, *arguments, ctypes.c_void_p)
        self._take = take(self.take_address)
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

    def take(self, entry: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        """The array in a block, whose entry in a table of heap blocks is at an address; a small one is copied."""
        count, size = len(shape), math.prod(shape) * dtype.itemsize
        dims = (ctypes.c_ssize_t * count)(*shape)
        array: np.ndarray[Any, Any] = self._take(dtype, count, dims, size, entry)
        return array

    def set_limit(self, limit: int) -> None:
        """Bound the bytes of free blocks."""
        limit = min(limit, LARGEST)
        self._state[0] = limit
        self._shrink(limit)

    def keep_only(self, size: int) -> None:
        """Give free blocks back to the system, but for so many bytes."""
        self._shrink(size)

    def release(self) -> int:
        """Give all free blocks back to the system; returns their bytes."""
        kept = self.statistics()["kept"]
        self._shrink(0)
        return kept

    def statistics(self) -> dict[str, int]:
        """What is in the state by name, see `pool_code.STATISTICS`."""
        return dict(zip(STATISTICS, self._state, strict=True))


_HANDLER_FUNCTIONS = (
    "weft_handler_allocate",
    "weft_handler_allocate_zeros",
    "weft_handler_reallocate",
    "weft_handler_free",
)


class _Handler(ctypes.Structure):
    """PyDataMem_Handler of numpy/ndarraytypes.h."""

    _fields_ = (
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("context", ctypes.c_void_p),
        *((name, ctypes.c_void_p) for name in _HANDLER_FUNCTIONS),
    )


def linked_pool(replaced: Mapping[str, int] = MappingProxyType({})) -> dict[str, int]:
    """The functions of a new pool, by name, set up; with other functions than the system's where they are given."""
    _check_array_layout(numpy_function(_GET_HANDLER))
    known = {"PyArray_NewFromDescr": numpy_function(_NEW_FROM_DESCRIPTOR), **replaced}
    addresses = link_native("memory", [pool_code], known)
    functions = [addresses[function] for function in _HANDLER_FUNCTIONS]
    handler, name = _Handler(b"weft result pool", 1, None, *functions), b"mem_handler"
    new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    capsule = new_capsule(("PyCapsule_New", ctypes.pythonapi))(ctypes.addressof(handler), name, None)
    for owner in (handler, name, capsule):  # arrays may die after all else
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(owner))
    setup = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(addresses["weft_memory_setup"])
    setup(id(np.ndarray), id(capsule))
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


def _check_array_layout(get_handler: int) -> None:
    """Make sure that array objects have flags and a memory handler where expected; InternalError otherwise."""
    array = np.empty((3, 5))
    handler = ctypes.PYFUNCTYPE(ctypes.py_object)(get_handler)()
    flags = ctypes.c_int.from_address(id(array) + ARRAY_FLAGS).value
    if np.ndarray.__basicsize__ < ARRAY_HANDLER + 8 or flags != array.flags.num:
        raise InternalError("array objects of this Python or NumPy have unknown flags")
    if ctypes.c_void_p.from_address(id(array) + ARRAY_HANDLER).value != id(handler):
        raise InternalError("array objects of this Python or NumPy have an unknown memory handler")

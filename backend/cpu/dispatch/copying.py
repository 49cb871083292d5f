"""Contiguous copies of arguments that compiled code does not take as they lie in memory."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import numpy as np

from ....dialect.errors import InternalError
from ....dialect.types import TensorType
from ...cache.objects import cached_object
from ..machine.libraries import numpy_function
from ..machine.native_code import link_forever
from ..memory.limit import POOLED_BYTES
from ..memory.result_pool import result_pool
from ..native_python.layout import ARRAY_STRIDES, TABLE, TYPE_SIZE, Api
from .copies import CopyApi
from .descriptors import table
from .library import library
from .objects import is_supported
from .squares import WIDTHS, edge, square_name, squares_assembly

_COPY_INTO, _NEW_COPY = 50, 85  # in NumPy's table of C functions
_NAME = "weft_new_copy"


class Copies:
    """The native code of `copies.py`, linked; there is one, which is never freed."""

    def __init__(self) -> None:
        _check_layout()
        squares = [square_name(width) for width in WIDTHS]
        linked = link_forever(cached_object("copies", _object_code), [_NAME, TABLE, *squares], (), {})
        self.new_copy_address = linked[_NAME]
        """Of `PyObject *weft_new_copy(PyArrayObject *array, NPY_ORDER ignored)`: an array of the same elements, which
        are in this machine's byte order, in C order; from 64 KiB on in memory of the pool.
        """
        self._new_copy = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object, ctypes.c_int)(
            self.new_copy_address
        )
        words = (ctypes.c_int64 * CopyApi.LENGTH).from_address(linked[TABLE])
        words[CopyApi.NEW_COPY] = numpy_function(_NEW_COPY)
        words[CopyApi.NEW_RESULT] = result_pool().new_result_address
        words[CopyApi.COPY_INTO] = numpy_function(_COPY_INTO)
        words[CopyApi.DECREF] = ctypes.cast(ctypes.pythonapi.Py_DecRef, ctypes.c_void_p).value or 0
        self._tables = [table([linked[name] for name in squares]), table([edge(width) for width in WIDTHS])]
        words[CopyApi.SQUARES], words[CopyApi.EDGES] = map(ctypes.addressof, self._tables)

    def contiguous(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The same elements in C order and this machine's byte order, in another array."""
        if type(array) is np.ndarray and array.dtype.isnative:
            copy: np.ndarray[Any, Any] = self._new_copy(array, 0)
            return copy
        copy = result_pool().new(array.shape, array.dtype.newbyteorder("="))
        np.copyto(copy, array)
        return copy


_copies: list[Copies] = []
_making = threading.Lock()


def copies() -> Copies:
    """What makes copies in this process, made when it is needed first."""
    if not _copies:
        with _making:
            if not _copies:
                _copies.append(Copies())
    return _copies[0]


def contiguous(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The same elements in C order and this machine's byte order, in another array: a large one lies in the pool."""
    if array.nbytes >= POOLED_BYTES and is_supported():
        return copies().contiguous(array)
    return np.array(array, dtype=array.dtype.newbyteorder("="), order="C", copy=True, subok=False)


def prepare_copies(type: TensorType) -> None:
    """Let native code copy strided arguments of a type that may be large by itself."""
    if type.size is None or type.size * type.dtype.itemsize >= POOLED_BYTES:
        library().words[Api.NEW_COPY] = copies().new_copy_address


def assembly() -> str:
    """The native code as LLVM assembly."""
    from ..native_python.translator import translate
    from . import copies as native

    return translate([native], [_NAME], CopyApi.LENGTH) + squares_assembly()


def _object_code() -> bytes:
    from ...target import compiling_for
    from ..machine.llvm import object_code, optimise

    with compiling_for("native"):
        return object_code(optimise(assembly()))


def _check_layout() -> None:
    """Make sure that strides and sizes of types are where native code reads them; InternalError otherwise."""
    array = np.empty((3, 5), np.complex128)
    strides = ctypes.c_void_p.from_address(id(array) + ARRAY_STRIDES).value or 0
    item_size = ctypes.c_ssize_t.from_address(id(array.dtype) + TYPE_SIZE).value
    if item_size != array.itemsize or tuple((ctypes.c_ssize_t * 2).from_address(strides)) != array.strides:
        raise InternalError("array objects of this Python or NumPy have unknown strides")

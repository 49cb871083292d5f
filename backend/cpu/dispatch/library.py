"""The native code of the dispatcher in this process: translated once, kept on disk, linked, and told its addresses."""

from __future__ import annotations

import ctypes
import importlib
import sys
import threading
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ....dialect.errors import InternalError
from ...cache.store import store
from ..machine.libraries import library_function, numpy_function
from ..machine.native_code import kept_library
from ..native_python import layout
from ..native_python.layout import PYTHON_FUNCTIONS, TABLE, Api
from . import turns
from .descriptors import Descriptor
from .entries import Dispatch
from .objects import slot_offset
from .switches import switches

_NATIVE = (
    "calls",
    "checks",
    "containers",
    "device_calls",
    "device_streams",
    "frames",
    "number_lists",
    "python_calls",
    "results",
)
"""The modules that are translated. They are not imported where the disk cache has what comes of them."""
_EXPORTS = (
    "weft_call",
    "weft_call_bound",
    "weft_drop_block",
    "weft_fits_picture",
    "weft_lists",
    "weft_vectorcall",
)
_ABSENT = frozenset({"PyObject_Vectorcall", "_PyObject_MakeTpCall"})
"""Functions that a version of Python may lack: the first is made of the second."""
_INSTEAD = {"_PyObject_GenericGetAttrWithDict": "PyObject_GenericGetAttr"}
"""What is taken for a function that a version of Python may lack; arguments that it does not have are ignored."""
# In NumPy's table of C functions.
_TO_SCALAR, _NEW_COPY, _NEW_FROM_DESCRIPTOR, _SET_BASE = 60, 85, 94, 282


class Library:
    """The native code, linked, and the table of words that it was given; there is one, which is never freed."""

    def __init__(self) -> None:
        is_kept = store() is not None
        self._linked = kept_library("dispatch", assembly, (*_EXPORTS, TABLE), is_optimised=is_kept)
        self.words = (ctypes.c_int64 * Api.LENGTH).from_address(self._linked[TABLE])
        self.call, self.call_bound = self._linked["weft_call"], self._linked["weft_call_bound"]
        self.drop_block = self._linked["weft_drop_block"]
        """Of a method without arguments, for blocks of memory of a device."""
        self.fits_picture = self._linked["weft_fits_picture"]
        """Of a container and the address of its picture."""
        self.lists = self._linked["weft_lists"]
        """Of numbers that lie together, see `number_lists.py`."""
        self._fill()

    def _fill(self) -> None:
        words = self.words
        for index, name in enumerate(PYTHON_FUNCTIONS):
            words[index] = _address(name)
        if words[Api.VECTORCALL] == 0:
            words[Api.VECTORCALL] = self._linked["weft_vectorcall"]
        words[Api.NEW_ARRAY] = numpy_function(_NEW_FROM_DESCRIPTOR)
        words[Api.NEW_COPY] = numpy_function(_NEW_COPY)
        words[Api.TO_SCALAR] = numpy_function(_TO_SCALAR)
        words[Api.SET_BASE] = numpy_function(_SET_BASE)
        objects: dict[int, Any] = {
            Api.ARRAY_TYPE: np.ndarray,
            Api.NONE: None,
            Api.FALSE: False,
            Api.TRUE: True,
            Api.ATTRIBUTE_ERROR: AttributeError,
            Api.TUPLE_TYPE: tuple,
            Api.LIST_TYPE: list,
            Api.DICT_TYPE: dict,
            Api.METHOD_TYPE: types.MethodType,
        }
        for index, value in objects.items():
            words[index] = id(value)
        words[Api.HAS_VERSIONS] = has_versions()
        words[Api.ENTRIES_SLOT] = slot_offset(Dispatch, "_entries")
        words[Api.READY_SLOT] = slot_offset(Descriptor, "_ready")
        words[Api.TURNS] = ctypes.addressof(turns.words)
        switches.connect(words)

    def connect(self, slow: Callable[..., Any], unbound: Any, function: type, method: type) -> None:
        """Say what calls go to that native code leaves to Python, and what stands for names without a value.

        `function` and `method` are the classes of what is called; their slots are `_native`, `function` and `__self__`.
        """
        words = self.words
        words[Api.SLOW], words[Api.UNBOUND] = id(slow), id(unbound)
        words[Api.DISPATCH_SLOT] = slot_offset(function, "_native")
        words[Api.FUNCTION_SLOT] = slot_offset(method, "function")
        words[Api.SELF_SLOT] = slot_offset(method, "__self__")
        self._kept = (slow, unbound, function, method)


_libraries: list[Library] = []
_making = threading.Lock()


def library() -> Library:
    """The native code of this process; there is one, as `switches` tells one."""
    if not _libraries:
        with _making:
            if not _libraries:
                _libraries.append(Library())
    return _libraries[0]


def assembly() -> str:
    """The native code as LLVM assembly."""
    from ..native_python.translator import translate

    modules = [importlib.import_module(f"{__package__}.{name}") for name in _NATIVE]
    return translate(modules, _EXPORTS, Api.LENGTH)


def _address(name: str) -> int:
    address = library_function(name)
    if address is None and name in _INSTEAD:
        address = library_function(_INSTEAD[name])
    if address is None and name not in _ABSENT:
        raise InternalError(f"the function {name}, which the dispatcher calls, is not on this system")
    return address or 0


def has_versions() -> bool:
    """Whether dicts of this Python have versions, which change with every change of a dict (until Python 3.13)."""
    if sys.version_info >= (3, 14):
        return False
    sample: dict[str, Any] = {"name": 1, "other": 2}
    version = ctypes.c_uint64.from_address(id(sample) + layout.DICT_VERSION)
    seen = [version.value]
    sample["name"] = 3
    seen.append(version.value)
    sample["new"] = 4
    seen.append(version.value)
    del sample["other"]
    seen.append(version.value)
    seen.append(ctypes.c_uint64.from_address(id({"name": 1}) + layout.DICT_VERSION).value)
    return len(set(seen)) == len(seen) and 0 not in seen

"""The native code of the dispatcher in this process: translated once, kept on disk, linked, and told its addresses."""

from __future__ import annotations

import ctypes
import importlib
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ....dialect.errors import InternalError
from ...cache.objects import cached_object
from ...cache.store import store
from ..native_python import layout
from ..native_python.layout import PYTHON_FUNCTIONS, TABLE, Api
from .descriptors import Descriptor
from .entries import Dispatch
from .objects import slot_offset
from .switches import switches

_NATIVE = ("calls", "checks", "frames", "python_calls", "results")
"""The modules that are translated. They are not imported where the disk cache has what comes of them."""
LANGUAGE = ("../native_python/layout", "../native_python/translator")
"""Where what they are written in is defined."""
_EXPORTS = ("weft_call", "weft_call_bound", "weft_vectorcall")
_ABSENT = frozenset({"PyObject_Vectorcall", "_PyObject_MakeTpCall"})
"""Functions that a version of Python may lack: the first is made of the second."""
# In NumPy's table of C functions.
_TO_SCALAR, _NEW_COPY, _NEW_FROM_DESCRIPTOR = 60, 85, 94


class Library:
    """The native code, linked, and the table of words that it was given; there is one, which is never freed."""

    def __init__(self) -> None:
        binding = _binding()
        key = "\n".join(map(source, (*_NATIVE, *LANGUAGE)))
        is_kept = store() is not None
        code = cached_object(key, lambda: object_code(is_kept=is_kept))
        self._jit = binding.create_lljit_compiler(_target_machine(0))
        builder = binding.JITLibraryBuilder().add_object_img(code)
        for name in (*_EXPORTS, TABLE):
            builder.export_symbol(name)
        try:
            self._linked = builder.link(self._jit, "weft.dispatch")
        except RuntimeError as error:
            raise InternalError(f"the dispatcher cannot be linked: {error}") from error
        self.words = (ctypes.c_int64 * Api.LENGTH).from_address(self._linked[TABLE])
        self.call = int(self._linked["weft_call"])
        self.call_bound = int(self._linked["weft_call_bound"])
        self._fill()
        for owner in (self._jit, self._linked):  # functions may be called while Python exits
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(owner))

    def _fill(self) -> None:
        words = self.words
        for index, name in enumerate(PYTHON_FUNCTIONS):
            words[index] = _address(name)
        if words[Api.VECTORCALL] == 0:
            words[Api.VECTORCALL] = int(self._linked["weft_vectorcall"])
        words[Api.NEW_ARRAY] = numpy_function(_NEW_FROM_DESCRIPTOR)
        words[Api.NEW_COPY] = numpy_function(_NEW_COPY)
        words[Api.TO_SCALAR] = numpy_function(_TO_SCALAR)
        objects: dict[int, Any] = {
            Api.ARRAY_TYPE: np.ndarray,
            Api.NONE: None,
            Api.FALSE: False,
            Api.TRUE: True,
            Api.ATTRIBUTE_ERROR: AttributeError,
            Api.TUPLE_TYPE: tuple,
            Api.LIST_TYPE: list,
            Api.DICT_TYPE: dict,
        }
        for index, value in objects.items():
            words[index] = id(value)
        words[Api.HAS_VERSIONS] = has_versions()
        words[Api.ENTRIES_SLOT] = slot_offset(Dispatch, "_entries")
        words[Api.READY_SLOT] = slot_offset(Descriptor, "_ready")
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


def source(name: str) -> str:
    """The source text of a module, by its path from this package."""
    path = str(Path(__file__).parent / f"{name}.py")
    loader: Any = __spec__.loader
    return str(loader.get_data(path).decode())


def object_code(*, is_kept: bool) -> bytes:
    """The native code as an object file: well optimised if it is kept on disk, else in a tenth of the time.

    The former takes 0.2 s, and calls are a fifth faster.
    """
    binding = _binding()
    try:
        module = binding.parse_assembly(assembly())
    except RuntimeError as error:
        raise InternalError(f"LLVM refuses the dispatcher: {error}") from error
    machine = _target_machine(1 if is_kept else 0)
    builder = binding.create_pass_builder(machine, binding.create_pipeline_tuning_options(speed_level=1))
    if is_kept:
        builder.getModulePassManager().run(module, builder)
    else:
        passes = binding.create_new_module_pass_manager()
        passes.add_sroa_pass()
        passes.add_instruction_combine_pass()
        passes.add_simplify_cfg_pass()
        passes.run(module, builder)
    code: bytes = machine.emit_object(module)
    return code


def _binding() -> Any:
    import llvmlite.binding as binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding


def _target_machine(level: int) -> Any:
    target = _binding().Target.from_default_triple()
    return target.create_target_machine(opt=level, reloc="pic", codemodel="jitdefault")


def _address(name: str) -> int:
    for library in (ctypes.pythonapi, ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)):
        try:
            function = getattr(library, name)
        except AttributeError:
            continue
        return ctypes.cast(function, ctypes.c_void_p).value or 0
    if name in _ABSENT:
        return 0
    raise InternalError(f"the function {name}, which the dispatcher calls, is not on this system")


def numpy_function(index: int) -> int:
    """The address at an index of NumPy's table of C functions."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = get(importlib.import_module("numpy._core._multiarray_umath")._ARRAY_API, None)
    if table is None:
        raise InternalError("NumPy has no table of C functions")
    return ctypes.c_size_t.from_address(table + 8 * index).value


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


__all__ = ["Library", "assembly", "library", "numpy_function", "object_code", "source"]

"""Native code that lives as long as the process: LLVM assembly of the backend's own, linked once."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from ....dialect.errors import InternalError


def compile_assembly(text: str) -> bytes:
    """The object code of a module, for any processor of this architecture.

    It is not optimised: that would take 30 ms, to gain some nanoseconds a call.
    """
    import llvmlite.binding as binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    try:
        module = binding.parse_assembly(text)
    except RuntimeError as error:
        raise InternalError(f"LLVM refuses the backend's own code: {error}") from error
    code: bytes = _target_machine(binding).emit_object(module)
    return code


def link_forever(
    code: bytes, exports: Iterable[str], symbols: Iterable[str], known: Mapping[str, int]
) -> dict[str, int]:
    """The addresses of the exported functions; they stay valid until the process ends, also while Python exits.

    `symbols` are functions of the C library and of Python; `known` gives the addresses of others.
    """
    import llvmlite.binding as binding

    binding.initialize_native_target()
    jit = binding.create_lljit_compiler(_target_machine(binding))
    builder = binding.JITLibraryBuilder().add_object_img(code)
    for name in symbols:
        builder.import_symbol(name, known[name] if name in known else _address(name))
    for name in exports:
        builder.export_symbol(name)
    try:
        library = builder.link(jit, "weft.memory")
    except RuntimeError as error:
        raise InternalError(f"the backend's own code cannot be linked: {error}") from error
    for owner in (jit, library):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(owner))
    return {name: int(library[name]) for name in exports}


def _target_machine(binding: Any) -> Any:
    target = binding.Target.from_default_triple()
    return target.create_target_machine(opt=0, reloc="pic", codemodel="jitdefault")


def _address(name: str) -> int:
    for library in (ctypes.pythonapi, ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)):
        try:
            function = getattr(library, name)
        except AttributeError:
            continue
        return ctypes.cast(function, ctypes.c_void_p).value or 0
    raise InternalError(f"the function {name}, which the backend's own code calls, is not on this system")

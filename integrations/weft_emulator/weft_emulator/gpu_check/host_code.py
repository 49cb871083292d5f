"""The host's part of programs, linked by the C compiler where LLVM is not."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_RUNTIME = r"""
#include <stdint.h>
#include <stdlib.h>
void *weft_allocate(size_t size) { return aligned_alloc(64, (size + 63) / 64 * 64 + 64); }
void weft_free(void *data) { free(data); }
void *_mlir_memref_to_llvm_aligned_alloc(size_t alignment, size_t size) { return weft_allocate(size); }
void _mlir_memref_to_llvm_free(void *data) { free(data); }
void weft_parallel_for(void (*body)(int64_t, int64_t, void *), int64_t trips, int64_t grain, void *context) {
    body(0, trips, context);
}
"""
"""What the host's part of programs calls of weft, for one thread."""


class SharedCode:
    """An object file as a shared library; what it calls jumps through a table that is filled with addresses."""

    def __init__(self, object_file: bytes, known: Mapping[str, int]) -> None:
        names = sorted(known)
        self._folder = tempfile.TemporaryDirectory(prefix="weft-gpu-")
        folder = Path(self._folder.name)
        (folder / "code.o").write_bytes(object_file)
        (folder / "jumps.s").write_text(_jumps(names))
        library = folder / "code.so"
        compile_library([str(folder / "code.o"), str(folder / "jumps.s"), "-o", str(library)])
        self._library = ctypes.CDLL(str(library))
        table = (ctypes.c_uint64 * max(1, len(names))).in_dll(self._library, "weft_known")
        table[: len(names)] = [known[name] for name in names]

    def address(self, name: str) -> int:
        """The address of an exported function."""
        address = ctypes.cast(getattr(self._library, name), ctypes.c_void_p).value
        assert address is not None
        return address


def _jumps(names: Sequence[str]) -> str:
    """Assembly of a function for each name, which jumps to the address at its place in a table."""
    lines = [".text"]
    for number, name in enumerate(names):
        lines += [f".globl {name}", f".hidden {name}", f"{name}:", f"  jmp *weft_table+{8 * number}(%rip)"]
    lines += [
        ".data",
        ".balign 8",
        ".globl weft_known",
        "weft_known:",
        "weft_table:",
        f"  .zero {8 * max(1, len(names))}",
    ]
    return "\n".join([*lines, '.section .note.GNU-stack,"",@progbits', ""])


def compile_library(arguments: Sequence[str]) -> None:
    """Make a shared library; RuntimeError with what the compiler says."""
    done = subprocess.run(
        ["cc", "-shared", "-fPIC", "-O2", *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"cc: {done.stderr.strip()}")


_runtime: dict[str, Any] = {}


def runtime_library() -> Any:
    """The functions of weft that the host's part calls."""
    if not _runtime:
        folder = tempfile.TemporaryDirectory(prefix="weft-gpu-")
        source, library = Path(folder.name) / "runtime.c", Path(folder.name) / "runtime.so"
        source.write_text(_RUNTIME)
        compile_library([str(source), "-o", str(library)])
        _runtime.update(folder=folder, library=ctypes.CDLL(str(library)))
    return _runtime["library"]


def link(
    object_file: bytes, exports: Sequence[str], symbols: Sequence[str], known: Mapping[str, int]
) -> SharedCode:
    """The host's part of a program, with what it calls of the C libraries, of weft and of the driver."""
    from weft.backend.cpu.lowering.host_calls import host_call_address
    from weft.backend.cpu.machine.libraries import library_function
    from weft.backend.planning.names import HOST_CALL

    own = runtime_library()
    addresses = dict(known)
    for name in symbols:
        function = getattr(own, name, None)
        if name == HOST_CALL:
            address: int | None = host_call_address()
        elif function is not None:
            address = ctypes.cast(function, ctypes.c_void_p).value
        else:
            address = library_function(name)
        if address is None:
            raise RuntimeError(f"there is no function {name} on this system")
        addresses[name] = address
    return SharedCode(object_file, addresses)


__all__ = ["SharedCode", "compile_library", "link", "runtime_library"]

"""The names of the functions that the backend makes."""

from __future__ import annotations

import re

_KERNEL = re.compile(r"kernel_\d+")
_PARALLEL = ".parallel"
_HOST = re.compile(r"host\.\d+")

EXIT = "weft_exit"
"""Ends the call; a return at the very end of the lowering."""

RESERVE = "weft_reserve"
"""Makes a heap block large enough."""

RELEASE = "weft_release"
"""Frees heap blocks."""

CLEAR = "weft_clear"
"""Makes a table of heap blocks empty."""

POLL = "weft_poll"
"""Asks whether the user wants to interrupt."""

HOST_CALL = "weft_host_call"
"""Calls Python."""

PARALLEL_FOR = "weft_parallel_for"
"""Shares the iterations of a loop among threads."""

ALLOCATE, FREE = "weft_allocate", "weft_free"
ALLOCATE_SCRATCH, FREE_SCRATCH = "_mlir_memref_to_llvm_aligned_alloc", "_mlir_memref_to_llvm_free"
"""What upstream makes of `memref.alloc` and `memref.dealloc` in kernels, when it is told not to call C's functions."""
"""Give memory for heap blocks, and take it back."""

_SORTING = re.compile(r"weft_(sort|argsort|prepare|select|finish)_(32|64)")
"""Sort a row."""

RUNTIME = (RESERVE, RELEASE, CLEAR, POLL)


def kernel_name(number: int) -> str:
    """The name of a kernel."""
    return f"kernel_{number}"


def wrapper_name(function: str) -> str:
    """The name of the function that others call to call a function."""
    return f"{function}.call"


def parallel_name(function: str) -> str:
    """The name of the function that shares the range of iterations which another is for among threads."""
    return f"{function}{_PARALLEL}"


def is_parallel_name(name: str) -> bool:
    """Whether a function shares the range of iterations of another one."""
    return name.endswith(_PARALLEL)


def is_kernel_name(name: str) -> bool:
    """Whether a function is a kernel."""
    return _KERNEL.fullmatch(name) is not None


def is_sorting_name(name: str) -> bool:
    """Whether a function sorts a row."""
    return _SORTING.fullmatch(name) is not None


def is_own_name(name: str) -> bool:
    """Whether the backend makes functions of that name."""
    return (
        is_kernel_name(name)
        or is_host_name(name)
        or is_sorting_name(name)
        or name
        in (
            EXIT,
            HOST_CALL,
            PARALLEL_FOR,
            ALLOCATE,
            FREE,
            ALLOCATE_SCRATCH,
            FREE_SCRATCH,
            *RUNTIME,
        )
    )


def is_host_name(name: str) -> bool:
    """Whether a function is one of Python."""
    return _HOST.fullmatch(name) is not None

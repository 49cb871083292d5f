"""The addresses of the functions that compiled code calls."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from ....dialect.callbacks import COLLECTIVE
from ....dialect.errors import InternalError
from ...planning.names import (
    ALLOCATE,
    ALLOCATE_SCRATCH,
    ALLOWED,
    COMPILER_FUNCTIONS,
    FREE,
    FREE_SCRATCH,
    HOST_CALL,
    PARALLEL_FOR,
    REFUSALS,
    STAMP_BEGIN,
    STAMP_END,
    THREADS,
    is_random_name,
    is_sorting_name,
    is_twister_name,
    loop_of_name,
)
from ..lowering.host_calls import host_call_address
from ..machine.libraries import library_function

_INSTRUCTIONS = "ceil ceilf floor floorf fma fmaf rint rintf roundeven roundevenf trunc truncf fmod fmodf"
"""Functions of C that stand for instructions."""
_ON_ALL_MACHINES = (b"memcpy", b"memmove", b"memset", b"fmod", b"fmodf")
"""Functions of C that stand for intrinsic functions of LLVM, for loops that it finds to do the same, and for remainders
of floats, which no machine has an instruction for."""


def called_by_instructions(object_file: bytes) -> list[str]:
    """The functions that LLVM calls without declaring them: for memory, and for instructions that a machine lacks.

    Machines that multiply and add at once have all other instructions that weft needs.
    """
    from ...target import current  # which asks LLVM for the processor

    everywhere = [name.decode() for name in _ON_ALL_MACHINES if b"\0" + name + b"\0" in object_file]
    if current().fused_multiply_add:
        return everywhere
    names = set(object_file.split(b"\0"))
    lacking = sorted([*COMPILER_FUNCTIONS.split(), *_INSTRUCTIONS.split()])
    return [*everywhere, *(name for name in lacking if name.encode() in names and name not in everywhere)]


def addresses(names: Iterable[str]) -> dict[str, int]:
    """The addresses of external functions; InternalError for one that compiled code must not call."""
    return {name: _address(name) for name in names}


@cache
def _address(name: str) -> int:
    if name == HOST_CALL:
        return host_call_address()
    if name == COLLECTIVE:
        from ..collectives.library import collective_address  # few programs have any

        return collective_address()
    if name in (PARALLEL_FOR, THREADS):
        from ..threads.pool import parallel_for_address, threads_address  # small arrays need no threads

        return parallel_for_address() if name == PARALLEL_FOR else threads_address()
    if name in (STAMP_BEGIN, STAMP_END):
        from ..stamps.ring import stamp_address  # programs that are profiled

        return stamp_address(name)
    if name in (ALLOCATE, ALLOCATE_SCRATCH, REFUSALS, FREE, FREE_SCRATCH):
        return _address_of_memory(name)
    if is_sorting_name(name):
        from ..sorting.library import sorting_address  # few programs sort

        return sorting_address(name)
    if is_random_name(name):
        from ..random_numbers.library import random_address  # few programs draw random numbers

        return random_address(name)
    if is_twister_name(name):
        from ..random_numbers.library import twister_address  # few programs draw of NumPy's older functions

        return twister_address(name)
    if (loop := loop_of_name(name)) is not None:
        from .ufunc_loops import loop_address  # few programs call one

        return loop_address(*loop)
    if name not in ALLOWED:
        raise InternalError(f"the compiled code calls an unknown function {name}")
    address = library_function(name)
    if address is None:
        raise InternalError(f"the function {name}, which the compiled code calls, is not on this system")
    return address


def _address_of_memory(name: str) -> int:
    from ..memory.result_pool import result_pool  # which is linked for that

    pool = result_pool()
    if name == ALLOCATE:
        return pool.allocate_address
    if name == ALLOCATE_SCRATCH:
        return pool.allocate_scratch_address
    return pool.refusals_address if name == REFUSALS else pool.free_address

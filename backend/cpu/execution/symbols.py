"""What compiled code may call: the C mathematics library, memory functions and helpers of the compiler."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from ....dialect.errors import InternalError
from ...planning.names import (
    ALLOCATE,
    ALLOCATE_SCRATCH,
    FREE,
    FREE_SCRATCH,
    HOST_CALL,
    PARALLEL_FOR,
    is_own_name,
    is_sorting_name,
)
from ...target import current
from ..lowering.host_calls import host_call_address
from ..machine.libraries import library_function
from ..memory.result_pool import result_pool
from ..threads.pool import parallel_for_address

_MATH = """
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim
floor fma fmax fmin fmod frexp hypot ldexp lgamma log log10 log1p log2 logb lrint lround modf
nearbyint nextafter pow remainder rint round roundeven scalbn sin sincos sinh sqrt tan tanh tgamma
trunc
"""
_COMPLEX = """
cabs cacos cacosh carg casin casinh catan catanh ccos ccosh cexp clog cpow csin csinh csqrt ctan ctanh
"""
_MEMORY = "aligned_alloc calloc free malloc memcmp memcpy memmove memset"
_TIME = "timespec_get"
_PYTHON = "PyGILState_Ensure PyGILState_Release PyErr_CheckSignals PyErr_Fetch"
# Called by the machine code that LLVM makes for conversions and wide arithmetic the processor does not have.
_COMPILER = """
__truncsfhf2 __truncdfhf2 __extendhfsf2 __extendhfdf2 __truncsfbf2 __truncdfbf2 __extendbfsf2
__divti3 __modti3 __udivti3 __umodti3 __multi3 __fixdfti __fixsfti __floattidf __floattisf __muldc3
__mulsc3 __divdc3 __divsc3
"""
_INSTRUCTIONS = (
    "ceil ceilf floor floorf fma fmaf rint rintf roundeven roundevenf trunc truncf fmod fmodf memset"
)
"""Functions of C that stand for instructions."""
_BOTH_PRECISIONS = _MATH.split() + _COMPLEX.split()

ALLOWED = frozenset(
    [
        *_BOTH_PRECISIONS,
        *(f"{name}f" for name in _BOTH_PRECISIONS),
        *" ".join([_MEMORY, _TIME, _PYTHON, _COMPILER]).split(),
    ]
)


def called_by_instructions(object_file: bytes) -> list[str]:
    """The functions that stand for instructions a machine lacks, which LLVM calls without declaring them.

    Machines that multiply and add at once have all instructions that weft needs.
    """
    if current().fused_multiply_add:
        return []
    names = set(object_file.split(b"\0"))
    return [name for name in sorted([*_COMPILER.split(), *_INSTRUCTIONS.split()]) if name.encode() in names]


def is_taken(name: str) -> bool:
    """Whether a function of a program cannot have a name, because compiled code calls another one by it."""
    return name in ALLOWED or is_own_name(name)


def symbol_name(name: str) -> str:
    """The name that a function of the user gets in the program: its own, if it can have it.

    >>> symbol_name("softmax"), symbol_name("sin")
    ('softmax', 'sin_')
    """
    return f"{name}_" if is_taken(name) else name


def addresses(names: Iterable[str]) -> dict[str, int]:
    """The addresses of external functions; InternalError for one that compiled code must not call."""
    return {name: _address(name) for name in names}


@cache
def _address(name: str) -> int:
    if name == HOST_CALL:
        return host_call_address()
    if name == PARALLEL_FOR:
        return parallel_for_address()
    if name == ALLOCATE:
        return result_pool().allocate_address
    if name == ALLOCATE_SCRATCH:
        return result_pool().allocate_aligned_address
    if name in (FREE, FREE_SCRATCH):
        return result_pool().free_address
    if is_sorting_name(name):
        from ..sorting.library import sorting_address  # few programs sort

        return sorting_address(name)
    if name not in ALLOWED:
        raise InternalError(f"the compiled code calls an unknown function {name}")
    address = library_function(name)
    if address is None:
        raise InternalError(f"the function {name}, which the compiled code calls, is not on this system")
    return address

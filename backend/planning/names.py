"""The names of the functions that the backend makes, and of those that compiled code may call."""

from __future__ import annotations

import itertools
import re

from ...dialect.callbacks import COLLECTIVE

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

THREADS = "weft_threads"
"""Tells how many threads share loops."""

STAMP_BEGIN, STAMP_END = "weft_stamp_begin", "weft_stamp_end"
"""Tell the time, and note what ran since, in programs that are profiled."""

ALLOCATE, FREE = "weft_allocate", "weft_free"
ALLOCATE_SCRATCH, FREE_SCRATCH = "_mlir_memref_to_llvm_aligned_alloc", "_mlir_memref_to_llvm_free"
"""What upstream makes of `memref.alloc` and `memref.dealloc` in kernels, when it is told not to call C's functions."""
"""Give memory for heap blocks, and take it back."""

REFUSALS = "weft_scratch_refusals"
"""Tells how often there was no memory for kernels."""

_SORTING = re.compile(r"weft_(sort|argsort|select|select_several)_(int|float|complex)\d+_by_\d+")
"""Sort a row, digit by digit where so many digits or fewer differ."""

_RANDOM = re.compile(r"weft_random_[a-z_]+_(pcg64|pcg64dxsm|philox)_(bool|u?int\d+|float\d+)")
"""Draw random numbers."""
_TWISTER = re.compile(r"weft_twister_[a-z_]+_(bool|u?int\d+|float\d+)")
"""Draw them of the state of Python's or of NumPy's older generators, where that is."""
_LOOP = "weft_loop."
"""What the names of functions begin with that call a loop of a ufunc."""

RUNTIME = (RESERVE, RELEASE, CLEAR, POLL)


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
_PYTHON = """
PyGILState_Ensure PyGILState_Release PyErr_CheckSignals PyErr_Fetch PyEval_SaveThread PyEval_RestoreThread
"""
COMPILER_FUNCTIONS = """
__truncsfhf2 __truncdfhf2 __extendhfsf2 __extendhfdf2 __truncsfbf2 __truncdfbf2 __extendbfsf2
__divti3 __modti3 __udivti3 __umodti3 __multi3 __fixdfti __fixsfti __floattidf __floattisf __muldc3
__mulsc3 __divdc3 __divsc3
"""
"""What LLVM calls for conversions and wide arithmetic that the processor does not have."""
_BOTH_PRECISIONS = _MATH.split() + _COMPLEX.split()

ALLOWED = frozenset(
    [
        *_BOTH_PRECISIONS,
        *(f"{name}f" for name in _BOTH_PRECISIONS),
        *" ".join([_MEMORY, _TIME, _PYTHON, COMPILER_FUNCTIONS]).split(),
    ]
)
"""Functions of C that compiled code may call: mathematics, memory, and helpers of the compiler."""


def kernel_name(number: int) -> str:
    """The name of a kernel."""
    return f"kernel_{number}"


def new_kernel_name(taken: set[str]) -> str:
    """The name of one more kernel, which is taken then.

    >>> taken = {"main", "kernel_0", "kernel_2"}
    >>> new_kernel_name(taken), new_kernel_name(taken)
    ('kernel_3', 'kernel_4')
    """
    name = next(name for name in map(kernel_name, itertools.count(len(taken))) if name not in taken)
    taken.add(name)
    return name


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


def is_random_name(name: str) -> bool:
    """Whether a function draws random numbers."""
    return _RANDOM.fullmatch(name) is not None


def is_twister_name(name: str) -> bool:
    """Whether a function draws random numbers of a state in an object of Python's or NumPy's."""
    return _TWISTER.fullmatch(name) is not None


def loop_name(function: str, loop: str) -> str:
    """The name of the function that calls a loop of a ufunc.

    >>> loop_name("numpy.linalg._umath_linalg.solve", "dd->d")
    'weft_loop.numpy.linalg._umath_linalg.solve.dd.d'
    """
    return f"{_LOOP}{function}.{loop.replace('?', '_').replace('->', '.')}"


def loop_of_name(name: str) -> tuple[str, str] | None:
    """The ufunc and the loop that a function of a name calls; None for other names."""
    if not name.startswith(_LOOP):
        return None
    function, taken, given = name.removeprefix(_LOOP).rsplit(".", 2)
    return function, f"{taken}->{given}".replace("_", "?")


def is_own_name(name: str) -> bool:
    """Whether the backend makes functions of that name."""
    return (
        is_kernel_name(name)
        or is_host_name(name)
        or is_sorting_name(name)
        or is_random_name(name)
        or is_twister_name(name)
        or name.startswith(_LOOP)
        or name
        in (
            EXIT,
            HOST_CALL,
            COLLECTIVE,
            PARALLEL_FOR,
            THREADS,
            ALLOCATE,
            FREE,
            ALLOCATE_SCRATCH,
            FREE_SCRATCH,
            REFUSALS,
            STAMP_BEGIN,
            STAMP_END,
            *RUNTIME,
        )
    )


def is_host_name(name: str) -> bool:
    """Whether a function is one of Python."""
    return _HOST.fullmatch(name) is not None


def is_taken(name: str) -> bool:
    """Whether a function of a program cannot have a name, because compiled code calls another one by it."""
    return name in ALLOWED or is_own_name(name)


def symbol_name(name: str) -> str:
    """The name that a function of the user gets in the program: its own, if it can have it.

    >>> symbol_name("softmax"), symbol_name("sin")
    ('softmax', 'sin_')
    """
    return f"{name}_" if is_taken(name) else name

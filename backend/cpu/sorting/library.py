"""The native code of sorting in this process: made when code that sorts is loaded, kept on disk, never freed."""

from __future__ import annotations

import ctypes
from functools import cache

import numpy as np

from ....dialect.errors import InternalError
from ..machine.libraries import library_function, numpy_function
from ..machine.native_code import kept_library
from ..memory.result_pool import result_pool
from .given import GIVEN, LINKED, given_assembly

# In NumPy's table of C functions, and in the table of functions of a dtype.
_FUNCTIONS_OF_DTYPE = 365
_QUICKSORT, _STABLE_ARGSORT = 33, 38


@cache
def sorting_address(name: str) -> int:
    """The address of a function, such as weft_sort_int32_by_8: one of `rows.py`, for keys of a dtype.

    By how many digits is the compiler's choice, and so in the name: to ask for the processor here loaded LLVM where
    the code was found on disk.
    """
    of_keys, _, digits = name.rpartition("_by_")
    function, _, keys = of_keys.rpartition("_")
    linked = kept_library(
        name,
        lambda: assembly(function, keys, int(digits)),
        [function],
        LINKED,
        linked_functions(keys),
        is_optimised=True,
    )
    return linked[function]


def linked_functions(keys: str) -> dict[str, int]:
    """The addresses of what sorts of keys call."""
    pool = result_pool()
    return {
        "copy_bytes": library_function("memcpy") or 0,
        "allocate": pool.allocate_address,
        "free": pool.free_address,
        "numpy_sort": _numpy_sort(keys, _QUICKSORT),
        "numpy_argsort": _numpy_sort(keys, _STABLE_ARGSORT),
        "numpy_sort_words": _numpy_sort("int64", _QUICKSORT),
    }


def _numpy_sort(dtype: str, slot: int) -> int:
    """A function of NumPy's that sorts numbers of a dtype; it needs no interpreter."""
    table = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object)(numpy_function(_FUNCTIONS_OF_DTYPE))
    address = ctypes.c_void_p.from_address((table(np.dtype(dtype)) or 0) + 8 * slot).value
    if not address:
        raise InternalError(f"NumPy has no function that sorts {dtype}")
    return address


def assembly(function: str, keys: str, most_digits: int) -> str:
    """The LLVM assembly of a function for keys of a dtype."""
    from ..native_python.translator import translate  # not needed where the code is on disk
    from . import digits, rows

    return given_assembly(keys, most_digits) + translate([rows, digits], [function], 0, GIVEN)

"""Arrays that end where memory ends: what reads behind them crashes, so tests read them in a process of its own."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np

_PAGE = mmap.PAGESIZE
_NO_ACCESS = 0
_PRIVATE_AND_ANONYMOUS = 0x22  # of Linux


def fenced(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A copy behind whose last element no memory can be read; it stays until the process ends."""
    array = np.ascontiguousarray(array)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    pages = -(-array.nbytes // _PAGE) * _PAGE
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    start = libc.mmap(None, pages + _PAGE, mmap.PROT_READ | mmap.PROT_WRITE, _PRIVATE_AND_ANONYMOUS, -1, 0)
    libc.mprotect(start + pages, _PAGE, _NO_ACCESS)
    memory = (ctypes.c_char * array.nbytes).from_address(start + pages - array.nbytes)
    copy: np.ndarray[Any, Any] = np.ndarray(array.shape, array.dtype, buffer=memoryview(memory))
    copy[...] = array
    return copy

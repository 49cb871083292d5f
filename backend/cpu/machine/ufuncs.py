"""Loops of ufuncs: the C functions of NumPy and SciPy that work on elements, and need no interpreter."""

from __future__ import annotations

import ctypes
from typing import Any

from ....dialect.errors import InternalError


class _Ufunc(ctypes.Structure):
    """The beginning of NumPy's `PyUFuncObject`, which is part of its stable C interface."""

    _fields_ = (
        ("references", ctypes.c_ssize_t),
        ("type", ctypes.c_void_p),
        ("nin", ctypes.c_int),
        ("nout", ctypes.c_int),
        ("nargs", ctypes.c_int),
        ("identity", ctypes.c_int),
        ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("ntypes", ctypes.c_int),
    )


def c_loop(ufunc: Any, loop: str) -> tuple[int, int]:
    """The address of a loop of a ufunc, and of the data that belongs to it, which may be null."""
    fields = _Ufunc.from_address(id(ufunc))
    if (fields.nin, fields.nout, fields.ntypes) != (ufunc.nin, ufunc.nout, ufunc.ntypes):
        raise InternalError(f"{ufunc} is not laid out in memory as NumPy's C interface says")
    number = ufunc.types.index(loop)
    return fields.functions[number] or 0, (fields.data[number] if fields.data else None) or 0

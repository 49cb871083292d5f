"""Lists of Python's numbers, of arrays in which the numbers of many lists lie together."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ....dialect.errors import InternalError
from ....dialect.op import Array
from ..native_python.library import link_native
from . import lists_code


def lists_of_numbers(numbers: Array, starts: Array, counts: Array) -> list[Any]:
    """The lists whose numbers lie together, each from its start on: those between the lists are not made.

    Numbers are of int64 or float64. Raises `InternalError` where a list goes beyond them.

    >>> lists_of_numbers(np.arange(6) * 1.5, np.array([4, 0]), np.array([2, 1]))
    [[6.0, 7.5], [0.0]]
    """
    given = [np.ascontiguousarray(array) for array in (numbers, starts, counts)]
    data, first, lengths = (array.ctypes.data for array in given)
    make, new_float = _maker()
    is_float = given[0].dtype == np.float64
    made = make(data, new_float if is_float else 0, len(numbers), first, lengths, len(counts))
    if not isinstance(made, list):
        raise InternalError(f"list {made} goes beyond the memory of its numbers")
    return made


@cache
def _maker() -> tuple[Callable[..., Any], int]:
    """What makes lists, and the address of what makes a float."""
    address = link_native("lists", [lists_code], {})["weft_lists"]
    new_float = ctypes.cast(ctypes.pythonapi.PyFloat_FromDouble, ctypes.c_void_p).value
    return ctypes.PYFUNCTYPE(ctypes.py_object, *[ctypes.c_int64] * 6)(address), new_float or 0

"""Lists of Python's numbers, of arrays in which the numbers of many lists lie together."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ....dialect.errors import InternalError
from ....dialect.op import Array
from ..native_python.layout import Numbers
from .library import library

KINDS = {
    np.dtype(np.int64): Numbers.INTEGER,
    np.dtype(np.float64): Numbers.FLOAT,
    np.dtype(np.bool_): Numbers.TRUTH,
}
"""What native code calls the numbers of which it makes those of Python."""


def lists_of_numbers(numbers: Array, starts: Array, counts: Array) -> list[Any]:
    """The lists whose numbers lie together, each from its start on: those between the lists are not made.

    Numbers are of a dtype of `KINDS`. Raises `InternalError` where a list goes beyond them.

    >>> lists_of_numbers(np.arange(6) * 1.5, np.array([4, 0]), np.array([2, 1]))
    [[6.0, 7.5], [0.0]]
    """
    given = [np.ascontiguousarray(array) for array in (numbers, starts, counts)]
    data, first, lengths = (array.ctypes.data for array in given)
    return checked_lists(_maker()(data, KINDS[given[0].dtype], len(numbers), first, lengths, len(counts)))


def checked_lists(made: Any) -> list[Any]:
    """What native code made, which is the number of the first list that goes beyond the memory of its numbers."""
    if not isinstance(made, list):
        raise InternalError(f"list {made} goes beyond the memory of its numbers")
    return made


@cache
def _maker() -> Callable[..., Any]:
    return ctypes.PYFUNCTYPE(ctypes.py_object, *[ctypes.c_int64] * 6)(library().lists)

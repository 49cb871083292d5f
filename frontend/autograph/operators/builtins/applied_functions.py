"""NumPy's functions that call a function of the program's, for elements, rows or parts of arrays: it is converted.

They are written here as programs are, and converted themselves, so that what is long becomes a loop.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from .....dialect.errors import UnsupportedError
from .....dialect.types import normalize_axis
from .converted_functions import convert_once

Function = Callable[..., Any]


def _apply_along_axis(function: Function, axis: Any, arr: Any, args: Any, kwargs: Any) -> Any:
    array: Any = np.asarray(arr)
    place = range(array.ndim)[axis]
    moved = np.moveaxis(array, place, -1)
    around = moved.shape[:-1]
    if 0 in around:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    count = 1
    for extent in around:
        count = count * extent
    rows = moved.reshape((count, moved.shape[-1]))  # rows may be empty, and then -1 says nothing
    first = np.asarray(function(rows[0], *args, **kwargs))
    made = np.zeros((count, *first.shape), first.dtype)
    made[0] = first
    for i in range(1, count):
        made[i] = function(rows[i], *args, **kwargs)
    result = made.reshape((*around, *made.shape[1:]))
    axes = list(range(len(around), result.ndim))
    return np.moveaxis(result, axes, list(range(place, place + len(axes))))


def _fromiter(iterable: Any, dtype: Any, count: Any) -> Any:
    items = [item for item in iterable]  # noqa: C416 - a list of what only the program walks
    if len(items) < count:
        raise ValueError(f"iterator too short: Expected {count} but iterator had only {len(items)} items.")
    return np.array(items if count < 0 else items[:count], dtype)


def apply_along_axis(func1d: Function, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """`np.apply_along_axis`."""
    normalize_axis(operator.index(axis), np.ndim(arr))
    return convert_once(_apply_along_axis)(func1d, axis, arr, args, kwargs)


def fromiter(iter: Any, dtype: Any, count: Any = -1, *, like: Any = None) -> Any:
    """`np.fromiter`."""
    return convert_once(_fromiter)(iter, dtype, count)


def poly1d(*args: Any, **kwargs: Any) -> NoReturn:
    """`np.poly1d` of coefficients that the program computes, of which it leaves out the leading zeros."""
    raise UnsupportedError(
        "np.poly1d of coefficients that the program computes is not supported in compiled code: np.polyval(c, x), "
        "np.polyder(c), np.polymul(a, b) and the like take these as they are"
    )


def _of_numpy(function: Any) -> Function:
    """A function of NumPy's that is written in Python, converted."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return convert_once(function._implementation)(*args, **kwargs)

    call.__name__ = function.__name__
    return call


def applying_rows() -> Iterator[tuple[Any, Function]]:
    """For each such function of NumPy's what is called in its place."""
    yield np.apply_along_axis, apply_along_axis
    yield np.fromiter, fromiter
    yield np.piecewise, _of_numpy(np.piecewise)
    yield np.apply_over_axes, _of_numpy(np.apply_over_axes)

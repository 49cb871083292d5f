"""Indices of grids and of flattened arrays, and what is written at them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialect.errors import UnsupportedError, WeftTypeError, WeftValueError
from ...dialect.types import format_shape
from ..tracing.element_stores import cast_elements
from ..tracing.extents import known_shape
from ..tracing.staging import ArrayLike, ArrayResult, asarray, cast, raise_where
from .arguments import BOOL, INT64
from .creation import arange
from .memory_order import is_column_major
from .set_operations import nonzero
from .shape import reshape


def ix_(*args: ArrayLike) -> tuple[ArrayResult, ...]:
    """Vectors as indices of a grid: each with an axis of its own, as `numpy.ix_`.

    Shape: (1, ..., n, ..., 1) for the vector of n in that place. Dtype: that of each; of booleans the places where they
    are true, of an empty list int64. Raises `ValueError` for what is no vector.

    >>> weft.ix_([0, 2], [True, True])
    (array([[0],
           [2]]), array([[0, 1]]))
    """
    found = []
    for place, entry in enumerate(args):
        vector = asarray(entry)
        if vector.ndim != 1:
            raise WeftValueError("Cross index must be 1 dimensional")
        if not hasattr(entry, "dtype") and known_shape(vector) == (0,):
            vector = np.zeros(0, INT64)
        (vector,) = nonzero(vector) if vector.dtype == BOOL else (vector,)
        extents = (*(1,) * place, vector.shape[0], *(1,) * (len(args) - place - 1))
        found.append(reshape(vector, extents))
    return tuple(found)


def unravel_index(indices: ArrayLike, shape: Any, order: str = "C") -> tuple[ArrayResult, ...]:
    """The index, an array for each axis, that a number in a flattened array has, as `numpy.unravel_index`.

    Shape: that of the indices. Dtype: int64. Raises `ValueError` for numbers out of bounds, `TypeError` for those that
    are no integers.

    >>> weft.unravel_index(np.array([1, 5]), (2, 3))
    (array([0, 1]), array([1, 2]))
    """
    places, extents = _integers(indices), shape if isinstance(shape, (tuple, list)) else (shape,)
    size: Any = 1
    for extent in extents:
        size = size * extent
    outside = np.logical_or(np.less(places, 0), np.greater_equal(places, size))
    message = f"index is out of bounds for array with size {size}"
    raise_where(
        np.any(outside), WeftValueError, message if isinstance(size, int) else "index is out of bounds"
    )
    found = []
    falls = not is_column_major(order)
    for extent in reversed(extents) if falls else extents:
        found.append(np.remainder(places, extent))
        places = np.floor_divide(places, extent)
    return tuple(reversed(found) if falls else found)


def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C") -> ArrayResult:
    """The numbers in a flattened array of an index, an array for each axis, as `numpy.ravel_multi_index`.

    Shape: the common one. Dtype: int64. Raises `ValueError` for indices out of bounds unless `mode` is wrap or clip,
    for another number of arrays than axes, and for unknown modes.

    >>> weft.ravel_multi_index((np.array([0, 1]), np.array([1, 2])), (2, 3))
    array([1, 5])
    """
    entries, extents = list(multi_index), tuple(dims) if isinstance(dims, (tuple, list)) else (dims,)
    modes = mode if isinstance(mode, (tuple, list)) else (mode,) * len(extents)
    if len(entries) != len(extents):
        raise WeftValueError(f"parameter multi_index must be a sequence of length {len(extents)}")
    result: Any = 0
    places = [_integers(entry) for entry in entries]
    pairs = zip(places, extents, modes, strict=True)
    for place, extent, treatment in reversed(list(pairs)) if is_column_major(order) else pairs:
        result = np.add(np.multiply(result, extent), _inside(place, extent, treatment))
    return result


def _integers(indices: ArrayLike) -> ArrayResult:
    places = asarray(indices)
    if places.dtype.kind not in "iu":
        raise WeftTypeError("only int indices permitted")
    return asarray(cast(places, INT64))


def _inside(places: ArrayResult, extent: Any, mode: str) -> ArrayResult:
    """The places after the treatment of those out of bounds."""
    if mode == "wrap":
        return np.remainder(places, extent)
    if mode == "clip":
        return np.minimum(np.maximum(places, 0), extent - 1)
    if mode != "raise":
        raise WeftValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    outside = np.logical_or(np.less(places, 0), np.greater_equal(places, extent))
    raise_where(np.any(outside), WeftValueError, "invalid entry in coordinates array")
    return places


def fill_diagonal(a: ArrayLike, val: ArrayLike, wrap: bool = False) -> None:
    """Write a number on the diagonal of a matrix, in place, as `numpy.fill_diagonal`.

    Shape: a matrix. Dtype: the number is cast to that of a. Raises `ValueError` for arrays with less than two axes,
    `UnsupportedError` for more, for several values and for `wrap`.

    >>> x = np.zeros((2, 2))
    >>> weft.fill_diagonal(x, 3)
    >>> x
    array([[3., 0.],
           [0., 3.]])
    """
    target = asarray(a)
    value = asarray(cast_elements(val, target.dtype))
    if target.ndim < 2:
        raise WeftValueError("array must be at least 2-d")
    if target.ndim > 2 or value.ndim or wrap:
        raise UnsupportedError(
            f"fill_diagonal of an array {format_shape(known_shape(target))} with several values or wrap=True is not "
            "supported in compiled code; write x[i, i] = values[i] in a loop"
        )
    places = arange(np.minimum(*target.shape))
    target[places, places] = value

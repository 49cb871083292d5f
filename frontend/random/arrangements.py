"""Random permutations of ranges, arrays and lists."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialect.errors import UnsupportedError, WeftTypeError, WeftValueError
from ...dialect.ops.random import RandomPermutation
from ..indexing.views import get_item
from ..numpy_api.arguments import axis_index, write_into
from ..numpy_api.indexing import take, take_along_axis
from ..numpy_api.shape import moveaxis
from ..signature.foreign_arrays import require_numpy_rules
from ..tracing.array import TracedArray
from ..tracing.extents import product
from ..tracing.staging import ArrayResult, asarray, staged
from .stream import Source


def permutation(stream: Source, x: Any, axis: int) -> ArrayResult:
    """The numbers up to one, or the parts of an array along an axis, in random order."""
    if isinstance(x, (int, np.integer)) or (isinstance(x, TracedArray) and x.ndim == 0 and x._is_scalar):
        return places(stream, x)
    array = asarray(x)
    axis = axis_index(axis, array.ndim)
    return take(array, places(stream, array.shape[axis]), axis)


def shuffle(stream: Source, x: Any, axis: int) -> None:
    """Put the parts of an array along an axis, or the items of a list, into random order."""
    if isinstance(x, list):
        if axis != 0:
            raise NotImplementedError("Axis argument is only supported on ndarray objects")
        shuffle_list(x, places(stream, len(x)))
        return
    if not isinstance(x, (np.ndarray, TracedArray)):
        raise UnsupportedError(
            f"shuffle of a {type(x).__name__} changes it in a way that compiled code does not follow: shuffle a list "
            "or an array"
        )
    require_numpy_rules("an argument of shuffle", x)
    axis = axis_index(axis, x.ndim)
    write_into(x, take(asarray(x), places(stream, x.shape[axis]), axis))


def shuffle_list(items: list[Any], order: Any) -> None:
    """Put the items of a list into an order that is known at run time: they must be numbers or arrays of one type."""
    if len(items) < 2:
        return
    old = tuple(items)
    for number in range(len(items)):
        items[number] = get_item(old, order[number])


def permuted(stream: Source, x: Any, axis: Any, out: Any) -> ArrayResult:
    """An array whose rows along an axis, or all of whose elements, are in random order: each row in its own."""
    array = staged(stream.trace, asarray(x))
    if out is not None and not isinstance(out, (np.ndarray, TracedArray)):
        raise WeftTypeError("out must be a numpy array")
    if out is not None and tuple(out.shape) != tuple(array.shape):
        raise WeftValueError("out must have the same shape as x")
    if axis is None:
        if array.ndim > 1 and not array._layout().is_row_major:
            raise UnsupportedError(
                "permuted of all elements of an array that is not in row-major order shuffles them in the order of its "
                "memory, which compiled code does not follow: copy it first (x = np.ascontiguousarray(x))"
            )
        flat = array.reshape(-1)
        made = take(flat, places(stream, flat.shape[0]), 0).reshape(array.shape)
    else:
        made = _permuted_rows(stream, array, axis_index(axis, array.ndim))
    return made if out is None else write_into(out, made)


def _permuted_rows(stream: Source, array: TracedArray, axis: int) -> ArrayResult:
    rows = moveaxis(array, axis, -1)
    *others, length = rows.shape
    order = stream.draw(RandomPermutation, (), (product(others), length)).reshape(rows.shape)
    return take_along_axis(array, moveaxis(order, -1, axis), axis)


def places(stream: Source, count: Any) -> ArrayResult:
    """The numbers up to a count in random order."""
    return stream.draw(RandomPermutation, (), (1, count))[0]

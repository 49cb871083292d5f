"""Arrays that show elements of another one several times: windows, and strides of any kind, which are checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialect.errors import LayoutError, UnsupportedError, WeftValueError
from ..tracing.array import TracedArray
from ..tracing.layouts import is_contiguous
from ..tracing.staging import ArrayLike, ArrayResult, asarray, is_traced, raise_where, staged
from .arguments import axis_tuple
from .array_memory import strides as strides_of
from .creation import arange
from .indexing import take
from .memory_order import NOT_KNOWN, copy_for_view, use_layout
from .shape import expand_dims, moveaxis, reshape


def sliding_window_view(
    x: ArrayLike, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False
) -> ArrayResult:
    """All windows of an array, as `numpy.lib.stride_tricks.sliding_window_view`; in compiled code an array of its own.

    Shape: that of x with window - 1 less along the axes, then the windows. Dtype: that of x. Raises `ValueError` for
    windows that are larger than the array, and for another number of extents than axes.

    >>> weft.sliding_window_view(np.arange(4), 2)
    array([[0, 1],
           [1, 2],
           [2, 3]])
    """
    array = asarray(x)
    if not is_traced(array):
        return np.lib.stride_tricks.sliding_window_view(array, window_shape, axis)
    sizes = tuple(window_shape) if isinstance(window_shape, (tuple, list)) else (window_shape,)
    if any(size < 0 for size in sizes):
        raise WeftValueError("`window_shape` cannot contain negative values")
    axes = tuple(range(array.ndim)) if axis is None else _axes(axis, array.ndim)
    if len(sizes) != len(axes):
        raise WeftValueError(
            f"Must provide matching length window_shape and axis; got {len(sizes)} window_shape elements and "
            f"{len(axes)} axes elements."
            if axis is not None
            else "Since axis is `None`, must provide window_shape for all dimensions of `x`; got "
            f"{len(sizes)} window_shape elements and `x.ndim` is {array.ndim}."
        )
    made = array
    for place, size in zip(axes, sizes, strict=True):
        extent = made.shape[place]
        raise_where(extent < size, WeftValueError, "window shape cannot be larger than input array shape")
        places = expand_dims(arange(extent - size + 1), 1) + arange(size)
        made = moveaxis(take(made, places, place), place + 1, -1)
    return copy_for_view(made, array, "sliding_window_view", writable=False)


def _axes(axis: Any, rank: int) -> tuple[int, ...]:
    """The axes that windows slide along, one of which may be named twice."""
    entries = axis if isinstance(axis, (tuple, list)) else (axis,)
    return tuple(axis_tuple(entry, rank)[0] for entry in entries)


def as_strided(
    x: ArrayLike, shape: Any = None, strides: Any = None, subok: bool = False, writeable: bool = True
) -> ArrayResult:
    """The elements that strides lead to, as `numpy.lib.stride_tricks.as_strided`; in compiled code an array of its own.

    Shape: `shape`, or that of x. Dtype: that of x. Raises `ValueError` where strides lead out of the array, or of that
    of which it is a view, which NumPy does not check, `UnsupportedError` for memory with gaps.

    >>> weft.as_strided(np.arange(4), (3, 2), (8, 8))
    array([[0, 1],
           [1, 2],
           [2, 3]])
    """
    array = asarray(x)
    traced = [value for value in (*(shape or ()), *(strides or ())) if is_traced(value)]
    if not is_traced(array) and not traced:
        return np.lib.stride_tricks.as_strided(array, shape, strides, writeable=writeable)
    memory, first = _memory_of(array)
    if isinstance(memory, TracedArray):
        use_layout(memory)
        if is_contiguous(memory._layout(), memory.type) is not True:
            raise LayoutError(f"as_strided takes arrays without gaps; how this one lies {NOT_KNOWN}")
    extents = array.shape if shape is None else tuple(shape)
    steps = strides_of(array) if strides is None else tuple(strides)
    if len(extents) != len(steps):
        raise WeftValueError("mismatch in length of strides and shape")
    places: Any = first
    for axis, (extent, step) in enumerate(zip(extents, steps, strict=True)):
        if not is_traced(step) and step % array.itemsize:
            raise UnsupportedError(
                f"strides that are no multiples of {array.itemsize} bytes are not supported"
            )
        raise_where(extent < 0, WeftValueError, "negative dimensions are not allowed")
        column = (1,) * axis + (extent,) + (1,) * (len(extents) - axis - 1)
        places = places + reshape(arange(extent), column) * (step // array.itemsize)
    places = asarray(places)
    outside = np.any(np.logical_or(np.less(places, 0), np.greater_equal(places, memory.size)))
    raise_where(outside, WeftValueError, "as_strided: the strides lead out of the array")
    made = take(reshape(memory, (-1,)), places)._as_array()
    return copy_for_view(made, array, "as_strided", writable=writeable)


def _memory_of(array: Any) -> tuple[Any, Any]:
    """The array in whose memory a view lies, and the place of its first element there."""
    if not isinstance(array, TracedArray) or not array._path:
        return array, 0
    memory = array._base()
    shown: Any = staged(array._storage.trace, reshape(arange(memory.size), memory.shape))
    for step in array._path:
        shown = shown._view(step)
    return memory, reshape(shown, (-1,))[:1].sum()  # of none it is 0

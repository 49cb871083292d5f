"""Broadcasting: arrays seen in the shape that they have together, with extents checked at run time where needed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialect.errors import WeftTypeError, WeftValueError
from ...dialect.ops.shape import BroadcastTo
from ...dialect.types import broadcast_shapes as broadcast_known
from ...dialect.types import format_shape
from ..tracing.array import TracedArray
from ..tracing.extents import (
    Extent,
    known_shape,
    split_shape,
)
from ..tracing.staging import ArrayLike, ArrayResult, asarray, trace_of, type_of_operand, view_of
from ..tracing.stretching import Misfit, broadcast_together, fit


def broadcast_to(array: ArrayLike, /, shape: Any, subok: bool = False) -> ArrayResult:
    """A read-only view with axes of extent 1 repeated, and axes added in front, as `numpy.broadcast_to`.

    Shape: `shape`, extents of which may be traced. Dtype: that of `array`. Raises `ValueError` where the extents do
    not fit.

    >>> weft.broadcast_to(np.array([1, 2]), (2, 2))
    array([[1, 2],
           [1, 2]])
    """
    x = asarray(array)
    extents = shape if isinstance(shape, (tuple, list)) else ()
    if any(isinstance(extent, (bool, np.bool_)) for extent in extents):
        raise WeftTypeError(f"the extents of a shape are integers, not bools: {shape}")
    attribute, dims = split_shape(shape)
    known = tuple(None if extent == -1 else extent for extent in attribute)
    own = known_shape(x)
    if len(own) > len(known):
        raise WeftValueError("input operand has more dimensions than allowed by the axis remapping")
    try:
        result = broadcast_known([own, known])
    except WeftValueError:
        result = ()
    if len(result) != len(known) or any(e != k for e, k in zip(result, known, strict=True) if k is not None):
        raise WeftValueError(
            "operands could not be broadcast together with remapped shapes [original->remapped]: "
            f"{format_shape(own)}  and requested shape {format_shape(known)}"
        )
    viewed = view_of(x, BroadcastTo, *dims, writable=False, shape=attribute)
    if isinstance(viewed, TracedArray) and None in (*own, *known):
        fitted = fit(viewed._storage.trace, x, viewed, _MISFIT)
        if fitted is not x:
            return view_of(fitted, BroadcastTo, *dims, writable=False, shape=attribute)
    return viewed


_MISFIT = Misfit(
    "operands could not be broadcast together with remapped shapes [original->remapped]: ",
    "  and requested shape ",
    "",
)


def _common_shape(*arrays: Any) -> tuple[Extent, ...]:
    """The shape to which arrays broadcast: ints, and traced scalars for run-time extents."""
    trace = trace_of(arrays)
    extents: list[Extent] = list(broadcast_known([known_shape(array) for array in arrays]))
    if trace is None or None not in extents:
        return tuple(extents)
    fitted = broadcast_together(trace, arrays)
    shapes = [known_shape(array) for array in fitted]
    for axis, extent in enumerate(extents):
        if extent is None:
            place = len(extents) - axis
            source = next(
                a for a, s in zip(fitted, shapes, strict=True) if len(s) >= place and s[-place] is None
            )
            extents[axis] = source.shape[-place]
    return tuple(extents)


def broadcast_arrays(*args: ArrayLike, subok: bool = False) -> tuple[ArrayResult, ...]:
    """The arrays, each broadcast to the shape that they have together, as `numpy.broadcast_arrays`.

    Shape: the common one. Dtype: that of each. Raises `ValueError` for shapes that do not broadcast.

    >>> weft.broadcast_arrays(np.array([1, 2]), 5)
    (array([1, 2]), array([5, 5]))
    """
    arrays = [asarray(array) for array in args]
    shapes = {type_of_operand(array).shape for array in arrays}
    if len(shapes) == 1 and None not in next(iter(shapes)):
        return tuple(arrays)
    shape = _common_shape(*arrays)
    return tuple(broadcast_to(array, shape) for array in arrays)

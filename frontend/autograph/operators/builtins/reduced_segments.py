"""`reduceat` of ufuncs: what lies between two indices is reduced, and so on. Written as a program is, and converted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....numpy_api.dispatch import call_ufunc
from ....tracing.staging import asarray, trace_of
from .converted_functions import converted

_FEW = {np.add: 16, np.multiply: 16, np.maximum: 8, np.minimum: 8, np.logical_and: 8, np.logical_or: 8}
"""Those whose `reduce` takes many elements at a time, and of how many that takes less time than one after the other."""

_REDUCING = (
    *_FEW, np.fmax, np.fmin, np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.logical_xor,
)  # fmt: skip
"""The ufuncs whose `reduceat` is compiled: NumPy computes all elements in the dtype of the result."""


def reduceat_of(function: Any) -> Callable[..., Any] | None:
    """What is called in place of `reduceat` of a ufunc; None for another function."""
    ufunc = function.__self__
    if function.__name__ != "reduceat" or ufunc not in _REDUCING:
        return None

    def reduceat(array: Any, indices: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
        if trace_of((array, indices)) is None:
            return function(array, indices, axis, dtype, out)
        x, starts = asarray(array), asarray(indices)
        if out is not None or starts.ndim != 1 or starts.dtype.kind not in "iu" or not _is_axis(axis, x.ndim):
            return call_ufunc(ufunc, "reduceat", (array, indices, axis, dtype, out), {})
        found = ufunc.reduceat(np.zeros(1, x.dtype), [0], 0, dtype).dtype
        return _reduceat(ufunc, x.astype(found), starts.astype(np.int64), range(x.ndim)[axis])

    return reduceat


def _is_axis(axis: Any, rank: int) -> bool:
    return type(axis) is int and -rank <= axis < rank


@converted
def _reduceat(ufunc: Any, x: Any, starts: Any, axis: int) -> Any:
    size = x.shape[axis]
    outside = (starts < 0) | (starts >= size)
    if outside.any():
        index = starts[np.argmax(outside)]
        raise IndexError(f"index {index} out-of-bounds in {ufunc.__name__}.reduceat [0, {size})")
    is_last = axis == x.ndim - 1
    moved = x if is_last else np.moveaxis(x, axis, 0)
    flat = moved.reshape((moved.size,)) if is_last else moved
    rows = 1
    for extent in moved.shape[:-1] if is_last else ():
        rows = rows * extent
    count = starts.shape[0]
    made = np.empty((rows * count,) if is_last else (count, *moved.shape[1:]), x.dtype)
    for row in range(rows):
        for place in range(count):
            # Where an index is not below the next one, the element there is the result.
            start = row * size + starts[place]
            end = row * size + (starts[place + 1] if place + 1 < count else size)
            if ufunc in _FEW and end - start > _FEW[ufunc]:
                made[row * count + place] = ufunc.reduce(flat[start:end], axis=0, dtype=x.dtype)
            else:
                total = flat[start]
                for following in range(start + 1, end):
                    total = ufunc(total, flat[following])
                made[row * count + place] = total
    return made.reshape((*x.shape[:-1], count)) if is_last else np.moveaxis(made, 0, axis)

"""The sizes, outputs and parameters of what draws random numbers."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dialect.errors import WeftTypeError, WeftValueError
from ..indexing.broadcasting import broadcast_arrays, broadcast_to
from ..tracing.array import TracedArray
from ..tracing.layouts import is_contiguous
from ..tracing.staging import asarray, cast

FLOAT64 = np.dtype(np.float64)


def shape_of_size(size: Any) -> tuple[Any, ...]:
    """The extents that a size asks for; `ValueError` for negative ones that are known, `TypeError` for no integers."""
    shape = tuple(size) if isinstance(size, (tuple, list)) or np.ndim(size) else (size,)
    for extent in shape:
        if isinstance(extent, TracedArray):
            continue
        try:
            known = operator.index(extent)
        except TypeError as error:
            raise WeftTypeError(f"size is an integer, or several of them, not {size!r}: {error}") from None
        if known < 0:
            raise WeftValueError("negative dimensions are not allowed")
    return shape


def is_nothing(size: Any) -> bool:
    """Whether a size is known to ask for no number."""
    return any(not isinstance(extent, TracedArray) and extent == 0 for extent in shape_of_size(size))


def require_output(out: Any, size: Any, dtype: np.dtype[Any]) -> None:
    """Raise, as NumPy does, unless an array takes numbers of a dtype, and has the size that is asked for besides."""
    is_strided = isinstance(out, TracedArray) and is_contiguous(out._layout(), out.type) is False
    if is_strided or not isinstance(out, (np.ndarray, TracedArray)):
        raise WeftValueError(
            "Supplied output array must be contiguous, writable, aligned, and in machine byte-order."
        )
    if out.dtype != dtype:
        raise WeftTypeError(f"Supplied output array has the wrong type. Expected {dtype}, got {out.dtype}")
    if size is not None and tuple(shape_of_size(size)) != tuple(out.shape):
        raise WeftValueError("size must match out.shape when used together")


def parameters(values: Sequence[Any], size: Any, dtype: np.dtype[Any] | None = FLOAT64) -> tuple[Any, ...]:
    """Parameters as arrays of a dtype, and the shape of what is drawn with them; None for a single number.

    Where one of them is no scalar, they are broadcast to that shape: each number has its own.
    """
    arrays = [asarray(value) if dtype is None else cast(asarray(value), dtype) for value in values]
    if all(np.ndim(array) == 0 for array in arrays):
        return (*arrays, None if size is None else shape_of_size(size))
    if size is None:
        arrays = list(broadcast_arrays(*arrays)) if len(arrays) > 1 else arrays
        return (*arrays, arrays[0].shape)
    shape = shape_of_size(size)
    return (*(broadcast_to(array, shape) for array in arrays), shape)

"""The `size` and `out` of what draws random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialect.errors import WeftTypeError, WeftValueError
from ..tracing.array import TracedArray


def shape_of_size(size: Any) -> tuple[Any, ...]:
    """The extents that a size asks for; `ValueError` for negative ones that are known."""
    shape = tuple(size) if isinstance(size, (tuple, list)) or np.ndim(size) else (size,)
    for extent in shape:
        if not isinstance(extent, TracedArray) and extent.__index__() < 0:
            raise WeftValueError("negative dimensions are not allowed")
    return shape


def require_size(out: Any, size: Any, dtype: np.dtype[Any]) -> None:
    """Raise, as NumPy does, unless an array takes numbers of a dtype, and has the size that is asked for besides."""
    if not isinstance(out, (np.ndarray, TracedArray)):
        raise WeftTypeError(
            f"Argument 'out' has incorrect type (expected numpy.ndarray, got {type(out).__name__})"
        )
    if out.dtype != dtype:
        raise WeftTypeError(
            f"Supplied output array has wrong type. Expected {dtype.name}, got {out.dtype.name}"
        )
    if size is not None and tuple(shape_of_size(size)) != tuple(out.shape):
        raise WeftValueError("size must match out.shape when used together")


__all__ = ["require_size", "shape_of_size"]

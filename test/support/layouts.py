"""The same array in memory in many ways."""

from __future__ import annotations

import numpy as np

LAYOUTS = ("row-major", "column-major", "reversed", "strided", "columns", "unaligned", "swapped bytes")
"""How an array of two axes may lie in memory."""


def laid_out(array: np.ndarray, layout: str) -> np.ndarray:
    """A new array that can be written, with these elements, which lies in memory in a way."""
    if layout == "column-major":
        return np.array(array, order="F")
    if layout == "swapped bytes":
        return array.astype(array.dtype.newbyteorder())
    made = _room(array, layout)
    made[...] = array
    return made


def _room(array: np.ndarray, layout: str) -> np.ndarray:
    if layout == "reversed":
        return np.empty_like(array, order="C")[(slice(None, None, -1),) * array.ndim]
    if layout == "strided":
        return np.empty([2 * n for n in array.shape], array.dtype)[(slice(None, None, 2),) * array.ndim]
    if layout == "columns":
        return np.empty([n + 1 for n in array.shape], array.dtype)[(slice(None, -1),) * array.ndim]
    if layout == "unaligned":
        return np.empty(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    return np.empty_like(array, order="C")

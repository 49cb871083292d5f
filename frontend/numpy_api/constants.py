"""Arrays that nobody can write, so that what is made of them once stays right."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialect.dtypes import DTypeLike, as_dtype
from ...dialect.errors import WeftTypeError
from ...dialect.types import type_of
from ..tracing.staging import is_traced


def constant(array: Any, dtype: DTypeLike | None = None) -> np.ndarray[Any, Any]:
    """A copy of an array that nobody can write: NumPy refuses to make it writable, as its memory is a `bytes` object.

    Shape: that of the array. Dtype: `dtype`, or that of the array.
    Compiled functions that find it outside of their arguments may keep what they make of it: weights of matrix
    products and filters of convolutions are brought into the order that these read once, and not at each call.
    Raises `TypeError` for dtypes that weft does not have, and for arrays that a compiled function computes.

    >>> weights = weft.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> weights @ [1, 1]
    array([3., 7.])
    >>> weights.flags.writeable = True
    Traceback (most recent call last):
    ...
    ValueError: cannot set WRITEABLE flag to True of this array
    """
    if is_traced(array):
        raise WeftTypeError(
            "weft.constant takes an array that is known before the function runs, not one that it computes"
        )
    source = np.asarray(array) if dtype is None else np.asarray(array, as_dtype(dtype))
    type_of(source)
    native = source.dtype.newbyteorder("=")
    made: np.ndarray[Any, Any] = np.ndarray(
        source.shape, native, buffer=source.astype(native, copy=False).tobytes()
    )
    return made

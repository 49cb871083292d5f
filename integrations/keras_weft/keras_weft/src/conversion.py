"""What is an array to Keras, and how values become arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src import tree
from keras.src.backend.common import KerasVariable, standardize_dtype
from keras.src.backend.common.dtypes import result_type

import weft


def is_tensor(x: Any) -> bool:
    """Whether a value is an array: NumPy's, or one that a trace knows."""
    return isinstance(x, (np.ndarray, np.generic)) or weft.is_traced(x)


def convert_to_tensor(
    x: Any, dtype: Any = None, sparse: bool | None = None, ragged: bool | None = None
) -> Any:
    """A value as an array: the array itself where it has the dtype already."""
    for name, asked in (("sparse", sparse), ("ragged", ragged)):
        if asked:
            raise ValueError(f"`{name}=True` is not supported with weft backend")
    dtype = None if dtype is None else standardize_dtype(dtype)
    if isinstance(x, (KerasVariable, weft.Variable)):
        x = x.value
    if weft.is_traced(x):
        return x if dtype is None or dtype == standardize_dtype(x.dtype) else x.astype(dtype)
    if isinstance(x, np.ndarray) and (dtype is None or x.dtype == dtype):
        return x
    if not is_tensor(x) and dtype == "bfloat16":
        return np.asarray(x).astype(dtype)
    if dtype is None:
        dtype = result_type(*[getattr(item, "dtype", type(item)) for item in tree.flatten(x)])
    if _holds_traced(x):
        return weft.asarray(_of_arrays(x), dtype=dtype)
    made = np.array(x, dtype=dtype)
    # `total += x` on a number makes another one; an array of NumPy cannot be written with what only the run knows.
    return made[()] if made.ndim == 0 and weft.is_recording() else made


def _holds_traced(x: Any) -> bool:
    """Whether a nested list holds an array that a trace knows, or a variable."""
    if isinstance(x, (list, tuple)):
        return any(_holds_traced(item) for item in x)
    return weft.is_traced(x) or isinstance(x, KerasVariable)


def _of_arrays(x: Any) -> Any:
    """A nested list with arrays in the places of variables."""
    if isinstance(x, (list, tuple)):
        return [_of_arrays(item) for item in x]
    return x.value if isinstance(x, KerasVariable) else x


def may_be_equal(shape: Any, other: Any) -> bool:
    """Whether two shapes are equal as far as they are known while a program is recorded."""
    return len(shape) == len(other) and all(
        weft.is_traced(a) or weft.is_traced(b) or a == b for a, b in zip(shape, other, strict=True)
    )


def convert_to_numpy(x: Any) -> Any:
    """A copy of a value as an array of NumPy."""
    return np.array(x.value if isinstance(x, KerasVariable) else x)


def cast(x: Any, dtype: Any) -> Any:
    """An array of another dtype."""
    return convert_to_tensor(x, dtype=dtype)


def shape(x: Any) -> Any:
    """The extents of an array; those that only the run knows are numbers of a trace."""
    return tuple(x.shape)


__all__ = ["cast", "convert_to_numpy", "convert_to_tensor", "is_tensor", "may_be_equal", "shape"]

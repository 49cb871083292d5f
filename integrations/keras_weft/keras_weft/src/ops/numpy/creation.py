"""Arrays that are made: filled ones, ranges, windows of signals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from keras.src.backend import config
from keras.src.backend.common import standardize_dtype

import weft

from ...conversion import convert_to_tensor
from ..namespace import namespace
from ..promotion import as_dtype, result_type


def _named(dtype: Any) -> str:
    """The dtype that is asked for, or Keras's default."""
    name: str = standardize_dtype(dtype or config.floatx())
    return name


# Filled


def array(x: Any, dtype: Any = None) -> Any:
    """A value as an array."""
    return convert_to_tensor(x, dtype=dtype)


def empty(shape: Any, dtype: Any = None) -> Any:
    """An array of any numbers."""
    return namespace().empty(_extents(shape), _named(dtype))


def eye(N: Any, M: Any = None, k: int = 0, dtype: Any = None) -> Any:
    """Ones on a diagonal."""
    return namespace().eye(N, M, k=k, dtype=_named(dtype))


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """An array of one number."""
    dtype = _named(dtype)
    return namespace().full(_extents(shape), convert_to_tensor(fill_value, dtype), dtype=dtype)


def identity(n: Any, dtype: Any = None) -> Any:
    """Ones on the main diagonal."""
    return eye(n, dtype=dtype)


def ones(shape: Any, dtype: Any = None) -> Any:
    """An array of ones."""
    return namespace().ones(_extents(shape), _named(dtype))


def tri(N: Any, M: Any = None, k: int = 0, dtype: Any = None) -> Any:
    """Ones at and below a diagonal."""
    return namespace().tri(N, M, k=k, dtype=_named(dtype))


def zeros(shape: Any, dtype: Any = None) -> Any:
    """An array of zeros."""
    return namespace().zeros(_extents(shape), _named(dtype))


def _extents(shape: Any) -> Any:
    return shape if isinstance(shape, int) else tuple(shape)


def empty_like(x: Any, dtype: Any = None) -> Any:
    """An array of any numbers, of the shape of another."""
    return np.empty_like(convert_to_tensor(x), dtype=dtype)


def full_like(x: Any, fill_value: Any, dtype: Any = None) -> Any:
    """An array of one number, of the shape of another."""
    x = convert_to_tensor(x)
    return full(x.shape, fill_value, dtype or x.dtype)


def ones_like(x: Any, dtype: Any = None) -> Any:
    """An array of ones, of the shape of another."""
    return np.ones_like(convert_to_tensor(x), dtype=dtype)


def zeros_like(x: Any, dtype: Any = None) -> Any:
    """An array of zeros, of the shape of another."""
    return np.zeros_like(convert_to_tensor(x), dtype=dtype)


# Ranges


def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Any:
    """Numbers at equal distances, given by the distance."""
    given = [
        x if isinstance(x, (int, float)) else convert_to_tensor(x)
        for x in (start, stop, step)
        if x is not None
    ]
    dtype = standardize_dtype(dtype) if dtype else result_type(*[getattr(x, "dtype", type(x)) for x in given])
    if stop is None:
        start, stop = 0, start
    return namespace().arange(start, stop, 1 if step is None else step, dtype=dtype)


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: Any = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """So many numbers at equal distances."""
    start, stop, dtype = _ends(start, stop, dtype)
    return np.linspace(start, stop, num, endpoint, retstep, dtype, axis)


def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Powers of a base, whose exponents are at equal distances."""
    start, stop, dtype = _ends(start, stop, dtype)
    return np.logspace(start, stop, num, endpoint, base, dtype, axis)


def _ends(start: Any, stop: Any, dtype: Any) -> tuple[Any, Any, str]:
    """The ends of a range, and the dtype of its numbers."""
    start, stop = (x if isinstance(x, (int, float)) else convert_to_tensor(x) for x in (start, stop))
    types = [getattr(x, "dtype", type(x)) for x in (start, stop)]
    return start, stop, standardize_dtype(dtype) if dtype else result_type(*types, float)


def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    """So many numbers, each the one before times the same factor."""
    start, stop = (as_dtype(convert_to_tensor(x), "float64") for x in (start, stop))
    exponents = np.linspace(np.log10(np.abs(start)), np.log10(np.abs(stop)), num, endpoint, axis=axis)
    values = np.moveaxis(np.sign(start) * np.moveaxis(10**exponents, axis, 0), 0, axis)
    ends = np.broadcast_arrays(start, stop)
    return as_dtype(_with_ends(values, ends if endpoint else ends[:1], axis), _named(dtype))


def _with_ends(values: Any, ends: Sequence[Any], axis: int) -> Any:
    """A range whose first number, and last one, are given exactly."""
    rows = np.moveaxis(values, axis, 0)
    count = rows.shape[0]
    inner = rows[1 : max(count - len(ends) + 1, 1)]
    parts = [ends[0][None], inner, *[end[None] for end in ends[1:]]]
    return np.moveaxis(np.concatenate(parts)[:count], 0, axis)


def meshgrid(*x: Any, indexing: Any = "xy") -> Any:
    """Coordinates of the points of a grid."""
    return list(np.meshgrid(*[convert_to_tensor(axis) for axis in x], indexing=indexing))


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """Powers of numbers as columns."""
    x = convert_to_tensor(x)
    dtype = result_type(x.dtype)
    return as_dtype(np.vander(as_dtype(x, result_type(x.dtype, config.floatx())), N, increasing), dtype)


# Windows: by the distance of each number from the middle, in units of half a window


def _window(shape: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function of the length of a window, from one of the place in it, between -1 and 1."""

    def called(x: Any) -> Any:
        return as_dtype(shape(_places(x)), config.floatx())

    return called


def _places(length: Any) -> Any:
    length = length if isinstance(length, int) else as_dtype(convert_to_tensor(length), "int64")
    length = length if weft.is_traced(length) else int(length)
    steps = namespace().arange(1 - length, length, 2)
    return steps / np.maximum(length - 1, 1)


bartlett = _window(lambda place: 1 - np.abs(place))
blackman = _window(lambda place: 0.42 + 0.5 * np.cos(np.pi * place) + 0.08 * np.cos(2 * np.pi * place))
hamming = _window(lambda place: 0.54 + 0.46 * np.cos(np.pi * place))
hanning = _window(lambda place: 0.5 + 0.5 * np.cos(np.pi * place))


def kaiser(x: Any, beta: Any) -> Any:
    """A window whose numbers are of a Bessel function."""
    beta = as_dtype(convert_to_tensor(beta), "float64")
    root = np.sqrt(np.maximum(1 - np.square(_places(x)), 0))
    return as_dtype(np.i0(beta * root) / np.i0(beta), config.floatx())


__all__ = [
    "arange",
    "array",
    "bartlett",
    "blackman",
    "empty",
    "empty_like",
    "eye",
    "full",
    "full_like",
    "geomspace",
    "hamming",
    "hanning",
    "identity",
    "kaiser",
    "linspace",
    "logspace",
    "meshgrid",
    "ones",
    "ones_like",
    "tri",
    "vander",
    "zeros",
    "zeros_like",
]

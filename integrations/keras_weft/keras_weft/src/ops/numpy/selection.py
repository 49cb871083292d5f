"""Numbers by their places, order, and sets of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
from keras.src.backend.common.backend_utils import _vectorize_apply_excluded, vectorize_impl

import weft

from ...control_flow import vectorized_map
from ...conversion import convert_to_tensor
from ..namespace import namespace
from ..promotion import as_dtype, result_type

# By places


def take(x: Any, indices: Any, axis: int | None = None) -> Any:
    """The entries at indices."""
    return namespace().take(convert_to_tensor(x), convert_to_tensor(indices), axis=axis)


def take_along_axis(x: Any, indices: Any, axis: int | None = None) -> Any:
    """For each row the numbers at indices of its own."""
    return np.take_along_axis(convert_to_tensor(x), convert_to_tensor(indices), axis=axis)


def nonzero(x: Any) -> Any:
    """The places of numbers that are not zero."""
    return tuple(as_dtype(index, "int32") for index in np.nonzero(convert_to_tensor(x)))


def unravel_index(indices: Any, shape: Any) -> Any:
    """Places along each axis, from those in the flattened array."""
    indices = convert_to_tensor(indices)
    dtype = result_type(indices.dtype)
    return tuple(as_dtype(index, dtype) for index in np.unravel_index(indices, tuple(shape)))


def combine_rows(function: np.ufunc, target: Any, places: Any, rows: Any) -> Any:
    """The target, whose rows at places are combined with others: with several, where a place is named several times."""
    if function is np.add or not weft.is_traced(target):
        function.at(target, places, rows)
        return target
    places = np.ravel(places)
    rows = np.reshape(rows, (-1, *target.shape[1:]))

    def combined(index: Any, target: Any) -> Any:
        target[places[index]] = function(target[places[index]], rows[index])
        return target

    return weft.fori_loop(0, rows.shape[0], combined, target)


# By order


def argpartition(x: Any, kth: Any, axis: int | None = -1) -> Any:
    """The places of numbers, so ordered that the one at `kth` is where it belongs."""
    return as_dtype(np.argpartition(convert_to_tensor(x), kth, axis), "int32")


def argsort(x: Any, axis: int | None = -1) -> Any:
    """The places of numbers in their order."""
    return as_dtype(np.argsort(convert_to_tensor(x), axis=axis), "int32")


def sort(x: Any, axis: int | None = -1) -> Any:
    """Numbers in their order."""
    return np.sort(convert_to_tensor(x), axis=axis)


def searchsorted(sorted_sequence: Any, values: Any, side: Any = "left") -> Any:
    """Where numbers would be put in a sorted sequence."""
    sorted_sequence = convert_to_tensor(sorted_sequence)
    if sorted_sequence.ndim != 1:
        raise ValueError(
            "`searchsorted` only supports 1-D sorted sequences. You can use `keras.ops.vectorized_map` to extend it "
            f"to N-D sequences. Received: sorted_sequence.shape={sorted_sequence.shape}"
        )
    found = np.searchsorted(sorted_sequence, convert_to_tensor(values), side=side)
    length = sorted_sequence.shape[0]
    is_short = weft.is_traced(length) or length <= np.iinfo("int32").max
    return as_dtype(found, "int32" if is_short else "int64")


# Sets


def isin(x1: Any, x2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    """Which numbers of one array are in the other."""
    x1, x2 = convert_to_tensor(x1), convert_to_tensor(x2)
    return np.isin(x1, x2, assume_unique=assume_unique, invert=invert)


def unique(
    x: Any,
    sorted: bool = True,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    size: int | None = None,
    fill_value: Any = None,
) -> Any:
    """The different numbers, sorted in any case; with a size, so many of them, or others to fill the places."""
    x = convert_to_tensor(x)
    asked: dict[str, Any] = {
        "return_index": return_index,
        "return_inverse": return_inverse,
        "return_counts": return_counts,
    }
    made = np.unique(x, axis=axis, equal_nan=False, **asked)
    names = ["values", *[name for name in asked if asked[name]]]
    parts = dict(zip(names, made if len(names) > 1 else [made], strict=True))
    if size is not None:
        parts["values"] = _of_size(parts["values"], size, fill_value or 0, axis or 0)
        if return_index:
            parts["return_index"] = _of_size(parts["return_index"], size, parts["return_index"][0])
        if return_counts:
            parts["return_counts"] = _of_size(parts["return_counts"], size, 0)
    return tuple(parts.values()) if len(parts) > 1 else parts["values"]


def _of_size(x: Any, size: int, fill: Any, axis: int = 0) -> Any:
    """The first entries of an array, and others where it has fewer."""
    rows = np.moveaxis(x, axis, 0)
    missing = np.broadcast_to(convert_to_tensor(fill, x.dtype), (size, *rows.shape[1:]))
    return np.moveaxis(np.concatenate([rows, missing])[:size], 0, axis)


# Functions of numbers


def vectorize(
    pyfunc: Callable[..., Any], *, excluded: Collection[Any] | None = None, signature: str | None = None
) -> Callable[..., Any]:
    """A function of arrays from one of numbers, or of smaller arrays."""

    def called(*args: Any, **kwargs: Any) -> Any:
        function, args, kwargs = _vectorize_apply_excluded(pyfunc, set(excluded or ()), args, kwargs)
        return vectorize_impl(function, _over_rows, signature=signature)(*args, **kwargs)

    return called


def _over_rows(function: Callable[..., Any], in_axes: Sequence[int | None]) -> Callable[..., Any]:
    """A function of the rows of those arrays that have an axis for it."""

    def called(*arrays: Any) -> Any:
        def of_rows(rows: Sequence[Any]) -> Any:
            each = iter(rows)
            return function(
                *[next(each) if axis == 0 else x for x, axis in zip(arrays, in_axes, strict=True)]
            )

        return vectorized_map(of_rows, [x for x, axis in zip(arrays, in_axes, strict=True) if axis == 0])

    return called


__all__ = [
    "argpartition",
    "argsort",
    "isin",
    "nonzero",
    "searchsorted",
    "sort",
    "take",
    "take_along_axis",
    "unique",
    "unravel_index",
    "vectorize",
]

"""Quantiles, averages, correlations and counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from keras.src.backend import config

import weft

from ...conversion import convert_to_tensor
from ..namespace import namespace
from ..promotion import (
    as_dtype,
    double_of_long,
    dtype_of,
    floating,
    in_single,
    result_type,
    tensor,
    tensors,
)
from .reductions import axes_of


def average(x: Any, axis: Any = None, weights: Any = None) -> Any:
    """The mean, in which numbers have weights."""
    if weights is None:
        x = tensor(x, floating)
        return as_dtype(np.mean(in_single(x), axis=axes_of(axis)), dtype_of(x))
    x, weights = tensors(convert_to_tensor(x), convert_to_tensor(weights), rule=floating)
    made = np.average(in_single(x), axis=axes_of(axis), weights=in_single(weights))
    return as_dtype(made, dtype_of(x))


def corrcoef(x: Any) -> Any:
    """Correlations of rows."""
    x = convert_to_tensor(x)
    return as_dtype(np.corrcoef(x), double_of_long(dtype_of(x)))


def _median(function: Callable[..., Any]) -> Callable[..., Any]:
    """The number in the middle."""

    def called(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        x = convert_to_tensor(x)
        made = function(_with_fractions(x), axis=axes_of(axis), keepdims=keepdims)
        return as_dtype(made, floating(dtype_of(x)))

    return called


def _quantile(function: Callable[..., Any]) -> Callable[..., Any]:
    """The numbers at parts of a sorted array."""

    def called(x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Any:
        x, q = convert_to_tensor(x), in_single(convert_to_tensor(q))
        made = function(_with_fractions(x), q, axis=axes_of(axis), method=method, keepdims=keepdims)
        return as_dtype(made, floating(dtype_of(x)))

    return called


def _with_fractions(x: Any) -> Any:
    """An array between whose numbers there are others."""
    return in_single(tensor(x, lambda dtype: config.floatx() if dtype == "bool" else dtype))


median = _median(np.median)
nanmedian = _median(np.nanmedian)
nanpercentile = _quantile(np.nanpercentile)
nanquantile = _quantile(np.nanquantile)
percentile = _quantile(np.percentile)
quantile = _quantile(np.quantile)


# Counts


def bincount(x: Any, weights: Any = None, minlength: int = 0, sparse: bool = False) -> Any:
    """How often each number is there, or the weights of where it is; of a matrix, in each row."""
    if sparse:
        raise ValueError("Unsupported value `sparse=True` with weft backend")
    x = convert_to_tensor(x)
    weights = weights if weights is None else convert_to_tensor(weights)
    dtype = "int32" if weights is None else result_type(x.dtype, weights.dtype)
    if x.ndim == 1:
        return as_dtype(np.bincount(x, weights, minlength or 0), dtype)
    rows = x.shape[0]
    length = np.maximum(np.max(x, initial=0) + 1, minlength or 0)
    length = length if weft.is_traced(length) else int(length)
    places = x + length * namespace().arange(rows).reshape(-1, 1)
    flat = None if weights is None else np.ravel(weights)
    return as_dtype(np.bincount(np.ravel(places), flat, rows * length).reshape(rows, length), dtype)


def digitize(x: Any, bins: Any) -> Any:
    """The numbers of the bins in which numbers lie."""
    return as_dtype(np.digitize(convert_to_tensor(x), convert_to_tensor(bins)), "int32")


def histogram(x: Any, bins: Any = 10, range: Any = None) -> Any:
    """How many numbers lie in each of several bins, and the edges of them."""
    bins = bins if isinstance(bins, int) else convert_to_tensor(bins)
    return np.histogram(convert_to_tensor(x), bins, range)


__all__ = [
    "average",
    "bincount",
    "corrcoef",
    "digitize",
    "histogram",
    "median",
    "nanmedian",
    "nanpercentile",
    "nanquantile",
    "percentile",
    "quantile",
]

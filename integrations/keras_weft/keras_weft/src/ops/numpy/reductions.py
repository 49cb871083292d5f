"""Many numbers made one, or running ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from keras.src.backend.common import standardize_dtype

from ...conversion import convert_to_tensor
from ..promotion import (
    Rule,
    as_dtype,
    dtype_of,
    floating,
    floatx_of_integers,
    in_single,
    is_integer,
    number,
    single,
    wide,
)


def axes_of(axis: Any) -> Any:
    """Axes as NumPy takes them."""
    return tuple(axis) if isinstance(axis, list) else axis


def _reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    """A reduction whose result has the dtype that NumPy gives it."""

    def called(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return function(convert_to_tensor(x), axis=axes_of(axis), keepdims=keepdims)

    return called


def _summing(function: Callable[..., Any], inside: Rule, result: Rule) -> Callable[..., Any]:
    """A reduction that adds or multiplies in a dtype with room, and gives another."""

    def called(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        x = convert_to_tensor(x)
        dtype = dtype_of(x)
        made = function(x, axis=axes_of(axis), keepdims=keepdims, dtype=inside(dtype))
        return as_dtype(made, result(dtype))

    return called


def _room(dtype: str) -> str:
    """Small integers and numbers of 16 bits are added in 32."""
    return "float32" if dtype in ("bfloat16", "float16") else wide(dtype)


def _mean_of(dtype: str) -> str:
    return single(dtype) if is_integer(dtype) else dtype


def _inside_mean(dtype: str) -> str:
    return "float64" if is_integer(dtype) else _room(dtype)


all = _reduction(np.all)
amax = _reduction(np.amax)
amin = _reduction(np.amin)
any = _reduction(np.any)
nanmax = _reduction(np.nanmax)
nanmin = _reduction(np.nanmin)
ptp = _reduction(np.ptp)

mean = _summing(np.mean, _inside_mean, _mean_of)
nanmean = _summing(np.nanmean, _inside_mean, floating)
nanprod = _summing(np.nanprod, _room, wide)
nanstd = _summing(np.nanstd, single, floating)
nansum = _summing(np.nansum, _room, wide)
nanvar = _summing(np.nanvar, single, floating)
std = _summing(np.std, lambda dtype: _room(floatx_of_integers(dtype)), floatx_of_integers)
sum = _summing(np.sum, _room, wide)
var = _summing(np.var, single, floating)


def count_nonzero(x: Any, axis: Any = None) -> Any:
    """How many numbers are not zero."""
    return convert_to_tensor(np.count_nonzero(convert_to_tensor(x), axis=axes_of(axis)), "int32")


def max(x: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
    """The largest number."""
    return _extreme(np.max, x, axis, keepdims, initial)


def min(x: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
    """The smallest number."""
    return _extreme(np.min, x, axis, keepdims, initial)


def _extreme(function: Callable[..., Any], x: Any, axis: Any, keepdims: bool, initial: Any) -> Any:
    options = {} if initial is None else {"initial": initial}
    return function(convert_to_tensor(x), axis=axes_of(axis), keepdims=keepdims, **options)


def prod(x: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
    """The product of numbers."""
    x = convert_to_tensor(x)
    made = wide(dtype_of(x)) if dtype is None else standardize_dtype(dtype)
    return as_dtype(np.prod(x, axis=axes_of(axis), keepdims=keepdims, dtype=_room(made)), made)


def _running(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that gives all partial results."""

    def called(x: Any, axis: Any = None, dtype: Any = None) -> Any:
        x = convert_to_tensor(x)
        made = number(dtype_of(x) if dtype is None else standardize_dtype(dtype))
        inside = "float32" if made in ("bfloat16", "float16") else made
        return as_dtype(function(x, axis=axes_of(axis), dtype=inside), made)

    return called


cumprod = _running(np.cumprod)
cumsum = _running(np.cumsum)
nancumprod = _running(np.nancumprod)
nancumsum = _running(np.nancumsum)


# Where the largest and smallest are


def _place(function: Callable[..., Any], unwanted: float) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The place of an extreme, and the place in which NaN is passed over: -1 where there is nothing else."""

    def place(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        x = convert_to_tensor(x)
        if not is_integer(dtype_of(x)) and x.ndim:
            x = in_single(x)
            zero, tiny = np.asarray(0, x.dtype)[()], np.finfo(x.dtype).tiny
            x = np.where((x == zero) & np.signbit(x), -tiny, x)  # -0 is less than 0
        return as_dtype(function(x, axis=axes_of(axis), keepdims=keepdims), "int32")

    def place_of_numbers(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        x = convert_to_tensor(x)
        if is_integer(dtype_of(x)):
            return place(x, axis, keepdims)
        missing = np.isnan(x)
        found = function(
            np.where(missing, np.asarray(unwanted, x.dtype)[()], x), axis=axis, keepdims=keepdims
        )
        none = np.all(missing, axis=axis, keepdims=keepdims)
        return as_dtype(np.where(none, -1, found), "int32")

    return place, place_of_numbers


argmax, nanargmax = _place(np.argmax, -np.inf)
argmin, nanargmin = _place(np.argmin, np.inf)

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "axes_of",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "max",
    "mean",
    "min",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
    "prod",
    "ptp",
    "std",
    "sum",
    "var",
]

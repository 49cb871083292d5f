"""`pad`: borders around arrays, of a value or of their own elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialect.errors import UnsupportedError, WeftTypeError, WeftValueError
from ...dialect.ops import arrangement
from ..tracing.array import TracedArray
from ..tracing.element_stores import cast_element
from ..tracing.staging import ArrayLike, ArrayResult, apply, asarray, raise_where, rank_0_array
from .arguments import axis_index

_PAD_KEYWORDS = {
    "constant": {"constant_values"},
    "edge": set(),
    "empty": set(),
    "reflect": {"reflect_type"},
    "symmetric": {"reflect_type"},
    "wrap": set(),
}


def pad(array: ArrayLike, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> ArrayResult:
    """The array with a border, as `numpy.pad`: in mode constant, edge, empty, reflect, symmetric or wrap.

    Shape: every extent plus the two widths of its axis. Dtype: that of `array`. Raises `UnsupportedError` for other
    modes, `ValueError` for negative widths and for an empty axis that has nothing to repeat.

    >>> weft.pad(np.array([1, 2]), 1)
    array([0, 1, 2, 0])
    """
    x = asarray(array)
    if mode not in _PAD_KEYWORDS:
        raise UnsupportedError(
            f"mode {mode!r} of pad is not supported; the modes there are: {', '.join(_PAD_KEYWORDS)}"
        )
    unknown = set(kwargs) - _PAD_KEYWORDS[mode]
    if unknown:
        raise WeftValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    if kwargs.get("reflect_type", "even") != "even":
        raise UnsupportedError("reflect_type='odd' of pad is not supported")
    low, high = _pairs(pad_width, x.ndim, "pad_width")
    if min((*low, *high), default=0) < 0:
        raise WeftValueError("index can't contain negative values")
    if mode not in ("constant", "empty"):
        _require_elements_to_extend(x, low, high)
        return rank_0_array(apply(arrangement.Extend, x, low=low, high=high, mode=mode))
    values = kwargs.get("constant_values", 0)
    if isinstance(values, TracedArray) or np.ndim(values) == 0:
        return rank_0_array(
            apply(arrangement.Pad, x, cast_element(asarray(values)[()], x.dtype), low=low, high=high)
        )
    before, after = _value_pairs(values, x.ndim)
    for axis in range(x.ndim):
        for widths, value, at_front in ((low, before[axis], True), (high, after[axis], False)):
            one = tuple(widths[axis] if a == axis else 0 for a in range(x.ndim))
            zeros = (0,) * x.ndim
            fill = cast_element(asarray(value)[()], x.dtype)
            x = asarray(
                apply(
                    arrangement.Pad, x, fill, low=one if at_front else zeros, high=zeros if at_front else one
                )
            )
    return x


def _require_elements_to_extend(x: ArrayResult, low: tuple[int, ...], high: tuple[int, ...]) -> None:
    """What a border repeats must be there: checked at run time where the extent is not known before."""
    for axis, extent in enumerate(x.shape):
        if isinstance(extent, TracedArray) and (low[axis] or high[axis]):
            message = f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
            raise_where(np.equal(extent, 0), WeftValueError, message)


def _pairs(width: Any, rank: int, what: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Widths before and behind every axis from the forms that NumPy takes: n, (a, b), ((a, b), ...), {axis: ...}."""
    if isinstance(width, dict):
        entries = [(0, 0)] * rank
        for axis, entry in width.items():
            entries[axis_index(axis, rank)] = tuple(entry) if np.ndim(entry) else (entry, entry)
        width = entries
    array = np.asarray(width)
    if array.dtype.kind not in "iu":
        raise WeftTypeError(f"`{what}` must be of integral type.")
    both = np.broadcast_to(array, (rank, 2))
    return tuple(int(n) for n in both[:, 0]), tuple(int(n) for n in both[:, 1])


def _value_pairs(values: Any, rank: int) -> tuple[list[Any], list[Any]]:
    both = np.broadcast_to(np.asarray(values), (rank, 2))
    return list(both[:, 0]), list(both[:, 1])

"""Pooling: what is seen through a window that slides over images (N,H,W,C).

`padding` is top, bottom, left, right and smaller than the window, so that every window sees a part of the
image; what lies outside does not count, neither for the largest element nor in the mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dtypes import kind
from ..errors import WeftValueError
from ..op import (
    Array,
    Attributes,
    Case,
    Cost,
    ExtentSource,
    Ints,
    Operand,
    ShapedOp,
    TensorType,
    require_kind,
)
from .contraction import padded, slid_shape, windows
from .reductions import widened

_CASES = (
    Case(((2, 4, 6, 3),), {"window": (2, 2), "strides": (2, 2), "padding": (0, 0, 0, 0)}),
    Case(((1, 5, 5, 2),), {"window": (3, 2), "strides": (1, 2), "padding": (1, 2, 0, 1)}),
    Case(((1, 3, 3, 1),), {"window": (1, 1), "strides": (2, 1), "padding": (0, 0, 0, 0)}),
)


def lowest(dtype: np.dtype[Any]) -> Any:
    """The value below all others of a real dtype: minus infinity where there is one."""
    if kind(dtype) == "f":
        return -np.inf
    return False if kind(dtype) == "b" else int(np.iinfo(dtype).min)


class Pooling(ShapedOp, family="pooling", cost=Cost.SLOW):
    """Base of the pooling ops."""

    x: Operand
    window: Ints
    strides: Ints
    padding: Ints
    cases = _CASES

    @classmethod
    def infer(
        cls, x: TensorType, window: tuple[int, ...], strides: tuple[int, ...], padding: tuple[int, ...]
    ) -> TensorType:
        what = cls.mlir_name()
        require_kind(what, x, cls.dtypes)
        if len(window) != 2:
            raise WeftValueError(f"{what}: window takes 2 numbers, not {window}")
        slid = slid_shape(what, x, (window[0], window[1]), strides, padding)
        if max(padding[:2]) >= window[0] or max(padding[2:]) >= window[1]:
            raise WeftValueError(f"{what}: padding {padding} must be smaller than the window {window}")
        return x.with_shape((x.shape[0], *slid, x.shape[3]))

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        return (0, axis) if axis in (0, 3) else None


class MaxPool2d(Pooling, name="max_pool2d"):
    """Largest element in every window; NaN if there is one."""

    dtypes = "biuf"

    @staticmethod
    def evaluate(
        x: Array, window: tuple[int, ...], strides: tuple[int, ...], padding: tuple[int, ...]
    ) -> Array:
        slid = windows(padded(x, padding, lowest(x.dtype)), window, strides)
        return np.asarray(np.max(slid, axis=(4, 5)))


class AvgPool2d(Pooling, name="avg_pool2d"):
    """Mean of the elements of the image in every window."""

    dtypes = "f"

    @staticmethod
    def evaluate(
        x: Array, window: tuple[int, ...], strides: tuple[int, ...], padding: tuple[int, ...]
    ) -> Array:
        wide = widened(x)
        inside = np.ones((1, *x.shape[1:3], 1), wide.dtype)
        totals, counts = (
            np.sum(windows(padded(image, padding, 0), window, strides), axis=(4, 5))
            for image in (wide, inside)
        )
        return np.asarray(totals / counts).astype(x.dtype)

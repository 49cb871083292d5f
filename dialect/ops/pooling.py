"""Pooling: what is seen through a window that slides over images (N,H,W,C).

`padding` is top, bottom, left, right and smaller than the window, so that every window sees a part of the
image; what lies outside does not count, neither for the largest element nor in the mean.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..convolution_rules import known_extent, padded_image, parts_of_windows, spread
from ..dtypes import kind
from ..emitter import Emitter, Tensor
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
    def parts(
        cls, b: Emitter, y: Tensor, window: tuple[int, ...], strides: tuple[int, ...]
    ) -> list[dict[str, tuple[int, ...]]]:
        """For every place in the window the bounds of what all windows have there, of a padded image."""
        return list(parts_of_windows(window, strides, (known_extent(y, 1), known_extent(y, 2))))

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

    @classmethod
    def shares(
        cls,
        b: Emitter,
        x: Tensor,
        y: Tensor,
        parts: list[dict[str, tuple[int, ...]]],
        padding: tuple[int, ...],
    ) -> tuple[list[Tensor], Tensor]:
        """For every place in the window whether the largest element is there, and how many of them there are."""
        image = padded_image(b, x, padding, float(lowest(x.dtype)))
        hits = [b.slice(image, **part).equals(y) for part in parts]
        counts = [b.converted(hit, x.dtype) for hit in hits]
        return hits, functools.reduce(operator.add, counts)

    @classmethod
    def vjp(
        cls,
        b: Emitter,
        g: Tensor,
        x: Tensor,
        y: Tensor,
        window: tuple[int, ...],
        strides: tuple[int, ...],
        padding: tuple[int, ...],
    ) -> Tensor:
        """To the largest elements; several in a window share."""
        parts = cls.parts(b, y, window, strides)
        hits, count = cls.shares(b, x, y, parts, padding)
        share = g / count
        return spread(b, x, parts, [b.select(hit, share, 0) for hit in hits], padding)

    @classmethod
    def jvp(
        cls,
        b: Emitter,
        t: Tensor,
        x: Tensor,
        y: Tensor,
        window: tuple[int, ...],
        strides: tuple[int, ...],
        padding: tuple[int, ...],
    ) -> Tensor:
        """The mean of the tangents of the largest elements."""
        parts = cls.parts(b, y, window, strides)
        hits, count = cls.shares(b, x, y, parts, padding)
        tangent = padded_image(b, t, padding, 0)
        moved = [b.select(hit, b.slice(tangent, **part), 0) for hit, part in zip(hits, parts, strict=True)]
        total: Tensor = functools.reduce(operator.add, moved)
        return total / count

    @staticmethod
    def evaluate(
        x: Array, window: tuple[int, ...], strides: tuple[int, ...], padding: tuple[int, ...]
    ) -> Array:
        slid = windows(padded(x, padding, lowest(x.dtype)), window, strides)
        return np.asarray(np.max(slid, axis=(4, 5)))


class AvgPool2d(Pooling, name="avg_pool2d"):
    """Mean of the elements of the image in every window."""

    dtypes = "f"
    linear = ("x",)

    @classmethod
    def transpose(
        cls,
        b: Emitter,
        g: Tensor,
        x: Tensor,
        window: tuple[int, ...],
        strides: tuple[int, ...],
        padding: tuple[int, ...],
    ) -> Tensor:
        """The same for all elements of a window."""
        parts = cls.parts(b, g, window, strides)
        inside = padded_image(b, b.full([1, b.extent(x, 1), b.extent(x, 2), 1], 1, x.dtype), padding, 0)
        count = functools.reduce(operator.add, [b.slice(inside, **part) for part in parts])
        return spread(b, x, parts, [g / count] * len(parts), padding)

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

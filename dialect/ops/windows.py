"""Reductions of windows, which slide over all axes of an array: pooling, and running sums of a length.

`padding` is what lies before each axis and behind it; negative numbers cut. It does not count: it loses against every
element, adds nothing to a sum, and is not among the elements of a mean.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..batching import windowed
from ..emitter import Emitter, Tensor
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
from ..sliding import Slide, require_numbers, slid_shape, slides_of, windows_of
from ..window_rules import part_of, parts_of_windows, spread, surrounded
from .reductions import extremum_of_nothing, widened


def _case(shape: tuple[int, ...], window: tuple[int, ...], **how: tuple[int, ...]) -> Case:
    """A case, with ones and zeros for what is left out."""
    ones = (1,) * len(shape)
    around = {"strides": ones, "padding": (0, 0) * len(shape), "dilations": ones}
    return Case((shape,), {"window": window, **around, **how})


class WindowReduction(ShapedOp, family="windows", cost=Cost.SLOW):
    """Base of the reductions of windows."""

    x: Operand
    window: Ints
    strides: Ints
    padding: Ints
    dilations: Ints
    batching = windowed
    cases = (
        _case((2, 4, 6, 3), (1, 2, 2, 1), strides=(1, 2, 2, 1)),
        _case((1, 5, 5, 2), (1, 3, 2, 1), strides=(1, 1, 2, 1), padding=(0, 0, 1, 2, 0, 1, 0, 0)),
        _case((1, 3, 3, 1), (1, 1, 1, 1), strides=(1, 2, 1, 1)),
        _case((7,), (3,), padding=(2, -1), dilations=(2,)),
        _case((3, 5), (2, 3), strides=(1, 2), dilations=(1, 2), padding=(0, 0, 0, 1)),
        _case((), ()),
    )

    @staticmethod
    def slides(attributes: Attributes) -> list[Slide]:
        """How the window moves along each axis."""
        return slides_of(*(attributes[name] for name in ("window", "strides", "padding", "dilations")))

    @classmethod
    def infer(
        cls,
        x: TensorType,
        window: tuple[int, ...],
        strides: tuple[int, ...],
        padding: tuple[int, ...],
        dilations: tuple[int, ...],
    ) -> TensorType:
        what = cls.mlir_name()
        require_kind(what, x, cls.dtypes)
        require_numbers(what, x.rank, window=window, strides=strides, padding=padding, dilations=dilations)
        return x.with_shape(slid_shape(what, x, 0, slides_of(window, strides, padding, dilations)))

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        slide = WindowReduction.slides(attributes)[axis]
        return (0, axis) if slide == Slide(1, 1, 0, 0, slide.dilation) else None


class _Extremum(WindowReduction):
    """Base of the largest and the smallest element."""

    dtypes = "biuf"
    smallest = False

    @classmethod
    def outside(cls, dtype: np.dtype[Any]) -> Any:
        """What loses against every element."""
        return extremum_of_nothing(dtype, smallest=cls.smallest)

    @classmethod
    def _places(cls, b: Emitter, x: Tensor, y: Tensor, slides: list[Slide]) -> tuple[list[Any], list[Tensor]]:
        """For every place in the window whether what was chosen is there; of equal elements that is the first."""
        image = surrounded(b, x, slides, float(cls.outside(x.dtype)))
        parts = list(parts_of_windows(slides, b.extents(y)))
        found: list[Tensor] = []
        before: Tensor | None = None
        for part in parts:
            seen = part_of(b, image, part)
            # Not "equal": where there is a NaN, the first element of the window has the derivative.
            hit = b.logical_not(seen > y if cls.smallest else seen < y)
            found.append(hit if before is None else hit & b.logical_not(before))
            before = hit if before is None else before | hit
        return parts, found

    @classmethod
    def vjp(cls, b: Emitter, g: Tensor, x: Tensor, y: Tensor, **how: tuple[int, ...]) -> Tensor:
        """To the first of the largest elements, in the order of the axes."""
        slides = cls.slides(how)
        parts, hits = cls._places(b, x, y, slides)
        return spread(b, x, slides, parts, [b.select(hit, g, 0) for hit in hits])

    @classmethod
    def jvp(cls, b: Emitter, t: Tensor, x: Tensor, y: Tensor, **how: tuple[int, ...]) -> Tensor:
        """The tangent of the first of the largest elements."""
        slides = cls.slides(how)
        parts, hits = cls._places(b, x, y, slides)
        tangent = surrounded(b, t, slides, 0)
        moved = [b.select(hit, part_of(b, tangent, part), 0) for hit, part in zip(hits, parts, strict=True)]
        total: Tensor = functools.reduce(operator.add, moved)
        return total

    @classmethod
    def evaluate(cls, x: Array, **how: tuple[int, ...]) -> Array:
        seen = windows_of(x, 0, cls.slides(how), cls.outside(x.dtype))
        reduced = np.min if cls.smallest else np.max
        return np.asarray(reduced(seen, axis=tuple(range(x.ndim, 2 * x.ndim))))


class WindowMax(_Extremum, name="window_max"):
    """Largest element in every window; NaN if there is one. Several share nothing: the first has the derivative."""


class WindowMin(_Extremum, name="window_min"):
    """Smallest element in every window; NaN if there is one. Several share nothing: the first has the derivative."""

    smallest = True


def _sums_back(b: Emitter, g: Tensor, x: Tensor, how: dict[str, tuple[int, ...]]) -> Tensor:
    """The sum of the cotangents of the windows that see an element."""
    slides = WindowReduction.slides(how)
    if all(slide.stride == 1 for slide in slides):
        around = [side for s in slides for side in (s.reach - s.low, s.reach - s.high)]
        found: Tensor = b.window_sum(g, **{**how, "padding": tuple(around)})
        return b.refined(found, x.type)
    parts = list(parts_of_windows(slides, b.extents(g)))
    return spread(b, x, slides, parts, [g] * len(parts))


class WindowSum(WindowReduction, name="window_sum"):
    """Sum of the elements in every window, of their dtype."""

    dtypes = "iufc"
    linear = ("x",)

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor, **how: tuple[int, ...]) -> Tensor:
        """The same for all elements of a window."""
        return _sums_back(b, g, x, how)

    @classmethod
    def evaluate(cls, x: Array, **how: tuple[int, ...]) -> Array:
        seen = windows_of(widened(x), 0, cls.slides(how), 0)
        return np.asarray(np.sum(seen, axis=tuple(range(x.ndim, 2 * x.ndim)))).astype(x.dtype)


class WindowMean(WindowReduction, name="window_mean"):
    """Mean of the elements in every window; NaN where there are none."""

    dtypes = "fc"
    linear = ("x",)

    @classmethod
    def transpose(cls, b: Emitter, g: Tensor, x: Tensor, **how: tuple[int, ...]) -> Tensor:
        """The same for all elements of a window."""
        ones = [1 if slide == Slide(1, 1, 0, 0, slide.dilation) else None for slide in cls.slides(how)]
        extents = [b.extent(x, axis) if one is None else one for axis, one in enumerate(ones)]
        inside = b.full(extents, 1, x.dtype)
        return _sums_back(b, g / b.window_sum(inside, **how), x, how)

    @classmethod
    def evaluate(cls, x: Array, **how: tuple[int, ...]) -> Array:
        wide = widened(x)
        axes = tuple(range(x.ndim, 2 * x.ndim))
        inside = np.ones(x.shape, bool)
        totals, counts = (
            np.sum(windows_of(each, 0, cls.slides(how), 0), axis=axes) for each in (wide, inside)
        )
        return np.asarray(totals / counts).astype(x.dtype)

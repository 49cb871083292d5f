"""Convolutions: a kernel slides over the axes between the batch and the channels of an array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..batching import convolved
from ..errors import WeftValueError
from ..op import (
    Array,
    Attributes,
    Case,
    Cost,
    ExtentSource,
    Int,
    Ints,
    Operand,
    ShapedOp,
    TensorType,
    same_dtype,
)
from ..sliding import Slide, require_numbers, slid_shape, slides_of, windows_of
from ..types import compatible_shapes
from ..window_rules import kernel_cotangent, x_cotangent
from .reductions import widened


def _case(
    x: tuple[int, ...],
    kernel: tuple[int, ...],
    *,
    strides: tuple[int, ...] = (),
    padding: tuple[int, ...] = (),
    dilations: tuple[int, ...] = (),
    input_dilations: tuple[int, ...] = (),
    groups: int = 1,
) -> Case:
    """A case, with ones and zeros for what is left out."""
    ones = (1,) * (len(x) - 2)
    attributes = {
        "strides": strides or ones,
        "padding": padding or (0, 0) * len(ones),
        "dilations": dilations or ones,
        "input_dilations": input_dilations or ones,
        "groups": groups,
    }
    return Case((x, kernel), attributes)


class Conv(ShapedOp, name="conv", family="contraction", cost=Cost.SLOW):
    """Cross-correlation of arrays (N,...,C) with kernels (...,C/groups,F), over any number of axes in between.

    `padding` is what surrounds each of these axes, before and behind, zeros; negative numbers cut. The elements of
    a kernel are `dilations` apart, those of the array `input_dilations`, with zeros in between, which are not
    multiplied: that is a transposed convolution. With groups, the first F/groups kernels see the first C/groups
    channels, and so on.
    """

    x: Operand
    kernel: Operand
    strides: Ints
    padding: Ints
    dilations: Ints
    input_dilations: Ints
    groups: Int
    batching = convolved
    cases = (
        _case((2, 5, 6, 3), (3, 2, 3, 4)),
        _case((1, 5, 6, 2), (3, 3, 2, 3), strides=(2, 1), padding=(1, 0, 2, 1)),
        _case((1, 7, 7, 1), (3, 2, 1, 2), strides=(1, 2), padding=(1, 1, 0, 0), dilations=(2, 3)),
        _case((1, 4, 4, 3), (1, 1, 3, 2)),
        _case((2, 5, 6, 4), (3, 2, 2, 6), groups=2),
        _case((1, 5, 6, 3), (3, 3, 1, 3), strides=(2, 1), padding=(1, 0, 2, 1), groups=3),
        _case((2, 7, 2), (3, 2, 3), strides=(2,), padding=(2, -1)),
        _case((1, 4, 3, 5, 2), (2, 1, 3, 2, 3), padding=(0, 1, 0, 0, 1, 1)),
        _case((2, 4, 2), (3, 2, 3), padding=(2, 2), input_dilations=(2,)),
        _case(
            (1, 3, 2, 4),
            (4, 3, 2, 2),
            padding=(1, 3, 2, 2),
            input_dilations=(3, 2),
            dilations=(1, 2),
            groups=2,
        ),
        _case((1, 5, 1), (4, 1, 2), strides=(2,), padding=(1, 2), input_dilations=(3,)),
        _case((2, 5, 3), (2, 1, 3), strides=(2,), padding=(1, -1), groups=3),
        _case((2, 4, 2), (3, 1, 4), padding=(2, 1), groups=2),
        _case((3, 2), (2, 4)),
    )
    linear = ("x", "kernel")
    multilinear = True
    transpose_x = staticmethod(x_cotangent)
    transpose_kernel = staticmethod(kernel_cotangent)

    @staticmethod
    def infer(
        x: TensorType,
        kernel: TensorType,
        strides: tuple[int, ...],
        padding: tuple[int, ...],
        dilations: tuple[int, ...],
        input_dilations: tuple[int, ...],
        groups: int,
    ) -> TensorType:
        what = "weft.conv"
        dtype = same_dtype(what, x, kernel)
        if x.rank < 2 or kernel.rank != x.rank:
            raise WeftValueError(
                f"{what} takes an array (batch, ..., channels) and a kernel (..., channels of a group, results) with "
                f"as many axes, not {x} and {kernel}"
            )
        *window, channels, results = kernel.shape
        require_numbers(
            what,
            len(window),
            strides=strides,
            padding=padding,
            dilations=dilations,
            input_dilations=input_dilations,
        )
        slid = slid_shape(what, x, 1, slides_of(window, strides, padding, dilations, input_dilations))
        if groups < 1 or (results is not None and results % groups):
            raise WeftValueError(f"{what}: a kernel {kernel} does not make {groups} groups of equal size")
        wanted = None if channels is None else groups * channels
        if not compatible_shapes(x.shape[-1:], (wanted,)):
            text = f"a kernel {kernel}" if groups == 1 else f"{groups} groups of a kernel {kernel}"
            raise WeftValueError(f"{what}: {x} has {x.shape[-1]} channels, {text} {wanted}")
        return TensorType((x.shape[0], *slid, results), dtype)

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        return {0: (0, 0), types[0].rank - 1: (1, types[1].rank - 1)}.get(axis)

    @staticmethod
    def slides(window: Sequence[int | None], attributes: Attributes) -> list[Slide]:
        """How a kernel of some extents moves along each axis."""
        names = ("strides", "padding", "dilations", "input_dilations")
        return slides_of(window, *(attributes[name] for name in names))

    @classmethod
    def evaluate(cls, x: Array, kernel: Array, groups: int, **how: Any) -> Array:
        rank = x.ndim - 2
        seen = windows_of(widened(x), 1, cls.slides(kernel.shape[:rank], how), 0)
        axes = (*range(rank + 2, 2 * rank + 2), rank + 1), tuple(range(rank + 1))
        pairs = zip(
            np.split(seen, groups, axis=rank + 1),
            np.split(widened(kernel), groups, axis=rank + 1),
            strict=True,
        )
        parts = [np.tensordot(some, own, axes=axes) for some, own in pairs]
        return np.concatenate(parts, axis=-1).astype(x.dtype)

"""Ops that make tensors from nothing: constants and ranges.

Fills, identity matrices and evenly spaced numbers are made of these and `broadcast_to`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import is_half, kind
from ..emitter import Emitter, Tensor
from ..errors import WeftTypeError, WeftValueError
from ..op import (
    Array,
    Case,
    Cost,
    DType,
    Effect,
    Elements,
    Ints,
    Operand,
    Operands,
    SafeOp,
    ShapedOp,
    TensorType,
    no_source,
    require_kind,
    same_dtype,
)
from ..types import type_of
from .shape import concrete_shape, given_extent, target_shape


class Constant(SafeOp, name="constant", family="creation", cost=Cost.FREE):
    """A tensor known at compile time."""

    value: Elements
    extent_source = staticmethod(no_source)

    @staticmethod
    def infer(value: Array) -> TensorType:
        return type_of(value)

    @staticmethod
    def evaluate(value: Array) -> Array:
        return value


class Empty(ShapedOp, name="empty", family="creation", cost=Cost.FREE):
    """A tensor whose elements nobody reads before they are written; -1 entries are taken from `dims`.

    Two of them are never one, since each is written in place. The reference fills it with NaN, or with the least
    integer, so that a wrong read shows.
    """

    dims: Operands
    shape: Ints
    dtype: DType
    effects = (Effect.ALLOCATE,)
    recorded = False
    extent_source = staticmethod(given_extent)

    @staticmethod
    def infer(dims: tuple[TensorType, ...], shape: tuple[int, ...], dtype: np.dtype[Any]) -> TensorType:
        return TensorType(target_shape("weft.empty", shape, dims), dtype)

    @staticmethod
    def evaluate(dims: tuple[Array, ...], shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        unwritten = np.nan if kind(dtype) in "fc" else np.iinfo(dtype).min if kind(dtype) in "iu" else False
        return np.full(concrete_shape(shape, dims), unwritten, dtype)


class Arange(ShapedOp, name="arange", family="creation", cost=Cost.CHEAP):
    """The numbers start + i * step for i from 0 up to the extent in `shape` (-1: taken from `dims`).

    Start and step are scalars of the result's dtype, in which the numbers are computed (float16 and bfloat16:
    in float32, rounded once), as `numpy.arange` fills its result.
    """

    start: Operand
    step: Operand
    dims: Operands
    shape: Ints
    operand_pattern = (None, None)
    dtypes = "iufc"
    cases = (
        Case(((), ()), {"shape": (7,)}),
        Case(((), ()), {"shape": (0,)}),
        Case(((), ()), {"shape": (1,)}),
    )
    linear = ("start", "step")
    extent_source = staticmethod(given_extent)

    @staticmethod
    def transpose_start(
        b: Emitter, g: Tensor, start: Tensor, step: Tensor, dims: tuple[Tensor, ...], shape: tuple[int, ...]
    ) -> Tensor:
        """The start is in every number."""
        found: Tensor = b.sum(g, axes=(0,), keepdims=False)
        return found

    @staticmethod
    def transpose_step(
        b: Emitter, g: Tensor, start: Tensor, step: Tensor, dims: tuple[Tensor, ...], shape: tuple[int, ...]
    ) -> Tensor:
        """The step is in every number as often as its place says."""
        places = b.converted(b.iota(b.extent(g, 0)), g.dtype)
        found: Tensor = b.sum(g * places, axes=(0,), keepdims=False)
        return found

    @staticmethod
    def infer(
        start: TensorType, step: TensorType, dims: tuple[TensorType, ...], shape: tuple[int, ...]
    ) -> TensorType:
        dtype = same_dtype("weft.arange", start, step)
        require_kind("weft.arange", start, "iufc")
        if start.rank or step.rank:
            raise WeftTypeError(f"weft.arange takes scalars, not {start} and {step}")
        if len(shape) != 1:
            raise WeftValueError(f"weft.arange makes one axis, not shape {shape}")
        return TensorType(target_shape("weft.arange", shape, dims), dtype)

    @staticmethod
    def evaluate(start: Array, step: Array, dims: tuple[Array, ...], shape: tuple[int, ...]) -> Array:
        dtype = start.dtype
        wide = np.dtype(np.float32) if is_half(dtype) else dtype
        steps = np.arange(concrete_shape(shape, dims)[0]).astype(wide)
        numbers: Array = start.astype(wide) + steps * step.astype(wide)
        return numbers.astype(dtype)

"""Reductions over axes."""

from __future__ import annotations

import numpy as np

from ..op import Array, Bool, Case, Ints, Op, Operand, TensorType
from ..types import normalize_axis


def reduced_shape(shape: tuple[int | None, ...], axes: tuple[int, ...], keepdims: bool) -> tuple[int | None, ...]:
    """The shape after reducing the axes; kept axes have extent 1."""
    reduced = {normalize_axis(axis, len(shape)) for axis in axes}
    if keepdims:
        return tuple(1 if axis in reduced else extent for axis, extent in enumerate(shape))
    return tuple(extent for axis, extent in enumerate(shape) if axis not in reduced)


class Sum(Op, name="sum", family="reductions"):
    """Sum over axes, in the operand's dtype (widened internally for floats narrower than 64 bits)."""

    x: Operand
    axes: Ints
    keepdims: Bool
    dtypes = "iufc"
    cases = (
        Case(((3, 4),), {"axes": (0, 1), "keepdims": False}),
        Case(((3, 4),), {"axes": (0,), "keepdims": True}),
        Case(((3, 4),), {"axes": (1,), "keepdims": False}),
        Case(((0, 4),), {"axes": (0,), "keepdims": False}),
        Case(((),), {"axes": (), "keepdims": False}),
    )

    @staticmethod
    def infer(x: TensorType, axes: tuple[int, ...], keepdims: bool) -> TensorType:
        return x.with_shape(reduced_shape(x.shape, axes, keepdims))

    @staticmethod
    def evaluate(x: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
        return np.sum(x, axis=axes, dtype=x.dtype, keepdims=keepdims)

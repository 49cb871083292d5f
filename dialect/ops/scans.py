"""Scans: reductions that keep every partial result along an axis."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..batching import along
from ..derivatives import Part
from ..emitter import INT64, Emitter, Tensor
from ..op import Array, Case, Cost, Int, Operand, ShapedOp, TensorType, axis_of, require_kind
from ..types import normalize_axis
from .indexing import TakeAlongAxis


class Scan(ShapedOp, family="scans", cost=Cost.CHEAP):
    """Base of the scans, which go along the axis one element after the other, rounding as NumPy does."""

    x: Operand
    axis: Int
    cases = (
        Case(((7,),), {"axis": 0}),
        Case(((3, 4),), {"axis": 0}),
        Case(((3, 4),), {"axis": -1}),
        Case(((2, 3, 4),), {"axis": 1}),
        Case(((2, 0),), {"axis": 1}),
        Case(((0, 2),), {"axis": 1}),
    )
    ufunc: ClassVar[np.ufunc]
    batching = along("axis")
    extent_source = axis_of(0)

    @classmethod
    def infer(cls, x: TensorType, axis: int) -> TensorType:
        require_kind(cls.mlir_name(), x, cls.dtypes)
        normalize_axis(axis, x.rank)
        return x

    @classmethod
    def evaluate(cls, x: Array, axis: int) -> Array:
        return np.asarray(cls.ufunc.accumulate(x, axis=axis, dtype=x.dtype))


def from_end(b: Emitter, g: Tensor, axis: int) -> Tensor:
    """The running sum from the end of an axis."""
    return b.flip(b.cumulative_sum(b.flip(g, axis), axis=axis), axis)


def latest_extreme(b: Emitter, x: Tensor, y: Tensor, axis: int) -> Tensor:
    """Where the extreme element so far stands: of equal ones the latest."""
    places = b.positions(x, axis)
    found: Tensor = b.cumulative_max(b.select(x.equals(y), places, 0), axis=axis)
    return found


def extreme_vjp(b: Emitter, g: Tensor, x: Tensor, y: Tensor, axis: int) -> Part:
    """To the elements that were the extreme ones."""
    axis = normalize_axis(axis, x.rank)
    found: Part = TakeAlongAxis.transpose(b, g, x, latest_extreme(b, x, y, axis), axis)
    return found


def extreme_jvp(b: Emitter, t: Tensor, x: Tensor, y: Tensor, axis: int) -> Tensor:
    """The tangents of the elements that were the extreme ones."""
    axis = normalize_axis(axis, x.rank)
    found: Tensor = b.take_along_axis(t, latest_extreme(b, x, y, axis), axis=axis)
    return found


class CumulativeSum(Scan, name="cumulative_sum"):
    """Running sum along an axis, in the operand's dtype."""

    dtypes = "iufc"
    ufunc = np.add
    linear = ("x",)

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor, axis: int) -> Tensor:
        """The running sum from the end."""
        return from_end(b, g, normalize_axis(axis, x.rank))


class CumulativeProd(Scan, name="cumulative_prod"):
    """Running product along an axis, in the operand's dtype."""

    dtypes = "iufc"
    ufunc = np.multiply

    @staticmethod
    def zeros_of(b: Emitter, x: Tensor, axis: int) -> tuple[Tensor, Tensor, Tensor]:
        """Which elements are zero, which is the first of them, and the running product without that one."""
        zero = x.equals(0)
        number = b.cumulative_sum(b.converted(zero, INT64), axis=axis)
        first = zero & number.equals(1)
        return zero, first, b.cumulative_prod(b.select(first, 1, x), axis=axis)

    @classmethod
    def vjp(cls, b: Emitter, g: Tensor, x: Tensor, y: Tensor, axis: int) -> Tensor:
        """Through all products that an element is in: it is divided out, the first zero left out."""
        axis = normalize_axis(axis, x.rank)
        zero, first, without = cls.zeros_of(b, x, axis)
        divided = from_end(b, g * b.conj(y), axis) / b.conj(b.select(zero, 1, x))
        found: Tensor = b.select(zero, b.select(first, from_end(b, g * b.conj(without), axis), 0), divided)
        return found

    @classmethod
    def jvp(cls, b: Emitter, t: Tensor, x: Tensor, y: Tensor, axis: int) -> Tensor:
        """The elements so far, one after the other exchanged for its tangent."""
        zero, first, without = cls.zeros_of(b, x, axis)
        relative = b.select(zero, 0, t / b.select(zero, 1, x))
        at_zero = b.cumulative_sum(b.select(first, t, 0), axis=axis)
        found: Tensor = b.cumulative_sum(relative, axis=axis) * y + at_zero * without
        return found


class CumulativeMax(Scan, name="cumulative_max"):
    """Largest element so far along an axis; NaN from the first NaN on."""

    dtypes = "biufc"
    ufunc = np.maximum
    vjp = staticmethod(extreme_vjp)
    jvp = staticmethod(extreme_jvp)


class CumulativeMin(Scan, name="cumulative_min"):
    """Smallest element so far along an axis; NaN from the first NaN on."""

    dtypes = "biufc"
    ufunc = np.minimum
    vjp = staticmethod(extreme_vjp)
    jvp = staticmethod(extreme_jvp)

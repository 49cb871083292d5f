"""Scans: reductions that keep every partial result along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ..op import Array, Attributes, Case, Cost, ExtentSource, Int, Operand, ShapedOp, TensorType, require_kind
from ..types import normalize_axis


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

    @classmethod
    def infer(cls, x: TensorType, axis: int) -> TensorType:
        require_kind(cls.mlir_name(), x, cls.dtypes)
        normalize_axis(axis, x.rank)
        return x

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        return 0, axis

    @classmethod
    def evaluate(cls, x: Array, axis: int) -> Array:
        return np.asarray(cls.ufunc.accumulate(x, axis=axis, dtype=x.dtype))


class CumulativeSum(Scan, name="cumulative_sum"):
    """Running sum along an axis, in the operand's dtype."""

    dtypes = "iufc"
    ufunc = np.add


class CumulativeProd(Scan, name="cumulative_prod"):
    """Running product along an axis, in the operand's dtype."""

    dtypes = "iufc"
    ufunc = np.multiply


class CumulativeMax(Scan, name="cumulative_max"):
    """Largest element so far along an axis; NaN from the first NaN on."""

    dtypes = "biufc"
    ufunc = np.maximum


class CumulativeMin(Scan, name="cumulative_min"):
    """Smallest element so far along an axis; NaN from the first NaN on."""

    dtypes = "biufc"
    ufunc = np.minimum

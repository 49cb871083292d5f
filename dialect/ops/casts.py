"""Conversions between element types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..dtypes import ALL_DTYPES
from ..op import Array, Case, DType, Op, Operand, TensorType


class Cast(Op, name="cast", family="casts"):
    """Convert every element to another dtype, as `ndarray.astype`.

    Integers wrap, floats round to nearest even, complex to real drops the imaginary part. A float that does not
    fit an integer gives what x86-64 gives NumPy: the smallest value of the widest integer, wrapped.
    """

    x: Operand
    dtype: DType
    cases = tuple(Case(((3, 4),), {"dtype": dtype}) for dtype in ALL_DTYPES)

    @staticmethod
    def infer(x: TensorType, dtype: DType) -> TensorType:
        return x.with_dtype(dtype)

    @staticmethod
    def evaluate(x: Array, dtype: DType) -> Array:
        return x.astype(dtype)

    @classmethod
    def operand_dtypes(cls) -> Iterator[tuple[np.dtype[Any], ...]]:
        """Every dtype."""
        return iter([(dtype,) for dtype in ALL_DTYPES])

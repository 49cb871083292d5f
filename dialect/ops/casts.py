"""Conversions between element types."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import all_dtypes, element_type, is_bfloat16, kind
from ..emitter import Emitter, Tensor
from ..errors import WeftTypeError
from ..op import Array, Case, Cost, DType, Elementwise, Operand, TensorType

_FOUR_BYTES = tuple(np.dtype(name) for name in ("int32", "uint32", "float32"))


class _Cases:
    """A case for every dtype, one of which is of `ml_dtypes`: that is imported when somebody asks for cases."""

    def __get__(self, instance: object, owner: type) -> tuple[Case, ...]:
        each = (Case(((3, 4),), {"dtype": dtype}) for dtype in all_dtypes())
        return (*each, Case(((),), {"dtype": np.dtype(np.int8)}))


class Cast(Elementwise, name="cast", family="casts", cost=Cost.CHEAP):
    """Convert every element to another dtype, as `ndarray.astype`.

    Integers wrap, floats round to nearest even, complex to real drops the imaginary part. A float is cut
    towards zero. One that does not fit the integer gives what NumPy gives on x86-64: it is converted to int64
    for int64 and uint32, to int32 for narrower integers, where NaN and what is out of range become the
    smallest value, and then wraps; uint64 wraps below zero and takes its upper half from the rest over 2**63.
    A bfloat16 is converted as the float32 that it is, whatever the version of `ml_dtypes` makes of what does not fit.
    """

    x: Operand
    dtype: DType
    cases = _Cases()
    linear = ("x",)

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor, dtype: np.dtype[Any]) -> Tensor:
        """The cotangent in the dtype of the operand; of a real one, the real part."""
        return b.converted(g, x.dtype)

    @staticmethod
    def infer(x: TensorType, dtype: np.dtype[Any]) -> TensorType:
        return x.with_dtype(dtype)

    @staticmethod
    def evaluate(x: Array, dtype: np.dtype[Any]) -> Array:
        if kind(x.dtype) == "c" and kind(dtype) not in "bc":
            x = x.real
        if kind(x.dtype) == "f" and x.dtype.kind != "f":
            x = x.astype(np.float32)
        if is_bfloat16(dtype) and x.dtype.itemsize > 2 and x.dtype != np.float32 and kind(x.dtype) in "fiu":
            x = _round_to_odd(x.astype(np.float64))  # as the versions of `ml_dtypes` do that round once
        if dtype == np.uint32 and kind(x.dtype) == "f":
            x = x.astype(np.int64)  # NumPy's own result depends on how many elements there are
        return x.astype(dtype)


def _round_to_odd(x: Array) -> Array:
    """Float64 cut to float32, the last bit set where that is inexact, so that rounding again is right."""
    nearest = x.astype(np.float32)
    back, bits = nearest.astype(np.float64), nearest.view(np.int32)
    towards_zero = bits - (np.abs(back) > np.abs(x))
    is_inexact = (back != x) & ~np.isnan(x)
    return np.where(is_inexact, towards_zero | 1, bits).astype(np.int32).view(np.float32)


class Bitcast(Elementwise, name="bitcast", family="casts", cost=Cost.CHEAP):
    """Read the bits of every element as another integer or float of the same width, as `ndarray.view`."""

    x: Operand
    dtype: DType
    defined_for = _FOUR_BYTES
    cases = tuple(Case(((3, 4),), {"dtype": dtype}) for dtype in _FOUR_BYTES)
    linear = ("x",)

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor, dtype: np.dtype[Any]) -> Tensor:
        """The identity, which is the only one that keeps numbers."""
        if x.dtype != dtype:
            raise WeftTypeError(f"the bits of {x.type} read as {element_type(dtype).name} have no derivative")
        return g

    @staticmethod
    def infer(x: TensorType, dtype: np.dtype[Any]) -> TensorType:
        if x.dtype.itemsize != dtype.itemsize or kind(dtype) in "bc" or kind(x.dtype) == "c":
            raise WeftTypeError(f"weft.bitcast cannot read {x} as {element_type(dtype).name}")
        return x.with_dtype(dtype)

    @staticmethod
    def evaluate(x: Array, dtype: np.dtype[Any]) -> Array:
        return x.view(dtype)

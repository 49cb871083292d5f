"""Products of arrays that are added up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...conversion import convert_to_tensor
from ..promotion import as_dtype, dtype_of, floating, result_type, tensors, wide


def _product(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of two arrays, which are promoted first."""

    def called(x1: Any, x2: Any, **options: Any) -> Any:
        x1, x2 = tensors(convert_to_tensor(x1), convert_to_tensor(x2))
        return as_dtype(function(x1, x2, **options), dtype_of(x1))

    return called


dot = _product(np.dot)
inner = _product(np.inner)
kron = _product(np.kron)
outer = _product(np.outer)
vdot = _product(np.vdot)


def correlate(x1: Any, x2: Any, mode: Any = "valid") -> Any:
    """Products of an array with another one, at each place of it."""
    x1, x2 = tensors(x1, x2, rule=_of_signals)
    return np.correlate(x1, x2, mode)


def _of_signals(dtype: str) -> str:
    return dtype if "float" in dtype else "float64" if dtype == "int64" else "float32"


def cross(
    x1: Any, x2: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Any:
    """Vectors at right angles to those of two arrays."""
    x1, x2 = tensors(convert_to_tensor(x1), convert_to_tensor(x2))
    return np.cross(x1, x2, axisa, axisb, axisc, axis)


def einsum(subscripts: str, *operands: Any, **options: Any) -> Any:
    """Products by the letters of axes, summed over those that the result has not."""
    arrays = [convert_to_tensor(operand) for operand in operands]
    dtypes = {dtype_of(array) for array in arrays}
    result = "int32" if dtypes == {"int8"} else result_type(*dtypes)  # int8 has no room for sums
    inside = "float32" if result == "bfloat16" else result  # which np.einsum does not know
    made = np.einsum(
        subscripts, *[as_dtype(array, inside) for array in arrays], **{"optimize": True} | options
    )
    return as_dtype(made, result)


def matmul(x1: Any, x2: Any) -> Any:
    """The matrix product; of two int8 it is int32, in which sums have room."""
    x1, x2 = convert_to_tensor(x1), convert_to_tensor(x2)
    dtype = "int32" if dtype_of(x1) == dtype_of(x2) == "int8" else result_type(x1.dtype, x2.dtype)
    return as_dtype(np.matmul(as_dtype(x1, dtype), as_dtype(x2, dtype)), dtype)


def tensordot(x1: Any, x2: Any, axes: Any = 2) -> Any:
    """Products, summed over axes of both arrays."""
    axes = tuple(axes) if isinstance(axes, list) else axes
    x1, x2 = tensors(convert_to_tensor(x1), convert_to_tensor(x2))
    return np.tensordot(x1, x2, axes)


def slogdet(x: Any) -> Any:
    """The sign of the determinant, and the logarithm of its size."""
    return tuple(np.linalg.slogdet(convert_to_tensor(x)))


def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The sum of a diagonal."""
    x = convert_to_tensor(x)
    return np.trace(x, offset, axis1, axis2, dtype=wide(dtype_of(x)))


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """The area under a curve, by trapezoids."""
    y = convert_to_tensor(y)
    x = x if x is None else convert_to_tensor(x)
    made = np.trapezoid(y, x, dx=convert_to_tensor(dx), axis=axis)
    return as_dtype(made, floating(dtype_of(y)))


__all__ = [
    "correlate",
    "cross",
    "dot",
    "einsum",
    "inner",
    "kron",
    "matmul",
    "outer",
    "slogdet",
    "tensordot",
    "trace",
    "trapezoid",
    "vdot",
]

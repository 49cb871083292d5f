"""Running reductions along an axis: what `cumsum`, `ufunc.accumulate` and their kin are made of."""

from __future__ import annotations

from typing import Any

from ...dialect.dtypes import DTypeLike
from ...dialect.op import Op
from ...dialect.ops import scans as ops
from ..tracing.staging import ArrayLike, ArrayResult, apply, asarray, cast
from .arguments import BOOL, accumulator_dtype, axis_index, optional_dtype
from .shape import ravel


def scan(op_class: type[Op], a: ArrayLike, axis: Any, dtype: DTypeLike | None) -> ArrayResult:
    """Apply a scan; sums and products widen integers as the reductions do."""
    x = asarray(a)
    if axis is None:
        x, axis = ravel(x), 0
    elif x.ndim == 0 and axis in (0, -1):
        x = ravel(x)
    widen = op_class in (ops.CumulativeSum, ops.CumulativeProd)
    wanted = optional_dtype(dtype) or (accumulator_dtype(x.dtype) if widen else x.dtype)
    if wanted == BOOL and widen:
        op_class = ops.CumulativeMax if op_class is ops.CumulativeSum else ops.CumulativeMin
    return asarray(apply(op_class, cast(x, wanted), axis=axis_index(axis, x.ndim)))

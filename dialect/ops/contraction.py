"""Contractions: sums of products over shared axes."""

from __future__ import annotations

import numpy as np

from ..errors import WeftValueError
from ..op import Array, Case, Op, Operand, TensorType, same_dtype
from ..types import broadcast_shapes, format_shape


class Matmul(Op, name="matmul", family="contraction"):
    """Matrix product of the last two axes; leading axes broadcast. Both operands have rank 2 or more."""

    x: Operand
    y: Operand
    cases = (
        Case(((3, 4), (4, 5))),
        Case(((1, 4), (4, 1))),
        Case(((2, 3, 4), (4, 5))),
        Case(((2, 1, 3, 4), (5, 4, 2))),
        Case(((3, 0), (0, 2))),
    )

    @staticmethod
    def infer(x: TensorType, y: TensorType) -> TensorType:
        dtype = same_dtype("weft.matmul", x, y)
        if x.rank < 2 or y.rank < 2:
            raise WeftValueError(f"weft.matmul takes operands of rank 2 or more, not {x} and {y}")
        inner = (x.shape[-1], y.shape[-2])
        if None not in inner and inner[0] != inner[1]:
            raise WeftValueError(
                f"matmul: the last axis of {format_shape(x.shape)} and the last but one of {format_shape(y.shape)} "
                f"differ ({inner[0]} and {inner[1]})"
            )
        batch = broadcast_shapes([x.shape[:-2], y.shape[:-2]])
        return TensorType((*batch, x.shape[-2], y.shape[-1]), dtype)

    @staticmethod
    def evaluate(x: Array, y: Array) -> Array:
        return np.matmul(x, y)

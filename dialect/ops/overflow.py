"""Whether arithmetic on int64 leaves what 64 bits hold: Python's ints do not wrap around."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ..errors import WeftTypeError
from ..op import Array, Case, Cost, Elementwise, Operand, TensorType
from ..types import broadcast_shapes

_INT64 = np.dtype(np.int64)
_RANGE = np.iinfo(_INT64)
_LARGE = float(2**32)


class Overflows(Elementwise, family="overflow"):
    """Base of the ops that tell where an operator's result on Python's ints has more than 64 bits."""

    x: Operand
    y: Operand
    operand_pattern = (_INT64, _INT64)
    cases = (
        Case(((3, 4), (3, 4)), low=-_LARGE, high=_LARGE),
        Case(((3, 1), (4,)), low=-_LARGE, high=_LARGE),
        Case(((), (2, 3))),
        Case(((0, 3), (1, 3))),
    )
    exact: ClassVar[Callable[[Any, Any], Any]]
    """The operator of Python."""

    @classmethod
    def infer(cls, x: TensorType, y: TensorType) -> TensorType:
        if (x.dtype, y.dtype) != (_INT64, _INT64):
            raise WeftTypeError(f"{cls.mlir_name()} is of int64, not {x} and {y}")
        return TensorType(broadcast_shapes([x.shape, y.shape]), np.dtype(np.bool_))

    @classmethod
    def evaluate(cls, x: Array, y: Array) -> Array:
        result = np.asarray(cls.exact(x.astype(object), y.astype(object)))
        return np.asarray((result < _RANGE.min) | (result > _RANGE.max)).astype(np.bool_)


class AddOverflows(Overflows, name="add_overflows", cost=Cost.CHEAP):
    """Whether a sum of two int64 has more than 64 bits."""

    exact = operator.add


class SubtractOverflows(Overflows, name="subtract_overflows", cost=Cost.CHEAP):
    """Whether a difference of two int64 has more than 64 bits."""

    exact = operator.sub


class MultiplyOverflows(Overflows, name="multiply_overflows", cost=Cost.CHEAP):
    """Whether a product of two int64 has more than 64 bits."""

    exact = operator.mul

"""Choice by conditions: between the elements of two tensors, and of the places of those that are true."""

from __future__ import annotations

import numpy as np

from ..emitter import Emitter, Tensor
from ..errors import WeftTypeError
from ..op import Array, Case, Cost, Elementwise, Operand, SafeOp, TensorType, axis_of, same_dtype
from ..types import broadcast_shapes

_INT64 = np.dtype(np.int64)


class Select(Elementwise, name="select", family="selection", cost=Cost.CHEAP):
    """Elements of x where the boolean condition holds, elements of y elsewhere; all three broadcast."""

    condition: Operand
    x: Operand
    y: Operand
    operand_pattern = (np.dtype(np.bool_), None, None)
    cases = (
        Case(((3, 4), (3, 4), (3, 4))),
        Case(((4,), (3, 1), ())),
        Case(((), (2, 3), (3,))),
        Case(((0, 3), (1, 3), (1,))),
    )
    linear = ("x", "y")

    @staticmethod
    def transpose_x(b: Emitter, g: Tensor, condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
        """The cotangent where the condition holds."""
        found: Tensor = b.select(condition, g, 0)
        return found

    @staticmethod
    def transpose_y(b: Emitter, g: Tensor, condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
        """The cotangent where it does not."""
        found: Tensor = b.select(condition, 0, g)
        return found

    @staticmethod
    def infer(condition: TensorType, x: TensorType, y: TensorType) -> TensorType:
        if condition.dtype != bool:
            raise WeftTypeError(f"weft.select needs a bool condition, not {condition}")
        dtype = same_dtype("weft.select", x, y)
        return TensorType(broadcast_shapes([condition.shape, x.shape, y.shape]), dtype)

    @staticmethod
    def evaluate(condition: Array, x: Array, y: Array) -> Array:
        return np.where(condition, x, y)


class Nonzero(SafeOp, name="nonzero", family="selection", cost=Cost.CHEAP):
    """The places of the true elements in ascending order, then zeros; and how many are true."""

    condition: Operand
    operand_pattern = (np.dtype(np.bool_),)
    results = 2
    cases = (Case(((7,),)), Case(((1,),)), Case(((0,),)))
    extent_source = axis_of(0)

    @staticmethod
    def infer(condition: TensorType) -> tuple[TensorType, TensorType]:
        if condition.dtype != bool or condition.rank != 1:
            raise WeftTypeError(f"weft.nonzero needs a bool condition with one axis, not {condition}")
        return TensorType(condition.shape, _INT64), TensorType((), _INT64)

    @staticmethod
    def evaluate(condition: Array) -> tuple[Array, Array]:
        (found,) = np.nonzero(condition)
        places = np.zeros(condition.shape, np.int64)
        places[: found.size] = found
        return places, np.asarray(found.size, np.int64)

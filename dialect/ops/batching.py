"""Where values get lanes and lose them: what `weft-batch` replaces, with all that is computed in between.

%row = weft.lane %x {axis = 0, number = 1}         one element along an axis, another one in each lane
%all = weft.lanes %y, %n {axis = 0, number = 1}    what all lanes have computed, side by side
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import InternalError, WeftTypeError, WeftValueError
from ..op import Array, Attributes, Bool, Cost, ExtentSource, Int, Op, Operand, TensorType
from .shape import INT64, require_axes


class Boundary(Op, family="batching", cost=Cost.FREE):
    """Base of both: `number` tells which lanes these are."""

    opaque = True

    @classmethod
    def is_speculatable(cls, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """It stays where it is."""
        return False

    @classmethod
    def evaluate(cls, *operands: Array, **attributes: object) -> Array:
        """One value does not tell what is in all lanes."""
        raise InternalError(f"{cls.mlir_name()} has no value before --weft-batch replaces it")


class Lane(Boundary, name="lane"):
    """What is at one place of an axis, the number of the lane."""

    x: Operand
    axis: Int
    number: Int

    @staticmethod
    def infer(x: TensorType, axis: int, number: int) -> TensorType:
        require_axes("weft.lane", (axis,), x.rank)
        return x.with_shape([*x.shape[:axis], *x.shape[axis + 1 :]])

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        return 0, axis + (axis >= attributes["axis"])


class Lanes(Boundary, name="lanes"):
    """The values of all lanes along a new axis; or, where they are not `stacked`, the one that all of them have.

    `extent` is the number of lanes as an operand, `size` as far as it is known (else -1).
    """

    y: Operand
    extent: Operand
    axis: Int
    size: Int
    stacked: Bool
    number: Int

    @staticmethod
    def infer(
        y: TensorType, extent: TensorType, axis: int, size: int, stacked: bool, number: int
    ) -> TensorType:
        if extent.rank or extent.dtype != INT64:
            raise WeftTypeError(f"weft.lanes: the number of lanes is i64[], not {extent}")
        if size < -1:
            raise WeftValueError(f"weft.lanes: there are no {size} lanes")
        if not stacked:
            return y
        require_axes("weft.lanes", (axis,), y.rank + 1)
        return y.with_shape([*y.shape[:axis], None if size == -1 else size, *y.shape[axis:]])

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        new = attributes["axis"]
        if not attributes["stacked"] or axis < new:
            return 0, axis
        return (1, -1) if axis == new else (0, axis - 1)

"""What asks for derivatives: ops on values, which `weft-differentiate` replaces by what computes these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ..batching import alike, asked_backwards, asked_forwards, of_first, paired
from ..emitter import Emitter, Tensor
from ..errors import InternalError, WeftTypeError
from ..op import Array, Case, Cost, Int, Op, Operand, TensorType, axis_of

DEEPEST = "weft.deepest"
"""Marks results whose rule was not recorded, as it uses its own function again and again."""

EXACT = "weft.exact"
"""The attribute of a `weft.custom` whose rule is the derivative of what computed it, so that it has a tangent, too."""


class Marker(Op, family="differentiation", cost=Cost.FREE):
    """Base of the ops that are the identity, and that nothing moves, merges or evaluates."""

    x: Operand
    opaque = True
    batching = of_first
    cases: ClassVar[tuple[Case, ...]] = (Case(((2, 3),)),)
    extent_source = axis_of(0)

    @classmethod
    def is_speculatable(cls, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """It stays in its block, also where its operand does not change in a loop."""
        return False

    @staticmethod
    def transpose(b: Emitter, g: Tensor, *others: Any, **attributes: Any) -> Tensor:
        """The identity, of those that are linear."""
        return g

    @staticmethod
    def infer(x: TensorType, *others: TensorType, **attributes: Any) -> TensorType:
        return x

    @staticmethod
    def evaluate(x: Array, *others: Array, **attributes: Any) -> Array:
        return x


class Independent(Marker, name="independent"):
    """The operand as a variable of its own, by which derivatives are asked for; `number` tells it from others."""

    number: Int
    tape: Int
    """The number of the tape that asks; 0 where none does."""
    batching = alike
    cases = (Case(((2, 3),), {"number": 1, "tape": 0}), Case(((),), {"number": 2, "tape": 1}))
    linear = ("x",)


class StopGradient(Marker, name="stop_gradient"):
    """The operand, of which it is not known how it was computed: its derivative is zero."""

    flat = True


class Pause(Marker, name="pause"):
    """The operand, which is a constant for one tape, that does not record for a while, and for no other."""

    tape: Int
    cases = (Case(((2, 3),), {"tape": 1}), Case(((),), {"tape": 2}))
    linear = ("x",)


class Barrier(Marker, name="barrier"):
    """The first operand, not known to be that before the second one is: what is computed of it is computed again."""

    after: Operand
    cases = (Case(((2, 3), (2,))), Case(((), ())))
    linear = ("x",)


class Request(Op, family="differentiation", cost=Cost.FREE):
    """Base of the ops that stand for a derivative until it is made."""

    opaque = True

    @classmethod
    def is_speculatable(cls, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """It stays where it is asked for."""
        return False

    @classmethod
    def evaluate(cls, *operands: Array) -> Array:
        """Values do not tell how they were computed."""
        raise InternalError(f"{cls.mlir_name()} has no value before --weft-differentiate replaces it")


class Gradient(Request, name="gradient"):
    """The cotangent of an independent value, from that of a value that was computed of it."""

    y: Operand
    cotangent: Operand
    x: Operand
    batching = asked_backwards
    extent_source = axis_of(2)

    @staticmethod
    def infer(y: TensorType, cotangent: TensorType, x: TensorType) -> TensorType:
        if y != cotangent:
            raise WeftTypeError(f"weft.gradient: the cotangent of {y} is no {cotangent}")
        return x


class Tangent(Request, name="tangent"):
    """The tangent of a value, from that of an independent value."""

    y: Operand
    x: Operand
    tangent: Operand
    batching = asked_forwards
    extent_source = axis_of(0)

    @staticmethod
    def infer(y: TensorType, x: TensorType, tangent: TensorType) -> TensorType:
        if x != tangent:
            raise WeftTypeError(f"weft.tangent: the tangent of {x} is no {tangent}")
        return y


class Pairs(Request, name="pairs"):
    """Several values with their cotangents or tangents, as the one value of a request: a pair, and those before it.

    The first has any number before it. The request takes it for the value, and any number for the cotangent or tangent.
    """

    value: Operand
    derivative: Operand
    before: Operand
    batching = paired
    extent_source = axis_of(2)

    @staticmethod
    def infer(value: TensorType, derivative: TensorType, before: TensorType) -> TensorType:
        if value != derivative:
            raise WeftTypeError(f"weft.pairs: the cotangent or tangent of {value} is no {derivative}")
        return before


class Cotangent(Request, name="cotangent"):
    """What stands for the cotangent of a result, the operand, in the rule of a custom gradient."""

    y: Operand
    number: Int
    """Which custom gradient; `place` tells which of its results."""
    place: Int
    batching = of_first
    extent_source = axis_of(0)

    @staticmethod
    def infer(y: TensorType, number: int, place: int) -> TensorType:
        return y


class Custom(Request, name="custom"):
    """A result, the first operand, of which the derivative is a rule: pairs of values and their cotangents.

    The cotangents are computed of `weft.cotangent`s of the same number. Results of one rule are next to each other.
    """

    y: Operand
    rule: Operand
    number: Int
    place: Int
    batching = of_first
    extent_source = axis_of(0)

    @staticmethod
    def infer(y: TensorType, rule: TensorType, number: int, place: int) -> TensorType:
        return y

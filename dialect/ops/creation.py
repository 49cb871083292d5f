"""Ops that make tensors from nothing: constants, fills and ranges."""

from __future__ import annotations

from ..op import Array, Elements, Op, TensorType
from ..types import type_of


class Constant(Op, name="constant", family="creation"):
    """A tensor known at compile time."""

    value: Elements

    @staticmethod
    def infer(value: Array) -> TensorType:
        return type_of(value)

    @staticmethod
    def evaluate(value: Array) -> Array:
        return value

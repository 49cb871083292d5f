"""Lowerings of what asks for derivatives: what is left of it behind `weft-differentiate`."""

from __future__ import annotations

from typing import NoReturn

from ...dialect.errors import InternalError
from ...dialect.mlir import Value
from ...dialect.ops.differentiation import (
    Barrier,
    Cotangent,
    Custom,
    Gradient,
    Independent,
    Pairs,
    Pause,
    StopGradient,
    Tangent,
)
from .conversion import Conversion, OpInstance, lowers


@lowers(Barrier, Independent, Pause, StopGradient)
def lower_marker(c: Conversion, op: OpInstance) -> Value:
    """The operand."""
    return op.operands[0]


@lowers(Cotangent, Custom, Gradient, Pairs, Tangent)
def lower_request(c: Conversion, op: OpInstance) -> NoReturn:
    """Derivatives are made of ops that are still there."""
    raise InternalError("run --weft-differentiate before --convert-weft-to-linalg")

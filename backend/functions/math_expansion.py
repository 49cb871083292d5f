"""Replace the transcendental ops of the math dialect, and special functions, by arithmetic that vectorises.

Nothing is left to upstream's expansions, some of which lose all accuracy near zero (tanh, expm1, log1p).
"""

from __future__ import annotations

from collections.abc import Callable

from ...dialect.mlir import Module, Operation, Type, Value, ir
from ...dialect.op import SPECIAL
from ...dialect.records import dataclass
from ...passes.base import Pass, Statistics
from .. import target
from ..nests.emit import create
from . import remainder, rounding
from .half_expansion import expand_half, is_half_operation, mentions_halves
from .instructions import filled_up, first_lanes, is_below_a_register
from .number import Number, float_like
from .registry import MATH_FUNCTIONS, function_of

_ROUNDINGS: dict[str, Callable[[Number], Number]] = {
    "math.ceil": rounding.ceil,
    "math.floor": rounding.floor,
    "math.roundeven": rounding.roundeven,
    "math.trunc": rounding.trunc,
}

_EXPANDED = frozenset(f"math.{name}" for name in MATH_FUNCTIONS)

_FUSED = ("math.fma", "vector.fma")
"""What matrix products are made of; machines without the instruction would call libm."""


@dataclass(frozen=True)
class ExpandMath(Pass):
    """Replace elementary functions by arithmetic that vectorises."""

    def run(self, module: Module, statistics: Statistics) -> None:
        statistics["functions expanded"] += expand_math(module.operation)


def is_expanded(op: Operation) -> bool:
    """Whether `expand_math` replaces an operation."""
    name = op.name
    if name in _EXPANDED or name.startswith(SPECIAL) or _is_remainder(op):
        return True
    # What `elementary=` of an op class names and MLIR has not: `function_of` says that nothing expands it.
    return name.startswith("math.") and not op.context.is_registered_operation(name)


def _is_remainder(op: Operation) -> bool:
    """Whether an operation is a remainder of floats that the machine can compute by a fused multiplication."""
    return (
        op.name == remainder.NAME
        and remainder.LEFT not in op.attributes
        and target.current().fused_multiply_add
    )


def expand_math(operation: Operation) -> int:
    """Expand the math ops inside a function, scalar and vector ones, and arithmetic that the machine lacks.

    Returns how many operations there were.
    """
    machine = target.current()
    count = _replace(operation, is_expanded, _expand)
    if not machine.fused_multiply_add:
        count += _replace(operation, lambda op: op.name in _FUSED, _expand)
    if not machine.rounding_instructions:
        count += _replace(operation, lambda op: op.name in _ROUNDINGS, _expand)
    if mentions_halves(operation):
        count += _replace(operation, is_half_operation, expand_half)
    return count


def _replace(
    operation: Operation, belongs: Callable[[Operation], bool], expand: Callable[[Operation], Value]
) -> int:
    found: list[Operation] = []

    def visit(op: Operation) -> ir.WalkResult:
        if belongs(op.operation):
            found.append(op.operation)
        return ir.WalkResult.ADVANCE

    operation.operation.walk(visit)
    for op in found:
        with ir.InsertionPoint(op), op.location:
            op.results[0].replace_all_uses_with(expand(op))
        op.erase()
    return len(found)


def _expand(op: Operation) -> Value:
    name = op.name.partition(".")[2]
    operands = [Number(operand) for operand in op.operands]
    if op.name in _FUSED:
        return (operands[0] * operands[1] + operands[2]).value
    x, type = operands[0], op.results[0].type
    if x.bits < 32:
        wide = float_like(type, ir.F32Type.get())
        return _expand_widened(name, operands, wide).narrow(type).value
    return evaluate(name, operands).value


def _expand_widened(name: str, operands: list[Number], wide: Type) -> Number:
    widened = [Number(create("arith.extf", [wide], [x.value])) for x in operands]
    return evaluate(name, widened)


def evaluate(name: str, operands: list[Number]) -> Number:
    """Write a math function of f32 or f64 operands at the insertion point."""
    function = _ROUNDINGS.get(f"math.{name}") or function_of(name)
    if not is_below_a_register(operands[0]):
        return function(*operands)
    return first_lanes(function(*map(filled_up, operands)), operands[0])

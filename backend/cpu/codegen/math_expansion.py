"""Replace the transcendental ops of the math dialect by arithmetic that vectorises.

Nothing is left to upstream's expansions, some of which lose all accuracy near zero (tanh, expm1, log1p).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from ....dialect.mlir import Module, Operation, Type, Value, ir
from ....passes.base import Pass, Statistics
from .emit import create
from .functions import (
    error,
    exponential,
    inverse_hyperbolic,
    inverse_trigonometric,
    logarithm,
    power,
    trigonometric,
)
from .number import Number, float_like

FUNCTIONS: dict[str, Callable[..., Number]] = {
    "acos": inverse_trigonometric.acos,
    "acosh": inverse_hyperbolic.acosh,
    "asin": inverse_trigonometric.asin,
    "asinh": inverse_hyperbolic.asinh,
    "atan": inverse_trigonometric.atan,
    "atan2": inverse_trigonometric.atan2,
    "atanh": inverse_hyperbolic.atanh,
    "cbrt": power.cbrt,
    "cos": trigonometric.cos,
    "cosh": exponential.cosh,
    "erf": error.erf,
    "exp": exponential.exp,
    "exp2": exponential.exp2,
    "expm1": exponential.expm1,
    "log": logarithm.log,
    "log10": logarithm.log10,
    "log1p": logarithm.log1p,
    "log2": logarithm.log2,
    "powf": power.pow,
    "sin": trigonometric.sin,
    "sinh": exponential.sinh,
    "tan": trigonometric.tan,
    "tanh": exponential.tanh,
}
"""Good to 2 ulp in f32 and in f64."""

_TRIGONOMETRIC = ("sin", "cos", "tan")
"""Functions of which libm takes the large arguments, beyond thousands of turns."""

_EXPANDED = {f"math.{name}" for name in [*FUNCTIONS, "rsqrt"]}


@dataclass(frozen=True)
class ExpandMath(Pass):
    """Replace elementary functions by arithmetic."""

    name: ClassVar[str] = "expand-math"
    summary: ClassVar[str] = "replace elementary functions by arithmetic that vectorises"

    def run(self, module: Module, statistics: Statistics) -> None:
        statistics["functions expanded"] += expand_math(module.operation)


def is_expanded(op: Operation) -> bool:
    """Whether `expand_math` replaces an operation."""
    return op.name in _EXPANDED


def expand_math(operation: Operation) -> int:
    """Expand the math ops inside a function, scalar and vector ones; returns how many there were.

    Declarations of libm functions go to the module around.
    """
    found: list[Operation] = []

    def visit(op: Operation) -> ir.WalkResult:
        if op.operation.name in _EXPANDED:
            found.append(op.operation)
        return ir.WalkResult.ADVANCE

    operation.operation.walk(visit)
    for op in found:
        with ir.InsertionPoint(op), op.location:
            op.results[0].replace_all_uses_with(_expand(op))
        op.erase()
    return len(found)


def _expand(op: Operation) -> Value:
    name = op.name.removeprefix("math.")
    operands = [Number(operand) for operand in op.operands]
    x, type = operands[0], op.results[0].type
    if x.bits < 32:
        wide = float_like(type, ir.F32Type.get())
        return _expand_widened(name, op, operands, wide).narrow(type).value
    return evaluate(name, operands, op).value


def _expand_widened(name: str, op: Operation, operands: list[Number], wide: Type) -> Number:
    widened = [Number(create("arith.extf", [wide], [x.value])) for x in operands]
    return evaluate(name, widened, op)


def evaluate(name: str, operands: list[Number], op: Operation) -> Number:
    """Write a math function of f32 or f64 operands at the insertion point; `op` is inside the module."""
    x = operands[0]
    if name == "rsqrt":
        return 1.0 / x.sqrt()
    if name not in _TRIGONOMETRIC:
        return FUNCTIONS[name](*operands)
    rare = trigonometric.needs_exact_reduction(x)
    return _guarded(x, rare, lambda: FUNCTIONS[name](x), lambda: _call(name, x, op))


def _guarded(x: Number, rare: Value, fast: Callable[[], Number], slow: Callable[[], Number]) -> Number:
    """Branch to the slow form when the condition holds (in some lane of a vector)."""
    if isinstance(x.type, ir.VectorType):
        i1 = ir.IntegerType.get_signless(1)
        kind = ir.Attribute.parse("#vector.kind<or>")
        rare = create("vector.reduction", [i1], [rare], {"kind": kind})
    branch = ir.Operation.create("scf.if", [x.type], [rare], regions=2)
    for region, form in zip(branch.regions, (slow, fast), strict=True):
        with ir.InsertionPoint(region.blocks.append()):
            ir.Operation.create("scf.yield", [], [form().value])
    return Number(branch.results[0])


def _call(name: str, x: Number, op: Operation) -> Number:
    """Call the libm function, lane by lane for vectors."""
    type, element = x.type, x.element
    callee = name + ("f" if x.bits == 32 else "")
    _declare(callee, element, op)
    attributes = {"callee": ir.FlatSymbolRefAttr.get(callee)}
    if not isinstance(type, ir.VectorType):
        return Number(create("func.call", [type], [x.value], attributes))
    result = x.value
    for lane in range(type.shape[0]):
        position = {"static_position": ir.DenseI64ArrayAttr.get([lane])}
        value = create("vector.extract", [element], [x.value], position)
        value = create("func.call", [element], [value], attributes)
        result = create("vector.insert", [type], [value, result], position)
    return Number(result)


def _declare(callee: str, element: Type, op: Operation) -> None:
    module = op
    while module.name != "builtin.module":
        module = module.parent.operation
    block = module.regions[0].blocks[0]
    if any(
        other.operation.name == "func.func" and other.operation.attributes["sym_name"].value == callee
        for other in block.operations
    ):
        return
    with ir.InsertionPoint.at_block_begin(block):
        signature = ir.FunctionType.get([element], [element])
        attributes = {
            "sym_name": ir.StringAttr.get(callee),
            "function_type": ir.TypeAttr.get(signature),
            "sym_visibility": ir.StringAttr.get("private"),
        }
        ir.Operation.create("func.func", [], [], attributes, regions=1)

"""Replace the transcendental ops of the math dialect: by arithmetic that vectorises, or by a call of libm.

Nothing is left to upstream's expansions, some of which lose all accuracy near zero (tanh, expm1, log1p).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from ....dialect.mlir import Module, Operation, Type, Value, ir
from ....passes.base import Pass, Statistics
from . import math_functions as functions
from .emit import create
from .number import Number, float_like

_Function = Callable[..., Number]

_BOTH: dict[str, _Function] = {
    "exp": functions.exp,
    "exp2": functions.exp2,
    "expm1": functions.expm1,
    "log": functions.log,
    "log2": functions.log2,
    "log10": functions.log10,
    "log1p": functions.log1p,
    "sinh": functions.sinh,
    "cosh": functions.cosh,
    "tanh": functions.tanh,
}
"""Good to 2 ulp in f32 and in f64."""

_TRIGONOMETRIC: dict[str, _Function] = {"sin": functions.sin, "cos": functions.cos}
"""Good to 2 ulp in f32 and in f64 for arguments that are not large; libm takes the large ones."""

_THROUGH_F64: dict[str, _Function] = {
    "acos": functions.acos,
    "asin": functions.asin,
    "atan": functions.atan,
    "cbrt": functions.cbrt,
    "erf": functions.erf,
    "powf": functions.pow,
}
"""Good enough for f32 when computed in f64; f64 itself calls libm."""

_LIBM: dict[str, str] = {
    **{
        name: name
        for name in ("sin", "cos", "tan", "acos", "asin", "atan", "atan2", "acosh", "asinh", "atanh")
    },
    **{name: name for name in ("cbrt", "erf", "erfc")},
    "powf": "pow",
}
"""Functions that libm computes, by the name of the op."""

LIBM_SYMBOLS: frozenset[str] = frozenset(
    symbol + suffix for symbol in [*_LIBM.values(), "fmod", "fma"] for suffix in ("", "f")
)
"""The libm functions that compiled code may call."""

_EXPANDED = {f"math.{name}" for name in [*_BOTH, *_LIBM, "rsqrt"]}


@dataclass(frozen=True)
class ExpandMath(Pass):
    """Replace elementary functions by arithmetic, or by calls of libm."""

    name: ClassVar[str] = "expand-math"
    summary: ClassVar[str] = "replace elementary functions by arithmetic that vectorises, or by calls of libm"

    def run(self, module: Module, statistics: Statistics) -> None:
        statistics["functions expanded"] += expand_math(module.operation)


def is_expanded(op: Operation) -> bool:
    """Whether `expand_math` replaces an operation."""
    return op.name in _EXPANDED


def calls_library(op: Operation) -> bool:
    """Whether an operation becomes a call of libm for all arguments."""
    name = op.name.removeprefix("math.")
    if not is_expanded(op) or name in _BOTH or name in _TRIGONOMETRIC or name == "rsqrt":
        return False
    return not (_bits(op.operands[0].type) <= 32 and (name in _THROUGH_F64 or name == "tan"))


def _bits(type: Type) -> int:
    return int((type.element_type if isinstance(type, ir.VectorType) else type).width)


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
    if name in _BOTH:
        return _BOTH[name](*operands)
    if name in _TRIGONOMETRIC:
        return _trigonometric(name, x, op)
    if name in _THROUGH_F64 and x.bits == 32:
        return _THROUGH_F64[name](*(operand.widen() for operand in operands)).narrow(x.type)
    if name == "tan" and x.bits == 32:
        return _tangent(x, op)
    return _call(name, operands, op)


def _trigonometric(name: str, x: Number, op: Operation) -> Number:
    fast = _TRIGONOMETRIC[name]
    return _guarded(x, functions.needs_exact_reduction(x), lambda: fast(x), lambda: _call(name, [x], op))


def _tangent(x: Number, op: Operation) -> Number:
    def fast() -> Number:
        return functions.tan(x.widen()).narrow(x.type)

    return _guarded(x, functions.needs_exact_reduction(x.widen()), fast, lambda: _call("tan", [x], op))


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


def _call(name: str, operands: list[Number], op: Operation) -> Number:
    """Call the libm function, lane by lane for vectors."""
    type = operands[0].type
    callee = _LIBM[name] + ("f" if operands[0].bits == 32 else "")
    _declare(callee, operands[0].element, len(operands), op)
    attributes = {"callee": ir.FlatSymbolRefAttr.get(callee)}
    if not isinstance(type, ir.VectorType):
        return Number(create("func.call", [type], [x.value for x in operands], attributes))
    result = operands[0]
    for lane in range(type.shape[0]):
        position = {"static_position": ir.DenseI64ArrayAttr.get([lane])}
        lanes = [create("vector.extract", [type.element_type], [x.value], position) for x in operands]
        value = create("func.call", [type.element_type], lanes, attributes)
        result = Number(create("vector.insert", [type], [value, result.value], position))
    return result


def _declare(callee: str, element: Type, arity: int, op: Operation) -> None:
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
        signature = ir.FunctionType.get([element] * arity, [element])
        attributes = {
            "sym_name": ir.StringAttr.get(callee),
            "function_type": ir.TypeAttr.get(signature),
            "sym_visibility": ir.StringAttr.get("private"),
        }
        ir.Operation.create("func.func", [], [], attributes, regions=1)

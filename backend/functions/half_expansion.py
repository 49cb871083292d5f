"""Arithmetic of float16 and bfloat16 in float32, and conversions of float16 by integer arithmetic.

LLVM would call functions of its run-time library, one by one, where there are no instructions; bfloat16 is converted by
an upstream pass.
"""

from __future__ import annotations

from ...dialect.mlir import Operation, Type, Value, ir
from ...dialect.op import FUNCTIONS
from .. import target
from ..nests.emit import create
from .number import Integer, Number, float_like, like

_KEPT = {"arith.extf", "arith.truncf", "arith.bitcast", "arith.select", "arith.constant"}
"""What is done with halves as they are, or converts them."""
_INFINITY = 0x7F800000


def mentions_halves(operation: Operation) -> bool:
    """Whether there may be operations to replace: halves come from arguments, or are made by a conversion."""
    found = False

    def visit(op: Operation) -> ir.WalkResult:
        nonlocal found
        name = op.operation.name
        if name in ("func.func", "gpu.func"):
            text = str(op.operation.attributes["function_type"])
            found = "bf16" in text or ("f16" in text and not target.current().half_conversions)
        elif name in ("arith.extf", "arith.truncf"):
            found = _is_half(op.operation.operands[0].type) or _is_half(op.operation.results[0].type)
        return ir.WalkResult.INTERRUPT if found else ir.WalkResult.ADVANCE

    operation.operation.walk(visit)
    return found


def is_half_operation(op: Operation) -> bool:
    """Whether `expand_half` replaces an operation."""
    if not op.name.startswith(("arith.", *FUNCTIONS)):
        return False
    if op.name == "arith.extf":
        return _is_unconverted(op.operands[0].type)
    if op.name == "arith.truncf":
        return _is_unconverted(op.results[0].type)
    types = [value.type for value in [*op.operands, *op.results]]
    return op.name not in _KEPT and any(map(_is_half, types))


def expand_half(op: Operation) -> Value:
    """What an operation on halves gives, written at the insertion point."""
    x, result = op.operands[0], op.results[0].type
    if op.name == "arith.extf":
        return _converted(_from_half(x), result)
    if op.name == "arith.truncf":
        return _to_half(_to_single(Number(x)), result)
    attributes = {name: op.attributes[name] for name in op.attributes}
    operands = [_widened(operand) for operand in op.operands]
    if not _is_half(result):
        return create(op.name, [result], operands, attributes)
    wide = Number(create(op.name, [float_like(result, ir.F32Type.get())], operands, attributes))
    return _to_half(wide, result) if _is_unconverted(result) else wide.narrow(result).value


def _element(type: Type) -> Type:
    return type.element_type if isinstance(type, ir.VectorType) else type


def _is_unconverted(type: Type) -> bool:
    return isinstance(_element(type), ir.F16Type) and not target.current().half_conversions


def _is_half(type: Type) -> bool:
    return isinstance(_element(type), ir.BF16Type) or _is_unconverted(type)


def _widened(x: Value) -> Value:
    if not _is_half(x.type):
        return x
    if _is_unconverted(x.type):
        return _from_half(x).value
    return create("arith.extf", [float_like(x.type, ir.F32Type.get())], [x])


def _converted(x: Number, type: Type) -> Value:
    return x.value if _element(type) == ir.F32Type.get() else x.widen().value


def _to_single(x: Number) -> Number:
    """An f32 that rounds to the same float16: of what lies between two f32, one with an odd last bit."""
    if x.bits == 32:
        return x
    near = x.narrow(float_like(x.type, ir.F32Type.get()))
    bits, back = near.to_bits(), near.widen()
    is_above = abs(back).compare(">", abs(x))
    below = (bits - 1).where(is_above, bits)
    inexact = back.compare("!=", x)
    return (below | 1).where(inexact, bits).as_number(near.type)


def _from_half(x: Value) -> Number:
    """The bits moved, with another bias of the exponent; multiplying makes normal numbers of denormal ones."""
    single = float_like(x.type, ir.F32Type.get())
    half = Integer(create("arith.bitcast", [like(x.type, 16)], [x]))
    bits = Integer(create("arith.extui", [like(x.type, 32)], [half.value]))
    magnitude = bits & 0x7FFF
    number = ((magnitude << 13).as_number(single) * 2.0**112).to_bits()
    special = number.constant(_INFINITY).where(magnitude.compare(">", 0x7BFF), 0)
    return (number | special | ((bits & 0x8000) << 16)).as_number(single)


def _to_half(x: Number, type: Type) -> Value:
    """Round to nearest, ties to even: by an addition that carries, or of 1/2 for denormal results."""
    bits = x.to_bits()
    magnitude = bits & 0x7FFFFFFF
    odd = (magnitude >> 13) & 1
    normal = (magnitude + odd + (0xFFF - (112 << 23))) >> 13
    denormal = (magnitude.as_number(x.type) + 0.5).to_bits() - (126 << 23)
    result = denormal.where(magnitude.compare("<", 113 << 23), normal)
    infinite = result.constant(0x7E00).where(magnitude.compare(">", _INFINITY), 0x7C00)
    result = infinite.where(magnitude.compare(">", (143 << 23) - 1), result)
    narrow = (result | ((bits >> 16) & 0x8000)).narrow(16)
    return create("arith.bitcast", [type], [narrow.value])

"""The remainder of a division of floats, which is exact: GPUs have no instruction for it, and LLVM's form rounds.

Eleven bits of the quotient at a time are divided away in integers, as many as a word has room for beside a significand.
"""

from __future__ import annotations

from ....dialect.mlir import Operation, Value, dialect, ir
from ...functions.number import Integer, Number, any_of
from ...nests.emit import create, either, while_loop
from .random_words import constant, remainder

NAME = "weft_remainder"

_STEP = 11
_FRACTION = 52
_LEADING, _INFINITY, _SIGN = 1 << _FRACTION, 0x7FF << _FRACTION, 1 << 63


def _remainder(x: Number, y: Number) -> Value:
    """What the function returns."""
    bits, by = x.to_bits(), y.to_bits() & (_SIGN - 1)
    of, sign = bits & (_SIGN - 1), bits & _SIGN
    is_special = any_of(
        by.compare("==", 0), of.at_least_unsigned(_INFINITY), by.at_least_unsigned(_INFINITY + 1)
    )
    product = x * y

    def left() -> Value:
        return either(of.compare("<", by), x.type, lambda: x.value, lambda: _divided(of, by, sign).value)

    return either(is_special, x.type, lambda: (product / product).value, left)


def _divided(of: Integer, by: Integer, sign: Integer) -> Number:
    """What finite magnitudes leave, the first of which is not smaller, with a sign."""
    (significand, exponent), (divisor, last) = _parts(of), _parts(by)

    def is_left(rest: Value, distance: Value) -> list[Value]:
        return [Integer(distance).compare(">", 0), rest, distance]

    def step(rest: Value, distance: Value) -> list[Value]:
        left = Integer(distance)
        bits = left.where(left.compare("<", _STEP), _STEP)
        return [remainder(Integer(rest) << bits, divisor).value, (left - bits).value]

    carried = [remainder(significand, divisor).value, (exponent - last).value]
    rest = Integer(while_loop(carried, is_left, step)[0])
    is_zero = rest.compare("==", 0)
    whole, up = _shifted(constant(_LEADING).where(is_zero, rest))
    exponent = last - up
    is_normal = exponent.compare(">", 0)
    normal = (whole & (_LEADING - 1)) | (exponent << _FRACTION)
    subnormal = whole >> constant(0).where(is_normal, constant(1) - exponent)
    return (constant(0).where(is_zero, normal.where(is_normal, subnormal)) | sign).as_float64()


def _parts(bits: Integer) -> tuple[Integer, Integer]:
    """The significand of a magnitude, with its leading bit, and the exponent."""
    exponent = bits >> _FRACTION
    is_normal = exponent.compare(">", 0)
    whole, up = _shifted(bits)
    significand = ((bits & (_LEADING - 1)) | _LEADING).where(is_normal, whole)
    return significand, exponent.where(is_normal, constant(1) - up)


def _shifted(bits: Integer) -> tuple[Integer, Integer]:
    """A significand whose leading bit is where that of normal numbers is, and how far it was moved."""
    up = Integer(create("math.ctlz", [bits.value.type], [bits.value])) - _STEP
    return bits << up, up


def call_remainder(op: Operation) -> Value:
    """Write an `arith.remf` as a call, at the insertion point; its module gets the function, once."""
    module = op
    while module.name != "gpu.module":
        module = module.parent.operation
    block, wide = module.regions[0].blocks[0], ir.F64Type.get()
    if not any(
        "sym_name" in o.attributes and o.attributes["sym_name"].value == NAME for o in block.operations
    ):
        func = dialect("func")
        with ir.InsertionPoint.at_block_begin(block):
            function = func.FuncOp(NAME, ([wide] * 2, [wide]), visibility="private")
            function.attributes["passthrough"] = ir.ArrayAttr.get([ir.StringAttr.get("noinline")])
        with ir.InsertionPoint(function.add_entry_block()):
            func.ReturnOp([_remainder(*map(Number, function.arguments))])
    type = op.results[0].type
    operands = [v if type == wide else create("arith.extf", [wide], [v]) for v in op.operands]
    callee = {"callee": ir.FlatSymbolRefAttr.get(NAME)}
    result = create("func.call", [wide], operands, callee)
    return result if type == wide else create("arith.truncf", [type], [result])

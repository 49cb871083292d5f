"""Exponentials and divisions by what the hardware approximates, where somebody has said that they may be.

An exponential is 2 to a power between 0 and 1, which one instruction knows to 2**-22, times a power of two. A division
by what many divide by is a multiplication by its reciprocal, which two floats hold: the quotient is rounded once, and
hardly ever otherwise than that of a division.
"""

from __future__ import annotations

import math

from ....dialect.mlir import Operation, Value, ir
from ...functions.exponents import layout
from ...functions.number import Number
from ..code.assembly import instruction

_APPROXIMATE = "weft.approximate"
_RANGE = 126
"""Powers of two are normal numbers from minus this exponent to it."""
_FAR = {32: 64.0, 64: 512.0}
"""A divisor beyond 2 to this power, or below 2 to minus this power, is brought nearer to one."""


def mark_approximate(op: Operation) -> None:
    """Say that an exponential or a division may be approximated."""
    op.attributes[_APPROXIMATE] = ir.UnitAttr.get()


def may_be_approximate(op: Operation) -> bool:
    """Whether an operation has been marked, and there is a way."""
    return _APPROXIMATE in op.attributes and (op.name == "arith.divf" or op.results[0].type.width <= 32)


def approximate(op: Operation) -> Value:
    """Write what is taken for a marked operation at the insertion point."""
    x = Number(op.operands[0])
    if op.name == "arith.divf":
        return _quotient(x, Number(op.operands[1])).value
    if x.bits == 32:
        return _exponential(x, op.name).value
    return _exponential(_widened(x), op.name).narrow(x.type).value


def _widened(x: Number) -> Number:
    return Number(ir.Operation.create("arith.extf", [ir.F32Type.get()], [x.value]).results[0])


def _exponential(x: Number, name: str) -> Number:
    """exp or exp2; what is too large or too small for a count becomes so by the power between 0 and 1."""
    base = 1.0 if name == "math.exp2" else 1 / math.log(2)
    high = _single(base)
    span = x.constant(2.0 * _RANGE)
    share = Number(_asm("fma.rn.sat.f32", x, x.constant(base / (2 * _RANGE)), x.constant(0.5)))
    shifted = Number(_asm("fma.rm.f32", share, span, x.constant(layout(x).whole + 1)))
    count = shifted - (layout(x).whole + 1 + _RANGE)
    rest = x.times_plus(high, -count)
    if base != high:
        rest = x.times_plus(base - high, rest)
    power = Number(_asm("ex2.approx.ftz.f32", rest))
    return power * (shifted.to_bits() << layout(x).mantissa).as_number(x.type)


def _single(number: float) -> float:
    """A number as f32 has it."""
    return float(ir.FloatAttr.get(ir.F32Type.get(), number).value)


def _asm(name: str, *operands: Number) -> Value:
    """An instruction on f32."""
    places = ", ".join(f"${place}" for place in range(len(operands) + 1))
    constraints = ",".join(["=f", *["f"] * len(operands)])
    return instruction(f"{name} {places};", constraints, operands[0].type, [x.value for x in operands])


def _quotient(x: Number, by: Number) -> Number:
    """x / by; but for the first and the last two operations, all is the same for all that divide by it.

    The first part of the reciprocal is a little too small, so that both have the same sign, and infinities stay.
    """
    far, one = 2.0 ** _FAR[by.bits], by.constant(1.0)
    size = abs(by)
    near = by.constant(far).where(size.compare("<", 1 / far), one)
    near = by.constant(1 / far).where(size.compare(">", far), near)
    divisor = by * near
    first = (1.0 / divisor) * (1.0 - 2.0 ** -layout(by).mantissa)
    second = (-first).times_plus(divisor, 1.0) * first
    second = first.where(second.is_nan(), second)  # of zero and infinity
    scaled = x * near
    return scaled.times_plus(first, scaled * second)

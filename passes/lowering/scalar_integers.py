"""Scalar arithmetic on integers and booleans. Nothing here overflows into poison or traps."""

from __future__ import annotations

import numpy as np

from ...dialect.mlir import Value
from ...dialect.op import Op
from ...dialect.ops import comparison
from ...dialect.ops import elementwise as ops
from ...dialect.ops.overflow import AddOverflows, MultiplyOverflows, SubtractOverflows
from .conversion import scalar_type
from .scalar_casts import cast_scalar
from .scalars import BOOL, FLOAT64, ScalarBuilder, emits


def _direct(op_class: type[Op], kinds: str, mlir_name: str) -> None:
    """Register an op that is one op of MLIR."""

    @emits(op_class, kinds)
    def emit_directly(b: ScalarBuilder, *operands: Value) -> Value:
        return b.op(mlir_name, *operands)


_op_class: type[Op]
for _op_class, _kinds, _mlir_name in (
    (ops.Add, "iu", "arith.addi"),
    (ops.Subtract, "iu", "arith.subi"),
    (ops.Multiply, "iu", "arith.muli"),
    (comparison.BitwiseAnd, "biu", "arith.andi"),
    (comparison.BitwiseOr, "biu", "arith.ori"),
    (comparison.BitwiseXor, "biu", "arith.xori"),
    # Booleans: sums and maxima are or, products and minima are and.
    (ops.Add, "b", "arith.ori"),
    (ops.Maximum, "b", "arith.ori"),
    (ops.Fmax, "b", "arith.ori"),
    (ops.Multiply, "b", "arith.andi"),
    (ops.Minimum, "b", "arith.andi"),
    (ops.Fmin, "b", "arith.andi"),
    (ops.Maximum, "i", "arith.maxsi"),
    (ops.Fmax, "i", "arith.maxsi"),
    (ops.Maximum, "u", "arith.maxui"),
    (ops.Fmax, "u", "arith.maxui"),
    (ops.Minimum, "i", "arith.minsi"),
    (ops.Fmin, "i", "arith.minsi"),
    (ops.Minimum, "u", "arith.minui"),
    (ops.Fmin, "u", "arith.minui"),
):
    _direct(_op_class, _kinds, _mlir_name)


def identity(b: ScalarBuilder, x: Value) -> Value:
    """The operand itself."""
    return x


for _op_class in (ops.Positive, ops.Conjugate, ops.Floor, ops.Ceil, ops.Trunc):
    emits(_op_class, "biu")(identity)
emits(ops.Absolute, "bu")(identity)


def _always(op_class: type[Op], value: bool) -> None:
    @emits(op_class, "biu")
    def emit_constant(b: ScalarBuilder, x: Value) -> Value:
        return b.of(BOOL).constant(value)


_always(comparison.Isnan, False)
_always(comparison.Isinf, False)
_always(comparison.Isfinite, True)


# Signs


@emits(ops.Negative, "iu")
def negative(b: ScalarBuilder, x: Value) -> Value:
    """Zero minus the operand."""
    return b.op("arith.subi", b.constant(0), x)


@emits(ops.Absolute, "i")
def absolute(b: ScalarBuilder, x: Value) -> Value:
    """The smallest integer stays as it is; read as unsigned, that is its absolute value."""
    return b.select(b.compare("lt", x, b.constant(0)), negative(b, x), x)


@emits(ops.Sign, "iu")
def sign(b: ScalarBuilder, x: Value) -> Value:
    """The number of comparisons with zero that hold, above less below."""
    zero = b.constant(0)
    above = b.op("arith.extui", b.compare("gt", x, zero), result=b.type)
    below = b.op("arith.extui", b.compare("lt", x, zero), result=b.type)
    return b.op("arith.subi", above, below)


@emits(ops.Square, "iu")
def square(b: ScalarBuilder, x: Value) -> Value:
    """The operand times itself."""
    return b.op("arith.muli", x, x)


# Where int64 wraps around. Comparisons with constants are what LLVM makes of the first two where one operand is known.


@emits(AddOverflows, "i")
def add_overflows(b: ScalarBuilder, x: Value, y: Value) -> Value:
    """A sum is below one operand where the other is negative, and nowhere else."""
    is_below = b.compare("lt", b.op("arith.addi", x, y), x)
    return b.differ(is_below, b.compare("lt", y, b.constant(0)))


@emits(SubtractOverflows, "i")
def subtract_overflows(b: ScalarBuilder, x: Value, y: Value) -> Value:
    """A difference is above the first operand where the second is negative, and nowhere else."""
    is_above = b.compare("gt", b.op("arith.subi", x, y), x)
    return b.differ(is_above, b.compare("lt", y, b.constant(0)))


@emits(MultiplyOverflows, "i")
def multiply_overflows(b: ScalarBuilder, x: Value, y: Value) -> Value:
    """The upper half of a product of 128 bits is the sign of the lower half, where that is the product."""
    low = b.conversion.operation("arith.mulsi_extended", [x, y], [b.type, b.type])
    high = low.owner.results[1]
    return b.compare("ne", high, b.op("arith.shrsi", low, b.constant(b.width - 1)))


# Division. Zero, and -1, by which the quotient may overflow, are replaced by a divisor of 1 before dividing.


def _safe_divisor(b: ScalarBuilder, y: Value) -> Value:
    unsafe = b.compare("eq", y, b.constant(0))
    if b.kind == "i":
        unsafe = b.either(unsafe, b.compare("eq", y, b.constant(-1)))
    return b.select(unsafe, b.constant(1), y)


def truncated_quotient(b: ScalarBuilder, x: Value, divisor: Value) -> Value:
    """Quotient rounded towards zero, by a divisor that is safe."""
    return b.op("arith.divsi" if b.kind == "i" else "arith.divui", x, divisor)


@emits(ops.Divmod, "iu")
def divmod_(b: ScalarBuilder, x: Value, y: Value) -> tuple[Value, Value]:
    """Quotient rounded down, and what it leaves; both are 0 where the divisor is."""
    zero = b.constant(0)
    divisor = _safe_divisor(b, y)
    quotient = truncated_quotient(b, x, divisor)
    remainder = b.op("arith.subi", x, b.op("arith.muli", quotient, divisor))
    if b.kind == "i":
        quotient = b.select(b.compare("eq", y, b.constant(-1)), negative(b, x), quotient)
        signs_differ = b.compare("lt", b.differ(remainder, divisor), zero)
        inexact = b.both(b.compare("ne", remainder, zero), signs_differ)
        quotient = b.select(inexact, b.op("arith.subi", quotient, b.constant(1)), quotient)
        remainder = b.select(inexact, b.op("arith.addi", remainder, divisor), remainder)
    quotient = b.select(b.compare("eq", y, zero), zero, quotient)
    return quotient, remainder


@emits(ops.FloorDivide, "iu")
def floor_divide(b: ScalarBuilder, x: Value, y: Value) -> Value:
    """The first result of divmod."""
    return divmod_(b, x, y)[0]


@emits(ops.Remainder, "iu")
def remainder(b: ScalarBuilder, x: Value, y: Value) -> Value:
    """The second result of divmod."""
    return divmod_(b, x, y)[1]


@emits(ops.Fmod, "iu")
def fmod(b: ScalarBuilder, x: Value, y: Value) -> Value:
    """What division rounded towards zero leaves; a divisor of 1 leaves 0."""
    return b.op("arith.remsi" if b.kind == "i" else "arith.remui", x, _safe_divisor(b, y))


@emits(ops.Reciprocal, "iu")
def reciprocal(b: ScalarBuilder, x: Value) -> Value:
    """Only 1 and -1 have one; that of 0 is the cast of infinity."""
    zero, one = b.constant(0), b.constant(1)
    result = b.select(b.compare("eq", x, one), one, zero)
    if b.kind == "i":
        minus_one = b.constant(-1)
        result = b.select(b.compare("eq", x, minus_one), minus_one, result)
    infinity = cast_scalar(b.conversion, b.of(FLOAT64).constant(float("inf")), FLOAT64, b.dtype)
    return b.select(b.compare("eq", x, zero), infinity, result)


# Loops


@emits(ops.Power, "iu")
def power(b: ScalarBuilder, x: Value, y: Value) -> Value:
    """Square and multiply over the bits of the exponent; a negative exponent counts as 0."""
    zero, one = b.constant(0), b.constant(1)

    def exponent_left(result: Value, base: Value, exponent: Value) -> Value:
        return b.compare("gt", exponent, zero)

    def next_bit(result: Value, base: Value, exponent: Value) -> tuple[Value, Value, Value]:
        odd = b.compare("ne", b.both(exponent, one), zero)
        multiplied = b.select(odd, b.op("arith.muli", result, base), result)
        return multiplied, b.op("arith.muli", base, base), b.op("arith.shrui", exponent, one)

    return b.loop([one, x, y], exponent_left, next_bit)[0]


@emits(comparison.Gcd, "iu")
def gcd(b: ScalarBuilder, x: Value, y: Value) -> Value:
    """Euclid's algorithm on the absolute values, as unsigned numbers."""
    zero = b.constant(0)
    magnitudes = [absolute(b, x), absolute(b, y)] if b.kind == "i" else [x, y]

    def unfinished(greater: Value, smaller: Value) -> Value:
        return b.compare("ne", smaller, zero)

    def step(greater: Value, smaller: Value) -> tuple[Value, Value]:
        return smaller, b.op("arith.remui", greater, smaller)

    return b.loop(magnitudes, unfinished, step)[0]


@emits(comparison.Lcm, "iu")
def lcm(b: ScalarBuilder, x: Value, y: Value) -> Value:
    """The first magnitude, divided by the common divisor, times the second."""
    common = gcd(b, x, y)
    divisor = b.select(b.compare("eq", common, b.constant(0)), b.constant(1), common)
    first, second = (absolute(b, v) if b.kind == "i" else v for v in (x, y))
    return b.op("arith.muli", b.op("arith.divui", first, divisor), second)


# Bits


@emits(comparison.Invert, "biu")
def invert(b: ScalarBuilder, x: Value) -> Value:
    """Exclusive or with all ones."""
    return b.differ(x, b.constant(1 if b.kind == "b" else (1 << b.width) - 1))


def _shift(b: ScalarBuilder, mlir_name: str, x: Value, count: Value, beyond: Value) -> Value:
    """Shift by a count within the width, or give `beyond`; a negative count is a large one."""
    unsigned = b.of(np.dtype(f"uint{b.width}"))
    within = unsigned.compare("lt", count, b.constant(b.width))
    shifted = b.op(mlir_name, x, b.select(within, count, b.constant(0)))
    return b.select(within, shifted, beyond)


@emits(comparison.LeftShift, "iu")
def left_shift(b: ScalarBuilder, x: Value, y: Value) -> Value:
    """Zeros come in from below."""
    return _shift(b, "arith.shli", x, y, b.constant(0))


@emits(comparison.RightShift, "iu")
def right_shift(b: ScalarBuilder, x: Value, y: Value) -> Value:
    """The sign comes in from above, also where all bits go."""
    if b.kind == "u":
        return _shift(b, "arith.shrui", x, y, b.constant(0))
    all_sign = b.op("arith.shrsi", x, b.constant(b.width - 1))
    return _shift(b, "arith.shrsi", x, y, all_sign)


@emits(comparison.BitwiseCount, "iu")
def bitwise_count(b: ScalarBuilder, x: Value) -> Value:
    """Population count of the absolute value, as an i8."""
    count = b.op("math.ctpop", absolute(b, x) if b.kind == "i" else x)
    return count if b.width == 8 else b.op("arith.trunci", count, result=scalar_type(np.dtype(np.uint8)))

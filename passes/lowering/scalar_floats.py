"""Scalar arithmetic on real floating-point numbers, by IEEE rules and the formulas of NumPy's C code."""

from __future__ import annotations

import math

import numpy as np

from ...dialect.dtypes import is_bfloat16
from ...dialect.mlir import Value, ir
from ...dialect.op import OPS, Op
from ...dialect.ops import comparison, elementary
from ...dialect.ops import elementwise as ops
from .conversion import scalar_type
from .scalar_integers import identity
from .scalars import BOOL, FLOAT32, ScalarBuilder, emits, narrow, widen


def _direct(op_class: type[Op], mlir_name: str, *, any_width: bool = False) -> None:
    """Register an op that is one op of MLIR."""

    @emits(op_class, "f", any_width=any_width)
    def emit_directly(b: ScalarBuilder, *operands: Value) -> Value:
        return b.op(mlir_name, *operands)


for _op_class in OPS.values():
    if _op_class.elementary:
        _direct(_op_class, _op_class.elementary)

for _op_class, _mlir_name in (
    (ops.Add, "arith.addf"),
    (ops.Subtract, "arith.subf"),
    (ops.Multiply, "arith.mulf"),
    (ops.Divide, "arith.divf"),
    (ops.Fmod, "arith.remf"),
    (ops.Sqrt, "math.sqrt"),
    (ops.Maximum, "arith.maximumf"),
    (ops.Minimum, "arith.minimumf"),
    (ops.Fmax, "arith.maxnumf"),
    (ops.Fmin, "arith.minnumf"),
    (ops.Floor, "math.floor"),
    (ops.Ceil, "math.ceil"),
    (ops.Trunc, "math.trunc"),
    (ops.Rint, "math.roundeven"),
):
    _direct(_op_class, _mlir_name)

for _op_class, _mlir_name in (
    (ops.Negative, "arith.negf"),
    (ops.Absolute, "math.absf"),
    (ops.Fabs, "math.absf"),
    (ops.Copysign, "math.copysign"),
):
    _direct(_op_class, _mlir_name, any_width=True)

for _op_class in (ops.Positive, ops.Conjugate):
    emits(_op_class, "f", any_width=True)(identity)


# Classes of numbers


@emits(comparison.Isnan, "f")
def isnan(b: ScalarBuilder, x: Value) -> Value:
    """A NaN differs from itself."""
    return b.compare("ne", x, x)


@emits(comparison.Isinf, "f")
def isinf(b: ScalarBuilder, x: Value) -> Value:
    """Whether the magnitude is infinity."""
    return b.compare("eq", b.op("math.absf", x), b.constant(math.inf))


@emits(comparison.Isfinite, "f")
def isfinite(b: ScalarBuilder, x: Value) -> Value:
    """Whether the magnitude is below infinity."""
    return b.compare("lt", b.op("math.absf", x), b.constant(math.inf))


@emits(ops.Signbit, "f", any_width=True)
def signbit(b: ScalarBuilder, x: Value) -> Value:
    """The highest bit."""
    bits = b.bits()
    return bits.compare("lt", b.bitcast(x, bits.dtype), bits.constant(0))


@emits(ops.Sign, "f")
def sign(b: ScalarBuilder, x: Value) -> Value:
    """0 for both zeros; a NaN stays."""
    zero = b.constant(0)
    signed = b.select(b.compare("lt", x, zero), b.constant(-1), x)
    signed = b.select(b.compare("gt", x, zero), b.constant(1), signed)
    return b.select(b.compare("eq", x, zero), zero, signed)


@emits(ops.Heaviside, "f")
def heaviside(b: ScalarBuilder, x: Value, at_zero: Value) -> Value:
    """A NaN stays."""
    zero = b.constant(0)
    result = b.select(b.compare("lt", x, zero), zero, x)
    result = b.select(b.compare("gt", x, zero), b.constant(1), result)
    return b.select(b.compare("eq", x, zero), at_zero, result)


# Arithmetic


@emits(ops.Square, "f")
def square(b: ScalarBuilder, x: Value) -> Value:
    """The operand times itself."""
    return b.op("arith.mulf", x, x)


@emits(ops.Reciprocal, "f")
def reciprocal(b: ScalarBuilder, x: Value) -> Value:
    """One divided by the operand."""
    return b.op("arith.divf", b.constant(1), x)


@emits(elementary.Deg2rad, "f")
def deg2rad(b: ScalarBuilder, x: Value) -> Value:
    """Multiply by pi / 180."""
    return b.op("arith.mulf", x, b.constant(math.pi / 180))


@emits(elementary.Rad2deg, "f")
def rad2deg(b: ScalarBuilder, x: Value) -> Value:
    """Multiply by 180 / pi, divided in the dtype itself."""
    scalar = b.dtype.type
    return b.op("arith.mulf", x, b.constant(float(scalar(180) / scalar(math.pi))))


@emits(ops.Divmod, "f")
def divmod_(b: ScalarBuilder, x: Value, y: Value) -> tuple[Value, Value]:
    """NumPy's npy_divmod: what fmod leaves gets the sign of the divisor, the quotient becomes whole."""
    zero, one = b.constant(0), b.constant(1)
    left = b.op("arith.remf", x, y)
    quotient = b.op("arith.divf", b.op("arith.subf", x, left), y)
    signs_differ = b.differ(b.compare("lt", y, zero), b.compare("lt", left, zero))
    leaves = b.compare("ne", left, zero)
    adjust = b.both(leaves, signs_differ)
    remainder = b.select(adjust, b.op("arith.addf", left, y), left)
    remainder = b.select(leaves, remainder, b.op("math.copysign", zero, y))
    quotient = b.select(adjust, b.op("arith.subf", quotient, one), quotient)
    floored = b.op("math.floor", quotient)
    too_low = b.compare("gt", b.op("arith.subf", quotient, floored), b.constant(0.5))
    floored = b.select(too_low, b.op("arith.addf", floored, one), floored)
    true_quotient = b.op("arith.divf", x, y)
    signed_zero = b.op("math.copysign", zero, true_quotient)
    whole = b.select(b.compare("ne", quotient, zero), floored, signed_zero)
    by_zero = b.compare("eq", y, zero)
    return b.select(by_zero, true_quotient, whole), b.select(by_zero, left, remainder)


@emits(ops.FloorDivide, "f")
def floor_divide(b: ScalarBuilder, x: Value, y: Value) -> Value:
    """The first result of divmod."""
    return divmod_(b, x, y)[0]


@emits(ops.Remainder, "f")
def remainder(b: ScalarBuilder, x: Value, y: Value) -> Value:
    """The second result of divmod."""
    return divmod_(b, x, y)[1]


@emits(ops.Hypot, "f")
def hypot(b: ScalarBuilder, x: Value, y: Value) -> Value:
    """What is narrower than float32 cannot overflow when it is squared in float32; the others are scaled."""
    length = _short_hypot(b, x, y) if b.width < 32 else _long_hypot(b, x, y)
    infinite = b.either(isinf(b, x), isinf(b, y))
    return b.select(infinite, b.constant(math.inf), length)


def _short_hypot(b: ScalarBuilder, x: Value, y: Value) -> Value:
    wide = b.of(np.dtype(np.float32))
    squares = [square(wide, b.op("arith.extf", v, result=wide.type)) for v in (x, y)]
    root = b.op("math.sqrt", wide.op("arith.addf", *squares))
    return b.op("arith.truncf", root, result=b.type)


_HYPOT_SCALES = {32: (60, -40, 80), 64: (500, -400, 600)}
"""Binary exponents, by width: numbers above the first or below the second are scaled by the third."""


def _long_hypot(b: ScalarBuilder, x: Value, y: Value) -> Value:
    """Scaled by powers of two where a square could overflow, or lose digits that count; right to an ulp."""
    highest, lowest, shift = _HYPOT_SCALES[b.width]
    x, y = b.op("math.absf", x), b.op("math.absf", y)
    larger, smaller = b.op("arith.maximumf", x, y), b.op("arith.minimumf", x, y)
    large = b.compare("gt", larger, b.constant(2.0**highest))
    small = b.compare("lt", larger, b.constant(2.0**lowest))
    up, down = b.constant(2.0**shift), b.constant(2.0**-shift)
    scale = b.select(large, down, b.select(small, up, b.constant(1)))
    back = b.select(large, up, b.select(small, down, b.constant(1)))
    larger, smaller = b.op("arith.mulf", larger, scale), b.op("arith.mulf", smaller, scale)
    sum = b.op("math.fma", larger, larger, b.op("arith.mulf", smaller, smaller))
    return b.op("arith.mulf", b.op("math.sqrt", sum), back)


# Logarithms of sums


def _log_of_sum(b: ScalarBuilder, x: Value, y: Value, base: float, exponential: str) -> Value:
    """The larger operand plus the logarithm of one plus the base to the power of the difference."""
    difference = b.op("arith.subf", x, y)
    larger = b.select(b.compare("gt", difference, b.constant(0)), x, y)
    power = b.op(exponential, b.op("arith.negf", b.op("math.absf", difference)))
    correction = b.op("math.log1p", power)
    if base != math.e:
        correction = b.op("arith.mulf", correction, b.constant(1 / math.log(base)))
    # Equal operands may be infinite, which leaves no difference to compute with.
    correction = b.select(b.compare("eq", x, y), b.constant(math.log(2) / math.log(base)), correction)
    total = b.op("arith.addf", larger, correction)
    return b.select(isnan(b, x), x, total)


@emits(elementary.Logaddexp, "f")
def logaddexp(b: ScalarBuilder, x: Value, y: Value) -> Value:
    """To base e."""
    return _log_of_sum(b, x, y, math.e, "math.exp")


@emits(elementary.Logaddexp2, "f")
def logaddexp2(b: ScalarBuilder, x: Value, y: Value) -> Value:
    """To base 2."""
    return _log_of_sum(b, x, y, 2.0, "math.exp2")


# Parts of a number


@emits(ops.Modf, "f")
def modf(b: ScalarBuilder, x: Value) -> tuple[Value, Value]:
    """An infinity has the fraction 0."""
    whole = b.op("math.trunc", x)
    fraction = b.select(isinf(b, x), b.constant(0), b.op("arith.subf", x, whole))
    return b.op("math.copysign", fraction, x), whole


@emits(ops.Frexp, "f")
def frexp(b: ScalarBuilder, x: Value) -> tuple[Value, Value]:
    """Take the exponent from the bits, of denormal numbers after scaling them up; 0, inf and NaN stay."""
    bits, layout = b.bits(), np.finfo(b.dtype)
    digits, bias = layout.nmant, layout.maxexp - 1
    magnitude = b.op("math.absf", x)
    denormal = b.compare("lt", magnitude, b.constant(float(layout.tiny)))
    scaled = b.select(denormal, b.op("arith.mulf", x, b.constant(2.0**64)), x)
    pattern = b.bitcast(scaled, bits.dtype)
    field = bits.constant((1 << (b.width - 1 - digits)) - 1)
    exponent = b.both(b.op("arith.shrui", pattern, bits.constant(digits)), field)
    offset = b.select(denormal, bits.constant(bias - 1 + 64), bits.constant(bias - 1))
    exponent = b.op("arith.subi", exponent, offset)
    kept = bits.constant(~(((1 << (b.width - 1 - digits)) - 1) << digits))
    half = bits.constant((bias - 1) << digits)
    mantissa = b.bitcast(b.either(b.both(pattern, kept), half), b.dtype)
    special = b.either(b.compare("eq", x, b.constant(0)), b.complement(isfinite(b, x)))
    exponent = b.select(special, bits.constant(0), exponent)
    i32 = scalar_type(np.dtype(np.int32))
    narrow_exponent = exponent if exponent.type == i32 else b.op("arith.trunci", exponent, result=i32)
    return b.select(special, x, mantissa), narrow_exponent


@emits(ops.Ldexp, "f")
def ldexp(b: ScalarBuilder, x: Value, exponent: Value) -> Value:
    """Three products with powers of two, of which one at most rounds.

    A product that others follow goes down by so little that what it makes denormal ends as zero.
    """
    layout, i32 = np.finfo(b.dtype), b.of(np.dtype(np.int32))
    lowest, highest = int(layout.minexp), int(layout.maxexp) - 1

    def limited(count: Value, low: int, high: int) -> Value:
        integer = b.of(np.dtype(f"int{ir.IntegerType(count.type).width}"))
        return b.op("arith.maxsi", b.op("arith.minsi", count, integer.constant(high)), integer.constant(low))

    count = limited(exponent, -3 * highest, 3 * highest)
    if count.type != i32.type:
        count = b.op("arith.trunci", count, result=i32.type)
    for _ in range(2):
        far = i32.compare("lt", count, i32.constant(lowest))
        step = b.select(far, i32.constant(lowest + layout.nmant + 1), limited(count, lowest, highest))
        x, count = b.op("arith.mulf", x, _power_of_two(b, step)), i32.op("arith.subi", count, step)
    return b.op("arith.mulf", x, _power_of_two(b, limited(count, lowest, highest)))


def _power_of_two(b: ScalarBuilder, exponent: Value) -> Value:
    """2 to the power of an int32 in the range of normal numbers."""
    bits, layout = b.bits(), np.finfo(b.dtype)
    if b.width > 32:
        exponent = b.op("arith.extsi", exponent, result=bits.type)
    biased = bits.op("arith.addi", exponent, bits.constant(int(layout.maxexp) - 1))
    return b.bitcast(bits.op("arith.shli", biased, bits.constant(layout.nmant)), b.dtype)


# Neighbours: the bits of a number, read as an integer, count the numbers from zero.


def _neighbour(b: ScalarBuilder, x: Value, away: Value) -> Value:
    """The next number after a nonzero one, away from zero or towards it."""
    bits = b.bits()
    step = b.select(away, bits.constant(1), bits.constant(-1))
    return b.bitcast(b.op("arith.addi", b.bitcast(x, bits.dtype), step), b.dtype)


@emits(ops.Nextafter, "f", any_width=True)
def nextafter(b: ScalarBuilder, x: Value, y: Value) -> Value:
    """The second operand of equal ones (but the first zero of float16), NaN if one is NaN."""
    wide = b.of(FLOAT32) if b.width < 32 else b
    wide_x, wide_y, zero = widen(b, x), widen(b, y), wide.constant(0)
    away = b.complement(b.differ(wide.compare("lt", wide_x, wide_y), wide.compare("gt", wide_x, zero)))
    smallest = b.op("math.copysign", b.bitcast(b.bits().constant(1), b.dtype), y)
    moved = b.select(wide.compare("eq", wide_x, zero), smallest, _neighbour(b, x, away))
    moved = b.select(wide.compare("eq", wide_x, wide_y), x if b.dtype == np.float16 else y, moved)
    moved = b.select(isnan(wide, wide_y), y, moved)
    return b.select(isnan(wide, wide_x), x, moved)


@emits(ops.Spacing, "f", any_width=True)
def spacing(b: ScalarBuilder, x: Value) -> Value:
    """Away from zero, with the sign of the number; of float16, towards infinity. NaN of an infinity."""
    wide = b.of(FLOAT32) if b.width < 32 else b
    wide_x, zero = widen(b, x), wide.constant(0)
    away = wide.compare("ge", wide_x, zero) if b.dtype == np.float16 else b.of(BOOL).constant(True)
    next_x = widen(b, _neighbour(b, x, away))
    distance = wide.op("arith.subf", next_x, wide_x)
    if not is_bfloat16(b.dtype):
        smallest = widen(b, b.bitcast(b.bits().constant(1), b.dtype))
        distance = b.select(wide.compare("eq", wide_x, zero), smallest, distance)
    distance = b.select(isinf(wide, wide_x), wide.constant(math.nan), distance)
    return narrow(b, distance)

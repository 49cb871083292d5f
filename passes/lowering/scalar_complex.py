"""Scalar arithmetic on complex numbers, by the formulas of NumPy's C code.

Functions without a formula are calls of the C library on float64 parts; complex64 is computed in complex128.
"""

from __future__ import annotations

import math

import numpy as np

from ...dialect.mlir import Value
from ...dialect.op import Op
from ...dialect.ops import comparison, elementary
from ...dialect.ops import elementwise as ops
from . import scalar_floats
from .scalar_casts import cast_scalar
from .scalar_comparisons import complex_parts, complex_relation
from .scalar_integers import identity
from .scalars import DataType, ScalarBuilder, emits

_COMPLEX128 = np.dtype(np.complex128)


def make(b: ScalarBuilder, real: Value, imag: Value) -> Value:
    """The complex scalar of two parts."""
    return b.op("complex.create", real, imag, result=b.type)


emits(ops.Positive, "c")(identity)


# Part by part


def _by_parts(op_class: type[Op], mlir_name: str) -> None:
    """Register an op that is one op of MLIR on the real and on the imaginary parts."""

    @emits(op_class, "c")
    def emit_parts(b: ScalarBuilder, *operands: Value) -> Value:
        parts = [complex_parts(b, x) for x in operands]
        part = parts[0][0]
        real = part.op(mlir_name, *(real for _, real, _ in parts))
        imag = part.op(mlir_name, *(imag for _, _, imag in parts))
        return make(b, real, imag)


_op_class: type[Op]
for _op_class, _mlir_name in (
    (ops.Add, "arith.addf"),
    (ops.Subtract, "arith.subf"),
    (ops.Negative, "arith.negf"),
    (ops.Rint, "math.roundeven"),
):
    _by_parts(_op_class, _mlir_name)


@emits(ops.Conjugate, "c")
def conjugate(b: ScalarBuilder, x: Value) -> Value:
    """Negate the imaginary part."""
    part, real, imag = complex_parts(b, x)
    return make(b, real, part.op("arith.negf", imag))


@emits(comparison.Isnan, "c")
def isnan(b: ScalarBuilder, x: Value) -> Value:
    """Whether a part is NaN."""
    part, real, imag = complex_parts(b, x)
    return b.either(scalar_floats.isnan(part, real), scalar_floats.isnan(part, imag))


@emits(comparison.Isinf, "c")
def isinf(b: ScalarBuilder, x: Value) -> Value:
    """Whether a part is infinite."""
    part, real, imag = complex_parts(b, x)
    return b.either(scalar_floats.isinf(part, real), scalar_floats.isinf(part, imag))


@emits(comparison.Isfinite, "c")
def isfinite(b: ScalarBuilder, x: Value) -> Value:
    """Whether both parts are finite."""
    part, real, imag = complex_parts(b, x)
    return b.both(scalar_floats.isfinite(part, real), scalar_floats.isfinite(part, imag))


# Products and quotients


@emits(ops.Multiply, "c")
def multiply(b: ScalarBuilder, x: Value, y: Value) -> Value:
    """The schoolbook formula, without C's repair of infinities."""
    p, x_real, x_imag = complex_parts(b, x)
    _, y_real, y_imag = complex_parts(b, y)
    real = p.op("arith.subf", p.op("arith.mulf", x_real, y_real), p.op("arith.mulf", x_imag, y_imag))
    imag = p.op("arith.addf", p.op("arith.mulf", x_real, y_imag), p.op("arith.mulf", x_imag, y_real))
    return make(b, real, imag)


@emits(ops.Square, "c")
def square(b: ScalarBuilder, x: Value) -> Value:
    """The operand times itself."""
    return multiply(b, x, x)


@emits(ops.Divide, "c")
def divide(b: ScalarBuilder, x: Value, y: Value) -> Value:
    """Smith's algorithm: scale by the larger part of the divisor. By zero, both parts are divided by zero."""
    p, x_real, x_imag = complex_parts(b, x)
    _, y_real, y_imag = complex_parts(b, y)
    real_size, imag_size = p.op("math.absf", y_real), p.op("math.absf", y_imag)
    by_real = p.compare("ge", real_size, imag_size)
    larger, smaller = p.select(by_real, y_real, y_imag), p.select(by_real, y_imag, y_real)
    first, second = p.select(by_real, x_real, x_imag), p.select(by_real, x_imag, x_real)
    ratio = p.op("arith.divf", smaller, larger)
    size = p.op("arith.addf", larger, p.op("arith.mulf", smaller, ratio))
    scale = p.op("arith.divf", p.constant(1), size)
    real = p.op("arith.addf", first, p.op("arith.mulf", second, ratio))
    scaled_first = p.op("arith.mulf", first, ratio)
    imag = p.select(
        by_real, p.op("arith.subf", second, scaled_first), p.op("arith.subf", scaled_first, second)
    )
    by_zero = p.both(by_real, p.compare("eq", real_size, p.constant(0)))
    parts = [
        p.select(by_zero, p.op("arith.divf", whole, real_size), p.op("arith.mulf", numerator, scale))
        for whole, numerator in ((x_real, real), (x_imag, imag))
    ]
    return make(b, *parts)


@emits(ops.Reciprocal, "c")
def reciprocal(b: ScalarBuilder, x: Value) -> Value:
    """Smith's algorithm for a dividend of one."""
    p, real, imag = complex_parts(b, x)
    by_real = p.compare("le", p.op("math.absf", imag), p.op("math.absf", real))
    larger, smaller = p.select(by_real, real, imag), p.select(by_real, imag, real)
    ratio = p.op("arith.divf", smaller, larger)
    size = p.op("arith.addf", larger, p.op("arith.mulf", smaller, ratio))
    one = p.constant(1)
    numerators = p.select(by_real, one, ratio), p.op("arith.negf", p.select(by_real, ratio, one))
    return make(b, *(p.op("arith.divf", numerator, size) for numerator in numerators))


@emits(ops.Absolute, "c")
def absolute(b: ScalarBuilder, x: Value) -> Value:
    """The hypotenuse of the parts."""
    return scalar_floats.hypot(*complex_parts(b, x))


@emits(ops.Sign, "c")
def sign(b: ScalarBuilder, x: Value) -> Value:
    """x / abs(x); along an axis where one part is infinite, NaN where both are, 0 of 0."""
    p, real, imag = complex_parts(b, x)
    length = scalar_floats.hypot(p, real, imag)
    infinite = scalar_floats.isinf(p, length)
    is_zero = p.compare("eq", length, p.constant(0))
    undefined = p.both(scalar_floats.isinf(p, real), scalar_floats.isinf(p, imag))
    undefined = p.either(undefined, scalar_floats.isnan(p, length))

    def unit(part: Value) -> Value:
        along = p.select(scalar_floats.isinf(p, part), scalar_floats.sign(p, part), p.constant(0))
        result = p.select(infinite, along, p.op("arith.divf", part, length))
        return p.select(undefined, p.constant(math.nan), p.select(is_zero, p.constant(0), result))

    return make(b, unit(real), unit(imag))


# Order


def _extremum(op_class: type[Op], relation: str, *, keep_nan: bool) -> None:
    """Register the first operand if it is beyond the second, or decided by a NaN; else the second."""

    @emits(op_class, "c")
    def emit_extremum(b: ScalarBuilder, x: Value, y: Value) -> Value:
        beyond = complex_relation(b, relation, x, y)
        return b.select(b.either(beyond, isnan(b, x if keep_nan else y)), x, y)


_extremum(ops.Maximum, "ge", keep_nan=True)
_extremum(ops.Minimum, "le", keep_nan=True)
_extremum(ops.Fmax, "ge", keep_nan=False)
_extremum(ops.Fmin, "le", keep_nan=False)


# Functions of the C library


def _convert(b: ScalarBuilder, x: Value, target: DataType) -> Value:
    return cast_scalar(b.conversion, x, b.dtype, target)


def _call(b: ScalarBuilder, function: str, *operands: Value) -> Value:
    """Call a complex function; `b` is the builder of the operands and of the result."""
    wide = b.of(_COMPLEX128)
    arguments: list[Value] = []
    for operand in operands:
        arguments += complex_parts(wide, _convert(b, operand, _COMPLEX128))[1:]
    result = make(wide, *b.call(function, *arguments))
    return _convert(wide, result, b.dtype)


def _library(op_class: type[Op], function: str) -> None:
    @emits(op_class, "c")
    def emit_call(b: ScalarBuilder, x: Value) -> Value:
        return _call(b, function, x)


for _op_class, _function in (
    (elementary.Exp, "cexp"),
    (elementary.Log, "clog"),
    (ops.Sqrt, "csqrt"),
    (elementary.Sin, "csin"),
    (elementary.Cos, "ccos"),
    (elementary.Tan, "ctan"),
    (elementary.Sinh, "csinh"),
    (elementary.Cosh, "ccosh"),
    (elementary.Tanh, "ctanh"),
    (elementary.Arcsin, "casin"),
    (elementary.Arccos, "cacos"),
    (elementary.Arctan, "catan"),
    (elementary.Arcsinh, "casinh"),
    (elementary.Arccosh, "cacosh"),
    (elementary.Arctanh, "catanh"),
):
    _library(_op_class, _function)


def _scaled(b: ScalarBuilder, x: Value, factor: float) -> Value:
    """Both parts times a real factor."""
    part, real, imag = complex_parts(b, x)
    return make(b, *(part.op("arith.mulf", p, part.constant(factor)) for p in (real, imag)))


@emits(elementary.Exp2, "c")
def exp2(b: ScalarBuilder, x: Value) -> Value:
    """exp(x log(2))."""
    return _call(b, "cexp", _scaled(b, x, math.log(2)))


@emits(elementary.Log2, "c")
def log2(b: ScalarBuilder, x: Value) -> Value:
    """log(x) / log(2)."""
    return _scaled(b, _call(b, "clog", x), 1 / math.log(2))


@emits(elementary.Log10, "c")
def log10(b: ScalarBuilder, x: Value) -> Value:
    """log(x) / log(10)."""
    return _scaled(b, _call(b, "clog", x), 1 / math.log(10))


@emits(elementary.Log1p, "c")
def log1p(b: ScalarBuilder, x: Value) -> Value:
    """Logarithm of the length and the angle of 1 + x."""
    part, real, imag = complex_parts(b, x)
    shifted = part.op("arith.addf", real, part.constant(1))
    length = scalar_floats.hypot(part, shifted, imag)
    return make(b, part.op("math.log", length), part.op("math.atan2", imag, shifted))


@emits(elementary.Expm1, "c")
def expm1(b: ScalarBuilder, x: Value) -> Value:
    """Real part expm1(real) cos(imag) - 2 sin(imag / 2)**2, imaginary part exp(real) sin(imag)."""
    p, real, imag = complex_parts(b, x)
    half_sine = p.op("math.sin", p.op("arith.mulf", imag, p.constant(0.5)))
    product = p.op("arith.mulf", p.op("math.expm1", real), p.op("math.cos", imag))
    twice_square = p.op("arith.mulf", p.op("arith.mulf", p.constant(2), half_sine), half_sine)
    imaginary = p.op("arith.mulf", p.op("math.exp", real), p.op("math.sin", imag))
    return make(b, p.op("arith.subf", product, twice_square), imaginary)


# Powers


@emits(ops.Power, "c")
def power(b: ScalarBuilder, x: Value, y: Value) -> Value:
    """By multiplication for whole exponents between -100 and 100, else by the library's function.

    As in NumPy's nc_pow, a zero exponent gives 1, and a power of zero is 0 for an exponent with a positive
    real part, NaN for another.
    """
    p, x_real, x_imag = complex_parts(b, x)
    _, y_real, y_imag = complex_parts(b, y)
    zero, one = p.constant(0), make(b, p.constant(1), p.constant(0))
    real_exponent = p.compare("eq", y_imag, zero)
    zero_exponent = p.both(p.compare("eq", y_real, zero), real_exponent)
    zero_base = p.both(p.compare("eq", x_real, zero), p.compare("eq", x_imag, zero))
    small = p.compare("lt", p.op("math.absf", y_real), p.constant(100))
    whole = p.compare("eq", p.op("math.trunc", y_real), y_real)
    by_products = p.both(p.both(real_exponent, small), whole)
    exponent = p.select(by_products, y_real, zero)

    product = _power_by_products(b, x, exponent)
    product = b.select(p.compare("lt", exponent, zero), divide(b, one, product), product)
    squared = multiply(b, x, x)
    for short, value in ((1, x), (2, squared), (3, multiply(b, x, squared))):
        product = b.select(p.compare("eq", exponent, p.constant(short)), value, product)
    result = b.select(by_products, product, _call(b, "cpow", x, y))

    not_a_number = make(b, p.constant(math.nan), p.constant(math.nan))
    of_zero = b.select(p.compare("gt", y_real, zero), make(b, zero, zero), not_a_number)
    return b.select(zero_exponent, one, b.select(zero_base, of_zero, result))


def _power_by_products(b: ScalarBuilder, x: Value, exponent: Value) -> Value:
    """The base to the power of the size of a whole exponent (a float below 100), by square and multiply."""
    part = b.of(np.dtype(f"float{b.width // 2}"))
    integer = b.of(np.dtype(np.int32))
    count = cast_scalar(b.conversion, part.op("math.absf", exponent), part.dtype, integer.dtype)
    zero, unit = integer.constant(0), integer.constant(1)

    def bits_left(result: Value, base: Value, bits: Value) -> Value:
        return integer.compare("gt", bits, zero)

    def next_bit(result: Value, base: Value, bits: Value) -> tuple[Value, Value, Value]:
        odd = integer.compare("ne", integer.both(bits, unit), zero)
        multiplied = b.select(odd, multiply(b, result, base), result)
        return multiplied, multiply(b, base, base), integer.op("arith.shrui", bits, unit)

    one = make(b, part.constant(1), part.constant(0))
    return b.loop([one, x, count], bits_left, next_bit)[0]


emits(ops.FloatPower, "c")(power)

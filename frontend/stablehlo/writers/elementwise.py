"""Ops of elements."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....dialect.dtypes import kind
from ....dialect.emitter import INT64, Tensor
from ....dialect.mlir import ir
from .table import BOOL, Builder, Unsaid, plain, require_real, writer

plain(
    {
        "add": "add",
        "subtract": "subtract",
        "multiply": "multiply",
        "divide": "divide",
        "negative": "negate",
        "fabs": "abs",
        "sqrt": "sqrt",
        "cbrt": "cbrt",
        "maximum": "maximum",
        "minimum": "minimum",
        "exp": "exponential",
        "expm1": "exponential_minus_one",
        "log": "log",
        "log1p": "log_plus_one",
        "sin": "sine",
        "cos": "cosine",
        "tan": "tan",
        "tanh": "tanh",
        "arctan2": "atan2",
        "expit": "logistic",
        "bitwise_and": "and",
        "bitwise_or": "or",
        "bitwise_xor": "xor",
        "invert": "not",
        "left_shift": "shift_left",
        "fmod": "remainder",
    }
)


def of(b: Builder, x: Tensor, value: float) -> Tensor:
    """A number of the dtype of another."""
    return b.number(value, x.dtype)


@writer("positive", "stop_gradient", "independent", "pause")
def positive(b: Builder, x: Tensor, **attributes: Any) -> Tensor:
    return x


@writer("barrier")
def barrier(b: Builder, x: Tensor, after: Tensor) -> Tensor:
    made = b.operation("optimization_barrier", [x, after], [x.type, after.type])
    return b.value(made.results[0])


@writer("absolute")
def absolute(b: Builder, x: Tensor) -> Tensor:
    if kind(x.dtype) in "bu":
        return x
    real = x.type.with_dtype(np.zeros((), x.dtype).real.dtype) if x.is_complex else x.type
    return b.make("abs", [x], real)


@writer("sign")
def sign(b: Builder, x: Tensor) -> Tensor:
    if kind(x.dtype) == "u":
        return b.one("minimum", x, 1)
    found = b.same("sign", x)
    return b.one("select", x.equals(0), of(b, x, 0), found) if kind(x.dtype) == "f" else found


@writer("signbit")
def signbit(b: Builder, x: Tensor) -> Tensor:
    bits = b.bitcast(x, dtype=np.dtype(f"i{x.dtype.itemsize}"))
    return b.one("less", bits, 0)


@writer("square")
def square(b: Builder, x: Tensor) -> Tensor:
    return x * x


@writer("reciprocal")
def reciprocal(b: Builder, x: Tensor) -> Tensor:
    if kind(x.dtype) in "iu":
        raise Unsaid("divides integers by zero, which StableHLO leaves open")
    return 1 / x


@writer("conjugate")
def conjugate(b: Builder, x: Tensor) -> Tensor:
    return b.one("complex", b.real(x), b.negative(b.imag(x))) if x.is_complex else x


@writer("power")
def power(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    if kind(x.dtype) == "i":
        y = b.maximum(y, 0)  # a negative exponent counts as 0
    return b.same("power", x, y)


@writer("float_power")
def float_power(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    return b.same("power", x, y)


@writer("floor_divide")
def floor_divide(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    return _divided(b, x, y)[0]


@writer("remainder")
def remainder(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    return _divided(b, x, y)[1]


@writer("divmod")
def divmod_(b: Builder, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return _divided(b, x, y)


def _divided(b: Builder, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Quotient and rest, with the sign of the divisor; of integers, both are 0 where that is 0."""
    x, y = b.spread(x, y)
    if kind(x.dtype) in "iu":
        by_zero, negated = y.equals(0), None
        safe = b.select(by_zero, of(b, y, 1), y)
        if kind(x.dtype) == "i":  # the smallest one divided by -1 is left open
            is_minus_one = safe.equals(-1)
            safe = b.select(is_minus_one, of(b, y, 1), safe)
            negated = is_minus_one
        rest = b.same("remainder", x, safe)
        whole = b.same("divide", x, safe)
        if negated is not None:
            is_other = b.not_equal(rest, 0) & b.not_equal(b.less(rest, 0), b.less(safe, 0))
            whole = b.select(is_other, whole - 1, whole)
            rest = b.select(is_other, rest + safe, rest)
            whole = b.select(negated, b.negative(x), whole)
            rest = b.select(negated, of(b, x, 0), rest)
        return b.select(by_zero, of(b, x, 0), whole), b.select(by_zero, of(b, x, 0), rest)
    rest = b.same("remainder", x, y)
    quotient = (x - rest) / y
    is_other = b.not_equal(rest, 0) & b.not_equal(b.less(y, 0), b.less(rest, 0))
    zero = b.copysign(b.zeros_like(x), y)
    found = b.select(b.not_equal(rest, 0), b.select(is_other, rest + y, rest), zero)
    quotient = b.select(is_other, quotient - 1, quotient)
    whole = b.floor(quotient)
    whole = b.select(b.greater(quotient - whole, 0.5), whole + 1, whole)
    whole = b.select(b.not_equal(quotient, 0), whole, b.copysign(b.zeros_like(x), x / y))
    by_zero = y.equals(0)
    return b.select(by_zero, x / y, whole), b.select(by_zero, b.same("remainder", x, y), found)


@writer("fmax")
def fmax(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    return _of_numbers(b, "maximum", x, y)


@writer("fmin")
def fmin(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    return _of_numbers(b, "minimum", x, y)


def _of_numbers(b: Builder, name: str, x: Tensor, y: Tensor) -> Tensor:
    """The larger or smaller one; a NaN gives way."""
    x, y = b.spread(x, y)
    found = b.same(name, x, y)
    if kind(x.dtype) in "biu":
        return found
    return b.one("select", b.isnan(x), y, b.select(b.isnan(y), x, found))


def _rounding(name: str) -> Any:
    def rounded(b: Builder, x: Tensor) -> Tensor:
        if x.is_complex:
            return b.one("complex", rounded(b, b.real(x)), rounded(b, b.imag(x)))
        return b.same(name, x) if kind(x.dtype) == "f" else x

    return rounded


for _own, _name in {"floor": "floor", "ceil": "ceil", "rint": "round_nearest_even"}.items():
    writer(_own)(_rounding(_name))


@writer("trunc")
def trunc(b: Builder, x: Tensor) -> Tensor:
    if kind(x.dtype) in "biu":
        return x
    return b.one("select", b.less(x, 0) | b.signbit(x), b.ceil(x), b.floor(x))


@writer("modf")
def modf(b: Builder, x: Tensor) -> tuple[Tensor, Tensor]:
    whole = b.trunc(x)
    part = b.select(b.isinf(x), b.zeros_like(x), x - whole)
    return b.copysign(part, x), whole


@writer("copysign")
def copysign(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    x, y = b.spread(x, y)
    whole = np.dtype(f"i{x.dtype.itemsize}")
    lowest = int(np.iinfo(whole).min)
    size, of_sign = (b.bitcast(each, dtype=whole) for each in (x, y))
    bits = b.bitwise_or(b.bitwise_and(size, ~lowest), b.bitwise_and(of_sign, lowest))
    return b.one("bitcast", bits, dtype=x.dtype)


@writer("heaviside")
def heaviside(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    x, y = b.spread(x, y)
    found = b.select(b.less(x, 0), of(b, x, 0), of(b, x, 1))
    found = b.select(x.equals(0), y, found)
    return b.one("select", b.isnan(x), x, found)


@writer("exp2")
def exp2(b: Builder, x: Tensor) -> Tensor:
    require_real(x)
    return b.one("power", of(b, x, 2), x)


def _scaled(b: Builder, x: Tensor, factor: float) -> Tensor:
    """Numbers times a real one; of complex numbers, each part."""
    if x.is_complex:
        return b.one("complex", b.real(x) * factor, b.imag(x) * factor)
    return x * factor


@writer("log2")
def log2(b: Builder, x: Tensor) -> Tensor:
    return _scaled(b, b.log(x), 1 / math.log(2))


@writer("log10")
def log10(b: Builder, x: Tensor) -> Tensor:
    return _scaled(b, b.log(x), 1 / math.log(10))


@writer("logaddexp")
def logaddexp(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    x, y = b.spread(x, y)
    found = b.maximum(x, y) + b.log1p(b.exp(b.negative(b.absolute(x - y))))
    return b.one("select", b.equal(x, y), x + math.log(2), found)


@writer("logaddexp2")
def logaddexp2(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    x, y = b.spread(x, y)
    found = b.maximum(x, y) + b.log1p(b.exp2(b.negative(b.absolute(x - y)))) * (1 / math.log(2))
    return b.one("select", b.equal(x, y), x + 1, found)


@writer("hypot")
def hypot(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    x, y = (b.absolute(each) for each in b.spread(x, y))
    large, small = b.maximum(x, y), b.minimum(x, y)
    ratio = b.select(large.equals(0), of(b, x, 0), small / large)
    found = large * b.sqrt(1 + ratio * ratio)
    return b.one("select", b.isinf(x) | b.isinf(y), of(b, x, np.inf), found)


@writer("deg2rad")
def deg2rad(b: Builder, x: Tensor) -> Tensor:
    return x * (math.pi / 180)


@writer("rad2deg")
def rad2deg(b: Builder, x: Tensor) -> Tensor:
    return x * (180 / math.pi)


# Inverse and hyperbolic functions, of which StableHLO has few


@writer("arcsin")
def arcsin(b: Builder, x: Tensor) -> Tensor:
    require_real(x)
    return b.one("arctan2", x, b.sqrt((1 - x) * (1 + x)))


@writer("arccos")
def arccos(b: Builder, x: Tensor) -> Tensor:
    require_real(x)
    return b.one("arctan2", b.sqrt((1 - x) * (1 + x)), x)


@writer("arctan")
def arctan(b: Builder, x: Tensor) -> Tensor:
    require_real(x)
    return b.one("arctan2", x, of(b, x, 1))


@writer("sinh")
def sinh(b: Builder, x: Tensor) -> Tensor:
    require_real(x)
    size = b.absolute(x)
    less = b.expm1(size)
    small = (less + less / (less + 1)) * 0.5
    large = b.exp(size - math.log(2))  # which is finite a little longer
    return b.one("copysign", b.select(b.greater(size, 10), large, small), x)


@writer("cosh")
def cosh(b: Builder, x: Tensor) -> Tensor:
    require_real(x)
    size = b.absolute(x)
    found: Tensor = b.exp(size - math.log(2)) + b.exp(b.negative(size) - math.log(2))
    return found


@writer("arcsinh")
def arcsinh(b: Builder, x: Tensor) -> Tensor:
    require_real(x)
    size = b.absolute(x)
    small = b.log1p(size + size * size / (1 + b.sqrt(size * size + 1)))
    large = b.log(size) + math.log(2)
    return b.one("copysign", b.select(b.greater(size, _root(x)), large, small), x)


@writer("arccosh")
def arccosh(b: Builder, x: Tensor) -> Tensor:
    require_real(x)
    less = x - 1
    small = b.log1p(less + b.sqrt(less * (x + 1)))
    large = b.log(x) + math.log(2)
    return b.one("select", b.greater(x, _root(x)), large, small)


def _root(x: Tensor) -> float:
    """What can be squared, with room."""
    return 100.0 if x.dtype.itemsize == 2 else 1e8 if x.dtype.itemsize == 4 else 1e16


@writer("arctanh")
def arctanh(b: Builder, x: Tensor) -> Tensor:
    require_real(x)
    found: Tensor = (b.log1p(x) - b.log1p(b.negative(x))) * 0.5
    return found


# Comparisons and booleans

_DIRECTIONS = {
    "equal": "EQ",
    "not_equal": "NE",
    "less": "LT",
    "less_equal": "LE",
    "greater": "GT",
    "greater_equal": "GE",
}


def compared(b: Builder, direction: str, x: Tensor, y: Tensor) -> Tensor:
    """A comparison."""
    x, y = b.spread(x, y)
    if x.dtype != y.dtype:
        return _of_other_sign(b, direction, x, y)
    character = kind(x.dtype)
    if character == "c" and direction not in ("EQ", "NE"):
        raise Unsaid("orders complex numbers")
    form = "FLOAT" if character in "fc" else "SIGNED" if character == "i" else "UNSIGNED"
    return b.make(
        "compare",
        [x, y],
        x.type.with_dtype(BOOL),
        comparison_direction=ir.Attribute.parse(f"#stablehlo<comparison_direction {direction}>"),
        compare_type=ir.Attribute.parse(f"#stablehlo<comparison_type {form}>"),
    )


_SWAPPED = {"EQ": "EQ", "NE": "NE", "LT": "GT", "LE": "GE", "GT": "LT", "GE": "LE"}


def _of_other_sign(b: Builder, direction: str, x: Tensor, y: Tensor) -> Tensor:
    """A comparison of i64 with ui64, by their values."""
    if kind(x.dtype) == "u":
        return compared(b, _SWAPPED[direction], y, x)
    found = compared(b, direction, b.bitcast(x, dtype=y.dtype), y)
    if direction in ("NE", "LT", "LE"):
        return b.one("logical_or", b.less(x, 0), found)
    return b.one("logical_and", b.greater_equal(x, 0), found)


def _comparison(direction: str) -> Any:
    return lambda b, x, y: compared(b, direction, x, y)


for _name, _direction in _DIRECTIONS.items():
    writer(_name)(_comparison(_direction))


@writer("isnan")
def isnan(b: Builder, x: Tensor) -> Tensor:
    return compared(b, "NE", x, x)


@writer("isinf")
def isinf(b: Builder, x: Tensor) -> Tensor:
    if x.is_complex:
        return b.one("logical_or", b.isinf(b.real(x)), b.isinf(b.imag(x)))
    return b.absolute(x).equals(np.inf) if kind(x.dtype) == "f" else _none(b, x)


@writer("isfinite")
def isfinite(b: Builder, x: Tensor) -> Tensor:
    if x.is_complex:
        return b.one("logical_and", b.isfinite(b.real(x)), b.isfinite(b.imag(x)))
    if kind(x.dtype) != "f":
        return b.one("logical_not", _none(b, x))
    return b.make("is_finite", [x], x.type.with_dtype(BOOL))


def _none(b: Builder, x: Tensor) -> Tensor:
    """False, for each element."""
    return b.one("logical_and", x.equals(0), b.not_equal(x, 0))


def truth(b: Builder, x: Tensor) -> Tensor:
    """Whether elements are not zero."""
    return x if x.dtype == BOOL else b.one("not_equal", x, 0)


@writer("logical_and")
def logical_and(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    return b.same("and", truth(b, x), truth(b, y))


@writer("logical_or")
def logical_or(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    return b.same("or", truth(b, x), truth(b, y))


@writer("logical_xor")
def logical_xor(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    return b.same("xor", truth(b, x), truth(b, y))


@writer("logical_not")
def logical_not(b: Builder, x: Tensor) -> Tensor:
    return b.same("not", truth(b, x))


@writer("right_shift")
def right_shift(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    return b.same("shift_right_logical" if kind(x.dtype) == "u" else "shift_right_arithmetic", x, y)


@writer("bitwise_count")
def bitwise_count(b: Builder, x: Tensor) -> Tensor:
    size = b.absolute(x) if kind(x.dtype) == "i" else x
    return b.one("cast", b.same("popcnt", size), dtype=np.dtype(np.uint8))


# Conversions and choices


@writer("cast")
def cast(b: Builder, x: Tensor, dtype: Any) -> Tensor:
    dtype = np.dtype(dtype)
    if x.is_complex and kind(dtype) not in "cb":
        x = b.real(x)
    if kind(x.dtype) == "f" and kind(dtype) in "iu" and dtype.itemsize < (4 if kind(dtype) == "i" else 8):
        x = b.make("convert", [x], x.type.with_dtype(INT64))  # which is cut to the width, as in NumPy
    elif kind(x.dtype) == "f" and kind(dtype) == "u":
        whole = b.bitcast(b.make("convert", [x], x.type.with_dtype(INT64)), dtype=dtype)
        return b.one("select", b.less(x, 0), whole, b.make("convert", [x], x.type.with_dtype(dtype)))
    return b.make("convert", [x], x.type.with_dtype(dtype))


@writer("bitcast")
def bitcast(b: Builder, x: Tensor, dtype: Any) -> Tensor:
    return b.make("bitcast_convert", [x], x.type.with_dtype(np.dtype(dtype)))


@writer("select")
def select(b: Builder, condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    condition, x, y = b.spread(condition, x, y) if condition.rank else (condition, *b.spread(x, y))
    return b.make("select", [condition, x, y], x.type)


@writer("complex")
def complex_(b: Builder, real: Tensor, imaginary: Tensor) -> Tensor:
    real, imaginary = b.spread(real, imaginary)
    dtype = np.dtype(np.complex64 if real.dtype.itemsize == 4 else np.complex128)
    return b.make("complex", [real, imaginary], real.type.with_dtype(dtype))


def _part(name: str) -> Any:
    def part(b: Builder, x: Tensor) -> Tensor:
        return b.make(name, [x], x.type.with_dtype(np.zeros((), x.dtype).real.dtype))

    return part


for _name in ("real", "imag"):
    writer(_name)(_part(_name))


__all__ = ["compared", "of", "truth"]

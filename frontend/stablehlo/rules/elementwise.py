"""Arithmetic and functions of elements, where StableHLO's differ from NumPy's, too."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....dialect.dtypes import kind
from ....dialect.emitter import Tensor
from ....dialect.mlir import Operation
from .table import Builder, Refused, plain, result_type, rule

plain(
    {
        "abs": "absolute",
        "add": "add",
        "and": "bitwise_and",
        "atan2": "arctan2",
        "cbrt": "cbrt",
        "ceil": "ceil",
        "complex": "complex",
        "cosine": "cos",
        "exponential": "exp",
        "exponential_minus_one": "expm1",
        "floor": "floor",
        "is_finite": "isfinite",
        "log": "log",
        "log_plus_one": "log1p",
        "maximum": "maximum",
        "minimum": "minimum",
        "multiply": "multiply",
        "negate": "negative",
        "not": "invert",
        "or": "bitwise_or",
        "round_nearest_even": "rint",
        "select": "select",
        "sine": "sin",
        "sqrt": "sqrt",
        "subtract": "subtract",
        "tan": "tan",
        "tanh": "tanh",
        "xor": "bitwise_xor",
    }
)


def is_integer(x: Tensor) -> bool:
    """Whether its numbers are integers."""
    return kind(x.dtype) in "iu"


@rule("divide", of_elements=True)
def divide(b: Builder, op: Operation, x: Tensor, y: Tensor) -> Tensor:
    """Of integers, rounded towards zero; divided by zero, they are -1 (all bits set)."""
    if not is_integer(x):
        return b.one("divide", x, y)
    whole = b.floor_divide(x - b.fmod(x, y), y)
    all_bits = -1 if kind(x.dtype) == "i" else int(np.iinfo(x.dtype).max)
    return b.one("select", y.equals(0), b.number(all_bits, x.dtype), whole)


@rule("remainder", of_elements=True)
def remainder(b: Builder, op: Operation, x: Tensor, y: Tensor) -> Tensor:
    """`weft.fmod`, with the sign of the dividend; what is left of integers divided by zero is the dividend."""
    left = b.one("fmod", x, y)
    return b.one("select", y.equals(0), x, left) if is_integer(x) else left


@rule("power", of_elements=True)
def power(b: Builder, op: Operation, x: Tensor, y: Tensor) -> Tensor:
    """`weft.power`; with negative exponents, integers are 0 but for 1 and -1."""
    found = b.one("power", x, y)
    if kind(x.dtype) != "i":
        return found
    odd = b.equal(b.bitwise_and(y, 1), 1)
    of_minus_one = b.select(odd, b.number(-1, x.dtype), b.number(1, x.dtype))
    inverse = b.select(x.equals(1), b.number(1, x.dtype), b.number(0, x.dtype))
    inverse = b.select(x.equals(-1), of_minus_one, inverse)
    return b.one("select", y < 0, inverse, found)


@rule("sign", of_elements=True)
def sign(b: Builder, op: Operation, x: Tensor) -> Tensor:
    """`weft.sign`; that of -0.0 is -0.0."""
    found = b.one("sign", x)
    return b.one("select", x.equals(0), x, found) if kind(x.dtype) == "f" else found


@rule("round_nearest_afz", of_elements=True)
def round_nearest_afz(b: Builder, op: Operation, x: Tensor) -> Tensor:
    """Halves are rounded away from zero."""
    whole = b.trunc(x)
    is_up = b.greater_equal(b.absolute(x - whole), 0.5)
    return b.one("select", is_up, whole + b.copysign(b.number(1, x.dtype), x), whole)


@rule("rsqrt", of_elements=True)
def rsqrt(b: Builder, op: Operation, x: Tensor) -> Tensor:
    """One divided by the square root."""
    root = b.sqrt(x)
    return b.one("divide", b.number(1, x.dtype), root)


@rule("logistic", of_elements=True)
def logistic(b: Builder, op: Operation, x: Tensor) -> Tensor:
    """`weft.expit`."""
    if x.is_complex:
        return b.one("divide", b.number(1, x.dtype), b.exp(b.negative(x)) + 1)
    return b.one("expit", x)


@rule("clamp", of_elements=True)
def clamp(b: Builder, op: Operation, low: Tensor, x: Tensor, high: Tensor) -> Tensor:
    """The larger of the lower bound and the smaller of the upper bound and the operand."""
    return b.one("minimum", b.maximum(x, low), high)


@rule("real", of_elements=True)
def real(b: Builder, op: Operation, x: Tensor) -> Tensor:
    """`weft.real`; real numbers are their own."""
    return b.one("real", x) if x.is_complex else x


@rule("imag", of_elements=True)
def imag(b: Builder, op: Operation, x: Tensor) -> Tensor:
    """`weft.imag`; that of real numbers is 0."""
    return b.one("imag", x) if x.is_complex else b.zeros_like(x)


# Comparisons

_DIRECTIONS = {
    "EQ": "equal",
    "NE": "not_equal",
    "LT": "less",
    "LE": "less_equal",
    "GT": "greater",
    "GE": "greater_equal",
}


@rule("compare", of_elements=True)
def compare(b: Builder, op: Operation, x: Tensor, y: Tensor) -> Tensor:
    """The comparisons of NumPy; those of type TOTALORDER tell -0.0 from 0.0 and put NaNs at the ends."""
    if "compare_type" in op.attributes and "TOTALORDER" in str(op.attributes["compare_type"]):
        x, y = total_order(b, x), total_order(b, y)
    return b.one(_DIRECTIONS[direction_of(op)], x, y)


def direction_of(op: Operation) -> str:
    """How a comparison compares: EQ, NE, LT, LE, GT or GE."""
    return str(op.attributes["comparison_direction"]).split()[-1].rstrip(">")


def total_order(b: Builder, x: Tensor) -> Tensor:
    """Integers that are ordered as IEEE's totalOrder orders floats."""
    if kind(x.dtype) != "f":
        return x
    bits = np.dtype(f"i{x.dtype.itemsize}")
    raw = b.bitcast(x, dtype=bits)
    return b.one("select", raw < 0, b.bitwise_xor(raw, int(np.iinfo(bits).max)), raw)


# Conversions


@rule("convert", of_elements=True)
def convert(b: Builder, op: Operation, x: Tensor) -> Tensor:
    """`weft.cast`; floats become the nearest integer that there is, NaNs 0, complex numbers their real part."""
    found = converted(b, x, result_type(op).dtype)
    if found is not x and x.handle in b.known_elements and is_integer(found) and found.dtype.itemsize >= 4:
        b.known_elements[found.handle] = b.known_elements[x.handle]
    return found


def converted(b: Builder, x: Tensor, dtype: np.dtype[Any]) -> Tensor:
    """Numbers in another dtype."""
    if x.is_complex and kind(dtype) not in "cb":
        x = b.real(x)
    if kind(x.dtype) != "f" or kind(dtype) not in "iu":
        return b.converted(x, dtype)
    if x.dtype.itemsize < 4:
        x = b.cast(x, dtype=np.dtype(np.float32))
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    over = (
        float(high) if float(high) == high else float(high + 1)
    )  # the first float that does not fit, or the last
    inside = b.logical_and(b.greater(x, float(low)), b.less(x, over))
    cast = b.cast(b.select(inside, x, b.number(0, x.dtype)), dtype=dtype)
    edge = b.select(b.less_equal(x, float(low)), b.number(low, dtype), b.number(0, dtype))
    edge = b.select(b.greater_equal(x, over), b.number(high, dtype), edge)
    return b.one("select", inside, cast, edge)


@rule("reduce_precision", of_elements=True)
def reduce_precision(b: Builder, op: Operation, x: Tensor) -> Tensor:
    """Rounded to so many bits of exponent and mantissa: what is too large is infinite, what is too small is zero."""
    wide = x.dtype
    all_bits, all_mantissa = wide.itemsize * 8, _MANTISSA[wide.name]
    exponent, mantissa = (int(op.attributes[f"{part}_bits"].value) for part in ("exponent", "mantissa"))
    unsigned = np.dtype(f"u{wide.itemsize}")
    one = 1
    bits = b.bitcast(b.bitcast(x, dtype=np.dtype(f"i{wide.itemsize}")), dtype=unsigned)
    sign_bit = one << (all_bits - 1)
    if mantissa < all_mantissa:
        last = one << (all_mantissa - mantissa)
        odd = b.equal(b.bitwise_and(bits, last), last)
        half = b.select(odd, b.number(last >> 1, unsigned), b.number((last >> 1) - 1, unsigned))
        bits = b.bitwise_and(bits + half, (sign_bit * 2 - 1) ^ (last - 1))
    all_exponent = all_bits - 1 - all_mantissa
    if exponent < all_exponent:
        mask = ((one << all_exponent) - 1) << all_mantissa
        bias, own = (one << (all_exponent - 1)) - 1, (one << (exponent - 1)) - 1
        found = b.bitwise_and(bits, mask)
        over = b.greater(found, (bias + own) << all_mantissa)
        under = b.less_equal(found, (bias - own) << all_mantissa)
        signs = b.bitwise_and(bits, sign_bit)
        bits = b.select(over, b.bitwise_or(signs, mask), bits)
        bits = b.select(under, signs, bits)
    rounded = b.bitcast(b.bitcast(bits, dtype=np.dtype(f"i{wide.itemsize}")), dtype=wide)
    kept = x if mantissa else b.number(np.inf, wide)  # which has no bits for what tells NaNs from infinities
    return b.one("select", b.isnan(x), kept, rounded)


_MANTISSA = {"float64": 52, "float32": 23, "float16": 10, "bfloat16": 7}

# Bits


def _unsigned(b: Builder, x: Tensor) -> Tensor:
    """The bits of integers as numbers."""
    return x if kind(x.dtype) == "u" else b.bitcast(x, dtype=np.dtype(f"u{x.dtype.itemsize}"))


def _signed(b: Builder, x: Tensor) -> Tensor:
    return x if kind(x.dtype) == "i" else b.bitcast(x, dtype=np.dtype(f"i{x.dtype.itemsize}"))


def _with_bits(b: Builder, x: Tensor, dtype: np.dtype[Any]) -> Tensor:
    """The bits of integers as integers of another sign."""
    return x if x.dtype == dtype else b.one("bitcast", x, dtype=dtype)


rule("shift_left", of_elements=True, says="By the width or more, 0.")(
    lambda b, op, x, y: b.one("left_shift", x, y)
)
rule("popcnt", of_elements=True, says="`weft.bitwise_count` of the bits, not of the absolute value.")(
    lambda b, op, x: b.converted(b.bitwise_count(_unsigned(b, x)), x.dtype)
)


@rule("shift_right_arithmetic", of_elements=True)
def shift_right_arithmetic(b: Builder, op: Operation, x: Tensor, y: Tensor) -> Tensor:
    """Filled with the highest bit, of unsigned integers, too; by the width or more, all bits are that one."""
    return _with_bits(b, b.right_shift(_signed(b, x), _signed(b, y)), x.dtype)


@rule("shift_right_logical", of_elements=True)
def shift_right_logical(b: Builder, op: Operation, x: Tensor, y: Tensor) -> Tensor:
    """Filled with zeros, of signed integers, too; by the width or more, 0."""
    return _with_bits(b, b.right_shift(_unsigned(b, x), _unsigned(b, y)), x.dtype)


@rule("count_leading_zeros", of_elements=True)
def count_leading_zeros(b: Builder, op: Operation, x: Tensor) -> Tensor:
    """The bits above the highest one that is set."""
    bits, width = _unsigned(b, x), x.dtype.itemsize * 8
    shift = 1
    while shift < width:
        bits = b.bitwise_or(bits, b.right_shift(bits, shift))
        shift *= 2
    return b.converted(b.subtract(width, b.converted(b.bitwise_count(bits), x.dtype)), x.dtype)


@rule("bitcast_convert")
def bitcast_convert(b: Builder, op: Operation, x: Tensor) -> Tensor:
    """`weft.bitcast`; narrower elements are a new last axis, the lowest bits first."""
    dtype = result_type(op).dtype
    if x.is_complex or kind(dtype) == "c" or "b" in (kind(x.dtype), kind(dtype)):
        if x.dtype == dtype:
            return x
        raise Refused(f"reads the bits of {x.dtype.name} as {dtype.name}")
    if x.dtype.itemsize == dtype.itemsize:
        return x if x.dtype == dtype else b.one("bitcast", x, dtype=dtype)
    bits = x if is_integer(x) else b.bitcast(x, dtype=np.dtype(f"i{x.dtype.itemsize}"))
    bits = _unsigned(b, bits)
    wide, narrow = max(x.dtype.itemsize, dtype.itemsize), min(x.dtype.itemsize, dtype.itemsize)
    count = wide // narrow
    if dtype.itemsize == narrow:
        parts = [
            b.cast(b.right_shift(bits, 8 * narrow * i) if i else bits, dtype=np.dtype(f"u{narrow}"))
            for i in range(count)
        ]
        found = b.stack(*parts, axis=x.rank)
    else:
        large = b.cast(bits, dtype=np.dtype(f"u{wide}"))
        shifts = b.constant(value=np.arange(count, dtype=large.dtype) * np.array(8 * narrow, large.dtype))
        found = b.sum(b.left_shift(large, shifts), axes=(x.rank - 1,), keepdims=False)
    signed = found if kind(dtype) == "u" else b.bitcast(found, dtype=np.dtype(f"i{dtype.itemsize}"))
    return signed if signed.dtype == dtype else b.one("bitcast", signed, dtype=dtype)

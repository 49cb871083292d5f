"""Ops of elements."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ....dialect.dtypes import is_half, kind
from ....dialect.emitter import Tensor
from ...graph_writers.elementwise import cast as any_cast
from ...graph_writers.elementwise import compared_by_value, truth
from ...graph_writers.special import erf as any_erf
from ...graph_writers.table import BOOL, SINGLE, Unsaid, Writer, of
from .known_forms import log_softmax, relu, softmax
from .table import DOUBLE, INT32, Builder, computed_in, moved_as, writer

writer.plain(
    {
        "fabs": "Abs",
        "sqrt": "Sqrt",
        "exp": "Exp",
        "log": "Log",
        "sin": "Sin",
        "cos": "Cos",
        "tan": "Tan",
        "arcsin": "Asin",
        "arccos": "Acos",
        "arctan": "Atan",
        "sinh": "Sinh",
        "cosh": "Cosh",
        "tanh": "Tanh",
        "arcsinh": "Asinh",
        "arccosh": "Acosh",
        "arctanh": "Atanh",
        "expit": "Sigmoid",
    }
)

Function: TypeAlias = Callable[..., Tensor]

_FIRST_WITH_BITS = 26
"""The opset from which on bits can be read as another type."""


def _in_single(function: Function) -> Function:
    """A function of halves in float32."""

    @functools.wraps(function)
    def made(b: Builder, *operands: Tensor) -> Tensor:
        dtype = operands[0].dtype
        if not is_half(dtype):
            return function(b, *operands)
        return b.converted(function(b, *(b.converted(x, SINGLE) for x in operands)), dtype)

    return made


# Arithmetic


def _of_booleans(op_type: str, name: str) -> Writer:
    """An op that is a logical one of booleans."""

    def made(b: Builder, x: Tensor, y: Tensor) -> Tensor:
        if x.dtype == BOOL:
            return b.one(name, x, y)
        if op_type == "Max" and (found := relu(b, x, y)) is not None:
            return found
        wide = computed_in(x.dtype) if op_type in ("Max", "Min") and x.dtype.itemsize == 2 else x.dtype
        return b.converted(b.same(op_type, b.converted(x, wide), b.converted(y, wide)), x.dtype)

    return made


for _own, _name, _logical in (
    ("add", "Add", "logical_or"),
    ("multiply", "Mul", "logical_and"),
    ("maximum", "Max", "logical_or"),
    ("minimum", "Min", "logical_and"),
):
    writer(_own)(_of_booleans(_name, _logical))


@writer("subtract")
def subtract(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    found = log_softmax(b, x, y)
    return b.same("Sub", x, y) if found is None else found


@writer("divide")
def divide(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    found = softmax(b, x, y)
    return b.same("Div", x, y) if found is None else found


writer.rows(
    barrier=lambda b, x, after: x,
    negative=lambda b, x: b.one("subtract", 0, x) if kind(x.dtype) == "u" else b.same("Neg", x),
    absolute=lambda b, x: x if kind(x.dtype) in "bu" else b.same("Abs", x),
    trunc=lambda b, x: b.one("select", b.less(x, 0), b.ceil(x), b.floor(x)) if kind(x.dtype) == "f" else x,
    not_equal=lambda b, x, y: b.one("logical_not", b.equal(x, y)),
    left_shift=lambda b, x, y: _shifted(b, "LEFT", x, y),
)


@writer("sign")
def sign(b: Builder, x: Tensor) -> Tensor:
    found = b.same("Sign", x)
    return b.one("select", b.isnan(x), x, found) if kind(x.dtype) == "f" else found


@writer("fmod")
def fmod(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    if kind(x.dtype) == "f":
        return b.rest(x, y)
    ends = y.equals(0) | y.equals(-1) if kind(x.dtype) == "i" else y.equals(0)
    return b.one("select", ends, 0 * x, b.rest(x, b.select(ends, of(b, y, 1), y)))


@writer("power")
def power(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    if kind(x.dtype) == "f":
        return _power_of_floats(b, x, y)
    exponent = b.maximum(y, 0) if kind(x.dtype) == "i" else y  # a negative exponent counts as 0
    extents = b.common_extents(x, y)
    start = [b.full(extents, 1, x.dtype), b.broadcast(x, extents), b.broadcast(exponent, extents)]
    types = [value.type for value in start]

    def test(values: Any) -> list[Tensor]:
        left = b.greater(values[2], 0)
        return [b.any(left, axes=tuple(range(left.rank)), keepdims=False), *values]

    def body(values: Any) -> list[Tensor]:
        product, factor, bits = values
        is_odd = b.bitwise_and(bits, 1).equals(1)
        return [b.select(is_odd, product * factor, product), factor * factor, b.right_shift(bits, 1)]

    return b.repeated(start, (types, types), test, body)[0]


@_in_single
def _power_of_floats(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    return b.same("Pow", x, y)


# Rounding


def _rounding(op_type: str) -> Writer:
    return lambda b, x: b.same(op_type, x) if kind(x.dtype) == "f" else x


for _own, _name in {"floor": "Floor", "ceil": "Ceil", "rint": "Round"}.items():
    writer(_own)(_rounding(_name))


# Signs, of which ONNX knows those of numbers only


@writer("signbit")
def signbit(b: Builder, x: Tensor) -> Tensor:
    if b.nodes.opset >= _FIRST_WITH_BITS:
        return b.one("less", b.bitcast(x, dtype=np.dtype(f"i{x.dtype.itemsize}")), 0)
    return b.one("logical_or", b.less(x, 0), x.equals(0) & b.less(1 / x, 0))


@writer("copysign")
def copysign(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    size = b.absolute(x)
    return b.one("select", b.signbit(y), b.negative(size), size)


# Elementary functions


@writer("expm1")
@_in_single
def expm1(b: Builder, x: Tensor) -> Tensor:
    """By Kahan: what exp(x) has lost near 1, its logarithm has lost, too."""
    near = b.exp(x)
    less = near - 1
    found = b.select(less.equals(-1) | b.isinf(near), less, less * (x / b.log(near)))
    return b.one("select", near.equals(1), x, found)


@writer("log1p")
@_in_single
def log1p(b: Builder, x: Tensor) -> Tensor:
    near = x + 1
    found = b.select(near.equals(np.inf), near, b.log(near) * (x / (near - 1)))
    return b.one("select", near.equals(1), x, found)


@writer("cbrt")
def cbrt(b: Builder, x: Tensor) -> Tensor:
    if x.dtype != DOUBLE:
        return b.converted(cbrt(b, b.converted(x, DOUBLE)), x.dtype)
    size = b.absolute(x)
    root = b.power(size, 1 / 3)
    square = root * root
    better = root - (root - size / square) / 3  # a step of Newton's
    found = b.select(b.logical_or(size.equals(0), b.logical_not(b.isfinite(size))), size, better)
    return b.one("copysign", found, x)


@writer("arctan2")
@_in_single
def arctan2(b: Builder, y: Tensor, x: Tensor) -> Tensor:
    up, along = b.absolute(y), b.absolute(x)
    ratio = b.select(up.equals(along), b.select(up.equals(0), up, of(b, y, 1)), up / along)
    angle = b.arctan(ratio)
    found = b.copysign(b.select(b.signbit(x), np.pi - angle, angle), y)
    return b.one("select", b.logical_or(b.isnan(x), b.isnan(y)), of(b, y, np.nan), found)


@writer("erf")
@_in_single
def erf(b: Builder, x: Tensor) -> Tensor:
    """Runtimes have it of float32 only."""
    return any_erf(b, x) if x.dtype == DOUBLE else b.same("Erf", x)


# Comparisons and booleans


def _comparison(name: str, op_type: str) -> Writer:
    def made(b: Builder, x: Tensor, y: Tensor) -> Tensor:
        if x.dtype != y.dtype:
            return compared_by_value(b, name, x, y)
        wide = b.wide_for(op_type, x.dtype)
        given = [b.converted(x, wide), b.converted(y, wide)]
        shape = b.made_shape(*given)
        return b.make(op_type, given, shape.with_dtype(BOOL))

    return made


for _own, _name in {
    "equal": "Equal",
    "less": "Less",
    "less_equal": "LessOrEqual",
    "greater": "Greater",
    "greater_equal": "GreaterOrEqual",
}.items():
    writer(_own)(_comparison(_own, _name))


@writer("isnan")
def isnan(b: Builder, x: Tensor) -> Tensor:
    if kind(x.dtype) != "f":
        return b.one("not_equal", x, x)
    return b.make("IsNaN", [x], x.type.with_dtype(BOOL))


def _of_truths(op_type: str) -> Writer:
    return lambda b, *operands: b.same(op_type, *(truth(b, x) for x in operands))


for _own, _name in {"and": "And", "or": "Or", "xor": "Xor", "not": "Not"}.items():
    writer(f"logical_{_own}")(_of_truths(_name))


def _bitwise(op_type: str, name: str) -> Writer:
    return lambda b, *operands: (
        b.one(name, *operands) if operands[0].dtype == BOOL else b.same(op_type, *operands)
    )


for _own, _name in {"and": "And", "or": "Or", "xor": "Xor"}.items():
    writer(f"bitwise_{_own}")(_bitwise(f"Bitwise{_name}", f"logical_{_own}"))
writer("invert")(_bitwise("BitwiseNot", "logical_not"))


# Shifts, which ONNX has of numbers without sign, by less than their width


def _bits(x: Tensor) -> np.dtype[Any]:
    return np.dtype(f"u{x.dtype.itemsize}")


def _shifted(b: Builder, direction: str, x: Tensor, count: Tensor) -> Tensor:
    """Bits moved up or down, by the width or more all of them."""
    bits, by = (b.converted(each, _bits(x)) for each in (x, count))
    width = 8 * x.dtype.itemsize
    known = b.known(by)
    if known is not None and (known < width).all():
        return b.converted(b.same("BitShift", bits, by, direction=direction), x.dtype)
    moved = b.same("BitShift", bits, b.select(b.less(by, width), by, of(b, by, 0)), direction=direction)
    return b.converted(b.select(b.less(by, width), moved, of(b, bits, 0)), x.dtype)


@writer("right_shift")
def right_shift(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    if kind(x.dtype) == "u":
        return _shifted(b, "RIGHT", x, y)
    is_negative = b.less(x, 0)  # whose bits are those of the complement, turned over again behind
    found = _shifted(b, "RIGHT", b.select(is_negative, b.invert(x), x), y)
    return b.one("select", is_negative, b.invert(found), found)


@writer("bitwise_count")
def bitwise_count(b: Builder, x: Tensor) -> Tensor:
    """By halves: pairs of bits are counted, then pairs of counts."""
    found = b.converted(b.absolute(x) if kind(x.dtype) == "i" else x, _bits(x))
    for place in range((8 * x.dtype.itemsize).bit_length() - 1):
        size = 1 << place
        mask = sum(((1 << size) - 1) << start for start in range(0, 8 * x.dtype.itemsize, 2 * size))
        found = b.bitwise_and(found, mask) + b.bitwise_and(b.right_shift(found, size), mask)
    return b.converted(found, np.dtype(np.uint8))


# Conversions and choices


@writer("cast")
def cast(b: Builder, x: Tensor, dtype: Any) -> Tensor:
    if is_half(x.dtype) and kind(dtype) in "iu":
        x = b.convert(x, SINGLE)  # a bfloat16 that does not fit is what its float32 is
    if kind(x.dtype) == "f" and kind(dtype) in "iu" and dtype.itemsize < INT32.itemsize:
        return b.convert(b.convert(x, INT32), dtype)  # what does not fit is cut to the width, as in NumPy
    return any_cast(b, x, dtype)


@writer("bitcast")
def bitcast(b: Builder, x: Tensor, dtype: Any) -> Tensor:
    if x.dtype == dtype:
        return x
    if kind(x.dtype) in "iu" and kind(dtype) in "iu":
        return b.convert(x, dtype)
    if b.nodes.opset < _FIRST_WITH_BITS:
        raise Unsaid(f"reads bits of floats, which ONNX can from opset {_FIRST_WITH_BITS} on")
    return b.bits_as(x, dtype)


@writer("select")
def select(b: Builder, condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    if x.dtype == BOOL:
        return b.one("logical_or", condition & x, b.logical_and(b.logical_not(condition), y))
    wide = moved_as(x.dtype)
    given = [condition, b.converted(x, wide), b.converted(y, wide)]
    return b.converted(b.make("Where", given, b.made_shape(*given).with_dtype(wide)), x.dtype)

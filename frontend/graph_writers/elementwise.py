"""Ops of elements that are written in others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dialect.dtypes import kind
from ...dialect.emitter import INT64, Tensor
from .table import BOOL, GraphBuilder, Unsaid, of, require_real, writer


@writer("positive", "stop_gradient", "independent", "pause")
def positive(b: GraphBuilder, x: Tensor, **attributes: Any) -> Tensor:
    return x


writer.rows(
    square=lambda b, x: x * x,
    conjugate=lambda b, x: b.one("complex", b.real(x), b.negative(b.imag(x))) if x.is_complex else x,
    float_power=lambda b, x, y: b.one("power", x, y),
    floor_divide=lambda b, x, y: _divided(b, x, y)[0],
    remainder=lambda b, x, y: _divided(b, x, y)[1],
    divmod=lambda b, x, y: _divided(b, x, y),
    gcd=lambda b, x, y: b.converted(_common_divisor(b, *_sizes(b, x, y)), x.dtype),
    fmax=lambda b, x, y: _of_numbers(b, "maximum", x, y),
    fmin=lambda b, x, y: _of_numbers(b, "minimum", x, y),
    log2=lambda b, x: _scaled(b, b.log(x), 1 / math.log(2)),
    log10=lambda b, x: _scaled(b, b.log(x), 1 / math.log(10)),
    deg2rad=lambda b, x: x * (math.pi / 180),
    rad2deg=lambda b, x: x * (180 / math.pi),
    isnan=lambda b, x: b.one("not_equal", x, x),
)


@writer("reciprocal")
def reciprocal(b: GraphBuilder, x: Tensor) -> Tensor:
    if kind(x.dtype) in "iu":
        raise Unsaid(f"divides integers by zero, which {b.language} leaves open")
    return 1 / x


def _divided(b: GraphBuilder, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Quotient and rest, with the sign of the divisor; of integers, both are 0 where that is 0."""
    x, y = b.spread(x, y)
    if kind(x.dtype) in "iu":
        by_zero, negated = y.equals(0), None
        safe = b.select(by_zero, of(b, y, 1), y)
        if kind(x.dtype) == "i":  # the smallest one divided by -1 is left open
            is_minus_one = safe.equals(-1)
            safe = b.select(is_minus_one, of(b, y, 1), safe)
            negated = is_minus_one
        rest = b.rest(x, safe)
        whole = b.quotient(x, safe)
        if negated is not None:
            is_other = b.not_equal(rest, 0) & b.not_equal(b.less(rest, 0), b.less(safe, 0))
            whole = b.select(is_other, whole - 1, whole)
            rest = b.select(is_other, rest + safe, rest)
            whole = b.select(negated, b.negative(x), whole)
            rest = b.select(negated, of(b, x, 0), rest)
        return b.select(by_zero, of(b, x, 0), whole), b.select(by_zero, of(b, x, 0), rest)
    rest = b.rest(x, y)
    quotient = (x - rest) / y
    is_other = b.not_equal(rest, 0) & b.not_equal(b.less(y, 0), b.less(rest, 0))
    zero = b.copysign(b.zeros_like(x), y)
    found = b.select(b.not_equal(rest, 0), b.select(is_other, rest + y, rest), zero)
    quotient = b.select(is_other, quotient - 1, quotient)
    whole = b.floor(quotient)
    whole = b.select(b.greater(quotient - whole, 0.5), whole + 1, whole)
    whole = b.select(b.not_equal(quotient, 0), whole, b.copysign(b.zeros_like(x), x / y))
    by_zero = y.equals(0)
    return b.select(by_zero, x / y, whole), b.select(by_zero, b.rest(x, y), found)


@writer("lcm")
def lcm(b: GraphBuilder, x: Tensor, y: Tensor) -> Tensor:
    x_size, y_size = _sizes(b, x, y)
    common = _common_divisor(b, x_size, y_size)
    whole = b.quotient(x_size, b.select(common.equals(0), of(b, common, 1), common))
    return b.converted(whole * y_size, x.dtype)


def _sizes(b: GraphBuilder, *operands: Tensor) -> list[Tensor]:
    """Absolute values, of which numbers without sign have all, in the shape to which operands broadcast."""
    wide = np.dtype(f"u{operands[0].dtype.itemsize}")
    sizes = [b.absolute(x) if kind(x.dtype) == "i" else x for x in operands]
    return [b.broadcast(b.converted(size, wide), b.common_extents(*operands)) for size in sizes]


def _common_divisor(b: GraphBuilder, x: Tensor, y: Tensor) -> Tensor:
    """By Euclid, for all elements at once, until no rest is left."""
    types = [x.type, y.type]

    def test(values: Sequence[Tensor]) -> list[Tensor]:
        return [b.any(b.not_equal(values[1], 0), axes=tuple(range(y.rank)), keepdims=False), *values]

    def body(values: Sequence[Tensor]) -> list[Tensor]:
        large, small = values
        ends = small.equals(0)
        rest = b.rest(large, b.select(ends, of(b, small, 1), small))
        return [b.select(ends, large, small), b.select(ends, small, rest)]

    return b.repeated([x, y], (types, types), test, body)[0]


def _of_numbers(b: GraphBuilder, name: str, x: Tensor, y: Tensor) -> Tensor:
    """The larger or smaller one; a NaN gives way."""
    x, y = b.spread(x, y)
    found = b.one(name, x, y)
    if kind(x.dtype) in "biu":
        return found
    return b.one("select", b.isnan(x), y, b.select(b.isnan(y), x, found))


@writer("trunc")
def trunc(b: GraphBuilder, x: Tensor) -> Tensor:
    if kind(x.dtype) in "biu":
        return x
    return b.one("select", b.less(x, 0) | b.signbit(x), b.ceil(x), b.floor(x))


@writer("modf")
def modf(b: GraphBuilder, x: Tensor) -> tuple[Tensor, Tensor]:
    whole = b.trunc(x)
    part = b.select(b.isinf(x), b.zeros_like(x), x - whole)
    return b.copysign(part, x), whole


@writer("heaviside")
def heaviside(b: GraphBuilder, x: Tensor, y: Tensor) -> Tensor:
    x, y = b.spread(x, y)
    found = b.select(b.less(x, 0), of(b, x, 0), of(b, x, 1))
    found = b.select(x.equals(0), y, found)
    return b.one("select", b.isnan(x), x, found)


@writer("exp2")
def exp2(b: GraphBuilder, x: Tensor) -> Tensor:
    require_real(x)
    return b.one("power", of(b, x, 2), x)


def _scaled(b: GraphBuilder, x: Tensor, factor: float) -> Tensor:
    """Numbers times a real one; of complex numbers, each part."""
    if x.is_complex:
        return b.one("complex", b.real(x) * factor, b.imag(x) * factor)
    return x * factor


@writer("logaddexp")
def logaddexp(b: GraphBuilder, x: Tensor, y: Tensor) -> Tensor:
    x, y = b.spread(x, y)
    found = b.maximum(x, y) + b.log1p(b.exp(b.negative(b.absolute(x - y))))
    return b.one("select", b.equal(x, y), x + math.log(2), found)


@writer("logaddexp2")
def logaddexp2(b: GraphBuilder, x: Tensor, y: Tensor) -> Tensor:
    x, y = b.spread(x, y)
    found = b.maximum(x, y) + b.log1p(b.exp2(b.negative(b.absolute(x - y)))) * (1 / math.log(2))
    return b.one("select", b.equal(x, y), x + 1, found)


@writer("hypot")
def hypot(b: GraphBuilder, x: Tensor, y: Tensor) -> Tensor:
    x, y = (b.absolute(each) for each in b.spread(x, y))
    large, small = b.maximum(x, y), b.minimum(x, y)
    ratio = b.select(large.equals(0), of(b, x, 0), small / large)
    found = large * b.sqrt(1 + ratio * ratio)
    return b.one("select", b.isinf(x) | b.isinf(y), of(b, x, np.inf), found)


@writer("arcsin")
def arcsin(b: GraphBuilder, x: Tensor) -> Tensor:
    require_real(x)
    return b.one("arctan2", x, b.sqrt((1 - x) * (1 + x)))


@writer("arccos")
def arccos(b: GraphBuilder, x: Tensor) -> Tensor:
    require_real(x)
    return b.one("arctan2", b.sqrt((1 - x) * (1 + x)), x)


@writer("arctan")
def arctan(b: GraphBuilder, x: Tensor) -> Tensor:
    require_real(x)
    return b.one("arctan2", x, of(b, x, 1))


@writer("sinh")
def sinh(b: GraphBuilder, x: Tensor) -> Tensor:
    require_real(x)
    size = b.absolute(x)
    less = b.expm1(size)
    small = (less + less / (less + 1)) * 0.5
    large = b.exp(size - math.log(2))  # which is finite a little longer
    return b.one("copysign", b.select(b.greater(size, 10), large, small), x)


@writer("cosh")
def cosh(b: GraphBuilder, x: Tensor) -> Tensor:
    require_real(x)
    size = b.absolute(x)
    found: Tensor = b.exp(size - math.log(2)) + b.exp(b.negative(size) - math.log(2))
    return found


@writer("arcsinh")
def arcsinh(b: GraphBuilder, x: Tensor) -> Tensor:
    require_real(x)
    size = b.absolute(x)
    small = b.log1p(size + size * size / (1 + b.sqrt(size * size + 1)))
    large = b.log(size) + math.log(2)
    return b.one("copysign", b.select(b.greater(size, _root(x)), large, small), x)


@writer("arccosh")
def arccosh(b: GraphBuilder, x: Tensor) -> Tensor:
    require_real(x)
    less = x - 1
    small = b.log1p(less + b.sqrt(less * (x + 1)))
    large = b.log(x) + math.log(2)
    return b.one("select", b.greater(x, _root(x)), large, small)


def _root(x: Tensor) -> float:
    """What can be squared, with room."""
    return 100.0 if x.dtype.itemsize == 2 else 1e8 if x.dtype.itemsize == 4 else 1e16


@writer("arctanh")
def arctanh(b: GraphBuilder, x: Tensor) -> Tensor:
    require_real(x)
    found: Tensor = (b.log1p(x) - b.log1p(b.negative(x))) * 0.5
    return found


@writer("isinf")
def isinf(b: GraphBuilder, x: Tensor) -> Tensor:
    if x.is_complex:
        return b.one("logical_or", b.isinf(b.real(x)), b.isinf(b.imag(x)))
    return b.absolute(x).equals(np.inf) if kind(x.dtype) == "f" else _none(b, x)


@writer("isfinite")
def isfinite(b: GraphBuilder, x: Tensor) -> Tensor:
    if x.is_complex:
        return b.one("logical_and", b.isfinite(b.real(x)), b.isfinite(b.imag(x)))
    if kind(x.dtype) != "f":
        return b.one("logical_not", _none(b, x))
    return b.one("less", b.absolute(x), np.inf)


def _none(b: GraphBuilder, x: Tensor) -> Tensor:
    """False, for each element."""
    return b.one("logical_and", x.equals(0), b.not_equal(x, 0))


def truth(b: GraphBuilder, x: Tensor) -> Tensor:
    """Whether elements are not zero."""
    return x if x.dtype == BOOL else b.one("not_equal", x, 0)


@writer("cast")
def cast(b: GraphBuilder, x: Tensor, dtype: Any) -> Tensor:
    dtype = np.dtype(dtype)
    if x.is_complex and kind(dtype) not in "cb":
        x = b.real(x)
    if kind(x.dtype) == "f" and kind(dtype) in "iu" and dtype.itemsize < (4 if kind(dtype) == "i" else 8):
        x = b.convert(x, INT64)  # which is cut to the width, as in NumPy
    elif kind(x.dtype) == "f" and kind(dtype) == "u":
        whole = b.bitcast(b.convert(x, INT64), dtype=dtype)
        return b.one("select", b.less(x, 0), whole, b.convert(x, dtype))
    return b.convert(x, dtype)


# Comparisons of numbers with and without sign

_SWAPPED = {
    "equal": "equal",
    "not_equal": "not_equal",
    "less": "greater",
    "less_equal": "greater_equal",
    "greater": "less",
    "greater_equal": "less_equal",
}


def compared_by_value(b: GraphBuilder, name: str, x: Tensor, y: Tensor) -> Tensor:
    """A comparison of i64 with ui64."""
    if kind(x.dtype) == "u":
        return compared_by_value(b, _SWAPPED[name], y, x)
    found = b.one(name, b.bitcast(x, dtype=y.dtype), y)
    if name in ("not_equal", "less", "less_equal"):
        return b.one("logical_or", b.less(x, 0), found)
    return b.one("logical_and", b.greater_equal(x, 0), found)

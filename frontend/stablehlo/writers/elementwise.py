"""Ops of elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....dialect.dtypes import kind
from ....dialect.emitter import Tensor
from ....dialect.mlir import ir
from ...graph_writers.elementwise import compared_by_value, truth
from ...graph_writers.table import BOOL, Unsaid, of
from .table import Builder, writer

writer.plain(
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


@writer("power")
def power(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    if kind(x.dtype) == "i":
        y = b.maximum(y, 0)  # a negative exponent counts as 0
    return b.same("power", x, y)


def _rounding(name: str) -> Any:
    def rounded(b: Builder, x: Tensor) -> Tensor:
        if x.is_complex:
            return b.one("complex", rounded(b, b.real(x)), rounded(b, b.imag(x)))
        return b.same(name, x) if kind(x.dtype) == "f" else x

    return rounded


for _own, _name in {"floor": "floor", "ceil": "ceil", "rint": "round_nearest_even"}.items():
    writer(_own)(_rounding(_name))


@writer("copysign")
def copysign(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    x, y = b.spread(x, y)
    whole = np.dtype(f"i{x.dtype.itemsize}")
    lowest = int(np.iinfo(whole).min)
    size, of_sign = (b.bitcast(each, dtype=whole) for each in (x, y))
    bits = b.bitwise_or(b.bitwise_and(size, ~lowest), b.bitwise_and(of_sign, lowest))
    return b.one("bitcast", bits, dtype=x.dtype)


# Comparisons and booleans

_DIRECTIONS = {
    "equal": "EQ",
    "not_equal": "NE",
    "less": "LT",
    "less_equal": "LE",
    "greater": "GT",
    "greater_equal": "GE",
}


def compared(b: Builder, name: str, x: Tensor, y: Tensor) -> Tensor:
    """A comparison."""
    x, y = b.spread(x, y)
    if x.dtype != y.dtype:
        return compared_by_value(b, name, x, y)
    character = kind(x.dtype)
    if character == "c" and name not in ("equal", "not_equal"):
        raise Unsaid("orders complex numbers")
    form = "FLOAT" if character in "fc" else "SIGNED" if character == "i" else "UNSIGNED"
    return b.make(
        "compare",
        [x, y],
        x.type.with_dtype(BOOL),
        comparison_direction=ir.Attribute.parse(f"#stablehlo<comparison_direction {_DIRECTIONS[name]}>"),
        compare_type=ir.Attribute.parse(f"#stablehlo<comparison_type {form}>"),
    )


def _comparison(name: str) -> Any:
    return lambda b, x, y: compared(b, name, x, y)


for _name in _DIRECTIONS:
    writer(_name)(_comparison(_name))


writer.rows(
    logical_and=lambda b, x, y: b.same("and", truth(b, x), truth(b, y)),
    logical_or=lambda b, x, y: b.same("or", truth(b, x), truth(b, y)),
    logical_xor=lambda b, x, y: b.same("xor", truth(b, x), truth(b, y)),
    logical_not=lambda b, x: b.same("not", truth(b, x)),
    bitcast=lambda b, x, dtype: b.make("bitcast_convert", [x], x.type.with_dtype(np.dtype(dtype))),
)


@writer("right_shift")
def right_shift(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    return b.same("shift_right_logical" if kind(x.dtype) == "u" else "shift_right_arithmetic", x, y)


@writer("bitwise_count")
def bitwise_count(b: Builder, x: Tensor) -> Tensor:
    size = b.absolute(x) if kind(x.dtype) == "i" else x
    return b.one("cast", b.same("popcnt", size), dtype=np.dtype(np.uint8))


# Conversions and choices


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

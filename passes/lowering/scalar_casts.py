"""Conversion of a scalar between any two dtypes, as NumPy does it, without poison."""

from __future__ import annotations

import numpy as np

from ...dialect.dtypes import is_half, kind
from ...dialect.mlir import Value
from .conversion import Conversion, scalar_type
from .scalar_comparisons import complex_parts, is_nonzero
from .scalars import FLOAT32, FLOAT64, DataType, ScalarBuilder, narrow, widen

_INT64: DataType = np.dtype(np.int64)


def cast_scalar(conversion: Conversion, x: Value, source: DataType, target: DataType) -> Value:
    """Convert a scalar in its compute type to another dtype; see `weft.cast` for what does not fit."""
    b = ScalarBuilder(conversion, source)
    if source == target:
        return x
    if kind(target) == "b":
        return is_nonzero(b.of(_wide(source)) if b.kind == "f" else b, widen(b, x))
    if b.kind == "c":
        return _from_complex(b, x, target)
    if kind(target) == "c":
        part = np.dtype(f"float{target.itemsize * 4}")
        real = cast_scalar(conversion, x, source, part)
        return b.op("complex.create", real, b.of(part).constant(0), result=scalar_type(target))
    if kind(target) == "f":
        return _to_float(b, x, target)
    if b.kind == "f":
        return _float_to_integer(b.of(_wide(source)), widen(b, x), target)
    return _between_integers(b, x, target)


def _from_complex(b: ScalarBuilder, x: Value, target: DataType) -> Value:
    part, real, imag = complex_parts(b, x)
    if kind(target) != "c":
        return cast_scalar(b.conversion, real, part.dtype, target)
    target_part = np.dtype(f"float{target.itemsize * 4}")
    parts = [cast_scalar(b.conversion, p, part.dtype, target_part) for p in (real, imag)]
    return b.op("complex.create", *parts, result=scalar_type(target))


def _between_integers(b: ScalarBuilder, x: Value, target: DataType) -> Value:
    """Extend by the sign of the source, or cut off; between signed and unsigned nothing happens."""
    wanted = b.of(target)
    if wanted.width < b.width:
        return b.op("arith.trunci", x, result=wanted.type)
    if wanted.width > b.width:
        return b.op("arith.extsi" if b.kind == "i" else "arith.extui", x, result=wanted.type)
    return x


def _wide(dtype: DataType) -> DataType:
    """float32 for the narrow floats."""
    return FLOAT32 if is_half(dtype) else dtype


def _to_float(b: ScalarBuilder, x: Value, target: DataType) -> Value:
    """By way of float32 to the narrow floats; what float32 does not hold exactly is rounded once all the same."""
    wide = _wide(target)
    if b.kind != "f" and is_half(target) and b.width > 24:
        double = b.op("arith.sitofp" if b.kind == "i" else "arith.uitofp", x, result=scalar_type(FLOAT64))
        return _to_float(b.of(FLOAT64), double, target)
    if b.kind != "f":
        converted = b.op("arith.sitofp" if b.kind == "i" else "arith.uitofp", x, result=scalar_type(wide))
        return narrow(b.of(target), converted)
    if b.dtype == FLOAT64 and is_half(target):
        return narrow(b.of(target), _round_to_odd(b, x))
    x = widen(b, x)
    if _wide(b.dtype) == FLOAT64 and wide == FLOAT32:
        x = b.op("arith.truncf", x, result=scalar_type(FLOAT32))
    elif _wide(b.dtype) == FLOAT32 and wide == FLOAT64:
        x = b.op("arith.extf", x, result=scalar_type(FLOAT64))
    return narrow(b.of(target), x)


def _round_to_odd(b: ScalarBuilder, x: Value) -> Value:
    """A float64 cut to float32, the last bit set where that is inexact, so that rounding again is right."""
    single, bits = b.of(FLOAT32), b.of(np.dtype(np.int32))
    nearest = b.op("arith.truncf", x, result=single.type)
    back = b.op("arith.extf", nearest, result=b.type)
    away = b.compare("gt", b.op("math.absf", back), b.op("math.absf", x))
    pattern = b.bitcast(nearest, bits.dtype)
    towards_zero = b.select(away, b.op("arith.subi", pattern, bits.constant(1)), pattern)
    odd = b.bitcast(b.either(towards_zero, bits.constant(1)), FLOAT32)
    inexact = b.both(b.compare("ne", back, x), b.compare("eq", x, x))
    return b.select(inexact, odd, nearest)


def _float_to_integer(b: ScalarBuilder, x: Value, target: DataType) -> Value:
    """Cut towards zero in an integer that is wide enough; x86-64's answer where the float does not fit."""
    if target == np.uint64:
        return _float_to_uint64(b, x)
    wide = b.of(_INT64 if target in (np.uint32, np.int64) else np.dtype(np.int32))
    return _between_integers(wide, _truncate(b, x, wide), target)


def _truncate(b: ScalarBuilder, x: Value, integer: ScalarBuilder) -> Value:
    """A float to a signed integer; the smallest one for NaN and for what is out of range."""
    bound = 2.0 ** (integer.width - 1)
    # A float64 between -2**31 - 1 and -2**31 still truncates into an int32.
    exact = b.dtype == FLOAT64 and integer.width == 32
    above = b.compare("gt", x, b.constant(-bound - 1)) if exact else b.compare("ge", x, b.constant(-bound))
    fits = b.both(above, b.compare("lt", x, b.constant(bound)))
    safe = b.select(fits, x, b.constant(0))
    converted = b.op("arith.fptosi", safe, result=integer.type)
    return b.select(fits, converted, integer.constant(-(1 << (integer.width - 1))))


def _float_to_uint64(b: ScalarBuilder, x: Value) -> Value:
    """Below 2**63 by way of int64, from there on by the difference."""
    signed = b.of(_INT64)
    half = b.constant(2.0**63)
    lower = _truncate(b, x, signed)
    upper = _truncate(b, b.op("arith.subf", x, half), signed)
    flipped = b.differ(upper, signed.constant(-(1 << 63)))
    return b.select(b.compare("ge", x, half), flipped, lower)

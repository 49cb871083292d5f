"""Conversions between the types of PTX (cvt)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .arithmetic import Maker, computed, direction_of, saturated
from .faults import PTXError
from .floating import canonical, flushed, integers_to_floats, narrowed
from .frames import FORMATS, Format, Frame
from .memory import Array
from .operands import Operands, Step, expect, types_of
from .ptx import Instruction

_TO_WHOLE: dict[str, Callable[[Array], Any]] = {
    "rni": np.rint,
    "rzi": np.trunc,
    "rmi": np.floor,
    "rpi": np.ceil,
}


def _cvt(i: Instruction, o: Operands) -> Step:
    types = types_of(i)
    if len(types) != 2 or any(name not in FORMATS for name in types):
        raise PTXError("this conversion is not known")
    target, source = (FORMATS[name] for name in types)
    if target.packed:
        return _pair(i, o, target)
    expect(i, 2)
    if target.name == "tf32":
        a, d = o.read(i.operands[1], "f32"), o.write(i.operands[0], "b32")
        relu = "relu" in i.modifiers
        return computed(lambda x: _tf32(np.where(x > 0, x, np.float32(0)) if relu else x), d, a)
    a = o.read(i.operands[1], source)
    d = o.write(i.operands[0], target)
    convert = conversion(i, source, target)

    def run(frame: Frame) -> None:
        v = frame.values
        np.copyto(v[d], convert(v[a]), casting="unsafe")

    return run


def conversion(i: Instruction, source: Format, target: Format) -> Callable[[Array], Array]:
    """What a conversion does with an array."""
    whole = next((_TO_WHOLE[modifier] for modifier in i.modifiers if modifier in _TO_WHOLE), None)
    direction = direction_of(i)
    saturate = "sat" in i.modifiers
    if source.kind == "f" and target.kind != "f":
        flush = "ftz" in i.modifiers
        return lambda x: _to_integers((whole or np.trunc)(flushed(x) if flush else x), source, target)
    if source.kind == "f":
        return _between_floats(i, target, whole, direction, saturate)
    if target.kind == "f":

        def to_float(x: Array) -> Array:
            result = integers_to_floats(x, target.dtype, direction)
            return saturated(result) if saturate else result

        return to_float
    if saturate:
        limits = np.iinfo(target.dtype)
        given = np.iinfo(source.dtype)
        low, high = max(limits.min, given.min), min(limits.max, given.max)
        return lambda x: np.clip(x, low, high).astype(target.dtype)
    return lambda x: x.astype(target.dtype)


def _between_floats(
    i: Instruction, target: Format, whole: Callable[[Array], Any] | None, direction: str, saturate: bool
) -> Callable[[Array], Array]:
    flush, relu = "ftz" in i.modifiers, "relu" in i.modifiers

    def run(x: Array) -> Array:
        x = flushed(x) if flush and x.dtype == np.float32 else x
        x = whole(x) if whole is not None else x
        wider = target.dtype.itemsize >= x.dtype.itemsize and target.dtype != x.dtype
        result = (
            x.astype(target.dtype)
            if wider or target.dtype == x.dtype
            else narrowed(x, target.dtype, direction)
        )
        result = flushed(result) if flush and result.dtype == np.float32 else result
        result = np.where(result > 0, result, result.dtype.type(0)) if relu else result
        return canonical(np.array(saturated(result) if saturate else result))

    return run


def _to_integers(x: Array, source: Format, target: Format) -> Array:
    """Whole floats as integers: what is too large is the largest, NaN is 0, or half of the range in 64 bits."""
    limits = np.iinfo(target.dtype)
    wide = x.astype(np.float64)
    # The bounds as floats: 2**63 and 2**64 are no integers of the type, and everything from there on is too large.
    above, below = wide >= float(limits.max), wide <= float(limits.min)
    nan = np.isnan(wide)
    inside = np.where(above | below | nan, 0.0, wide)
    result = inside.astype(target.dtype)
    result = np.where(above, target.dtype.type(limits.max), result)
    result = np.where(below, target.dtype.type(limits.min), result)
    of_nan = 0 if source.bits != 64 and target.bits != 64 else 1 << (target.bits - 1)
    return np.where(nan, np.array(of_nan, np.uint64).astype(target.dtype), result)


def _tf32(x: Array) -> Array:
    """f32 with 10 bits of fraction, ties away from zero, as bits."""
    bits = np.ascontiguousarray(x).view(np.uint32)
    rounded = (bits + np.uint32(0x1000)) & np.uint32(0xFFFFE000)
    return np.asarray(np.where(np.isfinite(x), rounded, bits & np.uint32(0xFFFFE000)))


def _pair(i: Instruction, o: Operands, target: Format) -> Step:
    """Two f32 as one register of two narrow floats: the first operand is the upper half."""
    expect(i, 3)
    high, low = (o.read(operand, "f32") for operand in i.operands[1:])
    d = o.write(i.operands[0], target)
    half = FORMATS[target.name.removesuffix("x2")]
    convert = conversion(i, FORMATS["f32"], half)

    def run(frame: Frame) -> None:
        v = frame.values
        upper, lower = convert(v[high]), convert(v[low])
        v[d][:, 0] = lower
        v[d][:, 1] = upper

    return run


MAKERS: dict[str, Maker] = {"cvt": _cvt}

__all__ = ["MAKERS", "conversion"]

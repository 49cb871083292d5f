"""Arithmetic of PTX as NumPy operations over the threads of a frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from .faults import Fault, PTXError
from .floating import canonical, flushed, fused_multiply_add, narrowed, rounding
from .frames import FORMATS, Frame
from .memory import Array
from .operands import Operands, Step, expect, type_of
from .ptx import Instruction

Maker: TypeAlias = "Callable[[Instruction, Operands], Step]"
"""Makes an instruction ready to run."""


def direction_of(i: Instruction) -> str:
    """The rounding that an instruction names."""
    return next((modifier for modifier in i.modifiers if modifier in ("rn", "rz", "rm", "rp")), "rn")


def saturated(x: Array) -> Array:
    """Floats between 0 and 1, and 0 for NaN (`.sat`)."""
    return np.where(np.isnan(x), x.dtype.type(0), np.clip(x, x.dtype.type(0), x.dtype.type(1)))


def plain(ufunc: Any, d: int, *sources: int) -> Step:
    """A step that is one operation of NumPy."""
    if len(sources) == 1:
        (a,) = sources

        def unary(frame: Frame) -> None:
            v = frame.values
            ufunc(v[a], out=v[d])

        return unary
    a, b = sources

    def binary(frame: Frame) -> None:
        v = frame.values
        ufunc(v[a], v[b], out=v[d])

    return binary


def computed(f: Callable[..., Any], d: int, *sources: int) -> Step:
    """A step that stores what a function of arrays gives."""

    def run(frame: Frame) -> None:
        v = frame.values
        v[d][...] = f(*[v[s] for s in sources])

    return run


def _then_canonical(step: Step, d: int) -> Step:
    def run(frame: Frame) -> None:
        step(frame)
        canonical(frame.values[d])

    return run


def operands_of(i: Instruction, o: Operands, count: int) -> tuple[str, int, list[int]]:
    """The type of an instruction, the slot of its result and those of its operands."""
    expect(i, count + 1)
    kind = type_of(i)
    return kind, o.write(i.operands[0], kind), [o.read(operand, kind) for operand in i.operands[1:]]


def elementwise(ufunc: Any, count: int, *, rounds: bool = False) -> Maker:
    """The maker of instructions that are one operation of NumPy, with `.ftz`, `.sat` and directed rounding."""

    def make(i: Instruction, o: Operands) -> Step:
        kind, d, sources = operands_of(i, o, count)
        direction = direction_of(i)
        is_float = FORMATS[kind].kind == "f"
        flush, saturate = "ftz" in i.modifiers and kind == "f32", "sat" in i.modifiers
        if is_float and (flush or saturate):

            def special(*values: Array) -> Array:
                with rounding(direction):
                    result = ufunc(*[flushed(value) if flush else value for value in values])
                result = flushed(result) if flush else result
                return canonical(np.asarray(saturated(result) if saturate else result))

            return computed(special, d, *sources)
        if saturate:
            return computed(_saturating(ufunc, kind), d, *sources)
        step = (
            _then_canonical(plain(ufunc, d, *sources), d)
            if rounds and is_float
            else plain(ufunc, d, *sources)
        )
        if rounds and is_float and direction != "rn":

            def directed(frame: Frame) -> None:
                with rounding(direction):
                    step(frame)

            return directed
        return step

    return make


def _saturating(ufunc: Any, kind: str) -> Callable[[Array, Array], Array]:
    limits = np.iinfo(FORMATS[kind].dtype)

    def run(a: Array, b: Array) -> Array:
        wide = ufunc(a.astype(np.int64), b.astype(np.int64))
        return np.asarray(np.clip(wide, limits.min, limits.max).astype(a.dtype))

    return run


# Additions with carry


def _carried(subtract: bool, takes: bool) -> Maker:
    """add.cc, addc, sub.cc and subc."""

    def make(i: Instruction, o: Operands) -> Step:
        kind, d, (a, b) = operands_of(i, o, 2)
        gives = "cc" in i.modifiers
        old = o.hidden("CC", 1, False) if takes else -1
        new = o.hidden("CC", 1, True) if gives else -1

        def run(frame: Frame) -> None:
            v = frame.values
            x, y = (np.broadcast_to(v[s], (frame.count,)).astype(np.uint64) for s in (a, b))
            total, carry = add_with_carry(x, y, v[old] if takes else None, FORMATS[kind].bits, subtract)
            if gives:
                v[new][...] = carry
            np.copyto(v[d], total, casting="unsafe")

        return run

    def choose(i: Instruction, o: Operands) -> Step:
        if takes or "cc" in i.modifiers:
            return make(i, o)
        return elementwise(np.subtract if subtract else np.add, 2, rounds=True)(i, o)

    return choose


def add_with_carry(x: Array, y: Array, carry: Array | None, bits: int, subtract: bool) -> tuple[Array, Array]:
    """The sum (or difference) of numbers of 32 or 64 bits in uint64, and whether it carries (or borrows)."""
    more = np.uint64(0) if carry is None else carry.astype(np.uint64)
    mask = np.uint64((1 << bits) - 1)
    x, y = x & mask, y & mask
    if subtract:
        return (x - y - more) & mask, (x < y) | ((x == y) & (more > 0))
    total = (x + y + more) & mask
    return total, (total < x) | ((total == x) & (more > 0) & (y == mask))


# Products


def high_product(x: Array, y: Array) -> Array:
    """The upper halves of products of 64-bit numbers."""
    if x.dtype.kind == "i":
        unsigned = high_product(x.view(np.uint64), y.view(np.uint64)).view(np.int64)
        return unsigned - np.where(x < 0, y, 0) - np.where(y < 0, x, 0)
    low = np.uint64(0xFFFFFFFF)
    shift = np.uint64(32)
    x0, x1, y0, y1 = x & low, x >> shift, y & low, y >> shift
    middle = x1 * y0 + (x0 * y0 >> shift)
    other = x0 * y1 + (middle & low)
    return np.asarray(x1 * y1 + (middle >> shift) + (other >> shift))


def _product(i: Instruction, kind: str) -> tuple[Callable[[Array, Array], Array], str]:
    """Integer products (lo, hi, wide), and the type of the result."""
    bits = FORMATS[kind].bits
    if "wide" in i.modifiers:
        wide = FORMATS[f"{kind[0]}{2 * bits}"]
        return lambda a, b: np.multiply(a, b, dtype=wide.dtype), wide.name
    if "hi" in i.modifiers:
        if bits == 64:
            return high_product, kind
        wide = FORMATS[f"{kind[0]}{2 * bits}"]
        return lambda a, b: np.multiply(a, b, dtype=wide.dtype) >> wide.dtype.type(bits), kind
    return np.multiply, kind


def _mul(i: Instruction, o: Operands) -> Step:
    kind = type_of(i)
    if FORMATS[kind].kind == "f" or i.modifiers[:1] == ("lo",):
        return elementwise(np.multiply, 2, rounds=True)(i, o)
    expect(i, 3)
    f, result = _product(i, kind)
    a, b = (o.read(operand, kind) for operand in i.operands[1:])
    d = o.write(i.operands[0], result)

    def run(frame: Frame) -> None:
        v = frame.values
        np.copyto(v[d], f(v[a], v[b]), casting="unsafe")

    return run


def _mul24(i: Instruction, o: Operands) -> Step:
    kind, d, sources = operands_of(i, o, 2)
    eight, high = FORMATS[kind].dtype.type(8), "hi" in i.modifiers
    wide = np.int64 if kind == "s32" else np.uint64

    def run(a: Array, b: Array) -> Array:
        total = ((a << eight) >> eight).astype(wide) * ((b << eight) >> eight).astype(wide)
        return np.asarray((total >> wide(16) if high else total).astype(a.dtype))

    return computed(run, d, *sources)


def _mad(i: Instruction, o: Operands) -> Step:
    kind = type_of(i)
    if FORMATS[kind].kind == "f":
        return _fma(i, o)
    expect(i, 4)
    f, result = _product(i, kind)
    a, b = (o.read(operand, kind) for operand in i.operands[1:3])
    c, d = o.read(i.operands[3], result), o.write(i.operands[0], result)
    takes, gives = i.opcode == "madc", "cc" in i.modifiers
    old = o.hidden("CC", 1, False) if takes else -1
    new = o.hidden("CC", 1, True) if gives else -1
    bits = FORMATS[result].bits

    def run(frame: Frame) -> None:
        v = frame.values
        product = f(v[a], v[b])
        if not takes and not gives:
            np.copyto(v[d], product.astype(v[c].dtype, copy=False) + v[c], casting="unsafe")
            return
        x, y = (np.broadcast_to(value, (frame.count,)).astype(np.uint64) for value in (product, v[c]))
        total, carry = add_with_carry(x, y, v[old] if takes else None, bits, False)
        if gives:
            v[new][...] = carry
        np.copyto(v[d], total, casting="unsafe")

    return run


def _fma(i: Instruction, o: Operands) -> Step:
    kind, d, sources = operands_of(i, o, 3)
    direction = direction_of(i)
    flush, saturate, relu = (
        ("ftz" in i.modifiers and kind == "f32"),
        "sat" in i.modifiers,
        "relu" in i.modifiers,
    )
    dtype = FORMATS[kind].dtype
    a, b, c = sources

    def fast(frame: Frame) -> None:
        v = frame.values
        fused_multiply_add(v[a], v[b], v[c], v[d], direction)
        canonical(v[d])

    def special(frame: Frame) -> None:
        v = frame.values
        x, y, z = (flushed(v[s]) if flush else v[s] for s in sources)
        result = np.empty(v[d].shape, dtype)
        fused_multiply_add(x, y, z, result, direction)
        result = flushed(result) if flush else result
        result = np.where(result > 0, result, dtype.type(0)) if relu else result
        v[d][...] = canonical(saturated(result) if saturate else result)

    return special if flush or saturate or relu else fast


def _sad(i: Instruction, o: Operands) -> Step:
    _, d, sources = operands_of(i, o, 3)
    return computed(lambda a, b, c: c + np.where(a > b, a - b, b - a), d, *sources)


def _dp4a(i: Instruction, o: Operands) -> Step:
    expect(i, 4)
    kinds = [modifier for modifier in i.modifiers if modifier in ("s32", "u32")]
    a, b = (o.read(operand, kind) for operand, kind in zip(i.operands[1:3], kinds, strict=True))
    result = "s32" if "s32" in kinds else "u32"
    c, d = o.read(i.operands[3], result), o.write(i.operands[0], result)
    types = [np.int8 if kind == "s32" else np.uint8 for kind in kinds]

    def run(frame: Frame) -> None:
        v = frame.values
        parts = [
            np.broadcast_to(v[s], (frame.count,)).copy().view(dtype).reshape(-1, 4).astype(np.int64)
            for s, dtype in zip((a, b), types, strict=True)
        ]
        v[d][...] = ((parts[0] * parts[1]).sum(1) + v[c]).astype(v[d].dtype)

    return run


# Quotients and roots


def _div(i: Instruction, o: Operands) -> Step:
    kind, d, sources = operands_of(i, o, 2)
    if FORMATS[kind].kind == "f":
        return elementwise(np.divide, 2, rounds=True)(i, o)
    return _without_zero(
        i, computed(_quotient if kind[0] == "s" else np.floor_divide, d, *sources), sources[1]
    )


def _without_zero(i: Instruction, step: Step, divisor: int) -> Step:
    """A division of integers that must not be one by zero, of which the hardware makes some number."""

    def run(frame: Frame) -> None:
        zero = frame.values[divisor] == 0
        if zero.any():
            text = f"line {i.line}: {i.text}: a division by zero, of which the hardware makes any number"
            raise Fault(f"{text}: {frame.who(zero)}", "CUDA_ERROR_LAUNCH_FAILED")
        step(frame)

    return run


def _quotient(a: Array, b: Array) -> Array:
    """The quotient of signed numbers, rounded toward zero."""
    quotient = np.floor_divide(a, b)
    inexact = np.remainder(a, b) != 0
    return np.asarray(quotient + (inexact & ((a < 0) != (b < 0))).astype(a.dtype))


def _rem(i: Instruction, o: Operands) -> Step:
    _, d, sources = operands_of(i, o, 2)
    return _without_zero(i, plain(np.fmod, d, *sources), sources[1])


def _approximate(f: Callable[[Array], Any]) -> Maker:
    """Functions that the processor approximates: here computed in f64, and rounded once."""

    def make(i: Instruction, o: Operands) -> Step:
        kind, d, sources = operands_of(i, o, 1)
        flush, direction, dtype = "ftz" in i.modifiers and kind == "f32", direction_of(i), FORMATS[kind].dtype

        def run(x: Array) -> Array:
            x = flushed(x) if flush else x
            if dtype.itemsize == 8:
                with rounding(direction):
                    return np.asarray(f(x))
            result = np.asarray(narrowed(np.asarray(f(x.astype(np.float64))), dtype, direction))
            return canonical(flushed(result) if flush else result)

        return computed(run, d, *sources)

    return make


def _reciprocal(x: Array) -> Any:
    return 1.0 / x


def _reciprocal_root(x: Array) -> Any:
    return 1.0 / np.sqrt(x)


# Smaller and larger


def _extremum(integer: Any, ignores_nan: Any, keeps_nan: Any, smaller: bool) -> Maker:
    def make(i: Instruction, o: Operands) -> Step:
        kind, d, sources = operands_of(i, o, 2)
        if FORMATS[kind].kind != "f":
            step = plain(integer, d, *sources)
            if "relu" in i.modifiers:
                return _then_relu(step, d)
            return step
        if "xorsign" in i.modifiers:
            raise PTXError("xorsign is not known")
        keeps = "NaN" in i.modifiers
        ufunc = keeps_nan if keeps else ignores_nan
        flush = "ftz" in i.modifiers and kind == "f32"

        def run(a: Array, b: Array) -> Array:
            a, b = (flushed(a), flushed(b)) if flush else (a, b)
            result = np.array(ufunc(a, b))
            if not keeps:  # the number, also beside a signalling NaN, of which NumPy makes a quiet one
                result = np.where(np.isnan(a), b, np.where(np.isnan(b), a, result))
            zeros = (a == 0) & (b == 0)
            if zeros.any():  # -0 is smaller than +0
                negative = np.signbit(a) | np.signbit(b) if smaller else np.signbit(a) & np.signbit(b)
                zero = np.where(negative, result.dtype.type(-0.0), result.dtype.type(0.0))
                result = np.where(zeros, zero, result)
            return canonical(result)

        step = computed(run, d, *sources)
        return _then_relu(step, d) if "relu" in i.modifiers else step

    return make


def _then_relu(step: Step, d: int) -> Step:
    def run(frame: Frame) -> None:
        step(frame)
        value = frame.values[d]
        np.copyto(value, value.dtype.type(0), where=value < 0)

    return run


def _neg(i: Instruction, o: Operands) -> Step:
    return elementwise(np.negative, 1)(i, o)


def _abs(i: Instruction, o: Operands) -> Step:
    return elementwise(np.abs, 1)(i, o)


def _copysign(i: Instruction, o: Operands) -> Step:
    _, d, (sign, magnitude) = operands_of(i, o, 2)
    return plain(np.copysign, d, magnitude, sign)


MAKERS: dict[str, Maker] = {
    "add": _carried(False, False),
    "addc": _carried(False, True),
    "sub": _carried(True, False),
    "subc": _carried(True, True),
    "mul": _mul,
    "mul24": _mul24,
    "mad": _mad,
    "madc": _mad,
    "fma": _fma,
    "sad": _sad,
    "dp4a": _dp4a,
    "div": _div,
    "rem": _rem,
    "abs": _abs,
    "neg": _neg,
    "min": _extremum(np.minimum, np.fmin, np.minimum, True),
    "max": _extremum(np.maximum, np.fmax, np.maximum, False),
    "copysign": _copysign,
    "sqrt": _approximate(np.sqrt),
    "rsqrt": _approximate(_reciprocal_root),
    "rcp": _approximate(_reciprocal),
    "ex2": _approximate(np.exp2),
    "lg2": _approximate(np.log2),
    "sin": _approximate(np.sin),
    "cos": _approximate(np.cos),
    "tanh": _approximate(np.tanh),
}
"""Arithmetic by the name of the instruction."""

__all__ = ["MAKERS", "Maker", "computed", "direction_of", "operands_of", "plain", "saturated"]

"""Instructions of PTX beside NumPy, and beside exact arithmetic where NumPy rounds another way."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from support.ptx import kernel, run

REGISTER = {8: "%h", 16: "%h", 32: "%r", 64: "%d"}
SIZE = {"u": "u", "s": "i", "b": "u", "f": "f"}


def dtype_of(kind: str) -> np.dtype[Any]:
    """The dtype of a PTX type."""
    if kind == "bf16":
        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(f"{SIZE[kind[0]]}{int(kind[1:]) // 8}")


def values(kind: str, count: int = 64, seed: int = 0) -> Any:
    """Numbers of a type, special ones among them."""
    random = np.random.default_rng(seed)
    dtype = dtype_of(kind)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        found = random.integers(limits.min, limits.max, count, dtype=dtype, endpoint=True)
        found[: 4 + seed] = np.array([0, 1, 2, 3, 7, 31, 5][: 4 + seed])
        found[8], found[9] = limits.min, limits.max
        return found
    found = random.standard_normal(count) * 4.0 ** random.integers(-6, 6, count)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, 0.5, 2.5, -1.5, 1e-40]
    found[seed * 3 : seed * 3 + len(special)] = special
    with np.errstate(all="ignore"):
        return found.astype(dtype)


def compute(instruction: str, types: list[str], result: str, operands: list[Any]) -> Any:
    """What an instruction gives; {d}, {a}, {b}, {c} are its result and its operands."""
    names = {}
    body = ""
    for number, (letter, kind) in enumerate(zip("abcd", [*types, result][: len(types)], strict=False)):
        bits = 32 if kind == "pred" else int(kind.lstrip("usbfx"))
        names[letter] = f"{REGISTER[bits]}{number + 10}"
        body += f"    mad.wide.u32 %d{number + 40}, %r0, {bits // 8}, %d{number};\n"
        body += f"    ld.global.b{bits} {names[letter]}, [%d{number + 40}];\n"
    bits = 32 if result == "pred" else int(result.lstrip("usbfx"))
    names["d"] = f"{REGISTER[bits]}9"
    for statement in instruction.format(**names).split(";"):
        if statement.strip():
            body += f"    {statement.strip()};\n"
    if result == "pred":
        body += "    selp.b32 %r9, 1, 0, %p1;\n"
    last = len(types)
    body += (
        f"    mad.wide.u32 %d50, %r0, {bits // 8}, %d{last};\n    st.global.b{bits} [%d50], {names['d']};\n"
    )
    out = np.zeros(64, np.uint32 if result == "pred" else dtype_of(result))
    return run(kernel(body, last + 1), [*operands, out], block=64)[-1]


def one_nan(halves: Any) -> Any:
    """Floats of 16 bits as the hardware makes them: all NaNs have the same bits."""
    return np.where(np.isnan(halves), np.uint16(0x7FFF), halves.view(np.uint16)).astype(np.uint16)


def same(got: Any, want: Any) -> None:
    """Equal bits, but for NaNs."""
    if isinstance(want, list):
        want = np.array([int(x) % 256**got.dtype.itemsize for x in want], f"u{got.dtype.itemsize}").view(
            got.dtype
        )
    with np.errstate(all="ignore"):
        want = np.asarray(want).astype(got.dtype)
    unsigned = f"u{got.dtype.itemsize}"
    equal = got.view(unsigned) == want.view(unsigned)
    if got.dtype.kind not in "iu":
        equal |= np.isnan(got) & np.isnan(want)
    assert equal.all(), (got[~equal], want[~equal])


def div(a: Any, b: Any) -> Any:
    return np.array([0 if q == 0 else int(Fraction(int(p), int(q))) for p, q in zip(a, b, strict=True)])


SAFE = "max.{t} {b}, {b}, 1; "

CASES: list[tuple[str, list[str], str, Callable[..., Any]]] = [
    *[(f"{op}.{t} {{d}}, {{a}}, {{b}}", [t, t], t, f)
      for op, f in (("add", np.add), ("sub", np.subtract), ("mul", np.multiply))
      for t in ("f16", "f32", "f64", "bf16")],
    *[(f"{op}.{t} {{d}}, {{a}}, {{b}}", [t, t], t, f)
      for op, f in (("add", np.add), ("sub", np.subtract), ("mul.lo", np.multiply))
      for t in ("s16", "u16", "s32", "u32", "s64", "u64")],
    *[(f"{op}.{t} {{d}}, {{a}}, {{b}}", [t, t], t, f)
      for op, f in (("min", np.minimum), ("max", np.maximum)) for t in ("s16", "u16", "s32", "u32", "s64", "u64")],
    *[(f"{op}.NaN.{t} {{d}}, {{a}}, {{b}}", [t, t], t, f)
      for op, f in (("min", np.minimum), ("max", np.maximum)) for t in ("f16", "f32", "bf16")],
    *[(f"{op}.{t} {{d}}, {{a}}, {{b}}", [t, t], t, f)
      for op, f in (("min", np.fmin), ("max", np.fmax)) for t in ("f16", "f32", "f64")],
    *[(f"{op}.{t} {{d}}, {{a}}", [t], t, f)
      for op, f in (("neg", np.negative), ("abs", np.abs)) for t in ("s32", "s64", "f32", "f64", "f16", "bf16")],
    ("div.rn.f32 {d}, {a}, {b}", ["f32", "f32"], "f32", np.divide),
    ("div.rn.f64 {d}, {a}, {b}", ["f64", "f64"], "f64", np.divide),
    ("sqrt.rn.f32 {d}, {a}", ["f32"], "f32", np.sqrt),
    ("sqrt.rn.f64 {d}, {a}", ["f64"], "f64", np.sqrt),
    ("rcp.rn.f32 {d}, {a}", ["f32"], "f32", lambda a: np.float32(1) / a),
    ("copysign.f32 {d}, {a}, {b}", ["f32", "f32"], "f32", lambda a, b: np.copysign(b, a)),
    *[(f"max.{t} {{b}}, {{b}}, 1; div.{t} {{d}}, {{a}}, {{b}}", [t, t], t,
       lambda a, b: div(a, np.maximum(b, 1))) for t in ("s16", "u16", "s32", "u32", "s64")],
    *[(f"max.{t} {{b}}, {{b}}, 1; rem.{t} {{d}}, {{a}}, {{b}}", [t, t], t,
       lambda a, b: np.fmod(a, np.maximum(b, 1))) for t in ("s16", "u16", "s32", "u32", "s64", "u64")],
    *[(f"{op}.b{bits} {{d}}, {{a}}, {{b}}", [f"b{bits}"] * 2, f"b{bits}", f)
      for op, f in (("and", np.bitwise_and), ("or", np.bitwise_or), ("xor", np.bitwise_xor)) for bits in (16, 32, 64)],
    ("not.b32 {d}, {a}", ["b32"], "b32", np.invert),
    *[(f"mul.hi.{t} {{d}}, {{a}}, {{b}}", [t, t], t,
       lambda a, b: [int(p) * int(q) >> 8 * a.itemsize for p, q in zip(a, b, strict=True)])
      for t in ("s16", "u16", "s32", "u32", "s64", "u64")],
    *[(f"mul.wide.{t[0]}32 {{d}}, {{a}}, {{b}}", [f"{t[0]}32"] * 2, f"{t[0]}64",
       lambda a, b: a.astype(f"{a.dtype.kind}8") * b) for t in ("s", "u")],
    ("mad.lo.s32 {d}, {a}, {b}, {c}", ["s32"] * 3, "s32", lambda a, b, c: a * b + c),
    ("mad.wide.u32 {d}, {a}, {b}, {c}", ["u32", "u32", "u64"], "u64", lambda a, b, c: a.astype(np.uint64) * b + c),
    ("sad.s32 {d}, {a}, {b}, {c}", ["s32"] * 3, "s32", lambda a, b, c: c + np.where(a > b, a - b, b - a)),
    ("add.sat.s32 {d}, {a}, {b}", ["s32", "s32"], "s32",
     lambda a, b: np.clip(a.astype(np.int64) + b, -(2**31), 2**31 - 1)),
    ("popc.b64 {d}, {a}", ["b64"], "u32", np.bitwise_count),
    ("clz.b32 {d}, {a}", ["b32"], "u32", lambda a: [32 - int(x).bit_length() for x in a]),
    ("clz.b64 {d}, {a}", ["b64"], "u32", lambda a: [64 - int(x).bit_length() for x in a]),
    ("bfind.u32 {d}, {a}", ["u32"], "u32", lambda a: [(int(x).bit_length() - 1) % 2**32 for x in a]),
    ("bfind.s32 {d}, {a}", ["s32"], "u32",
     lambda a: [((~int(x) if x < 0 else int(x)).bit_length() - 1) % 2**32 for x in a]),
    ("brev.b32 {d}, {a}", ["b32"], "b32", lambda a: [int(f"{int(x):032b}"[::-1], 2) for x in a]),
    ("brev.b64 {d}, {a}", ["b64"], "b64", lambda a: np.array([int(f"{int(x):064b}"[::-1], 2) for x in a], np.uint64)),
    *[(f"and.b32 {{b}}, {{b}}, 63; {op}.{t} {{d}}, {{a}}, {{b}}", [t, "u32"], t,
       lambda a, b, op=op: [
           int(x) << int(s & 63) if op == "shl" else int(x) >> int(s & 63)
           for x, s in zip(a, b, strict=True)])
      for op, t in (("shl", "b32"), ("shl", "b64"), ("shr", "u32"), ("shr", "s32"), ("shr", "s64"), ("shr", "u16"))],
    ("shr.s32 {d}, {a}, 5", ["s32"], "s32", lambda a: a >> 5),
    ("and.b32 {b}, {b}, 15; and.b32 {c}, {c}, 15; bfe.u32 {d}, {a}, {b}, {c}", ["u32"] * 3, "u32",
     lambda a, b, c: a >> (b & 15) & ((1 << (c & 15).astype(np.uint64)) - 1).astype(np.uint32)),
    ("bfe.s32 {d}, {a}, 4, 8", ["s32"], "s32", lambda a: (a << 20) >> 24),
    ("bfe.s32 {d}, {a}, 28, 8", ["s32"], "s32", lambda a: a >> 28),
    ("bfi.b32 {d}, {a}, {b}, 4, 8", ["b32", "b32"], "b32", lambda a, b: b & 0xFFFFF00F | (a & 255) << 4),
    ("prmt.b32 {d}, {a}, {b}, 0x5410", ["b32", "b32"], "b32", lambda a, b: a & 0xFFFF | b << 16),
    ("prmt.b32 {d}, {a}, {b}, 0x8880", ["b32", "b32"], "b32",
     lambda a, b: (a & 255) | np.where(a & 128, np.uint32(0xFFFFFF00), np.uint32(0))),
    ("lop3.b32 {d}, {a}, {b}, {c}, 0xCA", ["b32"] * 3, "b32", lambda a, b, c: (a & b) | (~a & c)),
    ("shf.l.wrap.b32 {d}, {a}, {b}, 7", ["b32", "b32"], "b32", lambda a, b: b << 7 | a >> 25),
    ("shf.r.wrap.b32 {d}, {a}, {b}, 7", ["b32", "b32"], "b32", lambda a, b: a >> 7 | b << 25),
    *[(f"setp.{op}.{t} %p1, {{a}}, {{b}}", [t, t], "pred", f)
      for op, f in (("eq", np.equal), ("lt", np.less), ("ge", np.greater_equal)) for t in ("s32", "u64", "f32", "f16")],
    ("setp.ne.f32 %p1, {a}, {b}", ["f32", "f32"], "pred", lambda a, b: (a < b) | (a > b)),
    ("setp.neu.f32 %p1, {a}, {b}", ["f32", "f32"], "pred", np.not_equal),
    ("setp.ltu.f64 %p1, {a}, {b}", ["f64", "f64"], "pred", lambda a, b: ~(a >= b)),
    ("setp.equ.f64 %p1, {a}, {b}", ["f64", "f64"], "pred", lambda a, b: (a == b) | np.isnan(a) | np.isnan(b)),
    ("setp.nan.f32 %p1, {a}, {b}", ["f32", "f32"], "pred", lambda a, b: np.isnan(a) | np.isnan(b)),
    ("setp.lt.s32 %p2, {a}, 0; setp.gt.and.s32 %p1|%p3, {b}, 5, !%p2", ["s32", "s32"], "pred",
     lambda a, b: (b > 5) & (a >= 0)),
    ("testp.subnormal.f32 %p1, {a}", ["f32"], "pred", lambda a: (a != 0) & (np.abs(a) < np.finfo(np.float32).tiny)),
    ("setp.lt.s32 %p2, {a}, {b}; selp.b32 {d}, {a}, {b}, %p2", ["s32", "s32"], "s32", np.minimum),
    ("set.lt.u32.s32 {d}, {a}, {b}", ["s32", "s32"], "u32", lambda a, b: np.where(a < b, -1, 0)),
    ("slct.s32.f32 {d}, {a}, {b}, {c}", ["s32", "s32", "f32"], "s32", lambda a, b, c: np.where(c >= 0, a, b)),
    ("mov.b32 {{%h1, %h2}}, {a}; mov.b32 {d}, {{%h2, %h1}}", ["b32"], "b32", lambda a: a << 16 | a >> 16),
    ("mov.b64 {{%r1, %r2}}, {a}; mov.b64 {d}, {{%r2, %r1}}", ["b64"], "b64", lambda a: a << 32 | a >> 32),
    ("add.cc.u32 {d}, {a}, {b}; addc.u32 {d}, 0, 0", ["u32", "u32"], "u32",
     lambda a, b: (a.astype(np.uint64) + b) >> 32),
    ("sub.cc.u32 {d}, {a}, {b}; subc.u32 {d}, 0, 0", ["u32", "u32"], "u32", lambda a, b: np.where(a < b, -1, 0)),
    ("mad.lo.cc.u32 {d}, {a}, {b}, {c}; madc.hi.u32 {d}, {a}, {b}, 0", ["u32"] * 3, "u32",
     lambda a, b, c: (a.astype(np.uint64) * b + c) >> 32),
    ("ex2.approx.f32 {d}, {a}", ["f32"], "f32", lambda a: np.exp2(a.astype(np.float64))),
    ("lg2.approx.f32 {d}, {a}", ["f32"], "f32", lambda a: np.log2(a.astype(np.float64))),
    ("tanh.approx.f32 {d}, {a}", ["f32"], "f32", lambda a: np.tanh(a.astype(np.float64))),
    ("mul.f16x2 {d}, {a}, {b}", ["b32", "b32"], "b32",
     lambda a, b: one_nan(a.view(np.float16) * b.view(np.float16)).view(np.uint32)),
    ("add.s16x2 {d}, {a}, {b}", ["b32", "b32"], "b32",
     lambda a, b: (a.view(np.int16) + b.view(np.int16)).view(np.uint32)),
    ("add.sat.s16x2 {d}, {a}, {b}", ["b32", "b32"], "b32",
     lambda a, b: (a.view(np.int16) + b.view(np.int16).astype(np.int32)).clip(-0x8000, 0x7FFF).astype("i2").view("u4")),
    ("min.s16x2 {d}, {a}, {b}", ["b32", "b32"], "b32",
     lambda a, b: np.minimum(a.view(np.int16), b.view(np.int16)).view(np.uint32)),
    ("max.u16x2 {d}, {a}, {b}", ["b32", "b32"], "b32",
     lambda a, b: np.maximum(a.view(np.uint16), b.view(np.uint16)).view(np.uint32)),
]  # fmt: skip

CONVERSIONS: list[tuple[str, str, str, Callable[[Any], Any]]] = [
    ("cvt.rn.f32.f64", "f64", "f32", lambda a: a.astype(np.float32)),
    ("cvt.f64.f32", "f32", "f64", lambda a: a.astype(np.float64)),
    ("cvt.rn.f16.f32", "f32", "f16", lambda a: a.astype(np.float16)),
    ("cvt.rn.bf16.f32", "f32", "bf16", lambda a: a.astype(ml_dtypes.bfloat16)),
    ("cvt.f32.bf16", "bf16", "f32", lambda a: a.astype(np.float32)),
    ("cvt.f32.f16", "f16", "f32", lambda a: a.astype(np.float32)),
    ("cvt.rni.f32.f32", "f32", "f32", np.rint),
    ("cvt.rmi.f64.f64", "f64", "f64", np.floor),
    ("cvt.rpi.f32.f32", "f32", "f32", np.ceil),
    ("cvt.rzi.f32.f32", "f32", "f32", np.trunc),
    ("cvt.rn.f32.s32", "s32", "f32", lambda a: a.astype(np.float32)),
    ("cvt.rn.f32.u64", "u64", "f32", lambda a: a.astype(np.float32)),
    ("cvt.rn.f64.s64", "s64", "f64", lambda a: a.astype(np.float64)),
    ("cvt.s64.s32", "s32", "s64", lambda a: a.astype(np.int64)),
    ("cvt.u64.u32", "u32", "u64", lambda a: a.astype(np.uint64)),
    ("cvt.u32.u64", "u64", "u32", lambda a: a.astype(np.uint32)),
    ("cvt.s32.s8", "s32", "s32", lambda a: a.astype(np.int8).astype(np.int32)),
    ("cvt.u32.u8", "u32", "u32", lambda a: a.astype(np.uint8).astype(np.uint32)),
    ("cvt.sat.s8.s32", "s32", "s32", lambda a: np.clip(a, -128, 127)),
    ("cvt.sat.u16.s32", "s32", "u16", lambda a: np.clip(a, 0, 65535)),
    ("cvt.sat.f32.f32", "f32", "f32", lambda a: np.where(np.isnan(a), 0, np.clip(a, 0, 1))),
]


@pytest.mark.parametrize(
    ("instruction", "types", "result", "expected"), CASES, ids=[case[0] for case in CASES]
)
def test_an_instruction_is_what_numpy_does(
    instruction: str, types: list[str], result: str, expected: Callable[..., Any]
) -> None:
    operands = [values(kind, seed=number) for number, kind in enumerate(types)]
    with np.errstate(all="ignore"):
        want = expected(*operands)
    same(compute(instruction, types, result, operands), want)


@pytest.mark.parametrize(
    ("name", "source", "result", "expected"), CONVERSIONS, ids=[case[0] for case in CONVERSIONS]
)
def test_a_conversion_is_what_numpy_does(
    name: str, source: str, result: str, expected: Callable[[Any], Any]
) -> None:
    operand = values(source)
    with np.errstate(all="ignore"):
        want = expected(operand)
    same(compute(f"{name} {{d}}, {{a}}", [source], result, [operand]), want)


def test_floats_become_integers_as_the_isa_says() -> None:
    given = [0.5, -1.5, 3e9, -3e9, 1e30, -1e30, np.nan, np.inf, 2147483647.0, 9.3e18]
    x = np.array(given + [0.0] * (64 - len(given)))
    limits = np.iinfo(np.int32)
    got = compute("cvt.rzi.s32.f32 {d}, {a}", ["f32"], "s32", [x.astype(np.float32)])
    top, low = limits.max, limits.min
    assert got[:10].tolist() == [0, -1, top, low, top, low, 0, top, top, top]
    got = compute("cvt.rni.u32.f64 {d}, {a}", ["f64"], "u32", [x])
    assert got[:10].tolist() == [0, 0, 3 * 10**9, 0, 2**32 - 1, 0, 1 << 31, 2**32 - 1, 2147483647, 2**32 - 1]
    got = compute("cvt.rzi.s64.f64 {d}, {a}", ["f64"], "s64", [x])
    assert got[[4, 5, 6, 9]].tolist() == [2**63 - 1, -(2**63), -(2**63), 2**63 - 1]


def bounds(exact: Fraction, dtype: Any) -> tuple[Any, Any]:
    """The numbers of a type on both sides of an exact one."""
    near = dtype(float(exact)) if dtype is not np.float32 else np.float32(np.float64(float(exact)))
    below, above = near, near
    while Fraction(float(below)) > exact:
        below = np.nextafter(below, dtype(-np.inf))
    while Fraction(float(above)) < exact:
        above = np.nextafter(above, dtype(np.inf))
    while Fraction(float(np.nextafter(below, dtype(np.inf)))) <= exact:
        below = np.nextafter(below, dtype(np.inf))
    while Fraction(float(np.nextafter(above, dtype(-np.inf)))) >= exact:
        above = np.nextafter(above, dtype(-np.inf))
    return below, above


def rounded(exact: Fraction, dtype: Any, direction: str) -> Any:
    """An exact number in a type, rounded in a direction."""
    below, above = bounds(exact, dtype)
    if direction == "rm" or below == above:
        return below
    if direction == "rp":
        return above
    if direction == "rz":
        return below if exact > 0 else above
    low, high = exact - Fraction(float(below)), Fraction(float(above)) - exact
    if low != high:
        return below if low < high else above
    unsigned = f"u{np.dtype(dtype).itemsize}"
    return below if not np.array(below).view(unsigned) & 1 else above


DIRECTIONS = [(kind, dtype, name) for kind, dtype in (("f32", np.float32), ("f64", np.float64))
              for name in ("rn", "rz", "rm", "rp")]  # fmt: skip


@pytest.mark.parametrize(("kind", "dtype", "direction"), [*DIRECTIONS, ("f16", np.float16, "rn")])
def test_fma_rounds_once_and_as_it_says(kind: str, dtype: Any, direction: str) -> None:
    random = np.random.default_rng(0)
    a, b, c = (random.standard_normal(64).astype(dtype) for _ in range(3))
    c[:32] = -(a * b)[:32]  # what is left of the product
    got = compute(f"fma.{direction}.{kind} {{d}}, {{a}}, {{b}}, {{c}}", [kind] * 3, kind, [a, b, c])
    for x, y, z, result in zip(a, b, c, got, strict=True):
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
        assert result == rounded(exact, dtype, direction), (x, y, z)


@pytest.mark.parametrize("direction", ["rz", "rm", "rp"])
def test_arithmetic_rounds_as_it_says(direction: str) -> None:
    random = np.random.default_rng(1)
    x, y = (random.standard_normal(64).astype(np.float32) for _ in range(2))
    for name, exactly in (
        ("add", lambda p, q: p + q),
        ("mul", lambda p, q: p * q),
        ("div", lambda p, q: p / q),
    ):
        got = compute(f"{name}.{direction}.f32 {{d}}, {{a}}, {{b}}", ["f32", "f32"], "f32", [x, y])
        want = [
            rounded(exactly(Fraction(float(p)), Fraction(float(q))), np.float32, direction)
            for p, q in zip(x, y, strict=True)
        ]
        assert got.tolist() == want
    wide = random.standard_normal(64)
    got = compute(f"cvt.{direction}.f32.f64 {{d}}, {{a}}", ["f64"], "f32", [wide])
    assert got.tolist() == [rounded(Fraction(float(p)), np.float32, direction) for p in wide]
    whole = random.integers(-(2**62), 2**62, 64)
    got = compute(f"cvt.{direction}.f32.s64 {{d}}, {{a}}", ["s64"], "f32", [whole])
    assert got.tolist() == [rounded(Fraction(int(p)), np.float32, direction) for p in whole]


def test_a_pair_of_floats_becomes_one_register() -> None:
    x, y = values("f32"), values("f32", seed=1)
    got = compute("cvt.rn.bf16x2.f32 {d}, {a}, {b}", ["f32", "f32"], "b32", [x, y])
    with np.errstate(all="ignore"):
        want = np.stack([y.astype(ml_dtypes.bfloat16), x.astype(ml_dtypes.bfloat16)], 1)
    same(got.view(ml_dtypes.bfloat16), want.reshape(-1))

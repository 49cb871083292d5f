"""One instruction each, in a little kernel: what a GPU and the emulator are to agree about.

Each kernel loads what each thread gives to the instruction from arrays, and stores what it gets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

BFLOAT16, FLOAT16 = 9, 6
"""Of CUtensorMapDataType."""


class Map(NamedTuple):
    """A tensor map that is passed to a kernel: of which array, with the innermost dimension first."""

    array: int
    kind: int
    extents: tuple[int, ...]
    strides: tuple[int, ...]
    """In bytes, of all dimensions but the innermost."""
    box: tuple[int, ...]
    swizzle: int
    step: int = 1
    """Between rows that are read, which the box counts in."""


class Case(NamedTuple):
    """A kernel `k` of one block, and the arrays whose addresses are its parameters; maps come behind them."""

    ptx: str
    arrays: tuple[np.ndarray[Any, Any], ...]
    threads: int = 32
    maps: tuple[Map, ...] = ()
    tolerance: float = 0.0
    """How far results may be apart, relative to each number: where the manual of PTX grants an error."""
    floats: str = ""
    """The dtype of the results, which are the last array, if they are floats: all NaNs are alike then."""


_HEADER = ".version 8.6\n.target sm_90a\n.address_size 64\n"
_REGISTERS = """
    .reg .pred %p<8>;
    .reg .b16 %h<32>;
    .reg .b32 %r<160>;
    .reg .b64 %d<64>;
"""


def kernel(body: str, arrays: int, shared: str = "", maps: int = 0) -> str:
    """A kernel with the addresses of arrays in %d0, %d1, ..., of maps in %d30, ..., and its thread in %r0."""
    parameters = [f".param .u64 k_{number}" for number in range(arrays)]
    parameters += [f".param .align 128 .b8 k_map{number}[128]" for number in range(maps)]
    start = "".join(f"    ld.param.b64 %d{k}, [k_{k}];\n" for k in range(arrays))
    for k in range(maps):
        start += f"    mov.b64 %d{30 + k}, k_map{k};\n    cvta.param.u64 %d{30 + k}, %d{30 + k};\n"
    return (
        f"{_HEADER}{shared}\n.visible .entry k({', '.join(parameters)})\n{{{_REGISTERS}\n{start}"
        f"    mov.u32 %r0, %tid.x;\n{body}\n    ret;\n}}\n"
    )


def loaded(array: int, registers: Sequence[str], bits: int = 32) -> str:
    """Code that loads a thread's numbers, which lie side by side."""
    text = f"    mad.wide.u32 %d20, %r0, {len(registers) * bits // 8}, %d{array};\n"
    for number, register in enumerate(registers):
        text += f"    ld.global.b{bits} {register}, [%d20+{number * bits // 8}];\n"
    return text


def stored(array: int, registers: Sequence[str], bits: int = 32) -> str:
    """Code that stores a thread's numbers side by side."""
    text = f"    mad.wide.u32 %d21, %r0, {len(registers) * bits // 8}, %d{array};\n"
    for number, register in enumerate(registers):
        text += f"    st.global.b{bits} [%d21+{number * bits // 8}], {register};\n"
    return text


def _names(first: int, count: int, letter: str = "r") -> list[str]:
    return [f"%{letter}{first + number}" for number in range(count)]


def _room(count: int, dtype: str = "u4") -> np.ndarray[Any, Any]:
    """Where results go, which are never these."""
    return np.frombuffer(b"\xab" * count * np.dtype(dtype).itemsize, dtype)


def _group(names: Sequence[str]) -> str:
    return "{" + ", ".join(names) + "}"


def _words(count: int, seed: int = 0) -> np.ndarray[Any, Any]:
    """Random bits."""
    return np.random.default_rng(seed).integers(0, 1 << 32, count, np.uint32)


# Products on tensor cores: small integers, whose sums are exact in any order


def _small(dtype: str, count: int, seed: int) -> np.ndarray[Any, Any]:
    """Bits of small integers of a type, as words."""
    numbers = np.random.default_rng(seed).integers(-8, 9, count)
    if dtype == "bf16":
        return (numbers.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).view(np.uint32)
    return numbers.astype(dtype).view(np.uint32)


def _product(shape: str, types: str, operand: str, result: str, words: tuple[int, int, int]) -> Case:
    """An mma.sync with so many words a thread of its factors and sums."""
    width = {"f4": 4, "i1": 1, "f8": 8}.get(operand, 2)
    sums = {"f4": 4, "i4": 4, "f8": 8}[result]
    bits = 64 if operand == "f8" else 32
    letter, first = ("d", 40) if bits == 64 else ("r", 10)
    a, b, c = (_names(first + 8 * k, n, letter) for k, n in enumerate(words))
    arrays = []
    for number, (count, dtype, size) in enumerate(
        zip(words, (operand, operand, result), (width, width, sums), strict=True)
    ):
        arrays.append(_small(dtype, 32 * count * bits // 8 // size, number))
    body = loaded(0, a, bits) + loaded(1, b, bits) + loaded(2, c, bits)
    body += (
        f"    mma.sync.aligned.{shape}.row.col.{types} {_group(c)}, {_group(a)}, {_group(b)}, {_group(c)};\n"
    )
    return Case(kernel(body + stored(2, c, bits), 3), tuple(arrays))


def _products() -> dict[str, Case]:
    return {
        "mma m16n8k16 f16": _product("m16n8k16", "f32.f16.f16.f32", "f2", "f4", (4, 2, 4)),
        "mma m16n8k16 bf16": _product("m16n8k16", "f32.bf16.bf16.f32", "bf16", "f4", (4, 2, 4)),
        "mma m16n8k8 tf32": _product("m16n8k8", "f32.tf32.tf32.f32", "f4", "f4", (4, 2, 4)),
        "mma m16n8k4 tf32": _product("m16n8k4", "f32.tf32.tf32.f32", "f4", "f4", (2, 1, 4)),
        "mma m16n8k8 f16": _product("m16n8k8", "f32.f16.f16.f32", "f2", "f4", (2, 1, 4)),
        "mma m16n8k32 u8": _product("m16n8k32", "s32.u8.u8.s32", "i1", "i4", (4, 2, 4)),
        "mma m16n8k32 s8": _product("m16n8k32", "s32.s8.s8.s32", "i1", "i4", (4, 2, 4)),
        "mma m8n8k4 f64": _product("m8n8k4", "f64.f64.f64.f64", "f8", "f8", (1, 1, 2)),
    }


# Matrices between shared memory and registers


def _matrix(count: int, transposed: bool, stores: bool) -> Case:
    """An ldmatrix of rows that each thread points to, or an stmatrix to them."""
    registers, suffix = _names(10, count), f"x{count}{'.trans' if transposed else ''}"
    row = "    mov.b64 %d10, row;\n    mul.wide.u32 %d11, %r0, 16;\n    add.s64 %d12, %d10, %d11;\n"
    words = _names(20, 4)
    if stores:
        body = row + f"    st.shared.v4.b32 [%d12], {{{', '.join(['0'] * 4)}}};\n    bar.sync 0;\n"
        body = body.replace("{0, 0, 0, 0}", "{%r30, %r30, %r30, %r30}")
        body = "    mov.b32 %r30, 0;\n" + body + loaded(0, registers)
        body += f"    stmatrix.sync.aligned.m8n8.{suffix}.shared.b16 [%d12], {_group(registers)};\n    bar.sync 0;\n"
        body += f"    ld.shared.v4.b32 {_group(words)}, [%d12];\n" + stored(1, words)
    else:
        body = row + loaded(0, words) + f"    st.shared.v4.b32 [%d12], {_group(words)};\n    bar.sync 0;\n"
        body += f"    ldmatrix.sync.aligned.m8n8.{suffix}.shared.b16 {_group(registers)}, [%d12];\n"
        body += stored(1, registers)
    given = np.arange(256 if not stores else 64 * count, dtype=np.uint16).view(np.uint32)
    return Case(kernel(body, 2, ".shared .align 16 .b8 row[512];"), (given, _room(32 * 4)))


def _matrices() -> dict[str, Case]:
    return {
        f"{'st' if stores else 'ld'}matrix x{count}{' trans' if transposed else ''}": _matrix(
            count, transposed, stores
        )
        for stores in (False, True)
        for count in (1, 2, 4)
        for transposed in (False, True)
    }


# Warps


def _warp(instruction: str, arrays: int = 1, *, truth: bool = False) -> Case:
    """An instruction on the registers %r10, %r11 and on %p1, whether %r10 is odd; its result is %r12."""
    body = loaded(0, ["%r10"]) + (loaded(1, ["%r11"]) if arrays == 2 else "")
    body += "    and.b32 %r13, %r10, 1;\n    setp.ne.u32 %p1, %r13, 0;\n    mov.b32 %r12, 0;\n"
    body += f"    {instruction};\n"
    body += "    selp.b32 %r12, 1, 0, %p2;\n" if truth else ""
    given = (_words(32), np.random.default_rng(1).integers(0, 32, 32).astype(np.uint32))[:arrays]
    return Case(kernel(body + stored(arrays, ["%r12"]), arrays + 1), (*given, _room(32)))


def _warps() -> dict[str, Case]:
    cases = {}
    for mode in ("up", "down", "bfly"):
        for step, clamp in (
            (1, 0 if mode == "up" else 31),
            (5, 0x1800 if mode == "up" else 0x181F),
            (16, 31),
        ):
            name = f"shfl {mode} {step} {clamp:#x}"
            cases[name] = _warp(f"shfl.sync.{mode}.b32 %r12|%p2, %r10, {step}, {clamp}, -1")
            cases[f"{name} predicate"] = _warp(
                f"shfl.sync.{mode}.b32 %r14|%p2, %r10, {step}, {clamp}, -1", truth=True
            )
    cases["shfl idx"] = _warp("shfl.sync.idx.b32 %r12, %r10, %r11, 31, -1", 2)
    for mode in ("all", "any", "uni"):
        cases[f"vote {mode}"] = _warp(f"vote.sync.{mode}.pred %p2, %p1, -1", truth=True)
    cases["vote ballot"] = _warp("vote.sync.ballot.b32 %r12, %p1, -1")
    cases["match any"] = _warp("and.b32 %r11, %r10, 3; match.any.sync.b32 %r12, %r11, -1")
    cases["match any b64"] = _warp(
        "and.b32 %r11, %r10, 5; mov.b64 %d22, {%r11, %r10}; and.b64 %d22, %d22, 15; match.any.sync.b64 %r12, %d22, -1"
    )
    cases["match all"] = _warp("and.b32 %r11, %r10, 0; match.all.sync.b32 %r12|%p2, %r11, -1", truth=False)
    cases["match all not"] = _warp("match.all.sync.b32 %r14|%p2, %r10, -1", truth=True)
    for operation in ("add.s32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32"):
        cases[f"redux {operation}"] = _warp(f"redux.sync.{operation} %r12, %r10, -1")
    return cases


# Asynchronous copies


def _copy(size: int, cache: str, partly: bool) -> Case:
    """A cp.async of some bytes a thread, of which only the first are read where it is partly."""
    words = size // 4
    registers = _names(20, words)
    body = f"    mov.b64 %d10, row;\n    mul.wide.u32 %d11, %r0, {size};\n    add.s64 %d12, %d10, %d11;\n"
    body += f"    add.s64 %d13, %d0, %d11;\n    and.b32 %r1, %r0, {size - 1};\n"
    limit = ", %r1" if partly else ""
    body += f"    cp.async.{cache}.shared.global [%d12], [%d13], {size}{limit};\n"
    body += "    cp.async.commit_group;\n    cp.async.wait_group 0;\n    bar.sync 0;\n"
    body += "".join(f"    ld.shared.b32 {name}, [%d12+{4 * k}];\n" for k, name in enumerate(registers))
    shared = f".shared .align 16 .b8 row[{32 * size}];"
    arrays = (_words(32 * words), _room(32 * words))
    return Case(kernel(body + stored(1, registers), 2, shared), arrays)


_EXCHANGE = """
    setp.ne.u32 %p1, %r0, 0;
    @%p1 bra $made;
    mbarrier.init.shared.b64 [full], 64;
$made:
    bar.sync 0;
    mov.b32 %r2, row;
    mad.lo.u32 %r3, %r0, 4, %r2;
    ld.global.b32 %r6, [%d5];
    st.shared.b32 [%r3], %r6;
    mbarrier.arrive.shared.b64 %d10, [full];
$look:
    mbarrier.try_wait.shared.b64 %p2, [full], %d10;
    @!%p2 bra $look;
    mad.lo.s32 %r4, %r0, -4, %r2;
    ld.shared.b32 %r5, [%r4+252];
"""


def _boxes(swizzle: int, columns: int, at: tuple[int, int], step: int = 1, loads: bool = True) -> Case:
    """A copy of a box of 8 rows by TMA to shared memory, as it lies there, or from there."""
    words = columns // 2 * 8 // 32
    registers = _names(20, words)
    body = """
    mov.b64 %d10, box;
    mov.b32 %r1, full;
    setp.ne.u32 %p1, %r0, 0;
"""
    shared = f".shared .align 1024 .b8 box[{16 * columns}];\n.shared .align 8 .b8 full[8];"
    place = f"    mad.wide.u32 %d11, %r0, {4 * words}, %d10;\n"
    corner = f"    mov.b32 %r2, {at[0]};\n    mov.b32 %r3, {at[1]};\n"
    if loads:
        body += "    @%p1 bra $made;\n    mbarrier.init.shared.b64 [full], 1;\n"
        body += "    fence.mbarrier_init.release.cluster;\n$made:\n    bar.sync 0;\n    @%p1 bra $asked;\n"
        body += (
            f"    mov.b32 %r4, {16 * columns};\n    mbarrier.arrive.expect_tx.shared.b64 %d12, [full], %r4;\n"
        )
        body += corner + (
            "    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
            " [%d10], [%d30, {%r2, %r3}], [%r1];\n$asked:\n    mov.b32 %r5, 0;\n$look:\n"
            "    mbarrier.try_wait.parity.shared.b64 %p2, [full], %r5;\n    @!%p2 bra $look;\n"
        )
        body += place + "".join(
            f"    ld.shared.b32 {name}, [%d11+{4 * k}];\n" for k, name in enumerate(registers)
        )
        body += stored(1, registers)
    numbers = np.arange(20 * 72, dtype=np.uint16).view(np.uint32)
    tensor = Map(0, FLOAT16, (72, 20), (144,), (columns, 8 * step), swizzle, step)
    return Case(kernel(body, 2, shared, 1), (numbers, _room(4 * columns)), maps=(tensor,))


def _copies() -> dict[str, Case]:
    cases = {
        f"cp.async {cache} {size}{' partly' if partly else ''}": _copy(size, cache, partly)
        for size, cache in ((4, "ca"), (8, "ca"), (16, "ca"), (16, "cg"))
        for partly in (False, True)
    }
    own = "    mad.wide.u32 %d5, %r0, 4, %d0;\n" + _EXCHANGE + stored(1, ["%r5"])
    memory = ".shared .align 16 .b8 row[256];\n.shared .align 8 .b8 full[8];"
    cases["mbarrier"] = Case(kernel(own, 2, memory), (_words(64), _room(64)), 64)
    for name, swizzle, columns in (("", 0, 64), (" narrow", 0, 16), (" swizzled", 3, 64)):
        for where, at in (("", (8, 4)), (" over the edge", (56, 16))):
            cases[f"TMA{name}{where}"] = _boxes(swizzle, columns, at)
    cases["TMA swizzled by steps"] = _boxes(3, 64, (8, 1), 2)
    return cases


# Products of warpgroups


_PIECE = 1024
"""The bytes of 8 rows of 128 bytes, which are swizzled together."""


def _warpgroup(kind: str, columns: int, transposed: bool, from_registers: bool) -> Case:
    """A wgmma of tiles whose bytes are what a GPU finds in shared memory: the swizzle is a part of what is asked."""
    pieces = max(columns // 8, 8)
    if transposed:  # 16 rows of sums, 64 columns in a piece
        pieces = 2 * max(1, columns // 64)
    size_a, size_b = 8 * _PIECE, pieces * _PIECE
    total = size_a + size_b
    sums = [f"%r{10 + k}" for k in range(columns // 2)]
    body = "    mov.b64 %d10, tiles;\n    mul.wide.u32 %d11, %r0, 4;\n    add.s64 %d12, %d10, %d11;\n"
    body += "    add.s64 %d13, %d0, %d11;\n"
    for start in range(0, total, 512):
        body += f"    ld.global.b32 %r1, [%d13+{start}];\n    st.shared.b32 [%d12+{start}], %r1;\n"
    body += "    setp.ne.u32 %p1, %r0, 0;\n    @%p1 bra $made;\n    mbarrier.init.shared.b64 [unused], 1;\n$made:\n"
    body += "    fence.proxy.async;\n    bar.sync 0;\n" + loaded(1, sums)
    left = ["%r150", "%r151", "%r152", "%r153"]
    if from_registers:
        body += loaded(2, left)
    leading = _PIECE * 2 if transposed else 16
    fixed = 1 << 62 | _PIECE >> 4 << 32 | leading >> 4 << 16
    body += ""
    body += "    shr.u64 %d14, %d10, 4;\n    and.b64 %d14, %d14, 16383;\n"
    body += f"    or.b64 %d15, %d14, {fixed};\n    add.s64 %d16, %d15, {size_a >> 4};\n"
    body += "    setp.eq.u32 %p1, %r0, %r0;\n    wgmma.fence.sync.aligned;\n"
    first = _group(left) if from_registers else "%d15"
    flags = f", 1, 1, {int(transposed)}" if from_registers else f", 1, 1, 0, {int(transposed)}"
    types = "k16.f32"
    if kind in ("s8", "u8"):
        flags, types = "", "k32.s32"
    body += (
        f"    wgmma.mma_async.sync.aligned.m64n{columns}{types}.{kind}.{kind} {_group(sums)}, {first}, %d16, "
    )
    body += f"%p1{flags};\n    wgmma.commit_group.sync.aligned;\n    wgmma.wait_group.sync.aligned 0;\n"
    body += stored(1, sums)
    dtype, size = {"bf16": ("bf16", 2), "f16": ("f2", 2)}.get(kind, ("i1", 1))
    arrays = [_small(dtype, total // size, 0), _small("i4" if size == 1 else "f4", 128 * len(sums), 1)]
    if from_registers:
        arrays.append(_small(dtype, 128 * 8, 2))
    shared = f".shared .align 1024 .b8 tiles[{total}];\n.shared .align 8 .b8 unused[8];"
    return Case(kernel(body, len(arrays), shared), tuple(arrays), 128)


def _warpgroups() -> dict[str, Case]:
    cases = {}
    for kind in ("f16", "bf16"):
        for columns in (64, 128, 256):
            for transposed in (False, True):
                for registers in (False, True):
                    name = f"wgmma n{columns} {kind}{' transposed' * transposed}{' registers' * registers}"
                    cases[name] = _warpgroup(kind, columns, transposed, registers)
    for kind in ("s8", "u8"):
        cases[f"wgmma n128 {kind}"] = _warpgroup(kind, 128, False, False)
    return cases


# Numbers


def _floats(dtype: str, count: int, seed: int) -> np.ndarray[Any, Any]:
    """Numbers of all sizes, special ones among them."""
    random = np.random.default_rng(seed)
    numbers = random.standard_normal(count) * 4.0 ** random.integers(-20, 20, count)
    numbers[seed * 10 : seed * 10 + 10] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, 0.5, 2.5, -1.5, 1e-40]
    with np.errstate(over="ignore"):
        found: np.ndarray[Any, Any] = numbers.astype(dtype)
    signalling = {2: 0x7D01, 4: 0x7F801234, 8: 0x7FF0000000001234}[found.itemsize]
    found.view(f"u{found.itemsize}")[40 + seed] = signalling
    return found


def _arithmetic(
    instruction: str, dtype: str, operands: int, result: str = "", tolerance: float = 0.0
) -> Case:
    """An instruction on numbers a, b and c of each thread, which gives d."""
    letters = {"f2": "h", "f4": "r", "f8": "d", "i4": "r", "i8": "d"}
    result = result or dtype
    bits, out = 8 * int(dtype[1]), 8 * int(result[1])
    names = [f"%{letters[dtype]}{22 + k}" for k in range(operands)]
    body = "".join(loaded(k, [name], bits) for k, name in enumerate(names))
    target = f"%{letters[result]}26"
    body += f"    {instruction} {target}, {', '.join(names)};\n" + stored(operands, [target], out)
    arrays = [_floats(dtype, 128, seed) for seed in range(operands)]
    floats = result if result[0] == "f" else ""
    return Case(
        kernel(body, operands + 1), (*arrays, _room(128, f"u{result[1]}")), 128, (), tolerance, floats
    )


def _numbers() -> dict[str, Case]:
    cases = {}
    for kind, dtype in (("f32", "f4"), ("f64", "f8")):
        for way in ("rn", "rz", "rm", "rp"):
            cases[f"fma.{way}.{kind}"] = _arithmetic(f"fma.{way}.{kind}", dtype, 3)
            cases[f"add.{way}.{kind}"] = _arithmetic(f"add.{way}.{kind}", dtype, 2)
        for name in ("div.rn", "min", "max", "mul.rn"):
            cases[f"{name}.{kind}"] = _arithmetic(f"{name}.{kind}", dtype, 2)
        for name in ("sqrt.rn", "rcp.rn", "neg", "abs"):
            cases[f"{name}.{kind}"] = _arithmetic(f"{name}.{kind}", dtype, 1)
    for name in ("min.NaN.f32", "max.NaN.f32"):
        cases[name] = _arithmetic(name, "f4", 2)
    for name, error in (
        ("ex2.approx.f32", 2.0**-21),
        ("rsqrt.approx.f32", 2.0**-21),
        ("tanh.approx.f32", 2.0**-10),
    ):
        cases[name] = _arithmetic(name, "f4", 1, tolerance=error)
    for name, source, target in (
        ("cvt.rn.f16.f32", "f4", "f2"),
        ("cvt.f32.f16", "f2", "f4"),
        ("cvt.rn.f32.f64", "f8", "f4"),
        ("cvt.f64.f32", "f4", "f8"),
        ("cvt.rn.bf16.f32", "f4", "f2"),
        ("cvt.rzi.s32.f32", "f4", "i4"),
        ("cvt.rzi.s64.f64", "f8", "i8"),
        ("cvt.rni.f32.f32", "f4", "f4"),
        ("cvt.rmi.f64.f64", "f8", "f8"),
    ):
        cases[name] = _arithmetic(name, source, 1, target)
    return cases


CASES: dict[str, Case] = {
    **_products(),
    **_matrices(),
    **_warps(),
    **_copies(),
    **_warpgroups(),
    **_numbers(),
}
"""All cases by their names."""

__all__ = ["CASES", "Case", "Map", "kernel"]

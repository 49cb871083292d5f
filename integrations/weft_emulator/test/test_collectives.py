"""Products on tensor cores, loads of matrices and asynchronous copies, beside NumPy."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from support.ptx import kernel, run
from weft_emulator.faults import Fault

LANE = np.arange(32)
GROUP, IN_GROUP = LANE >> 2, LANE % 4


def element(shape: str, kind: str, factor: str, i: int) -> tuple[Any, Any]:
    """The row and the column of element i of a thread, as the manual of PTX writes it."""
    if factor == "c":
        row = GROUP if shape == "m8n8k4" or i < 2 else GROUP + 8
        return row, IN_GROUP * 2 + (i & 1)
    if kind == "f64":
        return (GROUP + 8 * i, IN_GROUP) if factor == "a" else (IN_GROUP, GROUP)
    if kind == "tf32":
        if factor == "a":
            return np.where(i in (0, 2), GROUP, GROUP + 8), IN_GROUP if i < 2 else IN_GROUP + 4
        return (IN_GROUP if i == 0 else IN_GROUP + 4), GROUP
    if kind == "s8":
        if factor == "a":
            return (
                GROUP if i < 4 or 8 <= i < 12 else GROUP + 8,
                IN_GROUP * 4 + (i & 3) if i < 8 else IN_GROUP * 4 + (i & 3) + 16,
            )
        return (IN_GROUP * 4 + (i & 3) if i < 4 else IN_GROUP * 4 + (i & 3) + 16), GROUP
    if factor == "a":
        return (
            GROUP if i < 2 or 4 <= i < 6 else GROUP + 8,
            IN_GROUP * 2 + (i & 1) if i < 4 else IN_GROUP * 2 + (i & 1) + 8,
        )
    return (IN_GROUP * 2 + (i & 1) if i < 2 else IN_GROUP * 2 + (i & 1) + 8), GROUP


PRODUCTS = {
    "m16n8k16.row.col.f32.f16.f16.f32": ("m16n8k16", "f16", np.float16, (16, 8, 16), np.float32),
    "m16n8k16.row.col.f32.bf16.bf16.f32": ("m16n8k16", "bf16", ml_dtypes.bfloat16, (16, 8, 16), np.float32),
    "m16n8k8.row.col.f32.tf32.tf32.f32": ("m16n8k8", "tf32", np.float32, (16, 8, 8), np.float32),
    "m16n8k32.row.col.s32.s8.s8.s32": ("m16n8k32", "s8", np.int8, (16, 8, 32), np.int32),
    "m16n8k4.row.col.f64.f64.f64.f64": ("m16n8k4", "f64", np.float64, (16, 8, 4), np.float64),
    "m8n8k4.row.col.f64.f64.f64.f64": ("m8n8k4", "f64", np.float64, (8, 8, 4), np.float64),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_of_matrices(name: str) -> None:
    shape, kind, dtype, (m, n, k), out = PRODUCTS[name]
    random = np.random.default_rng(0)
    a, b = (random.integers(-8, 9, extents).astype(dtype) for extents in ((m, k), (k, n)))
    c = random.integers(-50, 50, (m, n)).astype(out)
    fragments = []
    for factor, matrix in (("a", a), ("b", b), ("c", c)):
        count = matrix.size // 32
        parts = [matrix[element(shape, kind, factor, i)] for i in range(count)]
        fragments.append(np.ascontiguousarray(np.stack(parts, 1)))
    width = 8 if kind == "f64" else 4
    body, registers = "", []
    for number, fragment in enumerate(fragments):
        words = fragment.nbytes // 32 // width
        letter = "%d" if width == 8 else "%r"
        names = [f"{letter}{10 * number + 20 + j}" for j in range(words)]
        body += f"    mad.wide.u32 %d{10 + number}, %r0, {words * width}, %d{number};\n"
        for j, register in enumerate(names):
            body += f"    ld.global.b{8 * width} {register}, [%d{10 + number}+{j * width}];\n"
        registers.append("{" + ", ".join(names) + "}")
    body += f"    mma.sync.aligned.{name} {registers[2]}, {registers[0]}, {registers[1]}, {registers[2]};\n"
    for j, register in enumerate(registers[2][1:-1].split(", ")):
        body += f"    st.global.b{8 * width} [%d12+{j * width}], {register};\n"
    result = run(kernel(body, 3), fragments)[2]
    got = np.zeros((m, n), out)
    for i in range(result.shape[1]):
        got[element(shape, kind, "c", i)] = result[:, i]
    np.testing.assert_array_equal(got, a.astype(out) @ b.astype(out) + c)


# A product of 16 x K by K x 16 by two warps, the second factor by columns: copied asynchronously, two tiles ahead.
PRODUCT = """
    mov.u32 %r1, %tid.x;
    shr.u32 %r2, %r1, 1;
    and.b32 %r3, %r1, 1;
    // rows of 64 elements, a tile of 16 columns, 8 elements a thread
    mul.lo.s32 %r4, %r2, 128;
    shl.b32 %r5, %r3, 4;
    add.s32 %r6, %r4, %r5;
    cvt.u64.u32 %d10, %r6;
    setp.lt.u32 %p1, %r1, 32;
    selp.b64 %d11, %d0, %d1, %p1;
    add.s64 %d11, %d11, %d10;
    @!%p1 add.s64 %d11, %d11, -2048;
    shl.b32 %r7, %r1, 4;
    cvt.u64.u32 %d12, %r7;
    mov.b64 %d13, tiles;
    add.s64 %d14, %d13, %d12;
    cp.async.cg.shared.global [%d14], [%d11], 16;
    cp.async.commit_group;
    cp.async.cg.shared.global [%d14+1024], [%d11+32], 16;
    cp.async.commit_group;
    and.b32 %r8, %r1, 31;
    shr.u32 %r9, %r1, 5;
    // where the thread's rows of both factors are
    and.b32 %r10, %r8, 15;
    shl.b32 %r11, %r10, 5;
    shr.u32 %r12, %r8, 4;
    shl.b32 %r13, %r12, 4;
    add.s32 %r14, %r11, %r13;
    and.b32 %r15, %r8, 7;
    shl.b32 %r16, %r9, 3;
    add.s32 %r15, %r15, %r16;
    shl.b32 %r15, %r15, 5;
    shr.u32 %r17, %r8, 3;
    and.b32 %r17, %r17, 1;
    shl.b32 %r17, %r17, 4;
    add.s32 %r15, %r15, %r17;
    add.s32 %r15, %r15, 512;
    mov.b32 %r20, 0; mov.b32 %r21, 0; mov.b32 %r22, 0; mov.b32 %r23, 0;
    mov.b32 %r30, 0;
$loop:
    cp.async.wait_group 1;
    bar.sync 0;
    and.b32 %r31, %r30, 1;
    shl.b32 %r31, %r31, 10;
    cvt.u64.u32 %d20, %r31;
    add.s64 %d21, %d13, %d20;
    cvt.u64.u32 %d22, %r14;
    add.s64 %d23, %d21, %d22;
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r40, %r41, %r42, %r43}, [%d23];
    cvt.u64.u32 %d24, %r15;
    add.s64 %d25, %d21, %d24;
    ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r44, %r45}, [%d25];
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r20, %r21, %r22, %r23}, {%r40, %r41, %r42, %r43}, {%r44, %r45},
        {%r20, %r21, %r22, %r23};
    bar.sync 0;
    setp.gt.u32 %p2, %r30, 1;
    @%p2 bra $skip;
    add.s64 %d26, %d14, %d20;
    cp.async.cg.shared.global [%d26], [%d11+64], 16;
$skip:
    cp.async.commit_group;
    add.s64 %d11, %d11, 32;
    add.s32 %r30, %r30, 1;
    setp.lt.u32 %p3, %r30, 4;
    @%p3 bra $loop;
    shr.u32 %r50, %r8, 2;
    and.b32 %r51, %r8, 3;
    shl.b32 %r52, %r50, 6;
    shl.b32 %r53, %r51, 3;
    add.s32 %r54, %r52, %r53;
    shl.b32 %r55, %r9, 5;
    add.s32 %r54, %r54, %r55;
    cvt.u64.u32 %d30, %r54;
    add.s64 %d31, %d2, %d30;
    st.global.v2.b32 [%d31], {%r20, %r21};
    st.global.v2.b32 [%d31+512], {%r22, %r23};
"""


def product(body: str) -> tuple[Any, Any]:
    """What the kernel above gives, and what it should."""
    random = np.random.default_rng(0)
    a, b = (random.integers(-8, 9, (16, 64)).astype(np.float16) for _ in range(2))
    text = kernel(body, 3, before=".shared .align 16 .b8 tiles[2048];")
    *_, c = run(text, [a, b, np.zeros((16, 16), np.float32)], block=64)
    return c, a.astype(np.float32) @ b.astype(np.float32).T


def test_a_product_with_tiles_that_are_copied_ahead() -> None:
    np.testing.assert_array_equal(*product(PRODUCT))


def test_a_wait_for_a_copy_that_is_missing() -> None:
    for wait in ("", "    cp.async.wait_group 2;\n"):
        with pytest.raises(
            Fault, match=r"ldmatrix.*shared memory that an asynchronous copy still writes: block 0"
        ):
            product(PRODUCT.replace("    cp.async.wait_group 1;\n", wait))


def test_barriers_around_copies_that_are_missing() -> None:
    first, second, third = PRODUCT.split("    bar.sync 0;\n")
    with pytest.raises(Fault, match=r"ldmatrix.*race with a write of another warp"):
        product(first + second + "    bar.sync 0;\n" + third)
    with pytest.raises(Fault, match=r"cp\.async.*race with a read of another warp"):
        product(first + "    bar.sync 0;\n" + second + third)


def test_a_copy_of_fewer_bytes_fills_with_zeros() -> None:
    body = """
    mov.b64 %d10, row;
    mul.wide.u32 %d11, %r0, 16;
    add.s64 %d12, %d10, %d11;
    add.s64 %d13, %d0, %d11;
    and.b32 %r1, %r0, 15;
    cp.async.cg.shared.global [%d12], [%d13], 16, %r1;
    cp.async.wait_all;
    ld.shared.v4.b32 {%r2, %r3, %r4, %r5}, [%d12];
    add.s64 %d14, %d1, %d11;
    st.global.v4.b32 [%d14], {%r2, %r3, %r4, %r5};
    """
    x = np.arange(1, 513).astype(np.uint8)
    text = kernel(body, 2, before=".shared .align 16 .b8 row[512];")
    result = run(text, [x, np.zeros_like(x)])[1].reshape(32, 16)
    kept = np.arange(16) < (np.arange(32) % 16)[:, None]
    np.testing.assert_array_equal(result, np.where(kept, x.reshape(32, 16), 0))


@pytest.mark.parametrize("transposed", [False, True])
def test_matrices_are_loaded_and_stored(transposed: bool) -> None:
    trans = ".trans" if transposed else ""
    body = f"""
    mov.b64 %d10, row;
    mul.wide.u32 %d11, %r0, 16;
    add.s64 %d12, %d10, %d11;
    add.s64 %d13, %d0, %d11;
    ld.global.v4.b32 {{%r2, %r3, %r4, %r5}}, [%d13];
    st.shared.v4.b32 [%d12], {{%r2, %r3, %r4, %r5}};
    ldmatrix.sync.aligned.m8n8.x4{trans}.shared.b16 {{%r10, %r11, %r12, %r13}}, [%d12];
    stmatrix.sync.aligned.m8n8.x4.shared.b16 [%d12], {{%r10, %r11, %r12, %r13}};
    ld.shared.v4.b32 {{%r2, %r3, %r4, %r5}}, [%d12];
    add.s64 %d14, %d1, %d11;
    st.global.v4.b32 [%d14], {{%r2, %r3, %r4, %r5}};
    """
    x = np.arange(256, dtype=np.uint16).reshape(4, 8, 8)
    text = kernel(body, 2, before=".shared .align 16 .b8 row[512];")
    result = run(text, [x, np.zeros_like(x)])[1]
    np.testing.assert_array_equal(result, x.transpose(0, 2, 1) if transposed else x)

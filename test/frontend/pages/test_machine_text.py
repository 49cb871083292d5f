"""What is read off instructions, for x86-64 and ARM."""

from __future__ import annotations

import pytest

from weft.frontend.pages.machine_text import functions_of, moved_bytes, vector_bits


@pytest.mark.parametrize(
    ("name", "operands", "moved"),
    [
        ("vmovups", "(%rdi,%rax,4), %zmm1", (64, 0)),
        ("vmovups", "%ymm1, 32(%rsi,%rax,4)", (0, 32)),
        ("vmovups", "%zmm1, (%rsi,%rax,4) {%k1}", (0, 64)),
        ("vaddps", "(%rdi,%rax,4), %ymm1, %ymm1", (32, 0)),
        ("vaddpd", "(%rdi){1to8}, %zmm1, %zmm2", (8, 0)),
        ("vaddsd", "8(%rdi), %xmm0, %xmm0", (8, 0)),
        ("vmovss", "%xmm0, (%rsi)", (0, 4)),
        ("vbroadcastss", "(%rdi), %ymm0", (4, 0)),
        ("vpbroadcastq", "(%rdi), %ymm0", (8, 0)),
        ("movslq", "(%rdi,%rcx,4), %rax", (4, 0)),
        ("movzbl", "(%rdi,%rcx), %eax", (1, 0)),
        ("movq", "%rax, (%rdi)", (0, 8)),
        ("movq", "$0, (%rdi)", (0, 8)),
        ("addq", "%rax, (%rdi)", (8, 8)),
        ("incq", "(%rdi)", (8, 8)),
        ("divq", "(%rdi)", (8, 0)),
        ("cmpq", "%rax, (%rdi)", (8, 0)),
        ("leaq", "8(%rdi), %rax", (0, 0)),
        ("prefetcht0", "256(%rdi)", (0, 0)),
        ("callq", "*8(%rdi)", (0, 0)),
        ("jmpq", "*(%rdi)", (0, 0)),
        ("addq", "%rax, %rcx", (0, 0)),
        ("ldr", "q0, [x0, x8]", (16, 0)),
        ("stp", "q0, q1, [x1]", (0, 32)),
        ("ldrb", "w8, [x0]", (1, 0)),
        ("ldrsw", "x8, [x0]", (4, 0)),
        ("st1", "{ v0.4s, v1.4s }, [x0]", (0, 32)),
        ("ldr", "d0, [x0], #8", (8, 0)),
    ],
)
def test_bytes_that_instructions_move(name: str, operands: str, moved: tuple[int, int]) -> None:
    assert moved_bytes(name, operands) == moved


@pytest.mark.parametrize(
    ("name", "operands", "bits"),
    [
        ("vaddps", "%zmm1, %zmm1, %zmm0", 512),
        ("addps", "%xmm1, %xmm0", 128),
        ("vfmadd231sd", "%xmm1, %xmm1, %xmm0", 0),
        ("vxorps", "%xmm0, %xmm0, %xmm0", 0),
        ("vcvtsi2sd", "%rax, %xmm0, %xmm0", 0),
        ("vmovq", "%rax, %xmm0", 0),
        ("addq", "%rax, %rcx", 0),
        ("fmul", "v0.2d, v1.2d, v2.2d", 128),
        ("fmul", "d0, d1, d2", 0),
    ],
)
def test_bits_of_vectors(name: str, operands: str, bits: int) -> None:
    assert vector_bits(name, operands) == bits


ASSEMBLY = """\
\t.file\t"module"
\t.section\t.rodata,"a",@progbits
.LCPI0_0:
\t.long\t1
\t.text
\t.type\tkernel_0,@function
kernel_0:                               # @kernel_0
.Lfunc_begin0:
\t.file\t1 "/home/me" "model.py"
\t.loc\t1 4 0                           # model.py:4:0
\t.cfi_startproc
# %bb.0:
\tpushq\t%rbx
\tmovq\t%rdi, 8(%rsp)                   # 8-byte Spill
\t.p2align\t4
.LBB0_1:                                # =>This Loop Header: Depth=1
                                        #     Child Loop BB0_2 Depth 2
\t.loc\t1 5 9
\txorl\t%eax, %eax
.LBB0_2:                                #   Parent Loop BB0_1 Depth=1
                                        # =>  This Inner Loop Header: Depth=2
\tvmovups\t(%rdi,%rax,4), %ymm0
.Ltmp1:
\t.loc\t1 0 9
\tvmovups\t%ymm0, (%rsi,%rax,4)
# %bb.3:                                #   in Loop: Header=BB0_2 Depth=2
\taddq\t$8, %rax
\tjne\t.LBB0_2
# %bb.4:                                #   in Loop: Header=BB0_1 Depth=1
\tmovq\t8(%rsp), %rdi                   # 8-byte Reload
\tjne\t.LBB0_1
# %bb.5:
\tretq
.Lfunc_end0:
\t.size\tkernel_0, .Lfunc_end0-kernel_0
"""


def test_functions_with_their_loops_spills_and_lines() -> None:
    (function,) = functions_of(ASSEMBLY)
    assert function.name == "kernel_0"
    assert (function.instructions, function.spills, function.reloads) == (10, 1, 1)
    (loop,) = function.loops
    assert (loop.label, loop.instructions, loop.read, loop.written) == (".LBB0_2", 4, 32, 32)
    assert function.lines[loop.first].text == ".LBB0_2:"
    places = {line.text.split()[0]: line.places for line in function.lines if line.text.startswith("    ")}
    assert places["pushq"] == (("/home/me/model.py", 4),)
    assert places["xorl"] == (("/home/me/model.py", 5),)
    assert places["addq"] == ()  # of no line, or of several


def test_what_is_no_code_is_left_out() -> None:
    assert functions_of("\t.data\nvalue:\n\t.long 1\n") == []

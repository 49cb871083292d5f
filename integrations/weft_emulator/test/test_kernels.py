"""Whole kernels on the emulator: loops, divergence, shared memory, calls."""

from __future__ import annotations

import numpy as np

from support.ptx import kernel, run

_ADDRESS = """
    mul.wide.u32 %d10, %r0, 4;
    add.s64 %d11, %d0, %d10;
    add.s64 %d12, %d1, %d10;
"""


def test_threads_of_many_blocks_add_arrays() -> None:
    text = kernel(
        _ADDRESS + "ld.global.b32 %r1, [%d11]; ld.global.b32 %r2, [%d12]; add.f32 %r3, %r1, %r2;"
        "st.global.b32 [%d12], %r3;",
        2,
    )
    x, y = (np.random.default_rng(k).standard_normal(50 * 96).astype(np.float32) for k in range(2))
    _, result = run(text, [x, y], grid=50, block=96)
    np.testing.assert_array_equal(result, x + y)


def test_threads_that_leave_a_loop_at_different_times_come_together_again() -> None:
    text = kernel(
        _ADDRESS
        + """
    ld.global.b32 %r1, [%d11];
    mov.b32 %r2, 0;
$loop:
    setp.le.s32 %p1, %r1, 1;
    @%p1 bra $end;
    and.b32 %r3, %r1, 1;
    setp.eq.b32 %p2, %r3, 0;
    @%p2 bra $even;
    mad.lo.s32 %r1, %r1, 3, 1;
    bra $next;
$even:
    shr.s32 %r1, %r1, 1;
$next:
    add.s32 %r2, %r2, 1;
    bra $loop;
$end:
    st.global.b32 [%d12], %r2;
    """,
        2,
    )

    def steps(n: int) -> int:
        count = 0
        while n > 1:
            n = 3 * n + 1 if n % 2 else n // 2
            count += 1
        return count

    x = np.arange(1, 97, dtype=np.int32)
    _, result = run(text, [x, np.zeros_like(x)], grid=2, block=48)
    assert result.tolist() == [steps(int(n)) for n in x]


def test_a_block_adds_through_shared_memory() -> None:
    text = kernel(
        _ADDRESS
        + """
    ld.global.b32 %r1, [%d11];
    mov.u32 %r2, %tid.x;
    shl.b32 %r3, %r2, 2;
    mov.b64 %d20, partial;
    cvt.u64.u32 %d21, %r3;
    add.s64 %d22, %d20, %d21;
    st.shared.b32 [%d22], %r1;
    mov.b32 %r4, 64;
$loop:
    bar.sync 0;
    setp.ge.u32 %p1, %r2, %r4;
    @%p1 bra $skip;
    mul.wide.u32 %d23, %r4, 4;
    add.s64 %d24, %d22, %d23;
    ld.shared.b32 %r5, [%d24];
    ld.shared.b32 %r6, [%d22];
    add.s32 %r7, %r5, %r6;
    st.shared.b32 [%d22], %r7;
$skip:
    shr.u32 %r4, %r4, 1;
    setp.ne.b32 %p2, %r4, 0;
    @%p2 bra $loop;
    bar.sync 0;
    setp.ne.b32 %p3, %r2, 0;
    @%p3 bra $end;
    mov.u32 %r8, %ctaid.x;
    mul.wide.u32 %d25, %r8, 4;
    add.s64 %d26, %d1, %d25;
    ld.shared.b32 %r9, [partial];
    st.global.b32 [%d26], %r9;
$end:
    """,
        2,
        before=".shared .align 4 .b8 partial[512];",
    )
    x = np.random.default_rng(0).integers(-1000, 1000, 128 * 20).astype(np.int32)
    _, result = run(text, [x, np.zeros(20, np.int32)], grid=20, block=128)
    np.testing.assert_array_equal(result, x.reshape(20, 128).sum(1))


FACTORIAL = """
.func (.param .b32 result) factorial(.param .b32 n)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    ld.param.b32 %r1, [n];
    setp.gt.s32 %p1, %r1, 1;
    @%p1 bra $more;
    st.param.b32 [result], 1;
    ret;
$more:
    add.s32 %r2, %r1, -1;
    {
    .param .b32 param0;
    st.param.b32 [param0], %r2;
    .param .b32 retval0;
    call.uni (retval0), factorial, (param0);
    ld.param.b32 %r3, [retval0];
    }
    mul.lo.s32 %r4, %r3, %r1;
    st.param.b32 [result], %r4;
    ret;
}
"""


def test_functions_that_call_themselves_keep_their_registers() -> None:
    text = kernel(
        _ADDRESS
        + """
    ld.global.b32 %r1, [%d11];
    {
    .param .b32 param0;
    st.param.b32 [param0], %r1;
    .param .b32 retval0;
    call.uni (retval0), factorial, (param0);
    ld.param.b32 %r2, [retval0];
    }
    st.global.b32 [%d12], %r2;
    """,
        2,
        before=FACTORIAL,
    )
    x = (np.arange(40) % 13).astype(np.int32)
    _, result = run(text, [x, np.zeros_like(x)], block=40)
    assert result.tolist() == [int(np.prod(np.arange(1, n + 1, dtype=np.int64))) for n in x.tolist()]


def test_threads_meet_behind_what_stands_at_the_end_of_the_text() -> None:
    """Compilers put what is rarely done behind all else, and the last part of a loop before its first."""
    text = kernel(
        _ADDRESS
        + """
    ld.global.b32 %r1, [%d11];
    mov.b32 %r4, 0;
    bra $begin;
$join:
    shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;
    add.s32 %r4, %r4, 1;
    setp.lt.s32 %p1, %r4, 3;
    @%p1 bra $begin;
    bra $out;
$begin:
    and.b32 %r3, %r0, 3;
    setp.eq.s32 %p2, %r3, 0;
    @%p2 bra $rare;
    bra $join;
$out:
    st.global.b32 [%d12], %r2;
    ret;
$rare:
    add.s32 %r1, %r1, 1;
    bra $join;
    """,
        2,
    )
    x = np.arange(64, dtype=np.int32)
    _, result = run(text, [x, np.zeros_like(x)], grid=1, block=64)
    np.testing.assert_array_equal(result, (x + 3 * (x % 4 == 0))[x ^ 1])


def test_a_condition_says_which_parameter_is_loaded() -> None:
    """LLVM chooses between their addresses."""
    text = kernel(
        "setp.lt.u32 %p1, %r0, 20; mov.b64 %d2, k_0; mov.b64 %d3, k_1; selp.b64 %d4, %d2, %d3, %p1;"
        "ld.param.b64 %d5, [%d4]; ld.param.b32 %r1, [%d4+4]; mul.wide.u32 %d6, %r0, 8; add.s64 %d7, %d1, %d6;"
        "st.global.b64 [%d7], %d5;",
        2,
    )
    one, other = np.zeros(1, np.uint64), np.zeros(32, np.uint64)
    _, result = run(text, [one, other])
    first, second = result[0], result[-1]
    assert first != second
    np.testing.assert_array_equal(result, np.where(np.arange(32) < 20, first, second))

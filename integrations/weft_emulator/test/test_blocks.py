"""Blocks that wait for each other, and barriers of some of a block's threads."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from support.ptx import kernel, run
from weft_emulator import machine
from weft_emulator.faults import Fault, PTXError
from weft_emulator.machine import Options

# Each block stores a number; the one that comes last adds them all, and makes the ticket zero for the next launch.
LAST_BLOCK = """
    mov.u32 %r1, %ctaid.x;
    mul.wide.u32 %d10, %r1, 4;
    add.s64 %d11, %d0, %d10;
    mad.lo.s32 %r2, %r1, %r1, 7;
    st.global.b32 [%d11], %r2;
    membar.gl;
    atom.global.add.u32 %r3, [%d1], 1;
    mov.u32 %r4, %nctaid.x;
    sub.s32 %r5, %r4, 1;
    setp.ne.b32 %p1, %r3, %r5;
    @%p1 bra $end;
    fence.acq_rel.gpu;
    mov.b32 %r6, 0;
    mov.b64 %d12, %d0;
$loop:
    ld.global.b32 %r7, [%d12];
    add.s32 %r6, %r6, %r7;
    add.s64 %d12, %d12, 4;
    sub.s32 %r4, %r4, 1;
    setp.ne.b32 %p2, %r4, 0;
    @%p2 bra $loop;
    st.global.b32 [%d2], %r6;
    mov.b32 %r8, 0;
    st.global.b32 [%d1], %r8;
$end:
"""


def last_block(body: str, lanes: int = 1 << 14) -> Any:
    """What the kernel above gives, and the ticket."""
    arrays = [np.zeros(40, np.int32), np.zeros(1, np.int32), np.zeros(1, np.int32)]
    options = Options(lanes=lanes)
    _, ticket, total = run(kernel(body, 3), arrays, grid=40, block=1, seed=lanes, options=options)
    return total[0], ticket[0]


@pytest.mark.parametrize("lanes", [1 << 14, 320], ids=["at once", "ten blocks at once"])
def test_the_last_block_adds_what_all_have_stored(lanes: int) -> None:
    assert last_block(LAST_BLOCK, lanes) == (sum(n * n + 7 for n in range(40)), 0)


def test_fences_that_are_missing() -> None:
    with pytest.raises(Fault, match=r"ld\.global\.b32 %r7.*race with a write of block"):
        last_block(LAST_BLOCK.replace("    membar.gl;\n", ""))
    with pytest.raises(Fault, match=r"ld\.global\.b32 %r7.*race with a write of block"):
        last_block(LAST_BLOCK.replace("    fence.acq_rel.gpu;\n", ""))


def test_a_fence_in_the_atomic_instruction_itself() -> None:
    body = re.sub(r" +(membar\.gl|fence\.acq_rel\.gpu);\n", "", LAST_BLOCK)
    assert last_block(body.replace("atom.global", "atom.acq_rel.gpu.global"))[0] == sum(
        n * n + 7 for n in range(40)
    )
    with pytest.raises(Fault, match=r"ld\.global\.b32 %r7.*race with a write of block"):
        last_block(body.replace("atom.global", "atom.release.gpu.global"))


# Each block waits for the one before it, and adds its own number to what that one has stored.
CHAIN = """
    mov.u32 %r1, %ctaid.x;
    mul.wide.u32 %d10, %r1, 4;
    add.s64 %d11, %d0, %d10;
    add.s64 %d12, %d1, %d10;
    mov.b32 %r5, 0;
    setp.eq.b32 %p1, %r1, 0;
    @%p1 bra $first;
$wait:
    ld.acquire.gpu.global.b32 %r2, [%d11+-4];
    setp.eq.b32 %p2, %r2, 0;
    @%p2 bra $wait;
    ld.global.b32 %r5, [%d12+-4];
$first:
    add.s32 %r5, %r5, %r1;
    st.global.b32 [%d12], %r5;
    mov.b32 %r6, 1;
    st.release.gpu.global.b32 [%d11], %r6;
"""


def test_blocks_that_wait_for_others_let_them_run() -> None:
    *_, result = run(kernel(CHAIN, 2), [np.zeros(50, np.int32), np.zeros(50, np.int32)], grid=50, block=1)
    assert result.tolist() == np.cumsum(np.arange(50)).tolist()
    plain = CHAIN.replace("ld.acquire.gpu", "ld.relaxed.gpu")
    with pytest.raises(Fault, match=r"ld\.global\.b32 %r5.*race with a write of block"):
        run(kernel(plain, 2), [np.zeros(50, np.int32), np.zeros(50, np.int32)], grid=50, block=1)


def test_atomic_instructions_of_many_threads() -> None:
    body = """
    mul.wide.u32 %d10, %r0, 4;
    add.s64 %d11, %d0, %d10;
    ld.global.b32 %r1, [%d11];
    atom.global.add.u32 %r2, [%d1], %r1;
    red.global.max.s32 [%d1+4], %r1;
    red.global.min.s32 [%d1+8], %r1;
    atom.global.or.b32 %r3, [%d1+12], %r1;
    atom.global.cas.b32 %r4, [%d1+16], 0, %r1;
    atom.global.exch.b32 %r5, [%d1+20], %r1;
    and.b32 %r6, %r1, 7;
    mul.wide.u32 %d12, %r6, 4;
    add.s64 %d13, %d2, %d12;
    red.global.add.f32 [%d13], 0f3F800000;
    add.s64 %d14, %d3, %d10;
    st.global.b32 [%d14], %r2;
    """
    x = np.random.default_rng(0).integers(-1000, 1000, 4096).astype(np.int32)
    some = np.array([0, -(2**31), 2**31 - 1, 0, 0, 0], np.int32)
    arrays = [x, some, np.zeros(8, np.float32), np.zeros_like(x)]
    for seed in range(2):
        _, found, counts, before = run(kernel(body, 4), arrays, grid=32, block=128, seed=seed)
        assert found[:4].tolist() == [x.sum(dtype=np.int32), x.max(), x.min(), np.bitwise_or.reduce(x)]
        assert found[4] in x
        assert found[5] in x
        np.testing.assert_array_equal(counts, np.bincount(x & 7, minlength=8))
        # Each thread found the sum of those before it, in some order.
        assert sorted((before + x).tolist() + [0]) == sorted(before.tolist() + [found[0]])


def test_a_barrier_of_some_warps() -> None:
    body = """
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d10, %r1, 4;
    mov.b64 %d11, row;
    add.s64 %d12, %d11, %d10;
    setp.gt.u32 %p1, %r1, 63;
    @%p1 bra $others;
    st.shared.b32 [%d12], %r1;
    bar.sync 1, 64;
    xor.b32 %r2, %r1, 32;
    mul.wide.u32 %d13, %r2, 4;
    add.s64 %d14, %d11, %d13;
    ld.shared.b32 %r3, [%d14];
    add.s64 %d15, %d0, %d10;
    st.global.b32 [%d15], %r3;
    bar.arrive 2, 96;
    bra $end;
$others:
    bar.sync 2, 96;
$end:
    """
    text = kernel(body, 1, before=".shared .align 16 .b8 row[512];")
    (result,) = run(text, [np.zeros(64, np.int32)], block=96)
    np.testing.assert_array_equal(result, np.arange(64) ^ 32)


def test_a_barrier_of_a_warp() -> None:
    body = """
    setp.lt.u32 %p1, %r0, 16;
    @%p1 bra $low;
    bar.warp.sync 0xFFFF0000;
    bra $end;
$low:
    bar.warp.sync 0x0000FFFF;
$end:
    bar.warp.sync -1;
    mul.wide.u32 %d10, %r0, 4;
    add.s64 %d11, %d0, %d10;
    st.global.b32 [%d11], %r0;
    """
    (result,) = run(kernel(body, 1), [np.zeros(32, np.int32)])
    np.testing.assert_array_equal(result, np.arange(32))
    with pytest.raises(Fault, match=r"bar\.warp\.sync.*threads of the mask are not there"):
        run(kernel(body.replace("0xFFFF0000", "-1"), 1), [np.zeros(32, np.int32)])


def test_barriers_that_are_not_known_are_named() -> None:
    for text in ("bar.red.popc.u32 %r1, 0, %p1", "barrier.cluster.arrive"):
        with pytest.raises(PTXError, match=rf"line \d+: {re.escape(text)}: this barrier is not known"):
            run(kernel(f"    {text};\n", 0), [])


# Threads leave a loop one after the other, behind which those of a warp add up how often they were in it.
UNEVEN = """
    mov.u32 %r1, %tid.x;
    mul.lo.u32 %r2, %r1, 40;
    add.s32 %r2, %r2, 1;
    mov.b32 %r6, 0;
$loop:
    add.s32 %r6, %r6, 1;
    sub.s32 %r2, %r2, 1;
    setp.ne.b32 %p2, %r2, 0;
    @%p2 bra $loop;
    bra $behind;
$behind:
    redux.sync.add.u32 %r7, %r6, 0xffffffff;
    mul.wide.u32 %d10, %r1, 4;
    add.s64 %d11, %d0, %d10;
    st.global.b32 [%d11], %r7;
"""


@pytest.mark.parametrize("seed", range(4))
def test_threads_that_come_early_wait_for_their_warp(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_PATIENCE", 100)  # so that others than those that are behind have a turn
    (sums,) = run(kernel(UNEVEN, 1), [np.zeros(32, np.int32)], grid=1, block=32, seed=seed)
    assert set(sums) == {sum(40 * thread + 1 for thread in range(32))}

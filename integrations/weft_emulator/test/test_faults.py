"""Mistakes that are planted in a kernel: each is found, and named with its instruction, its block and its thread."""

from __future__ import annotations

import numpy as np
import pytest

from support.ptx import kernel, run
from weft_emulator.faults import Fault
from weft_emulator.machine import Options

SHARED = ".shared .align 16 .b8 row[512];\n"

# Each thread gives its number to the next one, in another warp too.
NEIGHBOURS = """
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d10, %r0, 4;
    add.s64 %d11, %d0, %d10;
    ld.global.b32 %r2, [%d11];
    mov.b64 %d12, row;
    mul.wide.u32 %d13, %r1, 4;
    add.s64 %d14, %d12, %d13;
    st.shared.b32 [%d14], %r2;
    bar.sync 0;
    add.s32 %r3, %r1, 1;
    and.b32 %r4, %r3, 63;
    mul.wide.u32 %d15, %r4, 4;
    add.s64 %d16, %d12, %d15;
    ld.shared.b32 %r5, [%d16];
    bar.sync 0;
    st.shared.b32 [%d14], %r5;
    bar.sync 0;
    ld.shared.b32 %r6, [%d14];
    add.s64 %d17, %d1, %d10;
    st.global.b32 [%d17], %r6;
"""


def neighbours(body: str = NEIGHBOURS, *, block: int = 64, shared: str = SHARED) -> np.ndarray:
    """What the kernel above gives, in two blocks."""
    x = np.arange(128, dtype=np.int32)
    return run(kernel(body, 2, before=shared), [x, np.zeros_like(x)], grid=2, block=block)[1]


def replaced(old: str, new: str, which: int = 0) -> str:
    """The kernel above with one place changed."""
    parts = NEIGHBOURS.split(old)
    return old.join(parts[: which + 1]) + new + old.join(parts[which + 1 :])


def test_the_kernel_without_a_mistake_is_right() -> None:
    x = np.arange(128).reshape(2, 64)
    np.testing.assert_array_equal(neighbours(), np.roll(x, -1, axis=1).reshape(-1))


def test_a_missing_barrier_before_a_read() -> None:
    with pytest.raises(
        Fault, match=r"ld\.shared\.b32 %r5.*race with a write of another warp.*block 0, thread 31"
    ):
        neighbours(replaced("    bar.sync 0;\n", "", 0))


def test_a_missing_barrier_before_a_write() -> None:
    with pytest.raises(
        Fault, match=r"st\.shared\.b32 \[%d14\], %r5.*race with a read of another warp.*thread 0"
    ):
        neighbours(replaced("    bar.sync 0;\n", "", 1))


def test_a_barrier_that_nothing_needs_is_not_missed() -> None:
    neighbours(replaced("    bar.sync 0;\n", "", 2))


def test_a_barrier_under_a_condition() -> None:
    condition = "    setp.lt.u32 %p1, %r1, 32;\n    @%p1 bar.sync 0;\n"
    with pytest.raises(Fault, match=r"race with a write of another warp|wait at different barriers"):
        neighbours(replaced("    bar.sync 0;\n", condition, 0))


def test_a_barrier_that_not_all_threads_reach() -> None:
    body = """
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 32;
    @%p1 bra $other;
    bar.sync 0;
    bra $end;
$other:
    bar.sync 1;
$end:
    """
    with pytest.raises(
        Fault, match=r"threads of block 0 wait at different barriers.*bar\.sync 0 and bar\.sync 1"
    ):
        run(kernel(body, 0), [], block=64)


def test_a_store_behind_the_end() -> None:
    with pytest.raises(Fault, match=r"st\.global.*lies 0 bytes behind the end of an allocation of 512 bytes"):
        neighbours(replaced("[%d17]", "[%d17+512]"))
    with pytest.raises(Fault, match=r"st\.global\.b32 \[%d17\+4\].*lies 0 bytes behind.*block 1, thread 63"):
        neighbours(replaced("[%d17]", "[%d17+4]"))


def test_a_load_before_the_beginning() -> None:
    with pytest.raises(Fault, match=r"ld\.global\.b32 %r2, \[%d11\+-4\].*block 0, thread 0"):
        neighbours(replaced("[%d11]", "[%d11+-4]"))


def test_an_address_that_is_not_aligned() -> None:
    with pytest.raises(Fault, match=r"is not aligned to 4 bytes: block 0, thread 0") as caught:
        neighbours(replaced("[%d17]", "[%d17+2]"))
    assert caught.value.code == "CUDA_ERROR_MISALIGNED_ADDRESS"
    vector = replaced("st.global.b32 [%d17], %r6", "st.global.v2.b32 [%d17], {%r6, %r6}")
    with pytest.raises(Fault, match=r"is not aligned to 8 bytes: block 0, thread 1"):
        neighbours(vector)


def test_shared_memory_that_nobody_wrote() -> None:
    with pytest.raises(
        Fault, match=r"ld\.shared\.b32 %r5.*shared memory that nobody wrote: block 0, thread 0"
    ):
        neighbours(replaced("    st.shared.b32 [%d14], %r2;\n", ""))


def test_shared_memory_that_is_too_small() -> None:
    with pytest.raises(
        Fault, match=r"st\.shared\.b32.*4 bytes at 0x80 of 128 bytes of shared memory.*thread 32"
    ):
        neighbours(shared=SHARED.replace("512", "128"))


def test_two_blocks_that_write_the_same_place() -> None:
    x = np.arange(128, dtype=np.int32)
    body = replaced("add.s64 %d17, %d1, %d10", "add.s64 %d17, %d1, %d13")
    with pytest.raises(Fault, match=r"st\.global\.b32 \[%d17\], %r6.*race"):
        run(kernel(body, 2, before=SHARED), [x, np.zeros_like(x)], grid=2, block=64)
    options = Options(lanes=64)  # one after the other
    with pytest.raises(Fault, match=r"race with a write of block 0.*block 1"):
        run(kernel(body, 2, before=SHARED), [x, np.zeros_like(x)], grid=2, block=64, options=options)


# Each thread gives its number to the next one, in another warp too, by memory of the device.
BY_DEVICE_MEMORY = """
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d10, %r1, 4;
    add.s64 %d11, %d1, %d10;
    ld.global.b32 %r2, [%d0];
    st.global.b32 [%d11], %r1;
    bar.sync 0;
    add.s32 %r3, %r1, 1;
    and.b32 %r4, %r3, 63;
    mul.wide.u32 %d12, %r4, 4;
    add.s64 %d13, %d1, %d12;
    ld.global.b32 %r5, [%d13];
    bar.sync 0;
    st.global.b32 [%d11], %r5;
    setp.eq.u32 %p1, %r1, 63;
    @%p1 st.global.b32 [%d0], %r1;
"""


def by_device_memory(missing: int | None = None, grid: int = 1) -> np.ndarray:
    """What the kernel above gives, without one of its barriers."""
    parts = BY_DEVICE_MEMORY.split("    bar.sync 0;\n")
    barriers = ["" if number == missing else "    bar.sync 0;\n" for number in range(2)]
    body = parts[0] + barriers[0] + parts[1] + barriers[1] + parts[2]
    x = np.zeros(64, np.int32)
    return run(kernel(body, 2), [x, np.zeros_like(x)], grid=grid, block=64)[1]


def test_warps_that_meet_in_device_memory() -> None:
    np.testing.assert_array_equal(by_device_memory(), np.roll(np.arange(64), -1))
    with pytest.raises(Fault, match=r"ld\.global\.b32 %r5.*race with a write of another warp.*thread 31"):
        by_device_memory(missing=0)
    with pytest.raises(Fault, match=r"st\.global\.b32 \[%d11\], %r5.*race with a read of another warp"):
        by_device_memory(missing=1)


def test_a_warp_that_writes_what_all_have_just_read() -> None:
    body = """
    mov.u32 %r1, %tid.x;
    ld.global.b32 %r2, [%d0];
    setp.eq.u32 %p1, %r1, 63;
    @%p1 st.global.b32 [%d0], %r1;
    """
    with pytest.raises(Fault, match=r"st\.global\.b32.*race with a read of another warp.*block 0, thread 63"):
        run(kernel(body, 1), [np.zeros(1, np.int32)], block=64)


def test_two_warps_that_write_the_same_place() -> None:
    body = """
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 31;
    mul.wide.u32 %d10, %r2, 4;
    add.s64 %d11, %d0, %d10;
    st.global.b32 [%d11], %r1;
    """
    run(kernel(body, 1), [np.zeros(32, np.int32)], block=32)
    with pytest.raises(Fault, match=r"st\.global\.b32.*race of two warps that write"):
        run(kernel(body, 1), [np.zeros(32, np.int32)], block=64)


def test_what_atomic_instructions_leave_is_read_behind_a_barrier() -> None:
    body = """
    atom.global.add.u32 %r1, [%d0], 1;
    bar.sync 0;
    ld.global.b32 %r2, [%d0];
    mov.u32 %r3, %tid.x;
    mul.wide.u32 %d10, %r3, 4;
    add.s64 %d11, %d1, %d10;
    st.global.b32 [%d11], %r2;
    """
    x = np.zeros(64, np.int32)
    result = run(kernel(body, 2), [np.zeros(1, np.int32), x], block=64)[1]
    np.testing.assert_array_equal(result, np.full(64, 64))
    with pytest.raises(Fault, match=r"ld\.global\.b32 %r2.*race with a write of another warp"):
        run(kernel(body.replace("bar.sync 0;", ""), 2), [np.zeros(1, np.int32), x], block=64)


def test_a_block_that_reads_what_another_writes() -> None:
    body = """
    mov.u32 %r1, %ctaid.x;
    mul.wide.u32 %d10, %r1, 4;
    add.s64 %d11, %d0, %d10;
    ld.global.b32 %r2, [%d11];
    st.global.b32 [%d11+4], %r2;
    """
    with pytest.raises(Fault, match=r"st\.global.*race with a read of another block"):
        run(kernel(body, 1), [np.zeros(8, np.int32)], grid=4, block=1)


def test_threads_that_store_different_values_in_one_place() -> None:
    body = "    st.global.b32 [%d0], %r0;\n"
    with pytest.raises(Fault, match=r"two threads store different values in the same place"):
        run(kernel(body, 1), [np.zeros(1, np.int32)], block=2)
    run(kernel("    mov.b32 %r1, 7;\n    st.global.b32 [%d0], %r1;\n", 1), [np.zeros(1, np.int32)], block=2)


def test_a_shuffle_from_a_thread_that_is_not_there() -> None:
    body = """
    mov.u32 %r1, %tid.x;
    setp.gt.u32 %p1, %r1, 15;
    @%p1 bra $end;
    shfl.sync.bfly.b32 %r2, %r1, 16, 31, 65535;
$end:
    """
    with pytest.raises(Fault, match=r"shfl.*reads from a thread that is not there"):
        run(kernel(body, 0), [])
    missing = body.replace("65535", "-1").replace("16, 31", "8, 31").replace("$end:", "$end: bar.sync 0;")
    with pytest.raises(Fault, match=r"shfl.*threads of the mask are not there"):
        run(kernel(missing, 0), [])


def test_a_kernel_that_never_ends() -> None:
    with pytest.raises(Fault, match=r"may run forever") as caught:
        run(kernel("$loop:\n    bra $loop;\n", 0), [], options=Options(limit=1000))
    assert caught.value.code == "CUDA_ERROR_LAUNCH_TIMEOUT"


def test_a_trap() -> None:
    with pytest.raises(Fault, match=r"trap: block 0, thread 5") as caught:
        run(kernel("    setp.eq.u32 %p1, %r0, 5;\n    @%p1 trap;\n", 0), [])
    assert caught.value.code == "CUDA_ERROR_ILLEGAL_INSTRUCTION"

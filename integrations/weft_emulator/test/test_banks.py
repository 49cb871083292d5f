"""The cycles that shared memory takes for what kernels ask of it."""

from __future__ import annotations

import numpy as np
import pytest

from support.ptx import kernel, run
from weft_emulator.banks import Banks
from weft_emulator.machine import Options

_LANES = np.arange(32)

CASES = {
    # The bytes of an access, where in shared memory each thread of a warp asks, and how many cycles that takes.
    "neighbours": (4, 4 * _LANES, 1),
    "one word": (4, 0 * _LANES, 1),
    "every other word": (4, 8 * _LANES, 2),
    "rows that are padded": (4, 4 * (33 * _LANES), 1),
    "bytes of a word": (1, _LANES, 1),
    "neighbours of 8 bytes": (8, 8 * _LANES, 2),
    "neighbours of 16 bytes": (16, 16 * _LANES, 4),
    "16 bytes for two neighbours each": (16, 16 * (_LANES // 2 % 8), 2),
    "16 bytes for the next but one": (16, 16 * (_LANES % 2), 2),
    "16 bytes for half a warp each": (16, 16 * (_LANES % 16), 4),
    "8 bytes for two neighbours each": (8, 8 * (_LANES // 2), 1),
    "16 bytes, and rows in the same banks": (16, 16 * (_LANES % 4) + 128 * (_LANES // 4), 8),
}


@pytest.mark.parametrize("name", CASES)
def test_cycles_of_an_access(name: str) -> None:
    size, places, cycles = CASES[name]
    banks = Banks()
    banks.count(_LANES, places, size)
    assert (banks.requests, banks.cycles) == (1, cycles)


def test_warps_of_which_some_threads_ask() -> None:
    banks = Banks()
    banks.count(np.array([1, 5, 33, 34]), np.array([0, 128, 64, 192]), 4)
    assert (banks.requests, banks.cycles) == (2, 4)


def test_what_a_kernel_asks() -> None:
    """A store of neighbours, and a load of every other word."""
    body = (
        "    mov.b32 %r1, shared;\n    shl.b32 %r2, %r0, 2;\n    add.s32 %r3, %r1, %r2;\n"
        "    st.shared.u32 [%r3], %r0;\n    bar.sync 0;\n    and.b32 %r4, %r0, 15;\n    shl.b32 %r4, %r4, 3;\n"
        "    add.s32 %r4, %r1, %r4;\n    ld.shared.u32 %r5, [%r4];\n"
        "    cvt.u64.u32 %d2, %r2;\n    add.s64 %d2, %d0, %d2;\n    st.global.u32 [%d2], %r5;\n"
    )
    text = kernel(body, 1, inside="    .shared .align 16 .b8 shared[256];")
    banks = Banks()
    (found,) = run(text, [np.zeros(64, np.int32)], block=64, options=Options(banks=banks))
    np.testing.assert_array_equal(found, np.arange(64) % 16 * 2)
    assert (banks.requests, banks.cycles) == (4, 4)

"""Products, matrices and matches of warps, read a second time: from the tables of PTX's manual, thread by thread.

Nothing of the emulator is used here but to run the kernels. The names of the manual stand in the code: groupID is the
lane shifted right by two, threadID_in_group the lane modulo four, a0, b0, c0 the elements of a thread's fragments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from support.ptx import kernel, run
from weft.backend.gpu.driver.device import Device
from weft.backend.gpu.driver.library import Library
from weft.backend.gpu.driver.modules import Module
from weft.dialect.errors import DeviceError
from weft_emulator.faults import Fault
from weft_emulator.gpu_check.conformance import emulator, run_case
from weft_emulator.gpu_check.conformance_cases import CASES
from weft_emulator.library import Emulator

Place = Callable[[int, int, int], tuple[int, int]]
"""Of an element: its row and column, from groupID, threadID_in_group, and its number in the fragment."""

FRAGMENTS: dict[str, tuple[str, str, int, tuple[int, Place], tuple[int, Place]]] = {
    # name: element, sums, k, (elements of A in a thread, their places), (those of B)
    "mma m16n8k4 tf32": (
        "f4",
        "f4",
        4,
        (2, lambda g, t, i: (g if i == 0 else g + 8, t)),
        (1, lambda g, t, i: (t, g)),
    ),
    "mma m16n8k8 tf32": (
        "f4",
        "f4",
        8,
        (4, lambda g, t, i: (g if i in (0, 2) else g + 8, t if i in (0, 1) else t + 4)),
        (2, lambda g, t, i: (t if i == 0 else t + 4, g)),
    ),
    "mma m16n8k8 f16": (
        "f2",
        "f4",
        8,
        (4, lambda g, t, i: (g if i < 2 else g + 8, t * 2 + (i & 1))),
        (2, lambda g, t, i: (t * 2 + i, g)),
    ),
    "mma m16n8k16 f16": (
        "f2",
        "f4",
        16,
        (8, lambda g, t, i: (g if i < 2 or 4 <= i < 6 else g + 8, t * 2 + (i & 1) + (8 if i >= 4 else 0))),
        (4, lambda g, t, i: (t * 2 + (i & 1) + (8 if i >= 2 else 0), g)),
    ),
    **{
        f"mma m16n8k32 {kind}8": (
            f"{'i' if kind == 's' else 'u'}1",
            "i4",
            32,
            (
                16,
                lambda g, t, i: (
                    g if i < 4 or 8 <= i < 12 else g + 8,
                    t * 4 + (i & 3) + (16 if i >= 8 else 0),
                ),
            ),
            (8, lambda g, t, i: (t * 4 + (i & 3) + (16 if i >= 4 else 0), g)),
        )
        for kind in "su"
    },
}


@pytest.mark.parametrize("name", FRAGMENTS)
def test_products_of_warps(name: str) -> None:
    element, result, k, (count_a, place_a), (count_b, place_b) = FRAGMENTS[name]
    case = CASES[name]
    given_a, given_b, given_c = (
        array.reshape(-1).view(dtype).reshape(32, -1)
        for array, dtype in zip(case.arrays, (element, element, result), strict=True)
    )
    assert (given_a.shape[1], given_b.shape[1], given_c.shape[1]) == (count_a, count_b, 4)
    a, b, expected = np.zeros((16, k)), np.zeros((k, 8)), np.zeros((32, 4))
    for lane in range(32):
        group_id, thread_in_group = lane >> 2, lane % 4
        for i in range(count_a):
            a[place_a(group_id, thread_in_group, i)] = given_a[lane, i]
        for i in range(count_b):
            b[place_b(group_id, thread_in_group, i)] = given_b[lane, i]
    d = a @ b
    for lane in range(32):
        for i in range(4):
            row = (lane >> 2) if i < 2 else (lane >> 2) + 8
            column = (lane % 4) * 2 + (i & 1)
            expected[lane, i] = d[row, column] + given_c[lane, i]
    found = run_case(case, emulator())[2].view(result).reshape(32, 4)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_stored_matrices(count: int, transposed: bool) -> None:
    """Thread 8 m + r has the address of row r of matrix m; each thread gives two neighbours of a row or column."""
    case = CASES[f"stmatrix x{count}{' trans' if transposed else ''}"]
    registers = case.arrays[0].reshape(-1).view(np.uint16).reshape(32, count, 2)
    memory = np.zeros((32, 8), np.uint16)  # row `thread` is where that thread's address points
    for lane in range(32):
        for matrix in range(count):
            for half in range(2):
                row, column = lane // 4, 2 * (lane % 4) + half
                if transposed:
                    row, column = column, row
                memory[8 * matrix + row, column] = registers[lane, matrix, half]
    found = run_case(case, emulator())[1].view(np.uint16).reshape(32, 8)
    np.testing.assert_array_equal(found, memory)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_loaded_matrices(count: int, transposed: bool) -> None:
    case = CASES[f"ldmatrix x{count}{' trans' if transposed else ''}"]
    memory = case.arrays[0].reshape(-1).view(np.uint16).reshape(32, 8)
    found = run_case(case, emulator())[1].view(np.uint16).reshape(-1, 2)[: 32 * count].reshape(32, count, 2)
    for lane in range(32):
        for matrix in range(count):
            for half in range(2):
                row, column = lane // 4, 2 * (lane % 4) + half
                if transposed:
                    row, column = column, row
                assert found[lane, matrix, half] == memory[8 * matrix + row, column]


def test_matches() -> None:
    """Each thread gets a mask of those that have its value; `all` gets the whole mask, or 0 where one differs."""
    words = [int(word) for word in CASES["match any"].arrays[0]]
    for name, value in (
        ("match any", lambda word: word & 3),
        ("match any b64", lambda word: word & 5),
    ):
        expected = [
            sum(1 << lane for lane, other in enumerate(words) if value(other) == value(own)) for own in words
        ]
        assert [int(mask) for mask in run_case(CASES[name], emulator())[1]] == expected
    assert {int(mask) for mask in run_case(CASES["match all"], emulator())[1]} == {0xFFFFFFFF}
    assert {int(truth) for truth in run_case(CASES["match all not"], emulator())[1]} == {0}


def _of_two(instruction: str, a: Any, b: Any) -> Any:
    """What an instruction on two registers gives in each thread."""
    bits = 8 * a.itemsize
    letter = {16: "%h", 32: "%r", 64: "%d"}[bits]
    body = f"    mul.wide.u32 %d9, %r0, {bits // 8};\n"
    for number, name in enumerate("12"):
        body += f"    add.s64 %d10, %d9, %d{number};\n    ld.global.b{bits} {letter}2{name}, [%d10];\n"
    body += f"    {instruction} {letter}23, {letter}21, {letter}22;\n"
    body += f"    add.s64 %d10, %d9, %d2;\n    st.global.b{bits} [%d10], {letter}23;\n"
    return run(kernel(body, 3), [a, b, np.zeros_like(a)], block=a.size)[2]


@pytest.mark.parametrize("operation", ["div.s32", "div.u32", "rem.s32", "rem.u32", "div.s64", "rem.u64"])
def test_a_division_by_zero_is_a_fault(operation: str) -> None:
    dtype = np.dtype(f"{'i' if '.s' in operation else 'u'}{int(operation[-2:]) // 8}")
    a, b = np.full(32, 7, dtype), np.arange(1, 33, dtype=dtype)
    assert _of_two(operation, a, b)[2] == (7 // 3 if "div" in operation else 7 % 3)
    b[5] = 0
    with pytest.raises(
        Fault, match=rf"line \d+: {operation} .*a division by zero.*: block 0, thread 5"
    ) as caught:
        _of_two(operation, a, b)
    assert caught.value.code == "CUDA_ERROR_LAUNCH_FAILED"


def test_a_division_that_is_guarded_is_none() -> None:
    body = """
    mul.wide.u32 %d9, %r0, 4;
    add.s64 %d10, %d9, %d0;
    ld.global.b32 %r1, [%d10];
    setp.ne.s32 %p1, %r1, 0;
    mov.b32 %r2, -1;
    @%p1 div.s32 %r2, 100, %r1;
    st.global.b32 [%d10], %r2;
    """
    found = run(kernel(body, 1), [np.arange(32, dtype=np.int32)])[0]
    assert list(found[:4]) == [-1, 100, 50, 33]


def test_the_error_of_a_division_by_zero_names_the_kernel_and_the_line() -> None:
    device = Device(Library(Emulator().functions, "an emulator"), 0)
    from weft.backend.gpu.driver.streams import Stream

    text = kernel("    mov.b32 %r1, 0;\n    div.s32 %r2, %r0, %r1;", 0, name="halve")
    stream = Stream.default(device)
    Module(device, text).function("halve").launch((1, 1, 1), (32, 1, 1), [], stream)
    line = 1 + text[: text.index("div.s32")].count("\n")
    with pytest.raises(
        DeviceError, match=rf"kernel halve: line {line}: div\.s32 %r2, %r0, %r1: a division by zero"
    ):
        device.synchronize()


@pytest.mark.parametrize("kind", ["f16", "f32", "f64"])
@pytest.mark.parametrize("operation", ["min", "max"])
def test_a_signalling_nan_is_passed_over(kind: str, operation: str) -> None:
    dtype = np.dtype(f"u{int(kind[1:]) // 8}")
    signalling, two, one_nan = {
        "f16": (0x7D01, 0x4000, 0x7FFF),
        "f32": (0x7F801234, 0x40000000, 0x7FFFFFFF),
        "f64": (0x7FF0000000001234, 0x4000000000000000, None),
    }[kind]
    a, b = np.array([signalling, two, signalling], dtype), np.array([two, signalling, signalling], dtype)
    found = _of_two(f"{operation}.{kind}", a, b)
    assert [int(word) for word in found[:2]] == [two, two]
    assert one_nan is None or int(found[2]) == one_nan
    if kind != "f64":
        kept = _of_two(f"{operation}.NaN.{kind}", a, b)
        assert {int(word) for word in kept} == {one_nan}


@pytest.mark.parametrize(
    "operation", ["add.rn.f32", "mul.rz.f32", "sub.ftz.f32", "div.rn.f32", "add.f16", "mul.f16"]
)
def test_arithmetic_makes_one_nan(operation: str) -> None:
    """The payload of an operand is lost."""
    bits = int(operation[-2:])
    dtype = np.dtype(f"u{bits // 8}")
    payload, one_nan, infinity = (
        (0xFFC01234, 0x7FFFFFFF, 0x7F800000) if bits == 32 else (0xFE34, 0x7FFF, 0x7C00)
    )
    a, b = np.array([payload, infinity], dtype), np.array([infinity, payload], dtype)
    assert {int(word) for word in _of_two(operation, a, b)} == {one_nan}

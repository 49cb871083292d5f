"""Instructions of tensor cores: matrices of which each thread of a warp holds a part.

Row g and column t of a thread below are its number divided by 4, and the remainder, as the PTX manual draws them.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from .accesses import Access, locate_shared
from .arithmetic import Maker
from .asynchronous import MAKERS as ASYNCHRONOUS
from .faults import Fault, PTXError
from .frames import FORMATS, Frame
from .memory import Array, element_dtype
from .operands import Operands, Step, expect
from .ptx import Instruction, split
from .warps import WARP

_LANE = np.arange(WARP)
_G, _T = _LANE // 4, _LANE % 4

Place = tuple[Array, Array]
"""The row and the column of an element for each thread of a warp."""


def whole_warps(frame: Frame, text: str) -> Array:
    """The threads of a frame by warp, as their places in the frame; Fault if a warp is not all there."""
    thread = frame.thread_numbers()
    if frame.count % WARP or (thread.reshape(-1, WARP) % WARP != _LANE).any():
        raise Fault(f"{text}: not all threads of a warp are there: {frame.who(True)}")
    return np.arange(frame.count).reshape(-1, WARP)


_A16 = [(_G + 8 * (r % 2), 2 * _T + h + 8 * (r // 2)) for r in range(4) for h in range(2)]
_B16 = [(2 * _T + h + 8 * r, _G) for r in range(2) for h in range(2)]
_A16K8 = [(_G + 8 * r, 2 * _T + h) for r in range(2) for h in range(2)]
_B16K8 = [(2 * _T + h, _G) for h in range(2)]
_A8 = [(_G + 8 * (r % 2), 4 * _T + b + 16 * (r // 2)) for r in range(4) for b in range(4)]
_B8 = [(4 * _T + b + 16 * r, _G) for r in range(2) for b in range(4)]
_A_TF32 = [(_G + 8 * (r % 2), _T + 4 * (r // 2)) for r in range(4)]
_B_TF32 = [(_T + 4 * r, _G) for r in range(2)]
_A_TF32K4 = [(_G + 8 * r, _T) for r in range(2)]
_B_TF32K4 = [(_T, _G)]
_A_F64 = [(_G, _T)]
_B_F64 = [(_T, _G)]
_C = [(_G + 8 * (r // 2), 2 * _T + r % 2) for r in range(4)]
_C_F64 = [(_G, 2 * _T + r) for r in range(2)]

_SHAPES: dict[tuple[str, str], tuple[int, str, list[Place], list[Place]]] = {
    ("m16n8k16", "f16"): (16, "f2", _A16, _B16),
    ("m16n8k16", "bf16"): (16, "bfloat16", _A16, _B16),
    ("m16n8k8", "f16"): (8, "f2", _A16K8, _B16K8),
    ("m16n8k8", "bf16"): (8, "bfloat16", _A16K8, _B16K8),
    ("m16n8k8", "tf32"): (8, "f4", _A_TF32, _B_TF32),
    ("m16n8k4", "tf32"): (4, "f4", _A_TF32K4, _B_TF32K4),
    ("m16n8k32", "s8"): (32, "i1", _A8, _B8),
    ("m16n8k32", "u8"): (32, "u1", _A8, _B8),
    ("m16n8k4", "f64"): (4, "f8", _A_TF32K4, _B_F64),
    ("m8n8k4", "f64"): (4, "f8", _A_F64, _B_F64),
}
"""By shape and type: the length of the sums, the type, and the elements of a thread in both factors."""


_KINDS = ("f16", "bf16", "tf32", "f32", "f64", "s8", "u8", "s32")


def gathered(
    frame: Frame, slots: list[int], dtype: Any, places: list[Place], shape: tuple[int, int]
) -> Array:
    """Matrices of warps, from the registers of their threads."""
    values = frame.values
    columns = [np.broadcast_to(values[slot], (frame.count,)) for slot in slots]
    registers = np.stack(columns, axis=1)
    elements = np.ascontiguousarray(registers).view(dtype).reshape(-1, WARP, len(places))
    matrices = np.empty((elements.shape[0], *shape), dtype)
    for number, (row, column) in enumerate(places):
        matrices[:, row, column] = elements[:, :, number]
    return matrices


def scattered(frame: Frame, slots: list[int], matrices: Array, places: list[Place]) -> None:
    """Write matrices to the registers of the threads that hold them."""
    elements = np.empty((matrices.shape[0], WARP, len(places)), matrices.dtype)
    for number, (row, column) in enumerate(places):
        elements[:, :, number] = matrices[:, row, column]
    registers = elements.reshape(frame.count, -1).view(frame.values[slots[0]].dtype)
    for number, slot in enumerate(slots):
        frame.values[slot][...] = registers[:, number]


def gathered_warp_rows(frame: Frame, slots: list[int], threads: Array, dtype: Any) -> Array:
    """A matrix of 16 columns, of which each warp has 16 rows in registers, as products of warps take them."""
    columns = [np.broadcast_to(frame.values[slot], (frame.count,))[threads] for slot in slots]
    elements = np.ascontiguousarray(np.stack(columns, axis=1)).view(dtype).reshape(-1, WARP, len(_A16))
    matrix = np.empty((elements.shape[0], 16, 16), dtype)
    for number, (row, column) in enumerate(_A16):
        matrix[:, row, column] = elements[:, :, number]
    return matrix.reshape(-1, 16)


def _tf32(x: Array) -> Array:
    """Numbers as tensor cores read them: 10 bits of fraction, the others cut off."""
    return np.asarray((x.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32))


def _mma(i: Instruction, o: Operands) -> Step:
    expect(i, 4)
    shape = next((modifier for modifier in i.modifiers if re.fullmatch(r"m\d+n\d+k\d+", modifier)), "")
    kinds = [modifier for modifier in i.modifiers if modifier in _KINDS]
    if len(kinds) != 4 or (shape, kinds[1]) not in _SHAPES or (shape, kinds[2]) not in _SHAPES:
        raise PTXError("this product of matrices is not known")
    if not {"row", "col"} <= set(i.modifiers):
        raise PTXError("products take the first factor by rows and the second by columns")
    result, first, second, _ = kinds
    length, a_element, a_places, _ = _SHAPES[shape, first]
    _, b_element, _, b_places = _SHAPES[shape, second]
    a_dtype, b_dtype = element_dtype(a_element), element_dtype(b_element)
    rows = 8 if shape.startswith("m8") else 16
    c_places = _C_F64 if rows == 8 else _C
    c_dtype = FORMATS[result].dtype
    word = "b64" if result == "f64" else "b32"
    parts = [split(operand[1:-1]) if operand.startswith("{") else [operand] for operand in i.operands]
    d = [o.write(part, word) for part in parts[0]]
    a, b, c = ([o.read(part, word) for part in group] for group in parts[1:])
    wide: Any = np.int64 if c_dtype.kind == "i" else np.float64

    def run(frame: Frame) -> None:
        whole_warps(frame, i.text)
        x = gathered(frame, a, a_dtype, a_places, (rows, length))
        y = gathered(frame, b, b_dtype, b_places, (length, 8))
        z = gathered(frame, c, c_dtype, c_places, (rows, 8))
        if first == "tf32":
            x, y = _tf32(x), _tf32(y)
        total = np.matmul(x.astype(wide), y.astype(wide)) + z.astype(wide)
        if "satfinite" in i.modifiers:
            total = np.clip(total, -(1 << 31), (1 << 31) - 1)
        scattered(frame, d, total.astype(c_dtype), c_places)

    return run


def _ldmatrix(i: Instruction, o: Operands) -> Step:
    expect(i, 2)
    count = next((int(modifier[1]) for modifier in i.modifiers if re.fullmatch("x[124]", modifier)), 0)
    if not count or "m8n8" not in i.modifiers or "b16" not in i.modifiers:
        raise PTXError("this load of matrices is not known")
    parts = split(i.operands[0][1:-1]) if i.operands[0].startswith("{") else [i.operands[0]]
    targets = [o.write(part, "b32") for part in parts]
    address = o.address(i.operands[1])
    access = Access(i.text, "shared", 16, 1)
    transposed = "trans" in i.modifiers

    def run(frame: Frame) -> None:
        warps = whole_warps(frame, i.text)
        asked = warps[:, : 8 * count].reshape(-1)  # the threads whose addresses count
        at = locate_shared(frame, address.of(frame), access, asked, writes=False)
        rows = frame.machine.shared_view("u2", 8).take(at // 16, 0).reshape(-1, count, 8, 8)
        for number, slot in enumerate(targets):
            matrix = rows[:, number]
            matrix = matrix.transpose(0, 2, 1) if transposed else matrix
            low, high = matrix[:, _G, 2 * _T], matrix[:, _G, 2 * _T + 1]
            frame.values[slot][...] = (
                low.astype(np.uint32) | high.astype(np.uint32) << np.uint32(16)
            ).reshape(-1)

    return run


def _stmatrix(i: Instruction, o: Operands) -> Step:
    expect(i, 2)
    count = next((int(modifier[1]) for modifier in i.modifiers if re.fullmatch("x[124]", modifier)), 0)
    if not count or "m8n8" not in i.modifiers or "b16" not in i.modifiers:
        raise PTXError("this store of matrices is not known")
    parts = split(i.operands[1][1:-1]) if i.operands[1].startswith("{") else [i.operands[1]]
    sources = [o.read(part, "b32") for part in parts]
    address = o.address(i.operands[0])
    access = Access(i.text, "shared", 16, 1)
    transposed = "trans" in i.modifiers

    def run(frame: Frame) -> None:
        warps = whole_warps(frame, i.text)
        asked = warps[:, : 8 * count].reshape(-1)
        at = locate_shared(frame, address.of(frame), access, asked, writes=True)
        rows = np.empty((len(warps), count, 8, 8), np.uint16)
        for number, slot in enumerate(sources):
            word = np.broadcast_to(frame.values[slot], (frame.count,)).reshape(-1, WARP)
            matrix = rows[:, number].transpose(0, 2, 1) if transposed else rows[:, number]
            matrix[:, _G, 2 * _T] = word & np.uint32(0xFFFF)
            matrix[:, _G, 2 * _T + 1] = word >> np.uint32(16)
        frame.machine.shared_view("u2", 8)[at // 16] = rows.reshape(-1, 8)

    return run


MAKERS: dict[str, Maker] = {"mma": _mma, "ldmatrix": _ldmatrix, "stmatrix": _stmatrix, **ASYNCHRONOUS}

__all__ = ["MAKERS", "gathered_warp_rows"]

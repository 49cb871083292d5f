"""Products of warpgroups (wgmma): four warps multiply matrices in shared memory while they do something else.

Sums are in registers, which nobody may touch until the product has been waited for: until then they hold a NaN here.
Matrices are told by descriptors, 64 bits each: where one begins, and how far apart its pieces of 8 rows are.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from weft.dialect.records import NamedTuple, dataclass

from .arithmetic import Maker
from .clocks import ClockWatch
from .collectives import gathered_warp_rows
from .faults import Fault, PTXError
from .frames import FORMATS, Frame, Register
from .memory import Array, element_dtype
from .operands import Operands, Step, expect
from .ptx import Function, Instruction, split
from .tensor_maps import swizzled

GROUP = 128
"""Threads of a warpgroup."""
_ROWS, _SWIZZLE_128 = 64, 1
_UNKNOWN = np.uint32(0x7FC0DEAD)
"""What registers hold while a product adds to them."""
_KINDS = {"f16": "f2", "bf16": "bfloat16", "s8": "i1", "u8": "u1"}
_SUMS = {"k16": "f32", "k32": "s32"}
"""By depth, which is 32 bytes."""

_THREAD = np.arange(GROUP)
_G, _T = _THREAD % 32 // 4, _THREAD % 4


def _places_of_sums(columns: int) -> tuple[Array, Array]:
    """The row and the column of each sum of each thread."""
    number = np.arange(columns // 2)
    row = (_THREAD // 32 * 16 + _G)[:, None] + 8 * (number // 2 % 2)
    column = 8 * (number // 4) + (2 * _T)[:, None] + number % 2
    return row, column


class Descriptor(NamedTuple):
    """What a descriptor of a matrix tells; all in bytes."""

    start: int
    leading: int
    stride: int

    @staticmethod
    def of(bits: int, who: str) -> Descriptor:
        """Read a descriptor; Fault for a layout that is not known."""
        if bits >> 62 != _SWIZZLE_128 or bits >> 49 & 7:
            raise Fault(f"descriptors are known with 128 bytes swizzled, and not {bits:#x}: {who}")
        return Descriptor((bits & 0x3FFF) << 4, (bits >> 16 & 0x3FFF) << 4, (bits >> 32 & 0x3FFF) << 4)

    def places(self, lines: int, transposed: bool, size: int = 2) -> Array:
        """Where elements of a size, of a matrix of so many lines, 32 bytes deep, lie in the block's shared memory.

        Lines are rows of the first factor, or columns of the second. What is summed is side by side, unless it is
        transposed: then lines are, in pieces of 64.
        """
        line, depth = np.arange(lines)[:, None], np.arange(32 // size)
        if transposed:
            at = line // 64 * self.leading + line % 64 * 2 + depth // 8 * self.stride + depth % 8 * 128
        else:
            at = line // 8 * self.stride + line % 8 * 128 + depth * size
        return swizzled(self.start + at)


@dataclass
class _Product:
    """A product that is not waited for."""

    registers: tuple[Register, ...]
    group: int
    sums: Array
    """For each thread and register."""


@dataclass
class _Warpgroup:
    """What a warpgroup has begun."""

    fenced: bool = False
    group: int = 0
    """The number of the group that it is filling."""
    products: list[_Product] | None = None
    reads: list[tuple[int, Array]] | None = None
    """What products of each group read."""


class Warpgroups:
    """The warpgroups of a launch's part."""

    def __init__(self) -> None:
        self._states: dict[tuple[int, int], _Warpgroup] = {}

    def of(self, row: int, warp: int) -> _Warpgroup:
        """The state of a warpgroup, by its block and its first warp."""
        if (row, warp) not in self._states:
            self._states[row, warp] = _Warpgroup(products=[], reads=[])
        return self._states[row, warp]

    def finish(self) -> None:
        """All threads have ended."""
        if any(state.products for state in self._states.values()):
            raise Fault("a block has ended before its products (wgmma) are done")


class _Member(NamedTuple):
    """A warpgroup in a frame: the places of its threads there, and what is known of it."""

    places: Array
    row: int
    warp: int
    state: _Warpgroup


def _members(frame: Frame, text: str) -> list[_Member]:
    """The warpgroups of a frame; Fault if one is not all there."""
    thread = frame.place("thread")
    whole = np.arange(GROUP)
    if frame.count % GROUP or (thread.reshape(-1, GROUP) % GROUP != whole).any():
        raise Fault(f"{text}: not all threads of a warpgroup are there: {frame.who(True)}")
    machine = frame.machine
    if machine.warpgroups is None:
        machine.warpgroups = Warpgroups()
    row, warp = frame.place("row"), frame.place("warp")
    return [
        _Member(
            start + whole, int(row[start]), int(warp[start]), machine.warpgroups.of(row[start], warp[start])
        )
        for start in range(0, frame.count, GROUP)
    ]


def _fence(i: Instruction) -> Step:
    def run(frame: Frame) -> None:
        for member in _members(frame, i.text):
            member.state.fenced = True

    return run


def _commit(i: Instruction) -> Step:
    def run(frame: Frame) -> None:
        for member in _members(frame, i.text):
            member.state.group += 1

    return run


def _is_product(i: Instruction) -> bool:
    return i.opcode == "wgmma" and i.modifiers[0] == "mma_async"


def _registers_of_sums(function: Function, o: Operands) -> dict[Register, int]:
    """The registers that products of a function add to, and their slots."""
    found: dict[Register, int] = {}
    for i in function.body:
        if isinstance(i, Instruction) and _is_product(i):
            for name in split(i.operands[0][1:-1]):
                register = o.register(name)
                if register is None:
                    raise PTXError(f"{name} is no register")
                found[register] = o.layout.slot(register, FORMATS[_SUMS[i.modifiers[3][-3:]]])
    return found


def _wait(i: Instruction, o: Operands) -> Step:
    """Wait until at most so many of the newest groups are not done."""
    expect(i, 1)
    newest = o.integer(i.operands[0])
    slots = _registers_of_sums(o.function, o)
    o.reads |= slots.keys()
    o.writes |= slots.keys()

    def run(frame: Frame) -> None:
        for member in _members(frame, i.text):
            state = member.state
            assert state.products is not None
            assert state.reads is not None
            before = state.group - newest
            for product in [p for p in state.products if p.group < before]:
                for number, register in enumerate(product.registers):
                    frame.values[slots[register]][member.places] = product.sums[:, number]
            state.products = [p for p in state.products if p.group >= before]
            done = [places for group, places in state.reads if group < before]
            state.reads = [read for read in state.reads if read[0] >= before]
            state.fenced = False
            watch = frame.machine.shared_watch
            if isinstance(watch, ClockWatch) and done:
                watch.finish_reads(member.row, member.warp, done, [places for _, places in state.reads])

    return run


_PRODUCT = re.compile(
    r"mma_async\.sync\.aligned\.m64n(?P<n>\d+)"
    r"(?:(?P<halves>k16)\.f32\.(?P<half>f16|bf16)\.(?P=half)|(?P<bytes>k32)\.s32\.(?P<left>[su]8)\.(?P<right>[su]8))$"
)


def _multiply(i: Instruction, o: Operands) -> Step:
    """wgmma.mma_async... {sums}, a, b, adds; of halves also: sign of a, sign of b{, transposed a}, transposed b."""
    match = _PRODUCT.match(".".join(i.modifiers))
    if match is None:
        raise PTXError("this product of a warpgroup is not known")
    columns, are_bytes, half = int(match["n"]), match["bytes"] is not None, match["half"]
    dtypes = [element_dtype(_KINDS[kind or half]) for kind in (match["left"], match["right"])]
    element = _SUMS[match["bytes"] or match["halves"]]
    wide: Any = np.int64 if are_bytes else np.float64
    from_registers = i.operands[1].startswith("{")
    if are_bytes and from_registers:
        raise PTXError("products of bytes are known of matrices in shared memory")
    expect(i, 4 if are_bytes else 7 if from_registers else 8)
    names = split(i.operands[0][1:-1])
    step = 16 if are_bytes and columns > 32 else 8
    if columns % step or columns > 256 or len(names) != columns // 2:
        raise PTXError(f"{len(names)} registers for {columns} columns")
    if not are_bytes and [o.integer(operand) for operand in i.operands[4:6]] != [1, 1]:
        raise PTXError("products are known without changes of sign")
    transposed = [bool(o.integer(operand)) for operand in i.operands[6:]] or [False, False]
    left = [o.read(part, "b32") for part in split(i.operands[1][1:-1])] if from_registers else None
    descriptors = [o.read(operand, "u64") for operand in i.operands[1 if left is None else 2 : 3]]
    adds, negated = o.negated(i.operands[3])
    registers = tuple(r for r in (o.register(name) for name in names) if r is not None)
    slots = [o.write(name, element) for name in names]
    unknown = _UNKNOWN.view(FORMATS[element].dtype)
    o.reads |= set(registers)
    place = _places_of_sums(columns)

    def run(frame: Frame) -> None:
        values = frame.values
        for member in _members(frame, i.text):
            who = f"{i.text}: {frame.narrow(member.places, ()).who(True)}"
            state = member.state
            if not state.fenced:
                raise Fault(f"no wgmma.fence since the last wait: {who}")
            told = [_uniform(values[slot], frame.count, member, who) for slot in descriptors]
            factors: list[Array] = []
            reads: list[Array] = []
            lines = [columns] if left is not None else [_ROWS, columns]
            for bits, count, across, dtype in zip(
                told, lines, transposed, dtypes[-len(lines) :], strict=True
            ):
                at = Descriptor.of(bits, who).places(count, across, dtype.itemsize)
                factors.append(_load(frame, member, at, dtype, reads, i.text))
            if left is not None:
                factors.insert(0, gathered_warp_rows(frame, left, member.places, dtypes[0]))
            condition = np.broadcast_to(values[adds], (frame.count,))[member.places] != negated
            before = _sums_so_far(frame, member, registers, slots, who)
            total = np.matmul(factors[0].astype(wide), factors[1].astype(wide).T)[place]
            sums = (total + np.where(condition[:, None], before, before.dtype.type(0))).astype(before.dtype)
            assert state.products is not None
            assert state.reads is not None
            state.products.append(_Product(registers, state.group, sums))
            state.reads += [(state.group, places) for places in reads]
            for slot in slots:
                values[slot][member.places] = unknown

    return run


def _uniform(values: Any, count: int, member: _Member, who: str) -> int:
    own = np.broadcast_to(values, (count,))[member.places]
    if (own != own[0]).any():
        raise Fault(f"threads of a warpgroup give different descriptors: {who}")
    return int(own[0])


def _load(frame: Frame, member: _Member, at: Array, dtype: Any, reads: list[Array], text: str) -> Array:
    """A matrix from shared memory."""
    machine = frame.machine
    one = frame.narrow(member.places[:1], ())
    size = dtype.itemsize
    if int(at.max()) + size > machine.shared_limit:
        limit = machine.shared_limit
        raise Fault(
            f"{text}: {size} bytes at {int(at.max()):#x} of {limit} bytes of shared memory: {one.who(True)}"
        )
    at = at + int(one.place("shared")[0])
    watch = machine.shared_watch
    if isinstance(watch, ClockWatch):
        reads.append(watch.begin_reads(one, at.reshape(-1), text))
    elif watch is not None:
        raise PTXError("products of warpgroups are known beside mbarriers")
    return np.asarray(machine.shared_view(f"u{size}", 1)[at // size].view(dtype))


def _sums_so_far(
    frame: Frame, member: _Member, registers: tuple[Register, ...], slots: list[int], who: str
) -> Array:
    """What a product adds to: what the one before gives, or what registers hold."""
    state = member.state
    assert state.products is not None
    for product in state.products:
        if product.registers == registers:
            state.products.remove(product)
            return product.sums
        if set(product.registers) & set(registers):
            raise Fault(f"registers that another product adds to: {who}")
    return np.stack([frame.values[slot][member.places] for slot in slots], 1)


def _wgmma(i: Instruction, o: Operands) -> Step:
    if _is_product(i):
        return _multiply(i, o)
    if i.modifiers[0] == "fence":
        return _fence(i)
    if i.modifiers[0] == "commit_group":
        return _commit(i)
    if i.modifiers[0] == "wait_group":
        return _wait(i, o)
    raise PTXError("this instruction of warpgroups is not known")


def _setmaxnreg(i: Instruction, o: Operands) -> Step:
    """setmaxnreg.{inc,dec}: how many registers the warps of a warpgroup may use, of which there is no end here."""
    expect(i, 1)
    count = o.integer(i.operands[0])
    if count % 8 or not 24 <= count <= 256:
        raise PTXError(f"a warp cannot have {count} registers")

    def run(frame: Frame) -> None:
        _members(frame, i.text)

    return run


MAKERS: dict[str, Maker] = {"wgmma": _wgmma, "setmaxnreg": _setmaxnreg}

__all__ = ["MAKERS", "Descriptor", "Warpgroups"]

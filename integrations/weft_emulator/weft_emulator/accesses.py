"""Loads, stores and atomic instructions: every address is checked."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from weft.dialect.records import dataclass

from .arithmetic import Maker
from .faults import Fault, PTXError
from .frames import FORMATS, Format, Frame, Register
from .memory import FIRST_ADDRESS, Allocation, Array
from .operands import Address, Operands, Step, expect, type_of
from .ptx import Instruction, split

SPACES = ("global", "shared", "local", "const", "param")


_WORD = 4
"""Bytes of the narrowest number that there are atomic instructions for everywhere."""


@dataclass(frozen=True)
class Access:
    """What an instruction asks of memory."""

    text: str
    space: str
    size: int
    """In bytes, of one element."""
    width: int
    """How many elements, one after the other."""
    atomic: bool = False
    reads: bool = True
    """Whether an atomic or strong instruction learns what others have published."""
    publishes: bool = False
    """Whether it publishes what the thread did before a fence."""
    releases: bool = False
    """Whether it is a fence before."""
    acquires: bool = False
    """Whether it is a fence after."""

    @property
    def bytes(self) -> int:
        """What a thread reads or writes."""
        return self.size * self.width


def space_of(i: Instruction) -> str:
    """The space that an instruction names, or generic."""
    for modifier in i.modifiers:
        if modifier.partition("::")[0] in SPACES:
            return modifier.partition("::")[0]
    return "generic"


def _width_of(i: Instruction) -> int:
    return next((int(modifier[1:]) for modifier in i.modifiers if re.fullmatch("v[248]", modifier)), 1)


def orders(i: Instruction) -> bool:
    """Whether an instruction is a fence as well."""
    return i.opcode in ("ld", "st", "atom", "red") and bool(
        {"acquire", "release", "acq_rel", "sc"} & set(i.modifiers)
    )


def polls(i: Instruction) -> bool:
    """Whether a loop around an instruction may wait for other threads."""
    waits = i.opcode == "mbarrier" and i.modifiers[0] in ("test_wait", "try_wait")
    return waits or i.opcode == "atom" or (i.opcode == "ld" and _strong(i))


def _strong(i: Instruction) -> bool:
    """Whether other threads may access the same bytes at the same time."""
    return any(modifier in ("volatile", "relaxed", "acquire", "release", "mmio") for modifier in i.modifiers)


# Where addresses lead


def check_alignment(frame: Frame, address: Array, size: int, text: str) -> None:
    """Fault where an address is no multiple of the size of what lies there."""
    if size > 1 and int(np.bitwise_or.reduce(address, initial=0)) & (size - 1):
        wrong = (address & np.uint64(size - 1)) != 0
        at = int(address[wrong][0])
        who = frame.who(wrong)
        raise Fault(f"{text}: {at:#x} is not aligned to {size} bytes: {who}", "CUDA_ERROR_MISALIGNED_ADDRESS")


def allocations_of(
    frame: Frame, address: Array, size: int, text: str, *, atomic: bool = False
) -> list[tuple[Allocation, Array | None]]:
    """The blocks of device memory that addresses lie in, each with the threads concerned (None: all).

    Atomic instructions may take the word that the last bytes lie in: drivers give memory in words.
    """
    if atomic and size == _WORD:
        size = 1  # words are aligned
    memory = frame.machine.memory
    low, high = int(address.min()), int(address.max())
    allocation = memory.find(low)
    if allocation is not None and high + size <= allocation.address + allocation.size:
        return [(allocation, None)]
    found: list[tuple[Allocation, Array | None]] = []
    left = np.ones(frame.count, np.bool_)
    while left.any():
        low = int(address[left].min())
        allocation = memory.find(low)
        end = 0 if allocation is None else allocation.address + allocation.size
        if allocation is None:
            raise Fault(f"{text}: {low:#x} lies {memory.describe(low)}: {frame.who(left & (address == low))}")
        inside = left & (address < end)
        over = inside & (address > end - size)
        if over.any():
            at = int(address[over].min())
            raise Fault(
                f"{text}: {at:#x} reaches {at + size - end} bytes over the end of an allocation of "
                f"{allocation.size} bytes: {frame.who(over & (address == at))}"
            )
        found.append((allocation, np.flatnonzero(inside)))
        left &= ~inside
    return found


def _in_global(frame: Frame, address: Array, access: Access, writes: bool) -> tuple[Array, Array]:
    machine = frame.machine
    check_alignment(frame, address, access.bytes, access.text)
    allocations = allocations_of(frame, address, access.bytes, access.text, atomic=access.atomic)
    watch = machine.global_watch
    if watch is not None and watch.enabled and access.space != "const":
        blocks = frame.place("block")
        if access.releases and watch.clocks is not None:
            watch.clocks.fence(blocks)
        for allocation, positions in allocations:
            at = address if positions is None else address[positions]
            threads = frame if positions is None else frame.narrow(positions, ())
            offset = (at - np.uint64(allocation.address)).astype(np.int64)
            watch.access(
                threads, allocation, offset, access.bytes, access.text, writes=writes, atomic=access.atomic
            )
        if access.atomic and watch.clocks is not None:
            order = machine.draw_turns(frame.count)
            watch.clocks.meet(blocks[order], address[order], writes=access.publishes, reads=access.reads)
            if access.acquires:
                watch.clocks.fence(blocks)
    view = machine.memory.view(f"u{access.size}", access.width)
    place = (address - np.uint64(FIRST_ADDRESS)) >> np.uint64(access.bytes.bit_length() - 1)
    return view, place.view(np.int64)


def locate_global(frame: Frame, address: Array, access: Access) -> Array:
    """Where addresses that are read lie in device memory, in bytes."""
    _, at = _in_global(frame, address, access, False)
    return at * access.bytes


def locate_shared(frame: Frame, address: Array, access: Access, asked: Array, *, writes: bool) -> Array:
    """Where addresses that some threads of a frame give lie in the shared memory of all blocks."""
    part = frame if asked.size == frame.count else frame.narrow(asked, ())
    at = shared_places(part, address[asked], access.bytes, access.text)
    _count(part, address[asked], access)
    if frame.machine.shared_watch is not None:
        watch = frame.machine.shared_watch.write if writes else frame.machine.shared_watch.read
        watch(part, at, access.bytes, access.text)
    return at


def _in_shared(frame: Frame, address: Array, access: Access, writes: bool) -> tuple[Array, Array]:
    machine = frame.machine
    at = shared_places(frame, address, access.bytes, access.text)
    _count(frame, address, access)
    if machine.shared_watch is not None:
        if access.atomic:
            if writes:
                machine.shared_watch.atomic(frame, at, access.bytes, access.text)
        elif writes:
            machine.shared_watch.write(frame, at, access.bytes, access.text)
        else:
            machine.shared_watch.read(frame, at, access.bytes, access.text)
    return machine.shared_view(f"u{access.size}", access.width), at >> access.bytes.bit_length() - 1


def _count(frame: Frame, address: Array, access: Access) -> None:
    banks = frame.machine.banks
    if banks is not None:
        banks.count(frame.thread_numbers(), address.astype(np.int64), access.bytes)


def shared_places(frame: Frame, address: Array, size: int, text: str) -> Array:
    """Where addresses of shared memory lie in that of all blocks."""
    machine = frame.machine
    check_alignment(frame, address, size, text)
    limit = machine.shared_limit
    if int(address.max()) + size > limit:
        wrong = address + np.uint64(size) > limit
        at, who = int(address[wrong][0]), frame.who(wrong)
        raise Fault(f"{text}: {size} bytes at {at:#x} of {limit} bytes of shared memory: {who}")
    return np.asarray(frame.place("shared") + address.view(np.int64))


def _in_local(frame: Frame, address: Array, access: Access, writes: bool) -> tuple[Array, Array]:
    machine = frame.machine
    check_alignment(frame, address, access.bytes, access.text)
    if int(address.max()) + access.bytes > machine.local_size:
        wrong = address + np.uint64(access.bytes) > machine.local_size
        raise Fault(f"{access.text}: outside of the thread's local memory: {frame.who(wrong)}")
    at = frame.thread_numbers() * machine.local_size + address.astype(np.int64)
    return machine.local_view(f"u{access.size}", access.width), at >> access.bytes.bit_length() - 1


_LOCATE: dict[str, Callable[[Frame, Array, Access, bool], tuple[Array, Array]]] = {
    "global": _in_global,
    "const": _in_global,
    "shared": _in_shared,
    "local": _in_local,
}
_OF_WINDOW = {1: "shared", 2: "local"}
_OFFSET = np.uint64((1 << 56) - 1)

Body = Any
"""What is done with a view of memory and the places in it: a function of a frame, a view and places."""


def _access_step(access: Access, address: Address, body: Body, o: Operands, writes: bool) -> Step:
    """An instruction that accesses memory; a generic one finds out in which space."""
    if access.space != "generic":
        locate = _LOCATE[access.space]

        def run(frame: Frame) -> None:
            view, at = locate(frame, address.of(frame), access, writes)
            body(frame, view, at)

        return run
    registers = o.reads | o.writes
    results = set(o.writes)

    def generic(frame: Frame) -> None:
        where = address.of(frame)
        low, high = int(where.min()) >> 56, int(where.max()) >> 56
        if low == high or low > 2:
            window = _OF_WINDOW.get(low)
            if window is None:
                view, at = _in_global(frame, where, access, writes)
            else:
                view, at = _LOCATE[window](frame, where & _OFFSET, access, writes)
            body(frame, view, at)
            return
        _by_window(frame, where, generic, registers, results)

    return generic


def _by_window(
    frame: Frame, where: Array, step: Step, registers: set[Register], results: set[Register]
) -> None:
    """Run a step for the threads of each space by themselves."""
    windows = np.minimum(where >> np.uint64(56), np.uint64(3))
    for window in np.unique(windows):
        part = frame.narrow(np.flatnonzero(windows == window), registers)
        step(part)
        part.give_back(results)


# Loads and stores


def _parts(operand: str, width: int) -> list[str]:
    parts = split(operand[1:-1]) if operand.startswith("{") else [operand]
    if len(parts) != width:
        raise PTXError(f"{len(parts)} registers for a vector of {width}")
    return parts


def _ld(i: Instruction, o: Operands) -> Step:
    expect(i, 2, 3)
    space, kind, width = space_of(i), type_of(i), _width_of(i)
    parts = _parts(i.operands[0], width)
    if space == "param":
        return _load_parameter(kind, parts, i.operands[1], o)
    form = FORMATS[kind]
    acquires = "acquire" in i.modifiers
    access = Access(i.text, space, form.bits // 8, width, _strong(i), acquires=acquires)
    targets = [(k, o.write(part, kind)) for k, part in enumerate(parts) if part != "_"]
    address = o.address(i.operands[1])
    dtype = form.dtype

    def body(frame: Frame, view: Array, at: Array) -> None:
        v = frame.values
        data = view.take(at, 0).view(dtype)
        if width == 1:
            np.copyto(v[targets[0][1]], data, casting="unsafe")
            return
        for k, d in targets:
            np.copyto(v[d], data[:, k], casting="unsafe")

    return _access_step(access, address, body, o, False)


def _load_parameter(kind: str, parts: list[str], operand: str, o: Operands) -> Step:
    name, offset = _parameter(operand)
    form = FORMATS[kind]
    size = form.bits // 8
    places = [(o.write(part, kind), offset + k * size) for k, part in enumerate(parts)]
    start = next((p.offset for p in o.function.parameters if p.name == name), None)
    if o.function.is_kernel and start is not None:

        def load(frame: Frame) -> None:
            v = frame.values
            for d, place in places:
                data = np.frombuffer(frame.machine.parameters, form.dtype, 1, start + place)
                np.copyto(v[d], data[0], casting="unsafe")

        return load
    if o.register(name) is not None:
        return _load_parameter_at(o.read(name, "u64"), places, form)
    sources = [piece(o, name, place, form, writes=False) for _, place in places]

    def move(frame: Frame) -> None:
        v = frame.values
        for (d, _), a in zip(places, sources, strict=True):
            np.copyto(v[d], v[a], casting="unsafe")

    return move


def _load_parameter_at(address: int, places: list[tuple[int, int]], form: Format) -> Step:
    """Load what lies at addresses among the parameters of a kernel: one of two, say, where a condition says which."""
    bytes_of_one = np.arange(form.bits // 8)

    def load(frame: Frame) -> None:
        v, data = frame.values, np.frombuffer(frame.machine.parameters, np.uint8)
        for d, place in places:
            at = v[address].astype(np.int64)[..., np.newaxis] + (place + bytes_of_one)
            if at.size and not 0 <= at.min() <= at.max() < len(data):
                raise PTXError(f"a load behind the {len(data)} bytes of parameters")
            np.copyto(v[d], data[at].view(form.dtype)[..., 0], casting="unsafe")

    return load


def _parameter(operand: str) -> tuple[str, int]:
    match = re.fullmatch(r"\[\s*([\w$%#]+)\s*(?:\+\s*(-?\w+))?\s*\]", operand)
    if match is None:
        raise PTXError(f"{operand} is no parameter")
    return match[1], int(match[2] or "0", 0)


def piece(o: Operands, name: str, offset: int, form: Format, *, writes: bool) -> int:
    """The slot of a part of a parameter of a device function; such parameters are registers here."""
    bits = max(form.bits, 8)
    register = o.layout.register(f"{o.function.name}:[{name}+{offset}]", bits)
    (o.writes if writes else o.reads).add(register)
    return o.layout.slot(register, form)


def _st(i: Instruction, o: Operands) -> Step:
    expect(i, 2, 3)
    space, kind, width = space_of(i), type_of(i), _width_of(i)
    form = FORMATS[kind]
    parts = _parts(i.operands[1], width)
    sources = [o.read(part, kind) for part in parts]
    if space == "param":
        name, offset = _parameter(i.operands[0])
        targets = [piece(o, name, offset + k * form.bits // 8, form, writes=True) for k in range(width)]

        def move(frame: Frame) -> None:
            v = frame.values
            for d, a in zip(targets, sources, strict=True):
                v[d][...] = v[a]

        return move
    strong, releases = _strong(i), "release" in i.modifiers
    access = Access(i.text, space, form.bits // 8, width, strong, False, strong, releases)
    address = o.address(i.operands[0])
    dtype = np.dtype(f"u{form.bits // 8}")

    def body(frame: Frame, view: Array, at: Array) -> None:
        v = frame.values
        if width == 1:
            data = np.broadcast_to(np.ascontiguousarray(v[sources[0]]).view(dtype), (frame.count,))
        else:
            data = np.empty((frame.count, width), dtype)
            for k, a in enumerate(sources):
                data[:, k] = (
                    v[a].view(dtype) if v[a].flags.c_contiguous else np.ascontiguousarray(v[a]).view(dtype)
                )
        view[at] = data
        if frame.machine.checks and not access.atomic:
            lost = view.take(at, 0) != data
            if lost.any():
                lost = lost if width == 1 else lost.any(1)
                raise Fault(
                    f"{i.text}: two threads store different values in the same place: {frame.who(lost)}"
                )

    return _access_step(access, address, body, o, True)


# Atomic instructions


def _update(operation: str) -> Callable[..., Any]:
    if operation in ("add", "min", "max", "and", "or", "xor"):
        return _UPDATES[operation]
    if operation == "exch":
        return lambda old, x, y: x
    if operation == "cas":
        return lambda old, x, y: np.where(old == x, y, old)
    if operation == "inc":
        return lambda old, x, y: np.where(old >= x, old.dtype.type(0), old + old.dtype.type(1))
    return lambda old, x, y: np.where((old == 0) | (old > x), x, old - old.dtype.type(1))


_UPDATES: dict[str, Callable[..., Any]] = {
    "add": lambda old, x, y: old + x,
    "min": lambda old, x, y: np.minimum(old, x),
    "max": lambda old, x, y: np.maximum(old, x),
    "and": lambda old, x, y: old & x,
    "or": lambda old, x, y: old | x,
    "xor": lambda old, x, y: old ^ x,
}
_OPERATIONS = (*_UPDATES, "exch", "cas", "inc", "dec")


def _atomic(wants: bool) -> Maker:
    def make(i: Instruction, o: Operands) -> Step:
        operation = next((modifier for modifier in i.modifiers if modifier in _OPERATIONS), None)
        kind = type_of(i)
        form = FORMATS[kind]
        operands = i.operands if wants else ("_", *i.operands)
        if operation is None or len(operands) != 3 + (operation == "cas") or _width_of(i) > 1:
            raise PTXError(f"{i.opcode}.{'.'.join(i.modifiers)} is not known")
        d = o.write(operands[0], kind)
        x = o.read(operands[2], kind)
        y = o.read(operands[3], kind) if operation == "cas" else x
        orders = [bool({name, "acq_rel", "sc"} & set(i.modifiers)) for name in ("release", "acquire")]
        access = Access(i.text, space_of(i), form.bits // 8, 1, True, True, True, *orders)
        address = o.address(operands[1])
        update = _update(operation)

        def body(frame: Frame, view: Array, at: Array) -> None:
            v = frame.values
            shape = (frame.count, 2) if form.packed else (frame.count,)
            values = [np.broadcast_to(v[s], shape) for s in (x, y)]
            typed = form.view(view)
            v[d][...] = one_after_the_other(
                typed, at, values[0], values[1], update, frame.machine.take_turns(frame.count)
            )

        return _access_step(access, address, body, o, True)

    return make


def one_after_the_other(
    view: Array, at: Array, x: Array, y: Array, update: Callable[..., Any], turns: Array
) -> Array:
    """Change places one thread after the other; what each of them found there."""
    old = np.empty(x.shape, view.dtype)
    left = turns
    while left.size:
        _, first = np.unique(at[left], return_index=True)
        if first.size * 8 < left.size:  # many threads at few places
            for lane in left.tolist():
                place = at[lane]
                old[lane] = view[place]
                view[place] = update(view[place], x[lane], y[lane])
            break
        now = left[first]
        places = at[now]
        old[now] = view[places]
        view[places] = update(old[now], x[now], y[now])
        left = np.delete(left, first)
    return old


def _nothing(i: Instruction, o: Operands) -> Step:
    """Hints to caches."""
    return lambda frame: None


MAKERS: dict[str, Maker] = {
    "ld": _ld,
    "ldu": _ld,
    "st": _st,
    "atom": _atomic(True),
    "red": _atomic(False),
    "prefetch": _nothing,
    "prefetchu": _nothing,
}

__all__ = [
    "MAKERS",
    "Access",
    "check_alignment",
    "locate_global",
    "locate_shared",
    "shared_places",
    "space_of",
]

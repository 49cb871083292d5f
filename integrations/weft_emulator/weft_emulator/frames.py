"""Values of threads: registers as arrays over the threads that run together."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np

from weft.dialect.records import dataclass

from .banks import Banks
from .memory import Array, DeviceMemory, element_dtype


@dataclass(frozen=True)
class Format:
    """A type of PTX: how the bits of a register are read."""

    name: str
    kind: str
    """u, s, b, f, or p for predicates."""
    bits: int
    element: str
    """The dtype of NumPy, by its name, or "bfloat16"."""
    packed: bool = False
    """Whether a register holds two of them."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """How NumPy reads the bits."""
        return element_dtype(self.element)

    def view(self, base: Array) -> Array:
        """The values in registers, as an array that shares their memory."""
        size = base.dtype.itemsize
        if self.kind == "p":
            return base
        if self.packed:
            return base.view(self.dtype).reshape(-1, 2)
        if self.dtype.itemsize == size:
            return base.view(self.dtype)
        if self.dtype.itemsize > size:
            raise ValueError(f"{self.name} does not fit in a register of {8 * size} bits")
        return base.view(self.dtype)[:: size // self.dtype.itemsize]


def _formats() -> dict[str, Format]:
    found = {"pred": Format("pred", "p", 1, "?")}
    for bits in (8, 16, 32, 64):
        for kind, letter in (("u", "u"), ("s", "i"), ("b", "u")):
            found[f"{kind}{bits}"] = Format(f"{kind}{bits}", kind, bits, f"{letter}{bits // 8}")
    for bits in (16, 32, 64):
        found[f"f{bits}"] = Format(f"f{bits}", "f", bits, f"f{bits // 8}")
    found["tf32"] = Format("tf32", "f", 32, "f4")
    found["bf16"] = Format("bf16", "f", 16, "bfloat16")
    found["f16x2"] = Format("f16x2", "f", 32, "f2", packed=True)
    found["bf16x2"] = Format("bf16x2", "f", 32, "bfloat16", packed=True)
    found["s16x2"] = Format("s16x2", "s", 32, "i2", packed=True)
    found["u16x2"] = Format("u16x2", "u", 32, "u2", packed=True)
    return found


FORMATS = _formats()
FORMAT = re.compile("|".join(sorted(FORMATS, key=len, reverse=True)))


class Register:
    """A register of PTX, and the slots of a frame that show its values in some format."""

    __slots__ = ("bits", "index", "name", "views")

    def __init__(self, index: int, name: str, bits: int) -> None:
        self.index = index
        self.name = name
        self.bits = bits
        self.views: dict[str, tuple[int, Format]] = {}

    @property
    def dtype(self) -> np.dtype[Any]:
        """How its bits are stored."""
        return np.dtype(np.bool_) if self.bits == 1 else np.dtype(f"u{self.bits // 8}")


class Layout:
    """The registers of a kernel and of what it calls, the constants, and the slots of both."""

    def __init__(self) -> None:
        self.registers: dict[str, Register] = {}
        self.template: list[Any] = []
        """What a new frame holds in its slots: the constants."""
        self._constants: dict[tuple[str, bytes], int] = {}

    def register(self, name: str, bits: int) -> Register:
        """The register of a name, which is made when it is met first."""
        if name not in self.registers:
            self.registers[name] = Register(len(self.registers), name, bits)
        return self.registers[name]

    def slot(self, register: Register, form: Format) -> int:
        """Where a frame holds a register in some format."""
        if form.name not in register.views:
            register.views[form.name] = (len(self.template), form)
            self.template.append(None)
        return register.views[form.name][0]

    def constant(self, form: Format, value: Array) -> int:
        """Where a frame holds a constant."""
        key = (form.name, value.tobytes())
        if key not in self._constants:
            self._constants[key] = len(self.template)
            self.template.append(value)
        return self._constants[key]


class Machine(Protocol):
    """What a frame, and the instructions that run on it, ask of what runs them."""

    template: list[Any]
    places: dict[str, Array]
    """Facts by thread: lane, block, row, thread, warp, shared (where the shared memory of its block begins)."""
    memory: DeviceMemory
    parameters: bytes
    checks: bool
    banks: Banks | None
    global_watch: Any
    shared_watch: Any
    copies: Any
    phases: Any
    warpgroups: Any
    random: np.random.Generator
    shared_size: int
    """The distance between the shared memories of two blocks."""
    shared_limit: int
    """How many bytes of it a block has."""
    local_size: int

    def shared_view(self, dtype: str, width: int) -> Array:
        """The shared memory of all blocks as elements, or as vectors of them."""

    def local_view(self, dtype: str, width: int) -> Array:
        """The local memory of all threads as elements, or as vectors of them."""

    def draw_turns(self, count: int) -> Array:
        """In which order the threads of the next atomic instruction have their turn, one after the other."""

    def take_turns(self, count: int) -> Array:
        """The order that was drawn, or a new one."""

    def alive(self) -> Array:
        """Which threads have not ended."""


class Frame:
    """The values of threads that run together: all threads of a launch's part, or some of another frame."""

    __slots__ = ("_places", "bases", "count", "dirty", "lanes", "machine", "parent", "positions", "values")

    def __init__(
        self, machine: Machine, parent: Frame | None, positions: Array | None, count: int, template: list[Any]
    ) -> None:
        self.machine = machine
        self.parent = parent
        self.positions = positions
        """Where in the parent its threads are."""
        self.count = count
        self.values = template.copy()
        self.bases: dict[int, Array] = {}
        self.dirty: set[Register] = set()
        self._places: dict[str, Array] = {}
        if parent is None or positions is None:
            self.lanes: Array | None = None
        else:
            self.lanes = positions if parent.lanes is None else parent.lanes[positions]

    def hold(self, register: Register, base: Array) -> None:
        """Let an array be the values of a register."""
        self.bases[register.index] = base
        for slot, form in register.views.values():
            self.values[slot] = form.view(base)

    def gather(self, registers: Iterable[Register]) -> None:
        """Take the values of registers from the parent, as far as they are not there."""
        bases = self.bases
        for register in registers:
            if register.index not in bases:
                assert self.parent is not None
                self.hold(register, self.parent.bases[register.index][self.positions])

    def narrow(self, positions: Array, registers: Iterable[Register]) -> Frame:
        """Some of the threads, with the values of some registers."""
        if self.lanes is not None:
            self.gather(registers)
        frame = Frame(self.machine, self, positions, positions.size, self.machine.template)
        frame.gather(registers)
        return frame

    def give_back(self, registers: Iterable[Register]) -> None:
        """Write registers to the parent."""
        assert self.parent is not None
        for register in registers:
            self.parent.bases[register.index][self.positions] = self.bases[register.index]

    def place(self, what: str) -> Array:
        """For each thread one of the facts that the machine knows of its threads."""
        whole = self.machine.places[what]
        if self.lanes is None:
            return whole
        if what not in self._places:
            self._places[what] = whole[self.lanes]
        return self._places[what]

    def thread_numbers(self) -> Array:
        """The threads, as the machine numbers them."""
        return self.machine.places["lane"] if self.lanes is None else self.lanes

    def who(self, mask: Any) -> str:
        """The first thread for which a condition holds, in words."""
        chosen = int(np.broadcast_to(mask, (self.count,)).argmax())
        block, thread = self.place("block")[chosen], self.place("thread")[chosen]
        return f"block {int(block)}, thread {int(thread)}"


__all__ = ["FORMAT", "FORMATS", "Format", "Frame", "Layout", "Register"]

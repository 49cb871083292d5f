"""Operands of instructions, resolved: to slots of frames, to numbers, or to addresses."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from weft.dialect.records import dataclass

from .faults import PTXError
from .frames import FORMAT, FORMATS, Format, Frame, Layout, Register
from .ptx import Function, Instruction, number

Step: TypeAlias = "Callable[[Frame], None]"
"""An instruction that is ready to run."""

SPECIAL = {
    **{
        f"%{name}.{axis}": 32
        for name in ("tid", "ntid", "ctaid", "nctaid", "clusterid", "nclusterid")
        for axis in "xyz"
    },
    **{f"%cluster_{name}.{axis}": 32 for name in ("ctaid", "nctaid") for axis in "xyz"},
    "%cluster_ctarank": 32,
    "%cluster_nctarank": 32,
    "%laneid": 32,
    "%warpid": 32,
    "%nwarpid": 32,
    "%smid": 32,
    "%nsmid": 32,
    "%gridid": 64,
    "%clock": 32,
    "%clock64": 64,
    "%globaltimer": 64,
    "%dynamic_smem_size": 32,
    "%total_smem_size": 32,
    **{f"%lanemask_{which}": 32 for which in ("eq", "le", "lt", "ge", "gt")},
}
"""The registers that tell a thread where it is, and their width."""


@dataclass(frozen=True)
class Symbol:
    """A variable in memory: its space, and its address there."""

    space: str
    address: int
    size: int


@dataclass(frozen=True)
class Address:
    """An operand in brackets: a slot with 64-bit addresses, or nothing, and what is added."""

    slot: int | None
    offset: int

    def of(self, frame: Frame) -> Any:
        """The addresses of all threads."""
        if self.slot is None:
            return np.full(frame.count, self.offset, np.uint64)
        base = frame.values[self.slot]
        return base + np.uint64(self.offset & (1 << 64) - 1) if self.offset else base


class Operands:
    """Resolves the operands of one function's instructions, and keeps account of what an instruction uses."""

    def __init__(self, layout: Layout, function: Function, symbols: Mapping[str, Symbol]) -> None:
        self.layout = layout
        self.function = function
        self.symbols = symbols
        self._registers: dict[str, Register] = {}
        self.reads: set[Register] = set()
        self.writes: set[Register] = set()

    def register(self, name: str) -> Register | None:
        """The register of a name, if it is one."""
        known = self._registers.get(name)
        if known is not None:
            return known
        bits = self.function.registers.get(name)
        if bits is not None:
            self._registers[name] = self.layout.register(f"{self.function.name}:{name}", bits)
            return self._registers[name]
        if name in SPECIAL:
            return self.layout.register(name, SPECIAL[name])
        return None

    def hidden(self, name: str, bits: int, writes: bool) -> int:
        """A slot of state that instructions share without naming it, as a carry, or of what nobody reads."""
        register = self.layout.register(f"{self.function.name}:{name}", bits)
        (self.writes if writes else self.reads).add(register)
        return self.layout.slot(register, FORMATS["pred" if bits == 1 else f"u{bits}"])

    def read(self, operand: str, form: str | Format) -> int:
        """The slot with an operand's values in some format."""
        form = FORMATS[form] if isinstance(form, str) else form
        register = self.register(operand)
        if register is not None:
            if form.bits > register.bits > 1:  # its upper bits are zero
                raise PTXError(f"{operand} has {register.bits} bits, and {form.bits} are read")
            if (form.bits == 1) != (register.bits == 1):
                raise PTXError(f"{operand} is {'a' if register.bits == 1 else 'no'} predicate")
            self.reads.add(register)
            return self.layout.slot(register, form)
        return self.layout.constant(form, self.immediate(operand, form))

    def negated(self, operand: str) -> tuple[int, bool]:
        """The slot of a predicate, and whether it is taken negated (`!%p1`)."""
        return self.read(operand.removeprefix("!"), "pred"), operand.startswith("!")

    def write(self, operand: str, form: str | Format) -> int:
        """The slot for a result; registers that are wider are written as a whole, with its sign if it has one."""
        form = FORMATS[form] if isinstance(form, str) else form
        if operand == "_":
            return (
                self.hidden(f"_{form.name}", form.bits, True)
                if form.kind != "p"
                else self.hidden("_", 1, True)
            )
        register = self.register(operand)
        if register is None or operand in SPECIAL:
            raise PTXError(f"{operand} is no register that can be written")
        if register.bits < form.bits or (form.bits == 1) != (register.bits == 1):
            raise PTXError(f"{operand} has {register.bits} bits, and {form.bits} are written")
        if register.bits > form.bits:
            form = FORMATS[f"{'s' if form.kind == 's' else 'u'}{register.bits}"]
        self.writes.add(register)
        return self.layout.slot(register, form)

    def immediate(self, operand: str, form: Format) -> Any:
        """A number, or the address of a variable."""
        if operand == "WARP_SZ":
            operand = "32"
        if form.kind == "p":
            if operand in ("0", "1", "-1"):
                return np.array(operand != "0")
            raise PTXError(f"{operand} is no predicate")
        if operand in self.symbols:
            symbol = self.symbols[operand]
            return np.array(symbol.address, np.uint64).astype(form.dtype)
        for parameter in self.function.parameters if self.function.is_kernel else ():
            if parameter.name == operand:
                return np.array(parameter.offset, np.uint64).astype(form.dtype)
        try:
            value = number(operand)
        except ValueError:
            raise PTXError(f"{operand} is neither a register, nor a number, nor a variable") from None
        if isinstance(value, float):
            if form.kind == "f":
                return np.array(value, form.dtype)
            bits = np.array(value, np.float32 if operand[:2].lower() == "0f" else np.float64)
            return bits.view(f"u{bits.dtype.itemsize}").astype(form.dtype)
        raw = np.array(value & ((1 << form.bits) - 1), f"u{form.bits // 8}")
        return np.array([raw]).view(form.dtype) if form.packed else raw.view(form.dtype)

    def integer(self, operand: str) -> int:
        """An operand that has to be a whole number."""
        try:
            value = number(operand)
        except ValueError:
            value = 0.5
        if isinstance(value, float):
            raise PTXError(f"{operand} has to be a whole number")
        return value

    def is_register(self, operand: str) -> bool:
        """Whether an operand differs from thread to thread."""
        return self.register(operand) is not None

    def address(self, operand: str) -> Address:
        """An operand in brackets."""
        match = re.fullmatch(r"\[\s*([\w$%#]+)\s*(?:\+\s*(-?\w+))?\s*\]", operand)
        if match is None:
            raise PTXError(f"{operand} is no address")
        base, offset = match[1], int(match[2] or "0", 0)
        if base in self.symbols:
            return Address(None, self.symbols[base].address + offset)
        register = self.register(base)
        if register is None:
            return Address(None, self.integer(base) + offset)
        if register.bits == 32:  # of shared or local memory
            wide = self.layout.slot(register, FORMATS["u32"])
            self.reads.add(register)
            return Address32(wide, offset)
        return Address(self.read(base, "u64"), offset)


@dataclass(frozen=True)
class Address32(Address):
    """An address in a register of 32 bits."""

    def of(self, frame: Frame) -> Any:
        """The addresses of all threads."""
        assert self.slot is not None
        return (frame.values[self.slot] + np.uint32(self.offset & (1 << 32) - 1)).astype(np.uint64)


def type_of(i: Instruction) -> str:
    """The type that an instruction's name ends with."""
    for modifier in reversed(i.modifiers):
        if FORMAT.fullmatch(modifier):
            return modifier
    raise PTXError(f"{i.opcode} has no type")


def types_of(i: Instruction) -> list[str]:
    """All types in an instruction's name."""
    return [modifier for modifier in i.modifiers if FORMAT.fullmatch(modifier)]


def expect(i: Instruction, *counts: int) -> None:
    """Refuse another number of operands."""
    if len(i.operands) not in counts:
        raise PTXError(f"{i.opcode} has {len(i.operands)} operands")


__all__ = ["SPECIAL", "Address", "Operands", "Step", "Symbol", "expect", "type_of", "types_of"]

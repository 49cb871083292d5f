"""A kernel, linked with what it calls: basic blocks of instructions that are ready to run."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, TypeAlias

import numpy as np

from weft.dialect.records import dataclass

from . import accesses, arithmetic, bits, collectives, conversions, mbarriers, warpgroups, warps
from .arithmetic import Maker
from .clocks import ClockWatch
from .faults import Fault, PTXError
from .frames import Frame, Layout, Register
from .memory import Array
from .operands import Operands, Step, Symbol, expect
from .order import in_running_order
from .ptx import Function, Instruction, Program, Variable, split

ENDED = -1
"""The block of threads that have ended."""

Next: TypeAlias = "int | Array"
"""The block that comes next: for all threads, or for each."""


def _nothing(i: Instruction, o: Operands) -> Step:
    """Hints."""
    return lambda frame: None


def _fence(i: Instruction, o: Operands) -> Step:
    """Fences: threads see memory in the order of instructions here, so that only the order of blocks is noted."""
    if any(modifier in ("proxy", "mbarrier_init") for modifier in i.modifiers):

        def show(frame: Frame) -> None:
            watch = frame.machine.shared_watch
            if isinstance(watch, ClockWatch):
                watch.fence(frame)

        return show
    if "cta" in i.modifiers:
        return _nothing(i, o)

    def run(frame: Frame) -> None:
        watch = frame.machine.global_watch
        if watch is not None and watch.clocks is not None:
            watch.clocks.fence(frame.place("block"))

    return run


MAKERS: dict[str, Maker] = {
    **arithmetic.MAKERS,
    **bits.MAKERS,
    **conversions.MAKERS,
    **accesses.MAKERS,
    **warps.MAKERS,
    **collectives.MAKERS,
    **mbarriers.MAKERS,
    **warpgroups.MAKERS,
    "membar": _fence,
    "fence": _fence,
    "nanosleep": _nothing,
    "griddepcontrol": _nothing,
    "pmevent": _nothing,
}
"""Instructions that do not change where a thread goes on."""

_ENDS = ("bra", "brx", "ret", "exit", "call", "bar", "barrier", "trap", "brkpt")


class Block:
    """Instructions that run one after the other."""

    def __init__(self) -> None:
        self.instructions: list[Instruction] = []
        self.end: Instruction | None = None
        self.steps: list[Step] = []
        self.reads: set[Register] = set()
        """Registers that are needed when it begins."""
        self.fresh: set[Register] = set()
        """Those that it writes before it reads them."""
        self.writes: set[Register] = set()
        self.next: Callable[[Frame], Next] = lambda frame: ENDED
        self.polls = False
        """Whether it reads what other threads may be about to write."""
        self.meets = False
        """Whether threads of a warp wait in it for each other."""
        self.barrier: Barrier | None = None
        """Where all threads of a block wait for each other at its end."""


@dataclass(frozen=True)
class Barrier:
    """A barrier of the threads of a block."""

    number: int
    threads: int
    """How many take part; 0: all."""
    waits: bool
    text: str


@dataclass(frozen=True)
class Beginning:
    """What a launch begins with, and a later one of the same grid may begin with again."""

    places: dict[str, Array]
    """Where its threads are."""
    values: list[Any]
    """The slots of their frame."""
    bases: dict[int, Array]
    """The registers that these show."""


@dataclass
class Kernel:
    """A kernel that can be launched."""

    name: str
    layout: Layout
    blocks: list[Block]
    parameters: tuple[tuple[int, int], ...]
    """The offset and the size of each in bytes."""
    shared_size: int
    """Bytes of shared memory that it declares."""
    local_size: int
    max_threads: int
    registers: int
    """How many registers of 32 bits a thread would need, if none were used twice; 255 at most."""
    granules: dict[str, int]
    """The smallest access of each space, in bytes."""
    synchronises: bool
    """Whether blocks wait for each other, by fences and what they read."""
    has_mbarriers: bool
    """Whether warps wait for each other by other means than barriers of the block."""
    recursive: Mapping[int, list[Register]]
    """For the entries of functions that call themselves, the registers that a call keeps."""
    beginnings: dict[tuple[Any, int], Beginning] = field(default_factory=dict)
    """That of its last launch, by the grid: one, or none while that runs."""


class Linker:
    """Puts a kernel and the functions that it calls together."""

    def __init__(self, program: Program, symbols: Mapping[str, Symbol]) -> None:
        self.program = program
        self.symbols = dict(symbols)
        self.layout = Layout()
        self.blocks: list[Block] = []
        self.entries: dict[str, int] = {}
        self.shared_size = 0
        self.local_size = 0
        self._calls: list[tuple[Function, int, Instruction]] = []

    def link(self, name: str) -> Kernel:
        """The kernel of a name, ready to run; PTXError with the line of an instruction that is not known."""
        function = self.program.functions[name]
        functions = self._called_by(function)
        self._place_variables(functions)
        labels = {f.name: self._split(f) for f in functions}
        for f, (own, first, last) in zip(functions, labels.values(), strict=True):
            operands = Operands(self.layout, f, self.symbols)
            for index in range(first, last):
                self._make(self.blocks[index], index, own, f, operands)
        for caller, index, i in self._calls:
            self._pass_arguments(caller, index, i)
        used = [i for f in functions for i in f.body if isinstance(i, Instruction)]
        return Kernel(
            name,
            self.layout,
            self.blocks,
            tuple((parameter.offset, parameter.size) for parameter in function.parameters),
            self.shared_size,
            -(-self.local_size // 16) * 16,
            function.max_threads or 1024,
            min(
                255,
                sum(
                    -(-register.bits // 32)
                    for register in self.layout.registers.values()
                    if register.bits > 1
                ),
            ),
            _granules(used),
            any(_is_fence_of_blocks(i) or accesses.orders(i) for i in used),
            any(i.opcode == "mbarrier" for i in used),
            self._recursive_entries(functions),
        )

    def _recursive_entries(self, functions: list[Function]) -> dict[int, list[Register]]:
        names = _recursive(functions)
        results = {f"{f.name}:[{r.name}+" for f in functions if f.name in names for r in f.results}
        for f in functions:
            if f.name in names and any(variable.space == "local" for variable in f.variables):
                raise PTXError(f"{f.name} calls itself and has local memory, which is not known")
        kept = [
            register
            for name, register in self.layout.registers.items()
            if name.partition(":")[0] in names and not any(name.startswith(prefix) for prefix in results)
        ]
        return {self.entries[name]: kept for name in names}

    def _called_by(self, function: Function) -> list[Function]:
        """A function, and all that it calls."""
        found = [function]
        for f in found:
            for name in _calls_of(f):
                called = self.program.functions.get(name)
                if called is None:
                    raise PTXError(f"the function {name} is called, and not defined")
                if called not in found:
                    found.append(called)
        return found

    def _place_variables(self, functions: list[Function]) -> None:
        """Give shared and local variables their addresses."""
        text = "\n".join(i.text for f in functions for i in f.body if isinstance(i, Instruction))
        words = set(re.findall(r"[\w$%#]+", text))
        inner = [variable for f in functions for variable in f.variables]
        dynamic: list[Variable] = []
        for variable in (*self.program.variables, *inner):
            if variable.space == "shared" and variable.name in words:
                if variable.is_extern:
                    dynamic.append(variable)
                else:
                    self.shared_size = self._place(variable, self.shared_size)
            elif variable.space == "local":
                self.local_size = self._place(variable, self.local_size)
        if dynamic:
            alignment = max(16, *(variable.alignment for variable in dynamic))
            self.shared_size = -(-self.shared_size // alignment) * alignment
        for variable in dynamic:
            self.symbols[variable.name] = Symbol("shared", self.shared_size, 0)

    def _place(self, variable: Variable, size: int) -> int:
        start = -(-size // variable.alignment) * variable.alignment
        self.symbols[variable.name] = Symbol(variable.space, start, variable.size)
        return start + variable.size

    def _split(self, f: Function) -> tuple[dict[str, int], int, int]:
        """Cut a function into blocks: the blocks of its labels, its first block, and where the next function begins."""
        first = self.entries[f.name] = len(self.blocks)
        labels: dict[str, int] = {}
        self.blocks.append(Block())
        for item in in_running_order(f):
            block = self.blocks[-1]
            if isinstance(item, str):
                if block.instructions:
                    self.blocks.append(Block())
                labels[item] = len(self.blocks) - 1
            elif item.opcode not in _ENDS or _is_of_warp(item):
                block.instructions.append(item)
            elif item.guard and item.opcode != "bra":  # a block of its own, which the others jump over
                block.end = Instruction(item.line, item.text, "skip", (), (), item.guard, item.negated)
                self.blocks += [Block(), Block()]
                self.blocks[-2].end = item
            else:
                block.end = item
                self.blocks.append(Block())
        return labels, first, len(self.blocks)

    def _make(self, block: Block, index: int, labels: dict[str, int], f: Function, o: Operands) -> None:
        for i in block.instructions:
            o.reads, o.writes = set(), set()
            try:
                step = _step(i, o)
            except PTXError as error:
                raise PTXError(f"line {i.line}: {i.text}: {error}") from None
            except (KeyError, ValueError, IndexError) as error:
                raise PTXError(f"line {i.line}: {i.text}: not known ({error})") from None
            _account(block, o.reads, o.writes)
            block.steps.append(step)
            block.polls |= accesses.polls(i)
            block.meets |= "sync" in i.modifiers and i.opcode not in ("bar", "barrier")
        i_end = block.end
        o.reads, o.writes = set(), set()
        if i_end is None:
            block.next = lambda frame: index + 1
        else:
            try:
                self._end(block, index, i_end, labels, f, o)
            except (PTXError, KeyError) as error:
                raise PTXError(f"line {i_end.line}: {i_end.text}: {error}") from None
        _account(block, o.reads, o.writes)

    def _end(
        self, block: Block, index: int, i: Instruction, labels: dict[str, int], f: Function, o: Operands
    ) -> None:
        """What comes after a block."""
        following = index + 1
        if i.opcode == "bra":
            target = labels[i.operands[-1]]
            block.next = _branch(i, target, following, o) if i.guard else lambda frame: target
        elif i.opcode == "skip":
            block.next = _branch(i, following, following + 1, o)
        elif i.opcode == "brx":
            block.next = _indexed(i, [labels[name] for name in f.tables[i.operands[1]]], o)
        elif i.opcode in ("exit", "ret"):
            block.next = (lambda frame: ENDED) if i.opcode == "exit" or f.is_kernel else return_from_call
        elif i.opcode == "call":
            self._calls.append((f, index, i))
        elif i.opcode in ("trap", "brkpt"):
            block.next = _trap(i)
        else:
            block.barrier = _barrier(i, o)
            block.next = lambda frame: following

    def _pass_arguments(self, caller: Function, index: int, i: Instruction) -> None:
        """Let a call copy its arguments, and the block after it the results."""
        results, name, arguments = call_parts(i)
        callee = self.program.functions[name]
        entry, following = self.entries[name], index + 1
        block, after = self.blocks[index], self.blocks[following]
        moves = [
            (callee.name, formal.name, caller.name, actual)
            for formal, actual in zip(callee.parameters, arguments, strict=True)
        ]
        steps = []
        for step, target, source in self._moves(moves, i):
            _account(block, {source}, {target})
            steps.append(step)
        moves = [
            (caller.name, actual, callee.name, formal.name)
            for formal, actual in zip(callee.results, results, strict=True)
        ]
        for step, target, source in self._moves(moves, i):
            after.steps.insert(0, step)
            after.reads.add(source)
            after.reads.discard(target)
            after.fresh.add(target)
            after.writes.add(target)

        def go(frame: Frame) -> Next:
            machine: Any = frame.machine
            machine.push(frame, entry, following)
            for step in steps:
                step(frame)
            return entry

        block.next = go

    def _moves(
        self, pairs: list[tuple[str, str, str, str]], i: Instruction
    ) -> list[tuple[Step, Register, Register]]:
        """Copies of all parts of parameters."""
        registers = self.layout.registers
        found = []
        for function, name, other, source_name in pairs:
            prefix = f"{function}:[{name}+"
            for target in [register for key, register in registers.items() if key.startswith(prefix)]:
                source = registers.get(f"{other}:[{source_name}+{target.name.removeprefix(prefix)}")
                if source is None or source.bits != target.bits:
                    raise PTXError(
                        f"line {i.line}: {i.text}: the parts of {name} are not those that are passed"
                    )
                found.append((_move(target, source), target, source))
        return found


def _move(target: Register, source: Register) -> Step:
    def run(frame: Frame) -> None:
        frame.bases[target.index][...] = frame.bases[source.index]

    return run


def _account(block: Block, reads: set[Register], writes: set[Register]) -> None:
    """Note what an instruction uses."""
    block.reads |= reads - block.fresh
    block.fresh |= writes - block.reads
    block.writes |= writes


def _step(i: Instruction, o: Operands) -> Step:
    """An instruction that is ready to run."""
    if i.opcode not in MAKERS:
        raise PTXError("the instruction is not known")
    step = MAKERS[i.opcode](i, o)
    if not i.guard:
        return step
    touched, written = o.reads | o.writes, set(o.writes)
    o.reads |= written  # threads that do not run it keep what they had
    p, negated = o.read(i.guard, "pred"), i.negated

    def guarded(frame: Frame) -> None:
        condition = frame.values[p]
        positions = (~condition if negated else condition).nonzero()[0]
        if positions.size == frame.count:
            step(frame)
        elif positions.size:
            part = frame.narrow(positions, touched)
            step(part)
            part.give_back(written)

    return guarded


def _branch(i: Instruction, target: int, following: int, o: Operands) -> Callable[[Frame], Next]:
    p = o.read(i.guard, "pred")
    taken, other = (following, target) if i.negated else (target, following)

    def choose(frame: Frame) -> Next:
        condition = frame.values[p]
        count = np.count_nonzero(condition)
        if count == condition.size:
            return taken
        return np.where(condition, taken, other) if count else other

    return choose


def _indexed(i: Instruction, targets: list[int], o: Operands) -> Callable[[Frame], Next]:
    expect(i, 2)
    a = o.read(i.operands[0], "u32")
    table = np.array(targets)

    def choose(frame: Frame) -> Next:
        index = frame.values[a]
        if int(index.max()) >= len(targets):
            raise Fault(f"{i.text}: no such target: {frame.who(index >= len(targets))}")
        found: Array = np.broadcast_to(table[index], (frame.count,))
        return found

    return choose


def _trap(i: Instruction) -> Callable[[Frame], Next]:
    def stop(frame: Frame) -> Next:
        raise Fault(f"{i.text}: {frame.who(True)}", "CUDA_ERROR_ILLEGAL_INSTRUCTION")

    return stop


def _is_of_warp(i: Instruction) -> bool:
    return i.opcode in ("bar", "barrier") and bool({"warp", "cluster"} & set(i.modifiers))


def _barrier(i: Instruction, o: Operands) -> Barrier:
    if not {"sync", "arrive"} & set(i.modifiers) or any(o.is_register(operand) for operand in i.operands):
        raise PTXError("this barrier is not known")
    numbers = [o.integer(operand) for operand in i.operands]
    return Barrier(numbers[0], numbers[1] if len(numbers) > 1 else 0, "sync" in i.modifiers, i.text)


def call_parts(i: Instruction) -> tuple[list[str], str, list[str]]:
    """The results, the function and the arguments of a call."""
    groups = [list(split(operand[1:-1].strip())) if operand[0] == "(" else operand for operand in i.operands]
    results = groups.pop(0) if isinstance(groups[0], list) else []
    name = groups.pop(0) if groups else ""
    arguments = groups.pop(0) if groups and isinstance(groups[0], list) else []
    if (
        not isinstance(name, str)
        or not isinstance(results, list)
        or not isinstance(arguments, list)
        or "%" in name
    ):
        raise PTXError(f"line {i.line}: {i.text}: this call is not known")
    return results, name, arguments


def _calls_of(f: Function) -> list[str]:
    return [call_parts(i)[1] for i in f.body if isinstance(i, Instruction) and i.opcode == "call"]


def _recursive(functions: list[Function]) -> set[str]:
    """The functions that can call themselves."""
    called = {f.name: set(_calls_of(f)) for f in functions}
    found = set()
    for name in called:
        reached: set[str] = set()
        pending = list(called[name])
        while pending:
            other = pending.pop()
            if other not in reached:
                reached.add(other)
                pending += called[other]
        if name in reached:
            found.add(name)
    return found


def _is_fence_of_blocks(i: Instruction) -> bool:
    return i.opcode == "membar" or (i.opcode == "fence" and not {"proxy", "mbarrier_init"} & set(i.modifiers))


def _granules(instructions: list[Instruction]) -> dict[str, int]:
    """The smallest access of shared and of device memory."""
    found = {"shared": 16 if any("bulk" in i.modifiers for i in instructions) else 8, "global": 8}
    for i in instructions:
        if i.opcode not in ("ld", "st", "atom", "red", "ldu", "cp") or "bulk" in i.modifiers:
            continue
        sizes = [int(size) // 8 for m in i.modifiers for size in re.findall(r"^[busf](\d+)", m)]
        size = min([*sizes, 8 if i.opcode != "cp" else 4])
        space = accesses.space_of(i)
        for name in ("shared", "global") if space == "generic" or i.opcode == "cp" else (space,):
            if name in found:
                found[name] = min(found[name], max(size, 1))
    return found


def return_from_call(frame: Frame) -> Next:
    """Threads go back to where they came from."""
    machine: Any = frame.machine
    back: Next = machine.pop(frame)
    return back


__all__ = ["ENDED", "Barrier", "Block", "Kernel", "Linker", "Next"]

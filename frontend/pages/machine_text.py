"""Machine code as text, cut into its functions: the lines of each with their places, and what a processor will see.

What is told of a function is read off LLVM's own comments (what is spilled, where loops begin) and off its instructions
(how wide its vectors are, what an iteration of an innermost loop reads and writes).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field

from ...backend.cpu.machine.throughput import Throughput
from ...backend.gpu.machine.assembler import Resources
from ...dialect.records import dataclass
from .linked_text import Line, Place, joined_path


@dataclass
class Loop:
    """An innermost loop of a function."""

    label: str
    first: int
    """The line of its label."""
    instructions: int = 0
    read: int = 0
    """Bytes that an iteration reads."""
    written: int = 0
    vector_bits: int = 0
    code: list[str] = field(default_factory=list)
    """Its instructions, with the labels between them."""
    throughput: Throughput | None = None
    """What a model of the processor says, where there is one."""


@dataclass
class MachineFunction:
    """A function in assembly."""

    name: str
    lines: list[Line] = field(default_factory=list)
    instructions: int = 0
    vector_bits: int = 0
    """The widest vectors that it computes with; 0 where it does not."""
    spills: int = 0
    reloads: int = 0
    loops: list[Loop] = field(default_factory=list)
    resources: Resources | None = None
    """What a kernel of a GPU takes, where there is an assembler to tell."""


FILE = re.compile(r'\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?')
LOC = re.compile(r"\.loc\s+(\d+)\s+(\d+)")
_LABEL = re.compile(r'^("[^"]+"|[A-Za-z_.$][\w.$@]*):')
_TEMPORARY = re.compile(r"^\.?L(func|tmp|pcsection|debug|line|cfi|exception|info)|^\.?L\d+\$pb")
_CODE = re.compile(r"\.section\s+\S*text|\.text\b")
_COMMENT = re.compile(r"\s*(?:#|//|;)\s(.*)$|\s+(?:#|//)\s*$")
_LOOP = re.compile(r"=>\s*This (Inner )?Loop Header")
_IN_LOOP = re.compile(r"in Loop: Header=(\S+)")
_BLOCK = re.compile(r"^(?:#|//|;)\s+%bb\.")


def file_named(match: re.Match[str]) -> str:
    """The path of a `.file` directive."""
    return joined_path(
        match[2] if match[3] is not None else "", match[3] if match[3] is not None else match[2]
    )


def functions_of(text: str) -> list[MachineFunction]:
    """The functions of assembly with comments, in its order."""
    return _Reader().read(text)


class _Reader:
    """Reads assembly line by line."""

    def __init__(self) -> None:
        self._files: dict[str, str] = {}
        self._found: list[MachineFunction] = []
        self._places: tuple[Place, ...] = ()
        self._loops: dict[str, Loop] = {}
        self._loop: Loop | None = None
        self._is_code = False

    def read(self, text: str) -> list[MachineFunction]:
        for line in text.splitlines():
            stripped = line.strip()
            label = _LABEL.match(line)
            if stripped.startswith(".") and not label:
                self._directive(stripped)
            elif self._is_code and (label or _BLOCK.match(line)):
                self._block(line, label[1].strip('"') if label else "")
            elif self._is_code and stripped.startswith(("#", "//", ";")):
                self._note_loop(stripped)
            elif self._is_code and stripped and self._found:
                self._instruction(line)
        for function in self._found:
            function.loops = [loop for loop in function.loops if loop.instructions]
        return [function for function in self._found if function.instructions]

    def _directive(self, text: str) -> None:
        if _CODE.match(text):
            self._is_code = True
        elif text.startswith((".section", ".data", ".bss")):
            self._is_code = False
        elif match := FILE.match(text):
            self._files[match[1]] = file_named(match)
        elif match := LOC.match(text):
            file, line = self._files.get(match[1], ""), int(match[2])
            # Line 0 is what belongs to several lines, or to none.
            self._places = ((file, line),) if line and file not in ("", "-", "<unknown>") else ()

    def _block(self, line: str, label: str) -> None:
        """A label, or the comment that stands for one."""
        if label and _TEMPORARY.match(label):
            return  # of debug information, in the middle of a block
        self._loop = None
        comment = _comment(line)
        if label and not label.startswith((".L", "L", "$")):
            self._found.append(MachineFunction(label))
            self._places, self._loops = (), {}
            self._found[-1].lines.append(Line(f"{label}:"))
            return
        if not self._found:
            return
        if label:
            self._found[-1].lines.append(Line(f"{label}:"))
        self._label = label
        self._note_loop(comment)

    def _note_loop(self, comment: str) -> None:
        """What a comment says of the block that begins: it is the header of a loop, or in one."""
        if not self._found:
            return
        if (match := _LOOP.search(comment)) and match[1]:
            loop = Loop(self._label, len(self._found[-1].lines) - 1)
            self._loops[self._label.lstrip(".L")] = self._loop = loop
            self._found[-1].loops.append(loop)
        elif match := _IN_LOOP.search(comment):
            self._loop = self._loops.get(match[1])

    _label = ""

    def _instruction(self, line: str) -> None:
        comment = _comment(line)
        text = _COMMENT.sub("", line.expandtabs(8)).rstrip()
        name, _, operands = text.strip().partition(" ")
        function = self._found[-1]
        function.lines.append(Line(f"    {name:<11} {operands.strip()}".rstrip(), self._places))
        function.instructions += 1
        function.spills += "Spill" in comment
        function.reloads += "Reload" in comment
        bits = vector_bits(name, operands)
        function.vector_bits = max(function.vector_bits, bits)
        if self._loop is not None:
            read, written = moved_bytes(name, operands)
            self._loop.instructions += 1
            self._loop.code.append(text)
            self._loop.read += read
            self._loop.written += written
            self._loop.vector_bits = max(self._loop.vector_bits, bits)


def _comment(line: str) -> str:
    match = _COMMENT.search(line)
    return (match[1] or "") if match else ""


_ONE_ELEMENT = re.compile(
    r"(?:[^p]|^)s[sdh]$|^v?(?:mov[dq]|movs[sd]|movsh|cvt\w*2s[ids]l?|cvtt?s[sdh]2\w+|u?comis[sdh]|p?extr\w*|p?insr\w*)$"
)
_WIDTHS = {"zmm": 512, "ymm": 256, "xmm": 128}


def vector_bits(name: str, operands: str) -> int:
    """How many bits of vectors an instruction computes with; 0 for one that takes single numbers.

    >>> vector_bits("vaddps", "%ymm1, %ymm1, %ymm0"), vector_bits("vaddss", "%xmm1, %xmm1, %xmm0")
    (256, 0)
    >>> vector_bits("fmla", "v0.4s, v1.4s, v2.4s"), vector_bits("fadd", "d0, d1, d2")
    (128, 0)
    """
    if registers := re.findall(r"%([xyz]mm)\d", operands):
        widest = max(_WIDTHS[register] for register in registers)
        return 0 if widest == 128 and (_ONE_ELEMENT.search(name) or _zeroes(name, operands)) else widest
    return 128 if re.search(r"\bv\d+\.\d+[bhsd]\b|\bq\d+\b", operands) else 0


def _zeroes(name: str, operands: str) -> bool:
    """Whether an instruction makes a register zero, as before conversions."""
    registers = set(re.findall(r"%[xyz]mm\d+", operands))
    return name.startswith(("vxorp", "xorp", "vpxor", "pxor")) and len(registers) == 1


_MEMORY = re.compile(r"(?:[\w.$@+-]*)\([^)]*\)")
_BROADCAST = re.compile(r"\{1to\d+\}")
_GENERAL = {"b": 1, "w": 2, "l": 4, "q": 8}
_NO_ACCESS = ("lea", "nop", "prefetch", "j", "call")


def moved_bytes(name: str, operands: str) -> tuple[int, int]:
    """How many bytes an instruction reads from memory and writes there.

    >>> moved_bytes("vmovups", "32(%rdi,%rax,4), %ymm1"), moved_bytes("vmovsd", "%xmm0, (%rsi)")
    ((32, 0), (0, 8))
    >>> moved_bytes("ldp", "q0, q1, [x8]"), moved_bytes("str", "d0, [x8]"), moved_bytes("leaq", "8(%rax), %rcx")
    ((32, 0), (0, 8), (0, 0))
    """
    if "[" in operands and "%" not in operands:
        return _moved_by_arm(name, operands)
    memory = _MEMORY.search(operands)
    if memory is None or "%" not in memory[0] or name.startswith(_NO_ACCESS):
        return 0, 0
    width = _width(name, operands)
    is_last = re.sub(r"\s*\{[^}]*\}", "", operands).rstrip().endswith(memory[0])
    if not is_last or name.startswith(("cmp", "test", "vucomis", "ucomis", "vcomis", "comis", "push")):
        return width, 0
    only = operands.strip() == memory[0]
    is_store = "mov" in name or name.startswith(
        ("vextract", "vpextr", "vcvtps2ph", "set", "vpcompress", "pop")
    )
    if is_store or name.startswith("vpmov"):
        return 0, width
    if only and name.startswith(("div", "idiv", "mul", "imul")):
        return width, 0
    return width, width


def _width(name: str, operands: str) -> int:
    """The bytes of the operand in memory of an instruction of x86-64."""
    registers = re.findall(r"%([xyz]mm)\d", operands)
    ending = name[-2:]
    scalar = {"ss": 4, "sd": 8, "sh": 2}.get(ending)
    if "broadcast" in name or _BROADCAST.search(operands):
        return {"ss": 4, "sd": 8, "ps": 4, "pd": 8}.get(ending) or _GENERAL.get(_sized(name), 4)
    if registers:
        if scalar:
            return scalar
        if re.fullmatch(r"v?mov[dq]", name):
            return 4 if name.endswith("d") else 8
        return max(_WIDTHS[register] for register in registers) // 8
    if match := re.fullmatch(r"mov[sz]([bwl])[wlq]", name):
        return _GENERAL[match[1]]
    if name.startswith("set"):
        return 1
    return _GENERAL.get(name[-1], 8)


def _sized(name: str) -> str:
    return {"b": "b", "w": "w", "d": "l", "q": "q"}.get(name[-1], "")


def _moved_by_arm(name: str, operands: str) -> tuple[int, int]:
    sizes = {"q": 16, "d": 8, "s": 4, "h": 2, "b": 1, "x": 8, "w": 4}
    registers = operands.partition("[")[0]
    if match := re.search(r"v\d+\.", registers):
        each = re.findall(r"v\d+\.(\d*)([bhsd])", registers)
        total = sum(sizes[kind] * int(count or 1) for count, kind in each)
    else:
        match = re.match(r"\s*([qdshbxw])(?:\d|zr)", registers)
        if match is None:
            return 0, 0
        unit = {"b": 1, "h": 2}.get(name[-1]) if re.fullmatch(r"(ld|st)u?rs?[bh]", name) else None
        if name in ("ldrsw", "ldursw"):
            unit = 4
        total = (unit or sizes[match[1]]) * (2 if name in ("ldp", "stp", "ldnp", "stnp") else 1)
    if name.startswith("ld"):
        return total, 0
    return (0, total) if name.startswith("st") else (0, 0)


def in_order(functions: Sequence[MachineFunction]) -> list[MachineFunction]:
    """The kernels of a program first, then what calls them, then weft's own functions."""
    return sorted(functions, key=lambda function: _rank(function.name))


def is_of_program(function: MachineFunction) -> bool:
    """Whether a function is not one of weft's own, which are alike in all programs."""
    return _rank(function.name) < 3


def _rank(name: str) -> int:
    if name.startswith("kernel_"):
        return 0
    return 3 if name.startswith(("weft_", "_weft", "numpy_")) else 2 if name.endswith("_entry") else 1

"""Code of GPUs as text, PTX or instructions, cut into its kernels, with what each of them takes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...backend.gpu.machine.assembler import PACKAGES, Resources, assemble, find_assembler, find_tool, missing
from .linked_text import Line, Place
from .machine_text import FILE, LOC, MachineFunction, file_named

_ENTRY = re.compile(r"^\s*(?:\.visible\s+|\.weak\s+)*\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)")
_SASS = re.compile(r"^\s*\.text\.([\w$]+):")
_SASS_LINE = re.compile(r'^\s*//## File "([^"]*)", line (\d+)(.*)')
_NO_CODE = re.compile(
    r"\s*\.(?:file|section|b8|b32|b64|align|global|type|size|other|sectioninfo|sectionflags)\b"
    r"|\$L__(?:tmp|func_begin|func_end|debug|info|line)|\s*//"
)
_INSTRUCTION = re.compile(r"^\t(@\S+[ \t]+)?([a-z][\w.:]*);?[ \t]*")


def device_functions_of(text: str) -> list[MachineFunction]:
    """The kernels of PTX, or of instructions of a GPU."""
    found: list[MachineFunction] = []
    files = {match[1]: file_named(match) for match in FILE.finditer(text)}  # PTX tells them at its end
    places: tuple[Place, ...] = ()
    for line in text.splitlines():
        if match := LOC.search(line):
            places = _places(files.get(match[1], ""), int(match[2]))
        elif match := _SASS_LINE.match(line):
            places = _places(match[1], int(match[2]))
        elif name := _ENTRY.match(line) or _SASS.match(line):
            found.append(MachineFunction(name[1], [Line(line.expandtabs(4).rstrip())]))
            places = ()
        elif line.startswith("}") and found:
            found[-1].lines.append(Line("}"))
            places = ()
        elif found and line.strip() and not _NO_CODE.match(line):
            _add(found[-1], line, places)
    return found


def _add(function: MachineFunction, line: str, places: tuple[Place, ...]) -> None:
    aligned = _INSTRUCTION.sub(lambda m: f"    {(m[1] or '').strip():<6}{m[2]:<18} ", line)
    aligned = _ADDRESSED.sub(lambda m: f"  {m[1]}  {m[2] or '':<6}{m[3]}", aligned)
    is_instruction = aligned != line
    function.lines.append(Line(aligned.expandtabs(4).rstrip(), places if is_instruction else ()))
    function.instructions += is_instruction


def _places(file: str, line: int) -> tuple[Place, ...]:
    return ((file, line),) if line and file not in ("", "-", "<unknown>") else ()


_ADDRESSED = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s*(@\S+)?\s*(.*)")
"""An instruction of a GPU, and its address."""

_MODULE = re.compile(r"^\.version\b", re.MULTILINE)
_TARGET = re.compile(r"^\.target\s+(\w+)", re.MULTILINE)


def resources_of(ptx: str) -> dict[str, Resources]:
    """What each kernel of PTX takes, which may have several modules; empty where there is no assembler."""
    found: dict[str, Resources] = {}
    if find_assembler() is None:
        return found
    starts = [match.start() for match in _MODULE.finditer(ptx)]
    for start, end in zip(starts, [*starts[1:], len(ptx)], strict=True):
        module = ptx[start:end]
        target = _TARGET.search(module)
        if target is not None:
            found |= assemble(module, target[1]).kernels
    return found


def with_resources(functions: list[MachineFunction], takes: Mapping[str, Resources]) -> list[MachineFunction]:
    """Kernels with what they take, in the order of the program."""
    for function in functions:
        function.resources = takes.get(function.name)
    order = list(takes)
    return sorted(functions, key=lambda one: order.index(one.name) if one.name in takes else len(order))


def missing_tools(stage: str) -> list[str]:
    """What there would be to see of a stage with tools that are not on this machine."""
    gone = [name for name in PACKAGES if find_tool(name) is None]
    if stage == "ptx":
        return [f"{missing(name)} shows registers and spills" for name in gone if name == "ptxas"]
    return [f"{missing(name)} shows the instructions of the GPU" for name in gone]

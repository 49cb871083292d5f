"""PTX text, read: a module's variables and functions, and the instructions of their bodies."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from weft.dialect.records import dataclass, replace

from .faults import PTXError


@dataclass(frozen=True)
class Instruction:
    """An instruction as it stands in the text."""

    line: int
    text: str
    opcode: str
    modifiers: tuple[str, ...]
    operands: tuple[str, ...]
    guard: str = ""
    """The predicate under which it runs, or nothing."""
    negated: bool = False


@dataclass(frozen=True)
class Variable:
    """Memory that a module or a function declares."""

    name: str
    space: str
    size: int
    alignment: int
    initial: bytes = b""
    is_extern: bool = False


@dataclass(frozen=True)
class Parameter:
    """What a kernel or a function takes or returns."""

    name: str
    size: int
    offset: int
    """Where it lies among the parameters, in bytes."""


@dataclass
class Function:
    """A kernel (`.entry`) or a device function (`.func`)."""

    name: str
    is_kernel: bool
    parameters: tuple[Parameter, ...]
    results: tuple[Parameter, ...]
    registers: dict[str, int]
    """The width of each register in bits; 1 for predicates."""
    variables: list[Variable]
    body: list[Instruction | str]
    """Instructions, and labels."""
    tables: dict[str, tuple[str, ...]]
    """The targets of indexed branches."""
    max_threads: int | None
    """How many threads a block may have, where the text says so."""


@dataclass(frozen=True)
class Program:
    """A module."""

    version: tuple[int, int]
    target: str
    variables: tuple[Variable, ...]
    functions: dict[str, Function]

    @property
    def kernels(self) -> list[str]:
        """The names of the kernels."""
        return [name for name, function in self.functions.items() if function.is_kernel]


_BRACKETS = re.compile(r"[{\[(]")
_BYTES = {"b8": 1, "b16": 2, "b32": 4, "b64": 8, "b128": 16}
_BYTES |= {f"{kind}{8 * size}": size for kind in "usf" for size in (1, 2, 4, 8)}
_TYPE = "|".join(_BYTES)
_NAME = r"[\w$%]+"
_VARIABLE = re.compile(
    rf"(?P<extern>\.extern\s+|\.visible\s+|\.weak\s+)*\.(?P<space>shared|global|const|local)\s+"
    rf"(?:\.align\s+(?P<align>\d+)\s+)?\.(?P<type>{_TYPE})\s+(?P<name>{_NAME})"
    rf"(?P<extents>(?:\[\d*\])*)(?:\s*=\s*(?P<initial>.*))?$",
    re.DOTALL,
)
_PARAMETER = re.compile(
    rf"\.(?:param|reg)\s+(?:\.align\s+(?P<align>\d+)\s+)?\.(?P<type>{_TYPE}|pred)"
    rf"(?:\s+\.ptr(?:\s+\.(?:global|shared|const|local))?(?:\s+\.align\s+\d+)?)?"
    rf"(?:\s+\.align\s+(?P<align2>\d+))?\s+(?P<name>{_NAME})(?:\[(?P<extent>\d*)\])?$"
)
_FUNCTION = re.compile(
    rf"(?:\.visible\s+|\.extern\s+|\.weak\s+)*\.(?P<kind>entry|func)\s*"
    rf"(?:\((?P<results>[^)]*)\))?\s*(?P<name>{_NAME})\s*(?:\((?P<parameters>[^)]*)\))?(?P<directives>.*)$",
    re.DOTALL,
)
_REGISTERS = re.compile(rf"\.reg\s+\.(?P<type>{_TYPE}|pred)\s+(?P<names>.*)$", re.DOTALL)


def parse(text: str) -> Program:
    """Read a module; PTXError, with the line, for what is no PTX."""
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), text, flags=re.DOTALL)
    text = re.sub(r"//[^\n]*", "", text)
    version = re.search(r"^\s*\.version\s+(\d+)\.(\d+)", text, re.MULTILINE)
    if version is None:
        raise PTXError("line 1: the text has no .version")
    target = re.search(r"^\s*\.target\s+(\w+)", text, re.MULTILINE)
    if target is None:
        raise PTXError("line 1: the text has no .target")
    directives = r"^\s*\.(?:version|target|address_size|file|section)\b[^\n]*$"
    text = re.sub(directives, "", text, flags=re.MULTILINE)
    variables: list[Variable] = []
    functions: dict[str, Function] = {}
    for line, head, body in _declarations(text):
        if re.match(r"(?:\.\w+\s+)*\.(?:entry|func)\b", head):
            function = _function(line, head, body)
            if body is not None:
                functions[function.name] = function
        else:
            variables.append(_variable(line, head))
    numbers = (int(version[1]), int(version[2]))
    return Program(numbers, target[1], tuple(variables), functions)


def _declarations(text: str) -> Iterator[tuple[int, str, str | None]]:
    """What stands at the top: its line, its text, and the body of a function."""
    position = 0
    while match := re.compile(r"\S").search(text, position):
        start = match.start()
        line = text.count("\n", 0, start) + 1
        end = re.compile(r"[;{]").search(text, start)
        if end is None:
            raise PTXError(f"line {line}: {text[start : start + 40]!r} has no end")
        head = text[start : end.start()]
        if end[0] == "{" and not re.search(r"\.(?:entry|func)\b", head):  # values of a variable
            semicolon = text.find(";", end.start())
            yield line, text[start:semicolon].strip(), None
            position = semicolon + 1
        elif end[0] == "{":
            close = _matching(text, end.start(), line)
            yield text.count("\n", 0, end.start()) + 1, head.strip(), text[end.end() : close]
            position = close + 1
        else:
            yield line, head.strip(), None
            position = end.end()


def _matching(text: str, start: int, line: int) -> int:
    """Where the brace at `start` is closed."""
    depth = 0
    for match in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if match[0] == "{" else -1
        if not depth:
            return match.start()
    raise PTXError(f"line {line}: a brace is not closed")


def _variable(line: int, text: str) -> Variable:
    match = _VARIABLE.match(text)
    if match is None:
        raise PTXError(f"line {line}: unknown declaration {_short(text)!r}")
    size = _BYTES[match["type"]]
    extents = [int(extent or 0) for extent in re.findall(r"\[(\d*)\]", match["extents"])]
    total = size
    for extent in extents:
        total *= extent
    initial = _initial(line, match["type"], match["initial"], total) if match["initial"] else b""
    is_extern = ".extern" in text.split(match["name"])[0]
    return Variable(match["name"], match["space"], total, int(match["align"] or size), initial, is_extern)


def _initial(line: int, kind: str, text: str, total: int) -> bytes:
    """The bytes that a variable begins with; what is not given is zero."""
    size = _BYTES[kind]
    data = b""
    for word in re.split(r"[,\s]+", text.replace("{", " ").replace("}", " ").strip()):
        try:
            value = number(word)
        except ValueError:
            raise PTXError(f"line {line}: {word!r} is no number") from None
        if isinstance(value, float):
            data += struct.pack("<f" if size == 4 else "<d", value)
        else:
            data += (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
    return data.ljust(total, b"\0")


def number(text: str) -> int | float:
    """A number as PTX writes it; ValueError for anything else.

    >>> number("0f3F800000"), number("0x10"), number("-3"), number("0d4000000000000000")
    (1.0, 16, -3, 2.0)
    """
    if text[:2] in ("0f", "0F"):
        return float(struct.unpack("<f", int(text[2:], 16).to_bytes(4, "little"))[0])
    if text[:2] in ("0d", "0D"):
        return float(struct.unpack("<d", int(text[2:], 16).to_bytes(8, "little"))[0])
    digits = text[:-1] if text[-1:] in ("U", "u") else text
    sign = -1 if digits.startswith("-") else 1
    digits = digits.removeprefix("-")
    if re.fullmatch(r"0[0-7]+", digits):
        return sign * int(digits, 8)
    if re.fullmatch(r"\d+\.\d*(?:[eE][-+]?\d+)?", digits):
        return sign * float(digits)
    return sign * int(digits, 0)


def _function(line: int, head: str, body: str | None) -> Function:
    match = _FUNCTION.match(head)
    if match is None:
        raise PTXError(f"line {line}: unknown declaration {_short(head)!r}")
    threads = re.search(r"\.(?:maxntid|reqntid)\s+(\d+(?:\s*,\s*\d+)*)", match["directives"])
    limit = None
    if threads is not None:
        limit = 1
        for extent in threads[1].split(","):
            limit *= int(extent)
    function = Function(
        match["name"],
        match["kind"] == "entry",
        _parameters(line, match["parameters"]),
        _parameters(line, match["results"]),
        {},
        [],
        [],
        {},
        limit,
    )
    if body is not None:
        _Body(function, line).read(body)
    return function


def _parameters(line: int, text: str | None) -> tuple[Parameter, ...]:
    offset = 0
    found = []
    for part in split(text or ""):
        match = _PARAMETER.match(part)
        if match is None:
            raise PTXError(f"line {line}: unknown parameter {_short(part)!r}")
        size = _BYTES.get(match["type"], 1)
        alignment = int(match["align"] or match["align2"] or size)
        total = size * int(match["extent"] or 1)
        offset = -(-offset // alignment) * alignment
        found.append(Parameter(match["name"], total, offset))
        offset += total
    return tuple(found)


def split(text: str) -> list[str]:
    """Operands between commas; those in brackets stay together.

    >>> split("{%r1, %r2}, [%rd1+8], 7")
    ['{%r1, %r2}', '[%rd1+8]', '7']
    """
    if not _BRACKETS.search(text):
        return [part.strip() for part in text.split(",")] if text.strip() else []
    parts, depth, current = [], 0, ""
    for character in text:
        depth += (character in "{[(") - (character in "}])")
        if character == "," and not depth:
            parts.append(current.strip())
            current = ""
        else:
            current += character
    if current.strip():
        parts.append(current.strip())
    return parts


class _Body:
    """Reads the body of a function: statements, labels, and scopes with registers of their own."""

    def __init__(self, function: Function, line: int) -> None:
        self.function = function
        self.first_line = line
        self.scopes: list[dict[str, str]] = [{}]
        self.starts: list[tuple[int, int]] = []
        """Where in the body the scopes begin that are open, and their numbers."""
        self.opened = 0

    def read(self, text: str) -> None:
        start = position = counted = 0
        line = self.first_line
        mark = re.compile(r"[;{}:]")
        while match := mark.search(text, position):
            statement = text[start : match.start()].strip()
            line += text.count("\n", counted, match.start())
            counted = match.start()
            position = match.end()
            if match[0] == ":":
                if not re.fullmatch(_NAME, statement) or text[position : position + 1] == ":":
                    position += text[position : position + 1] == ":"
                    continue
                self.function.body.append(statement)
            elif match[0] == "{" and statement:  # a vector
                position = _matching(text, match.start(), line) + 1
                continue
            elif match[0] == "{":
                self.opened += 1
                self.scopes.append({})
                self.starts.append((len(self.function.body), self.opened))
            elif match[0] == "}":
                self.scopes.pop()
                self.close(*self.starts.pop())
            elif statement:
                self.statement(line, " ".join(statement.split()))
            start = position
        if text[start:].strip():
            raise PTXError(f"line {self.first_line}: {_short(text[start:].strip())!r} has no end")

    def close(self, start: int, number: int) -> None:
        """Give the labels of a scope, which is seen to its end, names that no other scope has."""
        body = self.function.body
        labels = {item for item in body[start:] if isinstance(item, str) and "#" not in item}
        for place in range(start, len(body)):
            item = body[place]
            if isinstance(item, str) and item in labels:
                body[place] = f"{item}#{number}"
            elif isinstance(item, Instruction) and item.opcode == "bra" and item.operands[-1] in labels:
                body[place] = replace(item, operands=(f"{item.operands[-1]}#{number}",))

    def statement(self, line: int, text: str) -> None:
        if not text.startswith("."):
            self.function.body.append(_instruction(line, self.renamed(text)))
        elif match := _REGISTERS.match(text):
            self.registers(match["type"], match["names"])
        elif text.startswith(".branchtargets"):
            label = self.function.body[-1]
            assert isinstance(label, str)
            self.function.tables[label] = tuple(split(text.removeprefix(".branchtargets")))
        elif text.startswith((".param", ".loc ", ".pragma", ".file", ".callprototype")):
            return  # what is stored in them is known by their names
        else:
            self.function.variables.append(_variable(line, text))

    def registers(self, kind: str, names: str) -> None:
        bits = 1 if kind == "pred" else 8 * _BYTES[kind]
        for name in split(names):
            many = re.fullmatch(rf"({_NAME})<(\d+)>", name)
            for one in [f"{many[1]}{number}" for number in range(int(many[2]))] if many else [name]:
                unique = one if len(self.scopes) == 1 else f"{one}#{self.opened}"
                if unique != one:
                    self.scopes[-1][one] = unique
                self.function.registers[unique] = bits

    def renamed(self, text: str) -> str:
        """A statement with the registers of the scopes around it."""
        for scope in self.scopes:
            for name, unique in scope.items():
                text = re.sub(rf"(?<![\w$%#]){re.escape(name)}(?![\w$#])", unique, text)
        return text


_INSTRUCTION = re.compile(r"(?:@(!?)([\w$%#]+)\s+)?([\w.:]+)\s*(.*)$")


def _instruction(line: int, text: str) -> Instruction:
    match = _INSTRUCTION.match(text)
    if match is None:
        raise PTXError(f"line {line}: {_short(text)!r} is no instruction")
    opcode, *modifiers = match[3].split(".")
    operands = tuple(split(match[4]))
    return Instruction(line, text, opcode, tuple(modifiers), operands, match[2] or "", bool(match[1]))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) < 80 else f"{text[:77]}..."


__all__ = ["Function", "Instruction", "Parameter", "Program", "Variable", "number", "parse", "split"]

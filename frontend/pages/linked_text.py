"""The text of a stage line by line, each line with the places in the user's program that it is for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from ...dialect.assembly import simplify_names
from ...dialect.mlir import Block, Location, Module, Operation, ir
from ...dialect.records import NamedTuple
from ...passes.rewriting import blocks_of

Place: TypeAlias = "tuple[str, int]"
"""A file of the user's program, and a line in it."""


class Line(NamedTuple):
    """A line of text, and where it comes from: the innermost place first, then the calls that led there."""

    text: str
    places: tuple[Place, ...] = ()


_NO_FILE = ("", "-", "<unknown>")
"""What stands for a file where there is none."""

_MARK = "@weft"
"""The file of the locations by which ops are known while they are printed."""

_NO_LETTERS = re.compile(r"[^\w.]+")

_MARKED = re.compile(rf" {_MARK}:(\d+):0$")
_MARKED_ARGUMENT = re.compile(rf' (?:"[^"]*"\((?:{_MARK}:\d+:0|#loc\d*)\)|{_MARK}:\d+:0)(?=[,)])')
_GENERIC = re.compile(
    r'^(?P<start> *(?:%[\w:#, ]+ = )?)"(?P<name>[\w.]+)"\((?P<operands>[^()]*)\)(?: <?(?P<attributes>\{.*\})>?)?'
    r" : \([^()]*\) -> (?P<results>\(\)|.+)$"
)
_ALIAS = re.compile(r"^#loc\d* = ")


def linked(module: Module) -> list[Line]:
    """The text of a module; an op with regions has its places on each line that opens or closes one.

    Each op is asked for its location, and bears a number in its place while the module is printed: text of nested
    locations is not looked into.
    """
    copy = module.operation.clone(ip=False)
    names = simplify_names(copy)
    places = _number(copy)
    text = copy.get_asm(enable_debug_info=True, pretty_debug_info=True, use_name_loc_as_prefix=True)
    for ascii_name, name in names.items():
        text = re.sub(
            rf"%{re.escape(ascii_name)}(?=(?:_\d+)?\b)", f"%{_NO_LETTERS.sub('_', name).strip('_')}", text
        )
    return _resolved([line for line in text.splitlines() if not _ALIAS.match(line)], places)


def plain_text(module: Module) -> str:
    """The text of a module as `linked` has it, without the links: what tells whether a pass changed something."""
    text: str = module.operation.get_asm(use_name_loc_as_prefix=True)
    return text


def _number(root: Operation) -> list[tuple[Place, ...]]:
    """Number all ops by their locations; returns what places each number stands for."""
    places: list[tuple[Place, ...]] = []
    known: dict[tuple[Place, ...], Location] = {}
    for op in _all_ops(root):
        here = places_of(op.location)
        if here not in known:
            known[here] = ir.Location.file(_MARK, len(places), 0)
            places.append(here)
        op.location = known[here]
        for block in blocks_of(op):
            _number_arguments(block)
    return places


def _all_ops(root: Operation) -> Iterator[Operation]:
    yield root
    for block in blocks_of(root):
        for view in block.operations:
            yield from _all_ops(view.operation)


def _number_arguments(block: Block) -> None:
    """Give arguments locations that are recognised, and leave them their names."""
    here = ir.Location.file(_MARK, 0, 0)
    for argument in block.arguments:
        location = argument.location
        name = location.name_str if isinstance(location, ir.NameLoc) else None
        argument.set_location(here if name is None else ir.Location.name(name, here))


def places_of(location: Location) -> tuple[Place, ...]:
    """The lines of a location of MLIR, the innermost first."""
    return tuple(dict.fromkeys(_places_in(location)))


def _places_in(location: Location) -> Iterator[Place]:
    if isinstance(location, ir.FileLineColLoc):
        if location.filename not in _NO_FILE and location.start_line:
            yield location.filename, location.start_line
    elif isinstance(location, ir.CallSiteLoc):
        yield from _places_in(location.callee)
        yield from _places_in(location.caller)
    elif isinstance(location, ir.FusedLoc):
        for part in location.locations:
            yield from _places_in(part)
    elif isinstance(location, ir.NameLoc):
        yield from _places_in(location.child_loc)


def _resolved(lines: Sequence[str], places: Sequence[tuple[Place, ...]]) -> list[Line]:
    """The lines without the numbers, with the places that they stand for."""
    found: list[tuple[Place, ...]] = [()] * len(lines)
    texts = []
    opened: list[list[int]] = []
    """The lines that open regions of ops whose end was not met yet."""
    for number, line in enumerate(lines):
        match = _MARKED.search(line)
        text = in_letters(_MARKED_ARGUMENT.sub("", line[: match.start()] if match else line))
        texts.append(shortened(text))
        group = [number]
        if text.lstrip().startswith("}") and opened:
            group = [*opened.pop(), number]
        if match:
            for one in group:
                found[one] = places[int(match[1])]
        elif text.endswith("{"):
            opened.append(group)
        elif text.lstrip().startswith("^bb") and opened and "func" not in texts[opened[-1][0]]:
            opened[-1].append(number)
    return [Line(text, here) for text, here in zip(texts, found, strict=True)]


_ESCAPED_NAME = re.compile(r'@"((?:[^"\\]|\\.)*)"')


def in_letters(text: str) -> str:
    r"""A line in which names of functions are written as in the program, where MLIR writes bytes for letters.

    >>> in_letters(r'func.func @"gr\C3\B6\C3\9Fe"(%x: f64)')
    'func.func @"größe"(%x: f64)'
    """

    def decoded(name: re.Match[str]) -> str:
        encoded = re.sub(rb"\\([0-9A-F]{2})", lambda byte: bytes([int(byte[1], 16)]), name[0].encode())
        return encoded.decode("utf-8", "replace")

    return _ESCAPED_NAME.sub(decoded, text) if "\\" in text else text


def shortened(text: str) -> str:
    """An op in MLIR's generic form, as ops with a form of their own look: with types of its results alone.

    >>> shortened('  %1 = "weft.sum"(%0) {axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf32>')
    '  %1 = weft.sum %0 {axes = array<i64: 1>} : tensor<2xf32>'
    """
    match = _GENERIC.match(text)
    if match is None:
        return text
    results = "" if match["results"] == "()" else f" : {match['results']}"
    operands, attributes = match["operands"], match["attributes"]
    return "".join(
        [match["start"], match["name"], *(f" {part}" for part in (operands, attributes) if part), results]
    )


# LLVM assembly

_DEBUG = re.compile(r",? !dbg (!\d+)")
_METADATA = re.compile(r"^(!\d+) = (?:distinct )?!(\w+)\((.*)\)$")
_OTHER_METADATA = re.compile(r"^!\S+ = ")


def linked_assembly(text: str) -> list[Line]:
    """LLVM assembly without metadata; its lines have the places that their metadata tells."""
    lines = text.splitlines()
    nodes = {match[1]: (match[2], match[3]) for line in lines if (match := _METADATA.match(line))}
    shown: list[Line] = []
    for line in lines:
        if _OTHER_METADATA.match(line):
            continue
        match = _DEBUG.search(line)
        is_place = match is not None and not line.startswith("define")
        places = tuple(dict.fromkeys(_scope_places(match[1], nodes))) if match and is_place else ()
        shown.append(Line(_DEBUG.sub("", line), places))
    while shown and not shown[-1].text:
        shown.pop()
    return shown


def _scope_places(node: str, nodes: Any) -> Iterator[Place]:
    kind, text = nodes.get(node, ("", ""))
    if kind != "DILocation":
        return
    line = int(_field("line", text) or 0)
    file = _file_of(_field("scope", text), nodes)
    if line and file not in _NO_FILE:
        yield file, line
    outer = _field("inlinedAt", text)
    if outer:
        yield from _scope_places(outer, nodes)


def _file_of(node: str, nodes: Any) -> str:
    """The file of a scope."""
    kind, text = nodes.get(node, ("", ""))
    if kind == "DIFile":
        return joined_path(_field("directory", text).strip('"'), _field("filename", text).strip('"'))
    inner = _field("file", text) or _field("scope", text)
    return _file_of(inner, nodes) if inner else ""


def joined_path(folder: str, name: str) -> str:
    """A path as debug information tells it.

    >>> joined_path("/home/me", "model.py"), joined_path("", "model.py"), joined_path("/home", "/tmp/model.py")
    ('/home/me/model.py', 'model.py', '/tmp/model.py')
    """
    return name if not folder or name.startswith(("/", "<")) else f"{folder}/{name}"


def _field(name: str, text: str) -> str:
    match = re.search(rf'\b{name}: ("[^"]*"|[^,)]+)', text)
    return match[1] if match else ""


def linked_part(text: str, known: dict[str, tuple[Place, ...]]) -> list[Line]:
    """A function in LLVM assembly alone, without the metadata that tells places.

    Instructions of one place bear one number: of some of them `known` has the place, by `without_values`, and knows
    then those of all.
    """
    votes: dict[str, Counter[tuple[Place, ...]]] = {}
    lines = [(_DEBUG.sub("", line), _DEBUG.search(line)) for line in text.splitlines()]
    for line, match in lines:
        if match and (found := known.get(without_values(line))):
            votes.setdefault(match[1], Counter())[found] += 1
    best = {number: counts.most_common(1)[0][0] for number, counts in votes.items()}
    linked = [
        Line(line, best.get(match[1], ()) if match and not line.startswith("define") else ())
        for line, match in lines
        if not line.startswith("; Function Attrs")
    ]
    known |= {without_values(line.text): line.places for line in linked if line.places}
    return linked


def without_values(text: str) -> str:
    """An instruction without the numbers of values and of metadata."""
    return _VALUES.sub("", text)


_VALUES = re.compile(r"%\d+|!\d+|^ +")
_MACHINE_DEBUG = re.compile(
    r",? debug-location !(?:\d+|DILocation\([^)]*\))(?P<memory> ::.*?)?(?:; (?P<places>.*))?$"
)
_MACHINE_PLACE = re.compile(r"([^\s@\[\]]+):(\d+):\d+")


def linked_machine_code(text: str, files: Mapping[str, str]) -> list[Line]:
    """A function in the instructions that LLVM's code generator works on; paths of files by their names."""
    shown: list[Line] = []
    for line in text.splitlines():
        match = _MACHINE_DEBUG.search(line)
        found = _MACHINE_PLACE.findall(match["places"] or "") if match else ()
        places = dict.fromkeys((files[name], int(number)) for name, number in found if name in files)
        if line.strip() and not line.startswith("#"):
            kept = line[: match.start()] + (match["memory"] or "") if match else line
            shown.append(Line(kept, tuple(places)))
    return shown

"""Where in the user's program we are: frames outside weft, with exact columns where Python knows them."""

from __future__ import annotations

import linecache
import os
import sys
import warnings
from enum import Enum, auto
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any
from weakref import ref

from ...dialect.records import NamedTuple
from .code_table import remembered_by_code
from .modules import OWN_PACKAGE

_OWN_ROOT = str(Path(os.path.abspath(__file__)).parents[2]) + os.sep
OWN_ROOMS = tuple(_OWN_ROOT + room + os.sep for room in ("dialect", "passes", "backend", "frontend", "tools"))


class SourceRange(NamedTuple):
    """A place in the user's program; columns count from 1, 0 where Python does not tell."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    function: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.column else f"{self.file}:{self.line}"


def is_own_frame(frame: FrameType) -> bool:
    """Whether a frame runs code of weft itself, or of NumPy, which only passes calls on.

    The module name tells for code without a file (methods that dataclasses generate), the file for the rest.
    """
    package = frame.f_globals.get("__name__", "").partition(".")[0]
    return package in (OWN_PACKAGE, "numpy") or frame.f_code.co_filename.startswith(OWN_ROOMS)


def _range_of(code: CodeType, last_instruction: int, line: int) -> SourceRange:
    known = _ranges_in(code)
    place = known.get((last_instruction, line))
    if place is None:
        place = known[last_instruction, line] = _find_range(code, last_instruction, line)
    return place


@remembered_by_code
def _ranges_in(code: CodeType) -> dict[tuple[int, int], SourceRange]:
    """The places of a function's instructions that were asked for."""
    return {}


def _find_range(code: CodeType, last_instruction: int, line: int) -> SourceRange:
    column, end_line, end_column = 0, line, 0
    if last_instruction >= 0:
        positions = _positions_in(code)
        position = positions[last_instruction // 2] if last_instruction // 2 < len(positions) else (None,) * 4
        if position[0] is not None and position[2] is not None:
            line, column = position[0], position[2] + 1
            end_line = position[1] or line
            end_column = (position[3] or position[2]) + 1
    return SourceRange(code.co_filename, line, column, end_line, end_column, code.co_name)


@remembered_by_code
def _positions_in(code: CodeType) -> list[tuple[int | None, int | None, int | None, int | None]]:
    """Lines and columns of all instructions; finding one alone means to decode those before it."""
    positions: Any = getattr(code, "co_positions", tuple)  # from Python 3.11
    return list(positions())


def range_of_frame(
    frame: FrameType, last_instruction: int | None = None, line: int | None = None
) -> SourceRange:
    """The place a frame is at, or was at for a given instruction of a traceback."""
    instruction = frame.f_lasti if last_instruction is None else last_instruction
    return _range_of(frame.f_code, instruction, line or frame.f_lineno)


TRACE_ENTRY = "_run_user_function"
"""The name of the function that calls the user's function while tracing; frames above it are the caller's."""

RECORDING = frozenset({"_record_path", "_record_call"})
"""The names of the functions that record one side of a branch, the body of a loop, or that of a function."""


class _Role(Enum):
    """What running some code means for the place in the user's program."""

    OURS = auto()
    ENTRY = auto()
    RECORDING = auto()
    USERS = auto()


_roles: dict[int, _Role] = {}
"""By the identities of code objects, which leave it before they are reused."""

_codes: dict[int, ref[CodeType]] = {}


def _role_of(frame: FrameType) -> _Role:
    """Find out what code means that is met for the first time."""
    code, key = frame.f_code, id(frame.f_code)
    if code.co_filename.startswith(OWN_ROOMS):
        is_recording = code.co_name in RECORDING
        role = _Role.ENTRY if code.co_name == TRACE_ENTRY else _Role.RECORDING if is_recording else _Role.OURS
    else:
        role = _Role.OURS if is_own_frame(frame) else _Role.USERS

    def forget(_: ref[CodeType]) -> None:
        _roles.pop(key, None)
        _codes.pop(key, None)

    _codes[key] = ref(code, forget)
    _roles[key] = role
    return role


def user_frames(innermost: bool = False, in_recording: bool = False) -> list[FrameType]:
    """The frames of the user's code that are running, innermost first, up to where the outermost trace was begun.

    With `innermost` the first of them alone; with `in_recording` those in the innermost branch, loop or function that
    is being recorded.
    """
    frames = []
    frame: FrameType | None = sys._getframe(1)
    roles, ours, users = _roles, _Role.OURS, _Role.USERS
    while frame is not None:  # for each op that is recorded, and twenty frames each time
        role = roles.get(id(frame.f_code)) or _role_of(frame)
        if role is ours:
            frame = frame.f_back
            continue
        if role is users:
            frames.append(frame)
            if innermost:
                break
        elif role is _Role.ENTRY or (in_recording and role is _Role.RECORDING):
            break
        frame = frame.f_back
    return frames


class Caller:
    """A call in the user's program that has not returned, and those around it."""

    __slots__ = ("around", "code", "location", "place")

    def __init__(self, code: CodeType, place: SourceRange, around: Caller | None) -> None:
        self.code = code
        self.place = place
        self.around = around
        self.location: Any = None
        """The MLIR location, once it was asked for."""

    def caller(self) -> Caller | None:
        """The innermost call around this one that it is not part of."""
        inner, outer = self.code, self.around
        while outer is not None and is_part_of(inner, outer.code):
            inner, outer = outer.code, outer.around
        return outer


def callers(around: Caller | None) -> Caller | None:
    """The innermost call, given those around the innermost branch, loop or function that is recorded."""
    for frame in reversed(user_frames(in_recording=True)):
        around = Caller(frame.f_code, range_of_frame(frame), around)
    return around


def user_places(raised: TracebackType | None = None) -> list[SourceRange]:
    """Where the user's program is, with the calls that led there, innermost first.

    With the traceback of an exception that was just caught, the places that it came from are the innermost ones.
    """
    steps = [(frame.f_code, range_of_frame(frame)) for frame in user_frames()]
    while raised is not None:
        frame = raised.tb_frame
        if not is_own_frame(frame):
            steps.insert(0, (frame.f_code, range_of_frame(frame, raised.tb_lasti, raised.tb_lineno)))
        raised = raised.tb_next
    places: list[SourceRange] = []
    inner: CodeType | None = None
    for code, place in steps:
        if inner is None or not is_part_of(inner, code):
            places.append(place)
        inner = code
    return places


def is_part_of(inner: CodeType, outer: CodeType) -> bool:
    """Whether code that conversion wrote is part of a function: it bears its name, and is nested in it."""
    return (
        inner.co_name == outer.co_name
        and inner.co_filename == outer.co_filename
        and getattr(inner, "co_qualname", "") == getattr(outer, "co_qualname", "")
        and id(inner) in _functions_in(outer)
    )


@remembered_by_code
def _functions_in(code: CodeType) -> frozenset[int]:
    """The functions directly in some code, by identity: they live as long as it does."""
    return frozenset(id(constant) for constant in code.co_consts if isinstance(constant, CodeType))


def cell_of(file: str) -> str:
    """What IPython calls the cell of a notebook or session that has this as its file; empty for files."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    name: tuple[str, str] | None = shell and shell.compile.format_code_name(file)
    return " ".join(name) if name else ""


def is_installed(file: str) -> bool:
    """Whether a file is in an installed package, and not one of the user's own."""
    return "site-packages" in file or "dist-packages" in file


def caret_snippet(place: SourceRange) -> str:
    """The place and its source line, with carets under the expression (under the line where columns are unknown)."""
    cell = cell_of(place.file)
    where = f"  {cell}" if cell else f'  File "{place.file}"'
    where += f", line {place.line}, in {place.function}"
    source = linecache.getline(place.file, place.line).rstrip()
    text = source.lstrip()
    if not text:
        return where
    start, end = 0, len(text)
    if place.column:
        indent = len(source) - len(text)
        start = _characters(source, place.column) - indent
        if place.end_line == place.line:
            end = _characters(source, place.end_column) - indent
    return "\n".join([where, f"    {text}", "    " + " " * start + "^" * max(end - start, 1)])


def _characters(source: str, column: int) -> int:
    """The number of characters before a column, which code objects count in UTF-8 bytes from 1 here."""
    return len(source.encode()[: column - 1].decode(errors="replace"))


def warn_at(place: SourceRange | None, message: str, category: type[Warning]) -> None:
    """Give a warning at a place of the user's program, which may not be known."""
    file, line = (place.file, place.line) if place else ("<unknown>", 1)
    warnings.warn_explicit(message, category, file, line)


def place_of_user(innermost: bool = False) -> SourceRange | None:
    """Where the user's code is that runs: the line that has called weft; with `innermost` that of what is traced."""
    frames = user_frames(innermost=innermost)
    return range_of_frame(frames[0]) if frames else None

"""Where in the user's program we are: frames outside weft, with exact columns where Python knows them."""

from __future__ import annotations

import linecache
import os
import sys
from types import CodeType, FrameType, TracebackType
from typing import Any, NamedTuple

from .code_table import remembered_by_code

_OWN_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_OWN_PACKAGE = __name__.partition(".")[0]
_OWN_ROOMS = tuple(
    _OWN_ROOT + room + os.sep for room in ("dialect", "passes", "backend", "frontend", "tools")
)


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


def is_own_module(name: str) -> bool:
    """Whether a module is part of weft."""
    return name.partition(".")[0] == _OWN_PACKAGE


def is_own_frame(frame: FrameType) -> bool:
    """Whether a frame runs code of weft itself, or of NumPy, which only passes calls on.

    The module name tells for code without a file (methods that dataclasses generate), the file for the rest.
    """
    package = frame.f_globals.get("__name__", "").partition(".")[0]
    return package in (_OWN_PACKAGE, "numpy") or frame.f_code.co_filename.startswith(_OWN_ROOMS)


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


_own_files: dict[str, bool] = {}
"""Whether a file is weft's own, for the files of all functions that were met."""


def user_frames(innermost: bool = False) -> list[FrameType]:
    """The frames of the user's code that are running, innermost first, up to where the outermost trace was begun.

    With `innermost` the first of them alone.
    """
    frames = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        file = code.co_filename
        is_own_file = _own_files.get(file)
        if is_own_file is None:
            is_own_file = _own_files[file] = file.startswith(_OWN_ROOMS)
        if is_own_file:
            if code.co_name == TRACE_ENTRY:
                break
        elif not is_own_frame(frame):
            frames.append(frame)
            if innermost:
                break
        frame = frame.f_back
    return frames


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


TRACE_ENTRY = "_run_user_function"
"""The name of the function that calls the user's function while tracing; frames above it are the caller's."""


def caret_snippet(place: SourceRange) -> str:
    """The place and its source line, with carets under the expression (under the line where columns are unknown)."""
    where = f'  File "{place.file}", line {place.line}, in {place.function}'
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

"""Traceback entries for the places of the user's program that compiled code was at, as if Python had run it there.

An exception from compiled code shows the user's lines: each place becomes an entry with a frame of its own, made by
running code that stands at the place and raises.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FrameType, TracebackType

from .locations import SourceRange

_PLACES: dict[tuple[str, int, int], SourceRange] = {}
"""The places that were recorded, by what an MLIR location tells of them."""

_PLACE = re.compile(r'"([^"]+)":(\d+):(\d+)')
"""A place in the text of an MLIR location; the innermost one of a chain of calls is the first."""

_LARGEST = 2**31 - 1
"""The largest line and column that Python knows; modules of files may name larger ones."""


def remember(place: SourceRange) -> None:
    """Note a place that goes into an MLIR location, which keeps its beginning only."""
    _PLACES.setdefault((place.file, place.line, place.column), place)


def places_of(location: str) -> list[SourceRange]:
    """The places in the text of an MLIR location, innermost first."""
    places = []
    for file, line, column in _PLACE.findall(location):
        start = min(int(line), _LARGEST), min(int(column), _LARGEST)
        known = _PLACES.get((file, *start))
        places.append(known or SourceRange(file, *start, *start, "compiled code"))
    return places


def traceback_through(places: list[SourceRange], inner: TracebackType | None) -> TracebackType | None:
    """A traceback that comes through places, given innermost first, to where `inner` begins."""
    result = inner
    for place in places:
        frame, instruction = _frame_at(place)
        result = TracebackType(result, frame, instruction, place.line)
    return result


def last_entry(error: BaseException) -> TracebackType | None:
    """The entry of a traceback for the place where an exception was raised."""
    entry = error.__traceback__
    while entry is not None and entry.tb_next is not None:
        entry = entry.tb_next
    return entry


class _Reached(Exception):
    """Raised by the code of a frame, to get hold of it."""


def _frame_at(place: SourceRange) -> tuple[FrameType, int]:
    """A frame at a place, and the instruction that it is at; -1 where the columns are not known.

    Frames are made anew each time: one keeps what called it, with all variables. That is a generator, which nobody
    called any more when it has ended; else an exception would be kept by the frames in its own traceback.
    """
    try:
        next(_run(_code_at(place)))
    except _Reached as reached:
        entry = last_entry(reached)
    assert entry is not None
    return entry.tb_frame, entry.tb_lasti if place.column else -1


def _run(code: CodeType) -> Iterator[None]:
    exec(code, {"reached": _Reached, "__name__": "compiled code"})
    yield


@lru_cache(maxsize=1024)
def _code_at(place: SourceRange) -> CodeType:
    """Code that raises at a place."""
    end_column = max(place.end_column, place.column + 1) if place.end_line == place.line else place.end_column
    position = {
        "lineno": max(place.line, 1),
        "col_offset": max(place.column - 1, 0),
        "end_lineno": max(place.end_line, place.line, 1),
        "end_col_offset": max(end_column - 1, 0),
    }
    raising = ast.Raise(ast.Name("reached", ast.Load(), **position), None, **position)
    names = {"co_name": place.function}
    if sys.version_info >= (3, 11):
        names["co_qualname"] = place.function
    return compile(ast.Module([raising], []), place.file, "exec").replace(**names)  # type: ignore[arg-type]

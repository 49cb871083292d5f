"""Errors as the user sees them: their own frames only, and the line with a caret and the arrays named in it."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import TYPE_CHECKING

import numpy as np

from ...dialect.errors import (
    AxisError,
    ConcreteValueError,
    InternalError,
    PassError,
    RefusedOperation,
    TraceSizeError,
    WeftError,
)
from ...dialect.ops.state import exception_type
from ...dialect.types import type_of
from ..autograph.decisions import NOT_ARRAYS, why_unconverted
from ..settings import settings
from ..source.locations import (
    SourceRange,
    caret_snippet,
    is_installed,
    is_own_frame,
    is_part_of,
    range_of_frame,
)
from ..source.own_failures import RAISERS
from ..source.tracebacks import last_entry, places_of, traceback_through
from ..tracing.array import TracedArray
from .hints import hint

if TYPE_CHECKING:
    from ...backend.cpu.execution.executable import RuntimeFailure


def explain(error: BaseException) -> None:
    """Add the user's line, a caret and the types of the arrays named there to what weft or NumPy complain about, once.

    It goes into the message of weft's own errors, and is a note to errors whose message belongs to others.
    """
    found = _innermost_frames(error.__traceback__)
    if found is None or getattr(error, "location", None) is not None:
        return
    (frame, place), inside = found
    lines = [caret_snippet(place)]
    if isinstance(error, (ConcreteValueError, TraceSizeError)):
        lines += _why_unconverted(frame)
    described = _describe_names(frame, place)
    if described:
        lines.append(f"  where {described}")
    if inside is not None:
        lines.append(
            f"  which calls this in {inside[0].f_globals.get('__name__')}:\n{caret_snippet(inside[1])}"
        )
    instead = hint(error)
    if instead is not None:
        lines.append(instead)
    _leave_out_own_context(error)
    if isinstance(error, WeftError) and not isinstance(error, AxisError):
        error.location = place  # type: ignore[attr-defined]
        error.args = ("\n".join([str(error), *lines]), *error.args[1:])
    elif is_raised_by_weft(error):  # Python shows notes from 3.11 on, IPython and pytest where they find them
        error.__notes__ = [*getattr(error, "__notes__", ()), "\n".join(lines)]  # type: ignore[attr-defined]


def _leave_out_own_context(error: BaseException) -> None:
    """Forget the exceptions that an error of weft came of inside of weft: those of the user stay."""
    context = error.__context__
    while isinstance(error, WeftError) and context is not None:
        if _innermost_frames(context.__traceback__) is not None:
            break
        context = context.__context__
    error.__context__ = context


@contextmanager
def explained_at_their_place(name: str) -> Iterator[None]:
    """Let what goes wrong while a function of some name is compiled show the line of the op that it is about.

    What is no error of weft's is one from here on: Python's own exceptions come from mistakes in passes.
    """
    try:
        yield
    except (RefusedOperation, InternalError) as error:
        raise _placed(error, error.at) from error.__cause__
    except PassError as error:
        raise _placed(error, str(error)) from error.__cause__
    except (WeftError, MemoryError):
        raise
    except Exception as error:
        from .internal_errors import internal_error  # which loads MLIR

        found = internal_error(error, name)
        raise _placed(found, found.at) from error


def _placed(error: WeftError, at: str) -> WeftError:
    """An error with the innermost place in the text of an MLIR location, and the lines that lead there."""
    places = places_of(at)
    if places and getattr(error, "location", None) is None:
        error.location = places[0]  # type: ignore[attr-defined]
        error.args = (f"{error}\n{caret_snippet(places[0])}",)
    return error.with_traceback(traceback_through(places, None))


def python_exception(failure: RuntimeFailure) -> BaseException:
    """The Python exception that a failure of compiled code stands for, with the user's lines in its traceback."""
    exception = failure.exception
    if exception is None:
        exception = exception_type(failure.error)(failure.message)
    inner = user_traceback(exception.__traceback__)
    return exception.with_traceback(traceback_through(places_of(failure.location), inner))


def is_raised_by_weft(error: BaseException) -> bool:
    """Whether code of weft or NumPy raised the error, and not the user's own."""
    entry = last_entry(error)
    if entry is None or not is_own_frame(entry.tb_frame):
        return False
    return entry.tb_frame.f_code.co_name not in RAISERS


def _why_unconverted(frame: FrameType) -> list[str]:
    """Why arrays cannot decide what the code of a frame does, if that is so."""
    reason = why_unconverted(frame.f_code)
    if reason is None:
        return []
    return [f"  {frame.f_code.co_name} is traced as it is: {reason}. {NOT_ARRAYS}"]


_Place = tuple[FrameType, SourceRange]


def _innermost_frames(entry: TracebackType | None) -> tuple[_Place, _Place | None] | None:
    """The innermost place in the user's own files, and that in an installed package, if it was called there."""
    users: _Place | None = None
    inside: _Place | None = None
    while entry is not None:
        frame = entry.tb_frame
        if not is_own_frame(frame):
            place = frame, range_of_frame(frame, entry.tb_lasti, entry.tb_lineno)
            users, inside = (users, place) if users and is_installed(place[1].file) else (place, None)
        entry = entry.tb_next
    return None if users is None else (users, inside)


def _describe_names(frame: FrameType, place: SourceRange) -> str:
    """The arrays among the names in the expression at a place: `a is f32[3], b is f32[4]`."""
    text = "".join(linecache.getlines(place.file)[place.line - 1 : place.end_line])
    if place.column and place.end_line == place.line:
        text = text.encode()[place.column - 1 : place.end_column - 1].decode(errors="replace")
    try:
        tree = ast.parse(text.strip())
    except SyntaxError:
        return ""
    names = dict.fromkeys(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    described = []
    for name in names:
        value = frame.f_locals.get(name)
        if isinstance(value, TracedArray):
            described.append(f"{name} is {value.type}")
        elif isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufc":
            described.append(f"{name} is {type_of(value)}")
    return ", ".join(described)


def user_traceback(traceback: TracebackType | None) -> TracebackType | None:
    """The traceback without weft's own frames, and with one entry for each call of a converted function.

    With WEFT_FULL_TRACEBACK=1 it stays as it is.
    """
    if settings.full_traceback:
        return traceback
    kept: list[TracebackType] = []
    while traceback is not None:
        if not is_own_frame(traceback.tb_frame):
            if kept and is_part_of(traceback.tb_frame.f_code, kept[-1].tb_frame.f_code):
                kept.pop()  # the function is at the inner place
            kept.append(traceback)
        traceback = traceback.tb_next
    result: TracebackType | None = None
    for entry in reversed(kept):
        result = TracebackType(result, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return result

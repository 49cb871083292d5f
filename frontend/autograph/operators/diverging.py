"""Paths that end in an exception: it is raised at run time, where the path is taken."""

from __future__ import annotations

from ....dialect.errors import (
    ConcreteValueError,
    ControlFlowError,
    InternalError,
    LeakedArrayError,
    PassError,
    UnsupportedError,
)
from ...effects import raise_at_run_time
from ...trace import Trace


class Diverged(BaseException):
    """What follows is never reached: every path to it raises. Not for users: staged code stops being recorded."""


def refuses(error: BaseException) -> bool:
    """Whether an exception says that weft cannot compile something, and not what the program does when it runs."""
    return isinstance(
        error,
        (
            UnsupportedError,
            ConcreteValueError,
            LeakedArrayError,
            InternalError,
            PassError,
            RecursionError,
            ControlFlowError,
        ),
    )


def record_raise(trace: Trace, error: Exception) -> None:
    """Raise an exception at run time, at the present place of the recording."""
    raise_at_run_time(trace, error)

"""Paths that end in an exception: it is raised at run time, where the path is taken."""

from __future__ import annotations

from .....dialect.errors import (
    ConcreteValueError,
    ControlFlowError,
    InternalError,
    LeakedArrayError,
    PassError,
    UnsupportedError,
    WeftError,
)
from ....runtime_values.effects import raise_at_run_time
from ....source.locations import is_own_frame
from ....source.own_failures import RAISERS, in_users_words, is_own_failure
from ....source.tracebacks import last_entry
from ....tracing.needed_numbers import need_all_numbers
from ....tracing.recorder import Recorder


class Diverged(BaseException):
    """Every path to this point raises at run time. Not for users: staged code stops being recorded."""


def refuses(error: BaseException) -> bool:
    """Whether an exception says that weft cannot compile something, and not what the program does when it runs.

    So does any that is no `Exception` but what the program raises itself: Ctrl-C, and what weft tells itself.
    """
    if isinstance(error, _REFUSALS) or is_own_failure(error):
        return True
    if not isinstance(error, (Exception, SystemExit)):
        return not _is_raised(error)
    is_expected = isinstance(error, _EXPECTED) or not _is_internal(error)
    return not is_expected and not isinstance(error, WeftError)


_REFUSALS = (
    UnsupportedError,
    ConcreteValueError,
    ControlFlowError,
    LeakedArrayError,
    InternalError,
    PassError,
    RecursionError,
)

_EXPECTED = (TypeError, ValueError, ArithmeticError, IndexError, AttributeError, NameError)
"""What weft raises for the user where NumPy or Python would; anything else from its own code is a mistake in it."""

_RAISERS = (
    *RAISERS,
    "__next__",
    "next_",
    "call",
    "through_gate",
    "_call_known",
    "attr",
    "get_item",
    "set_item",
    "assign_item",
    "del_item",
    "update_item",
    "update_attr",
)
"""The functions of weft that raise for the user, or call what Python itself implements."""


def _is_internal(error: BaseException) -> bool:
    """Whether an exception comes from weft's own code, and not from the user's or on the user's behalf."""
    entry = last_entry(error)
    return (
        entry is not None and is_own_frame(entry.tb_frame) and entry.tb_frame.f_code.co_name not in _RAISERS
    )


def require_own(trace: Recorder, error: BaseException) -> None:
    """Begin again where an error may come from what stands for a Python number, and not from the program."""
    if trace.numbers and isinstance(error, (TypeError, AttributeError)) and not _is_raised(error):
        need_all_numbers(trace, f"what raises {type(error).__name__}")


def _is_raised(error: BaseException) -> bool:
    """Whether the program itself raised an error."""
    entry = last_entry(error)
    return entry is not None and is_own_frame(entry.tb_frame) and entry.tb_frame.f_code.co_name in RAISERS


def record_raise(trace: Recorder, error: BaseException) -> None:
    """Raise an exception at run time, at the present place of the recording."""
    in_users_words(error)
    if trace.python_state is not None:
        trace.python_state.store_now()
    raise_at_run_time(trace, error)

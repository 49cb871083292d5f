"""Marks on functions that say how they are to be converted."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

from ...dialect.errors import WeftTypeError, WeftValueError
from ..source.code_table import CodeTable
from ..source.modules import is_plain_module, leave_plain, told

F = TypeVar("F", bound=Callable[..., Any])

_MARK = "__weft_do_not_convert__"
_WRAPPED = "__weft_wrapped__"

_converted = CodeTable()
"""The code that is converted also where that of its module stays as it is."""


def do_not_convert(function: F) -> F:
    """Let a function be traced as it is when converted code calls it: Python runs its statements while tracing.

    A wrapper around it (`functools.wraps`) is not marked. Raises WeftTypeError for what cannot be marked.

    >>> @do_not_convert
    ... def helper(x):
    ...     return x + 1
    """
    marked: Any = told(function, "__func__", function)
    if not callable(marked) or isinstance(marked, type):
        raise WeftTypeError(f"do_not_convert takes a function or method, not {function!r}")
    try:
        # The code tells a marked function from a wrapper, to which its attributes were copied.
        setattr(marked, _MARK, marked.__code__ if isinstance(marked, FunctionType) else True)
    except AttributeError:
        raise WeftTypeError(f"{function!r} cannot be marked; it is not converted anyway") from None
    return function


def do_not_convert_module(name: str) -> None:
    """Let all code of a package or module be traced as it is, with that of modules inside that are imported later.

    Meant for libraries that need no conversion, as they call NumPy, weft and what `weft.autograph.convert` has made.
    What their code reads that is no array is read while a function is traced, and not compared at later calls, so that
    what such a library notes about itself while it is traced compiles nothing again; what converted code reads, and
    arrays and variables, are seen as ever. Functions that are compiled already stay as they are. Raises WeftTypeError
    and WeftValueError for what is no dotted name.

    >>> weft.autograph.do_not_convert_module("some_library")
    """
    if not isinstance(name, str):
        raise WeftTypeError(f"do_not_convert_module takes the name of a package or module, not {name!r}")
    if not all(part.isidentifier() for part in name.split(".")):
        raise WeftValueError(
            f"do_not_convert_module takes the dotted name of a package or module, as 'library.layers', not {name!r}"
        )
    leave_plain(name)


def mark_wrapper(wrapper: Any, function: Callable[..., Any]) -> None:
    """Let converted code call a function where it calls a wrapper, and convert it, whatever module it is of."""
    setattr(wrapper, _WRAPPED, (wrapper.__code__, function))
    plain: Any = told(function, "__func__", function)
    if isinstance(plain, FunctionType):
        _converted.set(plain.__code__, True)


def wrapped_by(wrapper: FunctionType) -> Callable[..., Any] | None:
    """The function that a wrapper of ours is around; None of another function, also one with its attributes."""
    code, function = getattr(wrapper, _WRAPPED, (None, None))
    return function if code is wrapper.__code__ else None


def is_plain(function: Any) -> bool:
    """Whether a function stays as it is as it is of a module of which the program has said that."""
    function = told(function, "__func__", function)
    if not isinstance(function, FunctionType) or not is_plain_module(function.__globals__.get("__name__")):
        return False
    return not _converted.get(function.__code__)


def why_marked(function: Any) -> str | None:
    """Why a function stays as it is, as the program has said; None of one of which it has not."""
    mark = getattr(function, _MARK, None)
    if mark is function.__code__ if isinstance(function, FunctionType) else mark:
        return "it is marked by weft.do_not_convert"
    if is_plain(function):
        return "weft.autograph.do_not_convert_module names its module"
    return None


def is_marked(function: Any) -> bool:
    """Whether a function is to stay as it is."""
    return why_marked(function) is not None

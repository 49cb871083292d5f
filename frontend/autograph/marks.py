"""Marks on functions that say how they are to be converted."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

from ...dialect.errors import WeftTypeError

F = TypeVar("F", bound=Callable[..., Any])

_MARK = "__weft_do_not_convert__"


def do_not_convert(function: F) -> F:
    """Let a function be traced as it is when converted code calls it: Python runs its statements while tracing.

    A wrapper around it (`functools.wraps`) is not marked. Raises WeftTypeError for what cannot be marked.

    >>> @do_not_convert
    ... def helper(x):
    ...     return x + 1
    """
    marked: Any = getattr(function, "__func__", function)
    if not callable(marked) or isinstance(marked, type):
        raise WeftTypeError(f"do_not_convert takes a function or method, not {function!r}")
    try:
        # The code tells a marked function from a wrapper, to which its attributes were copied.
        setattr(marked, _MARK, marked.__code__ if isinstance(marked, FunctionType) else True)
    except AttributeError:
        raise WeftTypeError(f"{function!r} cannot be marked; it is not converted anyway") from None
    return function


def is_marked(function: Any) -> bool:
    """Whether a function is to stay as it is."""
    mark = getattr(function, _MARK, None)
    return mark is function.__code__ if isinstance(function, FunctionType) else bool(mark)


__all__ = ["do_not_convert", "is_marked"]

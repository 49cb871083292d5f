"""Marks on functions that say how they are to be converted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_MARK = "__weft_do_not_convert__"


def do_not_convert(function: F) -> F:
    """Let a function be traced as it is when converted code calls it: Python runs its statements while tracing.

    >>> @do_not_convert
    ... def helper(x):
    ...     return x + 1
    """
    setattr(function, _MARK, True)
    return function


def is_marked(function: Any) -> bool:
    """Whether a function is to stay as it is."""
    return bool(getattr(function, _MARK, False))


__all__ = ["do_not_convert", "is_marked"]

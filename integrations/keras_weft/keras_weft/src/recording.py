"""What the backend asks of weft while a program is recorded: whether it is, and how to step out of it or into it."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import weft
from weft.frontend.autograph.operators.calls.calls import call
from weft.frontend.tracing.array import TracedArray
from weft.frontend.tracing.current import current_trace, remembering, set_current_trace

F = TypeVar("F", bound=Callable[..., Any])

CONVERTED = "__keras_weft_converted__"
"""Marks functions of this package whose Python control flow on arrays is to be compiled."""


def is_tracing() -> bool:
    """Whether a compiled function is being traced."""
    return current_trace() is not None


def is_recording() -> bool:
    """Whether what is computed now is recorded: by a trace, or by a tape in plain Python."""
    return current_trace() is not None or remembering() is not None


def is_traced(value: Any) -> bool:
    """Whether a value is an array that a trace or a tape knows."""
    return isinstance(value, TracedArray)


def convert(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a function with the Python control flow on arrays in it compiled, from code that is traced as it is."""
    return call(function, *args, **kwargs) if is_tracing() else function(*args, **kwargs)


def converted(function: F) -> F:
    """Let a function of this package be compiled with its control flow; the rest of the package is traced as it is."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        return convert(function, *args, **kwargs)

    setattr(function, CONVERTED, True)
    return weft.do_not_convert(called)  # type: ignore[return-value]


@contextlib.contextmanager
def outside() -> Iterator[None]:
    """What is computed in the block is computed now, while a function is traced, too."""
    before = set_current_trace(None)
    try:
        yield
    finally:
        set_current_trace(before)


__all__ = ["CONVERTED", "convert", "converted", "is_recording", "is_traced", "is_tracing", "outside"]

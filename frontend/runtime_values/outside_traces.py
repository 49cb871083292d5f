"""Functions that Python calls when the program runs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from ..tracing.current import current_trace, set_current_trace


def outside_traces(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A function that runs as if nothing was traced in its thread, under a name for messages."""
    from .warning_filters import under_filters  # who loads a program from disk makes no such functions

    filtered = under_filters(function)

    @functools.wraps(function)
    def call(*arrays: Any) -> Any:
        if current_trace() is None:
            return filtered(*arrays)
        previous = set_current_trace(None)
        try:
            return filtered(*arrays)
        finally:
            set_current_trace(previous)

    call.__name__ = name
    return call


def only_computes(callback: Callable[..., Any]) -> Callable[..., Any]:
    """A callback that changes nothing which a second call with the same values would find changed; marked as such."""
    callback.only_computes = True  # type: ignore[attr-defined]
    return callback


def all_compute(callbacks: Iterable[Callable[..., Any]]) -> bool:
    """Whether all of the callbacks are such."""
    return all(getattr(callback, "only_computes", False) for callback in callbacks)

"""A warning for calls of Python that a compiled loop makes in each iteration: they take longer than all around them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from ...dialect.callbacks import name_of
from ...dialect.errors import FallbackWarning, UnsupportedError
from ...dialect.records import dataclass
from ..source.locations import place_of_user, warn_at
from ..source.modules import told
from ..tracing.recorder import Recorder


def note_call(trace: Recorder, what: str, instead: str) -> None:
    """Take note of what is done in Python at this point of a program; `instead` says what to write in loops.

    Gives a `FallbackWarning` in a loop: once for each line of the user's, not each time that it is compiled.
    """
    if trace.region.loop is None:
        return
    if trace.state(_Refusing).depth:
        raise UnsupportedError(f"{what} in Python in each iteration of a compiled loop")
    place = place_of_user(innermost=True)
    key = (what, place and (place.file, place.line))
    if key not in _warned:
        message = f"{what} in Python in each iteration of a compiled loop, some microseconds each: {instead}"
        warn_at(place, message, FallbackWarning)
        _warned.add(key)


@dataclass
class _Refusing:
    """Whether calls of Python in loops are refused now."""

    depth: int = 0


@contextlib.contextmanager
def refusing_calls(trace: Recorder) -> Iterator[None]:
    """Refuse calls of Python in loops, where the loop can be unrolled instead."""
    refusing = trace.state(_Refusing)
    refusing.depth += 1
    try:
        yield
    finally:
        refusing.depth -= 1


def call_of(function: Callable[..., Any]) -> str:
    """That a function is called: its name with that of its module or class."""
    owner = told(function, "__self__")
    if owner is not None and not isinstance(owner, ModuleType):
        kind = owner if isinstance(owner, type) else type(owner)
        return f"{kind.__name__}.{name_of(function)} is called"
    module = getattr(function, "__module__", None)
    prefix = "" if module in (None, "builtins", "__main__") else f"{module}."
    return f"{prefix}{name_of(function)} is called"


_warned: set[tuple[str, tuple[str, int] | None]] = set()

"""Turning compiling off: decorated functions run as plain Python."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator

from ...backend.cpu.dispatch.switches import switches
from ..settings import settings
from ..tracing.current import remembering

_is_eager = contextvars.ContextVar("weft_is_eager", default=False)


_is_always_compiled = contextvars.ContextVar("weft_is_always_compiled", default=False)


def is_eager() -> bool:
    """Whether decorated functions run as plain Python here."""
    return (settings.disable_jit or _is_eager.get()) and not _is_always_compiled.get()


def is_remembered() -> bool:
    """Whether a tape of plain Python looks at what is computed here."""
    return remembering() is not None and not _is_always_compiled.get()


@contextlib.contextmanager
def always_compiled() -> Iterator[None]:
    """Compile decorated functions inside the `with` block, whatever else was said: Python could not run them."""
    token = _is_always_compiled.set(True)
    try:
        yield
    finally:
        _is_always_compiled.reset(token)


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Turn compiling off (True) or on (False) for the whole process: decorated functions then run as plain Python.

    It is the setting `disable_jit`.

    >>> weft.run_functions_eagerly(True)
    >>> weft.function(lambda x: type(x))(1)
    <class 'int'>
    >>> weft.run_functions_eagerly(False)
    """
    settings.disable_jit = bool(run_eagerly)


@contextlib.contextmanager
def eager() -> Iterator[None]:
    """Run decorated functions as plain Python inside the `with` block, in this thread only, to debug them.

    >>> with weft.eager():
    ...     weft.function(lambda x: type(x))(1)
    <class 'int'>
    """
    switches.look_at(_is_eager)
    token = _is_eager.set(True)
    try:
        yield
    finally:
        _is_eager.reset(token)

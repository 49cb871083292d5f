"""Sizes of arguments that are unknown as they changed from call to call, and not because the program says so.

Code for unknown sizes may take for granted what holds for most of them, and raises otherwise. Nobody asked for that
where sizes were learned: there the function is compiled for each size instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ...dialect.errors import UnsupportedError

_are_learned: ContextVar[bool] = ContextVar("sizes_are_learned", default=False)


@contextmanager
def learned_sizes() -> Iterator[None]:
    """Trace for sizes that were learned."""
    token = _are_learned.set(True)
    try:
        yield
    finally:
        _are_learned.reset(token)


def are_learned() -> bool:
    """Whether this is a trace for sizes that were learned."""
    return _are_learned.get()


def need_all_sizes(what: str) -> None:
    """Give up a trace for learned sizes, as not all of them would do; `what` says what for."""
    if are_learned():
        raise UnsupportedError(f"{what} depends on sizes that are not known")

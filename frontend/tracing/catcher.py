"""Exceptions that compiled code catches: they are kept by number, so that programs can hand them on as data."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol

from ...dialect.callbacks import Callback
from ...dialect.types import TensorType
from .array import TracedArray

if TYPE_CHECKING:
    from ...dialect.mlir import Value

MOST_KEPT = 1024
"""How many exceptions a thread keeps: the later ones replace the earlier ones."""


class Catcher(Protocol):
    """What a trace asks while the body of a `try` statement is recorded."""

    slots: Sequence[Any]
    """Where it keeps which exception came, and what it is, for the snapshots of branches and loops."""

    unread: frozenset[Any]
    """The keys of the places that nothing looks at after an exception."""

    def raise_if(self, condition: TracedArray, error: str, message: str, *values: TracedArray) -> None:
        """Record that the body is left with an exception where the condition holds."""

    def raise_kept(self, number: TracedArray) -> None:
        """Record that the body is left with an exception that is kept by number, unless that is 0."""

    def host_call(
        self, callback: Callback, operands: Sequence[Value], results: Sequence[TensorType]
    ) -> list[TracedArray]:
        """Record a call of Python that leaves the body when it raises."""

    def note(self, checked: Callable[[], None]) -> None:
        """Call a function where the rest begins behind the next check."""

    def mark(self) -> int:
        """How many places there are so far where the body may be left."""

    def forget(self, mark: int) -> None:
        """Drop the places behind a mark: what was recorded there is erased."""

    def close(self, path: Any, mark: int, wants_result: bool) -> None:
        """At the end of a path, join what it leaves with what is there where it may be left behind a mark."""

    def arrive(self, error: BaseException) -> None:
        """Note that the body is always left here, with an exception."""

    def may_have_raised(self) -> bool:
        """Whether the path that just ended may have been left."""

    def goes_on(self) -> TracedArray:
        """Where the path that just ended was not left."""

    def exit_of(self, path: Any) -> Any:
        """How an iteration ends that may be left with an exception."""

    def go_on(self, condition: TracedArray | None = None) -> None:
        """Record that what follows is reached only where the statement before was not left."""


class _Kept(threading.local):
    def __init__(self) -> None:
        self.errors: dict[int, BaseException] = {}
        self.numbers = count(1)


_kept = _Kept()


def keep(error: BaseException) -> int:
    """Keep an exception; returns its number."""
    number = next(_kept.numbers)
    _kept.errors[number] = error
    if len(_kept.errors) > MOST_KEPT:
        del _kept.errors[next(iter(_kept.errors))]
    return number


def kept(number: Any) -> BaseException:
    """The exception with a number."""
    return _kept.errors[int(number)]


class UnknownException(Exception):
    """Stands for a caught exception whose class is known only at run time."""


_NUMBER = "_weft_caught"
"""The attribute of an exception that stands for a caught one: its number, known at run time."""


def stand_in(kind: type[BaseException] | None, number: Any) -> BaseException:
    """What a caught exception is while tracing: it can be shown and raised again, at run time."""
    made = (kind or UnknownException).__new__(kind or UnknownException)
    made.__dict__[_NUMBER] = number
    return made


def number_of(error: BaseException) -> Any:
    """The number of the caught exception that one stands for; None for others."""
    return getattr(error, "__dict__", {}).get(_NUMBER)


__all__ = ["Catcher", "UnknownException", "keep", "kept", "number_of", "stand_in"]

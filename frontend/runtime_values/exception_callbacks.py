"""What programs with `try` statements ask Python to do: keep an exception by number, tell which handler takes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from ...dialect.callbacks import Callback
from ...dialect.errors import PythonNumberError, format_message
from ..source.locations import SourceRange
from ..source.tracebacks import traceback_through
from .kept_exceptions import keep, kept
from .outside_traces import outside_traces
from .values import Thaw

Choices: TypeAlias = "Sequence[tuple[Any, int]]"
"""The classes that each handler takes, and the number that stands for it."""


def keep_checked(kind: type[BaseException], message: str, places: list[SourceRange]) -> Callback:
    """What makes and keeps the exception of a check, of the numbers in its message."""

    def make(*numbers: Any) -> list[Any]:
        made = kind(format_message(message, numbers))
        return [np.int64(keep(made.with_traceback(traceback_through(places, None))))]

    return outside_traces(make, "raise")


def keep_raised(thaw: Thaw, places: list[SourceRange]) -> Callback:
    """What makes and keeps an exception that the program raises."""

    def make(*arrays: Any) -> list[Any]:
        (made,) = thaw(arrays)
        if made.__traceback__ is None:
            made = made.with_traceback(traceback_through(places, None))
        return [np.int64(keep(made))]

    return outside_traces(make, "raise")


def _code_of(error: BaseException, choices: Choices, goes_on: int) -> int:
    if isinstance(error, PythonNumberError):
        return goes_on  # the program raises no such
    return next((code for types, code in choices if isinstance(error, types)), goes_on)


def catching_call(
    callback: Callback, choices: Choices, goes_on: int, results: Sequence[tuple[list[int], np.dtype[Any]]]
) -> Callback:
    """A call of Python that tells which handler takes what it raises, and the number of the exception."""

    def call(*arrays: Any) -> list[Any]:
        try:
            return [*(callback(*arrays) or ()), np.int64(0), np.int64(0)]
        except BaseException as error:
            code = _code_of(error, choices, goes_on)
            if code == goes_on and not isinstance(error, (Exception, SystemExit)):
                raise
            return [*(np.zeros(*result) for result in results), np.int64(code), np.int64(keep(error))]

    call.__name__ = getattr(callback, "__name__", "call")
    return call


def find_handler(choices: Choices, goes_on: int) -> Callback:
    """What tells which handler takes the exception with a number."""

    def find(number: Any) -> list[Any]:
        return [np.int64(_code_of(kept(number), choices, goes_on))]

    return outside_traces(find, "except")


def is_instance_of(thaw: Thaw, kinds: Any) -> Callable[..., list[Any]]:
    """What tells whether a caught exception belongs to classes."""

    def is_instance(*arrays: Any) -> list[Any]:
        return [np.bool_(isinstance(thaw(arrays)[0], kinds))]

    return outside_traces(is_instance, "isinstance")

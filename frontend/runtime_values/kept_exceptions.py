"""Exceptions that compiled code catches: they are kept by number, so that programs can hand them on as data."""

from __future__ import annotations

import threading
from itertools import count
from typing import Any

MOST_KEPT = 1024
"""How many exceptions a thread keeps: the later ones replace the earlier ones."""


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


_NUMBER, _HELD, _IS_SURE = "_weft_caught", "_weft_held", "_weft_is_sure"
"""The attributes of an exception that stands for a caught one: its number, what is known of it, and whether surely."""


def stand_in(
    kind: type[BaseException] | None, number: Any, held: tuple[Any, ...] = (), is_sure: bool = True
) -> BaseException:
    """What a caught exception is while tracing: it can be shown and raised again, at run time.

    `held` tells which of its arguments and attributes are numbers and texts; it is looked at what they are when the
    program runs unless that `is_sure`.
    """
    made = (kind or UnknownException).__new__(kind or UnknownException)
    made.__dict__.update({_NUMBER: number, _HELD: held, _IS_SURE: is_sure})
    return made


def held_of(error: BaseException) -> dict[Any, Any]:
    """What is known of the parts of the caught exception that one stands for."""
    return dict(error.__dict__.get(_HELD, ()))


def is_sure_of(error: BaseException) -> bool:
    """Whether a caught exception surely holds what is known of it."""
    return bool(error.__dict__.get(_IS_SURE, True))


def number_of(error: BaseException) -> Any:
    """The number of the caught exception that one stands for; None for others."""
    return getattr(error, "__dict__", {}).get(_NUMBER)

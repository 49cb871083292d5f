"""Python functions that programs call: how they are called, and what they may return."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from .errors import WeftTypeError
from .types import TensorType, compatible_shapes, type_of

if TYPE_CHECKING:
    from .op import Array

Callback: TypeAlias = Callable[..., "Sequence[Any] | None"]
"""Takes read-only arrays that are its own, returns as many arrays as are declared."""


def call_back(callback: Callback, operands: Sequence[Array], results: Sequence[TensorType]) -> list[Array]:
    """Call a Python function; returns contiguous arrays, or raises WeftTypeError where they are not as declared."""
    for operand in operands:
        if operand.flags.writeable:
            operand.flags.writeable = False  # nobody would see what is written to it
    returned = callback(*operands)
    if returned is None and not results:
        return []
    return checked_results(name_of(callback), [] if returned is None else returned, results)


def checked_results(name: str, returned: Sequence[Any], results: Sequence[TensorType]) -> list[Array]:
    """What a Python function returned as contiguous arrays; WeftTypeError where they are not as declared."""
    arrays = [np.asarray(value) for value in returned]
    if len(arrays) != len(results):
        raise WeftTypeError(f"{name} returned {len(arrays)} arrays, but {len(results)} are declared")
    for number, (array, declared) in enumerate(zip(arrays, results, strict=True)):
        given = type_of(array)
        if given.dtype != declared.dtype or not compatible_shapes(given.shape, declared.shape):
            which = f"result {number} of {name}" if len(results) > 1 else f"what {name} returned"
            raise WeftTypeError(f"{which} is {given}, but {declared} is declared")
    return [np.asarray(a, t.dtype, order="C") for a, t in zip(arrays, results, strict=True)]


class OfThread(threading.local):
    """What a thread keeps between two calls; nothing of it is meant for another process."""

    def __reduce__(self) -> tuple[type[OfThread], tuple[()]]:
        return OfThread, ()


def measured(callback: Callback, results: Sequence[TensorType]) -> tuple[Callback, Callback]:
    """A call of Python in two: one that calls, and gives the extents that the types of results do not tell; and one
    that then gives the results.

    A program makes both in a thread, with nothing of Python between them.
    """
    kept = OfThread()

    def measure(*operands: Any) -> list[Any]:
        kept.results = checked_results(name_of(callback), callback(*operands) or [], results)
        return [
            np.int64(extent)
            for array, declared in zip(kept.results, results, strict=True)
            for extent, known in zip(array.shape, declared.shape, strict=True)
            if known is None
        ]

    def fetch(*extents: Any) -> list[Any]:
        found: list[Any] = kept.results
        del kept.results
        return found

    measure.__name__ = fetch.__name__ = name_of(callback)
    return measure, fetch


COLLECTIVES = 1 << 20
"""Calls with this number or a higher one are collectives."""


COLLECTIVE = "weft_collective"
"""What a processor calls for collectives: it returns 0 where it has done what was asked; else Python does it."""


def callback_at(number: int, table: Sequence[Callback]) -> Callback:
    """The function that a program calls by a number: that of its table, or what does collectives."""
    if number >= COLLECTIVES:
        from .collective_words import perform_described  # few programs have any

        return perform_described
    return table[number]


RAISE = "raise"
"""The name of what raises an exception each time that it is called: a keyword, so that nothing else has it."""


def with_native(callback: Callback, native: str) -> Callback:
    """A Python function for which processors may call a function of the backend: it does the same, and never raises."""
    callback.native = native  # type: ignore[attr-defined]
    return callback


def native_of(callback: Callback) -> str | None:
    """What processors may call instead of a Python function; None for nothing."""
    return getattr(callback, "native", None)


def with_numbers(callback: Callback) -> Callback:
    """A Python function that keeps none of the arrays that it takes, which are of rank 0: it makes numbers of them.

    Who calls it may hand it the same arrays again, with other numbers in them.
    """
    callback.takes_numbers = True  # type: ignore[attr-defined]
    return callback


def takes_numbers(callback: Callback) -> bool:
    """Whether a Python function only makes numbers of the arrays that it takes."""
    return getattr(callback, "takes_numbers", False)


def repeatable(callback: Callback) -> Callback:
    """A Python function that does nothing but compute by what it takes: it may be called once more, or elsewhere."""
    callback.repeatable = True  # type: ignore[attr-defined]
    return callback


def is_repeatable(callback: Callback) -> bool:
    """Whether a Python function may be called once more without that anybody sees it."""
    return getattr(callback, "repeatable", False)


def with_declared(callback: Callback) -> Callback:
    """A Python function that takes numbers, as above, and returns arrays of just the types that are declared."""
    callback.gives_declared = True  # type: ignore[attr-defined]
    return with_numbers(callback)


def gives_declared(callback: Callback) -> bool:
    """Whether what a Python function returns needs no look at it."""
    return getattr(callback, "gives_declared", False)


def name_of(function: Callable[..., Any]) -> str:
    """What a Python function is called in messages."""
    return getattr(function, "__name__", None) or repr(function)

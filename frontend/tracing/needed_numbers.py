"""Numbers among the arguments that are data, where tracing finds out that it needs their values after all."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .recorder import Recorder


class LengthNumber(int):
    """The type of a Python int among the arguments that is data even where it is a length of an array or a list."""


class NumberNeeded(BaseException):
    """The trace has to begin again with some numbers among the arguments as constants. Nothing in between takes it."""

    def __init__(self, numbers: Collection[int], reason: str, is_length: bool = False) -> None:
        super().__init__(numbers, reason)
        self.numbers = frozenset(numbers)
        """Their positions among the arguments of the trace."""
        self.reason = reason
        """What needs them, in words."""
        self.is_length = is_length
        """Whether lengths of arrays or lists need them, which may be data as well."""


def need_number(value: Any, what: str) -> None:
    """Begin again if something needs the value of what is computed from numbers among the arguments."""
    found, _ = _numbers_behind(value)
    if found:
        _begin_again(value._storage.trace, found, what)


def need_length(value: Any, what: str) -> None:
    """Begin again if a length is computed from numbers among the arguments that are not to be data for lengths."""
    found, _ = _numbers_behind(value)
    if found and (fixed := found - value._storage.trace.length_numbers):
        _begin_again(value._storage.trace, fixed, what, is_length=True)


def need_all_numbers(trace: Recorder, what: str) -> None:
    """Begin again if any of the numbers among the arguments is data."""
    _begin_again(trace, trace.numbers.values(), what)


def need_numbers_in(trace: Recorder, values: Iterable[Any], what: str) -> None:
    """Begin again if something needs numbers as Python has them, and is given what is computed from such arguments.

    Arrays are what they are; of what is none, as a list of computed length, it is not known what numbers are in it.
    """
    for value in values:
        if getattr(value, "_storage", None) is None:
            need_all_numbers(trace, what)
        else:
            need_number(value, what)


def need_numbers_behind(array: Any, what: str) -> None:
    """Begin again if something needs the elements of an array that numbers among the arguments decide."""
    trace = array._storage.trace
    if trace.numbers:
        from .sources import sources_of  # loads MLIR

        sources = sources_of([array._value()], through_stops=True)
        _begin_again(trace, {trace.numbers[source] for source in sources if source in trace.numbers}, what)


def note_decision(value: Any) -> None:
    """Take note that a value decides what runs, and how often."""
    found, has_others = _numbers_behind(value)
    if found and not has_others:
        value._storage.trace.deciding |= found


def need_deciding_numbers(trace: Recorder, what: str) -> None:
    """Begin again if numbers among the arguments alone decide what runs."""
    _begin_again(trace, trace.deciding, what)


def need_deciding_lengths(trace: Recorder, what: str) -> None:
    """Begin again if numbers that are not to be data for lengths decide alone how often something is added."""
    _begin_again(trace, trace.deciding - trace.length_numbers, what, is_length=True)


def _numbers_behind(value: Any) -> tuple[set[int], bool]:
    """The numbers that a traced scalar is computed from, and whether from anything else, too."""
    storage = getattr(value, "_storage", None)
    if storage is None or not storage.trace.numbers or value.ndim:
        return set(), True
    from .extent_keys import arguments_behind  # loads MLIR

    return arguments_behind(value._value(), storage.trace.numbers)


def _begin_again(trace: Recorder, numbers: Collection[int], what: str, is_length: bool = False) -> None:
    if numbers:
        place = trace.user_location()
        raise NumberNeeded(numbers, what if place is None else f"{what} at {place}", is_length)

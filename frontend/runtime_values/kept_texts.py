"""Texts that branches, loops and lists of a program hand on: it carries their numbers, and Python keeps the texts.

What a call has kept is given up when its thread calls a function with such texts again, unless that is called by
Python code that the first one calls.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from itertools import count
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from ...dialect.callbacks import with_declared
from ...dialect.errors import InternalError, UnsupportedError
from ...dialect.types import TensorType
from ..tracing.staging import host_call
from . import counters
from .calls_in_loops import note_call
from .outside_traces import only_computes, outside_traces
from .strings import RuntimeString
from .values import Frozen

if TYPE_CHECKING:
    from ...dialect.op import Array
    from ..tracing.array import TracedArray
    from ..tracing.recorder import Recorder

Kept: TypeAlias = "str | tuple[str | int, ...]"
"""A text, or texts and numbers of such that give it one behind the other."""


class _Call(NamedTuple):
    """What a call has kept."""

    depth: int
    """How many calls of Python are around it."""
    texts: dict[int, Kept]
    numbers: dict[str, int]
    """Those of whole texts: equal ones have one number."""


class _Texts(threading.local):
    """The texts of a thread, by number, and the calls that have kept them."""

    def __init__(self) -> None:
        self.numbers = count(1)
        self.calls: list[_Call] = []
        """Each is called by Python code that the one before it calls."""

    def begin(self) -> None:
        """Begin with a call: what others have kept that are not around it is given up."""
        depth = _calls_of_python()
        while self.calls and self.calls[-1].depth >= depth:
            self.calls.pop()
        self.calls.append(_Call(depth, {}, {}))

    def keep(self, text: Kept) -> int:
        """Keep a text; returns its number."""
        call = self.calls[-1]
        if isinstance(text, str) and (known := call.numbers.get(text)) is not None:
            return known
        number = next(self.numbers)
        call.texts[number] = text
        if isinstance(text, str):
            call.numbers[text] = number
        return number

    def text(self, number: int) -> str:
        """The text with a number; it is put together once. Where there is none, 0 is in its place."""
        if number == 0:
            return ""
        kept = next((call.texts for call in reversed(self.calls) if number in call.texts), None)
        if kept is None:
            raise InternalError("a text of a call is asked for after its thread has given it up")
        if not isinstance(kept[number], str):
            kept[number] = self._joined(number, kept)
        return kept[number]  # type: ignore[return-value]

    def _joined(self, number: int, kept: dict[int, Kept]) -> str:
        """The parts one behind the other; a text that grew in a loop is a long chain of them."""
        found: list[str] = []
        pending: list[str | int] = [number]
        while pending:
            part = pending.pop()
            text = part if isinstance(part, str) else kept[part] if part in kept else self.text(part)
            if isinstance(text, str):
                found.append(text)
            else:
                pending += reversed(text)
        return "".join(found)


_texts = _Texts()


def _calls_of_python() -> int:
    """How many calls of Python by compiled code are going on in this thread."""
    from ...backend.cpu.lowering.host_calls import HostLink

    entered, found = HostLink.enter.__code__, 0
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        found += frame.f_code is entered
        frame = frame.f_back
    return found


_INSTEAD = "compute the numbers in the loop, and make texts of them behind it"

_NUMBER = TensorType((), np.dtype(np.int64))


def number_of_text(trace: Recorder, text: Any) -> TracedArray:
    """The number of a text, which is kept from here on: a string, or one that is made at run time."""
    if isinstance(text, RuntimeString) and text.kept is not None:
        return text.kept
    if (
        isinstance(text, RuntimeString)
        and trace.knows_counters
        and all(map(counters.is_counted, text.operands))
    ):
        raise UnsupportedError("a text of the counter of a loop is known where the loop is unrolled")
    note_call(trace, "a text is made", _INSTEAD)
    trace.call_at_entry(_begin)
    parts = text.joined if isinstance(text, RuntimeString) else None
    frozen = Frozen(trace, _with_numbers(parts) if parts else (text,))
    thaw = frozen.thaw
    if parts:

        def keep(*arrays: Array) -> list[Any]:
            return [np.int64(_texts.keep(thaw(arrays)))]
    else:

        def keep(*arrays: Array) -> list[Any]:
            return [np.int64(_texts.keep(thaw(arrays)[0]))]

    callback = only_computes(outside_traces(keep, "str"))
    callback = callback if frozen.keeps_arrays else with_declared(callback)
    (number,) = host_call(trace, callback, frozen.operands, [_NUMBER])
    return number._like_python(int)


@only_computes
def _begin() -> list[Any]:
    _texts.begin()
    return []


def _with_numbers(parts: Sequence[Any]) -> tuple[Any, ...]:
    numbers = [part.kept if isinstance(part, RuntimeString) else None for part in parts]
    return tuple(part if number is None else number for part, number in zip(parts, numbers, strict=True))


def as_key(trace: Recorder, text: Any) -> RuntimeString:
    """A text whose number is that of all equal ones."""

    def number_as_whole(given: Array) -> list[Any]:
        return [np.int64(_texts.keep(_texts.text(int(given))))]

    number = number_of_text(trace, text)
    if isinstance(text, RuntimeString) and (text.joined or text.kept is not None):
        call = only_computes(outside_traces(number_as_whole, "hash"))
        (number,) = host_call(trace, call, [number._value()], [_NUMBER])
    return text_of_number(trace, number)


def text_of_number(trace: Recorder, number: TracedArray) -> RuntimeString:
    """The text with a number."""
    made = RuntimeString(trace, (number._like_python(int),), kept_text, "...")
    made.kept = number
    return made


def numbers_of_texts(
    trace: Recorder, function: Callable[..., Sequence[str]], args: tuple[Any, ...], count: int | None
) -> TracedArray:
    """The numbers of the texts that a function makes, and of how many where that is known."""
    note_call(trace, "a text of run-time values is taken apart", "compute with the numbers that it tells")
    trace.call_at_entry(_begin)
    frozen = Frozen(trace, args)
    thaw = frozen.thaw

    def parts(*arrays: Array) -> list[Any]:
        return [np.array([_texts.keep(text) for text in function(*thaw(arrays))], np.int64)]

    types = [TensorType((count,), np.dtype(np.int64))]
    (found,) = host_call(trace, only_computes(outside_traces(parts, "split")), frozen.operands, types)
    return found


def ranks_of_texts(trace: Recorder, numbers: TracedArray) -> TracedArray:
    """The places of texts among them in order, the same for equal ones."""

    def ranks(given: Array) -> list[Any]:
        texts = [_texts.text(number) for number in given.tolist()]
        places = {text: place for place, text in enumerate(sorted(set(texts)))}
        return [np.array([places[text] for text in texts], np.int64)]

    note_call(trace, "texts are put in order", _INSTEAD)
    return _for_each(trace, ranks, [numbers], np.dtype(np.int64))


def equal_texts(trace: Recorder, numbers: TracedArray, text: Any) -> TracedArray:
    """Which of texts are another one."""

    def equal(given: Array, other: Array) -> list[Any]:
        wanted = _texts.text(int(other))
        return [np.array([_texts.text(number) == wanted for number in given.tolist()], bool)]

    other = number_of_text(trace, text)
    return _for_each(trace, equal, [numbers, other], np.dtype(bool))


def _for_each(
    trace: Recorder, function: Callable[..., list[Any]], given: list[TracedArray], dtype: np.dtype[Any]
) -> TracedArray:
    callback = only_computes(outside_traces(function, function.__name__))
    (found,) = host_call(trace, callback, [array._value() for array in given], [TensorType((None,), dtype)])
    return found


def kept_text(number: Any) -> str:
    """The text with a number, when the program runs or has run."""
    return _texts.text(int(number))

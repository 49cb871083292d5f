"""A stream of random numbers in a trace: an algorithm, and the array of its state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from ...dialect.op import Op
from ...dialect.records import dataclass
from ..tracing.array import TracedArray
from ..tracing.extents import split_shape
from ..tracing.recorder import Recorder
from ..tracing.staging import emit


class Draws:
    """How many draws a recording has."""

    def __init__(self) -> None:
        self.count = 0


class Source(Protocol):
    """What numbers are drawn of."""

    @property
    def trace(self) -> Recorder:
        """The trace that it is in."""

    def draw(self, op_class: type[Op], operands: Sequence[Any], shape: Any, **attributes: Any) -> Any:
        """Record a draw: the numbers; the state is another one from now on."""


@dataclass(frozen=True, eq=False)
class Stream:
    """A generator that numbers are drawn of."""

    algorithm: str
    words: TracedArray
    """The state; it is written in place."""

    @property
    def trace(self) -> Recorder:
        """The trace that it is in."""
        return self.words._storage.trace

    def draw(self, op_class: type[Op], operands: Sequence[Any], shape: Any, **attributes: Any) -> Any:
        """Record a draw: the numbers; the state is another one from now on."""
        attribute, dims = split_shape(shape)
        attributes |= {"algorithm": self.algorithm, "shape": attribute}
        numbers, state = emit(self.trace, op_class, (self.words, *operands, *dims), attributes)
        self.words._write(state)
        note_draw(self.trace)
        return numbers


def note_draw(trace: Recorder) -> None:
    """Take note that something is drawn."""
    trace.state(Draws).count += 1


def draws_of(trace: Recorder) -> int:
    """How many draws were recorded so far."""
    return trace.state(Draws).count

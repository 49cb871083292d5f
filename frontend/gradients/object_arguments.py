"""Objects among the arguments by which is differentiated: the gradient is by those of their arrays that are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...dialect.errors import UnsupportedError
from ..tracing.recorder import Recorder
from .tape_requests import is_object
from .traced_tape import TracedTape


@contextmanager
def reading(trace: Recorder, arguments: Sequence[Any]) -> Iterator[TracedTape | None]:
    """A tape that sees which arrays are read in the block; None where no argument is an object."""
    if not any(map(is_object, arguments)):
        yield None
        return
    if trace.is_eager:
        raise UnsupportedError(
            "in plain Python nothing tells which arrays of an object are read: compile the function, or pass its "
            "arrays in a list or dict"
        )
    tape = TracedTape(trace)
    try:
        yield tape
    finally:
        tape.close()


def with_objects(tape: TracedTape | None, y: Any, arguments: Sequence[Any], found: list[Any]) -> list[Any]:
    """The gradients with those by objects: dicts of paths to arrays."""
    if tape is None:
        return found
    return [
        tape.gradient(y, argument, None, False) if is_object(argument) else gradient
        for argument, gradient in zip(arguments, found, strict=True)
    ]


__all__ = ["reading", "with_objects"]

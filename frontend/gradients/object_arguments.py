"""Objects among the arguments by which is differentiated: the gradient is by those of their arrays that are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...dialect.errors import UnsupportedError, WeftTypeError
from ...dialect.types import TensorType, type_of
from ..tracing.array import TracedArray
from ..tracing.recorder import Recorder
from .independent import Variable, described, fitting
from .tape_requests import Ask, arrays_in, is_object
from .traced_tape import TracedTape


@contextmanager
def reading(trace: Recorder, arguments: Sequence[Any]) -> Iterator[TracedTape | None]:
    """A tape that sees which arrays are read in the block; None where no argument is an object."""
    objects = [argument for argument in arguments if is_object(argument)]
    if not objects:
        yield None
        return
    if trace.is_eager and not any(True for owner in objects for _ in arrays_in(owner)):
        yield None
        return
    if trace.is_eager:
        raise UnsupportedError(
            "in plain Python nothing tells which arrays of an object are read: compile the function, or pass its "
            "arrays in a list or dict"
        )
    tape = TracedTape(trace)
    for owner in objects:
        tape.hold(owner)
    try:
        yield tape
    finally:
        tape.close()


def with_objects(
    tape: TracedTape | None,
    ys: list[TracedArray],
    arguments: Sequence[Any],
    found: Sequence[Any],
    ask: Ask,
    leading: tuple[Any, ...] = (),
) -> list[Any]:
    """The derivatives of values with those by objects: dicts of paths to arrays."""
    if tape is None:
        return list(found)
    return [
        tape.by_object(argument, ys, ask, leading) if is_object(argument) else gradient
        for argument, gradient in zip(arguments, found, strict=True)
    ]


def moves_of(trace: Recorder, owner: Any, tangents: Any, path: str) -> list[tuple[np.ndarray[Any, Any], Any]]:
    """The arrays of an object that move, with their tangents, which are told by the paths of arrays.

    Recorded in front of what reads the arrays.
    """
    if tangents is None:
        return []
    arrays = dict(arrays_in(owner))
    if not isinstance(tangents, dict) or not tangents.keys() <= arrays.keys():
        raise WeftTypeError(
            f"the tangent of {path}, an object, is a dict by names of its arrays ({', '.join(arrays)}), not "
            f"{list(tangents) if isinstance(tangents, dict) else described(tangents)}"
        )
    return [
        (
            arrays[name],
            fitting(trace, move, _type(arrays[name]), f"the tangent of {path}.{name}", "the array"),
        )
        for name, move in tangents.items()
        if move is not None
    ]


def _type(array: Any) -> TensorType:
    return array.type if isinstance(array, TracedArray) else type_of(np.asarray(array))


def moved_variables(tape: TracedTape | None, moves: Sequence[tuple[Any, Any]]) -> list[Variable]:
    """The arrays that were read, of those that move, as independent values that move."""
    variables = []
    for given, move in moves:
        array = None if tape is None else tape.array_of(given)
        value = None if tape is None or array is None else tape.found(array._storage)
        if array is not None and value is not None:
            variables.append(Variable(given, array, value, move._value()))
    return variables

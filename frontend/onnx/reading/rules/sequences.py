"""Sequences of arrays, which are lists, and values that may be none."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..namespace import weft
from ..table import Visit, ints, require, rule
from ..tensors import dtype_of
from .shapes import normal_axis, part


@rule("SequenceEmpty")
def sequence_empty(*, dtype: int = 1) -> Any:
    """No arrays."""
    dtype_of(dtype, "the sequence")
    return []


def _place(position: Any, count: int) -> int:
    place = ints(position, "the position")[0]
    require(-count <= place <= count, f"the position {place} is outside of a sequence of {count}")
    return place + count if place < 0 else place


@rule("SequenceInsert")
def sequence_insert(sequence: Any, tensor: Any, position: Any = None) -> Any:
    """With another array, at the end or at a place."""
    place = len(sequence) if position is None else _place(position, len(sequence))
    return [*sequence[:place], tensor, *sequence[place:]]


@rule("SequenceErase")
def sequence_erase(sequence: Any, position: Any = None) -> Any:
    """Without the last array, or that at a place."""
    place = len(sequence) - 1 if position is None else _place(position, len(sequence))
    return [*sequence[:place], *sequence[place + 1 :]]


@rule("SplitToSequence")
def split_to_sequence(x: Any, split: Any = None, *, axis: int, keepdims: int) -> Any:
    """Parts along an axis: of one element, of equal sizes but for the last, or of sizes that are given."""
    axis = normal_axis(axis, x.ndim)
    extent = int(x.shape[axis])
    if split is None:
        places = [part(x, axis, slice(place, place + 1)) for place in range(extent)]
        return [each if keepdims else weft.squeeze(each, axis=axis) for each in places]
    given = ints(split, "split")
    if np.ndim(split) == 0:
        (each,) = given
        given = [min(each, extent - first) for first in range(0, extent, each)]
    ends = np.cumsum(given).tolist()
    return [part(x, axis, slice(end - size, end)) for end, size in zip(ends, given, strict=True)]


@rule("ConcatFromSequence")
def concat_from_sequence(sequence: Any, *, axis: int, new_axis: int) -> Any:
    """`weft.stack` or `weft.concat`."""
    return (weft.stack if new_axis else weft.concat)([weft.asarray(each) for each in sequence], axis=axis)


@rule("OptionalGetElement")
def optional_get_element(value: Any = None) -> Any:
    """The value."""
    require(value is not None, "there is no value")
    return (value,)


@rule("SequenceMap")
def sequence_map(sequence: Any, *others: Any, body: Any, node: Visit) -> Any:
    """What a graph gives for each array of a sequence."""
    results = [
        node.applied(body, (each, *(other[place] if isinstance(other, list) else other for other in others)))
        for place, each in enumerate(sequence)
    ]
    return tuple(list(column) for column in zip(*results, strict=True))


rule("SequenceConstruct", says="The arrays.")(lambda *parts: list(parts))
rule("SequenceAt", says="The array at a place that is known.")(
    lambda sequence, position: sequence[_place(position, len(sequence))]
)
rule("SequenceLength", says="How many arrays there are.")(
    lambda sequence: np.asarray(len(sequence), np.int64)
)
rule("Optional", says="The value, or none.")(lambda value=None, *, type=None: (value,))
rule("OptionalHasElement", says="Whether there is a value.")(lambda value=None: np.asarray(value is not None))

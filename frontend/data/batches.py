"""Batches of elements that come one after the other."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...dialect.errors import WeftValueError
from ..signature.element_kinds import names_in
from ..signature.signature import TensorSpec
from ..tracing.current import current_trace
from . import cursors
from .elements import Key, batched_spec, mapped, require_shape, stacked
from .streams import StreamStep, known


@dataclass(eq=False)
class BatchStream(StreamStep):
    """So many elements together, stacked; the last batch may be smaller."""

    count: int
    drops: bool

    def size(self) -> Any:
        size = known(self.inner.size())
        if size < 0:
            return size
        return size // self.count if self.drops else -(-size // self.count)

    def spec(self) -> Any:
        return batched_spec(self.inner.spec(), self.count if self.drops else None)

    def walk(self, key: Key, start: Any) -> Iterator[Any]:
        # A generator itself, which makes what it walks: so it begins anew where a trace goes another way.
        if current_trace() is None:
            yield from self.listed(key, start)
        else:
            yield from self.filled(key, start)

    def listed(self, key: Key, start: Any) -> Iterator[Any]:
        """The batches, in plain Python."""
        batch: list[Any] = []
        for item in self.inner.walk(key, start * self.count):
            batch.append(item)
            if len(batch) == self.count:
                yield stacked(batch)
                batch = []
        if batch and not self.drops:
            yield stacked(batch)

    def filled(self, key: Key, start: Any) -> Iterator[Any]:
        """The batches, whose room is made when their first element comes: so their number of rows is known."""
        number = 0
        batch: Any  # of no value in front of the loop
        for item in self.inner.walk(key, start * self.count):
            batch = self.begun(item) if number == 0 else self.placed(batch, number, item)  # noqa: F821
            number += 1
            if number == self.count:
                yield batch
                number = 0
        if not self.drops and number > 0:  # what is dropped is not traced: its size would not be known
            yield self.begin_of(batch, number)

    def cursor(self, key: Key) -> Any:
        return cursors.BatchCursor(self.inner.cursor(key), self)

    def begun(self, item: Any) -> Any:
        """A batch with room for all elements, and the first in it."""
        return self.placed(mapped(functools.partial(room, self.count), item), 0, item)

    def placed(self, batch: Any, number: Any, item: Any) -> Any:
        """The batch with an element in its place."""
        return mapped(functools.partial(with_row, number), batch, item)

    def begin_of(self, batch: Any, number: Any) -> Any:
        """The first rows of a batch."""
        return mapped(lambda part: part[:number], batch)


def room(count: int, part: Any) -> Any:
    """An array for one part of so many elements."""
    return np.zeros((count, *np.shape(part)), np.asarray(part).dtype)


def with_row(number: Any, batch: Any, part: Any) -> Any:
    """An array with a row, which has the shape of the others."""
    require_shape(number, np.shape(part), np.shape(batch)[1:])
    batch[number] = part
    return batch


@dataclass(eq=False)
class PaddedBatch(BatchStream):
    """So many elements together, each padded to the longest of them or to given shapes."""

    shapes: Any
    values: Any

    def spec(self) -> Any:
        return padded_spec(self.inner.spec(), self.shapes, self.count if self.drops else None)

    def walk(self, key: Key, start: Any) -> Iterator[Any]:
        yield from self.filled(key, start)

    def begun(self, item: Any) -> Any:
        shapes, values = aligned(self.shapes, item), aligned(self.values, item)
        return self.placed(mapped(self.padded_room, item, shapes, values), 0, item)

    def padded_room(self, part: Any, shape: Any, value: Any) -> Any:
        """As `room`, of the given shape."""
        dtype = np.asarray(part).dtype
        return np.full(
            (self.count, *padded_extents(np.shape(part), shape)), 0 if value is None else value, dtype
        )

    def placed(self, batch: Any, number: Any, item: Any) -> Any:
        shapes, values = aligned(self.shapes, item), aligned(self.values, item)
        return mapped(functools.partial(with_padded_row, number), batch, item, shapes, values)


def aligned(given: Any, item: Any) -> Any:
    """What is said for the parts of an element, in the structure of it."""
    if isinstance(item, tuple):
        return tuple([aligned(inside(given, place), part) for place, part in enumerate(item)])
    if isinstance(item, dict):
        return {name: aligned(inside(given, name), item[name]) for name in item}
    return given


def inside(given: Any, step: Any) -> Any:
    """What is said for one part of an element; a value that is said once is for all."""
    return given[step] if isinstance(given, (tuple, list, dict)) else given


def with_padded_row(number: Any, batch: Any, part: Any, shape: Any, value: Any) -> Any:
    """An array with a row and what pads it, which is wider than before where the row is."""
    own, extents = np.shape(part), padded_extents(np.shape(part), shape)
    width = [max(extents[axis], batch.shape[axis + 1]) for axis in range(len(own))]
    # Compiled code, which knows the width when it runs, has a new array each time: which it was is no question then.
    is_fixed = shape is not None and None not in as_extents(shape) and -1 not in as_extents(shape)
    if not is_fixed and (current_trace() is not None or width != list(batch.shape[1:])):
        batch = widened(batch, width, value)
    where: Any = (number, *[slice(0, extent) for extent in own])
    batch[where] = part
    return batch


def widened(batch: Any, width: list[Any], value: Any) -> Any:
    """An array of wider rows, with what pads them."""
    wider = np.full((len(batch), *width), 0 if value is None else value, batch.dtype)
    where: Any = (slice(None), *[slice(0, extent) for extent in batch.shape[1:]])
    wider[where] = batch
    return wider


def padded_extents(own: Any, shape: Any) -> list[Any]:
    """The extents that an element has at least when it is padded."""
    if shape is None:
        return list(own)
    given = as_extents(shape)
    if len(given) != len(own):
        raise WeftValueError(
            f"padded_batch: padded_shapes has {len(given)} dimensions for a part of an element that has {len(own)}"
        )
    return [longest_or_given(own[axis], given[axis], axis) for axis in range(len(own))]


def as_extents(shape: Any) -> tuple[int | None, ...]:
    """Extents of `padded_shapes`, of which one may stand alone."""
    return tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)


def longest_or_given(longest: Any, given: int | None, axis: int) -> Any:
    """The extent to pad to."""
    if given is None or given == -1:
        return longest
    if longest > given:
        has = f"{longest} entries" if current_trace() is None else "more entries"
        raise WeftValueError(
            f"padded_batch: an element has {has} along axis {axis}, and padded_shapes says {given}"
        )
    return given


def padded_spec(spec: Any, shapes: Any, count: int | None) -> Any:
    """The types of padded batches."""
    if isinstance(spec, tuple):
        parts = [padded_spec(part, inside(shapes, place), count) for place, part in enumerate(spec)]
        return type(spec)(*parts) if names_in(spec) else tuple(parts)
    if isinstance(spec, dict):
        return {name: padded_spec(part, inside(shapes, name), count) for name, part in spec.items()}
    rank = len(spec.shape)
    given = (
        (None,) * rank
        if shapes is None
        else tuple(shapes)
        if isinstance(shapes, (tuple, list))
        else (shapes,)
    )
    return TensorSpec((count, *[None if extent == -1 else extent for extent in given]), spec.dtype)

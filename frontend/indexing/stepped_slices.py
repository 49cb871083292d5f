"""`x[start:stop:step]` with a step that is known when the program runs: a view of the places that the slice names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...dialect.errors import WeftTypeError
from ...dialect.ops.creation import Arange
from ...dialect.ops.indexing import Gather
from ..tracing.array import wrap
from ..tracing.element_stores import bounded_index
from ..tracing.staging import apply, is_traced, raise_if, value_of
from ..tracing.view_steps import ViewStep

if TYPE_CHECKING:
    from ..tracing.array import TracedArray

_NO_BOUND = "slice indices must be integers or None or have an __index__ method"


def has_traced_step(item: Any) -> bool:
    """Whether an entry of an index is a slice with a traced step."""
    return isinstance(item, slice) and is_traced(item.step)


def take_steps(x: TracedArray, index: Any) -> tuple[TracedArray, Any]:
    """A view of the array along the axes that are sliced with traced steps, and the index that remains.

    Writes through the view reach the array: no place is named twice.
    """
    entries = list(index) if isinstance(index, tuple) else [index]
    if not any(map(has_traced_step, entries)):
        return x, index
    consumed = [_axes_of(entry) for entry in entries]
    axis = 0
    for position, entry in enumerate(entries):
        if has_traced_step(entry) and axis < x.ndim:
            places = _places(x, axis, entry)
            x = x._view(ViewStep(Gather, {"axes": (axis,), "position": axis}, (places,)))
            entries[position] = slice(None)
        axis += x.ndim - sum(consumed) if entry is Ellipsis else consumed[position]
    return x, tuple(entries)


def _axes_of(entry: Any) -> int:
    """How many axes an entry of an index is for; an ellipsis takes what is left."""
    if entry is None or entry is Ellipsis or isinstance(entry, (bool, np.bool_)):
        return 0
    is_mask = getattr(entry, "dtype", None) == np.bool_
    return int(np.ndim(entry)) if is_mask else 1


def _places(x: TracedArray, axis: int, entry: slice) -> TracedArray:
    """The places that a slice names, by the rules of `slice.indices`."""
    trace = x._storage.trace
    known = x.type.shape[axis]
    extent: Any = x.shape[axis] if known is None else wrap(trace, value_of(trace, np.asarray(known)))
    step = _integer(entry.step)
    raise_if(step == 0, "ValueError", "slice step cannot be zero")
    step = np.where(step == 0, 1, step)
    backwards = step < 0
    lowest = np.where(backwards, -1, 0)
    highest = np.where(backwards, extent - 1, extent)

    def bound(given: Any, default: Any) -> Any:
        if given is None:
            return default
        number = _integer(given)
        return np.where(number < 0, np.maximum(number + extent, lowest), np.minimum(number, highest))

    start = bound(entry.start, np.where(backwards, highest, lowest))
    stop = bound(entry.stop, np.where(backwards, lowest, highest))
    count = np.maximum(-((start - stop) // step), 0)
    places: TracedArray = apply(Arange, start, step, count, shape=(-1,))
    return places


def _integer(bound: Any) -> Any:
    """A bound or step as an i64[], or an int."""
    if not is_traced(bound):
        try:
            return max(-(2**62), min(2**62, bound.__index__()))
        except AttributeError:
            raise WeftTypeError(_NO_BOUND) from None
    if bound.ndim or bound.dtype.kind not in "iu":
        raise WeftTypeError(
            "only integer scalar arrays can be converted to a scalar index" if bound.ndim else _NO_BOUND
        )
    return bounded_index(bound)

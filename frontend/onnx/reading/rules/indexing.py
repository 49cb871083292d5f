"""Elements at places that arrays tell."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....autograph.loop_hints import range as staged_range
from ....autograph.operators.objects.access import set_item
from ....autograph.operators.statements.for_loops import for_
from ..namespace import item, weft, writable
from ..sizes import as_array
from ..table import Refused, known, rule
from .shapes import normal_axis


def within(indices: Any, extent: Any) -> Any:
    """Indices from the end as such from the beginning."""
    if isinstance(indices, np.ndarray) and isinstance(extent, int):
        return np.where(indices < 0, indices + extent, indices)
    return indices


@rule("GatherElements")
def gather_elements(x: Any, indices: Any, *, axis: int) -> Any:
    """`weft.take_along_axis`, of as many elements of the other axes as there are indices."""
    return item(x, _grid(x, indices, axis))


def _grid(x: Any, indices: Any, axis: int) -> tuple[Any, ...]:
    """Indices for all axes, of which one is given."""
    axis = normal_axis(axis, x.ndim)
    found: list[Any] = []
    for other in range(x.ndim):
        if other == axis:
            found.append(indices)
            continue
        shape = tuple(-1 if a == other else 1 for a in range(x.ndim))
        found.append(weft.reshape(weft.arange(indices.shape[other]), shape))
    return tuple(found)


def _places(x: Any, indices: Any, batch_dims: int = 0) -> tuple[Any, ...]:
    depth = indices.shape[-1]
    if not isinstance(depth, int):
        raise Refused("needs to know how many indices the last axis has")
    outer = []
    for axis in range(batch_dims):
        shape = tuple(-1 if a == axis else 1 for a in range(indices.ndim - 1))
        outer.append(weft.reshape(weft.arange(indices.shape[axis]), shape))
    return (*outer, *(indices[..., place] for place in range(depth)))


@rule("ScatterElements")
def scatter_elements(x: Any, indices: Any, updates: Any, *, axis: int, reduction: str = "none") -> Any:
    """A copy in which elements along an axis are set, or combined with others."""
    return scattered(x, _grid(x, indices, axis), updates, reduction)


@rule("ScatterND")
def scatter_nd(x: Any, indices: Any, updates: Any, *, reduction: str = "none") -> Any:
    """A copy in which parts are set, or combined with others, at places that the last axis of the indices tells."""
    return scattered(x, _places(x, indices), updates, reduction)


_COMBINED = {"mul": "multiply", "max": "maximum", "min": "minimum"}


def scattered(x: Any, places: tuple[Any, ...], updates: Any, reduction: str) -> Any:
    result = weft.copy(x)
    if reduction == "none":
        result = writable(result, updates, *places)
        result[places] = updates
        return result
    if reduction == "add":
        result = writable(result, updates, *places)
        np.add.at(result, places, updates)
        return result
    return _one_by_one(result, places, updates, getattr(weft, _COMBINED[reduction]))


def _one_by_one(result: Any, places: tuple[Any, ...], updates: Any, combine: Any) -> Any:
    """Updates that are combined one after the other, as places may come twice."""
    count_of = weft.broadcast_arrays(*places)
    rank = count_of[0].ndim
    inner = tuple(updates.shape[rank:])
    flat = [weft.reshape(each, (-1,)) for each in count_of]
    rows = weft.reshape(updates, (-1, *inner))
    result = writable(result, rows, *flat)

    def update(i: Any) -> None:
        place = tuple(item(each, (i,)) for each in flat)
        set_item(result, place, combine(result[place], item(rows, (i,))))

    for_(staged_range(flat[0].shape[0]), update)
    return result


@rule("OneHot", takes_sizes=True)
def one_hot(indices: Any, depth: Any, values: Any, *, axis: int) -> Any:
    """The second of the values where an index is, else the first."""
    indices, values = as_array(indices), as_array(values)
    count = int(known(depth, "the depth").ravel()[0])
    rank = indices.ndim + 1
    axis = normal_axis(axis, rank)
    whole = weft.astype(indices, np.int64)
    whole = weft.where(weft.less(whole, 0), whole + count, whole)
    line = weft.reshape(weft.arange(count), tuple(-1 if a == axis else 1 for a in range(rank)))
    return weft.where(weft.equal(weft.expand_dims(whole, axis=axis), line), values[1], values[0])


@rule("ReverseSequence")
def reverse_sequence(x: Any, sequence_lens: Any, *, batch_axis: int, time_axis: int) -> Any:
    """Each sequence in reverse, as far as it goes."""
    line = weft.reshape(
        weft.arange(x.shape[time_axis]), tuple(-1 if a == time_axis else 1 for a in range(x.ndim))
    )
    lengths = weft.reshape(
        weft.asarray(sequence_lens), tuple(-1 if a == batch_axis else 1 for a in range(x.ndim))
    )
    places = weft.where(weft.less(line, lengths), lengths - 1 - line, line)
    return weft.take_along_axis(x, weft.broadcast_to(places, x.shape), axis=time_axis)


@rule("TensorScatter")
def tensor_scatter(past: Any, update: Any, write_indices: Any = None, *, axis: int, mode: str) -> Any:
    """A cache with new entries along an axis from a place on, for each of a batch."""
    axis = normal_axis(axis, past.ndim)
    batch, length = past.shape[0], update.shape[axis]
    start = weft.zeros((batch,), dtype=np.int64) if write_indices is None else write_indices
    steps = weft.reshape(weft.arange(length), tuple(-1 if a == axis else 1 for a in range(past.ndim)))
    first = weft.reshape(weft.asarray(start), tuple(-1 if a == 0 else 1 for a in range(past.ndim)))
    places = first + steps
    if mode == "circular":
        places = places % past.shape[axis]
    return scattered(past, _grid_with(past, update, places, axis), update, "none")


def _grid_with(x: Any, updates: Any, places: Any, axis: int) -> tuple[Any, ...]:
    return tuple(
        places
        if other == axis
        else weft.reshape(
            weft.arange(updates.shape[other]), tuple(-1 if a == other else 1 for a in range(x.ndim))
        )
        for other in range(x.ndim)
    )


rule("Gather", moves=(0,), says="`weft.take`.")(
    lambda x, indices, *, axis: weft.take(weft.asarray(x), within(indices, x.shape[axis]), axis=axis)
)
rule("GatherND", says="Parts of an array at places that the last axis of the indices tells.")(
    lambda x, indices, *, batch_dims=0: item(x, _places(x, indices, batch_dims))
)
rule("Scatter", says="`ScatterElements`, which it was called before.")(
    lambda x, indices, updates, *, axis: scatter_elements(x, indices, updates, axis=axis)
)
rule("Compress", says="`weft.compress`.")(
    lambda x, condition, *, axis=None: weft.compress(condition, x, axis=axis)
)

"""Ops that read and write at indices: each rank does it where the places are its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....dialect.emitter import INT64, INT64_MAX, Tensor
from ..layouts import Layout, Split, is_whole
from ..messages import GATHERED, padded
from ..parts import Part, Site
from . import requests
from .elementwise import common_layout

_READ = "elements of an array that is split are read at places that are split as well"
_WRITTEN = "elements of an array are written at places that are split"


def gather(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`gather`: what a rank does not have it takes as zero; the sum of all is the result."""
    part, *indices = parts
    axes, position = list(site.attributes["axes"]), site.attributes["position"]
    b = site.b
    places = common_layout(indices, indices[0].shape)
    searched = [axis for axis in axes if part.layout[axis] is not None]
    taken = {split.axis for split in part.layout if split is not None}
    both = [split.axis for split in places if split is not None and split.axis in taken]
    if both and (part.bytes <= GATHERED or all(site.grid.extent(axis) == 1 for axis in both)):
        part, searched = site.whole(part), []
    elif both and [_axis_of(part, axis) for axis in searched] == both and _bytes(indices) > GATHERED:
        indices = [site.laid_out(index, places, _READ) for index in indices]
        return [requests.read(site, part, indices, searched[0], places)]
    elif both and part.bytes <= _bytes(indices):
        part, searched = site.whole(part, _READ), []
    elif both:
        places = (None,) * len(places)
    reason = _READ if _bytes(indices) > GATHERED else ""
    indices = [site.laid_out(index, places, reason) for index in indices]
    values = [index.value for index in indices]
    here: Tensor | None = None
    summed: list[str] = []
    for axis in searched:
        split = part.split(axis)
        number = axes.index(axis)
        values[number], own = _own_place(site, values[number], split)
        here = own if here is None else here & own
        summed.append(split.axis)
    source = part.value
    for axis in searched:
        if source.shape[axis] == 0:
            source = padded(b, source, axis, 1)
    found = site.emitted([source, *values])[0]
    rest = [split for axis, split in enumerate(part.layout) if axis not in axes]
    layout: Layout = (*rest[:position], *places, *rest[position:])
    if here is not None:
        behind = found.rank - position - here.rank
        mask = b.expand_dims(here, axes=tuple(range(here.rank, here.rank + behind))) if behind else here
        found = b.select(mask, found, b.number(-0.0, found.dtype))  # any number, with it added, stays so
        for axis in summed:
            found = site.messages.reduced(b, found, "max" if found.dtype.kind == "b" else "sum", axis)
    return [Part(found, site.shapes[0], layout)]


def _bytes(parts: Sequence[Part]) -> int:
    return sum(part.bytes for part in parts)


def _axis_of(part: Part, dim: int) -> str | None:
    split = part.layout[dim]
    return None if split is None else split.axis


def _own_place(site: Site, index: Tensor, split: Split) -> tuple[Tensor, Tensor]:
    """The index in the block of this rank, and whether it is there."""
    b, block = site.b, site.block(split)
    index = b.select(index < 0, index + b.number(split.extent, INT64), index)
    index = b.minimum(b.maximum(index, b.number(0, INT64)), b.number(max(split.extent - 1, 0), INT64))
    here = b.greater_equal(index, b.number(block.start, INT64)) & (index < b.number(block.stop, INT64))
    own = b.select(here, index - b.number(block.start, INT64), b.number(0, INT64))
    return own, here


def scatter(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`scatter`: what goes elsewhere is written to a place that is cut off again."""
    whole, update, *indices = parts
    position, rank = site.attributes["position"], len(indices[0].shape)
    places = common_layout([*indices, _slice_of(update, position, rank)], indices[0].shape)
    if not is_whole(places):
        made = _sent_there(site, parts, places) or _added(site, parts)
        if made is not None:
            return made
    reason = _WRITTEN if _bytes(parts[1:]) > GATHERED else ""
    axes = list(site.attributes["axes"])
    nowhere = (None,) * len(places)
    indices = [site.laid_out(index, nowhere, reason) for index in indices]
    rest = [split for axis, split in enumerate(whole.layout) if axis not in axes]
    if whole.is_whole:  # split as the update is
        given = [*update.layout[:position], *update.layout[position + len(places) :]]
        wanted = iter(given)
        layout = tuple(None if axis in axes else next(wanted) for axis in range(whole.rank))
        whole = site.laid_out(whole, layout)
        rest = given
    update = site.laid_out(update, (*rest[:position], *nowhere, *rest[position:]), reason)
    b, target = site.b, whole.value
    values = [index.value for index in indices]
    cut = []
    for axis in axes:
        split = whole.layout[axis]
        if split is None:
            continue
        number, length = axes.index(axis), len(site.block(split))
        own, here = _own_place(site, values[number], split)
        values[number] = b.select(here, own, b.number(length, INT64))
        target = padded(b, target, axis, length + 1)
        cut.append((axis, length))
    found = site.emitted([target, update.value, *values])[0]
    for axis, length in cut:
        found = b.along(found, axis, 0, length)
    return [Part(found, whole.shape, whole.layout)]


def _sent_there(site: Site, parts: Sequence[Part], places: Layout) -> list[Part] | None:
    """What is written at places that are split, sent to those whose places they are: where all of it is long."""
    whole, update, *indices = parts
    axes, position = site.attributes["axes"], site.attributes["position"]
    over = [split.axis for split in places if split is not None]
    is_added = site.attributes["mode"] == "add"  # which is done on zeros, and summed, where these are few
    if len(over) > 1 or site.grid.extent(over[0]) == 1:
        return None
    if min(_bytes(parts[1:]), whole.bytes if is_added else INT64_MAX) <= GATHERED:
        return None
    extent = whole.shape[axes[0]]
    if whole.is_whole and not is_added and extent is not None:
        whole = site.cut(whole, axes[0], site.split(over[0], extent))
    written = [axis for axis in axes if whole.layout[axis] is not None]
    if [_axis_of(whole, axis) for axis in written] != over:
        return None
    rest = [split for axis, split in enumerate(whole.layout) if axis not in axes]
    indices = [site.laid_out(index, places) for index in indices]
    update = site.laid_out(update, (*rest[:position], *places, *rest[position:]), _WRITTEN)
    return [requests.written(site, whole, update, indices, written[0])]


def _added(site: Site, parts: Sequence[Part]) -> list[Part] | None:
    """Numbers that are added at places which are split: each rank adds its own to zeros, and the sum is added."""
    whole, update, *indices = parts
    if site.attributes["mode"] != "add" or whole.value.dtype.kind == "b":
        return None
    axes, position = site.attributes["axes"], site.attributes["position"]
    rank = len(indices[0].shape)
    shape = update.shape[position : position + rank]
    whole_places = [Part(index.value, index.shape, index.layout) for index in indices]
    places = common_layout([*whole_places, _slice_of(update, position, rank)], shape)
    over = [split.axis for split in places if split is not None]
    rest = [None if axis in axes else split for axis, split in enumerate(whole.layout)]
    if any(split is not None and split.axis in over for split in rest):
        return None
    kept = [split for axis, split in enumerate(rest) if axis not in axes]
    b = site.b
    indices = [site.laid_out(index, places, _WRITTEN) for index in indices]
    update = site.laid_out(update, (*kept[:position], *places, *kept[position:]), _WRITTEN)
    extents = [
        whole.extent(axis) if axis in axes and split is not None else b.extent(whole.value, axis)
        for axis, split in enumerate(whole.layout)
    ]
    zeros = b.full(extents, 0, whole.value.dtype)
    added = site.emitted([zeros, update.value, *(index.value for index in indices)])[0]
    for axis in over:
        added = site.messages.reduced(b, added, "sum", axis)
    part = site.laid_out(Part(added, whole.shape, tuple(rest)), whole.layout)
    return [Part(whole.value + part.value, whole.shape, whole.layout)]


def _slice_of(part: Part, start: int, count: int) -> Part:
    """Some axes of a value, for its layout only."""
    return Part(part.value, part.shape[start : start + count], part.layout[start : start + count])


def searchsorted(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`searchsorted`: each rank looks for its own values, in all that is sorted."""
    line, values = parts
    line = site.whole(line, "values are looked for in an array that is split")
    return [Part(site.emitted([line.value, values.value])[0], values.shape, values.layout)]


def find_out_of_bounds(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`find_out_of_bounds`: the first rank that finds one tells it, or the one that finds the first in their order."""
    indices, extent = parts
    over = [split.axis for split in indices.layout if split is not None]
    if over and (len(over) > 1 or indices.layout[0] is None):
        return _first_outside(site, indices, extent.value, over)
    flag, first = site.emitted([indices.value, extent.value])
    b = site.b
    if over:
        (axis,) = over
        ranks = Split(axis, tuple(range(site.grid.extent(axis) + 1)))
        both = b.stack(b.cast(flag, dtype=INT64), first, axis=0)
        gathered = site.messages.gathered(b, b.expand_dims(both, axes=(0,)), 0, ranks)
        flags = b.squeeze(b.along(gathered, 1, 0, 1), axes=(1,))
        firsts = b.squeeze(b.along(gathered, 1, 1, 2), axes=(1,))
        place = b.argmax(flags, axis=0, keepdims=False)
        flag = b.cast(b.gather(flags, place, axes=(0,), position=0), dtype=np.dtype(np.bool_))
        first = b.gather(firsts, place, axes=(0,), position=0)
    return [Part(flag, (), ()), Part(first, (), ())]


def _first_outside(site: Site, indices: Part, extent: Tensor, over: Sequence[str]) -> list[Part]:
    """Whether an index is outside, and the one with the lowest place among all."""
    b, x = site.b, indices.value
    place = b.full(b.extents(x), 0, INT64)
    for axis, split in enumerate(indices.layout):
        whole = b.as_number(b.extent(x, axis) if split is None else split.extent, INT64)
        start = 0 if split is None else site.block(split).start
        place = place * whole + (b.positions(x, axis) + b.number(start, INT64))
    nowhere = b.number(INT64_MAX, INT64)
    place = b.select((x < -extent) | b.greater_equal(x, extent), place, nowhere)
    lowest = nowhere if 0 in x.shape else b.min(place, axes=tuple(range(x.rank)), keepdims=False)
    for name in over:
        lowest = site.messages.reduced(b, lowest, "min", name)
    flag = lowest < nowhere
    first = b.sum(b.select(place.equals(lowest) & flag, x, 0), axes=tuple(range(x.rank)), keepdims=False)
    for name in over:
        first = site.messages.reduced(b, first, "sum", name)
    return [Part(flag, (), ()), Part(first, (), ())]

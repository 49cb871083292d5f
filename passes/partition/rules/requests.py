"""Elements at places that are split, of an array that is split alike: ranks ask those that have them.

    x: [0 1 2 3 | 4 5 6 7]    places: [1 6 | 0 5]    rank 0 asks itself for 1, and rank 1 for 2, its third element

Each rank orders its places by who has them, and sends each other rank as many requests as the most that any rank has
for one; these go by one all_to_all, and what is read comes back by another. What is written goes along with the places,
and is written in the order of the ranks, which is that of the whole array.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ....dialect.emitter import INT64, Tensor
from ....dialect.records import dataclass
from ..layouts import Layout, Split
from ..messages import padded
from ..parts import Part, Site

_NOTHING = -1
"""The place that a request has which asks for nothing."""


@dataclass(frozen=True, eq=False)
class Requests:
    """What this rank asks others for, and others ask of it."""

    site: Site
    axis: str
    slots: Tensor
    """Where the request for each place lies among those to all ranks, one behind the other."""
    most: Tensor
    """How many there are to each rank, those for nothing among them."""

    @classmethod
    def of(cls, site: Site, index: Tensor, split: Split) -> Requests:
        """Those for some places, of which ranks have blocks."""
        b, ranks = site.b, site.grid.extent(split.axis)
        owner = b.searchsorted(b.constant(value=np.array(split.bounds[1:-1], np.int64)), index, side="right")
        order = b.argsort(owner, axis=0, descending=False)
        in_order = b.gather(owner, order, axes=(0,), position=0)
        everyone = b.iota(ranks)
        first, behind = (b.searchsorted(in_order, everyone, side=side) for side in ("left", "right"))
        counts = b.max(behind - first, axes=(0,), keepdims=False)
        most = site.messages.reduced(b, counts, "max", split.axis)
        before = b.gather(first, in_order, axes=(0,), position=0)
        slots = in_order * most + b.iota(b.extent(index, 0)) - before
        slots = b.scatter(b.zeros_like(slots), slots, order, axes=(0,), position=0, mode="set")
        return cls(site, split.axis, slots, most)

    def sent(self, rows: Tensor, nothing: int) -> Tensor:
        """What all ranks send to this one with their requests, in the order of the ranks."""
        b, (_, *rest) = self.site.b, self.site.b.extents(rows)
        empty = b.full([self.most * self.site.grid.extent(self.axis), *rest], nothing, rows.dtype)
        return self.exchanged(b.scatter(empty, rows, self.slots, axes=(0,), position=0, mode="set"))

    def exchanged(self, rows: Tensor) -> Tensor:
        """What other ranks have for this one, of what each of them has for all ranks."""
        b, (_, *rest) = self.site.b, self.site.b.extents(rows)
        ranks = self.site.grid.extent(self.axis)
        layers = b.reshaped(rows, [ranks, self.most, *rest])
        row = math.prod(extent or 0 for extent in rows.shape[1:]) * rows.dtype.itemsize
        found = self.site.messages.exchanged_parts(b, layers, self.axis, (self.slots.shape[0] or 0) * row)
        return b.reshaped(found, [self.most * ranks, *rest])


def _asked(
    site: Site, indices: Sequence[Part], number: int, split: Split
) -> tuple[Requests, list[Tensor], Tensor]:
    """The requests for some places, what is asked of this rank for each index, and whether something is."""
    b = site.b
    flat = [b.reshaped(index.value, [b.count(index.value, range(index.rank))]) for index in indices]
    index = b.select(flat[number] < 0, flat[number] + split.extent, flat[number])
    index = b.minimum(b.maximum(index, b.number(0, INT64)), b.number(max(split.extent - 1, 0), INT64))
    flat[number] = index
    requests = Requests.of(site, index, split)
    asked = requests.sent(b.stack(*flat, axis=1), _NOTHING)
    places = [b.squeeze(b.along(asked, 1, n, n + 1), axes=(1,)) for n in range(len(flat))]
    here = b.greater_equal(places[number], b.number(0, INT64))
    places[number] = places[number] - site.block(split).start
    return requests, places, here


def read(site: Site, part: Part, indices: Sequence[Part], axis: int, places: Layout) -> Part:
    """`gather` along an axis that is split as the places are, which are laid out like that."""
    b, split, position = site.b, part.layout[axis], site.attributes["position"]
    assert split is not None
    axes = list(site.attributes["axes"])
    requests, asked, here = _asked(site, indices, axes.index(axis), split)
    source = padded(b, part.value, axis, 1) if part.value.shape[axis] == 0 else part.value
    asked = [b.select(here, place, 0) for place in asked]
    answers = requests.exchanged(site.emitted([source, *asked], position=0)[0])
    slots = b.reshaped(requests.slots, b.extents(indices[0].value))
    found = b.gather(answers, slots, axes=(0,), position=position)
    rest = [own for dim, own in enumerate(part.layout) if dim not in axes]
    return Part(found, site.shapes[0], (*rest[:position], *places, *rest[position:]))


def written(site: Site, whole: Part, update: Part, indices: Sequence[Part], axis: int) -> Part:
    """`scatter` along an axis that is split as the places are."""
    b, split, position = site.b, whole.layout[axis], site.attributes["position"]
    assert split is not None
    axes, rank = list(site.attributes["axes"]), indices[0].rank
    requests, asked, here = _asked(site, indices, axes.index(axis), split)
    order = (*range(position, position + rank), *range(position), *range(position + rank, update.rank))
    rows = (
        update.value if order == tuple(range(update.rank)) else b.transpose(update.value, permutation=order)
    )
    rows = b.reshaped(rows, [b.count(rows, range(rank)), *b.extents(rows)[rank:]])
    length = len(site.block(split))
    asked = [
        b.select(here, place, length if dim == axis else 0) for dim, place in zip(axes, asked, strict=True)
    ]
    target = padded(b, whole.value, axis, length + 1)
    found = site.emitted([target, requests.sent(rows, 0), *asked], position=0)[0]
    return Part(b.along(found, axis, 0, length), whole.shape, whole.layout)

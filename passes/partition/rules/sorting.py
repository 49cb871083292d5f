"""Sorting along the axis that is split: blocks are sorted, and pairs of ranks merge theirs.

Which pairs is what Batcher's odd-even merge sort says of elements: where these are compared, blocks are merged, and one
rank keeps the lower half, the other one the upper. With n ranks that takes about log2(n)^2 / 2 rounds, and no rank has
more than two blocks. Short arrays are gathered, which takes one round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ....dialect.dtypes import kind
from ....dialect.emitter import INT64, Tensor
from ....dialect.ops.reductions import extremum_of_nothing
from ....dialect.ops.sorting import Argsort, Sort
from ....dialect.types import normalize_axis
from ..layouts import Split
from ..messages import GATHERED, joined
from ..parts import Part, Site
from .along import along


def sort(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`sort`, and `partition`, for which what is sorted is good enough."""
    return _merged(site, parts, with_places=False)


def argsort(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`argsort`: elements go with their places, by which equal ones are ordered."""
    return _merged(site, parts, with_places=True)


def _merged(site: Site, parts: Sequence[Part], *, with_places: bool) -> list[Part]:
    (part,) = parts
    dim = normalize_axis(site.attributes["axis"], part.rank)
    split = part.layout[dim]
    if split is None or any(extent != 1 for place, extent in enumerate(part.shape) if place != dim):
        return along(site, parts)  # another axis may be split instead
    ranks, extent = site.grid.extent(split.axis), part.extent(dim)
    if part.bytes <= GATHERED:
        (value,) = site.emitted([site.gathered(part, dim).value])
        return [Part(value, part.shape, (*part.layout[:dim], None, *part.layout[dim + 1 :]))]
    if ranks == 1:
        return [Part(site.emitted([part.value])[0], part.shape, part.layout)]
    longest = -(-extent // ranks)
    even = Split(split.axis, tuple(min(place * longest, extent) for place in range(ranks + 1)))
    part = site.moved(part, dim, even)
    b, mine = site.b, site.place(even)
    descending = site.attributes.get("descending", False)
    missing = longest - len(site.block(even))
    values = [part.value]
    if missing:  # what comes last in any case
        high = tuple(missing if place == dim else 0 for place in range(part.rank))
        nothing = b.number(_last(part.value, descending), part.value.dtype)
        values = [b.pad(part.value, nothing, low=(0,) * part.rank, high=high)]
    if with_places:
        first = b.number(mine * longest, INT64)
        places = b.arange(first, b.number(1, INT64), shape=(longest,))
        values.append(b.reshaped(places, [longest if place == dim else 1 for place in range(part.rank)]))
    values = _sorted(site, values, dim, descending)
    for distance, lower in rounds(ranks):
        above = [site.messages.from_rank(b, x, -distance, split.axis) for x in values]
        below = [site.messages.from_rank(b, x, distance, split.axis) for x in values]
        if mine in lower:
            both = [joined(b, pair, dim) for pair in zip(values, above, strict=True)]
            values = [b.along(x, dim, 0, longest) for x in _sorted(site, both, dim, descending)]
        elif mine - distance in lower:
            both = [joined(b, pair, dim) for pair in zip(below, values, strict=True)]
            values = [b.along(x, dim, longest, 2 * longest) for x in _sorted(site, both, dim, descending)]
    own = len(site.block(even))
    x = b.along(values[-1], dim, 0, own) if own < longest else values[-1]
    return [Part(x, part.shape, part.layout)]


def _sorted(site: Site, values: Sequence[Tensor], dim: int, descending: bool) -> list[Tensor]:
    """Elements in their order; where their places are given, too, these come with them, in order for equal ones."""
    b = site.b
    if len(values) == 1:
        return b.emit(Sort, list(values), {"axis": dim, "descending": descending})
    found = list(values)
    for by, falls in ((1, False), (0, descending)):
        (order,) = b.emit(Argsort, [found[by]], {"axis": dim, "descending": falls})
        found = [b.take_along_axis(x, order, axis=dim) for x in found]
    return found


def _last(x: Tensor, descending: bool) -> complex:
    """What sorts behind everything else, or beside what is equal to it."""
    if kind(x.dtype) in "fc" and not descending:
        return complex(np.nan, np.nan) if kind(x.dtype) == "c" else np.nan
    return extremum_of_nothing(x.dtype, smallest=not descending)


def rounds(count: int) -> Iterator[tuple[int, frozenset[int]]]:
    """For each round how far the two of a pair are apart, and the lower ones of the pairs.

    >>> [(distance, sorted(lower)) for distance, lower in rounds(4)]
    [(1, [0, 2]), (2, [0, 1]), (1, [1])]
    """
    width = 1
    while width < count:
        distance = width
        while distance:
            lower = frozenset(
                place + start
                for start in range(distance % width, count - distance, 2 * distance)
                for place in range(min(distance, count - start - distance))
                if (place + start) // (2 * width) == (place + start + distance) // (2 * width)
            )
            if lower:
                yield distance, lower
            distance //= 2
        width *= 2

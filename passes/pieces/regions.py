"""Parts of arrays: the region that a piece computes, and where the blocks of an array begin."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, product
from typing import NamedTuple, TypeAlias

Region: TypeAlias = "tuple[tuple[int, int], ...]"
"""For each axis the first index, and the one behind the last."""

Origin: TypeAlias = "tuple[int, int]"
"""An argument and an axis of it."""


class Cuts(NamedTuple):
    """Where the blocks of an axis begin, and its extent at the end."""

    points: tuple[int, ...]
    origins: frozenset[Origin] = frozenset()
    """The axes of arguments whose blocks these are."""

    @property
    def extent(self) -> int:
        """How long the axis is."""
        return self.points[-1]

    @property
    def is_split(self) -> bool:
        """Whether there are several blocks."""
        return len(self.points) > 2

    @property
    def sizes(self) -> tuple[int, ...]:
        """The extents of the blocks.

        >>> Cuts((0, 3, 5)).sizes
        (3, 2)
        """
        return tuple(end - begin for begin, end in pairwise(self.points))

    def moved(self, points: Iterable[int], extent: int) -> Cuts:
        """The same blocks at other places; those without elements are left out.

        >>> Cuts((0, 3, 5)).moved((-1, 2, 4), 4).points
        (0, 2, 4)
        """
        inner = sorted({point for point in points if 0 < point < extent})
        return Cuts((0, *inner, extent), self.origins if inner else frozenset())


def whole(extent: int) -> Cuts:
    """An axis that is one block."""
    return Cuts((0, extent))


def blocks_of(cuts: Sequence[Cuts]) -> Iterator[Region]:
    """The blocks of an array, in row-major order.

    >>> list(blocks_of([Cuts((0, 2, 3)), Cuts((0, 4))]))
    [((0, 2), (0, 4)), ((2, 3), (0, 4))]
    """
    return product(*(tuple(pairwise(axis.points)) for axis in cuts))


def whole_region(shape: Sequence[int]) -> Region:
    """All of an array."""
    return tuple((0, extent) for extent in shape)


def extents(region: Region) -> tuple[int, ...]:
    """The shape of a region."""
    return tuple(end - begin for begin, end in region)


def size(region: Region) -> int:
    """How many elements a region has."""
    return math.prod(extents(region))


def bounding(one: Region, other: Region) -> Region:
    """The smallest region around two."""
    return tuple((min(a, c), max(b, d)) for (a, b), (c, d) in zip(one, other, strict=True))


def contains(outer: Region, inner: Region) -> bool:
    """Whether all of one region is in another."""
    return all(a <= c and d <= b for (a, b), (c, d) in zip(outer, inner, strict=True))


def merged(regions: Iterable[Region]) -> list[Region]:
    """Regions that hold all of the given ones; what overlaps or touches is one where that costs nothing.

    >>> merged([((0, 4),), ((1, 5),), ((8, 9),)])
    [((0, 5),), ((8, 9),)]
    """
    found: list[Region] = []
    for region in dict.fromkeys(regions):
        pending = region
        while True:
            other = next((r for r in found if size(bounding(r, pending)) <= size(r) + size(pending)), None)
            if other is None:
                break
            found.remove(other)
            pending = bounding(other, pending)
        found.append(pending)
    return sorted(found)


def inside(outer: Region, inner: Region) -> tuple[tuple[int, int], ...] | None:
    """Where a region lies in another; None where it is all of it."""
    if outer == inner:
        return None
    return tuple((c - a, d - a) for (a, _), (c, d) in zip(outer, inner, strict=True))


def intersection(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    """What two ranges share, which may be nothing."""
    begin = max(one[0], other[0])
    return begin, max(begin, min(one[1], other[1]))

"""Where the elements of an array are: along which axes it is split, over which axes of the mesh, and in which blocks.

Ranks own consecutive blocks of an axis, in the order of the mesh; blocks may have any lengths, and none. So a part of
an array has blocks, too, that need not move: `u[1:-1]` has those of `u`, less the first and the last element.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, TypeAlias

from ...dialect.errors import WeftValueError
from ...dialect.records import dataclass


@dataclass(frozen=True)
class Grid:
    """A mesh of ranks, and which of them this one is."""

    axes: tuple[str, ...]
    extents: tuple[int, ...]
    places: tuple[int, ...]
    """The number of this rank along each axis."""

    def extent(self, axis: str) -> int:
        """How many ranks there are along an axis, or several together, with commas between."""
        return math.prod(self.extents[self.axes.index(name)] for name in axis.split(","))

    def place(self, axis: str) -> int:
        """The number of this rank along an axis, or several together, of which the last one counts fastest.

        >>> Grid(("a", "b"), (2, 3), (1, 2)).place("a,b")
        5
        """
        place = 0
        for number in (self.axes.index(name) for name in axis.split(",")):
            place = place * self.extents[number] + self.places[number]
        return place


@dataclass(frozen=True)
class Split:
    """An axis of an array that is split over an axis of the mesh: rank k has the elements from bounds[k] on."""

    axis: str
    """Or several together, in the order of the mesh, with commas between."""
    bounds: tuple[int, ...]
    """None for results of which only the run tells what ranks have."""

    @property
    def extent(self) -> int:
        """How many elements there are."""
        return self.bounds[-1]

    def block(self, place: int) -> range:
        """What a rank has."""
        return range(self.bounds[place], self.bounds[place + 1])

    def blocks(self) -> list[range]:
        """What each rank has."""
        return [self.block(place) for place in range(len(self.bounds) - 1)]

    def lengths(self) -> list[int]:
        """How many elements each rank has."""
        return [len(block) for block in self.blocks()]

    def of_part(self, start: int, extent: int, step: int = 1) -> Split:
        """The blocks of every `step`-th element from `start` on, where they are.

        >>> Split("d", (0, 5, 10)).of_part(1, 8)
        Split(axis='d', bounds=(0, 4, 8))
        """
        bounds = [min(max(-((start - bound) // step), 0), extent) for bound in self.bounds[1:-1]]
        return Split(self.axis, (0, *bounds, extent))

    def around(self, before: int, behind: int) -> Split:
        """The blocks of what has more elements on both sides, which the first and the last rank get."""
        inner = (bound + before for bound in self.bounds[1:-1])
        return Split(self.axis, (0, *inner, before + self.extent + behind))

    def times(self, count: int) -> Split:
        """The blocks where each element is `count` of them."""
        return Split(self.axis, tuple(bound * count for bound in self.bounds))


Layout: TypeAlias = "tuple[Split | None, ...]"
"""For each axis of an array how it is split; None where every rank has all of it."""


def equal_blocks(axis: str, ranks: int, extent: int) -> Split:
    """Blocks that differ by one element at most.

    >>> equal_blocks("d", 3, 7).lengths()
    [2, 2, 3]
    """
    return Split(axis, tuple(place * extent // ranks for place in range(ranks + 1)))


def is_whole(layout: Layout) -> bool:
    """Whether every rank has all elements."""
    return not any(layout)


def axes_of(layout: Layout) -> list[str]:
    """The axes of the mesh over which an array is split."""
    return [split.axis for split in layout if split is not None]


def place_of(layout: Layout, axis: str) -> int | None:
    """Which axis of an array is split over an axis of the mesh."""
    return next((n for n, split in enumerate(layout) if split is not None and split.axis == axis), None)


def local_shape(
    shape: Sequence[int | None], layout: Sequence[Split | None], grid: Grid
) -> tuple[int | None, ...]:
    """The shape of what this rank has."""
    return tuple(
        extent if split is None else len(split.block(grid.place(split.axis)))
        for extent, split in zip(shape, layout, strict=True)
    )


def notation(layout: Layout) -> str:
    """A layout as Shardy writes it.

    >>> notation((Split("d", (0, 2, 4)), None))
    '[{"d"}, {}]'
    """
    entries = ("" if split is None else split.axis.split(",") for split in layout)
    return f"[{', '.join('{' + ', '.join(f'{chr(34)}{name}{chr(34)}' for name in names) + '}' for names in entries)}]"


def require_each_once(what: str, layout: Layout) -> None:
    """Raise WeftValueError where two axes of an array are split over one axis of the mesh."""
    names = [name for axis in axes_of(layout) for name in axis.split(",")]
    if len(set(names)) != len(names):
        raise WeftValueError(f"{what} splits two axes of the array over one axis of the mesh")


def layout_from(text: str, shape: Sequence[Any], axes: Sequence[str], extents: Sequence[int]) -> Layout:
    """The layout that Shardy's notation means for an array, in equal blocks, or `{"d":0,3,5}` in others.

    Raises `WeftValueError` for axes that the mesh has not, and for too few or too many entries.
    """
    inner = text.strip()
    if not (inner.startswith("[") and inner.endswith("]")):
        raise WeftValueError(f'a sharding is written as in [{{"d"}}, {{}}], not {text!r}')
    entries = [entry.strip(" {}") for entry in inner[1:-1].split("}")]
    entries = [entry.lstrip(",").strip(" {") for entry in entries[:-1]] if inner != "[]" else []
    if len(entries) != len(shape):
        raise WeftValueError(f"{text} has {len(entries)} entries, for an array of {len(shape)} axes")
    layout: list[Split | None] = []
    for entry, extent in zip(entries, shape, strict=True):
        name, colon, bounds = entry.partition(":")
        names = re.findall(r'[^",\s]+', name)
        if not names:
            layout.append(None)
            continue
        for name in names:
            if name not in axes:
                raise WeftValueError(f"there is no axis {name!r} in a mesh of {', '.join(axes)}")
        if extent is None:
            raise WeftValueError(f"{text}: an axis whose extent is not known cannot be split")
        ranks = math.prod(extents[list(axes).index(name)] for name in names)
        name = ",".join(names)
        split = equal_blocks(name, ranks, extent)
        if colon:
            split = Split(name, tuple(map(int, bounds.split(","))))
            if (
                len(split.bounds) != ranks + 1
                or split.extent != extent
                or list(split.bounds) != sorted(split.bounds)
            ):
                raise WeftValueError(f"{text}: {bounds} are no bounds of {ranks} blocks of {extent} elements")
        layout.append(split)
    require_each_once(text, tuple(layout))
    return tuple(layout)

"""How large the tiles are in which the stages of a stencil are computed together, and whether that pays.

A stage that another one reads at shifted places is computed for a tile and for what is around it, its halo: again for
each tile next to it. In return, what stages hand on stays in the second-level cache. Horizontal diffusion, four stages,
takes 15 ms instead of 35 on 128x128x160 cells, which are beyond the last level, and 0.49 ms instead of 0.56 on 64x64x60
cells, which are in it (Zen 3). Smaller tiles than those that just fit lose by their halos: (4, 8) takes 20 ms there.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from .....dialect.records import NamedTuple, dataclass
from ....target import processor
from ..vectors.width import vector_bytes

Offsets: TypeAlias = tuple[int, ...]
"""How far a part of an array is from its beginning, along each axis."""

_MOST_WORK = 1.5
"""Tiles that compute more than so many times as much are not made."""


class Read(NamedTuple):
    """What a stage reads of an earlier one, for each element of its own."""

    stage: int
    offsets: Offsets


@dataclass(frozen=True)
class Stage:
    """An elementwise nest of the run; the last one has the result."""

    extents: tuple[int, ...]
    element_bytes: int
    work: int
    """Instructions for an element."""
    reads: tuple[Read, ...]


class Span(NamedTuple):
    """Where the elements that a tile needs of a stage begin, from the beginning of the tile, and where they end from
    its end."""

    low: int
    high: int


Halo: TypeAlias = "tuple[Span, ...]"


def halos(stages: Sequence[Stage]) -> list[Halo] | None:
    """What a tile of the last stage needs of each; None where a stage is not needed."""
    found: list[Halo | None] = [None] * len(stages)
    found[-1] = (Span(0, 0),) * len(stages[-1].extents)
    for stage, halo in zip(reversed(stages), reversed(found), strict=True):
        if halo is None:
            return None
        for read in stage.reads:
            moved = [Span(span.low + by, span.high + by) for span, by in zip(halo, read.offsets, strict=True)]
            before = found[read.stage] or moved
            found[read.stage] = tuple(
                Span(min(a.low, b.low), max(a.high, b.high)) for a, b in zip(before, moved, strict=True)
            )
    return [halo for halo in found if halo is not None]


def best_tile(stages: Sequence[Stage]) -> tuple[int, ...] | None:
    """The extents of the tile with the least work whose intermediates fit the second-level cache.

    None where they fit it as they are, or where computing halos again takes longer than reading from further away.
    """
    around = halos(stages)
    if around is None or not any(any(any(read.offsets) for read in stage.reads) for stage in stages):
        return None
    room = processor().second_level_cache
    between = sum(math.prod(stage.extents) * stage.element_bytes for stage in stages[:-1])
    if between <= room // 2:
        return None
    fitting = [tile for tile in _tiles(stages[-1].extents) if _bytes(stages, around, tile) <= room]
    if not fitting:
        return None
    whole = sum(math.prod(stage.extents) * stage.work for stage in stages)
    again, tile = min((_work(stages, around, tile) - whole, tile) for tile in fitting)
    lanes = vector_bytes() // stages[-1].element_bytes
    reads = sum(len({read.stage for read in stage.reads}) for stage in stages)
    moved = between * (1 + reads / max(len(stages) - 1, 1))
    pays = again / lanes / processor().stencil_operations < moved / processor().memory_bytes
    return tile if pays and again < (_MOST_WORK - 1) * whole else None


def _tiles(extents: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Tiles that are whole along the last axis."""
    *outer, last = extents
    choices = [[*(size for size in (2, 4, 8, 16, 32, 64, 128) if size < extent), extent] for extent in outer]
    return ((*sizes, last) for sizes in itertools.product(*choices))


def _sizes(tile: Sequence[int], halo: Halo) -> list[int]:
    return [size + span.high - span.low for size, span in zip(tile, halo, strict=True)]


def _bytes(stages: Sequence[Stage], around: Sequence[Halo], tile: tuple[int, ...]) -> int:
    sizes = (
        math.prod(_sizes(tile, halo)) * stage.element_bytes
        for stage, halo in zip(stages, around, strict=True)
    )
    return sum(sizes)


def _work(stages: Sequence[Stage], around: Sequence[Halo], tile: tuple[int, ...]) -> float:
    """Instructions for all tiles."""
    count = math.prod(-(-extent // size) for extent, size in zip(stages[-1].extents, tile, strict=True))
    return count * sum(
        math.prod(_sizes(tile, halo)) * stage.work for stage, halo in zip(stages, around, strict=True)
    )

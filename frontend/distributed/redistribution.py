"""Arrays in other blocks: each rank sends every other one what both have, once for each distance of ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...passes.partition.messages import overlap

if TYPE_CHECKING:
    from ...dialect.op import Array
    from .mesh import Mesh

Region = tuple[range, ...]
"""Which elements of each axis of an array a rank has."""


def redistributed(
    mesh: Mesh, blocks: Sequence[Array], before: Sequence[Region], behind: Sequence[Region]
) -> list[Array]:
    """The blocks of the ranks that are in this process, of those that they have, where each is to have a region."""
    args = [(block, rank, before, behind) for block, rank in zip(blocks, mesh.ranks, strict=True)]
    found: list[Array] = mesh.run(_exchanged, args)
    return found


def _exchanged(block: Array, rank: int, before: Sequence[Region], behind: Sequence[Region]) -> Array:
    from .collectives import send_receive  # which loads the ops

    count = len(before)
    made = np.empty([len(along) for along in behind[rank]], block.dtype)
    for distance in range(count):
        shared = [tuple(map(overlap, before[k], behind[(k + distance) % count])) for k in range(count)]
        longest = max(math.prod(map(len, region)) for region in shared)
        if not longest:
            continue
        piece = block[_within(shared[rank], before[rank])].reshape(-1)
        if distance:
            sent = np.zeros(longest, block.dtype)
            sent[: piece.size] = piece
            piece = send_receive(sent, distance, wrap=True)
        region = shared[(rank - distance) % count]
        shape = [len(along) for along in region]
        made[_within(region, behind[rank])] = piece[: math.prod(shape)].reshape(shape)
    return made


def _within(region: Region, own: Region) -> tuple[Any, ...]:
    """Where a region lies in what a rank has."""
    return (*(slice(r.start - o.start, r.stop - o.start) for r, o in zip(region, own, strict=True)), ...)

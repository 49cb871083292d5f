"""Where intermediates lie in one piece of memory: those that are alive at different times share it.

What is known of an intermediate is how many bytes it has and from when to when it is needed. Offsets are found by
replaying the program with a best-fit allocator; where that leaves holes that matter, the largest intermediates are
placed first (Pisarchyk and Lee, Efficient Memory Management for Deep Neural Net Inference, 2020: greedy by size).
"""

from __future__ import annotations

import sys
from bisect import bisect_left, insort
from collections.abc import Hashable, Sequence

from ...dialect.records import dataclass

FOREVER = sys.maxsize
_MOST_REPACKED = 1000
"""Placing the largest first takes time that grows with the square of their number."""

_FEW_BYTES = 4096

ANY_SIZE = _FEW_BYTES
"""Of ranges that are all of one size, which is not known."""


@dataclass(frozen=True)
class Range:
    """Bytes that are needed from `start` until `end`, which it does not include."""

    size: int
    start: int
    end: int

    def overlaps(self, other: Range) -> bool:
        """Whether both are needed at some time."""
        return self.start < other.end and other.start < self.end


def most_alive(ranges: Sequence[Range]) -> int:
    """The bytes that are needed at the worst time: no plan can do with less."""
    changes = sorted(
        [*((r.start, r.size) for r in ranges if r.size), *((r.end, -r.size) for r in ranges if r.size)]
    )
    now = most = 0
    for _, change in changes:
        now += change
        most = max(most, now)
    return most


def pack(ranges: Sequence[Range]) -> tuple[list[int], int]:
    """The offset of every range, and the bytes that all take together."""
    offsets, size = _best_fit(ranges)
    least = most_alive(ranges)
    if size > least + max(_FEW_BYTES, least // 50) and len(ranges) <= _MOST_REPACKED:
        again, smaller = _largest_first(ranges)
        if smaller < size:
            return again, smaller
    return offsets, size


def share(ranges: Sequence[Range], holders: Sequence[Range]) -> list[int | None]:
    """Which memory that is there anyway holds each range, by its index; a holder may hold one range at a time.

    The `start` and `end` of a holder say when it is free. Small ranges are left out. Of equal ones the latest go first:
    in a chain, where each is made of the one before, every other one finds room.
    """
    found: list[int | None] = [None] * len(ranges)
    taken: list[list[tuple[int, int]]] = [[] for _ in holders]
    largest = sorted(range(len(holders)), key=lambda index: holders[index].size)
    for index in sorted(range(len(ranges)), key=lambda index: (-ranges[index].size, -ranges[index].end)):
        wanted = ranges[index]
        if wanted.size < _FEW_BYTES:
            break
        for number in largest:
            holder = holders[number]
            fits = holder.size >= wanted.size and holder.start <= wanted.start and wanted.end <= holder.end
            if fits and _insert(taken[number], wanted):
                found[index] = number
                break
    return found


def group(ranges: Sequence[Range], kinds: Sequence[Hashable]) -> list[list[int]]:
    """Ranges that may lie at one place, one after the other, by their indices.

    Sizes need only be right when compared: the largest go first, each to a place that is free at the time (Pisarchyk
    and Lee: shared objects, greedy by size). What is of one kind is likely to have one size: it goes together.
    """
    first = {kind: -index for index, kind in reversed(list(enumerate(kinds)))}

    def order(index: int) -> tuple[int, int, int]:
        return -ranges[index].size, -first[kinds[index]], ranges[index].start

    places: list[_Place] = []
    for index in sorted(range(len(ranges)), key=order):
        alike = [place for place in reversed(places) if kinds[index] in place.kinds]
        others = [place for place in reversed(places) if kinds[index] not in place.kinds]
        found = next((place for place in alike + others if _insert(place.taken, ranges[index])), None)
        if found is None:
            found = _Place([], [(ranges[index].start, ranges[index].end)], set())
            places.append(found)
        found.members.append(index)
        found.kinds.add(kinds[index])
    return [place.members for place in places]


@dataclass
class _Place:
    members: list[int]
    taken: list[tuple[int, int]]
    kinds: set[Hashable]


def _insert(taken: list[tuple[int, int]], wanted: Range) -> bool:
    """Note that a range is held, unless something else is at that time."""
    place = bisect_left(taken, (wanted.start, wanted.end))
    if place and taken[place - 1][1] > wanted.start:
        return False
    if place < len(taken) and taken[place][0] < wanted.end:
        return False
    taken.insert(place, (wanted.start, wanted.end))
    return True


def _best_fit(ranges: Sequence[Range]) -> tuple[list[int], int]:
    arena = StaticArena()
    offsets = [0] * len(ranges)
    changes = [(r.start, 1, index) for index, r in enumerate(ranges)]
    changes += [(r.end, 0, index) for index, r in enumerate(ranges)]
    for _, begins, index in sorted(changes):
        size = ranges[index].size
        if not size:
            continue
        if begins:
            offsets[index] = arena.allocate(size)
        else:
            arena.release(offsets[index], size)
    return offsets, arena.size


def _largest_first(ranges: Sequence[Range]) -> tuple[list[int], int]:
    offsets = [0] * len(ranges)
    placed: list[int] = []
    total = 0
    for index in sorted(range(len(ranges)), key=lambda index: (-ranges[index].size, ranges[index].start)):
        wanted = ranges[index]
        if not wanted.size:
            continue
        beside = sorted(
            (offsets[other], ranges[other].size) for other in placed if ranges[other].overlaps(wanted)
        )
        offsets[index] = _smallest_gap(beside, wanted.size)
        placed.append(index)
        total = max(total, offsets[index] + wanted.size)
    return offsets, total


def _smallest_gap(beside: Sequence[tuple[int, int]], size: int) -> int:
    """The offset of the smallest gap between ranges that is large enough, or else behind all of them."""
    best: tuple[int, int] | None = None
    end = 0
    for offset, length in beside:
        gap = offset - end
        if gap >= size and (best is None or gap < best[0]):
            best = gap, end
        end = max(end, offset + length)
    return end if best is None else best[1]


class StaticArena:
    """Best-fit allocation of byte ranges with coalescing of neighbours."""

    def __init__(self) -> None:
        self.size = 0
        self._by_offset: list[tuple[int, int]] = []  # free (offset, size), sorted

    def allocate(self, size: int) -> int:
        """The offset of a free range; the arena grows when none is large enough."""
        fitting = [(length, offset) for offset, length in self._by_offset if length >= size]
        if fitting:
            length, offset = min(fitting)
            self._by_offset.remove((offset, length))
            if length > size:
                insort(self._by_offset, (offset + size, length - size))
            return offset
        # A free range at the end is extended instead of left behind.
        if self._by_offset and sum(self._by_offset[-1]) == self.size:
            offset, _ = self._by_offset.pop()
        else:
            offset = self.size
        self.size = offset + size
        return offset

    def release(self, offset: int, size: int) -> None:
        """Give a range back."""
        index = bisect_left(self._by_offset, (offset, size))
        if index < len(self._by_offset) and self._by_offset[index][0] == offset + size:
            size += self._by_offset.pop(index)[1]
        if index and sum(self._by_offset[index - 1]) == offset:
            before, length = self._by_offset.pop(index - 1)
            offset, size = before, length + size
        insort(self._by_offset, (offset, size))

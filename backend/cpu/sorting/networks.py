"""Sorting networks on a few vectors: every step compares all lanes at once, without branches.

The position of a key is its lane times the number of vectors, plus the number of its vector: neighbours are in the same
lane. So Batcher's merge exchange (Knuth, TAOCP 5.2.2, algorithm M) sorts the columns, which takes minima and maxima of
whole vectors alone, and bitonic merges of ever more columns follow, of whose steps only the first ones go across lanes.
At the end the keys are put in the order of memory, as a matrix is transposed.
"""

from __future__ import annotations

from collections.abc import Iterator

from .vector_code import Row, VectorFunction


def sort_rows(function: VectorFunction, rows: list[Row]) -> list[Row]:
    """The keys of some vectors, a power of two of them, in ascending order."""
    count, lanes = len(rows), function.layout.lanes
    rows = list(rows)
    for low, high in merge_exchange(count):
        rows[low], rows[high] = function.ordered(rows[low], rows[high])
    columns = 2
    while columns <= lanes:
        rows = _flipped(function, rows, columns)
        distance = columns // 4
        while distance:
            rows = [_across(function, row, row, distance) for row in rows]
            distance //= 2
        distance = count // 2
        while distance:
            for place in range(count):
                if not place & distance:
                    low, high = place, place | distance
                    rows[low], rows[high] = function.ordered(rows[low], rows[high])
            distance //= 2
        columns *= 2
    return _in_memory_order(function, rows)


def merge_exchange(count: int) -> Iterator[tuple[int, int]]:
    """The comparisons of Batcher's merge exchange for a power of two of keys.

    >>> list(merge_exchange(4))
    [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)]
    """
    run = 1
    while run < count:
        distance = run
        while distance:
            for start in range(distance % run, count - distance, 2 * distance):
                for low in range(start, start + min(distance, count - start - distance)):
                    if low // (2 * run) == (low + distance) // (2 * run):
                        yield low, low + distance
            distance //= 2
        run *= 2


def _across(function: VectorFunction, row: Row, other: Row, distance: int) -> Row:
    """Compare a row with the lanes of another one at a distance, which is a power of two or that less one."""
    partner = function.shuffled(other, lambda lane: lane ^ distance)
    return function.exchanged(row, partner, [lane < lane ^ distance for lane in range(function.layout.lanes)])


def _flipped(function: VectorFunction, rows: list[Row], columns: int) -> list[Row]:
    """The first step of a merge: the first key of two runs is compared with the last one, and so on."""
    found: dict[int, Row] = {}
    for place in range((len(rows) + 1) // 2):
        opposite = len(rows) - 1 - place
        for own, other in {(place, opposite), (opposite, place)}:
            found[own] = _across(function, rows[own], rows[other], columns - 1)
    return [found[place] for place in range(len(rows))]


def _in_memory_order(function: VectorFunction, rows: list[Row]) -> list[Row]:
    """Rows whose lanes follow each other, from rows that follow each other in a lane.

    A round of interleaving the first half of the rows with the second one rotates the binary number of every place.
    """
    count, lanes = len(rows), function.layout.lanes
    order = [place for lane in range(lanes) for place in (lane, lanes + lane)]
    for _ in range(count.bit_length() - 1):
        pairs = zip(rows[: count // 2], rows[count // 2 :], strict=True)
        rows = [
            function.shuffled_pair(left, right, half)
            for left, right in pairs
            for half in (order[:lanes], order[lanes:])
        ]
    return rows


__all__ = ["merge_exchange", "sort_rows"]

"""Sorting in the lanes of vectors: keys by exchanges at fixed places, and columns of matrices along with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....functions.number import Number
from .entries import Entry
from .tables import Table


def exchanges(count: int) -> Iterator[tuple[int, int]]:
    """The places to compare, and to exchange, that sort so many numbers (Batcher 1968; Knuth 5.2.2, algorithm M).

    >>> list(exchanges(3))
    [(0, 2), (0, 1), (1, 2)]
    """
    top = 1 << max(0, (count - 1).bit_length() - 1)
    p = top if count > 1 else 0
    while p > 0:
        q, r, d = top, 0, p
        while True:
            yield from ((place, place + d) for place in range(count - d) if place & p == r)
            if q == p:
                break
            d, q, r = q - p, q // 2, p
        p //= 2


def sort_keys(keys: list[Number], descending: bool = False) -> list[Number]:
    """Sort keys; 1 where those of an exchange took place, and else 0."""
    found = []
    for one, other in exchanges(len(keys)):
        x, y = keys[one], keys[other]
        swap = y.compare(">" if descending else "<", x)
        keys[one], keys[other] = y.where(swap, x), x.where(swap, y)
        found.append(x.constant(1.0).where(swap, 0.0))
    return found


def sort_columns(table: Table, rows: int, swaps: Sequence[Number]) -> None:
    """Exchange columns in memory as keys were, whose exchanges the other half of the memory keeps meanwhile."""
    kept = table.memory.other()
    for place, swap in enumerate(swaps):
        kept.store(swap, place)
    with table.each_row(rows) as places:
        entries = [Entry(*(table.memory.load(place) for place in parts)) for parts in places]
        for number, (one, other) in enumerate(exchanges(table.columns)):
            swap = kept.load(number).compare(">", 0.0)
            x, y = entries[one], entries[other]
            entries[one], entries[other] = y.where(swap, x), x.where(swap, y)
        for parts, entry in zip(places, entries, strict=True):
            for place, part in zip(parts, entry.parts, strict=True):
                table.memory.store(part, place)

"""Sorting rows: quicksort that partitions in vectors, with sorting networks for what is left.

Translated to native code (see `dispatch/translator.py`): every value is a 64-bit integer. Where pivots are bad for too
long, heapsort takes over, so that no input takes longer than a constant times n log n steps.
"""

from __future__ import annotations

from ..native_python.intrinsics import stack, word
from .intrinsics import (
    advance,
    alone,
    bytes_of,
    choose_pivot,
    decode,
    encode,
    gives_places,
    is_before,
    lanes,
    largest,
    network_1,
    network_2,
    network_4,
    network_8,
    network_16,
    partition,
    registers,
    sort_vector,
    swap,
)


def weft_sort(source: int, target: int, length: int, kind: int, rows: int) -> int:
    """Write the elements of rows in their order; `source` may be `target`."""
    depth = allowed_depth(length)
    for _row in range(rows):
        if length <= lanes():
            sort_vector(source, target, length, kind, 0)
        else:
            encode(source, target, length, kind, 0)
            sort_range(target, length, 0, depth)
            if kind or gives_places():
                decode(target, length, kind, 0)
        source += bytes_of(length)
        target = advance(target, length)
    return 0


def weft_sort_pairs(source: int, keys: int, length: int, kind: int, rows: int, target: int) -> int:
    """Write the places of the elements of rows in their order to `target`; at `keys` is scratch memory for a row."""
    depth = allowed_depth(length)
    for _row in range(rows):
        if length <= lanes():
            sort_vector(source, keys, length, kind, target - keys)
        else:
            encode(source, keys, length, kind, target - keys)
            sort_range(keys, length, target - keys, depth)
        source += bytes_of(length)
        target = advance(target, length)
    return 0


def weft_prepare(source: int, target: int, length: int, kind: int) -> int:
    """Write the keys of the elements of a row, for `weft_select`; `source` may be `target`."""
    return encode(source, target, length, kind, 0)


def weft_finish(target: int, length: int, kind: int) -> int:
    """Write the elements in the place of their keys."""
    return decode(target, length, kind, 0)


def weft_select(keys: int, length: int, place: int) -> int:
    """Put the key that belongs at a place there, smaller ones before it and larger ones behind it."""
    depth = allowed_depth(length)
    payload = stack(1)
    while length > registers() * lanes():
        if depth == 0:
            return heap_sort(keys, length, 0)
        depth -= 1
        pivot = choose_pivot(keys, length, 0, payload)
        smaller = partition(keys, length, 0, pivot, 0)
        if smaller == 0:
            if pivot == largest():
                return 0
            smaller = partition(keys, length, 0, pivot + 1, 0)
            if place < smaller:
                return 0
            keys = advance(keys, smaller)
            length -= smaller
            place -= smaller
        elif place < smaller:
            length = smaller
        else:
            keys = advance(keys, smaller)
            length -= smaller
            place -= smaller
    return sort_block(keys, length, 0)


def allowed_depth(length: int) -> int:
    """How many partitions may follow each other: twice as many as if all were even, and some more."""
    depth = 4
    while length > 0:
        depth += 2
        length = length >> 1
    return depth


def sort_range(keys: int, length: int, apart: int, depth: int) -> int:
    """Sort in place; the shorter parts by recursion."""
    payload = stack(1)
    while length > registers() * lanes():
        if depth == 0:
            return heap_sort(keys, length, apart)
        depth -= 1
        pivot = choose_pivot(keys, length, apart, payload)
        smaller = partition(keys, length, apart, pivot, word(payload))
        if smaller == 0:
            # Nothing is smaller: all that is equal to the pivot, with its payload, goes in front, and is sorted.
            if alone() and pivot == largest():
                return 0
            smaller = partition(keys, length, apart, pivot + alone(), word(payload) + 1)
            keys = advance(keys, smaller)
            length -= smaller
        elif smaller < length - smaller:
            sort_range(keys, smaller, apart, depth)
            keys = advance(keys, smaller)
            length -= smaller
        else:
            sort_range(advance(keys, smaller), length - smaller, apart, depth)
            length = smaller
    return sort_block(keys, length, apart)


def sort_block(keys: int, length: int, apart: int) -> int:
    """Sort what a network can take."""
    if length <= lanes():
        return network_1(keys, length, apart)
    if length <= 2 * lanes():
        return network_2(keys, length, apart)
    if length <= 4 * lanes():
        return network_4(keys, length, apart)
    if length <= 8 * lanes():
        return network_8(keys, length, apart)
    return network_16(keys, length, apart)


def heap_sort(keys: int, length: int, apart: int) -> int:
    """Sort in place, in n log n steps at most (Knuth, TAOCP 5.2.3)."""
    start = length >> 1
    while start > 0:
        start -= 1
        sift(keys, start, length, apart)
    end = length
    while end > 1:
        end -= 1
        swap(keys, 0, end, apart)
        sift(keys, 0, end, apart)
    return 0


def sift(keys: int, root: int, length: int, apart: int) -> int:
    """Move a key down the heap until none below it is larger."""
    while 2 * root + 1 < length:
        child = 2 * root + 1
        if child + 1 < length and is_before(keys, child, child + 1, apart):
            child += 1
        if not is_before(keys, root, child, apart):
            return 0
        swap(keys, root, child, apart)
        root = child
    return 0

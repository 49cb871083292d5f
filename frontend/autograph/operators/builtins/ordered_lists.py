"""The functions of `heapq` and `bisect`: Python's are compiled, so they are written here as programs are."""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Callable
from typing import Any

from .converted_functions import Function, converted

ROWS: list[tuple[Any, Function]] = []
"""Each function, and what is called in its place."""


def _in_place_of(theirs: Function) -> Callable[[Function], Function]:
    """Says in which function's place one is called."""

    def add(function: Function) -> Function:
        made = converted(function)
        ROWS.append((theirs, made))
        return made

    return add


@converted
def _move_up(heap: Any, start: Any, position: Any) -> None:
    """Move the item at a position towards the start until no parent is larger."""
    item = heap[position]
    while position > start:
        parent = (position - 1) >> 1
        if not item < heap[parent]:
            break
        heap[position] = heap[parent]
        position = parent
    heap[position] = item


@converted
def _move_down(heap: Any, position: Any) -> None:
    """Let smaller children take the place of an item down to a leaf; then put the item where it belongs."""
    end, start, item = len(heap), position, heap[position]
    child = 2 * position + 1
    while child < end:
        if child + 1 < end and not heap[child] < heap[child + 1]:
            child = child + 1
        heap[position] = heap[child]
        position = child
        child = 2 * position + 1
    heap[position] = item
    _move_up(heap, start, position)


@_in_place_of(heapq.heappush)
def _heappush(heap: Any, item: Any) -> None:
    heap.append(item)
    _move_up(heap, 0, len(heap) - 1)


@_in_place_of(heapq.heappop)
def _heappop(heap: Any) -> Any:
    if len(heap) == 0:
        raise IndexError("index out of range")
    last = heap.pop()
    if len(heap) == 0:
        return last
    return _heapreplace(heap, last)


@_in_place_of(heapq.heapreplace)
def _heapreplace(heap: Any, item: Any) -> Any:
    if len(heap) == 0:
        raise IndexError("index out of range")
    smallest = heap[0]
    heap[0] = item
    _move_down(heap, 0)
    return smallest


@_in_place_of(heapq.heappushpop)
def _heappushpop(heap: Any, item: Any) -> Any:
    if len(heap) > 0 and heap[0] < item:
        item, heap[0] = heap[0], item
        _move_down(heap, 0)
    return item


@_in_place_of(heapq.heapify)
def _heapify(heap: Any) -> None:
    for i in range(len(heap) // 2):
        _move_down(heap, len(heap) // 2 - 1 - i)


@_in_place_of(heapq.nsmallest)
def _nsmallest(n: Any, iterable: Any, key: Any = None) -> Any:
    return sorted(iterable, key=key)[: max(n, 0)]


@_in_place_of(heapq.nlargest)
def _nlargest(n: Any, iterable: Any, key: Any = None) -> Any:
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


@_in_place_of(bisect.bisect_left)
def _bisect_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    if lo < 0:
        raise ValueError("lo must be non-negative")
    hi = len(a) if hi is None else hi
    while lo < hi:
        middle = (lo + hi) // 2
        if (a[middle] if key is None else key(a[middle])) < x:
            lo = middle + 1
        else:
            hi = middle
    return lo


@_in_place_of(bisect.bisect_right)
def _bisect_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    if lo < 0:
        raise ValueError("lo must be non-negative")
    hi = len(a) if hi is None else hi
    while lo < hi:
        middle = (lo + hi) // 2
        if x < (a[middle] if key is None else key(a[middle])):
            hi = middle
        else:
            lo = middle + 1
    return lo


@_in_place_of(bisect.insort_left)
def _insort_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
    a.insert(_bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


@_in_place_of(bisect.insort_right)
def _insort_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
    a.insert(_bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)

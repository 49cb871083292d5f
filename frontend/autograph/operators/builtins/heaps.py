"""The functions of `heapq`: Python's are compiled, so they are written here as programs are, and converted."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from typing import Any

from .converted_functions import converted

Function = Callable[..., Any]


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


@converted
def _heappush(heap: Any, item: Any) -> None:
    heap.append(item)
    _move_up(heap, 0, len(heap) - 1)


@converted
def _heappop(heap: Any) -> Any:
    if len(heap) == 0:
        raise IndexError("index out of range")
    last = heap.pop()
    if len(heap) == 0:
        return last
    smallest = heap[0]
    heap[0] = last
    _move_down(heap, 0)
    return smallest


@converted
def _heapreplace(heap: Any, item: Any) -> Any:
    if len(heap) == 0:
        raise IndexError("index out of range")
    smallest = heap[0]
    heap[0] = item
    _move_down(heap, 0)
    return smallest


@converted
def _heappushpop(heap: Any, item: Any) -> Any:
    if len(heap) > 0 and heap[0] < item:
        item, heap[0] = heap[0], item
        _move_down(heap, 0)
    return item


@converted
def _heapify(heap: Any) -> None:
    for i in range(len(heap) // 2):
        _move_down(heap, len(heap) // 2 - 1 - i)


@converted
def _nsmallest(n: Any, iterable: Any, key: Any = None) -> Any:
    return sorted(iterable, key=key)[: max(n, 0)]


@converted
def _nlargest(n: Any, iterable: Any, key: Any = None) -> Any:
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


def heap_rows() -> Iterator[tuple[Any, Function]]:
    """Each function, and what is called in its place."""
    yield heapq.heappush, _heappush
    yield heapq.heappop, _heappop
    yield heapq.heapreplace, _heapreplace
    yield heapq.heappushpop, _heappushpop
    yield heapq.heapify, _heapify
    yield heapq.nsmallest, _nsmallest
    yield heapq.nlargest, _nlargest

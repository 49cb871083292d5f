"""Which values to keep, so that others can be computed of them again: a cut of least capacity."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable
from typing import TypeAlias

from ...dialect.mlir import Value

Node: TypeAlias = "tuple[str, int]"

_SOURCE: Node = ("source", 0)
_SINK: Node = ("sink", 0)
_UNBOUNDED = 1 << 62


def values_to_keep(
    needed: Collection[Value],
    sources: Callable[[Value], Iterable[Value] | None],
    free: Collection[Value],
    size: Callable[[Value], int],
) -> list[Value]:
    """The values of least size in total of which all that are needed can be computed again.

    `sources` tells of what a value may be computed again, or None where it may not; what is `free` costs nothing.
    Every value is a pair of nodes with an edge of its size; values that nothing may compute hang on the source, those
    needed on the sink (Edmonds and Karp: bodies of loops have tens of values).
    """
    capacity: dict[Node, dict[Node, int]] = defaultdict(dict)

    def connect(start: Node, end: Node, size: int) -> None:
        capacity[start][end] = capacity[start].get(end, 0) + size
        capacity[end].setdefault(start, 0)

    numbers: dict[Value, int] = {}
    pending = [value for value in needed if value not in free]
    for value in pending:
        connect(("out", numbers.setdefault(value, len(numbers))), _SINK, _UNBOUNDED)
    seen: set[Value] = set()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        number = numbers.setdefault(value, len(numbers))
        connect(("in", number), ("out", number), size(value))
        read = sources(value)
        if read is None:
            connect(_SOURCE, ("in", number), _UNBOUNDED)
            continue
        for operand in (operand for operand in set(read) if operand not in free):
            connect(("out", numbers.setdefault(operand, len(numbers))), ("in", number), _UNBOUNDED)
            pending.append(operand)
    reached = _saturate(capacity)
    return [
        v for v, number in numbers.items() if ("in", number) in reached and ("out", number) not in reached
    ]


def _saturate(capacity: dict[Node, dict[Node, int]]) -> set[Node]:
    """Send as much as possible from source to sink; returns what the source then still reaches."""
    while True:
        reached: dict[Node, Node] = {_SOURCE: _SOURCE}
        queue = deque([_SOURCE])
        while queue and _SINK not in reached:
            node = queue.popleft()
            for other, left in capacity[node].items():
                if left > 0 and other not in reached:
                    reached[other] = node
                    queue.append(other)
        if _SINK not in reached:
            return set(reached)
        path = list(_path(reached))
        flow = min(capacity[start][end] for start, end in path)
        for start, end in path:
            capacity[start][end] -= flow
            capacity[end][start] += flow


def _path(reached: dict[Node, Node]) -> Iterable[tuple[Node, Node]]:
    node = _SINK
    while node != _SOURCE:
        yield reached[node], node
        node = reached[node]

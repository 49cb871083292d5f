"""Arrays of several lengths in lists that grow, as searches of neighbours and groups make them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.behaviour_harness import same
from weft.dialect.errors import UnsupportedError

POINTS = np.array([[0.0, 0.0], [0.1, 0.0], [5.0, 5.0], [5.1, 5.0], [9.0, 9.0], [0.0, 0.2]])


def close(x: Any, i: Any, distance: Any) -> Any:
    return np.where(np.abs(x - x[i]).sum(axis=1) <= distance)[0]


def dbscan(x: Any, distance: Any) -> Any:
    labels = np.full(len(x), -1)
    neighbours = []
    for i in range(len(x)):
        neighbours.append(close(x, i, distance))
    count = 0
    for i in range(len(x)):
        if labels[i] != -1 or len(neighbours[i]) < 2:
            continue
        labels[i] = count
        queue = list(neighbours[i])
        while queue:
            j = queue.pop()
            if labels[j] == -1:
                labels[j] = count
                if len(neighbours[j]) >= 2:
                    queue.extend(neighbours[j])
        count += 1
    return labels


def clusters(x: Any, distance: Any) -> Any:
    found, seen = [], np.zeros(len(x), bool)
    for i in range(len(x)):
        if not seen[i]:
            near = close(x, i, distance)
            seen[near] = True
            found.append(near)
    sizes = [len(near) for near in found]
    return found, sizes, max(found, key=len), sorted(found, key=len), np.concatenate(found)


def groups(x: Any, distance: Any) -> Any:
    labels = (x[:, 0] / distance).astype(int)
    rows = [x[labels == label] for label in np.unique(labels)]
    return rows, [part.mean(axis=0) for part in rows], np.vstack(rows)


def segments(x: Any, distance: Any) -> Any:
    found, start = [], 0
    for i in range(1, len(x)):
        if x[i, 0] - x[i - 1, 0] > distance:
            found.append(x[start:i].copy())
            start = i
    found.append(x[start:].copy())
    return found


def halves(x: Any, distance: Any) -> Any:
    stack, leaves = [np.arange(len(x))], []
    while len(stack) > 0:
        rows = stack.pop()
        below = rows[x[rows, 0] < x[rows, 0].mean()]
        if len(rows) <= 2 or len(below) == 0:
            leaves.append(rows)
        else:
            stack.append(below)
            stack.append(rows[x[rows, 0] >= x[rows, 0].mean()])
    return leaves


def in_records(x: Any, distance: Any) -> Any:
    pairs, named, total, i = [], [], 0, 0
    while i < len(x):
        near = close(x, i, distance)
        if len(near) > 1:
            pairs.append((i, near))
            named.append({"at": i, "near": near})
        i += 1
    for place, near in pairs:
        total += place * near.sum()
    return pairs, named, total


def replaced(x: Any, distance: Any) -> Any:
    found, i = [np.zeros(2, int)], 0
    while i < len(x):
        found.append(close(x, i, distance))
        i += 1
    found[0] = np.arange(2)
    found[-1] = found[0][:1]
    found.insert(0, found.pop())
    print(found)
    return found, found[::-1], found[1]


PROGRAMS = [dbscan, clusters, groups, segments, halves, in_records, replaced]


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs(program: Callable[..., Any]) -> None:
    for x in (POINTS, POINTS[:2]):
        same(program, (x, 1.0))


def test_items_that_are_written_are_refused() -> None:
    def write(x: Any) -> Any:
        found = []
        for i in range(len(x)):
            near = close(x, i, 1.0)
            if len(near) > 1:
                found.append(near)
        found[0][0] = 9
        return found

    with pytest.raises(UnsupportedError, match="change a copy, and put it back"):
        weft.function(write)(POINTS)


def test_arrays_of_several_dtypes_are_refused() -> None:
    def mixed(x: Any) -> Any:
        found: Any = []
        for i in range(len(x)):
            if x[i, 0] > 1:
                found.append(close(x, i, 1.0))
                found.append(x[:i, 0] * 2)
        return found

    with pytest.raises(UnsupportedError, match=r"an array of any length .* or an array of any length"):
        weft.function(mixed)(POINTS)

"""Dicts, objects and tuples that hold lists, as items of lists that grow or are indexed at computed places."""

from __future__ import annotations

import dataclasses
import heapq
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

SIGNED = np.array([3, -1, 4, 0, -5, 2, 1, 1])


class Node:
    def __init__(self, value: Any, children: Any = None) -> None:
        self.value = value
        self.children = children if children is not None else []


@dataclasses.dataclass
class State:
    place: Any
    path: list[Any]
    cost: float = 0.0


def shown(value: Any) -> Any:
    """A value with the attributes of the objects in it."""
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [shown(item) for item in value]
    if isinstance(value, dict):
        return {key: shown(item) for key, item in value.items()}
    return (type(value).__name__, shown(vars(value))) if isinstance(value, (Node, State)) else repr(value)


def changed_after_they_were_put(x: Any) -> Any:
    nodes = []
    for v in x:
        node = Node(int(v))
        nodes.append(node)
        node.children.append(int(v) * 2)
        if v > 0:
            node.children.append(1)
    nodes[0].children.append(100)
    return nodes, nodes[0].children


def a_tree(x: Any) -> Any:
    nodes = [Node(0)]
    for v in x:
        if v > 0:
            nodes[int(v) % len(nodes)].children.append(len(nodes))
            nodes.append(Node(int(v)))
    total, waiting = 0, [0]
    while waiting:
        node = nodes[waiting.pop()]
        total += node.value
        for child in node.children:
            waiting.append(child)
    return total, [len(node.children) for node in nodes]


def paths_in_dicts(x: Any) -> Any:
    waiting, best, count = [{"path": [0], "cost": 0}], 100, 0
    while waiting:
        state = waiting.pop(0)
        last = state["path"][-1]
        count += 1
        if last >= 4:
            best = min(best, state["cost"])
            continue
        for step in (1, 2):
            cost = state["cost"] + int(x[last + step])
            waiting.append({"path": state["path"] + [last + step], "cost": cost})
    return best, count


def lists_in_dicts_in_dicts(x: Any) -> Any:
    found = []
    for v in x:
        if v > 0:
            found.append({"id": int(v), "info": {"tags": [int(v)], "pair": (1, [2, int(v)])}})
        elif found:
            found[-1]["info"]["tags"].append(0)
    return found


def dataclasses_in_order(x: Any) -> Any:
    states = []
    for v in x:
        if v > 0:
            states.append(State(int(v), [int(v)], float(v)))
    states = sorted(states, key=lambda state: state.cost)
    states[0].path.append(4)
    return states


def tuples_at_computed_places(x: Any) -> Any:
    pairs = [(1, [1]), (2, [2, 3])]
    first = pairs[0]
    pairs[x[4] + 5][1].append(5)
    pairs[x[7]][1].append(6)
    return pairs, first, pairs[x[7]][1] is pairs[1][1]


def lists_three_deep(x: Any) -> Any:
    deep: Any = [[[1], [2]], [[3, 4], [5]]]
    deep[x[7]][x[6]].append(9)
    deep[0][1].append(10)
    return deep


def a_heap_of_paths(x: Any) -> Any:
    heap: Any = []
    for i in range(3):
        heapq.heappush(heap, (int(x[i]), i, [i]))
    cost, _, path = heapq.heappop(heap)
    heapq.heappush(heap, (cost + 10, 3, path + [7]))
    return heap


@pytest.mark.parametrize(
    "function",
    [
        changed_after_they_were_put,
        a_tree,
        paths_in_dicts,
        lists_in_dicts_in_dicts,
        dataclasses_in_order,
        tuples_at_computed_places,
        lists_three_deep,
        a_heap_of_paths,
    ],
)
def test_lists_in_records_are_the_lists_themselves(function: Callable[[Any], Any]) -> None:
    assert shown(weft.function(function)(SIGNED)) == shown(function(SIGNED))


def test_records_among_arguments_are_changed() -> None:
    def note(x: Any, nodes: Any) -> Any:
        for v in x:
            if v > 0:
                nodes.append({"v": int(v), "l": [int(v)]})
            elif nodes:
                nodes[-1]["l"].append(0)
        return len(nodes)

    eager, compiled = [{"v": 1, "l": [2]}], [{"v": 1, "l": [2]}]
    assert weft.function(note)(SIGNED, compiled) == note(SIGNED, eager)
    assert compiled == eager


def dict_changed(x: Any) -> Any:
    found = []
    for v in x:
        if v > 0:
            found.append({"v": int(v), "l": [int(v)]})
    found[0]["v"] = 1
    return found


def dataclass_changed(x: Any) -> Any:
    found = []
    for v in x:
        state = State(int(v), [int(v)])
        if v > 0:
            found.append(state)
        state.cost = 2.0
    return found


def test_dicts_are_changed_behind_a_list_that_holds_them() -> None:
    same(dict_changed, (SIGNED,))


def test_objects_are_changed_behind_a_list_that_holds_them() -> None:
    same(dataclass_changed, (SIGNED,))

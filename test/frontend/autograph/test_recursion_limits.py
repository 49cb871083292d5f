"""Functions that call themselves and are recorded call by call: after so many calls they are refused, with the line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from weft.dialect.errors import TraceSizeError


class Node:
    def __init__(self, key: Any) -> None:
        self.key, self.left, self.right = key, None, None


def inserted(node: Any, key: Any) -> Any:
    if node is None:
        return Node(key)
    if key < node.key:
        node.left = inserted(node.left, key)
    else:
        node.right = inserted(node.right, key)
    return node


def sorted_by_a_tree(x: Any) -> Any:
    root = None
    for key in x:
        root = inserted(root, key)
    return root.key, root.left.key, root.left.right.key, root.right.left.key


def test_trees_that_values_build() -> None:
    x = np.array([3.0, 1.0, 2.0, 5.0, 4.0, 0.0])
    with weft.settings.scope(max_recursion=80):
        assert weft.function(sorted_by_a_tree)(x) == sorted_by_a_tree(x)


def halved(x: Any) -> Any:
    if len(x) == 1:
        return x
    return np.concatenate([halved(x[: len(x) // 2]), halved(x[len(x) // 2 :])])


def test_calls_that_sizes_decide_on_are_refused_beyond_a_number() -> None:
    x = np.arange(16.0)
    np.testing.assert_array_equal(weft.function(halved)(x), x)
    with (
        weft.settings.scope(max_recursion=4),
        pytest.raises(
            TraceSizeError, match=r"halved\(\) .* as sizes or constants decide on it: let it end on"
        ),
    ):
        weft.function(halved)(x)


def ordered(node: Any, seen: set[Any], order: list[Any]) -> None:
    if node is not None and node not in seen:
        seen.add(node)
        ordered(node.left, seen, order)
        ordered(node.right, seen, order)
        order.append(node)


def sum_of_a_tree(x: Any) -> Any:
    nodes = [Node(key) for key in x]
    for node, left, right in zip(nodes, nodes[1::2], nodes[2::2], strict=False):
        node.left, node.right = left, right
    order: list[Any] = []
    ordered(nodes[0], set(), order)
    return sum(node.key for node in order), len(order)


def test_walks_that_compute_nothing_are_not_counted() -> None:
    x = np.arange(11.0)
    with weft.settings.scope(max_recursion=8):
        assert weft.function(sum_of_a_tree)(x) == sum_of_a_tree(x)

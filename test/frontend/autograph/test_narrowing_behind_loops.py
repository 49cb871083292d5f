"""What the test of a loop says of values behind it: `while isinstance(node, tuple):` leaves what is no tuple."""

from __future__ import annotations

import numpy as np
import pytest

from support.behaviour_harness import same

ROWS = np.array([[0.1, 2.0], [1.5, 0.3], [0.7, 0.9], [0.2, 0.1]])


class Leaf:
    def __init__(self, value):
        self.value = value


class Node:
    def __init__(self, column, limit, left, right):
        self.column, self.limit, self.left, self.right = column, limit, left, right


TREE = Node(0, 0.5, Node(1, 0.4, Leaf(1.0), Leaf(2.0)), Leaf(3.0))
DICTS = {
    "column": 0,
    "limit": 0.5,
    "left": {"column": 1, "limit": 0.4, "left": 1.0, "right": 2.0},
    "right": 3.0,
}


@pytest.mark.parametrize("signs", [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0)])
def test_trees_of_tuples_that_data_makes(signs):
    def f(rows, signs):
        inner = (1, 0.4, 1.0, 2.0) if signs[1] > 0 else 5.0
        tree = (0, 0.5, inner, 3.0) if signs[0] > 0 else 7.0
        found = []
        for row in rows:
            node = tree
            while isinstance(node, tuple):
                node = node[2] if row[node[0]] <= node[1] else node[3]
            found.append(node)
        return np.array(found)

    same(f, (ROWS, np.array(signs)))


def test_trees_of_dicts():
    def f(rows):
        found = []
        for row in rows:
            node = DICTS
            while isinstance(node, dict):
                node = node["left"] if row[node["column"]] <= node["limit"] else node["right"]
            found.append(node * 2)
        return found

    same(f, ROWS)


def test_attributes_that_only_the_last_has():
    def f(rows):
        found = []
        for row in rows:
            node = TREE
            while not isinstance(node, Leaf):
                node = node.left if row[node.column] <= node.limit else node.right
            found.append(node.value)
        return found

    def g(rows):
        found = []
        for row in rows:
            node = TREE
            while isinstance(node, Node):
                node = node.left if row[node.column] <= node.limit else node.right
            else:
                node = node.value * 2
            found.append(node)
        return found

    same(f, ROWS)
    same(g, ROWS)


def test_other_ends_say_nothing():
    def f(rows):
        found = []
        for row in rows:
            node = TREE
            while isinstance(node, Node):
                if row[0] > 1.4:
                    break
                node = node.left if row[node.column] <= node.limit else node.right
            found.append(isinstance(node, Leaf))
        return found

    def g(rows):
        found = []
        for row in rows:
            node, steps = TREE, 0
            while isinstance(node, Node) and steps < 1:
                node, steps = node.left if row[node.column] <= node.limit else node.right, steps + 1
            found.append((isinstance(node, Node), steps))
        return found

    same(f, ROWS)
    same(g, ROWS)


def test_what_was_none_until_then():
    def f(x):
        found, count = None, 0
        while found is None:
            count += 1
            if x[count] > 0.5:
                found = x[count]
        return found * 2, count

    same(f, np.array([0.1, 0.2, 0.9, 0.7]))

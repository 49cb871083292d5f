"""Objects and containers that may be None: changed on one path, made anew on another, written through places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from support.behaviour_harness import refused, same

TRUTHS = (np.bool_(True), np.bool_(False))


class Node:
    def __init__(self, value: Any, left: Any = None) -> None:
        self.value = value
        self.left = left
        self.right: Any = None

    def add(self, value: Any) -> Node:
        self.value += value
        return self


def in_a_name(p: Any, q: Any, a: Any) -> Any:
    x: Any = None
    if p:
        x = Node(a)
    if q:
        if x is None:
            x = Node(a + 1)
        else:
            x.value += 1
    return None if x is None else x.value


def in_an_object(p: Any, q: Any, a: Any) -> Any:
    x = Node(0)
    if p:
        x.left = Node(a, Node(1))
    if q:
        if x.left is None:
            x.left = Node(a + 1, Node(2))
        else:
            x.left.left.add(3)
    return None if x.left is None else (x.left.value, x.left.left.value)


def in_a_tuple(p: Any, q: Any, a: Any) -> Any:
    x: Any = None
    if p:
        x = (Node(a), [a], 1)
    if q:
        if x is None:
            x = (Node(a + 1), [a], 2)
        else:
            x[0].value += 1
            x[1][0] += 5
    return None if x is None else (x[0].value, x[1][0], x[2])


def of_lists_and_dicts(p: Any, q: Any, a: Any) -> Any:
    items: Any = None
    table: Any = None
    if p:
        items, table = [a, a], {"k": a}
    if q:
        if items is None:
            items, table = [a], {"k": a + 1}
        else:
            items.append(a + 1)
            table["k"] = table["k"] + 1
    return items, None if table is None else table["k"]


def by_recursion(p: Any, q: Any, a: Any) -> Any:
    def inserted(node: Any, value: Any) -> Any:
        if node is None:
            return Node(value)
        node.left = replaced(node.left, value)
        return node

    def replaced(node: Any, value: Any) -> Any:
        if node is None:
            return Node(value)
        node.value = value
        return node

    x: Any = None
    if p:
        x = Node(a)
        if q:
            x.left = Node(a + 1)
    x = inserted(x, a + 20)
    return x.value, None if x.left is None else x.left.value


def kept_before(p: Any, q: Any, a: Any) -> Any:
    one, other = [a], [a + 1]
    known = [one, 5]
    if p:
        held = [[a + 9], 5]
    else:
        known[0] = other
        held = known
    return held[0][0], held[1], one[0] if q else other[0]


@pytest.mark.parametrize(
    "function",
    [in_a_name, in_an_object, in_a_tuple, of_lists_and_dicts, by_recursion, kept_before],
    ids=lambda f: f.__name__,
)
def test_what_a_path_changes_in_what_may_be_none(function: Callable[..., Any]) -> None:
    same(function, *[(p, q, np.int64(7)) for p in TRUTHS for q in TRUTHS], traces=None)


def test_a_search_tree_by_recursion() -> None:
    def walked(values: Any) -> Any:
        def inserted(node: Any, value: Any) -> Any:
            if node is None:
                return Node(value)
            if value < node.value:
                node.left = inserted(node.left, value)
            else:
                node.right = inserted(node.right, value)
            return node

        def walk(node: Any) -> Any:
            return [*walk(node.left), node.value, *walk(node.right)] if node else []

        root: Any = None
        for value in values:
            root = inserted(root, value)
        return root.left.left.value, root.value

    same(walked, np.array([5, 2, 8, 1]), np.array([7, 4, 1, 9]), traces=None)


def attribute_set(p: Any, a: Any) -> Any:
    x: list[Any] = [None]
    if p:
        x[0] = Node(a)
    x[0].value += 1
    x[0].value = x[0].value * 2
    return x[0].value


def attribute_deleted(p: Any, a: Any) -> Any:
    x: list[Any] = [None]
    if p:
        x[0] = Node(a)
    del x[0].value
    return hasattr(x[0], "value")


def items_written(p: Any, a: Any) -> Any:
    x: list[Any] = [None]
    if p:
        x[0] = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    x[0][a] = 5
    x[0][a] += 1
    x[0][:2] = [a]
    return x[0]


def item_deleted(p: Any, a: Any) -> Any:
    x: list[Any] = [None]
    if p:
        x[0] = [a, 1, 2]
    del x[0][1]
    return x[0]


def table_written(p: Any, a: Any) -> Any:
    x: list[Any] = [None]
    if p:
        x[0] = {}
    for i in range(a):
        x[0][i % 3] = i
    return x[0]


def array_written(p: Any, a: Any) -> Any:
    x: Any = None
    if p:
        x = np.zeros(9)
    x[a] = 2
    x[a] += 1
    x[x > 1] *= 7
    return x


def item_updated(p: Any, a: Any) -> Any:
    x: Any = None
    if p:
        x = [a, 2]
    x[0] += 1
    return x


def unpacked(p: Any, a: Any) -> Any:
    x: Any = None
    if p:
        x = (a, 2, 3)
    one, *others = x
    return one, others


def unpacked_of_two(p: Any, a: Any) -> Any:
    x: Any = None
    if p:
        x = (a, 2)
    one, other = x
    return one, other


def number_updated(p: Any, a: Any) -> Any:
    x: Any = None
    if p:
        x = 5
    x -= a
    return x


def updated_by_a_python_number(p: Any, a: Any) -> Any:
    x: Any = None
    if p:
        x = a
    x *= 3
    return x


@pytest.mark.parametrize(
    "function",
    [
        attribute_set,
        attribute_deleted,
        items_written,
        item_deleted,
        table_written,
        array_written,
        item_updated,
        unpacked,
        unpacked_of_two,
        number_updated,
        updated_by_a_python_number,
    ],
    ids=lambda f: f.__name__,
)
def test_none_is_written_as_python_does(function: Callable[..., Any]) -> None:
    same(function, *[(p, np.int64(7)) for p in TRUTHS], traces=None)


def attributes_asked_for(p: Any, a: Any) -> Any:
    x: Any = None
    if p:
        x = Node(a)
    found = hasattr(x, "value"), hasattr(x, "other"), hasattr(x, "__class__")
    return found, getattr(x, "value", -5), getattr(x, "other", 1)


def test_attributes_of_what_may_be_none() -> None:
    same(attributes_asked_for, *[(p, np.int64(7)) for p in TRUTHS])


def test_methods_of_one_of_several_texts() -> None:
    def found(p: Any) -> Any:
        text = "abc" if p else "xbyb"
        return text.index("b"), text.count("b"), text.find("y"), text.replace("b", "cc"), text.split("b")

    same(found, *TRUTHS)


def test_truths_that_are_one_object_are_compiled_once() -> None:
    def both(p: Any, q: Any) -> Any:
        return p is q, p and q

    same(both, *[(p, q) for p in TRUTHS for q in TRUTHS])


def other_name_of_an_object(p: Any, a: Any) -> Any:
    x = Node(a) if p else None
    y = x or Node(7)
    if x is not None:
        x.value += 1
    return y.value


def changed_by_the_other_name(p: Any, a: Any) -> Any:
    x: Any = None
    if p:
        x = [a]
    y = x if x is not None else [7]
    y[0] += 1
    return None if x is None else x[0]


def other_name_of_a_list(p: Any, a: Any) -> Any:
    x = [a] if p else None
    y = x or [5]
    if x:
        x[0] = 9
    return y[0]


@pytest.mark.parametrize(
    "function",
    [changed_by_the_other_name, other_name_of_a_list],
    ids=lambda f: f.__name__,
)
def test_a_change_seen_through_one_of_two_names_is_refused(function: Callable[..., Any]) -> None:
    refused(function, np.bool_(True), np.int64(7), match="other names too")


def test_a_change_is_seen_through_two_names_of_an_object() -> None:
    for truth in (True, False):
        same(other_name_of_an_object, (np.bool_(truth), np.int64(7)))


def test_a_second_name_of_what_may_be_none() -> None:
    def changed(p: Any, a: Any) -> Any:
        x = Node(a) if p else None
        y = x
        if y is not None:
            y.value += 1
        return None if x is None else x.value

    same(changed, *[(p, np.int64(7)) for p in TRUTHS])

"""Objects of the user's classes that a function makes: in branches, loops, lists and dicts, by what they hold."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

X = np.arange(70.0) - 3
SHORT = np.array([1.0, 2.0, -3.0])


class Node:
    def __init__(self, x, cost, parent=-1):
        self.x = x
        self.cost = cost
        self.parent = parent

    def total(self):
        return self.x + self.cost


@dataclasses.dataclass
class Record:
    x: int
    cost: float
    parent: int = -1

    def total(self):
        return self.x + self.cost


class Stack:
    def __init__(self):
        self.items = []
        self.count = 0

    def add(self, value):
        self.items.append(value)
        self.count += 1


def chosen(kind, x):
    made = kind(1, x[0]) if x.sum() > 0 else kind(2, x[1])
    made.cost += 5.0
    if x[1] > 0:
        made.x = 7
    return made.cost, made.x, made.total()


def best(kind, x):
    found = kind(0, x[0])
    for i in range(len(x)):
        node = kind(i, x[i], i - 1)
        if node.cost < found.cost:
            found = node
    return found.x, found.cost, found.parent


def none_at_first(kind, x):
    found = None
    for i in range(len(x)):
        node = kind(i, x[i])
        if found is None or node.cost > found.cost:
            found = node
    return found.x, found.cost


def listed(kind, x):
    nodes = []
    for i in range(len(x)):
        if x[i] > 0:
            nodes.append(kind(i, x[i]))
    lowest = min(nodes, key=lambda node: abs(node.cost - 5.5))
    return len(nodes), [node.x for node in nodes], sum(node.cost for node in nodes), lowest.x


def keyed(kind, x):
    nodes = {}
    for i in range(len(x)):
        if x[i] > 0:
            nodes[i * 7] = kind(i, x[i], i - 1)
    key = max(nodes, key=lambda k: nodes[k].cost)
    return key, nodes[key].parent, len(nodes)


def two_names(kind, x):
    current, previous, n = kind(0, 1.0), None, 0
    while n < 3 + x[0] * 0:
        previous = current
        current = kind(previous.x + 1, previous.cost * 2)
        n += 1
    return current.x, previous.x, previous.cost


def changed_on_the_path(kind, x):
    a = kind(1, x[0])
    if x[1] > 0:
        a.cost = 5.0
        found = a
    else:
        found = kind(2, 0.0)
    return found.cost, a.cost


def replaced_on_one_path(kind, x):
    node = kind(1, [x[0]])
    if x[0] > 0:
        node.cost.append(x[1])
        node.x = 8
    else:
        node = kind(2, [x[1], x[2]])
    return node.cost, node.x


def nested(kind, x):
    if x[0] > 0:
        node = kind(1, x[0], kind(3, [x[1], 2.0]))
    else:
        node = kind(2, x[1], kind(4, [x[0], 3.0]))
    return node.parent.x, node.parent.cost[0], node.cost


@pytest.mark.sampled
@pytest.mark.parametrize("kind", [Node, Record])
@pytest.mark.parametrize(
    "function",
    [
        chosen,
        best,
        none_at_first,
        listed,
        keyed,
        two_names,
        changed_on_the_path,
        replaced_on_one_path,
        nested,
    ],
)
def test_objects_are_what_they_hold(function, kind) -> None:
    short = function in (chosen, two_names, changed_on_the_path, replaced_on_one_path, nested)
    for x in (SHORT, -SHORT) if short else (X,):
        same(lambda x: function(kind, x), (x,))


def test_methods_that_change_objects() -> None:
    def filled(x):
        stack = Stack()
        for value in x:
            if value > 0:
                stack.add(value)
        return stack.items, stack.count

    def of_paths(x):
        stack = Stack()
        if x[0] > 0:
            stack.add(x[0])
        else:
            stack = Stack()
            stack.add(x[1])
            stack.add(x[2])
        return stack.items, stack.count

    same(filled, (X,), (-X,))
    for x in (SHORT, -SHORT):
        same(of_paths, (x,))


def test_objects_from_before_stay_themselves() -> None:
    def changed(x):
        a, b = Node(1, 1.0), Node(2, 2.0)
        c = a if x[1] > 0 else b
        c.cost = 9.0
        return a.cost, b.cost, c is a, c is b

    def item(x):
        nodes = [Node(1, x[0]), Node(2, x[1])]
        c = nodes[0] if x[1] > 0 else nodes[1]
        c.cost = 7.0
        return nodes[0].cost, nodes[1].cost

    def asked(x):
        a = Node(1, x[0])
        found = a
        if x[1] > 0:
            found = Node(2, x[1])
        return found is a

    for function in (changed, item, asked):
        for x in (SHORT, -SHORT):
            same(function, (x,))


def test_objects_that_lead_to_themselves() -> None:
    def ring(x):
        a, b = Node(1, x[0]), Node(2, x[1])
        a.parent, b.parent = b, a
        c = a if x[0] > 0 else b
        return c.cost, c.parent.x

    for x in (SHORT, -SHORT):
        same(ring, (x,))


def held_list(x):
    a = [x[0]]
    found = a
    if x[1] > 0:
        found = [x[1]]
    return found is a


def held_record(x):
    a = Record(1, x[0])
    found = a
    if x[1] > 0:
        found = Record(2, x[1])
    return found is a


def chosen_record(x):
    a, b = Record(1, x[0]), Record(2, x[1])
    return (a if x[0] > 0 else b) is b


def test_whether_two_are_one_is_refused_where_a_condition_decides() -> None:
    with pytest.raises(weft.UnsupportedError, match=r"whether these are one .* depends on a condition"):
        weft.function(held_list)(SHORT)


@pytest.mark.parametrize("function", [held_record, chosen_record])
def test_whether_two_objects_are_one_is_told_where_a_condition_decides(function) -> None:
    same(function, (SHORT,), (-SHORT,))


def test_changes_of_what_may_be_another_are_seen() -> None:
    def changed(x):
        a = Node(1, x[0])
        found = a
        if x[1] > 0:
            found = Node(2, x[1])
        found.cost = 100.0
        return a.cost

    def in_list(x):
        nodes = []
        for i in range(len(x)):
            if x[i] > 0:
                nodes.append(Node(i, x[i]))
        nodes[0].cost = 5.0
        return [node.cost for node in nodes]

    same(changed, (SHORT,), (-SHORT,))
    same(in_list, (X,))


def test_results_are_new_objects_at_each_call() -> None:
    compiled = weft.function(lambda x: (Node(1, 2.0), Node(2, x[0])))
    first, second = compiled(SHORT), compiled(SHORT)
    first[0].x = 99
    assert [node.x for node in second] == [1, 2]
    assert second[1].cost == SHORT[0]
    assert compiled(SHORT)[0].x == 1

    def many(x):
        nodes = []
        for i in range(len(x)):
            if x[i] > 0:
                nodes.append(Node(i, x[i]))
        return nodes, {"a": Node(2, [x[0], Node(3, x)])}, None if x[4] > 0 else Node(1, 2)

    nodes, named, missing = weft.function(many)(X)
    assert [(node.x, node.cost) for node in nodes] == [(i, X[i]) for i in range(len(X)) if X[i] > 0]
    assert np.array_equal(named["a"].cost[1].cost, X)
    assert type(named["a"]) is Node
    assert missing is None


class Slotted:
    __slots__ = ("cost", "x")

    def __init__(self, x, cost):
        self.x = x
        self.cost = cost


class Counted:
    def __new__(cls, x):
        return object.__new__(cls)

    def __init__(self, x):
        self.x = x


def test_slots() -> None:
    compiled = weft.function(lambda x: Slotted(1, x[0]) if x[0] > 0 else Slotted(2, x[1]))
    for x in (SHORT, -SHORT):
        made = compiled(x)
        assert (made.x, made.cost) == ((1, x[0]) if x[0] > 0 else (2, x[1]))


def test_what_cannot_be_made_again_is_not_returned() -> None:
    with pytest.raises(weft.UnsupportedError, match=r"makes a Counted object and returns it"):
        weft.function(lambda x: Counted(1))(SHORT)


def test_objects_stored_outside() -> None:
    holder = Stack()

    def stored(x):
        holder.last = Node(1, x[0])
        if x[0] > 5:
            holder.last = Node(2, x[1])
        return holder.last.cost

    compiled = weft.function(stored)
    for x, number in ((np.array([1.0, 2.0]), 1), (np.array([6.0, 2.0]), 2)):
        assert compiled(x) == holder.last.cost == x[number - 1]
        assert holder.last.x == number


def test_results_that_cannot_be_saved(tmp_path) -> None:
    compiled = weft.function(lambda x: Node(1, x.sum()))
    with pytest.raises(weft.NotPortable, match="Node"):
        weft.save(tmp_path / "nodes.weft", f=compiled.get_concrete_function(weft.TensorSpec([3], np.float64)))


@dataclasses.dataclass
class Linked:
    count: float
    parent: object = None
    children: dict = dataclasses.field(default_factory=dict)


def test_objects_that_know_the_one_above_them():
    def f(x):
        root = Linked(1.0)
        root.children["first"] = Linked(2.0, root)
        for i in range(3):
            if x > i:
                root.children["first"].count += x
                root.children["first"].parent.count *= 2.0
        return root.count, root.children["first"].count

    same(f, np.float64(2.5), np.float64(-1.0))


def test_a_result_that_holds_itself():
    def f(x):
        root = Linked(x)
        root.parent = root
        return root

    for x in (np.float64(1.0), np.float64(2.0)):
        root = weft.function(f)(x)
        assert root.parent is root


def test_a_result_that_is_nested_without_end_is_refused():
    def f(x):
        rows = [x]
        for _ in range(5000):
            rows = [rows]
        return rows

    with pytest.raises(NotImplementedError, match="the result is nested too deeply"):
        weft.function(f)(np.float64(1.0))


class _Linked:
    def __init__(self, number: int) -> None:
        self.number = number
        self.next: _Linked | None = None


def test_an_object_is_made_to_lead_to_itself_in_a_branch() -> None:
    def linked(x: np.ndarray) -> object:
        one = _Linked(3)
        if x.sum() > 0:
            one.next = one
        after = one.next
        return one.number if after is None else after.number + 1

    compiled = weft.function(linked)
    for x in (np.ones(3), -np.ones(3)):
        assert compiled(x) == linked(x)

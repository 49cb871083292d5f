"""Attributes of classes that the program changes are state, as the names of a module are."""

from __future__ import annotations

import abc
import copy
import dataclasses

import numpy as np
import pytest

import weft
from weft.dialect.errors import LeakedArrayError, UnsupportedError


class Node:
    count = 0
    total = 0.0
    kind = "none"
    last = None
    rows = np.zeros(3)
    items: list[float] = []  # noqa: RUF012

    def __init__(self, value):
        Node.count += 1
        self.number, self.value = Node.count, value

    def step(self):
        self.count += 10
        return self.count

    @classmethod
    def add(cls, value):
        cls.total += value
        return cls.total

    @staticmethod
    def tick():
        Node.count += 1
        return Node.count

    @property
    def next(self):
        type(self).count += 2
        return Node.count


class Leaf(Node):
    pass


@dataclasses.dataclass
class Scale:
    factor: float = 1.0

    def double(self):
        Scale.factor = Scale.factor * 2
        return self.factor


class Shape(abc.ABC):
    areas = 0

    @abc.abstractmethod
    def area(self): ...


class Square(Shape):
    def area(self):
        Shape.areas += 1
        return self.areas


def numbered(x):
    first, second = Node(x[0]), Node(x[1])
    return first.number, second.number, first.value + second.value, Node.count


def by_condition(x):
    if x[0] > 0:
        Node.count += 5
        Node.kind = "big"
    return Node.count, Node.kind


def in_loops(x):
    for value in x:
        if value > 1:
            Node.count += 1
        if Node.count > 6:
            break
    while Node.count < 3:
        Node.count += 1
    return Node.count, [Node.count for _ in range(2)]


def by_methods(x):
    return Node.add(x.sum()), Leaf.tick(), Node(x[0]).next, Node.total


def beside_its_own(x):
    node = Node(x[0])
    return node.step(), node.step(), Node.count


def set_by_name(x):
    setattr(Node, "count", Node.count + int(x[0]))
    return getattr(Node, "count")


def holds_arrays(x):
    Node.last = x * 2
    Node.rows = Node.rows + x
    Node.rows += 1
    return Node.last.sum(), Node.rows


def holds_objects(x):
    Node.last = Node(x.sum())
    return Node.last.value, Node.last.number


def holds_lists(x):
    if x[0] > 0:
        Node.items = [*Node.items, x[1]]
    Node.items = [*Node.items, x[0]]
    Node.items.append(x[2])
    return len(Node.items)


def _depth(k):
    Node.count += 1
    return 0 if k <= 0 else 1 + _depth(k - 1)


def recursive(x):
    return _depth(int(x[0])), Node.count


def in_generators(x):
    def scaled():
        for value in x:
            Node.count += 1
            yield value * Node.count

    return sum(scaled()), Node.count


def in_tries(x):
    try:
        Node.count += 1
        if x[0] > 1:
            raise ValueError("large")
        Node.count += 1
    except ValueError:
        Node.count += 100
    return Node.count


def of_dataclasses(x):
    return Scale(x[0]).double(), Scale(), Shape.areas, Square().area()


def deleted(x):
    del Node.last
    return x[0]


PROGRAMS = [
    numbered, by_condition, in_loops, by_methods, beside_its_own, set_by_name, holds_arrays, holds_objects,
    holds_lists, recursive, in_generators, in_tries, of_dataclasses, deleted,
]  # fmt: skip
STATE = [
    (kind, name, vars(kind)[name])
    for kind, names in [
        (Node, ("count", "total", "kind", "last", "rows", "items")),
        (Scale, ("factor",)),
        (Shape, ("areas",)),
    ]
    for name in names
]


def _state():
    values = [vars(kind).get(name, "deleted") for kind, name, _ in STATE]
    return [vars(value) if isinstance(value, Node) else copy.deepcopy(value) for value in values]


def _begin():
    for kind, name, value in STATE:
        setattr(kind, name, copy.deepcopy(value))


@pytest.fixture(autouse=True)
def _classes_as_they_were():
    _begin()
    yield
    _begin()


def _observed(function):
    _begin()
    found = []
    for k in range(3):
        try:
            result = function(np.arange(3.0) + k)
        except AttributeError as error:
            result = str(error)
        found.append(repr((result, _state())))
    return found


@pytest.mark.parametrize("function", PROGRAMS)
def test_changes_of_classes(function):
    assert _observed(weft.function(function)) == _observed(function)


def test_readers_see_changes():
    reader = weft.function(lambda x: x + Node.count)
    counting = weft.function(lambda x: Node(x).number)
    for k in range(5):
        counting(1.0)
        assert reader(np.float64(2.0)) == 2.0 + k + 1
        Node.count = k + 1
    assert reader.trace_count <= 4


def _with_base(x):
    Leaf.total += 1
    return x


def _with_new(x):
    Node.fresh = 1
    return x


def _with_method(x):
    Node.tick = None
    return x


@pytest.mark.parametrize("function", [_with_base, _with_new, _with_method])
def test_what_is_not_the_state_of_a_class_is_refused(function):
    before = dict(vars(Node))
    with pytest.raises(
        UnsupportedError, match=r"attribute '\w+' of the class .* that the class itself has before"
    ):
        weft.function(function)(np.ones(2))
    assert dict(vars(Node)) == before


def test_all_attributes_together_are_refused():
    @weft.function
    def f(x):
        Node.count += 1
        return vars(Node)["count"]

    with pytest.raises(
        UnsupportedError, match=r"all attributes of the class Node .*name those that are read"
    ):
        f(np.ones(2))


def of_its_own_class(x):
    class Made(Node):
        items = [x]  # noqa: RUF012
        rows = [1, 2]  # noqa: RUF012

        def put(self, value):
            self.items.append(value)

    kept = Made.items
    if x > 1:
        Made.items.append(5.0)
    for k in range(int(x)):
        Made.items[0] += k
        Made.rows[k % 2] += 1
    Made.put(Made.__new__(Made), x)
    Node.items.append(x)
    return kept, kept is Made.items, Made.rows, len(Made.items), Made.total


def in_turns(x):
    found = []
    for k in range(3):

        class Made:
            items = [k]  # noqa: RUF012

        Made.items.append(x)
        found.append(Made.items)
    return found


@pytest.mark.parametrize("function", [of_its_own_class, in_turns])
def test_what_classes_hold_that_each_call_makes_is_made_anew(function):
    compiled = weft.function(function)
    for k in (1.0, 2.0, 3.0):
        _begin()
        expected = repr((function(np.float64(k)), _state()))
        _begin()
        found = compiled(np.float64(k))
        assert repr((found, _state())) == expected
        for part in found:
            if isinstance(part, list):
                part.append("the caller's")


def local_counters(xs):
    class Tree:
        class Leaf:
            count = 0
            best = None

            def __init__(self, value):
                self.value = value
                Tree.Leaf.count += 1
                if Tree.Leaf.best is None or value > Tree.Leaf.best.value:
                    Tree.Leaf.best = self

        leaves: list[Leaf] = []  # noqa: RUF012

        def add(self, value):
            type(self).leaves.append(Tree.Leaf(value))

    tree = Tree()
    for x in xs:
        tree.add(x)
    Tree.size = len(Tree.leaves)
    return Tree.Leaf.count, Tree.Leaf.best.value, Tree.size, sum(leaf.value for leaf in Tree.leaves)


def local_subclasses(xs):
    class Base:
        seen = 0

        def tick(self):
            type(self).seen += 1

    class Other(Base):
        seen = 10

    one, other = Base(), Other()
    for x in xs:
        if x > 2:
            other.tick()
        else:
            one.tick()
    return Base.seen, Other.seen


@pytest.mark.parametrize("function", [local_counters, local_subclasses])
def test_classes_that_the_function_makes_have_counters(function):
    compiled = weft.function(function)
    for xs in ([1, 5, 3], [2, 2], np.arange(4.0), np.array([7.0, 1.0])):
        assert shown(compiled(xs)) == shown(function(xs))


def shown(values):
    return [(type(value), value) for value in values]


def test_a_changed_attribute_of_such_a_class_is_not_used_later():
    def f(n):
        class Local:
            made = 0

        for _ in range(n):
            Local.made += 1
        return Local

    found = weft.function(f)(np.int64(3))
    with pytest.raises(LeakedArrayError, match="used after the tracing of f has ended"):
        found.made + 1

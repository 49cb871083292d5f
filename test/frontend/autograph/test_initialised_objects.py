"""Objects that a function makes: what `__init__` sees of them, what `__new__` may make, and classes of Python's own."""

from __future__ import annotations

import functools
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

X = np.array([3.0, -1.0, 2.0])


class Bag:
    def __init__(self, items):
        if not hasattr(self, "held"):
            self.held = []
        self.size = getattr(self, "size", 10)
        for item in items:
            self.held.append(item)
            try:
                self.most = max(self.most, item)
            except AttributeError:
                self.most = item


class Kept(Bag):
    def __init__(self, items):
        self.held = [0.5]
        super().__init__(items)


def of_lazy_attributes(x):
    bag, kept = Bag(x), Kept(x)
    before = hasattr(bag, "label")
    bag.label = x.sum()
    return bag.held, bag.size, bag.most, kept.held, kept.most, before, hasattr(bag, "label"), bag.label


class Shape:
    def __new__(cls, *sides):
        if cls is Shape and len(sides) == 1:
            return object.__new__(Square)
        return object.__new__(cls)

    def __init__(self, *sides):
        self.sides = sides

    def area(self):
        return self.sides[0] * self.sides[1]


class Square(Shape):
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side**2


class Plain(Shape):
    pass


class Number:
    def __new__(cls, value):
        return value * 2

    def __init__(self, value):
        raise AssertionError("of what is no Number")


class Filled:
    def __new__(cls, value):
        made = object.__new__(cls)
        made.value = value
        return made


def of_new(x):
    shapes = [Shape(x[0], x[1]), Shape(x[2]), Square(x[0]), Plain(x[1], x[2])]
    return [s.area() for s in shapes], [type(s).__name__ for s in shapes], Number(x[0]), Filled(x[1]).value


@pytest.mark.parametrize("function", [of_lazy_attributes, of_new])
def test_objects_are_initialised_as_python_does_it(function: Any) -> None:
    same(function, (X,), (X * 2,))


class Ordered(dict):
    """Keeps its keys in a list of its own, as which it is walked: no other code may ask it for its items meanwhile."""

    def __init__(self, pairs):
        self.order = []
        for key, value in pairs:
            self[key] = value

    def __setitem__(self, key, value):
        if key not in self:
            self.order.insert(0, key)
        dict.__setitem__(self, key, value)

    def __iter__(self):
        return iter(self.order)

    def keys(self):
        return list(self.order)

    def values(self):
        return [self[key] for key in self.order]

    def items(self):
        return [(key, self[key]) for key in self.order]


class Counted(list):
    asked = 0

    def __iter__(self):
        Counted.asked += 1
        return super().__iter__()


def of_derived_dicts(x):
    made = Ordered([("a", x[0]), ("b", x[1])])
    made["c"] = x[2]
    made["a"] = 1.0
    return list(made), made["c"], made.items(), len(made), "b" in made


def test_nothing_asks_a_derived_dict_in_the_middle_of_a_change() -> None:
    same(of_derived_dicts, (X,), (X * 2,))


def test_nothing_walks_a_derived_list_by_its_own_methods() -> None:
    def total(items, x):
        return len(items) * x

    Counted.asked = 0
    assert weft.function(lambda x: total(Counted([1, 2]), x))(2.0) == 4.0
    assert Counted.asked == 0


def test_contents_of_derived_containers() -> None:
    from weft.frontend.source.plain_items import contents

    ordered = OrderedDict(a=1, b=2)
    ordered.move_to_end("a")
    assert list(contents(ordered)) == [2, 1]
    Counted.asked = 0
    assert (list(contents(Counted([1]))), Counted.asked) == ([1], 0)


def of_sorted_containers(x):
    from sortedcontainers import SortedDict, SortedKeyList, SortedList, SortedSet

    items = [int(i) for i in (5, 1, 3)]
    found, falling = SortedSet(items), SortedList(items, key=lambda item: -item)
    table = SortedDict({3: x[0], 1: x[1]})
    found.add(2)
    table[2] = x[2]
    listed = list(found)
    return (
        listed,
        found.pop(),
        list(found),
        list(falling),
        isinstance(falling, SortedKeyList),
        list(table.items()),
    )


def test_containers_of_an_installed_package_that_the_function_makes() -> None:
    """Their items are those that they had where they were asked for, and not those at the end of the call."""
    pytest.importorskip("sortedcontainers")
    same(of_sorted_containers, (X,), (X * 2,))


class Row:
    def __init__(self, x):
        self.x = x

    @property
    def places(self):
        print("asked for places")
        return np.where([value > 0 for value in self.x])[0]

    @property
    def sign(self):
        if self.x[0] > 0:
            return 1
        return -1

    @functools.cached_property
    def doubled(self):
        print("doubled")
        return self.x * 2 if self.x[0] > 0 else self.x


class MarkedRow(Row):
    @property
    def places(self):
        found = super().places
        return found, len(found)

    @property
    def sign(self):
        return super().sign * 2

    @functools.cached_property
    def doubled(self):
        return super().doubled + 1

    @property
    def of_base(self):
        return super(MarkedRow, self).sign, getattr(super(), "sign"), hasattr(super(), "of_base")  # noqa: UP008


class Last(MarkedRow):
    @property
    def sign(self):
        return super().sign + 0.5


def of_properties(x):
    row, last = MarkedRow(x), Last(x)
    return row.places, row.sign, row.doubled, row.doubled, row.of_base, last.sign


def test_properties_behind_super_are_converted() -> None:
    same(of_properties, (X,), (-X,))

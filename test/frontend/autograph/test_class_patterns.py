"""`case Point(x, y=0)`: attributes that patterns read are followed, as all attributes are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import weft
from weft.frontend.autograph.operators.objects.class_patterns import class_parts


@dataclass
class Point:
    x: Any
    y: Any = 0


class Box:
    def __init__(self, content: Any) -> None:
        self.content = content


def same_as_eager(compiled: Any, function: Any, *arguments: Any) -> None:
    expected, got = function(*arguments), compiled(*arguments)
    assert got == expected, f"{got!r} is not {expected!r}"


def test_changes_of_attributes_are_seen():
    point = Point(2.0)

    def f(v):
        match point:
            case Point(x=5.0):
                return v * 100
            case Point(x=w):
                return v * w

    compiled = weft.function(f)
    for x in (2.0, 5.0, 3.0, np.float64(2.5), 2.0):
        point.x = x
        same_as_eager(compiled, f, 1.5)


def test_changes_inside_of_containers_are_seen():
    items: list[Any] = [Point(1.0, 2.0), 3.0]

    def f(v):
        match items:
            case [Point(a, 0.0), b]:
                return v + a + b
            case [Point(a, c) as p, float(b)] if a > 0:
                return v * a + b * c + p.x
            case [_, *rest]:
                return v + len(rest)

    compiled = weft.function(f)
    same_as_eager(compiled, f, 1.5)
    for name, value in (("y", 0.0), ("x", -1.0), ("y", 2.0)):
        setattr(items[0], name, value)
        same_as_eager(compiled, f, 1.5)
    for item in (4, Point(3.0, 4.0)):
        items[0] = item
        same_as_eager(compiled, f, 1.5)


def test_changes_behind_alternatives_are_seen():
    box = Box(Point(7.0))

    def f(v):
        match box:
            case Box(content=Point(x=t)) | Point(x=t):
                return v + t
        return v

    compiled = weft.function(f)
    same_as_eager(compiled, f, 1.5)
    box.content.x = 8.0
    same_as_eager(compiled, f, 1.5)
    for content in (3, Point(1.0)):
        box.content = content
        same_as_eager(compiled, f, 1.5)


@pytest.mark.filterwarnings("ignore::weft.RetracingWarning")
def test_any_nesting():
    def f(v):
        match v:
            case (Point(x, y), Point(z)):
                return x + y + z
            case Point(x, y=Point(z)):
                return x * z
            case Point():
                return 1
            case {"k": Point(x=t)}:
                return t
            case Box(nothing=n):
                return n
            case Box(content=n):
                return n
            case int(n):
                return n + 0.5
            case str():
                return 9
        return 0

    compiled = weft.function(f)
    pair = (Point(1.0, 2.0), Point(3.0))
    for value in (pair, Point(2.0, Point(4.0)), Point(2.0, 3.0), {"k": Point(4.0)}, Box(2.0), 7, "s", None):
        same_as_eager(compiled, f, value)


class Length(int):
    """A number with a name of its own."""


def test_classes_derived_from_numbers_match_themselves():
    def f():
        match size:
            case Length(n):
                return n + 1
        return 0

    size = Length(4)
    assert weft.function(f)() == f() == 5
    with pytest.raises(TypeError, match="accepts 0 positional sub-patterns"):  # as in Python
        class_parts(np.float64(2.5), np.float64, 1, ())


def test_arrays_in_attributes_are_data():
    def f(p, v):
        match p:
            case Point(x=a, y=b):
                return a * v + b

    compiled = weft.function(f)
    for a in (np.arange(3.0), np.ones(3)):
        np.testing.assert_array_equal(compiled(Point(a, 1.0), 2.0), a * 2 + 1)
    assert compiled.trace_count == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, 5, 0, ()), "called match pattern must be a class"),
        ((Box(1), Box, 1, ()), r"Box\(\) accepts 0 positional sub-patterns \(1 given\)"),
        ((Point(1), Point, 3, ()), r"Point\(\) accepts 2 positional sub-patterns \(3 given\)"),
        ((Point(1), Point, 1, ("x",)), r"Point\(\) got multiple sub-patterns for attribute 'x'"),
    ],
)
def test_wrong_patterns_are_pythons_errors(arguments, message):
    with pytest.raises(TypeError, match=message):
        class_parts(*arguments)

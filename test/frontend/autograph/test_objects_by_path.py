"""Objects that are of one class on one path and of another, or a constant, on the other."""

from __future__ import annotations

import abc
import copy
import dataclasses
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import weft


class Shape(abc.ABC):
    def __init__(self, size: Any) -> None:
        self.size = size

    @abc.abstractmethod
    def area(self) -> Any: ...

    def grow(self, by: Any) -> Shape:
        self.size = self.size * by
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.size})"


class Circle(Shape):
    def area(self) -> Any:
        return 3 * self.size**2


class Square(Shape):
    corners = 4

    def __init__(self, size: Any) -> None:
        super().__init__(size)
        self.side = size

    def area(self) -> Any:
        return self.size**2

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Square) and bool(self.size == other.size)

    __hash__ = None  # type: ignore[assignment]


@dataclasses.dataclass
class Ok:
    value: Any


@dataclasses.dataclass
class Failed:
    reason: str
    code: Any


class Pair(NamedTuple):
    one: Any
    other: Any


def contents(value: Any) -> Any:
    """A value with objects by their classes and attributes."""
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [contents(item) for item in value]
    if hasattr(value, "__dict__"):
        return type(value).__name__, {name: contents(item) for name, item in vars(value).items()}
    return type(value).__name__, repr(value)


def same(program: Any, *inputs: Any) -> None:
    compiled = weft.function(program)
    for x in inputs:
        assert contents(compiled(x)) == contents(program(x)), f"{program.__name__}({x!r})"


POSITIVE, NEGATIVE = np.float64(3), np.float64(-0.5)


def test_results_are_of_the_class_of_their_path() -> None:
    def program(x):
        shape = Circle(x) if x > 0 else Square(x + 1)
        found = Ok(x) if x > 1 else Failed("small", x * 2)
        return shape, found, Circle(x) if x > 0 else "none", Pair(x, 1) if x > 0 else Ok(x), [Circle(x)]

    same(program, POSITIVE, NEGATIVE)


def test_returns_of_several_classes() -> None:
    def program(x):
        if x > 2:
            return Circle(x)
        if x > 1:
            return NotImplemented
        return None if x > 0 else Square(x)

    same(program, POSITIVE, np.float64(1.5), np.float64(0.5), NEGATIVE)


def test_methods_attributes_and_classes_are_those_of_the_path() -> None:
    def program(x):
        shape = Circle(x) if x > 0 else Square(x)
        other = shape
        other.grow(2)
        names = type(shape).__name__, hasattr(shape, "side"), getattr(shape, "corners", 0)
        told = isinstance(shape, Circle), shape == Square(NEGATIVE * 2), shape is None
        return shape.area(), names, told, shape

    same(program, POSITIVE, NEGATIVE)


def test_an_attribute_that_the_path_lacks() -> None:
    def program(x):
        shape = Circle(x) if x > 0 else Square(x)
        return shape.side

    same(program, NEGATIVE)
    with pytest.raises(AttributeError, match="'Circle' object has no attribute 'side'"):
        weft.function(program)(POSITIVE)


def test_patterns_of_classes_and_of_what_may_be_none() -> None:
    def program(x):
        maybe = (x, [x + 1]) if x > 0 else None
        match maybe:
            case (one, [other]):
                first = one + other
            case None:
                first = x * 0
        found = Ok(x) if x > 0 else Failed("small", x)
        match found:
            case Ok(value=value):
                return first, value + 1
            case Failed(reason="small", code=code):
                return first, code - 1

    same(program, POSITIVE, NEGATIVE)


def test_loops_carry_objects_of_several_classes(capsys: pytest.CaptureFixture[str]) -> None:
    def program(x):
        shape = Square(x)
        for i in range(3):
            if x > i:
                shape = Circle(shape.area() + i)
            print(shape)
        return shape

    same(program, POSITIVE, np.float64(0.5))
    printed = capsys.readouterr().out.splitlines()
    assert printed[:3] == printed[3:6]
    assert printed[6:9] == printed[9:12]


def test_objects_that_were_there_before_keep_their_other_names() -> None:
    def program(x):
        circle, square = Circle(x), Square(x + 1)
        shape = circle if x > 0 else square
        shape.size = shape.size * 2
        return circle.size, square.size, shape is circle

    same(program, POSITIVE, NEGATIVE)


def test_attributes_are_set_where_the_class_is_known() -> None:
    def program(x):
        found = Ok(x) if x > 1 else Failed("small", x) if x > 0 else Pair(x, 1)
        if isinstance(found, (Ok, Failed)):
            if isinstance(found, Ok):
                found.value = found.value * 2
            else:
                found.code -= 1
        shape = Circle(x) if x > 0 else Ok(x)
        for _ in range(4):
            if isinstance(shape, Circle):
                shape.size -= 1
                if shape.size < 0:
                    shape = Ok(shape.size)
            elif not isinstance(shape, Circle) and shape.value < 2:
                shape.value += 1.5
            else:
                shape = Circle(shape.value)
        return found, shape

    same(program, POSITIVE, np.float64(0.5), NEGATIVE)


class Kept:
    last: Any = None


def test_what_is_returned_and_stored_is_one_object() -> None:
    kept = Kept()

    @weft.function
    def program(x):
        found = Ok(x) if x > 0 else Failed("small", x)
        kept.last = found
        maybe = Circle(x) if x > 0 else None
        return found, [found], maybe, {"maybe": maybe}

    for x in (POSITIVE, NEGATIVE):
        found, (again,), maybe, named = program(x)
        assert found is again is kept.last
        assert maybe is named["maybe"]


def test_types_of_what_may_be_returned_are_those_of_each_class() -> None:
    def program(x):
        return Ok(x[1:3]) if x.sum() > 0 else Pair(x, x * 2)

    assert str(weft.eval_shape(program, np.arange(6.0))) == (
        "Ok(value=f64[2]) or Pair(one=f64[6], other=f64[6])"
    )


def test_one_of_several_objects_cannot_leave_the_process(tmp_path: Path) -> None:
    compiled = weft.function(lambda x: Ok(x) if x > 0 else Failed("small", x))
    with pytest.raises(
        weft.NotPortable, match="it has one of several objects, as a condition decides, among"
    ):
        weft.save(tmp_path / "program.weft", program=compiled.get_concrete_function(POSITIVE))


def test_arrays_in_them_are_the_callers() -> None:
    """And what is written to these once they are in an object is seen there."""
    x = np.ones(3)
    program = weft.function(lambda x: Circle(x) if x[0] > 0 else Failed("negative", x))
    assert program(x).size is x
    assert program(-x).code.tolist() == [-1, -1, -1]

    def written(x):
        row = x * 2
        found = Circle(row) if x[0] > 0 else Failed("negative", x)
        row[1] = 50.0
        return found

    np.testing.assert_array_equal(weft.function(written)(x).size, written(x).size)


class Walker:
    def visit(self, node):
        return getattr(self, "visit_" + type(node).__name__)(node)

    def visit_Circle(self, node):
        return node.size

    def visit_Failed(self, node):
        return -node.code


def test_attributes_by_the_name_of_the_class() -> None:
    def program(x):
        found = Circle(x) if x > 0 else Failed("negative", x)
        name = "size" if x > 0 else "code"
        return Walker().visit(found), getattr(Circle(x), name, x + 1), hasattr(Walker, "visit_" + name)

    same(program, POSITIVE, NEGATIVE)

    def of_made_text(x):
        return getattr(Circle(x), f"size{int(x)}", 0.0)

    with pytest.raises(
        weft.UnsupportedError, match="the name of an attribute is a text that is made when the program"
    ):
        weft.function(of_made_text)(POSITIVE)


def test_functions_of_objects_ask_the_one_of_the_path() -> None:
    def program(x):
        shape = Circle(x) if x > 0 else Square(x)
        other = copy.copy(shape)
        other.size = x * 5
        found = Ok(x) if x > 0 else Failed("small", x)
        changed = dataclasses.replace(found, value=x * 2) if isinstance(found, Ok) else found
        return shape, other, dataclasses.is_dataclass(found), dataclasses.is_dataclass(shape), changed

    same(program, POSITIVE, NEGATIVE)


def test_lists_of_any_length_hold_objects_of_several_classes() -> None:
    def program(x):
        shapes = []
        for i in range(int(x[0])):
            shapes.append(Circle(x[i]) if x[i] > 1 else Square(x[i]))
        return [shape.area() for shape in shapes]

    same(program, np.array([2.0, 0.5, 1.5]), np.array([3.0, 1.5, 0.5]), np.array([0.0, 1.0, 2.0]))


def test_what_holds_an_array_of_the_trace_is_no_constant() -> None:
    def program(x):
        total = x + 1
        return (lambda: total) if x[0] > 0 else "none"

    with pytest.raises(weft.WeftError):
        weft.function(program)(np.ones(3))


def test_polynomials_of_numpy_are_objects_like_others() -> None:
    def program(x):
        polynomial = np.polynomial.Polynomial(x)
        return polynomial.deriv() + polynomial, polynomial(2.0)

    found, expected = weft.function(program)(np.arange(3.0)), program(np.arange(3.0))
    assert found[0] == expected[0]
    assert found[1] == expected[1]


class Node:
    def __init__(self, value: Any) -> None:
        self.value = value
        self.next: Any = None


def test_an_object_from_outside_may_be_stored_or_returned_on_a_path():
    @weft.function
    def link(x: Any, node: Any) -> Any:
        node.value = x * 2
        if x.sum() > 0:
            node.next = node
        return node if x[0] > 1 else None

    for x, is_linked, is_returned in ((np.ones(2), True, False), (2 * np.ones(2), True, True)):
        node = Node(0.0)
        assert (link(x, node) is node) == is_returned
        assert (node.next is node) == is_linked
    assert link(-np.ones(2), node) is None
    assert node.next is node


def test_one_of_two_objects_is_the_callers():
    @weft.function
    def choose(x: Any, node: Any) -> Any:
        made = Node(x)
        return (made if x[1] > 1 else node), node

    for x in (np.arange(3.0), np.ones(3)):
        node = Node(1.0)
        chosen, given = choose(x, node)
        assert given is node
        assert (chosen is node) == (x[1] <= 1)
    np.testing.assert_array_equal(choose(np.full(3, 5.0), node)[0].value, np.full(3, 5.0))

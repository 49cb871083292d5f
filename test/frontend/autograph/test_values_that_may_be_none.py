"""Builtins and functions of NumPy compute with what may be None, and fail as Python does where it is None."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import weft
from support.behaviour_harness import same
from weft.dialect.types import TensorType
from weft.frontend.autograph.operators.values.kinds import ArrayKind, Partial, are_alike

X = np.array([3.5, -1.0, 2.25])


def least(x):
    found = None
    for v in x:
        if v > 0 and (found is None or v < found):
            found = v
    return found


def test_builtins() -> None:
    def f(x):
        v = least(x)
        return (
            int(v),
            float(v),
            complex(v),
            round(v),
            round(v, 1),
            divmod(v, 2),
            pow(v, 2),
            format(v, ".3f"),
            bool(v),
        )

    same(f, X)


def test_math_and_numpy() -> None:
    def f(x):
        v = least(x)
        made = np.array([v, 1.0]), np.full(3, v), np.where(v > 0, v, 0), np.float32(v), np.int64(v)
        return *made, math.floor(v), math.hypot(v, 1), math.isnan(v), x[: int(v)]

    same(f, X)


def test_what_looks_at_the_class() -> None:
    def f(x):
        v = least(x)
        kinds = type(v).__name__, v.__class__.__name__, callable(v)
        return isinstance(v, float), isinstance(v, int), isinstance(v, (type(None), float)), *kinds

    same(f, X, -X[:1], traces=2)


@pytest.mark.parametrize(
    "function", [int, float, round, math.sqrt, lambda v: np.array([v, 1.0]), lambda v: format(v, ".2f")]
)
def test_none_is_an_error_when_the_program_runs(function) -> None:
    compiled = weft.function(lambda x: function(least(x)))
    assert compiled(X) is not None
    with pytest.raises(TypeError, match="None"):
        compiled(-np.abs(X))


def test_operators_of_what_may_be_none_or_one_of_several_kinds():
    def f(x):
        v = None
        if x[0] > 0:
            v = "a"
        elif x[1] > 0:
            v = 2
        try:
            return v * 2
        except TypeError as error:
            return str(error)

    same(f, np.array([1.0, 2.0]), np.array([-1.0, 2.0]), np.array([-1.0, -2.0]))


def test_what_may_be_none_is_like_itself_alone():
    number = ArrayKind(TensorType((), np.dtype(np.int64)))
    maybe = Partial(number, none=True)
    assert are_alike(maybe, Partial(number, none=True))
    assert not are_alike(maybe, number)
    assert not are_alike(number, maybe)


def writes_with_what_may_be_none(n: Any, x: Any) -> Any:
    array, step = np.ones(2), np.ones(2) if n > 2 else None
    other = array
    other += step
    one = array if n > 3 else None
    if one is not None:
        one *= step
    return array, other, one


@pytest.mark.parametrize("n", [3, 4])
def test_arrays_are_written_in_place_with_what_may_be_none(n: int) -> None:
    same(writes_with_what_may_be_none, (np.int64(n), np.ones(2)))


def test_arrays_are_not_written_with_none_or_what_is_not_alike() -> None:
    with pytest.raises(TypeError, match="'float' and 'NoneType'"):
        weft.function(writes_with_what_may_be_none)(np.int64(2), np.ones(2))

    @weft.function
    def run(n: Any, x: Any) -> Any:
        y = x * 2
        y *= x + 1 if n > 2 else 3.0
        return y

    with pytest.raises(weft.UnsupportedError, match=r"an array is changed in place with it \(\*=\)"):
        run(np.int64(3), np.ones(2))


def grown_or_none(n: Any) -> Any:
    found: Any = []
    if n > 5:
        found.append(1.0)
    elif n > 0:
        found.extend([2.0, 3.0])
    else:
        found = None
    return found


def entry_grown_or_none(n: Any) -> Any:
    held: dict[str, Any] = {"items": []}
    if n > 5:
        held["items"].append(1.0)
    elif n > 0:
        held["items"].extend([2.0, 3.0])
    else:
        held["items"] = None
    return held


def grown_or_a_text(n: Any) -> Any:
    found: Any = []
    if n > 5:
        found.append(1.0)
    elif n > 0:
        found.extend([2.0, 3.0])
    else:
        found = "none"
    return found


@pytest.mark.parametrize("function", [grown_or_none, entry_grown_or_none, grown_or_a_text])
@pytest.mark.parametrize("n", [7, 1, -2])
def test_lists_that_grow_in_branches_beside_others(function: Any, n: int) -> None:
    same(function, (np.int64(n),))


class Point:
    def __init__(self, place: Any) -> None:
        self.place = place

    def __repr__(self) -> str:
        return f"Point({self.place.tolist()})"


def points_of(x: Any) -> Any:
    points = []
    for row in x:
        if row[0] > 1:
            points.append(Point(row.copy()))
    for point in points:
        point.place += 1
    return points


def test_points_that_are_moved_are_not_given_to_python() -> None:
    def shown_in_list(x: Any) -> None:
        print(points_of(x))

    def shown_in_dict(x: Any) -> None:
        print(dict(enumerate(points_of(x))))

    for function in (shown_in_list, shown_in_dict):
        with pytest.raises(
            weft.UnsupportedError, match=r"Point is given to Python .*give it what the object holds"
        ):
            weft.function(function)(np.arange(6.0).reshape(3, 2))


def test_refusals_show_no_object_by_its_own_repr() -> None:
    @weft.function
    def run(x: Any) -> Any:
        points = points_of(x)
        if len(points) > 1:
            points[0].place = points[1].place
        for point in points:
            point.place += 1
        return [point.place for point in points]

    with pytest.raises(weft.UnsupportedError, match="an object of Point is changed in place"):
        run(np.arange(6.0).reshape(3, 2))


def test_comparisons_give_bools_of_python_where_one_is_none() -> None:
    def compared(x):
        one = x[0] if x[0] > 2 else None
        other = x[1] if x[1] > 2 else None
        number = 3 if x[0] > 2 else None
        alike = one == other, one != other, {"key": number == other}, number == 3, number != 3
        text = f"{one == 3}, {[one != 3]}"
        return alike, one == 3, [3 != one], x[0] == one, (one == 3) is False, text, 1 if one == 3 else 0

    same(compared, *map(np.array, ([1.0, 1.0], [1.0, 3.0], [3.0, 1.0], [3.0, 3.0], [4.0, 3.0])))


def test_arrays_are_compared_where_they_are_there() -> None:
    def compared(x):
        found = x if x[0] > 2 else None
        return found == 3, found != 3

    same(compared, *map(np.array, ([1.0, 3.0], [3.0, 1.0])))

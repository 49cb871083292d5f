"""Tuples of as many items as only the program knows, and calls `f(*items)` of such lists."""

from __future__ import annotations

import itertools
import math
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.behaviour_harness import same
from weft.dialect.errors import UnsupportedError

XS = (np.array([3.0, 1.0, 2.0, -1.0, 5.0]), np.array([-1.0, -2.0]), np.array([4.0, 1.0]))


def grow(x: Any) -> Any:
    xs = []
    for v in x:
        if v > 0:
            xs.append(float(v))
    return xs


def pairs(x: Any) -> Any:
    found = []
    for i, v in enumerate(x):
        if v > 0:
            found.append((i, float(v)))
    return found


# Tuples


def read(x: Any) -> Any:
    xs = grow(x)
    t = tuple(xs)
    xs.append(7.0)
    first = t[0] if len(t) > 0 else -1.0
    inside = 1.0 in t, t.count(1.0), isinstance(t, list), isinstance(t, tuple), type(t) is tuple
    return t, xs, first, t[1:], inside, tuple(t) is t


def combined(x: Any) -> Any:
    t = tuple(grow(x))
    total = 0.0
    for i, v in enumerate(t):
        total += i * v
    print(t, f"{t}")
    return (
        t + (1.0,),
        (2.0,) + t,
        t * 2,
        (*t, 9.0),
        t == (4.0, 1.0),
        t == [4.0, 1.0],
        total,
        sorted(t),
        np.array(t),
    )


def carried(x: Any) -> Any:
    t: Any = ()
    n = 0
    for v in x:
        if v > 0:
            t = (*t, float(v))
    u = t
    while len(u) > 0:
        n += 1
        u = u[1:]
    return t, n


def of_path(x: Any) -> Any:
    t, u = (1.0, 2.0), None
    if x[0] > 3:
        t = u = tuple(grow(x))
    return t, u, sum(t)


def in_lists(x: Any) -> Any:
    paths, current = [], []
    for v in x:
        current.append(float(v))
        if v > 0:
            paths.append(tuple(current))
    return paths, (4.0,) in paths, sum(map(len, paths))


def made_of_others(x: Any) -> Any:
    n, positive = int(abs(x[0])), x[x > 0]
    return tuple(range(n)), tuple(v * 2 for v in range(n)), (0,) * n, tuple(positive), (1, 2, 3)[n:]


@pytest.mark.parametrize("function", [read, combined, carried, of_path, in_lists, made_of_others])
def test_tuples(function: Callable[..., Any]) -> None:
    for x in XS:
        same(function, x)


def set_item(x: Any) -> Any:
    t = tuple(grow(x))
    t[0] = 1.0  # type: ignore[index]


def append(x: Any) -> Any:
    tuple(grow(x)).append(1.0)  # type: ignore[attr-defined]


def behind(x: Any) -> Any:
    return tuple(grow(x))[9]


def missing(x: Any) -> Any:
    return tuple(grow(x)).index(99.0)


def add_list(x: Any) -> Any:
    return tuple(grow(x)) + [1.0]  # type: ignore[operator]


@pytest.mark.parametrize("function", [set_item, append, behind, missing, add_list])
def test_what_tuples_refuse(function: Callable[..., Any]) -> None:
    same(function, XS[0])


def test_keys_are_refused() -> None:
    def keys(x: Any) -> Any:
        return {tuple(grow(x)): 1}

    with pytest.raises(UnsupportedError, match=r"a tuple of any length .* is a key"):
        weft.function(keys)(XS[0])


# Calls


def transposed(x: Any) -> Any:
    a, b = zip(*pairs(x))
    return a, list(b), [list(c) for c in zip(*pairs(x))]


def grid(x: Any) -> Any:
    rows = [[i + 10 * j for j in range(int(abs(x[0])))] for i in range(len(x))]
    return [list(column) for column in zip(*rows)]


def extremes(x: Any) -> Any:
    return max(*grow(x)), min(0.5, *grow(x))


def printed(x: Any) -> None:
    print(*grow(x))
    print("v:", *grow(x), 1, sep="|", end=".")


def gathered(*values: Any) -> Any:
    return sum(values[1:], 0.0), len(values), values


def with_one(first: Any, *values: Any) -> Any:
    return first, values


def wrapped(*args: Any, **named: Any) -> Any:
    return gathered(*args, **named)


def walked(*values: Any) -> Any:
    for v in values:
        yield v * 2


def gathering(x: Any) -> Any:
    xs = grow(x)
    return gathered(*xs), wrapped(1.0, *xs, 2.0), with_one(0, *xs), sum(walked(*xs), 0.0)


class Made:
    def __init__(self, scale: Any, *values: Any) -> None:
        self.scale, self.values = scale, values

    def scaled(self, first: Any, *others: Any) -> Any:
        return self.scale * first, len(others), self.values


def methods(x: Any) -> Any:
    return Made(2, *grow(x)).scaled(*grow(x))


Point = namedtuple("Point", "a b")


def two(a: Any, b: Any) -> Any:
    return a - b


def of_two(x: Any) -> Any:
    return two(*grow(x))


def points(x: Any) -> Any:
    return Point(*grow(x)).b


def of_numbers(x: Any) -> Any:
    n = [int(v) for v in grow(x)]
    return math.gcd(*n), math.lcm(*n), list(itertools.chain(*[[v] * 2 for v in n], [7]))


def with_defaults(a: Any, b: Any = 10.0, c: Any = None) -> Any:
    return a + 2 * b, c


def with_rest(a: Any, b: Any = 10.0, *rest: Any) -> Any:
    return a + b + sum(rest), len(rest)


class Line:
    def __init__(self, a: Any, b: Any = 2.0) -> None:
        self.a, self.b = a, b

    def at(self, x: Any, y: Any = 1.0) -> Any:
        return self.a * x + y


def of_defaults(x: Any) -> Any:
    return with_defaults(*grow(x))


def of_defaults_behind_one(x: Any) -> Any:
    return with_defaults(1.0, *grow(x))


def of_defaults_and_names(x: Any) -> Any:
    return with_defaults(*grow(x), c=1.0)


def of_defaults_and_rest(x: Any) -> Any:
    return with_rest(*grow(x))


def of_classes_and_methods(x: Any) -> Any:
    line = Line(*grow(x))
    return line.a, line.b, Line(1.0).at(*grow(x))


def formatted(x: Any) -> Any:
    return "{}-{}".format(*grow(x))


def formatted_by_number(x: Any) -> Any:
    return "{1:.2f} {0} {0:>{2}} {name}".format(*grow(x), name="z")


WITH_DEFAULTS = [
    of_defaults, of_defaults_behind_one, of_defaults_and_names, of_defaults_and_rest, of_classes_and_methods, formatted,
]  # fmt: skip

CALLS = [transposed, grid, extremes, printed, gathering, methods, of_two, points, of_numbers]


@pytest.mark.parametrize("function", CALLS)
def test_calls(function: Callable[..., Any]) -> None:
    for x in XS:
        same(function, x)


@pytest.mark.parametrize("function", WITH_DEFAULTS)
def test_calls_with_defaults(function: Callable[..., Any]) -> None:
    for count in range(5):
        same(function, np.where(np.arange(4) < count, np.arange(1.0, 5.0), -1.0))


def test_functions_that_are_not_compiled_are_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"f\(\*b\) of a function that is not compiled"):
        weft.function(lambda x: math.hypot(*grow(x)))(XS[0])

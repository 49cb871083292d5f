"""Values that are a number on one path, and a text, a list, a tuple or an array on another."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import weft
from support.behaviour_harness import same
from weft.dialect.errors import ControlFlowError, UnsupportedError

X = np.array([3.0, 1.0, 2.0, 5.0, 4.0])
MANY = np.arange(40) * 7 % 11


def number_or_list(x, t):
    return 0 if x[0] > t else [x[1], 2]


def text_or_number(x, t):
    r = "none"
    if x[0] > t:
        r = x.sum()
    print(r, f"got {r!r}", f"{r} and {{}}".format(r), sep="|")
    return r, isinstance(r, str), isinstance(r, (int, float)), type(r).__name__, str(r)


def minus_one_or_array(x, t):
    return -1 if x[0] > t else x * 2


def none_or_array(x, t):
    r: Any = None
    if x[0] > t:
        r = x * 2
    elif x[1] > t:
        r = "low"
    return 0 if r is None else r


def two_ranks(x, t):
    y = x if x[0] > t else x.reshape(1, 5)
    added = 0
    for row in y:
        added = added + row
    return y * 2, y.sum(axis=0), y.shape, y.T, len(y), y[0], np.sum(a=y), np.stack([y, y]).ndim, added, -y


def scalar_or_array(x, t):
    y = x.sum() if x[0] > t else x
    return np.atleast_1d(y), np.asarray(y).ndim, np.mean(y), y + 1


def told_by_a_constant(x, t):
    r = (x[0], x[1]) if x[0] > t else -1
    if r == -1:
        return "nothing"
    first, second = r
    return first + second, len(r), r[1], 3.0 in r


def fails_on_a_path(x, t):
    y = "abc" if x[0] > t else x[0]
    return y + 1


def caught(x, t):
    y = "abc" if x[0] > t else x[0]
    try:
        return y - 1
    except TypeError:
        return "bad"


def false_or_number(x, t):
    r = False
    if x[0] > t:
        r = x[1]
    return r is False, r == False, not r  # noqa: E712


def a_list_is_changed(x, t):
    y = [1, 2] if x[0] > t else 0
    if y:
        y.append(3)
    return y


def an_array_is_changed(x, t):
    y = x.copy() if x[0] > t else 0
    if isinstance(y, np.ndarray):
        y[0] = 100.0
        y += 1
    return y, x


class Held:
    def __init__(self):
        self.value = "none"


def in_an_attribute(x, t):
    held = Held()
    if x[0] > t:
        held.value = x * 2
    return held.value if isinstance(held.value, str) else held.value.sum()


def in_a_dict(x, t):
    found = {"n": 0, "r": None}
    for v in x:
        if v > t:
            found["r"] = "big"
        elif v > 2:
            found["r"] = v
        found["n"] += 1
    return found


def as_a_key(x, t):
    k = "abc" if x[0] > t else 3
    if x[1] > t:
        k = x
    d = {"abc": 1.5, 3: 2.5}
    return None if isinstance(k, np.ndarray) else (d[k], d.get(k, 0), k in d)


PROGRAMS = [
    number_or_list, text_or_number, minus_one_or_array, none_or_array, two_ranks, scalar_or_array, told_by_a_constant,
    fails_on_a_path, caught, false_or_number, a_list_is_changed, an_array_is_changed, in_an_attribute, in_a_dict,
    as_a_key,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_each_path_leaves_its_own(program):
    same(program, *((X, np.float64(t)) for t in (2.0, 9.0, 0.5)))


def test_loops_hand_on_what_they_found():
    def found(a, wanted):
        path: Any = []
        for i, v in enumerate(a):
            path.append(v)
            if v == wanted:
                return path, i
        return "no path"

    def state(a, wanted):
        last: Any = "start"
        for v in a:
            if v == wanted:
                last = v
            elif last == "start":
                last = "seen"
        return last

    def counted(a, wanted):
        d = {}
        for v in a:
            d[v] = d.get(v, 0) + 1
            if v == wanted:
                return d
        return -1

    for f in (found, state, counted):
        same(f, (MANY, np.int64(10)), (MANY, np.int64(77)))


def test_lists_hold_what_is_not_alike():
    def fizz(n):
        out: list[Any] = []
        for i in range(1, n + 1):
            if i % 15 == 0:
                out.append("FizzBuzz")
            elif i % 3 == 0:
                out.append("Fizz")
            elif i % 5 == 0:
                out.append("Buzz")
            else:
                out.append(i)
        return out

    same(fizz, np.int64(50), np.int64(10))


@pytest.mark.filterwarnings("ignore:a text")  # that Python makes them in each iteration
def test_items_that_are_not_alike_are_told_apart():
    def classed(a):
        out: list[Any] = []
        for v in a:
            if v > 8:
                out.append(None)
            elif v > 6:
                out.append((v, "x"))
            elif v > 4:
                out.append(f"t{v}")
            elif v > 2:
                out.append("lit")
            else:
                out.append(v)
        out[3] = "new"
        texts = 0
        for item in out:
            if isinstance(item, str):
                texts += 1
        return out, texts, ",".join(str(item) for item in out[:4])

    same(classed, MANY)


def test_what_lists_do_not_hold():
    def rows(n):
        out: list[Any] = []
        for v in range(n):
            out.append([v, v] if v % 2 else v)
        return out

    with pytest.raises(UnsupportedError, match="cannot hold arrays, lists, dicts or objects that are not"):
        weft.function(rows)(np.int64(9))


def test_ranks_without_end():
    def deeper(x):
        for _ in range(40):
            if x.sum() < 0:
                x = x[None]
        return x

    with pytest.raises(ControlFlowError, match=re.escape("x is f64[1,1,1,1,5] or f64[1,1,1,5]")):
        weft.function(deeper)(X)


def test_updates_are_in_place():
    def alone(x, t):
        y = x.copy() if x[0] > t else "a"
        z = [1, 2] if x[0] > t else 0
        if isinstance(y, str):
            return y, z
        y += 1
        z *= 2
        return y, z

    def seen(x, t):
        y = x if x[0] > t else 0.5
        y += 1
        return y, x

    def identity(x, t):
        z = x * 2
        y = z if x[0] > t else "a"
        return y is z

    def constants(x, t):
        y = 3 if x[0] > t else "v"
        return y * 2

    same(alone, *((X, np.float64(t)) for t in (2.0, 9.0)))
    same(constants, *((X, np.float64(t)) for t in (2.0, 9.0)))
    for t in (2.0, 9.0):
        given, expected = X.copy(), X.copy()
        for one, other in zip(weft.function(seen)(given, np.float64(t)), seen(expected, t), strict=True):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(given, expected)
    with pytest.raises(UnsupportedError, match=r"f64\[5\] or 'a' .* asked whether it is another array"):
        weft.function(identity)(X, np.float64(2))


KNOWN = [1, 2]


@pytest.mark.parametrize("other", [0, [7]])
def test_lists_from_outside_are_not_changed(other):
    def grown(x, t):
        y = KNOWN if x[0] > t else other
        if isinstance(y, list):
            y.append(3)
        return y, len(KNOWN)

    with pytest.raises(UnsupportedError, match="a list that has other names too"):
        weft.function(grown)(X, np.float64(2.0))


def test_lists_that_have_other_names_are_not_changed():
    def both(x, t):
        known = [1, 2]
        y = known if x[0] > t else 0
        if y:
            y.append(3)
        return y, known

    with pytest.raises(UnsupportedError, match="a list that has other names too"):
        weft.function(both)(X, np.float64(2.0))

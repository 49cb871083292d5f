"""`is` of values that only the program knows: Python has one True, NumPy another, and each small int is there once."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

from support.differential import assert_same
from support.interpreted import interpreted
from weft.frontend.autograph.operators.values.identities import same_number


def bools(x: Any, i: Any) -> Any:
    pythons, numpys, reduced = i > 1, x[i] > 0, x.any()
    python = [
        pythons is True,
        False is pythons,
        pythons is not True,
        pythons is np.True_,
        (not numpys) is True,
    ]
    numpy = [
        numpys is np.True_,
        np.False_ is numpys,
        numpys is True,
        numpys is not np.True_,
        reduced is numpys,
    ]
    mixed = [bool(reduced) is pythons, pythons is numpys, (x > 0) is True, pythons is None, reduced is x]
    return python, numpy, mixed, operator.is_(pythons, True), operator.is_not(numpys, np.True_)


def ints(i: Any, j: Any) -> Any:
    zero = 0
    return i is j, i + 1 is j + 1, i is zero, i is not zero, i * 1.0 is j, i is np.int64(i)


def perhaps_none(x: Any, i: Any) -> Any:
    python, numpy, other = None, None, None
    if i > 0:
        python, numpy = i > 1, x[i] > 0
    if i > 1:
        other = numpy
    known = [python is True, python is False, python is None, python is not False, numpy is np.True_]
    return known, numpy is other, other is numpy, -1 if python is True else 1


def texts(i: Any) -> Any:
    one, other = "a" if i > 0 else "b", "a" if i > 1 else "b"
    flag = True if i > 0 else None
    return one is other, one is not other, flag is True, flag is None


def search(flags: Any, n: Any) -> Any:
    found = [False for _ in flags]
    for place, flag in enumerate(flags):
        found[place] = found[place] or flag > n
    for place in range(len(found) - 1, -1, -1):
        if found[place] is True:
            return place
    return -1


def cases(x: Any, i: Any) -> Any:
    match i > 1:
        case True:
            first = 1
        case False:
            first = 2
        case _:
            first = 3
    match {"flag": x[i] > 0, "number": i}:
        case {"flag": True}:
            second = 1
        case {"flag": np.bool_(), "number": bool()}:
            second = 2
        case {"flag": np.bool_(), "number": int(n)}:
            second = n
    return first, second


@pytest.mark.parametrize("function", [bools, perhaps_none, cases])
def test_identity_of_bools(function: Any) -> None:
    compiled = interpreted(function)
    for i in (0, 1, 2):
        for x in (np.array([1.0, -1.0, 2.0]), np.array([-1.0, 1.0, -2.0])):
            assert_same(compiled(x, i), function(x, i))


def test_identity_of_other_values() -> None:
    compiled, chosen, searched = interpreted(ints), interpreted(texts), interpreted(search)
    for i, j in ((3, 3), (0, 1), (-5, -5), (0, 0), (256, 256)):
        assert_same(compiled(i, j), ints(i, j))
    for i in (0, 1, 2):
        assert_same(chosen(i), texts(i))
    flags = np.array([3.0, 8.0, 5.0])
    for n in (1, 4, 6, 9):
        assert_same(searched(flags, n), search(flags, n))


def test_ints_behind_the_small_ones_are_objects_of_their_own() -> None:
    assert interpreted(lambda i, j: i is j)(int("1000"), int("1000")) is False
    assert same_number(np.True_, np.bool_(1))
    assert not same_number(1.5, 1.5)


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x: Any, y: Any) -> None:
        self.x, self.y = x, y


def choices(i: Any) -> Any:
    match (i > 1, i):
        case (True, n) | (n, True):
            return n
        case (False, _):
            return -1
    return -2


def inner_choices(x: Any, i: Any) -> Any:
    match [Point(i, x[0]), (x[1], i + 1)]:
        case [Point(1 | 2 as k, y) | Point(y, 1.0 as k), (z, 3) | (3, z) | (_, z)]:
            return k + y, z
        case [_, (4.0 | 1.0 as k, n)] if n > 4:
            return k, n
        case [Point(), *rest]:
            return rest[0]


def choices_of_mappings(x: Any, i: Any) -> Any:
    match {"a": i, "b": [i > 2, x]}:
        case {"a": 1, **rest} | {"a": 2, "c": _, **rest}:
            return rest["b"][1]
        case {"b": [True, v] | [v, True]}:
            return v + 1
        case {"a": q}:
            return x * q


def test_alternatives_of_patterns() -> None:
    compiled = [interpreted(choices), interpreted(inner_choices), interpreted(choices_of_mappings)]
    x = np.array([1.0, 4.0])
    for i in (0, 1, 2, 3, 4):
        assert_same(compiled[0](i), choices(i))
        assert_same(compiled[1](x, i), inner_choices(x, i))
        assert_same(compiled[2](x, i), choices_of_mappings(x, i))


def named_in_operands(x, i):
    if x[0] > 0 and (k := x[1]) > 2:
        return k, i
    if not (x[0] < -1 or (n := x[1] + 1) > 0):
        return n, i
    if i < (m := x[0]) < (q := x[1]):
        return m + q, i
    return x[0], i


def test_names_bound_in_operands_that_may_not_be_evaluated():
    compiled = interpreted(named_in_operands)
    for x in ([1.0, 4.0], [-1.0, -4.0], [-3.0, 4.0], [2.0, 1.0], [1.0, 2.0]):
        for i in (0, 3):
            array = np.array(x)
            assert_same(compiled(array, i), named_in_operands(array, i))

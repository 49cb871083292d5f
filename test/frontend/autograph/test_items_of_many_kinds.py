"""Loops of known length whose lists hold what arrays cannot: strings, slices of many sizes."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.behaviour_harness import same


def test_strings_of_the_counter():
    def f(x):
        names = []
        for i in range(20):
            names.append(str(i))
        return names, x

    same(f, np.ones(2))


def test_slices_of_all_sizes():
    def f(x):
        parts = []
        for i in range(20):
            parts.append(x[:i])
        return parts

    same(f, np.arange(30.0))


def test_strings_that_arrays_choose():
    def f(x):
        names = []
        for i in range(20):
            names.append("large" if x[i] > 3 else "small")
        return names

    same(f, np.arange(30.0))


def test_strings_of_a_run_time_counter():
    @weft.function
    def f(n):
        names = []
        for i in range(n):
            names.append(str(i))
        return names

    with pytest.warns(weft.FallbackWarning, match="a text is made in Python in each iteration"):
        assert f(np.int64(3)) == ["0", "1", "2"]


def test_lists_that_turn_out_to_hold_none_and_other_constants():
    def f(n):
        log, other = [], ["first"]
        if n > 1:
            log.append("big")
        for i in range(n):
            log.append(None if i % 2 else "odd")
            if i % 2:
                other.append(None)
            else:
                other.append("even")
        return log, other

    compiled = weft.function(f)
    for n in map(np.int64, range(4)):
        assert compiled(n) == f(n)


class Holder:
    def __init__(self):
        self.scale = None


def made_on_demand(x, n):
    holder, last = Holder(), None
    for i in range(n):
        if holder.scale is None:
            holder.scale = lambda v: v * 2 if v[1] > 1 else v + 1
        x = holder.scale(x)
        last = lambda v: v - 1
    return x if last is None else last(x)


def one_of_two_or_none(x, n):
    function = None
    for i in range(n):
        if function is None:
            function = np.sin if x[1] > 3 else np.cos
        x = function(x)
    if function is None:
        return x
    return function(x)


@pytest.mark.parametrize("function", [made_on_demand, one_of_two_or_none])
def test_functions_that_loops_make_are_called(function):
    compiled = weft.function(function)
    for count, first in (3, 1.0), (0, 1.0), (2, 4.0):
        x, n = np.arange(3.0) * first, np.int64(count)
        np.testing.assert_allclose(compiled(x, n), function(x, n))


class Animal:
    def __init__(self, row, energy, kind):
        self.row, self.energy, self.kind = row, energy, kind


def test_objects_whose_attributes_are_none_or_one_of_several_texts():
    def f(x):
        found = []
        for i in range(len(x)):
            if x[i] != 0:
                found.append(Animal(i, None if x[i] > 0 else i, "fish" if x[i] > 2 else "shark"))
        return found

    compiled = weft.function(f)
    for x in ([1.0, 0.0, -1.0, 3.0], [-1.0, 0.0, 0.0, 0.0], np.zeros(4)):
        assert [vars(a) for a in compiled(np.array(x))] == [vars(a) for a in f(np.array(x))]

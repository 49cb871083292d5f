"""Arrays that may be one of several at run time are written as NumPy would write them, or refused."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import weft
from support.behaviour_harness import refused, same
from weft.dialect.errors import UnsupportedError

F64, I64 = np.float64, np.int64
WRITES_ONE_OF_SEVERAL = "this writes to an array"


@dataclasses.dataclass
class Holder:
    array: Any


def by_dict(x, y, c):
    held = {"array": x} if c > 0 else {"array": y}
    held["array"][0] = 1


def by_dict_in_another_order(x, y, c):
    held = {"array": x, "other": y} if c > 0 else {"other": x, "array": y}
    held["array"][0] = 1


def by_dataclass(x, y, c):
    held = Holder(x) if c > 0 else Holder(y)
    held.array[0] = 1


def by_optional(x, y, c):
    held = None
    if c > 0:
        held = x
    elif c < -1:
        held = y
    if held is not None:
        held[0] = 1


def by_name_that_may_be_unbound(x, y, c):
    if c > 0:
        held = x
    elif c < -1:
        held = y
    if c > 0 or c < -1:
        held[0] = 1


def by_nested_expression(x, y, c):
    held = (x if c > 0 else y) if c < 5 else np.zeros(3)
    held[0] = 1


def by_nested_branch(x, y, c):
    if c < 5:
        if c > 0:
            held = x
        else:
            held = y
    else:
        held = x * 2
    held[0] = 1


def by_loop_over_a_choice(x, y, c):
    held = x if c > 0 else y
    while c < 5:
        held[0] = 1
        held = held * 2
        c = c + 1


def by_loop(x, y, c):
    held = x
    while c < 3:
        held = y
        c = c + 1
    held[0] = 1


@pytest.mark.filterwarnings("ignore:each iteration copies an array")
@pytest.mark.parametrize(
    "function",
    [
        by_dict,
        by_dataclass,
        by_optional,
        by_name_that_may_be_unbound,
        by_nested_expression,
        by_nested_branch,
        by_loop_over_a_choice,
    ],
    ids=lambda function: function.__name__,
)
def test_a_write_to_one_of_several_arguments_reaches_it(function):
    compiled = weft.function(function)
    for c in (1, -1, -2, 4, 7):
        given, expected = ((np.zeros(3), np.ones(3)) for _ in range(2))
        compiled(*given, F64(c))
        function(*expected, F64(c))
        np.testing.assert_array_equal(given, expected)


def test_a_write_to_what_a_loop_chose_is_refused():
    refused(by_loop, np.zeros(3), np.ones(3), F64(1), error=UnsupportedError, match=WRITES_ONE_OF_SEVERAL)


def test_a_write_to_an_array_in_a_dict_of_another_order_is_refused():
    match = "an item of such a list is changed"
    with pytest.raises(UnsupportedError, match=match):
        weft.function(by_dict_in_another_order)(np.zeros(3), np.ones(3), F64(1))


def test_a_choice_is_read_through_containers():
    def choose(x, y, c):
        held = {"a": x, "b": y} if c > 0 else {"b": x, "a": y}
        return held["a"] - held["b"]

    same(choose, (np.arange(3.0), np.ones(3), F64(1)), (np.arange(3.0), np.ones(3), F64(-1)))


class TestArraysWithoutDimensions:
    def test_updates_in_a_loop_reach_the_caller(self):
        def count(x, n):
            for _ in range(n):
                x += 2
            return x + 0

        same(count, (np.array(3.0), I64(0)), (np.array(3.0), I64(3)))

    def test_an_update_after_a_new_value_does_not(self):
        def scale(x, n):
            for _ in range(n):
                x = x * 2
                x += 1
            return x + 0

        same(scale, (np.array(3.0), I64(0)), (np.array(3.0), I64(3)))

    def test_a_scalar_argument_is_never_written(self):
        def count(x, n):
            first = x
            for _ in range(n):
                x += 2
            return first, x

        same(count, (F64(3.0), I64(0)), (F64(3.0), I64(3)))

    def test_one_of_several_is_written(self):
        def store(x, y, c):
            held = x if c > 0 else y
            held[...] = 7

        def update(x, y, c):
            held = x if c > 0 else y
            held += 7

        for function in (store, update):
            given, expected = ((np.array(1.5), np.array(2.5)) for _ in range(2))
            weft.function(function)(*given, F64(1))
            function(*expected, F64(1))
            assert given == expected


class TestWritesBehindAChoice:
    """What was computed for an array that may be several is not what a later write to one of these leaves."""

    MAY_BE_WRITTEN = "this reads an array"

    def refused_with_copies(self, function, *more):
        def run(x, y, c):
            return function(x.copy(), y.copy(), c, *more)

        refused(run, np.zeros(3), np.ones(3), F64(1), error=UnsupportedError, match=self.MAY_BE_WRITTEN)

    def same_with_copies(self, function):
        def run(x, y, c):
            return function(x.copy(), y.copy(), c)

        same(run, *((np.zeros(3), np.ones(3), F64(c)) for c in (1, -1)))

    def test_is_not_read_from_what_was_computed_before(self):
        def choose(x, y, c):
            held = x if c > 0 else y
            before = held + 1
            x[0] = 5
            return before, held + 1

        self.same_with_copies(choose)

    def test_is_not_forgotten_when_the_choice_is_written(self):
        def choose(x, y, c):
            held = x if c > 0 else y
            x[0] = 5
            del x, y
            held[1] = 3
            return held

        self.same_with_copies(choose)

    def test_reaches_another_choice_of_the_same_arrays(self):
        def choose(x, y, c):
            held = x if c > 0 else y
            other = x if c > 0 else y
            del x, y
            held[1] = 3
            return held, other

        self.refused_with_copies(choose)

    def test_reaches_another_name_of_an_array_made_in_a_branch(self):
        def choose(x, y, c):
            if c > 0:
                held = other = x + 1
            else:
                held, other = x * 2, x * 3
            held[1] = 3
            return held, other

        self.refused_with_copies(choose)

    def test_reaches_another_name_that_a_loop_carries(self):
        def count(x, y, c):
            other = x
            total = y * 0
            for _ in range(weft.asarray(3)):
                x[0] += 1
                total += other
                if c > 5:
                    x = x + 1
                if c > 6:
                    other = other + 1
            return total

        self.refused_with_copies(count)

    def test_reaches_a_choice_of_a_choice(self):
        def choose(x, y, c):
            held = x if c > 0 else y
            for _ in range(5):
                held = held if c > 0 else held + 1
            x[0] = 5
            return held

        self.same_with_copies(choose)

    def test_reaches_an_array_after_a_branch_in_which_another_one_was_written(self):
        def choose(x, y, c):
            if c > 0:
                held = x
            else:
                x[0] = 3
                held = y
            x[1] = 7
            return held

        self.same_with_copies(choose)

    def test_leaves_other_arrays_alone(self):
        def choose(x, y, c):
            x, y = x.copy(), y.copy()
            held, other = (x, y) if c > 0 else (y, x)
            alone = x if c > 5 else y * 2
            before = alone + 0
            del x, y, alone
            held[1] = 3
            return held, other, before

        same(choose, (np.zeros(3), np.ones(3), F64(1)), (np.zeros(3), np.ones(3), F64(-1)))

    def test_in_the_other_branch_leaves_a_choice_alone(self):
        def choose(x, y, c):
            x, y = x.copy(), y.copy()
            if c > 0:
                held = x
            else:
                x[0] = 3
                held = y
            return held, held + x

        same(choose, (np.zeros(3), np.ones(3), F64(1)), (np.zeros(3), np.ones(3), F64(-1)))

    def test_of_a_new_array_in_each_of_many_branches_is_fine(self):
        def choose(x, y, c):
            x = x.copy()
            for i in weft.unroll(range(30)):
                if c > i:
                    x = x + 1
                x[0] = i
            return x

        same(choose, (np.zeros(3), np.ones(3), F64(7)), (np.zeros(3), np.ones(3), F64(40)))

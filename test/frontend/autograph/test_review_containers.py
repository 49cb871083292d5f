"""Lists, dicts and functions that a run-time condition chooses: their changes are right, or refused."""

from __future__ import annotations

import numpy as np
import pytest

from support.behaviour_harness import refused, same
from weft.dialect.errors import UnsupportedError

F64, I64 = np.float64, np.int64


class Accumulator:
    def __init__(self):
        self.total = 0.0

    def add(self, value):
        self.total += value


class TestChosenFunctions:
    def test_only_the_chosen_one_changes_variables_and_lists(self):
        def count(c):
            total = 0
            calls = [0, 0]

            def one():
                nonlocal total
                total += 1
                calls[0] += 1

            def ten():
                nonlocal total
                total += 10
                calls[1] += 1

            chosen = one if c > 0 else ten
            chosen()
            chosen()
            return total, calls

        same(count, F64(1), F64(-1))

    def test_only_the_chosen_method_changes_its_object(self):
        def add(x, c):
            a, b = Accumulator(), Accumulator()
            chosen = a.add if c > 0 else b.add
            chosen(x)
            return a.total, b.total

        same(add, (F64(2), F64(1)), (F64(2), F64(-1)), joined=True)


def list_item(x, c):
    a, b = [1.0, 2.0], [3.0, 4.0]
    chosen = a if c > 0 else b
    chosen[0] = x
    return a, b


def list_method(x, c):
    a, b = [1.0, 2.0], [3.0, 4.0]
    chosen = a if c > 0 else b
    chosen.append(x)
    return a, b


def dict_item(x, c):
    a, b = {"k": 1.0}, {"k": 2.0}
    chosen = a if c > 0 else b
    chosen["k"] = x
    return a, b


def the_original(x, c):
    a = [1.0, 2.0]
    b = a
    if c > 0:
        b = [3.0, 4.0]
    a[0] = x
    return a, b


def after_a_loop(x, c):
    a = [1.0, 2.0]
    b = a
    while c > 0:
        b = [b[0] + 1, b[1]]
        c = c - 1
    b[0] = x
    return a, b


def in_a_loop(x, c):
    a = [1.0, 2.0]
    b = a
    while c > 0:
        b[0] += x
        b = [b[0] + 1, b[1]]
        c = c - 1
    return a, b


def exchanged_in_a_loop(x, c):
    a, b = [1.0, 2.0], [3.0, 4.0]
    first = a
    while c > 0:
        a, b = b, a
        a[0] += x
        c = c - 1
    return a, b, first


def two_names_from_the_first_iteration_on(x, c):
    a, b = [1.0, 2.0], [3.0, 4.0]
    total = 0.0
    while c > 0:
        a[0] += x
        total += b[0]
        b = a
        c = c - 1
    return total


@pytest.mark.parametrize(
    "function",
    [
        list_item,
        list_method,
        dict_item,
        the_original,
        after_a_loop,
        in_a_loop,
        exchanged_in_a_loop,
        two_names_from_the_first_iteration_on,
    ],
    ids=lambda function: function.__name__,
)
def test_a_change_of_one_of_several_is_refused(function):
    refused(function, F64(1), F64(3), error=UnsupportedError, match="other names", place=False)


class TestAllowed:
    def test_reading_what_was_chosen(self):
        def read(x, c):
            a, b = [1.0, 2.0], [3.0, 4.0]
            chosen = a if c > 0 else b
            return chosen[0] * x, a, b

        same(read, (F64(2), F64(1)), (F64(2), F64(-1)))

    def test_changing_what_nobody_else_sees(self):
        def change(x, c):
            state = [1.0, 2.0]
            if c > 0:
                state = [x, 3.0]
            state[0] += 1
            return state

        same(change, (F64(2), F64(1)), (F64(2), F64(-1)), joined=True)

    def test_exchanging_lists_that_have_no_other_names(self):
        def exchange(x, n):
            a, b = [1.0, 2.0], [3.0, 4.0]
            for _ in range(n):
                a, b = b, a
                a[0] += x
            return a, b

        same(exchange, *[(F64(2), I64(n)) for n in (0, 1, 3)], joined=True)

    def test_new_lists_in_a_loop(self):
        def integrate(x, n):
            state = [x, 0.0]
            start = state
            for _ in range(n):
                state = [state[0] + 0.1 * state[1], state[1] - 0.1 * state[0]]
                state[0] *= 0.5
            return state, start.copy()

        same(integrate, *[(F64(2), I64(n)) for n in (0, 1, 3)], joined=True)

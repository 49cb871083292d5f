"""Arrays that may be one of several at run time are written as NumPy would write them, or refused."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

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


@pytest.mark.parametrize(
    "function",
    [
        by_dict,
        by_dict_in_another_order,
        by_dataclass,
        by_optional,
        by_name_that_may_be_unbound,
        by_nested_expression,
        by_nested_branch,
        by_loop_over_a_choice,
    ],
    ids=lambda function: function.__name__,
)
def test_a_write_to_one_of_several_arguments_is_refused(function):
    refused(function, np.zeros(3), np.ones(3), F64(1), error=UnsupportedError, match=WRITES_ONE_OF_SEVERAL)


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

    def test_one_of_several_cannot_be_written(self):
        def store(x, y, c):
            held = x if c > 0 else y
            held[...] = 7

        def update(x, y, c):
            held = x if c > 0 else y
            held += 7

        for function in (store, update):
            refused(
                function,
                np.array(1.5),
                np.array(2.5),
                F64(1),
                error=UnsupportedError,
                match=WRITES_ONE_OF_SEVERAL,
            )

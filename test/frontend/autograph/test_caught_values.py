"""What exceptions hold that are raised when the program runs: handlers compute with its numbers and texts."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.behaviour_harness import same
from weft.dialect.errors import ConcreteValueError

ABOVE, BELOW = np.float64(2.0), np.float64(-2.0)


class CodeError(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class ShortError(CodeError):
    def __init__(self, has, needs):
        super().__init__(needs - has, f"needs {needs - has} more")
        self.has = has


class Shown(Exception):
    def __init__(self, value):
        self.value = value

    def __str__(self):
        return f"the value is {self.value}"


class Loud(Exception):
    def __init__(self, value):
        print("made")
        self.value = np.asarray(value).tobytes()


def test_attributes_of_classes_of_the_program():
    def f(x):
        try:
            if x < 0:
                raise ShortError(x, 10)
            found = 0.0
        except CodeError as error:
            found = error.code + error.has
            print(error, error.args)
        return found

    same(f, ABOVE, BELOW)


def test_branches_on_what_came():
    def f(x):
        try:
            if x < 0:
                raise CodeError(404, "gone")
            if x == 0:
                raise CodeError(int(x), "nothing")
            found = "fine"
        except CodeError as error:
            found = "gone" if error.code == 404 else f"code {error.code}"
        return found

    same(f, ABOVE, BELOW, np.float64(0.0))


def test_arguments_in_lists_that_grow():
    def f(x):
        found, total = [], 0
        for value in x:
            try:
                if value < 0:
                    raise ValueError("below", int(value))
                total += value
            except ValueError as error:
                message, which = error.args
                found.append((message, which))
        return found, total

    same(f, np.array([1, -2, 3, -4]), np.array([1, 2, 3, 4]))


def test_methods_that_show_an_exception():
    def f(x):
        try:
            if x < 0:
                raise Shown(x)
            found = "none"
        except Shown as error:
            found = str(error)
        return found

    same(f, ABOVE, BELOW)


def test_arguments_of_pythons_own():
    def f(x):
        try:
            if x < 0:
                raise KeyError(int(x))
            found = 0
        except KeyError as error:
            found = error.args[0] * 2
        return found

    same(f, ABOVE, BELOW)


def test_a_constructor_that_needs_the_value_is_refused_and_not_run_twice():
    def f(x):
        if x < 0:
            raise Loud(x)
        return x

    with pytest.raises(ConcreteValueError, match="tobytes"):
        weft.function(f)(BELOW)

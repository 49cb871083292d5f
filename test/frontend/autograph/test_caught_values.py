"""What exceptions hold that are raised when the program runs: handlers compute with its numbers and texts."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

import weft
from support.behaviour_harness import refused, same
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


def test_a_body_that_prints_has_other_exceptions_that_are_expected_to_be_alike():
    def f(x):
        found = 0.0
        try:
            print("at", x)
            if x < 0:
                raise ShortError(x, 10)
        except ShortError as error:
            found = error.code + len(error.args)
        return found

    same(f, ABOVE, BELOW)


def test_handlers_of_several_classes_ask_for_what_each_has():
    def f(x):
        try:
            print("at", x)
            if x < 0:
                raise ShortError(x, 10)
            if x == 0:
                raise Shown(x)
        except Exception as error:
            return error.has + 1 if isinstance(error, ShortError) else error.value - 1
        return x

    same(f, ABOVE, BELOW, np.float64(0.0))


class Foreign(CodeError):
    pass


class Writer:
    def __init__(self, code):
        self.code = code

    def write(self, text):
        raise Foreign(self.code, text)


def test_what_is_not_alike_is_refused_where_it_comes():
    def f(x):
        try:
            print("at", x)
            if x < 0:
                raise CodeError(1, "below")
        except CodeError as error:
            return error.code + 1
        return 0

    compiled = weft.function(f)
    with contextlib.redirect_stdout(Writer(5)):
        assert compiled(ABOVE) == 6
    with (
        contextlib.redirect_stdout(Writer("none")),
        pytest.raises(NotImplementedError, match="'none', of another type"),
    ):
        compiled(ABOVE)


class Scaled(Exception):
    def __init__(self, value):
        self._value = value
        self.rest = None

    @property
    def twice(self):
        return self._value * 2

    def plus(self, other):
        return self._value + other


def test_methods_and_properties_of_caught_exceptions():
    def f(x):
        try:
            if x < 0:
                raise Scaled(x)
            if x == 0:
                raise SystemExit(int(x) + 3)
        except Scaled as error:
            return error.twice, error.plus(1), error._value, error.rest
        except SystemExit as error:
            return error.code, 0, 0, None
        return x, x, x, None

    same(f, BELOW)
    same(f, ABOVE, np.float64(0.0))


def set_by_a_handler(x):
    try:
        if x < 0:
            raise CodeError(int(x), "below")
    except CodeError as error:
        error.code += 1
        return error.code
    return 0


def changed_by_a_handler(x):
    rows = np.zeros(2)
    try:
        if x < 0:
            raise CodeError(rows, "below")
    except CodeError as error:
        error.code[0] = 1
    return rows


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (set_by_a_handler, "the attribute 'code' of an exception is set that was caught"),
        (changed_by_a_handler, "this changes <CodeError.code, known at run time>, a part of an exception"),
    ],
)
def test_changes_of_caught_exceptions_are_refused(function, says):
    refused(function, BELOW, match=says)

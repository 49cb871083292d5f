"""Asserts, raise, try and what stays after an error: type, message and effects are those of the eager function.

PYTEST_DONT_REWRITE: the functions under test assert, and must do it as Python does.
"""

from __future__ import annotations

import traceback

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

F64, I64 = np.float64, np.int64


class OddError(Exception):
    """An exception whose constructor differs from its message."""

    def __init__(self, code, *, hint):
        super().__init__(f"code {code}")
        self.code = code
        self.hint = hint


class TestAssert:
    def test_an_assertion_is_checked_at_run_time(self):
        def f(x):
            assert x > 0, "x must be positive"
            return np.sqrt(x)

        same(f, F64(4), F64(-1), F64(9))

    def test_an_assertion_without_message(self):
        def f(x):
            assert x.sum() > 0
            return x * 2

        same(f, np.ones(3), -np.ones(3))

    def test_a_message_may_show_run_time_values(self):
        def f(x, n):
            assert x > n, f"{x} is not above {n:4d}"
            assert x < 10, ("too large", x)
            return x

        same(f, *[(F64(x), I64(5)) for x in (6, 1.5, 12)])

    def test_the_message_is_computed_only_on_failure(self):
        def f(x, log):
            def message():
                log[0] += 1
                return "failed"

            assert x > 0, message()
            return x

        same(f, (F64(1), np.zeros(1)), (F64(-1), np.zeros(1)))

    def test_an_assertion_in_a_loop(self):
        def f(x):
            total = 0.0
            for i in range(len(x)):
                assert x[i] >= 0, f"element {i} is negative"
                total += x[i]
            return total

        same(f, np.array([1.0, 2.0, 3.0]), np.array([1.0, -2.0, -3.0]))
        same(f, np.arange(-10.0, 200.0), np.arange(210.0))

    def test_an_assertion_in_a_branch(self):
        def f(x, flag):
            if flag > 0:
                assert x > 0, "negative"
                x = x + 1
            return x

        same(f, *[(F64(x), I64(flag)) for x in (-1, 1) for flag in (0, 1)])

    def test_an_assertion_on_python_values(self):
        def f(x, k):
            assert k > 0, f"k is {k}"
            return x * k

        same(f, (F64(1), 2), (F64(1), -2), traces=None)


class TestRaise:
    def test_raise_under_a_condition(self):
        def f(x):
            if x < 0:
                raise ValueError("negative")
            return np.sqrt(x)

        same(f, F64(4), F64(-4), F64(9))

    def test_the_message_may_show_run_time_values(self):
        def f(x, i):
            if x[i] < 0:
                raise ValueError(f"x[{i}] = {x[i]:.3f}")
            return x[i]

        same(f, *[(np.array([1.0, -2.5]), I64(i)) for i in (0, 1)])

    def test_raise_in_a_loop(self):
        def f(x):
            for i, value in enumerate(x):
                if value == 0:
                    raise ZeroDivisionError("element", i)
                x[i] = 1 / value
            return x

        same(f, np.array([1.0, 2.0]), np.array([2.0, 0.0, 4.0]), traces=2)
        same(f, np.arange(-100.0, 100.0))

    def test_exceptions_with_odd_constructors(self):
        def f(x):
            if x < 0:
                raise OddError(7, hint=x)
            return x

        same(f, F64(1), F64(-1))

    def test_an_exception_class_without_arguments(self):
        def f(x):
            if x < 0:
                raise KeyError
            if x == 0:
                raise StopIteration
            return x

        same(f, F64(1), F64(-1), F64(0))

    def test_raise_from(self):
        def f(x):
            if x < 0:
                raise RuntimeError("outer") from ValueError("inner")
            return x

        same(f, F64(1), F64(-1))

    def test_raise_in_a_helper(self):
        def check(x, low):
            if x < low:
                raise ValueError(f"{x} < {low}")

        def f(x):
            check(x, 0)
            y = x - 5
            check(y, -3)
            return y

        same(f, *[F64(x) for x in (9, 1, -1)])

    def test_raise_on_every_path(self):
        def f(x):
            if x > 0:
                raise ValueError("positive")
            raise TypeError("not positive")

        same(f, F64(1), F64(-1))

    def test_raise_in_the_else_of_a_loop(self):
        def f(x, value):
            for i in range(len(x)):
                if x[i] == value:
                    break
            else:
                raise LookupError(f"{value} not found")
            return i

        same(f, *[(np.arange(4), I64(v)) for v in (0, 3, 7)])

    def test_not_an_exception(self):
        def f(x):
            if x > 0:
                raise 5
            return x

        same(f, F64(-1), F64(1))

    def test_the_first_of_several_errors(self):
        def f(x, y):
            if x < 0:
                raise ValueError("x")
            if y < 0:
                raise ValueError("y")
            return x[np.int64(5)] if x > 5 else x + y

        same(f, *[(F64(x), F64(y)) for x in (-1, 1) for y in (-1, 1)])

    def test_the_traceback_shows_the_line(self):
        def f(x):
            if x < 0:
                raise ValueError("negative")  # this line
            return x

        with pytest.raises(ValueError, match="negative") as caught:
            weft.function(f)(F64(-1))
        text = "".join(traceback.format_exception(None, caught.value, caught.value.__traceback__))
        assert 'raise ValueError("negative")  # this line' in text


class TestEffectsBeforeErrors:
    def test_writes_before_the_error_stay(self):
        def f(x, y):
            x[0] = 5
            if y < 0:
                raise ValueError("negative")
            x[1] = 6

        same(f, *[(np.zeros(2), F64(y)) for y in (1, -1)])

    def test_writes_of_earlier_iterations_stay(self):
        def f(x, out):
            for i in range(len(x)):
                assert x[i] > 0, i
                out[i] = x[i] * 2

        same(f, (np.array([1.0, 2.0, -1.0, 4.0]), np.zeros(4)))
        same(f, (np.arange(100, -100, -1.0), np.zeros(200)))

    def test_prints_before_the_error_stay(self):
        def f(x):
            print("before", x)
            assert x > 0, "not positive"
            print("after")

        same(f, F64(1), F64(-1))


class TestTry:
    def test_break_out_of_try(self):
        def f(n):
            count = 0
            while True:
                try:
                    count += 1
                    if count > n:
                        break
                finally:
                    count += 10
            return count

        same(f, *[I64(n) for n in (0, 5, 30)])


class TestErrorsOfOperations:
    def test_an_index_error_names_the_users_line(self):
        def f(x, i):
            for _ in range(3):
                y = x[i]  # this one
            return y

        with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 3") as caught:
            weft.function(f)(np.arange(3), I64(7))
        text = "".join(traceback.format_exception(None, caught.value, caught.value.__traceback__))
        assert "y = x[i]  # this one" in text

    def test_shapes_that_do_not_fit(self):
        def f(x, y, n):
            while n > 0:
                x = x + y
                n -= 1
            return x

        same(f, (np.ones(3), np.ones(4), I64(1)), (np.ones(3), np.ones(4), I64(0)))

    def test_division_by_zero_and_nan_follow_numpy(self):
        def f(x, y):
            if x / y > 1:
                return x / y
            if not x / y <= 1:
                return -1.0
            return y

        same(f, *[(F64(x), F64(y)) for x in (-1, 0, 1) for y in (0, -0.0, 2)], joined=True)
        same(f, *[(I64(x), I64(y)) for x in (-1, 0, 1) for y in (0, 2)], joined=True)

    def test_integer_division_by_zero_in_a_loop(self):
        def f(x, n):
            total = 0
            for i in range(n):
                total += x // i + x % (i - 1)
            return total

        same(f, *[(I64(7), I64(n)) for n in (0, 1, 2, 4)], joined=True)

    def test_an_empty_reduction(self):
        def f(x, n):
            if n > 0:
                return np.max(x[:0])
            return x[0]

        same(f, (np.ones(2), I64(0)), (np.ones(2), I64(1)))

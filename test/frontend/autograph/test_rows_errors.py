"""Asserts, raise, try and what stays after an error: type, message and effects are those of the eager function.

PYTEST_DONT_REWRITE: the functions under test assert, and must do it as Python does.
"""

from __future__ import annotations

import contextlib
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

    def test_python_raises_on_a_path_that_may_not_be_taken(self):
        def f(table, flags):
            if not flags.all():
                for _ in range(2):
                    del table["b"]
            return table

        table = {"a": np.ones(2), "b": np.zeros(2)}
        same(f, *[(table, np.array([True, flag])) for flag in (True, False)])

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
    def test_a_run_time_error_is_caught(self):
        def f(x, i):
            try:
                y = x[i]
            except IndexError:
                y = -1.0
            return y

        same(f, *[(np.arange(3.0), I64(i)) for i in (0, 2, 3, -4)], joined=True)

    def test_a_raised_exception_is_caught_by_its_base(self):
        def f(x):
            try:
                if x < 0:
                    raise ZeroDivisionError("negative")
                x = x + 1
            except ArithmeticError as error:
                x = x - 1
                print(error, type(error).__name__)
            return x

        same(f, F64(1), F64(-1))

    def test_what_no_handler_takes_goes_on(self):
        def f(x):
            try:
                if x < 0:
                    raise ValueError("negative")
                if x > 10:
                    raise KeyError("large")
            except KeyError:
                x = x * 0
            return x

        same(f, F64(1), F64(-1), F64(11))

    def test_several_handlers(self):
        def f(x):
            try:
                if x == 0:
                    raise ValueError
                if x == 1:
                    raise KeyError
                if x == 2:
                    raise IndexError
                y = 5
            except ValueError:
                y = 10
            except (KeyError, IndexError):
                y = 20
            else:
                y = y + 1
            return y

        same(f, *[I64(x) for x in range(4)])

    def test_finally_runs_on_every_path(self):
        def f(x, log):
            try:
                log[0] = 1
                if x < 0:
                    raise ValueError("negative")
                if x == 0:
                    return log[0] * 10
                log[1] = 1
            finally:
                log[2] += 1
            return log[0]

        same(f, *[(F64(x), np.zeros(3)) for x in (-1, 0, 1)])

    def test_else_and_finally_in_order(self):
        def f(x):
            try:
                print("try")
                assert x > 0, "bad"
            except AssertionError as error:
                print("except", error)
            else:
                print("else")
            finally:
                print("finally")
            return x

        same(f, F64(1), F64(-1))

    def test_try_in_a_loop(self):
        def f(x, places):
            missed = 0
            total = 0.0
            for p in places:
                try:
                    total += x[p]
                except IndexError:
                    missed += 1
                    continue
                if total > 100:
                    break
            return total, missed

        same(
            f,
            (np.arange(3.0), np.array([0, 5, 2, -9])),
            (np.arange(3.0) * 99, np.array([7, 2, 8])),
            joined=True,
            traces=2,
        )

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

    def test_raise_again(self):
        def f(x, log):
            try:
                if x < 0:
                    raise ValueError("negative")
            except ValueError:
                log[0] = 1
                raise
            return x

        same(f, (F64(1), np.zeros(1)), (F64(-1), np.zeros(1)))

    def test_raise_another_from_it(self):
        def f(x, i):
            try:
                return x[i]
            except IndexError as error:
                raise KeyError("no such place") from error

        same(f, *[(np.arange(3.0), I64(i)) for i in (0, 5)])

    def test_nested_try(self):
        def f(x):
            try:
                try:
                    if x < 0:
                        raise ValueError("a")
                    if x == 0:
                        raise KeyError("b")
                except ValueError:
                    x = x * 10
                    if x < -50:
                        raise IndexError("c") from None
                x = x + 1
            except LookupError:
                x = x + 1000
            return x

        same(f, *[F64(x) for x in (1, 0, -1, -9)])

    def test_an_error_of_a_helper_is_caught(self):
        def risky(x, i):
            if i > 5:
                raise OverflowError("far")
            return x[i]

        def f(x, i):
            try:
                return risky(x, i)
            except (IndexError, OverflowError):
                return -1.0

        same(f, *[(np.arange(3.0), I64(i)) for i in (0, 4, 9)], joined=True)

    def test_suppress(self):
        def f(x, i):
            with contextlib.suppress(IndexError):
                x[0] = x[i]
            return x[0]

        same(f, *[(np.arange(1.0, 4.0), I64(i)) for i in (2, 5)])

    def test_the_name_of_the_exception_is_gone_afterwards(self):
        def f(x):
            error = None
            try:
                if x < 0:
                    raise ValueError("negative")
            except ValueError as error:
                x = -x
            return error is None, x

        same(f, F64(1), F64(-1))


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

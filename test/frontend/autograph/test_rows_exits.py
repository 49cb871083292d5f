"""Leaving loops and functions early: break, continue, return, in staged and in unrolled loops."""

from __future__ import annotations

import numpy as np
import pytest

from support.behaviour_harness import same

DTYPES = [np.int32, np.int64, np.float32, np.float64]
F64, I64 = np.float64, np.int64


class TestBreak:
    @pytest.mark.parametrize("dtype", DTYPES)
    def test_break_leaves_the_loop_at_the_first_match(self, dtype):
        def first(x):
            i = 0
            while i < len(x):
                if x[i] > 3:
                    break
                i += 1
            return i

        same(first, *[np.array(v, dtype) for v in ([5, 1, 9], [1, 2, 4], [1, 2, 3])])

    def test_break_in_a_for_loop_over_a_run_time_range(self):
        def first(x, n):
            place = -1
            for i in range(n):
                if x[i] > 3:
                    place = i
                    break
            return place

        same(first, *[(np.array([1, 4, 5]), I64(n)) for n in (0, 1, 2, 3)])

    def test_break_in_an_unrolled_loop(self):
        def total(x):
            result = 0.0
            for i in range(4):
                if x[i] < 0:
                    break
                result += x[i]
            return result, i

        same(total, *[np.array(v) for v in ([-1.0, 2, 3, 4], [1.0, 2, -3, 4], [1.0, 2, 3, 4])], joined=True)

    def test_break_in_a_loop_over_a_python_list(self):
        def total(x, factors):
            for factor in factors:
                x = x * factor
                if x > 10:
                    break
            else:
                x = -x
            return x

        same(total, *[(F64(x), [2, 3, 0.5]) for x in (1, 3, 20)])

    def test_break_out_of_the_inner_loop_alone(self):
        def f(x):
            found = 0
            for row in x:
                for value in row:
                    if value == 0:
                        break
                    found += value
                found += 100
            return found

        same(f, np.array([[1, 0, 5], [0, 7, 7], [1, 1, 1]]))

    def test_break_out_of_both_loops_by_a_flag(self):
        def f(x, value):
            found = False
            for i in range(x.shape[0]):
                for j in range(x.shape[1]):
                    if x[i, j] == value:
                        found = True
                        break
                if found:
                    break
            return i, j, found

        same(f, *[(np.arange(6).reshape(2, 3), I64(v)) for v in (0, 4, 5, 9)], joined=True)

    def test_statements_after_a_conditional_break(self):
        def f(x):
            total = 0
            for value in x:
                total += 1
                if value < 0:
                    total += 10
                    break
                total += 100
                if value == 0:
                    continue
                total += 1000
            return total

        same(f, *[np.array(v) for v in ([1, 0, -1, 1], [1, 1, 1, 1], [-1, 0, 0, 0])])

    def test_break_in_else_of_a_branch(self):
        def f(n):
            while True:
                if n > 0:
                    n = n - 3
                else:
                    break
            return n

        same(f, *[I64(n) for n in (-1, 0, 1, 7)])

    def test_break_without_condition(self):
        def f(x):
            for value in x:
                x = x + value
                break
            return x

        same(f, np.arange(3.0), np.arange(200.0) + 1, traces=2)

    def test_break_skips_the_else_of_while(self):
        def f(n, stop):
            count = 0
            while count < n:
                count += 1
                if count == stop:
                    break
            else:
                count = -count
            return count

        same(f, *[(I64(n), I64(s)) for n, s in [(0, 0), (3, 2), (3, 3), (3, 4)]])

    def test_break_in_the_else_belongs_to_the_outer_loop(self):
        def f(n):
            count = 0
            for i in range(n):
                for j in range(i):
                    if j == 2:
                        break
                else:
                    count += 10
                    if i == 2:
                        break
                count += 1
            return count

        same(f, *[I64(n) for n in (0, 1, 3, 6)])


class TestContinue:
    def test_continue_skips_the_rest_of_the_body(self):
        def odd(x):
            total = 0
            for value in x:
                if value % 2 == 0:
                    continue
                total += value
            return total

        same(odd, np.array([1, 2, 3, 5]), np.array([2, 2, 2, 2]), joined=True)
        same(odd, np.arange(300))

    def test_continue_in_while(self):
        def f(n):
            total = 0
            while n > 0:
                n -= 1
                if n % 3 == 1:
                    continue
                total += n
            return total

        same(f, *[I64(n) for n in (0, 1, 2, 10)], joined=True)

    def test_two_continues_and_a_break(self):
        def f(x):
            small = large = 0
            for value in x:
                if value < 0:
                    continue
                if value > 100:
                    break
                if value < 10:
                    small += 1
                    continue
                large += 1
            return small, large

        same(f, *[np.array(v) for v in ([1, 20, -1, 3], [1, 101, 3, 3], [101, 1, 1, 1])])

    def test_continue_in_an_inner_loop(self):
        def f(n):
            total = 0
            for i in range(n):
                for j in range(n):
                    if (i + j) % 2:
                        continue
                    total += i * j
                if total > 50:
                    continue
                total += 1
            return total

        same(f, *[I64(n) for n in (0, 1, 4, 7)])

    def test_continue_still_runs_the_else(self):
        def f(n):
            total = 0
            for i in range(n):
                if i > 1:
                    continue
                total += 1
            else:
                total += 100
            return total

        same(f, *[I64(n) for n in (0, 1, 5)])


class TestReturn:
    def test_a_search_returns_its_index_or_minus_one(self):
        def search(x, value):
            for i in range(len(x)):
                if x[i] == value:
                    return i
            return -1

        same(search, *[(np.array([4, 2, 7]), I64(v)) for v in (4, 7, 9)])
        same(search, *[(np.arange(500), I64(v)) for v in (0, 499, 900)])

    def test_return_from_a_loop_over_elements(self):
        def first_negative(x):
            for value in x:
                if value < 0:
                    return value
            return None

        same(first_negative, np.array([1.0, -2.0]), np.array([1.0, 2.0]))

    def test_return_from_two_loops(self):
        def search(x, value):
            for i in range(x.shape[0]):
                for j in range(x.shape[1]):
                    if x[i, j] == value:
                        return i, j
            return -1, -1

        same(search, *[(np.arange(6).reshape(2, 3), I64(v)) for v in (0, 4, 9)])
        same(search, *[(np.arange(600).reshape(20, 30), I64(v)) for v in (0, 444, 900)])

    def test_return_from_an_unrolled_loop(self):
        def f(x):
            for i in range(3):
                if x > i * 10:
                    return x * i
                x = x + 7
            return x

        same(f, *[F64(x) for x in (1, -5, -30)])

    def test_return_from_while_true(self):
        def f(x):
            n = 0
            while True:
                x = x / 2
                n += 1
                if x < 1:
                    return n

        same(f, *[F64(x) for x in (0, 1, 2, 1000)])

    def test_what_was_done_before_the_return_stays(self):
        def fill(x, n):
            for i in range(len(x)):
                x[i] = i
                if i == n:
                    return i
            x[:] = -1

        same(fill, *[(np.full(4, 9.0), I64(n)) for n in (0, 2, 3, 7)])

    def test_returns_of_several_loops(self):
        def f(x):
            for value in x:
                if value > 10:
                    return 1
            for value in x:
                if value < -10:
                    return 2
            while x.sum() < 100:
                x = x + 1
                if x[0] == 5:
                    return 3
            return 4

        same(f, *[np.array(v) for v in ([0, 11], [-11, 0], [3, 3], [7, 7])])

    def test_return_in_the_else_of_a_loop(self):
        def f(n):
            for i in range(n):
                if i == 3:
                    break
            else:
                return -1
            return i

        same(f, *[I64(n) for n in (0, 3, 4, 9)])

    def test_a_loop_returns_a_name_bound_in_it(self):
        def f(x):
            for i, value in enumerate(x):
                square = value * value
                if square > 10:
                    return i, square

        same(f, np.array([1.0, 2, 5]), np.array([1.0, 2, 3]))

    def test_early_return_before_a_loop(self):
        def f(x, n):
            if n < 0:
                return x - 1
            for _ in range(n):
                x = x * 2
            return x

        same(f, *[(np.arange(3.0), I64(n)) for n in (-1, 0, 3)])

    def test_values_of_different_dtype_are_joined(self):
        def f(x):
            for value in x:
                if value > 3:
                    return value
            return 0

        same(f, np.array([1.0, 5.0]), np.array([1.0, 2.0]), joined=True)

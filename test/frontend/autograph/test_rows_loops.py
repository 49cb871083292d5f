"""Loops over array values: while, for over ranges, arrays, enumerate and zip; their trip counts, targets and else."""

from __future__ import annotations

import numpy as np
import pytest

from support.behaviour_harness import same

DTYPES = [np.int32, np.int64, np.float32, np.float64]
INTEGERS = [np.int32, np.int64]
F64, I64 = np.float64, np.int64


class TestWhile:
    @pytest.mark.parametrize("dtype", DTYPES)
    def test_zero_one_and_many_iterations(self, dtype):
        def count_down(n):
            steps = 0
            while n > 0:
                n = n - 1
                steps += 1
            return n, steps

        same(count_down, *[dtype(n) for n in (0, 1, 10)])

    def test_a_while_loop_carries_whole_arrays(self):
        def normalise(x):
            while np.max(np.abs(x)) > 1:
                x = x / 2
            return x

        same(normalise, np.zeros(3), np.array([1.5, 0, 0]), np.array([1e6, -3, 0]))

    def test_a_while_loop_updates_an_argument_in_place(self):
        def double_until(x, limit):
            while x.sum() < limit:
                x *= 2
            return x.sum()

        same(double_until, *[(np.ones(3), F64(limit)) for limit in (1, 4, 1000)])

    def test_a_while_loop_ends_at_nan(self):
        def until(x, y):
            n = 0
            while x < y:
                x = x * 2
                n += 1
            return n

        same(until, *[(F64(x), F64(y)) for x in (1, "nan") for y in (0, 100, "nan")])

    def test_the_truth_of_a_number_ends_the_loop(self):
        def gcd(a, b):
            while b:
                a, b = b, a % b
            return a

        same(gcd, *[(I64(a), I64(b)) for a, b in [(0, 0), (12, 0), (12, 18), (1071, 462)]])

    def test_a_condition_with_and_or_not(self):
        def search(x, value):
            i = 0
            while i < len(x) and not x[i] == value:
                i += 1
            return i

        same(search, *[(np.array([4, 2, 7]), I64(v)) for v in (4, 7, 9)])

    def test_a_walrus_in_the_condition(self):
        def collatz(n):
            total = 0
            while (m := n % 10) != 0:
                total += m
                n = n - m
            return n, total, m

        same(collatz, *[I64(n) for n in (0, 7, 10, 99)], joined=True)

    def test_else_runs_when_the_condition_ends_the_loop(self):
        def f(n):
            log = 0
            while n > 0:
                n = n - 2
                if n == 3:
                    break
            else:
                log = 100
            return n + log

        same(f, *[I64(n) for n in (0, 1, 4, 5)])

    def test_a_python_condition_unrolls(self):
        def f(x):
            n = 3
            while n > 0:
                x = x + n
                n -= 1
            return x, n

        f = same(f, np.arange(2.0))
        assert "scf.while" not in f.get_concrete_function(np.arange(2.0)).as_text("weft")

    def test_a_condition_that_becomes_an_array_in_the_second_iteration(self):
        def f(x):
            go = True
            n = 0
            while go:
                n += 1
                x = x - 1
                go = x > 0
            return x, n

        same(f, F64(0), F64(1), F64(5))

    def test_a_loop_for_ever_that_returns(self):
        def f(x):
            while True:
                if x > 100:
                    return x
                x = x * 2

        same(f, F64(1), F64(101), I64(3), traces=2)

    def test_only_effects(self):
        def fill(x, n):
            i = 0
            while i < n:
                x[i] = i
                i += 1

        same(fill, *[(np.full(4, 9.0), I64(n)) for n in (0, 1, 4)])
        same(fill, *[(np.full(4, 9), I64(n)) for n in (4, 5)])


class TestRange:
    @pytest.mark.parametrize("dtype", INTEGERS)
    @pytest.mark.parametrize("bounds", [(0,), (1,), (7,), (-2,)])
    def test_stop(self, dtype, bounds):
        def f(n):
            total = 0
            for i in range(n):
                total += i
            return total

        same(f, *[dtype(b) for b in bounds])

    @pytest.mark.parametrize("dtype", INTEGERS)
    def test_start_and_stop(self, dtype):
        def f(a, b):
            total = 0
            for i in range(a, b):
                total = total * 3 + i
            return total

        same(f, *[(dtype(a), dtype(b)) for a, b in [(0, 0), (2, 5), (5, 2), (-3, 1)]])

    @pytest.mark.parametrize("step", [1, 2, 3, -1, -2, 100, -100])
    def test_steps_of_both_signs(self, step):
        def f(a, b, step):
            total = 0
            for i in range(a, b, step):
                total = total * 3 + i
            return total

        bounds = [(0, 0), (2, 9), (9, 2), (9, 1), (-3, 4)]
        same(f, *[(I64(a), I64(b), I64(step)) for a, b in bounds])
        same(f, *[(I64(a), I64(b), step) for a, b in bounds])

    def test_a_step_of_zero_is_an_error(self):
        def f(n, step):
            total = 0
            for i in range(0, n, step):
                total += i
            return total

        same(f, (I64(3), I64(0)), (I64(3), I64(1)))

    def test_a_float_is_no_bound(self):
        def f(n):
            for _ in range(n):
                pass
            return n

        same(f, F64(3), traces=None)

    def test_the_target_keeps_its_last_value(self):
        def f(n):
            i = -1
            for i in range(n):
                pass
            return i

        same(f, *[I64(n) for n in (0, 1, 5)])

    def test_the_target_may_be_assigned_in_the_body(self):
        def f(n):
            total = 0
            for i in range(n):
                i = i * 2
                total += i
            return total, n

        same(f, *[I64(n) for n in (0, 1, 5)])

    def test_the_bound_may_be_assigned_in_the_body(self):
        def f(n):
            total = 0
            for i in range(n):
                n = n - 1
                total += n + i
            return total, n

        same(f, *[I64(n) for n in (0, 1, 5)], joined=True)

    def test_the_target_is_unbound_after_no_iteration(self):
        def f(n):
            for i in range(n):
                pass
            return i

        same(f, *[I64(n) for n in (2, 0, 1)])

    def test_a_name_of_the_body_is_unbound_after_no_iteration(self):
        def f(n, x):
            for i in range(n):
                y = x * i
            return y

        same(f, *[(I64(n), F64(2)) for n in (2, 0, 1)])

    def test_a_name_of_the_body_alone(self):
        def f(n, x):
            total = x
            for i in range(n):
                square = x * i
                square = square * square
                total = total + square
            return total

        same(f, *[(I64(n), F64(2)) for n in (0, 1, 4)])

    def test_else_runs_without_break(self):
        def f(x, value):
            for i in range(len(x)):
                if x[i] == value:
                    found = i
                    break
            else:
                found = -1
            return found

        same(f, *[(np.array([4, 2, 7]), I64(v)) for v in (4, 7, 9)])

    def test_long_ranges_of_python_numbers(self):
        def f(x):
            for i in range(2000):
                x = x * 0.5 + i
            return x

        same(f, F64(1), np.arange(3.0), traces=2)

    def test_short_ranges_of_python_numbers_index_python_lists(self):
        def f(x, factors):
            total = x
            for i in range(len(factors)):
                total = total * factors[i]
            return total

        same(f, (np.arange(3.0), [1, 2.5, -1]))

    def test_reversed_ranges(self):
        def f(n):
            total = 0
            for i in reversed(range(n)):
                total = total * 2 + i
            return total

        same(f, *[I64(n) for n in (0, 1, 6)])

    def test_the_range_of_a_length(self):
        def f(x):
            total = 0.0
            for i in range(len(x)):
                total += x[i] * i
            return total

        same(f, np.arange(5.0), traces=1, joined=True)
        same(f, np.arange(300.0), traces=1, joined=True)
        same(f, np.arange(0.0), traces=1, joined=True)

    def test_a_range_that_a_branch_chose(self):
        def f(n, c):
            places = range(n) if c else range(1, 9, n)
            total = 0
            for i in places:
                total = total * 2 + i
            return total

        same(f, *[(I64(n), np.bool_(c)) for n, c in ((3, True), (2, False), (0, True))])

    def test_prints_in_order(self):
        def f(n):
            print("start", n)
            for i in range(n):
                print("step", i)
                if i % 2 == 1:
                    print("odd")
            print("end")

        same(f, *[I64(n) for n in (0, 1, 4)])


class TestForOverArrays:
    @pytest.mark.parametrize("dtype", [*DTYPES, np.bool_])
    def test_rows_of_a_matrix(self, dtype):
        def f(x):
            total = np.zeros(2)
            for row in x:
                total = total + row
            return total

        same(f, np.array([[1, 0], [0, 1], [1, 1]], dtype), np.zeros((0, 2), dtype), traces=2)

    @pytest.mark.sampled
    @pytest.mark.parametrize("dtype", [*DTYPES, np.bool_])
    @pytest.mark.parametrize("length", [0, 1, 5, 200])
    def test_elements_of_a_vector(self, dtype, length):
        def f(x):
            positive = 0
            for value in x:
                if value > 0:
                    positive += 1
            return positive

        same(f, (np.arange(length) % 3 - 1).astype(dtype))

    def test_elements_keep_their_dtype(self):
        def f(x):
            last = x[0]
            for value in x:
                last = value + 1
            return last

        for dtype in (np.int8, np.uint8, np.float32):
            same(f, np.array([100, 127], dtype))

    def test_a_row_is_a_view(self):
        def f(x):
            for row in x:
                row[0] = row[0] * 2
                row += 1

        same(f, np.arange(6.0).reshape(3, 2), np.arange(400.0).reshape(200, 2), traces=2)

    def test_an_array_without_dimensions_cannot_be_walked(self):
        def f(x):
            for value in x:
                return value

        same(f, np.array(3.0), traces=None)
        same(f, F64(3.0), traces=None)

    def test_enumerate_over_an_array(self):
        def f(x, start):
            total = 0.0
            for i, value in enumerate(x):
                total += i * value
            for i, value in enumerate(x, start):
                total += i * value
            return total

        same(f, (np.arange(4.0), 3), (np.arange(4.0), 5), traces=2)
        same(f, (np.arange(300.0), 3))

    def test_zip_of_arrays_ends_with_the_shortest(self):
        def f(x, y):
            total = 0.0
            for a, b in zip(x, y):
                if a > b:
                    total += a - b
            return total

        same(f, (np.arange(4.0), np.ones(4)), (np.arange(4.0), np.ones(2)), traces=2, joined=True)
        same(f, (np.arange(300.0), np.ones(200)), joined=True)

    def test_unpacking_pairs(self):
        def f(pairs):
            total = 0
            for a, b in pairs:
                total += a * b
            return total, a, b

        same(f, np.arange(6).reshape(3, 2), np.arange(600).reshape(300, 2), traces=2)

    def test_nested_unpacking(self):
        def f(pairs, weights):
            total = 0
            for i, ((a, b), w) in enumerate(zip(pairs, weights)):
                total += i * (a - b) * w
            return total

        same(f, (np.arange(6).reshape(3, 2), np.arange(3)))
        same(f, (np.arange(400).reshape(200, 2), np.arange(200)))

    def test_starred_unpacking(self):
        def f(rows):
            total = 0
            for first, *rest in rows:
                total += first * len(rest) + rest[0]
            return total

        same(f, np.arange(6).reshape(2, 3))

    def test_reversed_ranges_are_walked_as_ranges(self):
        def f(x):
            taken = reversed(range(5))
            total = x[next(taken)]
            for i in taken:
                total = total * 2 + x[i]
            for i in reversed(range(len(x))):
                for j in range(i):
                    if x[j] > x[j + 1]:
                        x[j], x[j + 1] = x[j + 1], x[j]
            return total, x, [i for i, _ in zip(reversed(range(50)), x)], list(taken)

        compiled = same(f, np.random.default_rng(0).random(50))
        assert compiled.get_concrete_function(np.zeros(50)).as_text("weft").count('weft.greater"') < 5

    def test_reversed_arrays(self):
        def f(x):
            total = 0.0
            for value in reversed(x):
                total = total * 2 + value
            return total

        same(f, np.arange(4.0), np.arange(200.0), traces=2, rtol=1e-15)  # a device multiplies before it adds

    def test_for_else_over_an_array(self):
        def f(x):
            for value in x:
                if value < 0:
                    result = value
                    break
            else:
                result = x.sum()
            return result

        same(f, np.arange(4.0), -np.arange(4.0))

    def test_a_python_list_of_arrays_unrolls(self):
        def f(arrays):
            total = 0.0
            for x in arrays:
                if x.sum() > 3:
                    total = total + x.sum()
            return total

        same(f, ([np.ones(2), np.ones(3), np.ones(5)],), joined=True)

    def test_ndenumerate_and_flat(self):
        def f(x):
            total = 0.0
            for (i, j), value in np.ndenumerate(x):
                total += i * value - j
            for value in x.flat:
                total += value
            return total

        same(f, np.arange(6.0).reshape(2, 3))


class TestNestedLoops:
    def test_the_sum_of_a_matrix(self):
        def f(x, rows, columns):
            total = 0.0
            for i in range(rows):
                for j in range(columns):
                    total += x[i, j]
            return total

        x = np.arange(12.0).reshape(3, 4)
        same(f, *[(x, I64(r), I64(c)) for r in (0, 1, 3) for c in (0, 4)], joined=True)

    def test_inner_bounds_depend_on_the_outer_target(self):
        def f(n):
            count = 0
            for i in range(n):
                for j in range(i, 2 * i, 2):
                    count += i * j
            return count

        same(f, *[I64(n) for n in (0, 1, 2, 9)])

    def test_a_while_loop_in_a_for_loop(self):
        def f(x):
            total = 0
            for value in x:
                while value > 0:
                    total += value % 10
                    value = value // 10
            return total

        same(f, np.array([0, 7, 123, -5]), np.arange(200), traces=2)

    def test_state_shared_by_both_loops(self):
        def f(n):
            a, b = 0, 1
            log = np.zeros(3)
            for i in range(n):
                j = 0
                while j < i:
                    a, b = b, a + b
                    j += 1
                    log[j % 3] += a
            return a, b, log

        same(f, *[I64(n) for n in (0, 1, 2, 6)])

    def test_loops_one_after_another(self):
        def f(n):
            total = 0
            for i in range(n):
                total += i
            for i in range(total):
                total += i
            while total > 10:
                total -= 7
            return total

        same(f, *[I64(n) for n in (0, 1, 4)])

    def test_three_levels(self):
        def f(a, b):
            n, m, p = a.shape[0], a.shape[1], b.shape[1]
            c = np.zeros((n, p))
            for i in range(n):
                for j in range(p):
                    for k in range(m):
                        c[i, j] += a[i, k] * b[k, j]
            return c

        same(f, (np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)))
        same(f, (np.ones((20, 15)), np.ones((15, 30))))

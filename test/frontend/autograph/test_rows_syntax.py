"""Comprehensions, generator expressions, match, with, walrus, long unrolled loops and branches that cannot work."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

F64, I64 = np.float64, np.int64


class TestComprehensions:
    def test_a_list_comprehension_over_an_array(self):
        def f(x):
            return [value * 2 for value in x]

        same(f, np.arange(3.0), np.zeros(0), traces=2)

    def test_a_list_comprehension_with_a_run_time_filter(self):
        def f(x):
            return np.array([value * 2 for value in x if value > 1])

        same(f, np.arange(4.0))
        same(f, np.arange(300.0))

    def test_the_sum_of_a_generator_expression(self):
        def f(x, limit):
            return sum(value * 2 for value in x if value > limit)

        same(f, *[(np.arange(4.0), F64(v)) for v in (-1, 1)], joined=True)
        same(f, *[(np.arange(300.0), F64(v)) for v in (-1, 100, 500)], joined=True)

    def test_any_and_all_of_a_generator_expression(self):
        def f(x, limit):
            return any(value > limit for value in x), all(value > limit for value in x)

        same(f, *[(np.arange(4.0), F64(v)) for v in (-1, 1, 9)], joined=True)

    def test_a_nested_comprehension(self):
        def f(x):
            return [a * b for a in x for b in x if a < b], [[a + b for b in x] for a in x]

        same(f, np.arange(3.0))

    def test_a_dict_comprehension(self):
        def f(x):
            return {name: x * i for i, name in enumerate("abc")}

        same(f, np.arange(2.0))

    def test_a_comprehension_over_a_python_list_with_a_conditional_element(self):
        def f(x, factors):
            return [x * k if x > k else x - k for k in factors]

        same(f, (F64(2), [1, 2, 3]), (F64(9), [1, 2, 3]))

    def test_an_array_of_a_comprehension_over_a_run_time_range(self):
        def f(n):
            return np.array([i * i for i in range(n)])

        same(f, *[I64(n) for n in (1, 5)])

    def test_max_of_a_generator_expression_over_rows(self):
        def f(x):
            return max(row.sum() for row in x)

        same(f, np.arange(6.0).reshape(3, 2), -np.arange(6.0).reshape(3, 2))


class TestMatch:
    def test_literals(self):
        def f(x):
            match x:
                case 0:
                    return 10
                case 1 | 2:
                    return 20
                case _:
                    return 30

        same(f, *[I64(n) for n in (0, 1, 2, 3)])

    def test_guards_and_captures(self):
        def f(x):
            match x:
                case 0:
                    y = x + 1
                case n if n > 10:
                    y = n * 2
                case n:
                    y = -n
            return y

        same(f, *[I64(n) for n in (0, 5, 11)])

    def test_no_case_fits(self):
        def f(x):
            y = x
            match x:
                case 1:
                    y = x * 5
            return y

        same(f, I64(0), I64(1))

    def test_sequences_of_arrays(self):
        def f(pair):
            match pair:
                case (a, b) if a > b:
                    return a - b
                case (a, b):
                    return b * 2

        same(f, ((F64(1), F64(3)),), ((F64(3), F64(1)),))

    def test_python_values_are_matched_while_tracing(self):
        def f(x, mode):
            match mode:
                case {"scale": factor}:
                    return x * factor
                case [first, *_]:
                    return x + first
                case str():
                    return x
                case _:
                    return -x

        same(f, (F64(2), {"scale": 3}), (F64(2), [5, 6]), (F64(2), "a"), (F64(2), None), traces=4)


class TestWith:
    def test_what_context_managers_note_is_noted_at_each_call(self):
        log = []

        @contextlib.contextmanager
        def note(name):
            log.append(f"enter {name}")
            yield
            log.append(f"exit {name}")

        def f(x):
            with note("outer"), note("inner"):
                if x > 0:
                    x = x * 3
                x = x + 1
            return x

        compiled = weft.function(f)
        assert [compiled(F64(x)) for x in (1, -1)] == [4, 0]
        assert log == ["enter outer", "enter inner", "exit inner", "exit outer"] * 2

    def test_errstate_in_a_loop(self):
        def f(x, n):
            for _ in range(n):
                with np.errstate(divide="ignore", invalid="ignore"):
                    x = 1 / x
            return x

        same(f, *[(F64(x), I64(n)) for x in (0, 4) for n in (0, 1, 2)])

    def test_return_inside_with(self):
        def f(x):
            with contextlib.nullcontext():
                if x > 0:
                    return x
                x = x - 1
            return x * 2

        same(f, F64(1), F64(-1))


class TestBranchesThatCannotWork:
    def test_a_bad_index_in_a_branch_that_is_not_taken(self):
        def f(x, flag):
            if flag > 0:
                return x[4]
            return x[0]

        same(f, (np.arange(3.0), I64(0)), (np.arange(3.0), I64(1)))

    def test_bad_shapes_in_a_branch_that_is_not_taken(self):
        def f(x, y, flag):
            if flag > 0:
                x = x + y
            return x

        same(f, (np.arange(3.0), np.arange(4.0), I64(0)))
        same(f, (np.arange(3.0), np.arange(4.0), I64(1)))

    def test_a_bad_body_of_a_loop_that_does_not_run(self):
        def f(x, n):
            for i in range(n):
                x = x + x[4 + i]
            return x

        same(f, (np.arange(3.0), I64(0)), (np.arange(3.0), I64(1)))

    def test_a_missing_name_in_a_branch_that_is_not_taken(self):
        def f(x):
            if x > 0:
                return undefined_name
            return x

        same(f, F64(-1), F64(1))

    def test_a_missing_attribute_in_a_branch_that_is_not_taken(self):
        def f(x):
            if x > 0:
                return x.no_such_attribute
            return x

        same(f, F64(-1))


class TestUnrolling:
    def test_the_program_of_a_long_loop_does_not_grow(self):
        def short(x):
            for i in range(300):
                x = x * 0.5 + i
            return x

        def long(x):
            for i in range(3000):
                x = x * 0.5 + i
            return x

        sizes = []
        for f in (short, long):
            compiled = same(f, np.arange(3.0))
            sizes.append(len(compiled.get_concrete_function(np.arange(3.0)).as_text("weft").splitlines()))
        assert sizes[1] <= sizes[0] + 2

    def test_a_long_loop_that_indexes_a_python_list(self):
        def f(x, table):
            for i in range(len(table)):
                x = x + table[i]
            return x

        same(f, (F64(1), list(range(150))))


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64, np.bool_])
def test_expressions_of_every_kind_in_conditions(dtype):
    def f(x, y):
        n = 0
        if x == y:
            n += 1
        if x != y:
            n += 2
        if (x > y) == (y < x):
            n += 4
        if abs(int(x)) < 5 and -float(y) <= 0:
            n += 8
        if bool(x):
            n += 16
        if x is y:
            n += 32
        if max(x, y) == x:
            n += 64
        return n

    # NumPy has one object for each truth value, so that x is y there.
    same(f, *[(dtype(x), dtype(y)) for x in (0, 1) for y in (0, 1)])

"""Callees: helpers, methods, closures, lambdas, partials, recursion, generators, builtins, decorators."""

from __future__ import annotations

import collections
import functools
import inspect
import math
from dataclasses import dataclass

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

F64, I64 = np.float64, np.int64
Pair = collections.namedtuple("Pair", "first second")


def absolute(x):
    """A helper that branches."""
    if x < 0:
        return -x
    return x


def count_down(n):
    """A helper that loops, and calls another one."""
    steps = 0
    while absolute(n) > 0:
        n = n - 1 if n > 0 else n + 1
        steps += 1
    return steps


def fill(x, value, n):
    """A helper that writes into its argument."""
    for i in range(n):
        x[i] = value * i


class TestCallees:
    def test_helpers_are_converted_at_every_depth(self):
        def f(x):
            return absolute(x) + count_down(x)

        same(f, *[I64(n) for n in (-3, 0, 2)])

    def test_parameters_have_any_names(self):
        Named = collections.namedtuple("Named", "function kind trace args self_")

        def helper(function, kind=1, **kwargs):
            return function * kind + kwargs.get("args", 0)

        def f(x):
            named = Named(function=x, kind=x + 1, trace=x + 2, args=x + 3, self_=x)
            return helper(function=named.function, kind=named.kind, args=named.args), named.trace

        same(f, F64(3), F64(-2))

    def test_helpers_write_into_arguments(self):
        def f(x, n):
            fill(x, 2, n)
            fill(x[::-1], 1.5, n - 1)
            return x.sum()

        same(f, *[(np.full(4, 7.0), I64(n)) for n in (0, 1, 4)])

    def test_a_helper_called_in_a_loop(self):
        def f(x):
            total = 0.0
            for value in x:
                total += absolute(value)
            return total

        same(f, np.array([1.0, -2.0, 3.0]))
        same(f, np.arange(-200.0, 100.0))

    def test_a_helper_that_returns_early_in_a_condition(self):
        def f(x):
            if absolute(x) > 2 and absolute(x - 1) > 2:
                return 1
            return 0

        same(f, *[F64(x) for x in (-9, 0, 3, 3.5)])

    def test_helpers_with_defaults_keywords_and_stars(self):
        def helper(x, /, y=1, *rest, scale, **more):
            if x > y:
                x = x * scale
            for r in rest:
                x = x + r
            return x + sum(more.values())

        def f(x):
            return helper(x, scale=2), helper(x, 5, 6, 7, scale=3, a=1, b=x), helper(*[x, x], **{"scale": 4})

        same(f, F64(1), F64(9))

    def test_a_nested_function_with_a_closure(self):
        def f(x, n):
            def scaled(value):
                if value > 0:
                    return value * n
                return value - n

            return scaled(x) + scaled(-x)

        same(f, *[(F64(x), I64(3)) for x in (-2, 0, 2)])

    def test_a_nonlocal_counter(self):
        def f(x):
            count = 0

            def bump(value):
                nonlocal count
                if value > 1:
                    count += 1

            for value in x:
                bump(value)
            return count

        same(f, np.array([0.0, 1.0, 2.0, 3.0]))
        same(f, np.arange(300.0))

    def test_a_function_is_chosen_at_run_time(self):
        def f(x):
            if x > 0:
                operation = np.sqrt
            else:
                operation = np.abs
            return operation(x)

        same(f, F64(4), F64(-4))

    def test_a_function_as_argument(self):
        def twice(function, x):
            return function(function(x))

        def f(x):
            return twice(absolute, x) + twice(lambda v: v - 1 if v > 0 else v + 1, x)

        same(f, *[F64(x) for x in (-3, 0, 1, 3)])

    def test_a_function_returned_by_a_function(self):
        def make(step):
            def walk(x, n):
                while n > 0:
                    x = x + step
                    n -= 1
                return x

            return walk

        up, down = make(2), make(-1)

        def f(x, n):
            return up(x, n), down(x, n)

        same(f, *[(F64(1), I64(n)) for n in (0, 1, 3)])

    def test_library_functions_are_called_as_they_are(self):
        def f(x):
            y = x * math.sqrt(2) + math.comb(5, 2)
            return (
                y
                + np.sqrt(np.arange(3.0)).sum()
                + len("abc")
                + functools.reduce(lambda a, b: a + b, [1, 2, 3])
            )

        same(f, F64(1))

    def test_numpy_functions_on_traced_values(self):
        def f(x):
            if np.any(x > 2):
                return np.where(x > 2, x, 0.0)
            return np.zeros(3)

        same(f, np.arange(3.0), np.arange(3.0) + 1)

    def test_numpy_creation_makes_arrays_that_take_traced_values(self):
        def f(x):
            out = np.zeros(3)
            table = np.empty((2, 3), dtype=np.int32)
            full = np.full(3, x[0])
            pair = np.array([x[0], x[1] * 2])
            for i in range(3):
                out[i] = x[i] * 2
                table[0, i] = i
                table[1, i] = x[i]
            return out, table, full, pair, np.ones_like(x), np.arange(3) + x

        same(f, np.arange(3.0))


class TestLambdas:
    def test_two_lambdas_on_one_line(self):
        f, g = lambda x: x + 1 if x > 0 else x - 1, lambda x: x * 2 if x > 0 else x * 3
        same(f, F64(1), F64(-1))
        same(g, F64(1), F64(-1))

    def test_a_lambda_over_lines(self):
        f = (
            lambda x: (
                x
                if x > 0
                else
                -x
            )
        )  # fmt: skip
        same(f, F64(1), F64(-1))

    def test_lambdas_of_lambdas(self):
        same((lambda k: lambda x: k if x > k else x)(3), I64(1), I64(5), joined=True)

    def test_a_lambda_in_a_call(self):
        def f(x):
            return max([x, x * 2, -x], key=lambda v: v if v < 3 else -v)

        same(f, F64(1), F64(2), F64(-1))


class Counter:
    """A class with methods of every kind."""

    offset = 10

    def __init__(self, start):
        self.value = start

    def add(self, x):
        """Change the instance."""
        if x > 0:
            self.value = self.value + x
        return self.value

    @property
    def doubled(self):
        """Branch in a property."""
        return self.value * 2 if self.value > 0 else self.value

    @classmethod
    def shifted(cls, x):
        """Branch in a class method."""
        return x + cls.offset if x > 0 else x

    @staticmethod
    def clipped(x):
        """Branch in a static method."""
        return x if x < 5 else x - x + 5

    def __call__(self, x):
        return self.add(x) + 1

    def __add__(self, other):
        return self.value + other if other > 0 else self.value - other


class Louder(Counter):
    """A class that extends a method."""

    def add(self, x):
        """Call the inherited method."""
        if x > 3:
            x = x * 10
        return super().add(x)


class TestMethods:
    @pytest.mark.parametrize("kind", [Counter, Louder])
    def test_methods_properties_and_operators(self, kind):
        def f(x):
            c = kind(x)
            first = c.add(x)
            return first, c.doubled, c.shifted(x), c.clipped(x), c(x), c.__add__(x), c.value

        same(f, *[F64(x) for x in (-1, 1, 4, 6)])

    def test_an_instance_as_argument(self):
        def f(c, x):
            c.add(x)
            c.add(x - 2)
            return c.doubled

        same(f, *[(Counter(F64(1)), F64(x)) for x in (-1, 1, 4)], traces=None)

    def test_bound_methods_and_callable_objects_are_compiled(self):
        c = Counter(F64(1))
        f = weft.function(c.clipped)
        assert [f(F64(x)) for x in (1, 9)] == [1, 5]
        g = weft.function(functools.partial(Counter.clipped))
        assert [g(F64(x)) for x in (1, 9)] == [1, 5]

    def test_methods_decorated_with_weft_function(self):
        class Model:
            def __init__(self, w):
                self.w = w

            @weft.function
            def predict(self, x):
                if x > 0:
                    return self.w * x
                return -x

        one, two = Model(2.0), Model(3.0)
        assert [m.predict(F64(x)) for m in (one, two) for x in (1, -1)] == [2, 1, 3, 1]
        assert Model.predict.trace_count == 2 * (not weft.settings.disable_jit)

    def test_partials_and_wrapped_functions(self):
        def power(base, x):
            if x > 0:
                return base * x
            return base - x

        same(functools.partial(power, 3), F64(2), F64(-2))

        def logged(function):
            @functools.wraps(function)
            def wrapper(*args, **kwargs):
                return function(*args, **kwargs) + 1

            return wrapper

        @logged
        @logged
        def decorated(x):
            return x if x > 0 else -x

        same(decorated, F64(2), F64(-2))

    def test_signatures_survive(self):
        def f(x: float, y: int = 2, *rest: int, flag: bool = True, **more: int) -> float:
            """Doc."""
            if x > y:
                return x
            return x * y

        compiled = weft.function(f)
        assert inspect.signature(compiled) == inspect.signature(f)
        assert (compiled.__doc__, compiled.__name__, compiled.__wrapped__) == ("Doc.", "f", f)
        assert compiled(F64(1)) == 2
        assert compiled(F64(1), y=0) == 1
        assert f.__defaults__ == (2,)

    def test_constructors_and_namedtuples_pass_through(self):
        @dataclass
        class Result:
            value: float
            steps: int = 0

        def f(x):
            r = Result(x)
            if x > 0:
                r = Result(x * 2, 1)
            return r, Pair(x, [r.value]), Pair(second=x, first=None)

        same(f, F64(1), F64(-1))


class TestRecursion:
    def test_the_factorial(self):
        def factorial(n):
            if n <= 1:
                return 1
            return n * factorial(n - 1)

        same(factorial, *[np.int32(n) for n in (0, 1, 5)], joined=True)

    def test_two_calls(self):
        def fibonacci(n):
            return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

        same(fibonacci, *[I64(n) for n in (0, 1, 2, 12)])

    def test_mutual_recursion(self):
        def even(n):
            if n == 0:
                return True
            return odd(n - 1)

        def odd(n):
            if n == 0:
                return False
            return even(n - 1)

        same(even, *[I64(n) for n in (0, 1, 7, 20)], joined=True)

    def test_python_recursion_unrolls(self):
        def power(x, k):
            if k == 0:
                return x * 0 + 1
            return x * power(x, k - 1)

        same(power, (np.arange(3.0), 3))

    def test_recursion_into_an_array(self):
        def quicksort(x, low, high):
            if low < high:
                pivot = x[high]
                i = low
                for j in range(low, high):
                    if x[j] < pivot:
                        x[i], x[j] = x[j], x[i]
                        i += 1
                x[i], x[high] = x[high], x[i]
                quicksort(x, low, i - 1)
                quicksort(x, i + 1, high)

        same(quicksort, *[(np.array(v), I64(0), I64(3)) for v in ([4, 3, 2, 1], [1, 2, 3, 4], [2, 2, 1, 1])])


class TestGenerators:
    def test_a_generator_consumed_by_a_for(self):
        def pairs(n):
            for i in range(n):
                if i % 2 == 0:
                    yield i, i * i

        def f(n):
            total = 0
            for i, square in pairs(n):
                total += i + square
            return total

        same(f, *[I64(n) for n in (0, 1, 6)])

    def test_a_generator_of_arrays_in_python(self):
        def halves(x):
            yield x[:2]
            yield x[2:]

        def f(x):
            total = 0.0
            for part in halves(x):
                if part.sum() > 2:
                    total += part.sum()
            return total

        same(f, np.arange(4.0), joined=True)


class TestBuiltins:
    @pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
    def test_numbers(self, dtype):
        def f(x, y):
            return (
                abs(x),
                float(x),
                int(y),
                max(x, y),
                min(x, y, 2),
                bool(x),
                divmod(x, y),
                pow(y, 2),
                round(x),
            )

        same(f, *[(dtype(x), dtype(y)) for x, y in [(-3, 2), (3, 2), (2, 3)]], joined=True)

    def test_arrays(self):
        def f(x):
            return (
                any(x > 1),
                all(x > -1),
                sum(x),
                max(x),
                min(x),
                len(x),
                sorted(x),
                list(reversed(x)),
                list(x),
            )

        same(f, np.array([3.0, -1.0, 2.0]), np.array([0.5, 0.25, 0.125]), joined=True)

    def test_iterators(self):
        def f(x):
            y = [v for v in map(lambda a, b: a * b, x, x)]
            z = [v * i for i, v in enumerate(filter(lambda v: v is not None, x))]
            first = next(iter(x))
            return y, z, first, next(iter([]), 5), dict(zip("ab", x)), tuple(x)

        same(f, np.array([3.0, -1.0]))

    def test_a_filter_on_run_time_values(self):
        def f(x):
            total = 0.0
            for value in filter(lambda v: v > 0, x):
                total += value
            return total

        same(f, np.array([3.0, -1.0, 2.0]), np.array([-3.0, -1.0, -2.0]), joined=True)

    def test_sum_max_and_min_of_a_long_array(self):
        def f(x):
            return sum(x), max(x), min(x), sum(v for v in x if v > 3)

        same(f, np.arange(200), joined=True)

    def test_isinstance_len_and_type_questions(self):
        def f(x, y):
            if isinstance(x, np.ndarray):
                y = y + 1
            if isinstance(y, (int, np.integer)):
                y = y + 2
            return y, hasattr(x, "shape"), x.ndim

        same(f, (np.arange(3), I64(1)))

    def test_int_of_a_float_indexes(self):
        def f(x, place):
            return x[int(place)], x[int(place * 2)]

        same(f, *[(np.arange(8.0), F64(p)) for p in (0, 1.4, 3.9, -1.2)])

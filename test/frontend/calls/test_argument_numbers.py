"""Python numbers among the arguments: constants at first, data from their second value on, where tracing lets them."""

from __future__ import annotations

import dataclasses
import heapq
import math
from typing import Any
from unittest import mock

import numpy as np
import pytest

import weft
from support.native_calls import native_calls, same
from weft.dialect.errors import InternalError
from weft.frontend.calls.argument_numbers import CallNumbers
from weft.frontend.tracing.array import TracedArray

F32 = np.float32


def check(function: Any, calls: Any, traces: int) -> Any:
    """Calls give what they give eagerly, types included, after so many traces; returns what was compiled."""
    compiled = weft.function(function)
    for call in calls:
        same(compiled(*call), function(*call))
    assert compiled.trace_count == traces
    return compiled


def _is_prime(n):
    if n < 2:
        return False
    i = 2
    while i * i <= n:
        if n % i == 0:
            return False
        i += 1
    return True


def _next_of_five(n):
    if n < 0:
        return None
    while True:
        n += 1
        if n % 5 == 0:
            return n


def _flag_of(n):
    if n < 0:
        return None
    goes_on = n > 3
    while goes_on:
        n -= 2
        if n == 7:
            return goes_on
        goes_on = n > 3
    return goes_on


class TestData:
    def test_a_training_step_compiles_twice(self):
        def step(w, m, v, gradient, count, rate=1e-3):
            m, v = 0.9 * m + 0.1 * gradient, 0.99 * v + 0.01 * gradient**2
            corrected = rate * math.sqrt(1 - 0.99**count) / (1 - 0.9**count)
            return w - corrected * m / (np.sqrt(v) + 1e-8), m, v

        compiled, expected = weft.function(step), [np.ones(3, F32)] * 3
        found = expected
        for count in range(1, 9):
            gradient = F32([count, 1, -count])
            found, expected = (
                compiled(*found, gradient, float(count)),
                step(*expected, gradient, float(count)),
            )
            for one, other in zip(found, expected, strict=True):
                assert one.dtype == other.dtype
                np.testing.assert_allclose(one, other, rtol=1e-6)
        assert compiled.trace_count == 2
        assert native_calls(compiled) >= 4

    def test_types_are_pythons(self):
        def numbers(a, b, c, x):
            kinds = isinstance(a, int), isinstance(b, float), type(a) is int, type(b).__name__
            more = a + 2, a // 2, a / 2, -b, b * 2, b**2, c * 2, a > 2 and b > 2, f"{a} {b}"
            return a, b, c, kinds, more, x * a, x * b, x + c, np.where(x > 1, b, x)

        calls = [
            (a, a + 0.5, complex(a, 1), x) for x in (F32([1, 2]),) for a in (1, 3, -7, 2**40, -(2**63) + 1)
        ]
        check(numbers, calls, 2)

    def test_numbers_in_containers(self):
        @dataclasses.dataclass
        class Rates:
            slow: float
            fast: float

        def scaled(x, options, rates, *more, last=0):
            return x * options["scale"] + options["shift"][1] * rates.fast - rates.slow + more[0] + last

        compiled = weft.function(scaled)
        for n in range(1, 6):
            arguments = F32([1, 2]), {"scale": n, "shift": (0, 2.0 * n)}, Rates(0.5, n + 0.5), n
            same(compiled(*arguments, last=n), scaled(*arguments, last=n))
        assert compiled.trace_count == 2
        names = "'options['scale']', 'options['shift'][1]', 'rates.fast', 'more[0]', 'last'"
        assert f"{names} are from now on data, read at each call" in compiled.explain_retrace().replace(
            '"', "'"
        )

    @pytest.mark.parametrize("function", [_is_prime, _next_of_five, _flag_of])
    def test_loops_behind_an_early_return_that_return(self, function):
        check(function, [(n,) for n in (100, 101, 30, 103, 9)], 2)

    def test_only_what_changes_is_data(self):
        compiled = check(lambda x, a, b: x * a + b, [(F32([1]), 2, n) for n in (1, 2, 3)], 2)
        assert compiled.explain_retrace() == (
            "argument 'b' changed from 1 to 2; 'b' is from now on data, read at each call"
        )

    def test_other_types_are_other_signatures(self):
        calls = [(F32([1, 2]), n) for n in (1, 2.0, True, 3, 4.0, False, 5, 6.0, 2**70, -(2**63), 2**63)]
        check(lambda x, n: (x * n, n), calls, 8)

    def test_all_shapes_share_what_is_known(self):
        check(
            lambda x, n: x * n,
            [(np.ones(2), 1.0), (np.ones(2), 2.0), (np.ones(3), 3.0), (np.ones(3), 4.0)],
            3,
        )

    def test_ints_are_checked_against_the_dtype(self):
        compiled = weft.function(lambda x, n: x + n)
        for dtype, inside, outside in ((np.int8, (1, 127, -128), 128), (np.uint64, (1, 2, 3), -1)):
            x = np.zeros(1, dtype)
            for n in inside:
                same(compiled(x, n), x + n)
            with pytest.raises(
                OverflowError, match=f"Python integer {outside} out of bounds for {np.dtype(dtype)}"
            ):
                compiled(x, outside)

    def test_the_same_number_twice_is_two_arguments(self):
        check(lambda x, a, b: x * a + b, [(F32([1]), n, n) for n in (1, 2, 3)] + [(F32([1]), 4, 5)], 2)

    def test_numbers_beside_written_arrays(self):
        def write(x, n):
            x[n % 2] = n
            return n + 1

        compiled = weft.function(write)
        x = np.zeros(2)
        for n in range(5):
            assert compiled(x, n) == n + 1
            assert x[n % 2] == n
        assert compiled.trace_count == 2

    def test_a_concrete_function_keeps_its_numbers(self):
        compiled = weft.function(lambda x, n: x * n)
        for n in (1, 2, 3):
            compiled(np.ones(1), n)
        concrete = compiled.get_concrete_function(np.ones(1), 5)
        assert concrete(np.ones(1), 5) == 5
        with pytest.raises(
            TypeError, match=r"argument 'n' of .* is 5, as tracing has fixed it, but 6 was given"
        ):
            concrete(np.ones(1), 6)

    def test_as_an_integrand(self):
        compiled = weft.function(lambda t: np.exp(-t * t) / (1 + t))
        for t in np.linspace(0, 1, 21).tolist():
            assert compiled(t) == pytest.approx(math.exp(-t * t) / (1 + t), rel=1e-15)
            assert type(compiled(t)) is np.float64
        assert compiled.trace_count == 2


TABLE = {1: "one", 2: "two", 3: "three"}


class Holder:
    def __init__(self, number):
        self.number = number


def _halves(x, n):
    total = 0
    for _ in range(n):
        total += 0.5
    return total


class TestConstants:
    """Tracing needs the value, so that each value compiles; the results are right, whatever Python does with it."""

    @pytest.mark.parametrize(
        ("function", "needs"),
        [
            (lambda x, n: np.zeros(n) + x[0], "a shape"),
            (lambda x, n: x[:n] * 2, "the length of a slice"),
            (lambda x, n: [x * i for i in range(n)], "the length of a list"),
            (lambda x, n: x.sum(axis=n - n), "an index or size in Python"),
            (lambda x, n: n.bit_length(), "the attribute bit_length"),
            (_halves, "the type of a number"),
            (lambda x, n: [1] * n, "the length of a list"),
            (lambda x, n: (1,) * n, "the length of a list"),
        ],
    )
    def test_what_needs_the_value(self, function, needs):
        compiled = check(function, [(np.ones(4), n) for n in (1, 2, 1, 2)], 2)
        reason = compiled.explain_retrace()
        assert f"'n' is a constant, as {needs}" in reason
        assert reason.endswith("needs the value")

    def test_types_that_paths_decide_on_need_no_value(self):
        def early(x, n):
            if n < 2:
                return False
            return (x > n).any()

        def computed(x, n):
            y = n if n % 2 else n / 4
            return y, x * y, y**2

        for function in (early, computed):
            compiled = check(function, [(np.arange(4.0), n) for n in (1, 2, 3, 4, 5)], 2)
            assert "'n' is from now on data" in compiled.explain_retrace()

    def test_others_stay_data(self):
        calls = [(np.ones(3), n, n / 2, -n) for n in (1, 2, 3, 4)]
        compiled = check(lambda x, n, a, b: np.full((1,) * 5, a).sum(axis=n).sum() + x * b, calls, 4)
        reason = compiled.explain_retrace()
        assert "'a', 'b' are from now on data" in reason
        assert "'n' is a constant, as " in reason

    def test_lengths_are_data_from_their_second_change_on(self):
        def squares(n):
            return (
                [k * k for k in range(n)],
                np.zeros((n, 2)).shape,
                np.arange(9)[:n],
                sum(k for k in range(n)),
                [n] * n,
            )

        compiled = check(squares, [(n,) for n in (3, 4, 5, 6, 1, 0, 9, 20)], 4)
        assert (
            compiled.explain_retrace()
            == "argument 'n' changed from 5 to 6; 'n' is from now on data, read at each call"
        )

    def test_lengths_that_tracing_needs_stay_constants(self):
        def tables(n):
            return np.zeros(n).sum(), {n: 1}, np.zeros((1,) * 9).sum(axis=n % 2).shape

        compiled = check(tables, [(n,) for n in (3, 4, 5, 6, 7)], 5)
        assert "'n' is a constant, as an index or size in Python " in compiled.explain_retrace()

    def test_lengths_that_tracing_fails_with_stay_constants(self):
        def shape(n):
            return np.zeros(n).sum(), np.zeros((2,) * n).ndim, memoryview(b"ab")[: n - n] == b""

        compiled = weft.function(shape)
        for n in (3, 4, 5, 6, 7):
            same(compiled(n), shape(n))
        assert "'n' is a constant, as " in compiled.explain_retrace()

    def test_a_length_may_be_one(self):
        check(lambda n, x: np.ones(n) + x, [(n, np.arange(3.0)) for n in (3, 1)], 2)
        check(lambda n, x: np.ones(n % 9) + x, [(n, np.arange(3.0)) for n in (3, 12, 21, 30, 1, 10)], 4)

    def test_errors_of_the_program_make_nothing_constant(self):
        compiled = weft.function(lambda x, n: x.reshape(7) * n)
        for n in (1.0, 2.0):
            with pytest.raises(ValueError, match="reshape"):
                compiled(np.ones(2), n)
        for n in (1.0, 2.0, 3.0):
            same(compiled(np.ones(7), n), np.ones(7) * n)
        assert compiled.trace_count == 3  # two that failed, and one for all numbers


def test_long_lists_are_data_and_told_briefly():
    first = weft.function(lambda numbers: numbers[0] + numbers[-1])
    for call in range(6):
        assert first([i + call for i in range(200)]) == 199 + 2 * call
    assert first.trace_count == 2
    assert "and 192 more are from now on data" in first.explain_retrace()
    assert len(first.explain_retrace()) < 1000


def cheapest(edges, n):
    """By which costs all nodes are reached from the first."""
    costs, queue = [math.inf] * n, [(0, 0)]
    costs[0] = 0
    while queue:
        cost, here = heapq.heappop(queue)
        for start, end, more in edges:
            if start == here and cost + more < costs[end]:
                costs[end] = cost + more
                heapq.heappush(queue, (cost + more, end))
    return costs


@pytest.mark.parametrize("count", [8, 16])
def test_numbers_that_are_needed_one_after_another_begin_few_traces(count: int) -> None:
    """Each number that is known decides which is asked next: those in rows are asked a few times, not each."""
    compiled = weft.function(cheapest)
    with mock.patch.object(CallNumbers, "_keep", autospec=True, side_effect=CallNumbers._keep) as asked:
        for more in (1, 2):
            edges = [(i, (i + 1) % count, i % 3 + more) for i in range(count)]
            same(compiled(edges, count), cheapest(edges, count))
    assert 1 <= asked.call_count <= 8


def test_failures_of_ours_with_numbers_as_data_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self, other):
        raise InternalError("a number is lost")

    f = weft.function(lambda x, n: x + n * 2)
    np.testing.assert_array_equal(f(np.ones(3), 2), np.ones(3) + 4)
    monkeypatch.setattr(TracedArray, "__mul__", fail)
    with pytest.warns(
        weft.RetracingWarning, match=r"failed to compile them as data.*report it \(a number is lost"
    ):
        np.testing.assert_array_equal(f(np.ones(3), 3), np.ones(3) + 6)

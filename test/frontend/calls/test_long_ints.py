"""Python's ints of more than 64 bits: the calls give Python's numbers, or end at the line."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
import pytest

import weft

MOST, LEAST = 2**63 - 1, -(2**63)


def _factorial(n: int) -> int:
    product = 1
    for i in range(1, n + 1):
        product *= i
    return product


def _fibonacci(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def _repeated(n: int, m: int) -> tuple[int, int, int]:
    return sum([n, m, n]), math.prod([n, m, n]), reduce(operator.mul, [n, m])


def _operators(a: int, b: int) -> list[int]:
    return [a + b, a - b, a * b, 3 * a, a * -2, -a, a + 7, 5 - a]


def _powers(a: int, b: int) -> list[int]:
    return [a**2, a**3, 2**b, a**b, a << b, 1 << b, -3 << b]


def _caught(a: int, b: int) -> int:
    try:
        return a * b + b
    except (OverflowError, ValueError):
        return -1


PROGRAMS: list[tuple[Callable[..., Any], list[tuple[int, ...]]]] = [
    (_factorial, [(3,), (4,), (5,), (20,), (21,), (30,), (6,)]),
    (_fibonacci, [(3,), (4,), (92,), (93,), (94,), (5,)]),
    (_repeated, [(3, 4), (4, 5), (2**31, 2), (2**32, 3), (-(2**21), 2**21), (2**62, 1)]),
    (_operators, [(1, 2), (3, 4), (MOST, -1), (LEAST, 1), (MOST, LEAST), (2**62, 2), (5, 6)]),
    (_operators, [(MOST // 3, 0), (MOST // 3 - 1, 1), (MOST // 3 + 1, 0), (LEAST // 2, 0)]),
    (_powers, [(2, 3), (3, 4), (2, 61), (2, 62), (2, 63), (-2, 61), (7, 0)]),
    (_powers, [(1, 2), (2, 1), (3037000499, 2), (3037000500, 2), (-3037000500, 1)]),
    (_caught, [(2, 3), (3, 4), (2**40, 2**40), (5, 6)]),
]  # fmt: skip


@pytest.mark.parametrize(("program", "calls"), PROGRAMS)
def test_calls_are_made_again_with_longer_ints(
    program: Callable[..., Any], calls: list[tuple[int, ...]]
) -> None:
    compiled = weft.function(program)
    for call in calls * 2:
        assert compiled(*call) == program(*call)


def _products(x: Any, n: int) -> int:
    total = 0
    for i in range(n):
        total += int(x[i]) * int(x[i])
    return total


def test_elements_of_arrays_are_refused() -> None:
    """Constants among the arguments do not help there."""
    compiled = weft.function(_products)
    for n in (2, 3):
        assert compiled(np.array([2, 2**31, 5]), n) == _products([2, 2**31, 5], n)
    with pytest.raises(
        weft.PythonNumberError, match=r"the result of 2147483648 \* 4294967296 has more than 64 bits"
    ):
        weft.function(lambda x: int(x[0]) * int(x[1]))(np.array([2**31, 2**32]))
    with pytest.raises(OverflowError, match=r"the result of \d+ \+ \d+ has more than 64 bits") as caught:
        compiled(np.full(3, 2**31), 3)
    assert "total += int(x[i])" in str(caught.getrepr())


def test_numbers_of_numpy_wrap_around() -> None:
    compiled = weft.function(lambda x, n: (x[0] * x[0], x[0] + n))
    assert compiled(np.array([2**40]), 1) == (0, 2**40 + 1)


def test_native_calls_are_made_again() -> None:
    """Calls that native code runs, before and behind one that it cannot."""
    compiled = weft.function(lambda n: n * n)
    for n in (*range(40), 2**40, *range(40), -(2**50)):
        assert compiled(n) == n * n


def test_sums_of_small_numbers_are_not_checked() -> None:
    def program(x: Any, w: int) -> Any:
        count, state = 0, 1
        for i in range(len(x) // w):
            for j in range(w):
                state = (1103515245 * state + 12345) % 2**31
                if x[i * w + j] > 0.5:
                    count += 1
        return count, state

    concrete = weft.function(program).get_concrete_function(weft.TensorSpec((None,), "float64"), 3)
    assert "overflows" not in concrete.as_text("optimized")


@weft.function
def _last_sum(x: Any) -> int:
    total = 0
    for number in x:
        total += int(number)
    return total


def test_sums_are_checked_behind_loops() -> None:
    concrete = _last_sum.get_concrete_function(weft.TensorSpec((None,), np.int64))
    with pytest.raises(weft.PythonNumberError, match="a sum of ints has more than 64 bits") as caught:
        concrete(np.full(3, 2**62))
    assert "total += int(number)" in str(caught.getrepr())
    assert concrete(np.array([MOST, MOST, -MOST, -5])) == MOST - 5


def _sums(x: Any, start: int) -> tuple[int, int]:
    left = start
    some = 0
    for number in x:
        left -= int(number)
        if number % 2:
            some += int(number)
    return left, some


@pytest.mark.parametrize(
    "numbers",
    [
        [], [1, 2, 3], [MOST, 1], [MOST, MOST, -MOST, -MOST], [LEAST, LEAST], [LEAST, MOST, 1], [2**62 + 1] * 3,
        [2**62] * 3 + [-(2**62)] * 2, [MOST] * 2**17, [MOST] * 2**17 + [-MOST] * 2**17, [2**33 - 1] * 50,
    ],
)  # fmt: skip
@pytest.mark.parametrize("start", [3, -3, 2**62])
def test_sums_are_right_where_they_come_back_to_64_bits(numbers: list[int], start: int) -> None:
    wanted = _sums(numbers, start)
    if all(LEAST <= each <= MOST for each in wanted):
        assert _SUMS(np.array(numbers, np.int64), start) == wanted
    else:
        with pytest.raises(weft.PythonNumberError, match="has more than 64 bits"):
            _SUMS(np.array(numbers, np.int64), start)


_SUMS = weft.function(_sums)


@weft.function
def _longest(starts: Any) -> tuple[int, int]:
    """Searches that run side by side in lanes, and end each where a number gets too long."""
    longest, most = 0, 0
    for start in starts:
        k, steps = int(start), 0
        while k != 1 and steps < 500:
            k = k // 2 if k % 2 == 0 else 3 * k + 1
            steps += 1
        longest = max(longest, steps)
        most = max(most, k)
    return longest, most


def test_searches_end_where_numbers_get_too_long() -> None:
    for starts in (
        [27, 6, 1],
        list(range(1, 90)),
        [MOST // 3 + 2, 5],
        [7] * 40 + [MOST - 2] + [3] * 40,
        [],
        [LEAST],
    ):
        wanted = _longest.python_function(starts)
        peaks = [_peak(start) for start in starts]
        if all(LEAST <= peak <= MOST for peak in peaks):
            assert _longest(np.array(starts, np.int64)) == wanted
        else:
            with pytest.raises(weft.PythonNumberError, match="has more than 64 bits") as caught:
                _longest(np.array(starts, np.int64))
            assert "3 * k + 1" in str(caught.getrepr())


def _peak(k: int) -> int:
    """The number of a search that is furthest from zero, when the product is taken before one is added."""
    peak, steps = k, 0
    while k != 1 and steps < 500:
        k = k // 2 if k % 2 == 0 else 3 * k + 1
        peak, steps = max(peak, k, key=abs), steps + 1
    return peak


def test_what_is_of_no_use_keeps_no_search_from_ending() -> None:
    """Each search begins where the one before has ended."""

    def chained(n: Any, factor: int) -> int:
        k = 7
        for _ in range(int(n)):
            while k % 1000 != 1:
                k = k * factor
            k += 6
        return k

    compiled = weft.function(chained)
    assert compiled(np.int64(1), 7) == chained(1, 7)
    with pytest.raises(weft.PythonNumberError, match="has more than 64 bits"):
        compiled(np.int64(40), 7)

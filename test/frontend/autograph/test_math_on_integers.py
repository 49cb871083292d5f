"""The functions of `math` on ints that only the program knows: Python's numbers, or an error beyond 64 bits."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

LARGEST = 2**63 - 1
ROOT = math.isqrt(LARGEST)
NUMBERS = [0, 1, 2, -1, -7, 12, 20, 21, 35, 60, 66, 67, 68, 6, 9, 2**31, 2**32 + 1, ROOT**2, ROOT**2 - 1]
NUMBERS += [2**53 + 1, 2**61 - 1, 2**62, LARGEST, -LARGEST, -(2**63), (2**31 - 1) ** 2 * 2]
PAIRS = [(one, other) for one in NUMBERS for other in NUMBERS]


def outcome(function: Callable[..., Any], args: tuple[int, ...]) -> Any:
    """What a function gives: an int, or the class of an exception and its message."""
    try:
        made = function(*map(np.int64, args))
    except (ValueError, OverflowError) as error:
        return type(error), str(error).partition("\n")[0]
    return type(made), int(made)


def check(function: Callable[..., Any], name: str, inputs: list[tuple[int, ...]]) -> None:
    compiled = weft.function(function)
    assert not compiled.get_concrete_function(*map(np.int64, inputs[0])).cost_analysis().python_calls
    for args in inputs:
        expected, got = outcome(function, args), outcome(compiled, args)
        if expected[0] is int and expected[1] > LARGEST:
            text = ", ".join(map(str, args))
            message = (
                f"the result of {name}({text}) has more than 64 bits, and compiled code has ints of 64 bits"
            )
            expected = weft.PythonNumberError, message
        assert got == expected, args


@pytest.mark.parametrize("name", ["gcd", "lcm"])
def test_divisors_and_multiples(name: str) -> None:
    theirs = getattr(math, name)
    check(lambda x, y: theirs(x, y), name, PAIRS)


@pytest.mark.parametrize("name", ["comb", "perm"])
def test_ways_to_choose(name: str) -> None:
    theirs = getattr(math, name)
    pairs = [(n, k) for n, k in PAIRS if k < 100 or (k >= n and name == "comb")]
    check(lambda x, y: theirs(x, y), name, pairs)


def test_roots() -> None:
    near = [(root**2 + d,) for root in (2**26 + 1, 2**30 - 1, ROOT - 1, ROOT) for d in (-1, 0, 1)]
    check(lambda x: math.isqrt(x), "isqrt", [(x,) for x in NUMBERS] + near)


def test_factorials() -> None:
    check(lambda x: math.factorial(x), "factorial", [(x,) for x in NUMBERS if x < 100])


def test_other_numbers_of_arguments_and_types() -> None:
    def compute(x: Any) -> Any:
        many = math.gcd(x), math.gcd(x, 12, 18), math.lcm(x, 4, 6), math.lcm(x), math.gcd(12, x)
        return *many, math.perm(x), math.perm(x, None), math.comb(40, x), math.comb(x, 2)

    compiled = weft.function(compute)
    for value in (5, True, np.int32(5), np.uint8(7), np.uint64(4)):
        assert repr(compiled(value)) == repr(compute(value))


@pytest.mark.parametrize("value", [2.0, np.float32(2), np.ones(2, int)])
def test_what_is_no_int_is_an_error_of_pythons(value: Any) -> None:
    with pytest.raises(TypeError) as eager:
        math.factorial(value)
    with pytest.raises(TypeError, match=re.escape(str(eager.value))):
        weft.function(lambda x: math.factorial(x))(value)


def test_loops_and_branches() -> None:
    def expected_value(n: Any) -> Any:
        total = 0.0
        for i in range(1, n + 1):
            if i % 2:
                total += math.factorial(n) / n**i / math.factorial(n - i)
            else:
                total += math.comb(n, i) / math.gcd(n, i)
        return total

    compiled = weft.function(expected_value)
    assert compiled(np.int64(9)) == expected_value(9)
    with pytest.raises(OverflowError, match="factorial\\(21\\) has more than 64 bits"):
        compiled(np.int64(21))

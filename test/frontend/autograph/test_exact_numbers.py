"""Fractions, decimals and spans of time beside values of the run time: refused; beside known values as in Python."""

from __future__ import annotations

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

HALF = Fraction(1, 2)


def is_half(x):
    return HALF == x


def is_other(x):
    return x != HALF


def is_decimal(x):
    return Decimal("0.5") == x


def is_listed(x):
    return x in [HALF]


def where_listed(x):
    return [HALF].index(x)


def is_pair(x):
    return (HALF, 1) == (x, 1)


def is_less(x):
    return x < HALF


def root(x):
    return x**HALF


def power(x):
    return pow(HALF, x)


def total(x):
    return sum([HALF, x])


def raised(x):
    x += HALF
    return x


def larger(x):
    return max(x, HALF)


def parts(x):
    return divmod(x, HALF)


def days(x):
    return datetime.timedelta(days=2) * x


@pytest.mark.parametrize("x", [np.float64(0.5), np.int64(2)], ids=repr)
@pytest.mark.parametrize(
    "function",
    [
        is_half, is_other, is_decimal, is_listed, where_listed, is_pair, is_less, root, power, total, raised, larger,
        parts, days,
    ],
    ids=lambda function: function.__name__,
)  # fmt: skip
def test_operators_on_values_of_the_run_time_are_refused(function, x) -> None:
    with pytest.raises(weft.WeftError, match="known only when the compiled function runs") as refusal:
        weft.function(function)(x)
    assert "make a float or an int of the" in str(refusal.value)
    assert f"in {function.__name__}" in str(refusal.value)


def ratio(n):
    return Fraction(n, 3)


def steepest(heights):
    return max(range(1, 3), key=lambda place: Fraction(place, heights[place]))


@pytest.mark.parametrize(
    ("function", "given"), [(ratio, np.int64(2)), (steepest, np.array([1, 2, 3]))], ids=["ratio", "steepest"]
)
def test_fractions_of_values_of_the_run_time_are_refused(function, given) -> None:
    with pytest.raises(
        weft.WeftError, match=r"fractions\.Fraction\(\) is called while the function is traced"
    ):
        weft.function(function)(given)


def scaled_by_known_numbers(x):
    share = Fraction(3, 4) / Fraction(1, 2)
    return float(share) * x, share, share == 1.5, Decimal("0.5") + 1


def test_known_ones_are_computed_as_in_python() -> None:
    same(scaled_by_known_numbers, np.array([1.0, 2.0]))
    same(ratio, 2)


def joined(words):
    return sum(words, "")


def joined_later(x):
    return sum(["a"], start=f"{x}")


def joined_bytes(x):
    return sum([b"a"], b"")


def joined_arrays(x):
    return sum([bytearray(b"a")], bytearray())


def test_sums_of_texts_are_the_errors_of_python() -> None:
    for function, given in [
        (joined, ["a", "b"]),
        (joined, []),
        (joined_later, np.float64(2)),
        (joined_bytes, np.float64(2)),
        (joined_arrays, np.float64(2)),
    ]:
        same(function, given, traces=None)

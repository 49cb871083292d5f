"""Sizes are computed as Python's integers are, and those that are equal are known to be."""

from __future__ import annotations

import math
import operator
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.dialect.sizes import (
    MOST_TERMS,
    Computed,
    Polynomial,
    Size,
    ceildiv,
    computed,
    floordiv,
    limits,
    replaced,
    symbol,
    symbols,
)

NAMES = ("k", "m", "n")

FUNCTIONS: dict[Callable[..., int], Callable[..., Size]] = {
    operator.add: operator.add,
    operator.sub: operator.sub,
    operator.mul: operator.mul,
    max: lambda a, b: computed(max, a, b),
    min: lambda a, b: computed(min, a, b),
    floordiv: lambda a, b: computed(floordiv, a, b),
    ceildiv: lambda a, b: computed(ceildiv, a, b),
}
RING = (operator.add, operator.sub, operator.mul)


def trees(functions: tuple[Callable[..., int], ...]) -> st.SearchStrategy:
    """Names, numbers, and tuples of a function and two trees."""
    return st.recursive(
        st.sampled_from(NAMES) | st.integers(-5, 5),
        lambda parts: st.tuples(st.sampled_from(functions), parts, parts),
        max_leaves=10,
    )


def size_of(tree: object) -> Size:
    if isinstance(tree, tuple):
        return FUNCTIONS[tree[0]](size_of(tree[1]), size_of(tree[2]))
    return symbol(tree) if isinstance(tree, str) else tree


def value_of(tree: object, values: dict[str, int]) -> int:
    if isinstance(tree, tuple):
        return tree[0](value_of(tree[1], values), value_of(tree[2], values))
    return values[tree] if isinstance(tree, str) else tree


def evaluated(size: Size, values: dict[str, int]) -> Size:
    def value(name: object) -> Size:
        if not isinstance(name, Computed):
            return values[name]
        operands = [evaluated(operand, values) for operand in name.operands]
        return operands[0] * operands[1] if name.function == "product" else computed(name.function, *operands)

    return replaced(size, value)


VALUES = st.fixed_dictionaries(dict.fromkeys(NAMES, st.integers(-100, 100)))


@given(trees(tuple(FUNCTIONS)), VALUES)
def test_sizes_are_computed_as_integers_are(tree, values):
    try:
        expected = value_of(tree, values)
    except ZeroDivisionError:
        return
    assert evaluated(size_of(tree), values) == expected


@given(trees(tuple(FUNCTIONS)), VALUES, st.integers(0, 30))
def test_limits_hold_for_all_values(tree, values, spread):
    try:
        expected = value_of(tree, values)
    except ZeroDivisionError:
        return
    low, high = limits(size_of(tree), lambda name: (values[name] - spread, values[name] + spread))
    assert low <= expected <= high


def test_limits_of_what_is_kept_in_range():
    n, i = symbol("n"), symbol("i")
    kept = computed(max, computed(min, i, 8), 0)
    assert limits(8 - kept) == (0, 8)
    assert limits(kept * kept + computed(ceildiv, kept, 3)) == (0, 67)
    assert limits(kept * n, lambda name: (2, math.inf) if name == "n" else (-math.inf, math.inf)) == (
        0,
        math.inf,
    )
    assert limits(computed("f", n), lambda name: (0, 1)) == (-math.inf, math.inf)


RANDOM = random.Random(0)
PLACES = [{name: RANDOM.randrange(10**9) for name in NAMES} for _ in range(3)]
"""Polynomials of small degrees that agree here are the same, but for one case in many millions."""


@given(trees(RING), trees(RING))
def test_sums_and_products_are_equal_where_their_values_are(left, right):
    one, other = size_of(left), size_of(right)
    agree = all(value_of(left, values) == value_of(right, values) for values in PLACES)
    assert (one == other) == agree
    if agree:
        assert hash(one) == hash(other)


@given(trees(RING), trees(RING), trees(RING))
def test_normal_form(a, b, c):
    a, b, c = map(size_of, (a, b, c))
    assert a + b == b + a
    assert a * b == b * a
    assert (a + b) + c == a + (b + c)
    assert a * (b + c) == a * b + a * c
    assert a - a == 0
    assert a * 0 == 0
    assert a * 1 == a


def test_a_constant_is_an_int():
    n = symbol("n")
    assert n - n == 0
    assert type(n - n + 3) is int
    assert type(2 - n + n) is int
    assert isinstance(n + 0, Polynomial)


def test_functions():
    n, m = symbol("n"), symbol("m")
    assert computed(max, n, m) == computed(max, m, n)
    assert computed(min, n, n) == n
    assert computed(floordiv, n + 1, 1) == n + 1
    assert computed(floordiv, n, m) != computed(floordiv, m, n)
    assert computed("f", n) != computed("g", n)
    assert set(symbols(computed(ceildiv, n * m, 4) + n)) == {"n", "m"}
    with pytest.raises(ZeroDivisionError):
        floordiv(1, 0)
    assert isinstance(computed(floordiv, 1, 0), Polynomial)  # never reached, if the program is right


def test_long_products_are_not_multiplied_out():
    long = sum(symbol(k) for k in range(MOST_TERMS)) + 1
    product = long * long
    assert len(product.terms) == 1
    assert product == long * long
    assert set(symbols(product)) == set(range(MOST_TERMS))

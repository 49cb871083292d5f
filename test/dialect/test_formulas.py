"""Formulas of extents: the shortest form is as large as the long one, for all extents."""

from __future__ import annotations

import random

import pytest

from weft.dialect.formulas import ExtentName, named, simplified
from weft.dialect.sizes import Computed, ceildiv, computed, floordiv, replaced, symbol

n, m = symbol(ExtentName("n")), symbol(ExtentName("m"))


def at(size, **numbers):
    def of(name):
        if not isinstance(name, Computed):
            return numbers[name]
        return computed(name.function, *(at(operand, **numbers) for operand in name.operands))

    return replaced(size, of)


def drawn(draw, depth):
    """A formula of one extent."""
    if not depth or draw.random() < 0.2:
        return draw.choice([n, n - 1, n - 3, 2 * n, -2, 0, 1, 4])
    one, other = drawn(draw, depth - 1), drawn(draw, depth - 1)
    function = draw.choice([max, min, None])
    return computed(function, one, other) if function else one + draw.choice([1, -1, 2]) * other


@pytest.mark.parametrize("seed", range(4))
def test_short_forms_are_as_large(seed):
    draw, numbers = random.Random(seed), (*range(24), 1000)
    shorter = 0
    for _ in range(50):
        size = drawn(draw, 3)
        short = simplified(size)
        assert [at(short, n=k) for k in numbers] == [at(size, n=k) for k in numbers], (size, short)
        assert len(str(short)) <= len(str(size))
        shorter += len(str(short)) < len(str(size))
    assert shorter > 10


@pytest.mark.parametrize(
    ("size", "short"),
    [
        (computed(max, 0, computed(max, 0, n - 1) - computed(min, 1, n)), "max(0, n - 2)"),
        (computed(max, n, 0), "n"),
        (computed(max, 0, n - 1000), "max(0, n - 1000)"),
        (computed(min, 24 * computed(max, 0, n - 2), 8 * n), "min(24*max(0, n - 2), 8*n)"),  # three lines
        (n - computed(min, 1, m), "n - min(1, m)"),  # two extents
        (computed(floordiv, n, 2) - n, "(n // 2) - n"),
    ],
)
def test_what_is_short(size, short):
    assert str(simplified(size)) == short


def test_numbers_that_are_no_extents_may_be_negative():
    number = symbol("k")
    assert str(simplified(computed(max, 0, number))) == "max(0, k)"


def test_names_are_put_in_everywhere():
    size = computed(ceildiv, symbol("a") - computed(min, 1, symbol("a")), 2) * symbol("b")
    size += symbol(Computed(("arith.addi", "i64"), (symbol("a"), 1)))

    def by(name):
        if isinstance(name, Computed):
            return sum(name.operands)
        return {"a": n, "b": m}[name]

    assert str(named(size, by)) == "-(-(max(0, n - 1)) // 2)*m + n + 1"

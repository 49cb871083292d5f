"""`functools.reduce` of what is known while tracing, and of what only the program knows."""

from __future__ import annotations

import functools
import operator

import numpy as np
import pytest

import weft


def program(x, n):
    by_rank = (x[(None,) * i + (...,)] for i in range(2))
    grown = [x[i] for i in range(n)]
    return (
        functools.reduce(operator.mul, by_rank),
        functools.reduce(lambda a, b: a * 2 + b, x),
        functools.reduce(lambda a, b: a * 2 + b, x[x > 1]),
        functools.reduce(lambda a, b: a * 2 + b, map(lambda v: v + 1, x)),
        functools.reduce(lambda a, b: a * 2 + b, (v for v in x if v > 1)),
        functools.reduce(lambda a, b: a * 2 + b, filter(lambda v: v > 1, x), 5),
        functools.reduce(max, grown),
        functools.reduce(operator.add, [x, x * 2, x * 3]),
    )


def test_items_are_combined_as_python_does() -> None:
    x = np.arange(1.0, 4.0)
    for found, expected in zip(weft.function(program)(x, 3), program(x, 3), strict=True):
        np.testing.assert_array_equal(found, expected)


def of_some(x):
    return functools.reduce(operator.add, x[x > 100])


def of_none(x):
    return functools.reduce(operator.add, x[:0])


@pytest.mark.parametrize("empty", [of_some, of_none])
def test_nothing_to_begin_with_is_python_s_error(empty) -> None:
    with pytest.raises(TypeError, match=r"reduce\(\) of empty iterable with no initial value"):
        weft.function(empty)(np.arange(3.0))

"""Loops over parts of arrays that outer loops choose, up to both ends and one element further, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft


def nested(x: Any, y: Any) -> None:
    for i in range(x.shape[0] - 1, -1, -1):
        for j in range(i + 1, x.shape[0]):
            for k in range(i + 1, j):
                x[i, j] = max(x[i, j], x[i, k] + x[k + 1, j])


def parts(x: Any, y: Any) -> None:
    for i in range(x.shape[0]):
        for j in range(i, x.shape[0]):
            y[j] += x[i, j] * y[j - i]


def further(x: Any, y: Any) -> None:
    """The last index of the last part is that behind the end."""
    for i in range(x.shape[0]):
        for j in range(i, x.shape[0]):
            y[j] += x[i, j] + y[j + 1]


@pytest.mark.sampled
@pytest.mark.parametrize("n", [1, 2, 17, 40])
@pytest.mark.parametrize("function", [nested, parts], ids=lambda f: f.__name__)
def test_parts(function: Any, n: int) -> None:
    generator = np.random.default_rng(n)
    x, y = generator.integers(-5, 9, (n, n)), generator.integers(-5, 9, n)
    expected, found = (x.copy(), y.copy()), (x.copy(), y.copy())
    function(*expected)
    weft.function(function)(*found)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_one_further() -> None:
    x, y = np.ones((20, 20)), np.ones(20)
    message = "index 20 is out of bounds for axis 0 with size 20"
    with pytest.raises(IndexError, match=message):
        further(x, y.copy())
    with pytest.raises(IndexError, match=message):
        weft.function(further)(x, y.copy())

"""Where Python wants numbers, text or NumPy arrays, converted code has what it will be when it runs."""

from __future__ import annotations

import math

import numpy as np
import pytest

import weft
from support.differential import check
from weft.dialect.dtypes import ALL_DTYPES

X = np.array([1.25, -2.5, 0.0])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: 1 if x.sum() > 0 else 2,
        lambda x: (not x[0], x[0] and x[1], x[2] or x[1], x[1] < x[2] < x[0]),
        lambda x: (int(x[0]), int(x[1]), int(x[0] > 1)),
        lambda x: (float(x[0]), float(x.astype("int32")[1]), float(x[:1].sum())),
        lambda x: (complex(x[0]), complex(x[0], x[1])),
        lambda x: (math.sin(x[0]), math.floor(x[1]), math.hypot(x[0], x[1]), math.sqrt(x[2])),
        lambda x: [1, 2, 3][x[0].astype(int)],
        lambda x: ("a", x, 2.5)[1][int(x[0])],
        lambda x: list(range(x[0].astype(int))),
        lambda x: f"{x[0]:.3f} {x[1]} {x!r}",
        lambda x: np.asarray(x) + np.array(x) + np.asarray([x[0], 1, 2]),
        lambda x: np.zeros(3) + x,
        lambda x: {"a": 1, **{"b": x, "c": x[0] if x[0] > 0 else x[1]}},
    ],
)
def test_values_that_python_needs(function):
    check(function, X)
    check(function, -X[::-1].copy())


def test_traced_values_are_written_into_arrays_that_numpy_makes():
    def fill(x):
        buffer = np.zeros(3)
        buffer[0] = x[1]
        large = np.zeros(3000)
        first = x[0] + large
        large[1] = x[0]
        return buffer, first + large

    check(fill, X)


class Scale:
    def __init__(self, factor):
        self.factor = factor


@pytest.mark.parametrize(
    "function",
    [
        lambda x: [str(i) for i in range(20)],
        lambda x: [x[: i % 3] for i in range(20)],
        lambda x: {i % 7 for i in range(20)},
        lambda x: {f"k{i}": x + i for i in range(20)},
        lambda x: [scale.factor * x for scale in [Scale(i) for i in range(20)]],
        lambda x: isinstance([i * 2 for i in range(20)], list),
        lambda x: next(i for i in range(10) if i % 9 == 8) * x,
        lambda x: next((i for i in (1, 2) if i > 2), 3) * x,
        lambda x: next(y for y in [x, x + 1] if y.ndim),
    ],
)
def test_comprehensions_of_any_items(function):
    check(function, X)


def test_a_long_comprehension_of_arrays_is_a_loop():
    compiled = weft.function(lambda x: np.stack([x * i for i in range(100)]))
    np.testing.assert_array_equal(compiled(X), np.stack([X * i for i in range(100)]))
    assert "scf.for" in compiled.get_concrete_function(X).as_text()


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=str)
def test_scalars_are_instances_of_what_numpy_makes(dtype):
    def kinds(x):
        scalar = x[0]
        questions = (np.ndarray, np.generic, np.inexact, np.integer, np.bool_, float, int, complex, list)
        return [(isinstance(scalar, kind), isinstance(x, kind)) for kind in questions]

    check(kinds, np.ones(2, dtype))


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [(np.nan, ValueError, "cannot convert float NaN to integer"), (np.inf, OverflowError, "float infinity")],
)
def test_int_of_what_is_no_number(value, error, message):
    with pytest.raises(error, match=message):
        weft.function(lambda x: int(x[0]))(np.array([value]))


def test_int_of_several():
    for function in (int, float):
        with pytest.raises(TypeError, match="only length-1 arrays can be converted"):
            weft.function(lambda x, function=function: function(x))(X)

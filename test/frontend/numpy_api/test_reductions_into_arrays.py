"""Reductions with `out=` of other dtypes, of nothing, and to scalars: of NumPy's types, dtypes and values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from support.call_comparison import difference, outcome
from support.interpreted import interpreted

VALUES = np.arange(6.0).reshape(2, 3) + 0.7
SMALL = np.arange(6, dtype=np.int8).reshape(2, 3) * 40
ENDS = np.array([3.0, 1.0, -np.inf])

INTO = {
    "sum": lambda a, out: np.sum(a, 1, out=out),
    "prod": lambda a, out: np.prod(a, 1, out=out),
    "mean": lambda a, out: np.mean(a, 1, out=out),
    "mean of ints": lambda a, out: np.mean(a, 1, int, out),
    "max": lambda a, out: np.max(a, 1, out=out),
    "var": lambda a, out: np.var(a, 1, out=out),
    "std": lambda a, out: np.std(a, 1, out=out),
    "median": lambda a, out: np.median(a, 1, out=out),
    "argmax": lambda a, out: np.argmax(a, 1, out=out),
}


@pytest.mark.parametrize("name", INTO)
def test_into_arrays_of_other_dtypes(name: str) -> None:
    for dtype in ("int16", "bool", "float32"):
        for values in (VALUES, SMALL):
            same(INTO[name], values, np.zeros(2, dtype))


CALLS = [
    (lambda a: (np.median(a), np.median(a, 0), np.median(a, (0, 1), keepdims=True)), VALUES),
    (lambda a: np.median(a), ENDS),
    (lambda a: np.median(a), np.array([1.0, np.nan])),
    (lambda a: np.median(a), np.array([1, 2, 4], np.float16)),
    (lambda a: np.median(a, 1), np.zeros((2, 0))),
    (lambda a: (np.quantile(a, 1), np.quantile(a, [0, 1], 0), np.quantile(a, 0.3, keepdims=True)), SMALL),
    (lambda a: (np.dot(a, -0.0), np.inner(a, -0.0)), VALUES),
    (lambda a: (np.dot(a, -0.0), np.inner(a, -0.0)), VALUES[None]),
    (lambda a: (np.meshgrid(a, a, copy=False, sparse=True), np.meshgrid(a, a, copy=False)), ENDS),
    (lambda a: (np.linalg.matrix_norm(a, ord=np.inf), np.linalg.norm(a, 1, keepdims=True)), VALUES),
    (lambda a: np.logaddexp.reduce(a), ENDS),
    (lambda a: (np.logaddexp.reduce(a, initial=2.0), np.logaddexp.reduce(a, None, where=a > 2)), VALUES),
    (lambda a: np.logaddexp.reduce(a, 1, keepdims=True), SMALL),
    (lambda a: np.logaddexp.reduce(a), np.zeros((0, 2))),
    (lambda a: np.logaddexp.reduce(a), VALUES + 0j),
    (lambda a: (np.power(a[a > 999], -3), a[a > 999] ** -3), np.arange(3)),
    (lambda a: np.power(a[a > 1], -3), np.arange(3)),
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_results_are_those_of_numpy(number: int) -> None:
    same(*CALLS[number])


def same(function: Any, *arguments: Any) -> None:
    expected, wanted = outcome(function, [a.copy() for a in arguments])
    got, error = outcome(interpreted(function), [a.copy() for a in arguments])
    assert (error is None) == (wanted is None), (error, wanted)
    if isinstance(wanted, TypeError):
        assert isinstance(error, TypeError)
    assert wanted is not None or not difference(got, expected), (got, expected)


@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("axis", [None, 1, (0, 1), (0, 2)])
def test_starting_from_a_value_where_axes_are_empty_at_run_time(name: str, axis: Any) -> None:
    def program(x: Any) -> Any:
        reduced = getattr(np, name)
        return reduced(x, axis, initial=5.0), reduced(x, axis, initial=np.nan, keepdims=True)

    compiled = weft.function(program, input_signature=[weft.TensorSpec((None,) * 3, "float64")])
    for shape in ((4, 0, 2), (0, 3, 0), (0, 0, 0), (2, 3, 4)):
        x = np.arange(np.prod(shape), dtype=float).reshape(shape)
        for got, expected in zip(compiled(x), program(x), strict=True):
            np.testing.assert_array_equal(got, expected)

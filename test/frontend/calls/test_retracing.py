"""Warnings of functions that compile at each call, and of loops that are unrolled into very large programs."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import weft

LIMIT = weft.settings.retracing_warning


def warned(function, calls):
    """The only warning that some calls give."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for call in calls:
            function(*call)
    assert [w.category for w in caught] == [weft.RetracingWarning], [str(w.message) for w in caught]
    assert caught[0].filename == __file__
    return str(caught[0].message)


def test_another_python_number_each_time():
    @weft.function
    def power(x, n):
        return x**n * np.zeros((1,) * 20).sum(axis=n).ndim

    message = warned(power, [(np.ones(2), n) for n in range(LIMIT + 3)])
    assert message.startswith(
        f"power was compiled for each of the last {LIMIT} calls: argument 'n' is another Python"
    )
    assert "(0, 1, 2, 3, ...)" in message
    assert "np.int64(n)" in message


def test_another_shape_each_time():
    @weft.function
    def total(x):
        return x.sum() + len(b"ab"[: x.shape[0]])

    message = warned(total, [(np.ones(n),) for n in range(1, LIMIT + 3)])
    assert "argument 'x' is of another type each time (f64[1], f64[2], f64[3], f64[4], ...)" in message
    assert "TensorSpec([None" in message


def test_another_structure_each_time():
    @weft.function
    def total(arrays):
        return sum(a.sum() for a in arrays)

    message = warned(total, [([np.ones(2)] * n,) for n in range(1, LIMIT + 2)])
    assert "nested differently" in message


def test_calls_in_between_that_do_not_compile():
    @weft.function
    def power(x, n):
        return x ** np.full(n + 1, n)[0]

    for n in range(2 * LIMIT):
        power(np.ones(2), n)
        power(np.ones(2), 0)


def test_it_can_be_turned_off():
    @weft.function
    def power(x, n):
        return x ** np.full(n + 1, n)[0]

    with weft.settings.scope(retracing_warning=0):
        for n in range(LIMIT + 2):
            power(np.ones(2), n)


def test_a_large_loop_is_named_that_had_to_be_unrolled():
    @weft.function
    def f(x):
        rows = [[0.0] * 12 for _ in range(20)]
        for i in range(20):
            for j in range(12):
                rows[i][j] = x * j
        return rows[3][2]

    with (
        weft.settings.scope(unrolled_ops_warning=100),
        pytest.warns(weft.UnrollingWarning, match="belongs into an array") as caught,
    ):
        assert f(np.float64(2)) == 4
    assert len(caught) == 1


def test_a_large_recursion_is_named():
    def halves(x):
        if len(x) == 1:
            return x * 2
        middle = len(x) // 2
        return np.concatenate([halves(x[:middle]), halves(x[middle:])])

    compiled = weft.function(halves)
    with (
        weft.settings.scope(unrolled_ops_warning=50),
        pytest.warns(
            weft.UnrollingWarning, match="halves calls itself, and has recorded 5. operations"
        ) as caught,
    ):
        np.testing.assert_array_equal(compiled(np.arange(32.0)), np.arange(32.0) * 2)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert caught[0].lineno == halves.__code__.co_firstlineno + 4


def test_a_large_unrolled_loop_is_named():
    @weft.function
    def f(x):
        for i in weft.unroll(range(200)):
            x = x + i
        return x

    with (
        weft.settings.scope(unrolled_ops_warning=100),
        pytest.warns(weft.UnrollingWarning, match="the loop in f is unrolled, and has recorded 1") as caught,
    ):
        assert f(np.float64(0)) == 19900
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert caught[0].lineno == f.python_function.__code__.co_firstlineno + 2

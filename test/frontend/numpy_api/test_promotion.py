"""Dtypes and shapes of results are NumPy's for random operands: arrays, NumPy scalars and Python numbers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from support.staged import run_staged

DTYPES = [
    np.dtype(name)
    for name in ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")
]
UFUNCS = [
    np.add,
    np.subtract,
    np.multiply,
    np.true_divide,
    np.floor_divide,
    np.remainder,
    np.maximum,
    np.less,
    np.equal,
    np.bitwise_and,
    np.left_shift,
    np.logical_or,
    np.hypot,
    np.arctan2,
    np.logaddexp,
]
REDUCTIONS = [
    "sum",
    "prod",
    "mean",
    "var",
    "std",
    "max",
    "min",
    "any",
    "all",
    "argmax",
    "argmin",
    "cumsum",
    "ptp",
    "median",
]


def outcome(call: Any) -> Any:
    """The result, or the builtin class of the error."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return call()
        except (TypeError, ValueError, OverflowError) as error:
            return next(base for base in type(error).__mro__ if base.__module__ == "builtins")


def assert_same(got: Any, expected: Any) -> None:
    if isinstance(expected, type) or isinstance(got, type):
        assert got is expected
        return
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    tolerance = 2e-3 if expected.dtype == np.float16 else 1e-4 if expected.dtype.itemsize <= 4 else 1e-6
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


@st.composite
def arrays(draw: st.DrawFn, shape: tuple[int, ...] | None = None) -> Any:
    extents = draw(st.lists(st.sampled_from([0, 1, 3]), max_size=3)) if shape is None else shape
    values = np.random.default_rng(draw(st.integers(0, 99))).integers(0, 7, extents)
    return np.asarray(values).astype(draw(st.sampled_from(DTYPES)))


scalars = st.one_of(
    st.booleans(),
    st.integers(-300, 300),
    st.sampled_from([0.5, 2.0, 1j]),
    st.sampled_from([np.int8(3), np.uint16(7), np.float32(0.5), np.float64(2), np.complex64(1)]),
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.sampled_from(UFUNCS), arrays(), arrays())
def test_arrays_promote_as_in_numpy(ufunc: Any, x: Any, y: Any) -> None:
    expected = outcome(lambda: ufunc(x, y))
    assert_same(outcome(lambda: run_staged(ufunc, x, y)), expected)
    assert_same(outcome(lambda: getattr(weft, ufunc.__name__)(x, y)), expected)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.sampled_from(UFUNCS), arrays(), scalars, st.booleans())
def test_scalars_promote_as_in_numpy(ufunc: Any, x: Any, scalar: Any, first: bool) -> None:
    def call(array: Any) -> Any:
        return ufunc(scalar, array) if first else ufunc(array, scalar)

    if ufunc is np.left_shift and not isinstance(scalar, bool) and isinstance(scalar, int) and not first:
        scalar = abs(scalar) % 5  # what C leaves open differs
    assert_same(outcome(lambda: run_staged(call, x)), outcome(lambda: call(x)))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.sampled_from(REDUCTIONS), arrays(), st.sampled_from([None, 0, -1, 1]))
def test_reductions_have_numpys_dtypes(name: str, x: Any, axis: Any) -> None:
    if name in ("max", "min", "argmax", "argmin", "ptp", "median") and x.size == 0:
        return
    function = getattr(np, name)
    expected = outcome(lambda: function(x, axis=axis))
    assert_same(outcome(lambda: run_staged(lambda traced: function(traced, axis=axis), x)), expected)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.sampled_from(DTYPES), st.integers(-(2**70), 2**70))
def test_comparisons_with_any_python_int(dtype: Any, number: int) -> None:
    x = np.array([0, 1, 5]).astype(dtype)
    for ufunc in (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal):
        assert_same(
            outcome(lambda u=ufunc: run_staged(lambda a: u(a, number), x)),
            outcome(lambda u=ufunc: u(x, number)),
        )


@pytest.mark.parametrize("name", ["bfloat16", "float16"])
def test_narrow_floats(name: str) -> None:
    x = np.array([1.0, 2.5, -3.0]).astype(getattr(weft, name))
    for call in (
        lambda a: a + a,
        lambda a: a * 2,
        lambda a: a * 0.5,
        lambda a: a.sum(),
        lambda a: a > 1,
        np.tanh,
        np.mean,
    ):
        expected = np.asarray(call(x))
        got = np.asarray(run_staged(call, x))
        assert got.dtype == expected.dtype
        np.testing.assert_allclose(got.astype(float), expected.astype(float), rtol=1e-2)


@pytest.mark.parametrize("exponent", [0.5, 2, -1, 0, 3, 1.5, np.float32(0.5), np.array(2.0)])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_powers_of_special_values(exponent: Any, dtype: str) -> None:
    x = np.array([-np.inf, -2.0, -0.0, 0.0, 0.7, np.inf, np.nan]).astype(dtype)
    with np.errstate(all="ignore"):
        got, expected = run_staged(lambda a: a**exponent, x), x**exponent
    np.testing.assert_allclose(got, expected, rtol=2e-7, strict=True)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(got[numbers]), np.signbit(expected[numbers]))

"""`reduceat` of ufuncs on arrays that are known when the compiled function runs."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

pytestmark = pytest.mark.filterwarnings("error")  # none of these is called by Python

UFUNCS = (np.add, np.multiply, np.maximum, np.fmin, np.logical_or, np.logical_xor)
PLACES = np.array([0, 5, 5, 30, 2, 39])
"""Also one that is the next one, and one that is above the next one: of these the element itself is taken."""


def _numbers(dtype, *shape):
    return (np.random.default_rng(0).integers(0, 3, shape) - (np.dtype(dtype).kind in "fi")).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "uint8", "bool"])
def test_ufuncs_and_dtypes(dtype):
    def f(x, i):
        return [ufunc.reduceat(x, i) for ufunc in UFUNCS]

    same(f, (_numbers(dtype, 40), PLACES), rtol=1e-5)


def test_bits_nan_and_infinities():
    def f(x, y, i):
        return np.bitwise_xor.reduceat(x, i), [u.reduceat(y, i) for u in (np.add, np.minimum, np.fmax)]

    y = _numbers("float64", 40)
    y[[3, 11, 35]] = np.nan, np.inf, -np.inf
    same(f, (_numbers("int64", 40), y, PLACES), rtol=1e-12)


def test_axes_and_views():
    def f(x, i):
        first = np.add.reduceat(x, i, axis=0)
        return first, np.maximum.reduceat(x.T[::2], i, axis=-1), np.add.reduceat(first, [0, 2], 1, np.float32)

    x = np.random.default_rng(0).random((60, 5))[::-1]
    same(f, (x, PLACES), (x, PLACES[:1]), (x, np.zeros(0, int)), rtol=1e-6, traces=None)


def test_indices_out_of_bounds():
    def f(x, i):
        return np.add.reduceat(x, i)

    for index in (7, -1, 5):
        same(f, (np.arange(5.0), np.array([0, index])))
    same(f, (np.zeros(0), np.array([0])))


def test_what_is_left_to_numpy():
    def f(x, i):
        out = np.empty((2,))
        np.add.reduceat(x, i, out=out)
        return np.add.reduceat([1.0, 2.0, 3.0], [0, 1]), out

    x, i = np.arange(5.0), np.array([0, 3])
    with pytest.warns(weft.FallbackWarning, match=r"np.add.reduceat is not compiled"):
        compiled = weft.function(f)(x, i)
    for one, other in zip(compiled, f(x, i), strict=True):
        np.testing.assert_array_equal(one, other)


def test_its_gradient():
    def f(x):
        return np.add.reduceat(x, np.array([0, 2, 2])) @ np.array([1.0, 2.0, 3.0])

    np.testing.assert_array_equal(weft.grad(f)(np.arange(5.0)), [1, 1, 5, 3, 3])


def test_rows_that_branches_of_a_loop_change():
    """Another shape of an array that a loop carries: copied in each step, this would take minutes."""

    def f(x, n):
        table = np.zeros((1, len(x)))
        row = table[0]
        for k in range(n):
            i = k % len(x)
            if x[i] > 0:
                row[i] = x[:i].sum()
            else:
                row[i] = x[i]
        return table

    x = np.random.default_rng(0).normal(size=1000)
    same(f, (x, 2500), rtol=1e-12)
    assert "memref.copy" not in weft.function(f).get_concrete_function(x, 2500).as_text("buffers")

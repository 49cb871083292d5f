"""Loops along the last axis, whose tensors are kept transposed, against NumPy: the same bits."""

from __future__ import annotations

import numpy as np
import pytest

import weft


def recurrence(x, y):
    for j in range(1, x.shape[1]):
        x[:, j] = x[:, j - 1] * 0.5 + y[:, j]


def backward(x, y):
    for j in range(x.shape[1] - 2, -1, -1):
        x[1:-1, j] -= y[1:-1, j] * x[1:-1, j + 1]


def by_row_and_column(x, y):
    """One sweep along each axis: `x` is transposed between them, and back."""
    for _ in range(3):
        for i in range(1, x.shape[0]):
            x[i] += x[i - 1] * y[i]
        x[:, 0] = 1
        for j in range(1, x.shape[1]):
            x[:, j] += x[:, j - 1] * y[:, j]


def scratch(x, y):
    """What lies between the sweeps, which no one else sees."""
    p = np.zeros(x.shape, x.dtype)
    for _ in range(2):
        p[1:-1, 0] = x[1:-1, 0]
        for j in range(1, x.shape[1]):
            p[1:-1, j] = y[1:-1, j] + p[1:-1, j - 1]
        for j in range(x.shape[1] - 2, -1, -1):
            x[1:-1, j] = p[1:-1, j] - x[1:-1, j + 1]


def between(x, y):
    """A column, a row and an element between two loops."""
    for j in range(1, x.shape[1]):
        x[:, j] -= x[:, j - 1]
    x[:, 3] = 2
    x[4, :] = x[5, :]
    x[-1, -1] = x[0, 0]
    for j in range(1, x.shape[1]):
        x[:, j] += y[:, j] + x[:, j - 1]


def negative(x, y):
    for j in range(1, x.shape[1]):
        x[:, -j] += x[:, -j - 1] * y[:, j]


def swapped(x, y):
    """Two arrays that change places."""
    a, b = x.copy(), y.copy()
    for j in range(x.shape[1]):
        a[:, j] += b[:, j]
        a, b = b, a
    x[:] = a - b


def read_whole(x, y):
    """All of the array is read in the loop."""
    for j in range(1, x.shape[1]):
        x[:, j] = x[:, j - 1] + x.max()


PROGRAMS = (recurrence, backward, by_row_and_column, scratch, between, negative, swapped, read_whole)


@pytest.mark.sampled
@pytest.mark.parametrize("shape", [(50, 61), (61, 50), (7, 5), (2, 3000)])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_equals_numpy(program, shape):
    if program is between and shape[0] < 6:
        pytest.skip("needs six rows")
    generator = np.random.default_rng(7)
    x, y = generator.standard_normal((2, *shape))
    x[0, 1], y[-1, 2], x[1, 0] = np.nan, np.inf, -0.0
    expected, found = x.copy(), x.copy()
    with np.errstate(all="ignore"):
        program(expected, y)
        weft.function(program)(found, y)
    np.testing.assert_array_equal(found, expected)


def planes(x, y, s):
    for k in range(1, x.shape[2]):
        x[:, :, k] = x[:, :, k - 1] * s + y[1:, :, k] - y[:-1, :, k - 1]
    for k in range(x.shape[2] - 2, -1, -1):
        x[:, :, k] -= x[:, :, k + 1] * s


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16, np.complex128])
def test_planes_of_three_axes(dtype):
    generator = np.random.default_rng(3)
    x = (generator.standard_normal((12, 17, 20)) * 9).astype(dtype)
    y = (generator.standard_normal((13, 17, 20)) * 9).astype(dtype)
    s = generator.integers(-1, 2, (12, 17)).astype(dtype)
    expected, found = x.copy(), x.copy()
    planes(expected, y, s)
    function = weft.function(planes)
    function(found, y, s)
    np.testing.assert_array_equal(found, expected)
    assert "weft.transpose" in function.get_concrete_function(x, y, s).as_text("optimized")


def test_arguments_that_are_not_contiguous():
    x, y = np.random.default_rng(1).standard_normal((2, 64, 80))
    expected, found = x.copy(), x.copy()
    recurrence(expected.T, y.T)
    weft.function(recurrence)(found.T, y.T)
    np.testing.assert_array_equal(found, expected)


def test_an_error_in_a_later_iteration_leaves_what_was_written_before():
    def program(x, n):
        for j in range(1, n):
            x[:, j] = x[:, j - 1] + 1

    expected, found = np.zeros((50, 60)), np.zeros((50, 60))
    with pytest.raises(IndexError):
        program(expected, 62)
    with pytest.raises(IndexError):
        weft.function(program)(found, np.int64(62))
    np.testing.assert_array_equal(found, expected)

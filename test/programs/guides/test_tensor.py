"""Introduction to tensors: what the guide shows of them, for NumPy's arrays in compiled functions."""

from __future__ import annotations

import numpy as np
import pytest

import weft

RANK_4 = np.arange(3 * 2 * 4 * 5, dtype=np.float32).reshape(3, 2, 4, 5)


def agree(function, *args):
    """What a function returns, compiled as in NumPy."""
    expected = function(*args)
    found = weft.function(function)(*args)
    expected_leaves = expected if isinstance(expected, tuple) else (expected,)
    found_leaves = found if isinstance(found, tuple) else (found,)
    for one, other in zip(found_leaves, expected_leaves, strict=True):
        np.testing.assert_array_equal(one, other)
        assert np.asarray(one).dtype == np.asarray(other).dtype
    return expected


def test_basic_math():
    a, b = np.array([[1, 2], [3, 4]], np.int32), np.ones((2, 2), np.int32)
    added, multiplied, product = agree(lambda a, b: (a + b, a * b, a @ b), a, b)
    assert added.tolist() == [[2, 3], [4, 5]]
    assert multiplied.tolist() == [[1, 2], [3, 4]]
    assert product.tolist() == [[3, 3], [7, 7]]
    c = np.array([[4.0, 5.0], [10.0, 1.0]], np.float32)

    def reductions(c):
        shifted = np.exp(c - c.max(axis=-1, keepdims=True))
        return np.max(c), np.argmax(c, axis=1), (shifted / shifted.sum(axis=-1, keepdims=True)).argmax(axis=1)

    assert agree(reductions, c)[1].tolist() == [1, 0]


def test_about_shapes():
    @weft.function
    def told(x):
        return x.dtype == np.float32, x.ndim, x.shape, x.shape[0], x.shape[-1], x.size

    assert told(RANK_4) == (True, 4, (3, 2, 4, 5), 3, 5, 120)


def test_single_axis_indexing():
    rank_1 = np.array([0, 1, 1, 2, 3, 5, 8, 13, 21, 34])

    def picked(x):
        return x[0], x[1], x[-1], x[:4], x[4:], x[2:7], x[::2], x[::-1]

    values = agree(picked, rank_1)
    assert values[6].tolist() == [0, 1, 3, 8, 21]
    assert values[7].tolist() == [34, 21, 13, 8, 5, 3, 2, 1, 1, 0]


def test_multi_axis_indexing():
    rank_2 = np.array([[1, 2], [3, 4], [5, 6]], np.float16)
    values = agree(lambda x: (x[1, 1], x[1, :], x[:, 1], x[-1, :], x[0, :], x[1:, :]), rank_2)
    assert values[2].tolist() == [2, 4, 6]
    assert agree(lambda x: x[:, :, :, 4], RANK_4).shape == (3, 2, 4)


def test_manipulating_shapes():
    x = np.arange(30, dtype=np.int32).reshape(3, 2, 5)
    flat, six, three = agree(lambda x: (np.reshape(x, [-1]), x.reshape(3 * 2, 5), x.reshape(3, -1)), x)
    assert (flat.shape, six.shape, three.shape) == ((30,), (6, 5), (3, 10))
    with pytest.raises(ValueError, match="reshape"):
        weft.function(lambda x: x.reshape(7, -1))(x)


def test_dtypes():
    the_f64 = np.array([2.2, 3.3, 4.4])
    values = agree(lambda x: (x.astype(np.float16), x.astype(np.float16).astype(np.uint8)), the_f64)
    assert values[1].tolist() == [2, 3, 4]


def test_broadcasting():
    x, y = np.array([1, 2, 3]), np.array([[1], [2], [3], [4]])
    values = agree(lambda x, y: (x * 2, x * np.array([2, 2, 2]), np.reshape(x, (3, 1)) * y.T), x, y)
    assert values[0].tolist() == [2, 4, 6]
    assert values[2].tolist() == [[1, 2, 3, 4], [2, 4, 6, 8], [3, 6, 9, 12]]
    assert agree(lambda x: np.broadcast_to(x, (3, 3)), x).tolist() == [[1, 2, 3]] * 3


def test_ragged_values_are_refused_as_numpy_refuses_them():
    with pytest.raises(ValueError, match="inhomogeneous"):
        np.array([[0, 1, 2, 3], [4, 5], [6, 7, 8], [9]])


def test_strings():
    @weft.function
    def greeting(n):
        return f"step {n}"

    assert greeting(np.int64(3)) == "step 3"

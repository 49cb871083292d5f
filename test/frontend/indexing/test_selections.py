"""`x[mask]` and what is found in arrays: as many elements as there are when the program runs."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from support.differential import check

VECTORS = [
    np.zeros(0),
    np.array([2.0]),
    np.zeros(4),
    np.ones(3),
    np.array([3.0, -1.0, 2.0, np.nan, -5.0, 7.0, np.inf]),
    np.arange(40)[::-3],
    np.arange(9, dtype=np.uint8),
    np.array([True, False, True]),
    np.arange(5) * (1 - 2j),
]
TABLES = [np.zeros((0, 3)), np.arange(12.0).reshape(4, 3) - 4, np.arange(18).reshape(3, 6)[:, ::2] % 5]


def positive(x):
    return (x != 0) if x.dtype.kind in "bc" else (x > 0)


@pytest.mark.parametrize("x", VECTORS, ids=lambda x: f"{x.dtype}-{x.size}")
class TestVectors:
    def test_reading(self, x):
        def f(x):
            y = x[positive(x)]
            return y, y[::-1], y.size, y.shape, len(y), np.concatenate([y, x, y]), y.copy(), np.sort(y.real)

        check(f, x)

    def test_reducing(self, x):
        def f(x):
            y = x[positive(x)]
            return y.sum(), y.prod(), y.any(), y.all(), np.sum(y), y.sum(axis=0), (y * y).sum(), y @ y

        check(f, x, rtol=1e-14)

    def test_walking(self, x):
        def f(x):
            total = 0
            for v in x[positive(x)]:
                total = total + v.real * 1.0
            return total, list(x[positive(x)])

        compiled = weft.function(f)
        total, items = compiled(x)
        np.testing.assert_allclose(total, f(x)[0])
        np.testing.assert_array_equal(items, f(x)[1])

    def test_updating(self, x):
        def f(x):
            x[positive(x)] = x[positive(x)][::-1]
            s = x[positive(x)]
            other = s
            s += 1 if x.dtype.kind != "b" else True
            x[positive(x)] = s
            return x, s, other

        check(f, x.copy())

    def test_what_is_found(self, x):
        def f(x):
            return (
                np.nonzero(x),
                np.flatnonzero(x),
                np.argwhere(x),
                np.where(x),
                x.nonzero(),
                x[np.nonzero(x)],
            )

        check(f, x)

    def test_what_is_different(self, x):
        def f(x):
            return np.unique(x), np.unique(x, return_index=True, return_inverse=True, return_counts=True)

        check(f, x)

    @pytest.mark.sampled(3)
    def test_what_is_different_where_no_nan_equals_another(self, x):
        def f(x):
            return tuple(np.unique_counts(x)), np.unique(x, equal_nan=False)

        check(f, x)

    def test_zeros_at_the_ends(self, x):
        def f(x):
            return np.trim_zeros(x), np.trim_zeros(x, "f"), np.trim_zeros(x, "b")

        check(f, x)

    def test_conditions(self, x):
        def f(x):
            return np.extract(positive(x), x), x.compress(positive(x)), np.compress([False], x[positive(x)])

        if positive(x).any():
            check(f, x)


@pytest.mark.parametrize("z", TABLES, ids=lambda z: f"{z.dtype}-{z.shape}")
class TestTables:
    def test_reading(self, z):
        def f(z):
            rows, columns = z[:, 0] > 0, z.sum(0) > 3
            return (
                z[z > 1],
                z[rows],
                z[rows].sum(0),
                z[rows, 1],
                z[rows][:, 1],
                z[:, columns],
                z[..., columns],
            )

        check(f, z)

    def test_beside_other_index_arrays(self, z):
        def f(z):
            rows = z[:, 0] >= 0
            return z[rows, [1]], z[rows, np.zeros(1, int)], z[np.newaxis, rows, 2]

        check(f, z)

    def test_writing(self, z):
        def f(z):
            rows = z[:, 0] > 0
            z[rows, 1] = z[rows][:, 2] + 1
            z[rows, 1:] = 5
            z[z > 3] = z[z > 3] * 2
            z[rows] = z[rows][::-1]
            return z

        check(f, z.copy())

    def test_what_is_found(self, z):
        def f(z):
            return np.nonzero(z > 1), np.argwhere(z), z[np.nonzero(z)], np.flatnonzero(z), np.where(z > 0)

        check(f, z)

    def test_what_is_different(self, z):
        def f(z):
            return np.unique(z), np.unique(z, return_inverse=True, return_counts=True)

        check(f, z)

    def test_slices_along_an_axis(self, z):
        def f(z):
            return (
                np.compress([True, False, True], z, axis=1),
                z.compress([False] * 3, axis=1),
                np.extract(z, z),
            )

        check(f, z)


def test_masks_of_several_axes():
    def f(w):
        return w[0, w[0] > 4], w[:, w[1] > 4], w[w.sum((1, 2)) > 3], w[0, :, w[1, 0] > 3], w[..., w[0, 0] > 3]

    check(f, np.arange(30).reshape(2, 5, 3) * 7 % 11)


def test_a_row_beside_elements_whose_axis_moved():
    def f(x, v):
        m = x[1, 0] > 3
        x[0, :, m] = x[0, :, m] + v
        return x, x[0, :, m] * v

    check(f, np.arange(18.0).reshape(2, 3, 3) % 7, np.array([10.0, 20.0, 30.0]))


def test_shrinking_in_a_loop():
    def f(x):
        rounds = 0
        while x.size > 1 and rounds < 50:
            x = x[x > x.mean()]
            rounds += 1
        return x, rounds

    check(f, np.sin(np.arange(100.0)))


def test_an_update_in_a_branch():
    def f(x):
        s = x[x > 0]
        if x.sum() > 0:
            s += 1
        x[x > 0] = s * 2
        return x, s

    check(f, np.array([1.0, -2.0, 3.0]))
    check(f, np.array([1.0, -2.0, -3.0]))


def test_the_mask_is_that_of_the_time_it_was_computed():
    def f(x):
        values = x[x > 2] + 1
        x[0] = 50
        x[x > 2] = values

    with pytest.raises(
        ValueError, match=r"cannot assign 2 input values to the 3 output values where the mask is true"
    ):
        weft.function(f)(np.arange(5))


def test_whole_arrays_are_used_where_that_is_all():
    def f(x):
        x[x < 0] = x[x < 0] * x[x < 0]
        return x[x > 1].sum()

    x = np.array([-3.0, 0.5, 2.0])
    text = weft.function(f).get_concrete_function(x).as_text("optimized")
    assert "weft.select" in text
    assert "weft.nonzero" not in text
    check(f, x)


@pytest.mark.parametrize(
    ("numbers", "options"),
    [
        (np.array([0, 2, 2, 5]), {}),
        (np.array([0, 2, 2, 5]), {"minlength": 9}),
        (np.array([1, 1], np.uint8), {"minlength": 1}),
        (np.array([True, False, True]), {}),
        (np.zeros(0, int), {}),
        (np.zeros(0, int), {"minlength": 3, "weights": np.zeros(0)}),
        (np.array([3, 0, 3]), {"weights": np.array([0.5, 1.5, 2.5])}),
        (np.array([3, 0, 3]), {"weights": np.array([1, 2, 3])}),
    ],
)
def test_counting(numbers, options):
    check(lambda x: np.bincount(x, **options), numbers)
    check(lambda x: np.bincount(x[x < 3], minlength=4), numbers)


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda x: np.bincount(x - 5), ValueError, "'list' argument must have no negative elements"),
        (
            lambda x: np.bincount(x, weights=np.ones(3)),
            ValueError,
            "The weights and list don't have the same length.",
        ),
        (lambda x: np.bincount(x, weights=np.ones((4, 1))), ValueError, "object too deep for desired array"),
        (lambda x: np.bincount(x, minlength=-1), ValueError, "'minlength' must not be negative"),
        (lambda x: np.bincount(x * 0.5), TypeError, "Cannot cast array data from dtype..float64"),
        (lambda x: np.bincount(x.reshape(2, 2)), ValueError, "object too deep for desired array"),
        (lambda x: np.bincount(x[0]), ValueError, "object of too small depth for desired array"),
        (lambda x: np.nonzero(x[0]), ValueError, "Calling nonzero on 0d arrays is not allowed"),
        (lambda x: np.compress(x.reshape(2, 2), x), ValueError, "condition must be a 1-d array"),
        (
            lambda x: np.compress([0, 0, 0, 0, 1], x),
            IndexError,
            "index 4 is out of bounds for axis 0 with size 4",
        ),
        (lambda x: np.trim_zeros(x, "q"), ValueError, "unexpected character"),
        (lambda x: x[x > 0] + np.ones(7), ValueError, "could not be broadcast together with shapes"),
        (
            lambda x: x[np.ones(3, bool) & (x[:3] > 0)],
            IndexError,
            "boolean index did not match indexed array",
        ),
        (
            lambda x: x[x > 9].max(),
            ValueError,
            "zero-size array to reduction operation maximum which has no identity",
        ),
    ],
)
def test_what_numpy_refuses(call, error, match):
    x = np.array([1, 0, 2, 3])
    with pytest.raises(error, match=match):
        call(x)
    with pytest.raises(error, match=match):
        weft.function(call)(x)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda x: np.unique(x, axis=0), r"unique\(axis=...\) is not supported in compiled code"),
        (lambda x: np.intersect1d(x, x, return_indices=True), "find the places with np.searchsorted"),
        (lambda x: np.trim_zeros(x.reshape(2, 2)), "it takes one axis"),
        (lambda x: np.argwhere(x[0]), "of an array without axes"),
    ],
)
def test_what_is_refused(call, match):
    with weft.settings.scope(fallback=False), pytest.raises(weft.UnsupportedError, match=match):
        weft.function(call)(np.array([1, 0, 2, 3]))


def test_values_for_another_number_of_places():
    def f(x):
        x[x > 0] = np.arange(3.0)
        return x

    check(f, np.array([1.0, 0.0, 2.0, 3.0]))
    for x in (np.ones(4), np.zeros(4), np.zeros(0)):
        with pytest.raises(
            ValueError, match=f"cannot assign 3 input values to the {np.sum(x > 0)} output values"
        ):
            f(x.copy())
        with pytest.raises(
            ValueError, match=f"cannot assign 3 input values to the {np.sum(x > 0)} output values"
        ):
            weft.function(f)(x.copy())


SETS = st.lists(st.integers(-4, 4), max_size=12)


def all_sets(a, b):
    both = np.union1d(a, b), np.intersect1d(a, b), np.setxor1d(a, b)
    return *both, np.setdiff1d(a, b), np.setdiff1d(np.unique(b), a, assume_unique=True)


@functools.cache
def compiled_sets(dtype):
    spec = weft.TensorSpec([None], dtype)
    return weft.function(all_sets, input_signature=[spec, spec])


@settings(max_examples=12, deadline=None)
@given(SETS, SETS, st.sampled_from([np.float64, np.int8]), st.booleans())
def test_sets(first, second, dtype, has_nan):
    a, b = np.array(first, dtype), np.array(second, dtype)
    if has_nan and dtype == np.float64 and a.size and b.size:
        a[0] = b[-1] = np.nan

    for got, expected in zip(compiled_sets(dtype)(a, b), all_sets(a, b), strict=True):
        np.testing.assert_array_equal(got, expected)
        assert got.dtype == expected.dtype


@weft.function(input_signature=[weft.TensorSpec([None], bool)])
def places(mask):
    return np.flatnonzero(mask)


@settings(max_examples=75, deadline=None)
@given(st.lists(st.booleans(), max_size=70))
def test_any_mask(bits):
    mask = np.array(bits, bool)
    np.testing.assert_array_equal(places(mask), np.flatnonzero(mask))


def test_all_threads_share_nothing_that_is_found():
    weft.set_num_threads(2)
    try:
        x = np.sin(np.arange(500_000.0))
        np.testing.assert_array_equal(weft.function(lambda x: x[x > 0.5] * 2)(x), x[x > 0.5] * 2)
    finally:
        weft.set_num_threads(None)

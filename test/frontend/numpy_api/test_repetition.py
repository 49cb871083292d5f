"""`repeat`, `delete` and `roll` by numbers that only the program knows."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

X = np.arange(12).reshape(3, 4)


def repeated(x, counts, columns, count):
    flat = x.reshape(-1)
    return np.repeat(flat[:4], columns), x.repeat(counts, 0), np.repeat(x, columns, -1), np.repeat(x, count)


@pytest.mark.parametrize("dtype", ["bool", "complex64"])
def test_counts(dtype):
    calls = [
        (X.astype(dtype), np.array(counts), np.array(columns, np.uint8), np.int64(count))
        for counts, columns, count in (
            ([1, 0, 2], [3, 0, 0, 9], 2),
            ([0, 0, 0], [0, 0, 0, 0], 0),
            ([5, 1, 1], [1, 1, 1, 1], 1),
        )
    ]
    same(repeated, *calls)


@pytest.mark.parametrize(
    "counts",
    [[1, -1, 2], [1, 2], [[1, 2, 3]], [1.0, 2.0, 3.0], [True, False, True], [2], [-2]],
    ids=str,
)
def test_counts_that_do_not_fit(counts):
    same(lambda x, counts: np.repeat(x, counts, 0), (X, np.array(counts)), traces=None)


def test_numbers_of_other_dtypes_as_counts():
    same(lambda x, count: np.repeat(x, count), (X, np.float64(2)), (X, np.uint64(3)), traces=None)


def test_gradient_of_counted_copies():
    @weft.function
    def gradient(x, counts):
        return weft.grad(lambda x: np.sum(np.repeat(x, counts) * weights(np.sum(counts))))(x)

    def weights(length):
        return np.arange(length) + 1.0

    found = gradient(np.ones(4), np.array([2, 0, 1, 3]))
    np.testing.assert_array_equal(found, [3.0, 0.0, 3.0, 15.0])


def deleted(x, one, some, truth):
    return np.delete(x, one), np.delete(x, some), np.delete(x, one, 0), np.delete(x, truth, axis=0)


def test_deleted_places():
    truth = np.array([True, False, True])
    calls = [
        (X, np.int64(one), np.array(some), truth)
        for one, some in ((0, [1, -1, 1]), (-3, [0, 2, 3]), (2, [5, 4, 3]))
    ]
    same(deleted, *calls)


@pytest.mark.parametrize("place", [3, -4, [0, 3], [-9], [True, False], [1.0]], ids=str)
def test_places_that_are_not_there(place):
    same(lambda x, place: np.delete(x, place, 0), (X, np.array(place)), traces=None)


def test_known_places():
    def without(x):
        return (
            *(
                np.delete(x, place)
                for place in (0, -1, 5, [], [0, 1, 11], [2, 5, 7], slice(2, 9, 2), range(12))
            ),
            *(np.delete(x, place, 1) for place in (0, -1, [1, 2], slice(None))),
        )

    same(without, (X,))


def rolled(x, shift, shifts):
    return (
        np.roll(x, shift),
        np.roll(x, shift, 0),
        np.roll(x, shifts),
        np.roll(x, shifts, -1),
        np.roll(x[:0], shift, 0),
    )


def test_shifts():
    numbers = (0, 1, -5, 2**62, -(2**63))
    same(rolled, *((X, np.int64(number), np.array([number // 2, 1])) for number in numbers))


def test_known_arrays_by_numbers_that_are_not():
    def of_known(places, count):
        return (
            weft.repeat(X, places, 0),
            weft.repeat(X, count),
            weft.delete(X, count, 1),
            weft.roll(X, count, 0),
            weft.roll(X, (count, -count), (0, 1)),
            weft.reshape(X, (count, -1)),
            *weft.array_split(X, [count], 1),
        )

    places = np.array([2, 0, 1])
    wanted = (
        np.repeat(X, places, 0),
        np.repeat(X, 2),
        np.delete(X, 2, 1),
        np.roll(X, 2, 0),
        np.roll(X, (2, -2), (0, 1)),
        np.reshape(X, (2, -1)),
        *np.array_split(X, [2], 1),
    )
    for made, expected in zip(weft.function(of_known)(places, np.int64(2)), wanted, strict=True):
        np.testing.assert_array_equal(made, expected)

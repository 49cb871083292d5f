"""Ranges, tuples, lists that grow and other sequences in the brackets of arrays: NumPy takes them for arrays."""

from __future__ import annotations

import array
import collections
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from support.differential import assert_same
from support.interpreted import interpreted

A = np.arange(24.0).reshape(4, 6)


def same(function: Callable[..., Any], *arguments: Any) -> None:
    expected = function(*[np.copy(a)[()] for a in arguments])
    assert_same(interpreted(function)(*[np.copy(a)[()] for a in arguments]), expected)


def known(a: Any) -> Any:
    pair = (np.array([0, 1]), np.array([1, 2]))
    return [
        *(
            a[range(2)],
            a[:, range(0, 6, 3)],
            a[range(0)],
            a[range(2), range(2)],
            a[[True, False] * 2, range(2)],
        ),
        *(a[0, pair], a[pair], a[[pair[0], pair[1]]], a[collections.deque([0, 1])], a[array.array("i", [3])]),
        *(
            a[0, np.nonzero(a[0] > 2)],
            a[:, np.where(a[0] > 2)],
            a[a[:, 0] > 3, (1,) * 3],
            a[((0, 1), (1, 2))],
        ),
    ]


def computed(a: Any, n: Any, i: Any) -> Any:
    return [
        *(a[range(n)], a[:, range(n)], a[range(n), range(n)], a[range(3), range(n)], a[range(n, 0, -1), ::2]),
        *(
            a[0, (i,)],
            a[(i, 2), 1],
            a[((i, 2), (0, 1))],
            a[[(i, 2), (0, 1)]],
            a[(i, 2)],
            a[a[:, 0] > 3, (i,)],
        ),
    ]


def grown(a: Any, n: Any) -> Any:
    kept = []
    for k in range(4):
        if a[k, 0] > n:
            kept.append(k)
    a[kept, :] += 1
    a[0, kept] = 7
    return a[kept], a[kept, 1:], a[:, kept]


def written(a: Any, n: Any) -> Any:
    a[range(n)] = 1
    a[range(2), range(2)] += 5
    a[:, range(1, n)] *= 2
    a[0, np.nonzero(a[1] > 2)] = -1
    a[0, (n, n)] = 9
    total = 0.0
    for k in range(n):
        total += a[range(2)].sum() + a[k, (k, 0)].sum()
    return a, total


def test_sequences_are_arrays() -> None:
    same(known, A)


def test_sequences_of_computed_numbers_and_lengths_are_arrays() -> None:
    same(computed, A, np.int64(3), np.int64(1))
    same(grown, A, np.int64(5))


def test_what_sequences_select_is_written() -> None:
    same(written, A, np.int64(3))


@pytest.mark.parametrize(
    "index", ["ab", b"ab", {1, 2}, {0: 1}, 1.5, ((1.5, 2.0), 0), range(9), (range(2), range(3))]
)
def test_what_is_no_index_is_refused_as_numpy_does(index: Any) -> None:
    with pytest.raises(IndexError) as expected:
        A[index]
    with pytest.raises(IndexError) as found:
        interpreted(lambda a: a[index])(A)
    assert str(found.value).startswith(str(expected.value).rstrip(" "))


ORDERED: list[Callable[[Any, Any], Any]] = [
    lambda a, o: (a.copy(order=o), np.copy(a, o), np.array(a, order=o), np.asarray(a, order=o)),
    lambda a, o: (a.ravel(o), np.ravel(a, order=o), a.flatten(o)),
    lambda a, o: (np.reshape(a, (8, 3), order=o), a.reshape((3, 8), order=o)),
    lambda a, o: (a.astype("f4", order=o), np.zeros_like(a, order=o), np.full_like(a, 2, order=o)),
    lambda a, o: (np.zeros((2, 3), order=o), np.full((2, 3), 1, order=o), np.ones((2, 3), order=o)),
    lambda a, o: np.unravel_index(a[0, 1].astype(int), (3, 7), order=o),
    lambda a, o: (np.ravel_multi_index((a[0, :2].astype(int), [1, 2]), (9, 9), order=o),),
]


@pytest.mark.sampled
@pytest.mark.parametrize("function", ORDERED)
@pytest.mark.parametrize("order", ["c", "f", "a", "k", b"f", None])
def test_orders_are_small_letters_too(function: Callable[[Any, Any], Any], order: Any) -> None:
    def laid(a: Any) -> Any:
        return [(x, x.flags.fnc) for x in function(a, order)]

    for a in (A, A.T):
        try:
            expected = laid(a)
        except ValueError as error:
            with pytest.raises(ValueError, match=str(error)):
                interpreted(laid)(a)
        else:
            assert_same(interpreted(laid)(a), expected)


@pytest.mark.parametrize(
    ("order", "why"), [("z", "must be one of"), ("cc", "must be one of"), (3, "must be str, not int")]
)
def test_what_is_no_order_is_refused(order: Any, why: str) -> None:
    with pytest.raises((ValueError, TypeError), match=f"order {why}"):
        interpreted(lambda a: a.copy(order=order))(A)

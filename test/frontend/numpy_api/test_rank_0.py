"""Arrays of rank 0 stay arrays, and what is computed with rank 0 is a scalar, as in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

import weft
from support.differential import assert_same, check
from support.interpreted import interpreted


def made(x: Any, s: Any) -> Any:
    known, filled, copied = np.array(5), np.zeros(()), np.full((), x[0])
    return [
        *(known, filled, copied, np.ones((), int), np.asarray(2.5), np.asarray(x[1]), np.array(x[2]), np.copy(x[0])),
        *(known + 1, known.copy(), filled.astype(int), known.T, known.reshape(()), known[()], known[...], -filled),
        *(x[0].copy(), x[0].astype(int), x.sum(), x[0], x[..., 0], np.zeros_like(s), s.copy(), s * 2, s.astype("f4")),
        *(np.squeeze(x[:1]), x[:1].reshape(()), np.atleast_1d(known), np.asarray(int(x[0])), np.full_like(s, 7)),
    ]  # fmt: skip


def test_what_is_made() -> None:
    x, s = np.array([1.5, 2.5, -3.0]), np.array(4.0)
    assert_same(interpreted(made)(x, s), made(x, s))


def carried(x: Any, n: int) -> Any:
    total, mixed = np.zeros(()), np.array(1.0)
    for i in range(n):
        total += x[i]
        mixed = mixed * x[i]
    if x[0] > 0:
        chosen, other = np.array(1.0), x[1]
    else:
        chosen, other = np.array(2.0), x[2]
    return total, mixed, chosen, other


def written(x: Any) -> Any:
    total, alias = np.array(0.0), None
    alias = total
    total += x.sum()
    total[()] = total + 1
    return total, alias, total is alias


def test_arrays_of_rank_0_are_carried_and_written() -> None:
    check(carried, np.array([1.5, 2.5, -3.0]), np.int64(3))
    check(written, np.array([1.5, 2.5]))


def test_a_specification_of_rank_0_is_an_array() -> None:
    compiled = weft.function(lambda x: (x, x + 1))
    array, scalar = compiled(np.array(2.0))
    assert isinstance(array, np.ndarray)
    assert isinstance(scalar, np.float64)
    assert isinstance(compiled(np.float64(2.0))[0], np.float64)

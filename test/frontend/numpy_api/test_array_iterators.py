"""`np.broadcast` and `np.nditer`, and the parts of an array of which only the program knows how many there are."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.call_comparison import difference
from support.interpreted import interpreted

X = np.arange(12.0).reshape(3, 4)
GLOBAL = np.arange(4.0)


def same(program: Callable[..., Any], *arguments: Any, run: Any = interpreted, **options: Any) -> None:
    theirs, ours = copy.deepcopy(arguments), copy.deepcopy(arguments)
    expected = program(*theirs)
    got = run(program, **options)(*ours)
    assert not difference((got, ours), (expected, theirs)), f"{got!r} and not {expected!r}"


def _doubled(x: Any) -> Any:
    with np.nditer(x, flags=["multi_index"], op_flags=["readwrite"]) as elements:
        for v in elements:
            v[...] = v * elements.multi_index[1]
    return x


def _filled(x: Any) -> Any:
    y = np.zeros_like(x)
    for a, b in np.nditer([x, y], op_flags=[["readonly"], ["writeonly"]]):
        b[...] = a * a
    return y


def _in_order(x: Any, order: str = "K") -> Any:
    total = 0.0
    for v in np.nditer(x, order=order):
        total = total * 2 + v
    return total


def _pairs(x: Any) -> Any:
    pairs = np.broadcast(x, x[:, :1])
    total = 0.0
    for a, b in pairs:
        total = total * 2 + a - b
    return pairs.shape, pairs.size, pairs.ndim, pairs.nd, pairs.numiter, total


ITERATORS: list[Callable[..., Any]] = [
    _doubled,
    _filled,
    _pairs,
    _in_order,
    lambda x: _in_order(x.T, "C"),
    lambda x: _in_order(GLOBAL) + x[0],
    lambda x: [a + b for a, b in np.nditer([x[:2, :2], x[0, :2]], order="C")],
    lambda x: (np.nditer(x).itersize, np.nditer([x, x]).nop),
]


@pytest.mark.parametrize("program", ITERATORS)
def test_iterators(program: Callable[..., Any]) -> None:
    same(program, X)


def test_staged() -> None:
    """As loops of the program, through the whole compiler."""
    same(_doubled, np.arange(400.0).reshape(20, 20), run=weft.function)
    same(_in_order, X, run=weft.function, input_signature=[weft.TensorSpec((None, 4))])


def _written(x: Any) -> None:
    for v in np.nditer(x):
        v[...] = 1


def _global_written(x: Any) -> None:
    for v in np.nditer(GLOBAL, op_flags=["readwrite"]):
        v[...] = x[0, 0]


REFUSED: list[tuple[Callable[..., Any], str]] = [
    (_written, "assignment destination is read-only"),
    (_global_written, "np.nditer that makes an array, or writes to one from outside"),
    (lambda x: np.nditer([x, None]), "np.nditer that makes an array"),
    (lambda x: np.nditer(x, flags=["external_loop"]), "np.nditer with 'external_loop'"),
    (lambda x: np.nditer(x, op_dtypes=["f"]), "np.nditer with 'op_dtypes'"),
    (lambda x: _in_order(x.T), 'pass order="C"'),
    (lambda x: np.nditer(x).finished, "finished of a np.nditer is not supported"),
    (lambda x: np.broadcast(x, x).index, "index of a np.broadcast is not supported"),
    (lambda x: np.broadcast(x, x[:2]), "shape mismatch"),
]


@pytest.mark.parametrize(("program", "message"), REFUSED)
def test_what_is_refused(program: Callable[..., Any], message: str) -> None:
    with (
        pytest.raises(ValueError, match=message)
        if message[:5] in ("assig", "shape")
        else pytest.raises(weft.UnsupportedError, match=message)
    ):
        interpreted(program)(X.copy())
    np.testing.assert_array_equal(GLOBAL, np.arange(4.0))


# Parts of an array


def _centred(x: Any, n: Any) -> Any:
    for part in np.array_split(x.ravel(), n):
        part -= part.mean()
    return x


def _between(x: Any, n: Any) -> Any:
    places = np.flatnonzero(x[0] < n) - 3  # of which some are negative
    parts = np.split(x, places, axis=1)
    places[:] = 0
    parts[1][...] = 7
    return x, parts, len(parts), parts[-1].sum()


def _looked_at(x: Any, n: Any) -> Any:
    parts = np.array_split(x, n, axis=1)
    sums = [i * part.sum() for i, part in enumerate(parts)]
    return parts[0], parts[-1] * 2, len(parts), sums, isinstance(parts, list), type(parts) is list


def _two(x: Any, n: Any) -> Any:
    first, second = np.array_split(x, n - n + 2)
    return first, second


PARTS: list[Callable[..., Any]] = [
    lambda x, n: np.array_split(x, n),
    lambda x, n: (np.array_split(x, n, 1), np.array_split(x.ravel(), n)),
    lambda x, n: (np.split(x, n - n + 3), np.hsplit(x, n - n + 2), np.vsplit(x, n - n + 1)),
    lambda x, n: list(map(np.sum, np.array_split(x, n))),
    lambda x, n: (np.split(x, [n, n + 2]), np.array_split(x, (n - 7, 1), axis=1), np.hsplit(x, [n])),
    lambda x, n: np.split(x.ravel(), np.flatnonzero(x.ravel() % n == 1)),
    lambda x, n: [
        len(part) for part in np.array_split(x.ravel(), np.flatnonzero(x.ravel() % n == 1).astype(np.uint8))
    ],
    _between,
    _centred,
    _looked_at,
    _two,
]


@pytest.mark.parametrize("program", PARTS)
@pytest.mark.parametrize("count", [2, 5])
def test_parts(program: Callable[..., Any], count: int) -> None:
    same(program, X, np.int64(count))


def test_parts_compiled() -> None:
    def program(x: Any, n: Any) -> Any:
        return np.array_split(x, n[0]), [part.max() for part in np.split(x, n[1])], _looked_at(x, n[1])

    same(program, X, np.array([2, 3]), run=weft.function)


WRONG_PARTS: list[tuple[Callable[..., Any], type[Exception], str]] = [
    (lambda x, n: np.array_split(x, n - n), ValueError, "number sections must be larger than 0"),
    (lambda x, n: np.split(x, n), ValueError, "array split does not result in an equal division"),
    (lambda x, n: np.array_split(x, n)[5], IndexError, "list index out of range"),
    (lambda x, n: np.hsplit(x[0, 0], n), ValueError, "hsplit only works on arrays of 1 or more"),
    (lambda x, n: np.array_split(x, n)[:1], weft.UnsupportedError, "a slice of the parts of an array"),
    (lambda x, n: np.array_split(x, n).append(x), weft.UnsupportedError, "can be walked by a loop"),
    (lambda x, n: np.concatenate(np.array_split(x, n)), weft.UnsupportedError, "can be walked by a loop"),
]


@pytest.mark.parametrize(("program", "error", "message"), WRONG_PARTS)
def test_parts_that_are_wrong(program: Callable[..., Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        interpreted(program)(X, np.int64(2))

"""Slices with bounds that are known at run time, and rows at run-time places: values, writes through views, errors."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.same_results import assert_same as same_results
from support.staged import record, run_staged, spec_of, staged

INDICES: list[Callable[[Any, Any], Any]] = [
    lambda i, j: slice(None, i),
    lambda i, j: slice(i, None),
    lambda i, j: slice(i, j),
    lambda i, j: slice(i - 1, i + 2),
    lambda i, j: slice(i, i + 3),
    lambda i, j: slice(i, j, 2),
    lambda i, j: slice(j, i, -1),
    lambda i, j: slice(None, i, -2),
    lambda i, j: slice(i, None, -3),
    lambda i, j: slice(1, i),
    lambda i, j: slice(i, -1),
    lambda i, j: (Ellipsis, slice(i, j)),
    lambda i, j: (slice(i), None, slice(j, None)),
    lambda i, j: (slice(None), slice(i, j)),
    lambda i, j: (0, slice(i, None)),
    lambda i, j: (i % 3, slice(None, j)),
    lambda i, j: (slice(None, j), -(i % 3) - 1),
    lambda i, j: (slice(i, None, 2), slice(1)),
    lambda i, j: (slice(i, None), [0, -1]),
    lambda i, j: i % 3,
    lambda i, j: (i % 3, j % 3),
    lambda i, j: (None, i % 3, Ellipsis, None),
]
"""All fit an array of 3 or 4 rows and 3 or more columns."""

BOUNDS = [-7, -3, -1, 0, 1, 2, 3, 9]


def assert_same(
    function: Callable[..., Any],
    *arrays: Any,
    dynamic: bool = False,
    run: Callable[..., Any] | None = None,
) -> None:
    """The staged function gives what it gives eagerly, writes the same, and raises the same; `run` is it, if it is."""
    copies = [array.copy() for array in arrays[:-2]]
    numbers = [np.int64(number) for number in arrays[-2:]]
    try:
        expected: Any = function(*copies, *numbers)
    except (IndexError, ValueError) as error:
        expected = error
    own = [array.copy() for array in arrays[:-2]]
    try:
        operands = [*own, *map(np.asarray, numbers)]
        got: Any = run(*operands) if run else run_staged(function, *operands, dynamic=dynamic)
    except (IndexError, ValueError) as error:
        got = error
    if isinstance(expected, Exception):
        assert isinstance(got, type(expected)), (got, expected)
        assert dynamic or str(got).strip() == str(expected).strip()
        return
    assert not isinstance(got, Exception), (got, numbers)
    np.testing.assert_array_equal(got, expected)
    assert np.shape(got) == np.shape(expected)
    for mine, numpys in zip(own, copies, strict=True):
        np.testing.assert_array_equal(mine, numpys)


@pytest.mark.sampled
@pytest.mark.parametrize("dynamic", [False, True], ids=["known", "run-time"])
@pytest.mark.parametrize("place", range(len(INDICES)))
def test_reading_is_numpys(place: int, dynamic: bool) -> None:
    def read(x: Any, i: Any, j: Any) -> Any:
        return x[INDICES[place](i, j)] * 1

    x, bound = np.arange(20.0).reshape(4, 5), np.asarray(np.int64(0))
    run = staged(read, x, bound, bound, dynamic=dynamic)
    for i in BOUNDS:
        for j in (-2, 0, 3, 8):
            assert_same(read, x, i, j, dynamic=dynamic, run=run)


@pytest.mark.sampled
@pytest.mark.parametrize("dynamic", [False, True], ids=["known", "run-time"])
@pytest.mark.parametrize("place", range(len(INDICES)))
def test_writing_is_numpys(place: int, dynamic: bool) -> None:
    def assign(x: Any, i: Any, j: Any) -> Any:
        x[INDICES[place](i, j)] = 7
        return x * 1

    def add(x: Any, i: Any, j: Any) -> Any:
        x[INDICES[place](i, j)] += 1
        return x * 1

    def through_view(x: Any, i: Any, j: Any) -> Any:
        view = x[INDICES[place](i, j)]
        if view.ndim:
            view[...] = view * 2
            view[:j] -= 1
        return x * 1

    x, bound = np.arange(20.0).reshape(4, 5), np.asarray(np.int64(0))
    for function in (assign, add, through_view):
        run = staged(function, x, bound, bound, dynamic=dynamic)
        for i in (-7, -1, 0, 2, 9):
            for j in (-2, 0, 3):
                assert_same(function, x, i, j, dynamic=dynamic, run=run)


def test_views_do_not_follow_their_bounds() -> None:
    def write(x: Any, i: Any, j: Any) -> Any:
        row, part = x[i], x[i:j, 1]
        i = i + 1
        j = j - 1
        row[2] = -1
        part[...] = [5, 6]
        row[i:] *= 10
        x[0] = row
        return x.T[j:] * 1

    assert_same(write, np.arange(20.0).reshape(4, 5), 1, 3)


def test_slices_of_arrays_that_change() -> None:
    def write(x: Any, y: Any, i: Any, j: Any) -> Any:
        x[i:j] = x[i + 1 : j + 1]
        x[:i] += y[:i]
        y[i:] = x[i:]
        x[j:], y[j:] = y[j:] * 1, x[j:] * 1
        return x[:i] @ y[:i]

    for i, j in ((0, 3), (1, 4), (2, 2), (-3, -1)):
        assert_same(write, np.arange(6.0), np.arange(6.0)[::-1].copy(), i, j)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(30))
def test_random_sequences(seed: int) -> None:
    """Views of views with run-time bounds, written in any order."""
    source = random.Random(seed)
    steps = [(source.choice("rwva"), source.randrange(len(INDICES)), source.randint(-4, 6)) for _ in range(5)]

    def program(x: Any, i: Any, j: Any) -> Any:
        total = x.sum()
        views = [x]
        for kind, place, number in steps:
            view = views[number % len(views)]
            part = view[INDICES[place](i, j + number)]
            if kind == "v" and part.ndim == 2:
                views.append(part)
            elif kind == "w":
                view[INDICES[place](i, j + number)] = number
            elif kind == "a" and part.ndim:
                part += number
            total = total + part.sum()
        return total

    for i, j in ((0, 2), (1, 1), (2, -1)):
        assert_same(program, np.arange(20.0).reshape(4, 5), i, j)


# Broadcasting and mismatches


def test_a_slice_of_one_element_broadcasts() -> None:
    for i in (0, 2, 3, -2):
        assert_same(lambda x, i, j: x[i : i + 1] - x, np.arange(20.0).reshape(4, 5), i, 0)
        assert_same(lambda x, i, j: x[:, i - 1 : i] * x, np.arange(20.0).reshape(4, 5), i + 1, 0)


def one_or_none(x: Any, i: Any, j: Any) -> Any:
    """Slices of one element, or of none where that is outside: read, stretched, joined, left out and written."""
    x[:, j : j + 1] += 1
    first, *others = x[: j + 1]
    whole = np.concatenate([x[i : i + 1], x]), np.vstack([x[:i], x[i + 1 :]])
    return x[i : i + 1], x[i : i + 1].sum(), x[:, i - 1 : i] * 2, x[:, j : j + 1] - x, whole, first, others


def test_a_slice_of_one_element_may_be_empty() -> None:
    compiled = weft.function(one_or_none)
    for i, j in ((4, 0), (-1, 1), (-6, 2), (2, 0)):
        x, y = (np.arange(20.0).reshape(4, 5) for _ in range(2))
        same_results(compiled(x, np.int64(i), np.int64(j)), one_or_none(y, i, j))
        np.testing.assert_array_equal(x, y)


USES: list[Callable[[Any, Any], Any]] = [
    lambda x, n: x[n : n + 1].squeeze(0),
    lambda x, n: np.squeeze(x[:2, n : n + 1][None], axis=(0, 2)),
    lambda x, n: x[0, n : n + 1].item(),
]


@pytest.mark.parametrize("use", USES)
def test_what_takes_one_element_looks_when_the_program_runs(use: Callable[[Any, Any], Any]) -> None:
    x, compiled = np.arange(20.0).reshape(4, 5), weft.function(use)
    same_results(compiled(x, np.int64(3)), use(x, 3))
    with pytest.raises(ValueError, match="size") as expected:
        use(x, 7)
    with pytest.raises(ValueError, match=str(expected.value)):
        compiled(x, np.int64(7))


def counted(x: Any, n: Any) -> Any:
    """Places that a loop counts, behind the array at last."""
    total = 0.0
    for i in range(n):
        total += x[i : i + 1].max()
    return total


def test_a_slice_of_one_element_that_a_loop_counts_must_not_be_empty() -> None:
    with pytest.raises(
        IndexError, match="a slice of one element at 4 is out of bounds for axis 0 with size 4"
    ):
        weft.function(counted)(np.zeros(4), np.int64(5))


MISFITS: list[Callable[[Any, Any, Any], Any]] = [
    lambda x, i, j: x[:i] + x[:j],
    lambda x, i, j: x[:i, 0] @ x[:j, 0],
    lambda x, i, j: x[:i].__setitem__(slice(None), x[:j]),
    lambda x, i, j: x.__setitem__(slice(i, j), x[:3]),
    lambda x, i, j: x[:i] + np.ones((3, 5)),
]


@pytest.mark.parametrize("function", MISFITS)
def test_sizes_that_do_not_fit_raise_as_in_numpy(function: Callable[[Any, Any, Any], Any]) -> None:
    x = np.arange(20.0).reshape(4, 5)
    with pytest.raises(ValueError, match=r"mismatch|broadcast") as expected:
        function(x.copy(), 2, 4)
    with pytest.raises(ValueError, match=r"mismatch|broadcast") as found:
        run_staged(lambda x, i, j: (function(x, i, j), x)[1] * 1, x, np.asarray(2), np.asarray(4))
    assert str(found.value).strip() == str(expected.value).strip()


def checks(function: Callable[..., Any], *arrays: Any) -> int:
    """How many run-time checks the function records."""
    trace, _, _ = record(function, [spec_of(np.asarray(array), True) for array in arrays])
    return str(trace.module).count("weft.raise_if")


def test_equal_bounds_need_no_check() -> None:
    x, i = np.zeros(5), np.asarray(2)
    assert checks(lambda x, i: x[:i] + x[:i], x, i) == 0
    assert checks(lambda x, i: x[1 : i + 1] + (x * 2)[1 : i + 1], x, i) == 0
    assert checks(lambda x, i: x[1:-1] + x[1:-1], x, i) == 0
    assert checks(lambda x, i: x[:i] + x[: i + 1], x, i) == 1
    assert checks(lambda x, i: x[:i] + x[i:], x, i) == 1
    assert checks(lambda x, i: x[:i:2] + x[:i], x, i) == 1


def test_an_index_is_checked_once() -> None:
    x, i = np.zeros((4, 5)), np.asarray(2)

    def update(x: Any, i: Any) -> Any:
        x[i] += x[i, 0]
        x[i, 1] = x[i, 2]
        return x * 1

    assert checks(update, x, i) == 4
    assert checks(lambda x, i: x[i] + x[i + 1], x, i) == 2


# Errors


@pytest.mark.parametrize("bound", [np.float64(1), np.bool_(True), np.array([1])])
def test_wrong_bounds_are_numpys_errors(bound: Any) -> None:
    with pytest.raises(TypeError) as expected:
        np.zeros(3)[:bound]
    with pytest.raises(TypeError) as found:
        run_staged(lambda x, i: x[:i], np.zeros(3), np.asarray(bound))
    assert str(found.value) == str(expected.value)


# Shapes that depend on data


SHAPED: list[Callable[[Any, Any, Any], Any]] = [
    lambda x, i, j: weft.zeros(i),
    lambda x, i, j: weft.zeros((i, 2)) + x[:i, :2],
    lambda x, i, j: weft.arange(i) + weft.arange(0, i),
    lambda x, i, j: weft.arange(j, i, 2),
    lambda x, i, j: weft.full((2, i), 2.5),
    lambda x, i, j: x.reshape(-1)[: i % 7 * 2].reshape(i % 7, 2),
    lambda x, i, j: x[0] * weft.ones((i, 5)),
    lambda x, i, j: weft.eye(i % 7),
    lambda x, i, j: x[weft.arange(i)],
    lambda x, i, j: np.split(x[: i * 2], 2)[1],
    lambda x, i, j: np.split(x[:i], 2)[0],
    lambda x, i, j: np.concatenate(np.array_split(x[:, 1], 3)),
    lambda x, i, j: np.array_split(x[: i + 1, 1], 3)[1],
    lambda x, i, j: np.array_equal(x[:i], x[:j]),
    lambda x, i, j: np.array_equal(x[:i, :j], x[:i, :j] * 1),
    lambda x, i, j: np.array_equal(x[:i, 0], [0.0, 5.0]),
    lambda x, i, j: np.sort(x[:i, 1])[::-1],
    lambda x, i, j: np.outer(x[:i, 0], x[j:, 0]),
    lambda x, i, j: x[:i].max(),
]


@pytest.mark.sampled
@pytest.mark.parametrize("function", SHAPED)
@pytest.mark.parametrize("dynamic", [False, True], ids=["known", "run-time"])
def test_shapes_may_depend_on_data(function: Callable[[Any, Any, Any], Any], dynamic: bool) -> None:
    for i, j in ((2, 3), (2, 2), (1, 0), (0, 1), (3, 1), (-1, 2)):
        assert_same(function, np.arange(20.0).reshape(4, 5), i, j, dynamic=dynamic)


@pytest.mark.parametrize("i", [0, 2, 5])
def test_such_arrays_are_returned(i: int) -> None:
    def program(x: Any, i: Any) -> Any:
        return np.zeros((i, 2)), np.arange(i), x[:i] * 2, x[i:0:-1]

    x = np.arange(5.0)
    for got, expected in zip(weft.function(program)(x, np.int64(i)), program(x, np.int64(i)), strict=True):
        np.testing.assert_array_equal(got, expected)
        assert (got.shape, got.dtype) == (expected.shape, expected.dtype)


def test_negative_extents_are_refused_as_in_numpy() -> None:
    with pytest.raises(ValueError, match="negative dimensions are not allowed"):
        weft.function(lambda i: np.zeros(i - 5))(np.int64(2))


def test_a_slice_of_a_size_that_its_array_does_not_have():
    def f(x, n):
        return (x[:n] + np.ones(7)) * 2

    for n in (3, 4, 7):
        with pytest.raises(ValueError, match=r"could not be broadcast together with shapes \([34],\) \(7,\)"):
            weft.function(f)(np.arange(4.0), np.int64(n))

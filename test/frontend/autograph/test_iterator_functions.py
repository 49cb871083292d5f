"""The functions of `itertools` on what only the program knows: how many items there are, and what they are."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.differential import assert_same
from support.interpreted import interpreted
from weft.dialect.errors import ControlFlowError

X = np.array([0.5, 2.0, -1.0, 4.0])
N = np.int64(5)


def same(function: Callable[..., Any], *arguments: Any) -> None:
    expected = function(*[np.copy(a)[()] for a in arguments])
    assert_same(interpreted(function)(*[np.copy(a)[()] for a in arguments]), expected)


def repeated(x: Any, n: Any) -> Any:
    y, total, twice = x, 0.0, 1.0
    for _ in itertools.repeat(None, n):
        y = y * 2
    for a, b in zip(itertools.repeat(2, times=n), itertools.count()):
        total += a * b
    for a, b in zip(x, itertools.repeat(3.0)):
        total += a * b
    for _ in itertools.repeat(None, 5000):
        twice = twice * 1.0001
    three = itertools.repeat(x, 3)
    return (
        y,
        total,
        twice,
        list(itertools.repeat(x[0], n)),
        sum(itertools.repeat(2, n)),
        next(three),
        list(three),
    )


@pytest.mark.parametrize("n", [5, 0, -2])
def test_repetitions(n: int) -> None:
    same(repeated, X, np.int64(n))


def endless(x: Any, n: Any) -> Any:
    total = 0.0
    for i in itertools.count(1):
        total += i
        if total > n * 10:
            break
    turns = 0
    for a in itertools.cycle([1, 2, 4]):
        turns += a
        if turns > n * 3:
            break
    for j in itertools.count(10, -2):
        if j < 3:
            break
    numbers = itertools.count(n)
    first = next(numbers)
    for y in x:
        if y > 0:
            total += next(numbers) * y
    for k, y in zip(itertools.count(start=n, step=2), x):
        total += k * y
    places = itertools.count()
    for place in places:
        if place > 5 or x[place] < 0:
            break
    return total, i, turns, j, x[:j], first, next(numbers), place, next(places)


def test_what_has_no_end_is_left() -> None:
    same(endless, X, N)


def placed(x: Any, n: Any) -> Any:
    total = 0.0
    for a, b in itertools.product(range(n), range(3)):
        total += a * b + a
    for a, b, c in itertools.product(x, repeat=3):
        total += a * b + c
    for a, b in itertools.product([1.0, 2.0], x[:n]):
        total += a - b
    for a in itertools.islice(x, n - 3):
        total += a
    for a in itertools.islice(x, 1, None, n - 3):
        total += 3 * a
    for a in itertools.islice([4.0, 5.0, 6.0], n - 4, 9):
        total += 7 * a
    for a, b in itertools.pairwise(x[: n - 1]):
        total += a * b
    for a in map(lambda a, b: a - b, x, x[::-1]):
        total += a * a
    rest = iter(x)
    return total, list(itertools.islice(rest, 2)), list(rest)


def test_items_at_places() -> None:
    same(placed, X, N)


@pytest.mark.parametrize("n", [-1])
def test_slices_have_no_negative_bounds(n: int) -> None:
    def sliced(x: Any, n: Any) -> Any:
        return sum(itertools.islice(x, n))

    with pytest.raises(ValueError, match=r"Stop argument for islice\(\) must be None or an integer"):
        interpreted(sliced)(X, np.int64(n))


def generated(x: Any, n: Any) -> Any:
    total = 0.0
    for a in itertools.chain(range(n), x, [1.5], range(2)):
        total += a * (1 + total)
        if total > 1000:
            break
    for a, b in itertools.combinations(range(n), 2):
        total += a * b
    for a, b, c in itertools.combinations(x[: n - 1], 3):
        total += a * b - c
    for a in itertools.takewhile(lambda v: v > 0, x):
        total += a
    for a in itertools.dropwhile(lambda v: v > 0, x):
        total += 2 * a
    for a in itertools.filterfalse(lambda v: v > 0, x):
        total += 5 * a
    for a in itertools.compress(x, x > 1):
        total += 9 * a
    for a in itertools.accumulate(x[:n]):
        total += a
    for a in itertools.accumulate(range(n), lambda a, b: a * b + 1, initial=3):
        total += a
    return total, list(itertools.chain(range(n), range(2)))


def test_what_pythons_documentation_writes() -> None:
    same(generated, X, N)
    same(generated, X, np.int64(3))


def known(x: Any) -> Any:
    return [
        *(
            list(itertools.chain([1], x)),
            list(itertools.accumulate(x)),
            list(itertools.combinations([1, 2, 3], 2)),
        ),
        *(list(itertools.takewhile(lambda v: v < 3, [1, 2, 3])), list(itertools.product([1, 2], repeat=2))),
        *(list(zip(itertools.count(), [x[0], x[1]])), list(itertools.islice(itertools.cycle("ab"), 3))),
        *(list(map(pow, x, itertools.repeat(2))), list(itertools.pairwise([1, 2, 3]))),
        *(list(itertools.starmap(max, [(1, 2), (4, 3)])), list(itertools.islice([1, 2, 3], 1, None))),
    ]


def test_what_python_knows_is_pythons() -> None:
    same(known, X)


def test_masks_are_not_there() -> None:
    def unmasked(x: Any) -> Any:
        return (
            *(np.ma.isMaskedArray(x), np.ma.isMA(x), np.ma.is_masked(x), np.ma.getmask(x) is np.ma.nomask),
            *(np.ma.getdata(x), np.ma.filled(x, 0), np.ma.getmaskarray(x)),
        )

    same(unmasked, X)
    with pytest.raises(NotImplementedError, match=r"np\.ma\.masked_invalid makes or takes masked arrays"):
        interpreted(lambda x: np.ma.masked_invalid(x).sum())(X)


def taken_at_once(x: Any, n: Any) -> Any:
    pairs, rows = itertools.product(x, [1, 2]), itertools.combinations(x, 2)
    grown = [v for v in x if v > 0]
    of_grown = itertools.product(grown, range(2))
    grown[0] = 50.0
    x[0] = 100.0
    return [a * b for a, b in pairs], [a - b for a, b in rows][: n - 1], [a * b for a, b in of_grown]


def taken_one_by_one(x: Any) -> Any:
    out = []
    for a, b in itertools.pairwise(x):
        x[1:3] = 9.0
        out.append(a - b)
    late = itertools.pairwise(x)
    x[-1] = 70.0
    of_generator = itertools.pairwise(v * 2 for v in x if v > 1)
    return (
        out,
        list(late),
        list(of_generator),
        list(itertools.pairwise(x[:1])),
        list(itertools.pairwise(x[:0])),
    )


def test_when_items_are_taken() -> None:
    """Products take all items at once, combinations, too; pairs look at each item once, when it is its turn."""
    same(taken_at_once, X, N)
    same(taken_one_by_one, X)


def grouped(x: Any) -> Any:
    best, sizes, tops = 0, [], []
    for key, group in itertools.groupby(x, lambda v: v > 1):
        items = list(group)
        sizes.append(len(items))
        if key:
            tops.append(sum(items))
            best = max(best, len(items))
    return (
        sizes,
        tops,
        best,
        [key for key, _ in itertools.groupby(x)],
        [next(g) for _, g in itertools.groupby(x)],
    )


@pytest.mark.parametrize("x", [[0.5, 2, 2, -1, 4], [], [3.0], [np.nan, np.nan, 1.0]], ids=str)
def test_groups_of_neighbours(x: list[float]) -> None:
    same(grouped, np.array(x))


def test_groups_of_known_items() -> None:
    def runs(x: Any) -> Any:
        counts = "".join(f"{key}{len(list(group))}" for key, group in itertools.groupby("aabccc"))
        left = [(key, list(group)) for key, group in list(itertools.groupby([1, 1, 2]))]
        nan = float("nan")
        alike = [len(list(group)) for _, group in itertools.groupby([nan, nan, float("nan")])]
        return counts, left, alike, x

    same(runs, X)


def test_a_group_that_is_kept_longer_than_the_next_is_refused() -> None:
    def kept(x: Any) -> Any:
        return [list(group) for _, group in list(itertools.groupby(x))]

    with pytest.raises(ControlFlowError, match="an item is <list_iterator object> at first"):
        weft.function(kept)(X)


def test_iterators_that_python_knows_are_taken_once() -> None:
    def joined(x: Any, numbers: list[int]) -> Any:
        pairs = zip(numbers, [0.5, 2.0, 3.0], strict=True)
        products = list(itertools.starmap(lambda a, b: a * b, pairs))
        cycled = itertools.cycle(map(abs, numbers))
        return x, products, [next(cycled) for _ in range(5)]

    same(joined, X, [3, -1, 2])


def chained(x: Any, n: Any) -> Any:
    rows = [[v, v + 1] for v in x if v > 0]
    total = 0
    for i in itertools.chain.from_iterable([range(n), range(3)]):
        total += i
    walk = itertools.chain.from_iterable([x, x + 1])
    first = next(walk)
    known = [[1, 2], [x[0]]]
    late = itertools.chain.from_iterable(known)
    known.append([x[1]])
    return (
        list(itertools.chain.from_iterable(rows)),
        sum(itertools.chain.from_iterable(rows)),
        total,
        first,
        list(walk),
        list(late),
        list(itertools.chain.from_iterable((v, v * 2) for v in x)),
        tuple(itertools.chain.from_iterable(map(lambda v: (v, -v), x))),
        list(itertools.chain.from_iterable(["ab", "c"])),
    )


def test_chains_of_iterables() -> None:
    same(chained, X, N)


def test_sets_and_dicts_of_iterators_over_values_of_the_program() -> None:
    def made(x: Any) -> Any:
        both = itertools.chain(x, x)
        pairs = [[(1, x[0])], [(2, x[1])]]
        return (
            set(both),
            list(both),
            set(map(int, x)),
            dict(itertools.chain.from_iterable(pairs)),
            set(zip(x, x, strict=True)),
        )

    same(made, X)


def test_next_of_one_of_several_iterators_is_refused() -> None:
    def taken(x: Any) -> Any:
        turns = itertools.cycle((1, 2)) if x[0] > 0 else itertools.cycle((2, 1))
        return next(turns)

    with pytest.raises(weft.UnsupportedError, match="decides which of several iterators this is"):
        weft.function(taken)(X)

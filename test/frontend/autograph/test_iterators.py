"""Iterators: what took items of one leaves the others for what comes next, also where the program decides how many."""

from __future__ import annotations

import itertools
import types
from collections.abc import Callable

import numpy as np
import pytest

from support.behaviour_harness import refused, same

X = np.arange(5.0)


def test_iterators_are_walked_once() -> None:
    def f(x):
        pairs, both, turned = enumerate(x, 1), zip(x, x), reversed(x)
        mapped, made = map(lambda v: v * 2, x), (v + 1 for v in x)
        first = [next(pairs), next(both), next(turned), next(mapped), next(made)]
        rest = [list(pairs), tuple(both), [*turned], sum(mapped), max(made)]
        again = [list(i) for i in (pairs, both, turned, mapped, made)]
        return first, rest, again, next(pairs, "end"), list(np.ndenumerate(x)), list(np.ndindex(2, 1))

    same(f, X)


def test_loops_that_are_left_leave_the_other_items() -> None:
    def f(x, limit):
        pairs, items, constants, made = enumerate(x), iter(x), iter([1, 2, 3]), (v * 2 for v in x)
        for i, v in pairs:
            if v >= limit:
                break
        else:
            i = -1
        for k in items:
            if k >= limit:
                break
        for c in constants:
            if c > limit:
                break
        for w in made:
            if w > limit:
                break
        return i, k, c, list(pairs), list(items), list(constants), list(made)

    same(f, (X, np.float64(1.0)), (X, np.float64(2.5)), (X, np.float64(9.0)))


def test_items_are_taken_where_the_program_decides() -> None:
    def f(x, n):
        items, numbers = iter(x), iter(range(n))
        total = next(items)
        while total < 3:
            total += next(items)
        if n > 2:
            total += next(numbers) + next(items, 0.0)
        for v in items:
            total += v * next(items, 10.0)
        return total, list(numbers)

    same(f, (X, np.int64(5)), (X + 2, np.int64(1)))


def test_the_end_of_items_is_an_exception() -> None:
    def f(x):
        items, seen = iter(x), 0.0
        while True:
            try:
                v = next(items)
            except StopIteration:
                break
            seen += v
        return seen

    def g(x):
        items = iter([1.0, 2.0])
        while x[0] < 9:
            x[0] += next(items)
        return x

    same(f, X)
    same(g, X)


def test_changed_containers_are_seen() -> None:
    def f(x):
        items, total = [1.0, 2.0], 0.0
        walked = iter(items)
        for v in walked:
            total += v * x[0]
            if len(items) < 5:
                items.append(v)
        return total, items

    def g(x):
        d = {1: x, 2: x}
        keys = iter(d)
        for key in keys:
            d[key + 5] = x
        return d

    same(f, X)
    same(g, X, traces=None)  # it raises while it is traced


def test_lists_may_change_in_a_loop_over_them() -> None:
    def f(x):
        items, seen = [2.0, 3.0], 0.0
        for k, v in enumerate(items):
            seen += v + k
            try:
                x[x > v] += 1
            except IndexError:
                pass
            else:
                items.clear()
        for v in items:
            seen += v
        return (
            seen,
            list(zip(items, x, strict=False)),
            [*map(len, ["ab", "c"])],
            dict(enumerate("ab")),
            [*reversed(items)],
        )

    same(f, X)


def test_one_iterator_twice_takes_items_in_turn() -> None:
    def f(x):
        items = iter([4, 5, 6])
        return list(zip(*[iter(x)] * 2, strict=False)), list(zip(items, items, strict=False))

    same(f, X)


def test_iterators_are_what_they_are_in_python() -> None:
    def f(x):
        made = (v for v in x)
        kinds = [
            isinstance(zip(x), zip),
            isinstance(made, types.GeneratorType),
            type(iter([])) is type(iter(x)),
        ]
        return (
            kinds,
            type(enumerate(x)).__name__,
            type(iter(x)).__name__,
            next(filter(lambda v: v > 2, x), None),
        )

    same(f, X)


def given_to_another(x):
    items = iter(x)
    list(enumerate(items))
    return next(items)


def left_by_a_loop(x):
    items = itertools.permutations(range(6), 1)
    for (i,) in items:
        if i > 5 or x[i] > 1:
            break
    return next(items)


def changed_in_a_branch(x):
    items, seen = [1, 2, 3], 0
    for v in items:
        seen += v
        if x[0] > 5:
            items.pop()
    return seen


def test_flat_items_and_what_filter_gave_are_taken_one_by_one() -> None:
    def f(x):
        grid = x[:4].reshape(2, 2)
        items, positive = grid.flat, filter(lambda v: v > 1, x)
        taken = [next(items), items.index, items.coords, next(items), items.coords, items[3], items.index]
        first, second = next(positive), next(positive)
        total = first * 10 + second
        for v in positive:
            total += v
        one = next(items)
        items[1] = 7
        rest = [next(items), *items]
        return taken, total, one, rest, next(x[x > 2].flat), x.flat.coords, next(enumerate(v for v in x))

    same(f, X)


def flat_items_in_a_loop(x):
    items = x.flat
    for _ in range(int(x[1])):
        next(items)
    return next(items)


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n


def own_iterator(x):
    for i in Countdown(4):
        if x[i] > 2:
            return i
    return -1


def _odd(v):
    return v % 2 == 1


@pytest.mark.parametrize("pick", [filter, itertools.filterfalse, itertools.takewhile, itertools.dropwhile])
def test_what_picks_items_by_data_is_an_iterator_like_others(pick) -> None:
    def f(x):
        kept = pick(_odd, x)
        whole = [v for v in kept], next(kept, 0.0)
        first, *others = pick(lambda v: v != 2, x)
        taken = pick(_odd, x)
        items = next(taken, 9.0), next(taken, 9.0), list(taken)
        squares = list(map(lambda v: v * v, pick(_odd, x)))
        both = list(map(lambda a, b: a + b, pick(_odd, x), pick(lambda v: v < 3, x)))
        beside = list(zip(pick(_odd, x), "abcdef", strict=False))
        return whole, first, others, items, squares, both, beside, dict(enumerate(pick(_odd, x)))

    same(f, X[1:] if pick is itertools.takewhile else X)


def test_membership_takes_the_items_up_to_the_one_that_is_found() -> None:
    def f(x):
        numbers, kept, known = iter(x), iter([v for v in x if v > 0]), iter([1, 2, 3, 4])
        found = 2 in numbers, 1 in kept, 3 in known, 30 in iter(x)
        some = 3 in (v for v in x if v > 1), 9 in map(lambda v: v + 1, x), (1, 3.0) in enumerate(kept)
        return found, some, list(numbers), list(known), 4 not in filter(_odd, x), 4 in reversed([*x])

    same(f, X)


def test_what_decides_early_leaves_the_other_items() -> None:
    def f(x):
        data, known, counted = iter(x), iter([1, 2, 3, 4, 5, 6]), itertools.count(1)
        decided = any(v > 1 for v in data), all(v < 3 for v in known), any(v > x[2] for v in counted)
        found = next(v for v in known if v > 4), next(v for v in counted if v % 5 == 0)
        return decided, found, list(data), list(known), next(counted)

    same(f, X)


def test_filters_without_end_give_their_first_items() -> None:
    def f(x):
        known = filter(lambda n: n % 3 == 0, itertools.count(1))
        decided = filter(lambda n: n > x[3], itertools.count(1))
        found = next(known), next(known), next(decided), next(decided)
        return found, list(itertools.islice(filter(_odd, itertools.count()), 3))

    same(f, X)


def test_what_picks_items_asks_for_no_more_than_are_taken() -> None:
    def f(x):
        def big(v, least=2):
            print("asked", v)
            return v >= least

        kept, whole = filter(big, x), (v for v in x if big(v, 1))
        print(next(kept), next(whole, None))
        for v in kept:
            print("body", v)
            break
        print(any(v > 1 for v in whole), list(itertools.islice(whole, 1)))
        both = list(zip(range(1), itertools.dropwhile(big, x[3:]), strict=False))
        return list(kept), list(whole), both

    same(f, X, np.arange(5.0)[::-1])


def test_what_picks_items_of_an_iterator_leaves_the_others() -> None:
    def f(x):
        data, known, kept = iter(x), iter([1, 2, 3, 4]), filter(lambda v: v != 1, iter(x))
        first = list(itertools.takewhile(lambda v: v < 2, data)), next(data, None)
        below = list(itertools.takewhile(lambda v: v < x[3], known))
        pairs = list(zip(range(2), kept, strict=False))
        return first, below, pairs, list(data), list(known), list(kept)

    same(f, X)


def test_items_are_made_of_what_variables_and_lists_are_then() -> None:
    def f(x):
        values, step, least = [*x], 0, 0
        moved, kept = (v + step for v in values), filter(lambda v: v > least, values)
        first = next(moved), next(kept)
        step, least = 100, 2
        values.append(7.0)
        return first, list(moved), list(kept)

    same(f, X)


def test_iterators_that_are_known_end_in_tries() -> None:
    def f(x):
        kept, pairs, found = filter(None, [0, 1, 2]), itertools.permutations([1, 2]), []
        while True:
            try:
                found.append((next(kept), next(pairs)))
            except StopIteration:
                break
        return found, x

    same(f, X)


def asked_beside_others(x):
    def big(v):
        print(v)
        return v > 1

    return list(zip(filter(big, x), filter(big, x), strict=True))


def left_by_zip(x):
    kept = filter(_odd, x)
    both = list(zip(kept, filter(_odd, x), strict=False))
    return both, list(kept)


def given_to_another_first(x):
    numbers = iter(x)
    doubled = (v * 2 for v in numbers)
    return next(doubled), list(numbers)


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (
            asked_beside_others,
            "items are asked for in turn with those of others .* picked or made by what prints",
        ),
        (left_by_zip, "items that filter picks are taken that were given to zip beside others"),
        (given_to_another_first, "items of this iterator are taken .*a generator expression"),
        (given_to_another, "items of this iterator are taken that was given to another one .*enumerate"),
        (left_by_a_loop, "a loop that run-time values end has taken items of this permutations"),
        (changed_in_a_branch, "a list becomes longer or shorter in a branch while a loop walks it"),
        (flat_items_in_a_loop, r"take them of an iterator, items = iter\(x.ravel\(\)\)"),
        (own_iterator, "write __iter__ as a generator function"),
    ],
)
def test_what_is_not_followed_is_refused(function: Callable[..., object], says: str) -> None:
    refused(function, X, match=says)

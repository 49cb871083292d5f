"""What Python says about lists, dicts and sets of run-time size: exceptions, classes in messages, attributes, keys."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from typing import Any

import numpy as np
import pytest

import weft
from support.behaviour_harness import refused, same

X = np.array([3, 1, 3, 2, 7])


def grown(x: Any) -> Any:
    return [v for v in x if v > 1]


def table(x: Any) -> Any:
    return {v: 1 for v in x}


DICTS = [
    lambda x: table(x) + 1,
    lambda x: -table(x),
    lambda x: table(x)(3),
    lambda x: int(table(x)),
    lambda x: hash(table(x)),
    lambda x: table(x).missing,
    lambda x: table(x).keys().part,
    lambda x: table(x).move_to_end(3),
    lambda x: table(x).update([(1, 2, 3)]),
    lambda x: [1] in table(x),
    lambda x: table(x).get({1: 2}),
    lambda x: table(x)[[3]],
    lambda x: {grown(x): 1},
    lambda x: {set(x): 1},
    lambda x: OrderedDict(table(x)).move_to_end(99),
    lambda x: defaultdict(int, table(x)).default_factory.zzz,
    lambda x: set(x)[0],
    lambda x: set(x[:0]).pop(),
    lambda x: {v: 1 for v in x[:0]}.popitem(),
    lambda x: {v for v in x if v > 100}.pop(),
]

LISTS = [
    lambda x: grown(x) + 1,
    lambda x: grown(x) + (1,),
    lambda x: (1,) + grown(x),
    lambda x: grown(x) - [1],
    lambda x: grown(x) * 1.5,
    lambda x: grown(x) < 3,
    lambda x: grown(x).length,
    lambda x: grown(x)["a"],
    lambda x: grown(x)[1.5],
    lambda x: grown(x)(),
    lambda x: grown(x).index(3, 2),
    lambda x: [(v, 1) for v in x if v > 1].index((1, 1)),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("functions", [DICTS[:7], DICTS[7:14], DICTS[14:], LISTS[:6], LISTS[6:]])
def test_errors_are_pythons(functions: list[Any]) -> None:
    for function in functions:
        same(function, X, traces=None)


def test_attributes_are_pythons() -> None:
    def f(x):
        d, items = table(x), grown(x)
        there = hasattr(d, "put"), hasattr(d, "items"), hasattr(items, "kind"), hasattr(items, "append")
        return there, getattr(d, "length", 5), getattr(items, "rearrange", None)

    same(f, X)


def test_which_of_two_lists_comes_first() -> None:
    same(lambda x: (bool(grown(x) < [3, 4]), bool(grown(x) >= [3, 4]), bool(grown(x) > [])), X)


def test_frozensets_as_keys_are_refused() -> None:
    refused(lambda x: {frozenset(x): 1}, X, match="a frozenset of any size .* is a key of a dict or set")


def test_large_ints_are_looked_for() -> None:
    def f(u, v):
        d, e = {x: 1 for x in u}, {x: 1 for x in v}
        unsigned = (
            2**63 in d,
            2**64 in d,
            -1 in d,
            -(2**63) in d,
            d.get(2**64 - 1),
            (2**63, 1) in {(x, 1) for x in u},
        )
        return unsigned, 2**63 in e, 2**70 in e, 2**70 + 1 in e, 2**2000 in e, e.get(-(2**70)), True in e

    same(f, (np.array([2**63, 1, 2**64 - 1], np.uint64), np.array([2.0**63, 2.0**70, 1, np.inf])))


def test_the_order_of_ordered_dicts_counts() -> None:
    def f(x):
        a, b, c = OrderedDict(), OrderedDict(), OrderedDict([(3, 1), (1, 1), (2, 1), (7, 1)])
        for i in range(len(x)):
            a[x[i]] = b[x[-i - 1]] = 1
        return (
            a == b,
            a != b,
            dict(a) == dict(b),
            a == dict(b),
            a == c,
            c == a,
            a != c,
            b == c,
            a.popitem(last=False),
        )

    same(f, X)


def test_what_became_a_table_is_one_for_every_operator() -> None:
    def f(x):
        s, d, c, q = set(), {}, Counter(), []
        s.add(x[0])
        d[x[0]] = 1
        c[x[0]] += 2
        c[x[1]] -= 1
        for v in x:
            if v > 2:
                q.append(v)
        sets = (
            s | {1},
            {1} | s,
            s - {1},
            s & {3},
            s ^ {4},
            [s] == [{3}],
            s in [{3}],
            [*s],
            [{1}, s].index({3}),
        )
        return (
            sets,
            d | {1: 2},
            +c,
            -c,
            [q] == [[3, 3, 7]],
            q in [[3, 3, 7]],
            [[1], q].count(q),
            (q, 1) == ([3], 1),
        )

    same(f, X, joined=True)


def test_tuples_in_lists() -> None:
    def f(x, n):
        path, q = [(0, 0)], []
        for i in range(n):
            step = (int(x[i]) % 2, i % 2)
            if step not in path:
                path.append(step)
            q.append((x[i], i))
        found = (1, 1) in q, (1, 9) in q, q.index((1, 1)), q.count((3, 0)), (1,) in q, 5 in q
        numbers = [a for a, _ in q]
        places = numbers.index(3, 1), numbers.index(1, 0, 3), numbers.index(3, -1)
        q.remove((1, 1))
        return path, found, q, q == [(3, 0), (3, 2)], q != q[:], places

    same(f, (X, np.int64(3)), joined=True)


def test_lists_beside_arrays() -> None:
    def f(x):
        q = grown(x)
        return (
            q + x[:4],
            x[:4] + q,
            q + x[0],
            q == x[:4],
            q != x[:4],
            "a" in q,
            None in q,
            q.count("a"),
            3.0 in q,
        )

    same(f, X)


def test_generators_as_arguments_of_classes() -> None:
    def f(x, n):
        def pairs():
            total = 0
            for i in range(n):
                total += x[i]
                yield total, i

        return (
            dict(pairs()),
            Counter(a for a, _ in pairs()),
            set(pairs()),
            frozenset(pairs()),
            OrderedDict(pairs()),
        )

    same(f, (X, np.int64(3)))


def test_a_path_that_raises_beside_one_that_makes_a_container() -> None:
    def f(x):
        if x[0] > 100:
            made = int("z")
        else:
            made = {v for v in x if v > 1}
        return made, list(5) if x[0] > 100 else grown(x)

    same(f, X, np.array([200, 1, 1]), traces=None)


def test_what_match_takes_apart() -> None:
    def mapping(x):
        match table(x):
            case {3: n}:
                return n
        return 0

    def sequence(x):
        match (1, grown(x)):
            case (1, [a, *_]):
                return a
        return 0

    def other(x):
        match table(x):
            case [a, _]:
                return a
            case dict():
                match (1, grown(x)):
                    case (1, items):
                        return items
        return 0

    refused(mapping, X, match="a dict whose size is known only at run time is taken apart by a case")
    refused(sequence, X, match="a list whose size is known only at run time is taken apart by a case")
    same(other, X)


def test_large_dicts_of_tuples_are_not_looked_up():
    neighbours = {i: (i + 1, i + 2) for i in range(100)}
    message = (
        r"a dict of 100 values, each a tuple, .* at most 64 such; use numbers, strings, or a row of an array"
    )
    with pytest.raises(weft.UnsupportedError, match=message):
        weft.function(lambda k: neighbours[k][0])(np.int64(3))

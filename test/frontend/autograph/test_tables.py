"""Dicts and sets with keys that only the program knows: what Python does with them."""

from __future__ import annotations

import copy
from collections import Counter, OrderedDict, defaultdict

import numpy as np
import pytest

import weft
from support.behaviour_harness import refused, same
from weft.dialect.errors import ControlFlowError

RANDOM = np.random.default_rng(1)
KEYS = [RANDOM.integers(-3, 12, 40), RANDOM.integers(-300, 1200, 40), np.array([5] * 40)]


class TestDicts:
    def test_sums_of_groups(self):
        def f(k, v):
            d = {}
            for i in range(len(k)):
                d[k[i]] = d.get(k[i], 0.0) + v[i]
            return d, len(d), list(d), list(d.values()), list(d.items())

        same(f, *((k, RANDOM.normal(size=40)) for k in KEYS))

    def test_a_large_one(self):
        def f(k):
            d = {}
            for i in range(len(k)):
                d[k[i]] = i
            return d

        same(f, RANDOM.integers(0, 900, 1500))

    def test_looking(self):
        def f(k):
            d = {}
            for x in k:
                d[x] = x * 2
            found = (
                5 in d,
                100 in d,
                100 not in d,
                d.get(100),
                d.get(5, -1),
                5.0 in d,
                2.5 in d,
                True in d,
                "a" in d,
            )
            return (
                found,
                d[5] if 5 in d else 0,
                bool(d),
                max(d, key=d.get),
                min(d),
                sum(d.values()),
                sorted(d),
            )

        same(f, *KEYS, joined=True)

    def test_keys_that_are_missing(self):
        def f(k):
            d = {}
            for x in k:
                d[x] = 1
            return d[k[0] + 5000]

        def deleted(k):
            d = {}
            for x in k:
                d[x] = 1
            del d[k[0]]
            d.pop(k[0])

        same(f, KEYS[0])
        same(deleted, KEYS[0])

    def test_taking_out(self):
        def f(k):
            d, t = {}, 0
            for i in range(len(k)):
                x = k[i]
                if x in d:
                    del d[x]
                else:
                    d[x] = i
                t += d.pop(x + 1, -1)
                d[x + 2] = i
            return t, d, len(d), list(d)

        same(f, *KEYS)

    def test_windows(self):
        def f(k, w):
            counts, best = {}, 0
            for i in range(len(k)):
                counts[k[i]] = counts.get(k[i], 0) + 1
                if i >= w:
                    old = k[i - w]
                    counts[old] -= 1
                    if counts[old] == 0:
                        del counts[old]
                best = max(best, len(counts))
            return best, counts

        same(f, *((k, np.int64(5)) for k in KEYS))

    def test_setdefault_update_and_union(self):
        def f(k):
            a, b = {}, {3: 4}
            for i, x in enumerate(k):
                a.setdefault(x, i)
                if x > 5:
                    b[x] = i
            a.update(b)
            c = a | {7: 8}
            return a, b, c, a == b, b == {**b}, {k[0]: 1, **b}

        same(f, *KEYS, joined=True)

    def test_computed_values_under_known_keys(self):
        def f(x):
            d = {"count": 1, "large": 2**53 + 1}
            missing, taken = d.get("x", x), d.pop("y", x)
            first, second = d.setdefault("z", x), d.setdefault("count", x)
            d.update([("pair", x)])
            made = dict((k, v) for k, v in [("a", x), ("b", 2**53 + 1)])
            return d, missing, taken, first, second, made

        same(f, np.float32(1.5), np.int64(1), traces=2)

    def test_changes_while_it_is_walked(self):
        def added(k):
            d = {}
            for x in k:
                d[x] = 1
            for x in d:
                d[x + 10000] = 2
            return d

        def taken(k):
            d = {}
            for x in k:
                d[x] = 1
            for x in d:
                if x > 3:
                    del d[x]
                    break
            for x in d:
                d[x] += 1
            return d

        same(added, KEYS[0])
        same(taken, *KEYS)

    def test_tuples_and_floats(self):
        def f(k, v):
            pairs, floats = {}, {}
            for i in range(len(k) - 1):
                pairs[k[i], k[i + 1]] = pairs.get((k[i], k[i + 1]), 0) + 1
                floats[v[i]] = floats.get(v[i], 0) + 1
            return pairs, floats, (k[0], k[1]) in pairs, (k[0],) in pairs, sorted(pairs), floats.get(0)

        same(f, *((k, np.round(RANDOM.normal(size=40))) for k in KEYS))

    def test_other_types_of_numbers(self):
        def f(k):
            d = {}
            for x in k:
                d[x] = d.get(x, 0) + 1
            return d

        for dtype in ("bool", "int8", "uint8", "int32", "uint64", "float32", "float16"):
            same(f, (KEYS[0] % 5).astype(dtype))

    def test_as_an_argument_and_an_attribute(self):
        class Box:
            pass

        def f(d, k):
            box = Box()
            box.seen = set()
            for x in k:
                d[x] = d.get(x, 0) + 1
                box.seen.add(x % 3)
            return len(d), sorted(box.seen)

        same(f, ({1: 2, 5: 6}, KEYS[0]), joined=True)

    def test_paths(self):
        def f(k):
            if k[0] > 3:
                d = {1: k[0]}
            else:
                d = {}
            d[k[1]] = k[2]
            e = d if k[3] > 4 else {}
            return d, len(e)

        same(f, *KEYS, joined=True)

    def test_memo(self):
        def f(n, m):
            memo = {}
            for i in range(n):
                for j in range(m):
                    if i == 0 or j == 0:
                        memo[i, j] = 1
                    else:
                        memo[i, j] = memo[i - 1, j] + memo[i, j - 1]
            return memo[n - 1, m - 1], len(memo)

        same(f, (np.int64(9), np.int64(12)))

    def test_many_known_keys(self):
        def f(k):
            d = {i: 0.0 for i in range(200)}
            d[k] += 1.0
            return d[k], d

        same(f, np.int64(3))

    def test_many_known_keys_that_stay(self):
        squares, halves = {i: i * i for i in range(50)}, {i / 2: i for i in range(-20, 20)}

        def f(k):
            total = 0
            for x in k:
                total += squares.get(x, -1) + halves.get(x, -2) + (x in halves) + halves.get(x + 0.25, -3)
                if x * 0.5 in halves:
                    total += halves[x * 0.5] * squares[abs(x)]
            return total

        def missing(k):
            return squares[k[0] + 1000]

        same(f, *KEYS[::2])
        same(missing, KEYS[0])

    def test_text(self):
        def f(k):
            d = {}
            for x in k[:3]:
                d[x] = 1
            print(d, {v: 2 for v in d})
            return f"{d}"

        same(f, KEYS[0])


class TestWalking:
    def test_in_order(self):
        def f(k):
            d, t = {}, 0
            for x in k:
                d[x] = d.get(x, 0) + 1
            for i, x in enumerate(d):
                t += i * x
            for x, v in zip(d.keys(), d.values()):
                t += x * v
            for x in reversed(d):
                t = t * 2 % 1000 + x
            for x in list(d):
                if d[x] < 3:
                    del d[x]
            return t, d, next(iter(d)), list(d)[-1], d.popitem()

        same(f, *KEYS)

    def test_sorted(self):
        def f(k):
            d = {}
            for x in k:
                d[x] = d.get(x, 0) + 1
            return (
                sorted(d, key=d.get, reverse=True),
                sorted(d.items(), key=lambda pair: (-pair[1], pair[0])),
                max(d.items(), key=lambda pair: pair[1])[0],
                sorted(d.values()),
                np.array(list(d.values())),
                sum(d[x] for x in d),
            )

        same(f, *KEYS)

    def test_views(self):
        def f(a, b):
            d, e = dict.fromkeys(a, 1), dict.fromkeys(b, 2)
            keys = d.keys()
            found = (
                sorted(keys & e.keys()),
                sorted(keys - e.keys()),
                5 in keys,
                2 in e.values(),
                (5, 1) in d.items(),
            )
            d[1000] = 3
            return (
                found,
                len(keys),
                len(d.items()),
                isinstance(d, dict),
                type(d) is dict,
                isinstance(set(a), set),
            )

        same(f, *((k, KEYS[0][:10]) for k in KEYS))


class TestRefused:
    def test_sets_in_a_list_that_grows(self):
        def f(n):
            rows = []
            for i in range(n):
                rows.append(set())
                rows[-1].add(i)
            return rows

        refused(f, np.int64(5), match="a set of pairs .* instead of a list of sets")

    def test_nan(self):
        def f(x):
            d = {}
            for v in x:
                d[v] = 1
            return d

        with pytest.raises(
            ValueError, match="a nan is a key of a dict or set: Python tells such keys apart by"
        ):
            weft.function(f)(np.array([1.0, np.nan]))

    def test_keys_of_two_types(self):
        def f(x):
            d = {}
            for v in x:
                d[v] = 1
                d[int(v)] = 2
            return d

        refused(f, np.array([1.0, 2.0]), match="has keys that are floats and keys that are integers")

    def test_keys_of_other_structures(self):
        def f(x):
            d = {}
            for v in x:
                d[v] = 1
                d[v, v] = 2
            return d

        refused(f, np.array([1, 2]), error=ControlFlowError, match="the keys of a dict or set .* differ")

    def test_what_is_no_key(self):
        def complex_numbers(x):
            return {x[0] + 1j: 1}

        def lists(x):
            d = {}
            d[[x[0]]] = 1

        refused(complex_numbers, np.ones(2), match="a number of dtype complex128 is a key of a dict or set")
        same(lists, np.ones(2), traces=None)
        same(lambda x: {x: 1}, np.ones(2), traces=None)

    def test_what_is_not_there(self):
        refused(
            lambda k: list(Counter(k).elements()),
            KEYS[0],
            match=r"elements\(\) is not supported for a Counter",
        )

        def to_the_front(k):
            d = OrderedDict(zip(k, k))
            d.move_to_end(k[0], last=False)

        refused(to_the_front, KEYS[0], match=r"move_to_end\(last=False\) is not supported for a OrderedDict")


class TestCopies:
    def test_copies(self):
        def f(k):
            d, s, lists = {x: 1 for x in k}, set(k), defaultdict(list)
            for x in k:
                lists[x].append(1)
            a, b, c = copy.copy(d), copy.deepcopy(d), copy.copy(s)
            a[1000], b[2000] = 1, 2
            c.add(3000)
            shallow, deep = copy.copy(lists), copy.deepcopy(lists)
            shallow[k[0]].append(2)
            deep[k[0]].append(3)
            deep[k[1]].clear()
            return a, b, c, d, s, lists, shallow, deep

        same(f, *KEYS)


class TestKeysThatMayBeNone:
    def test_looking(self):
        def f(k):
            best = name = None
            for x in k:
                if x > 8:
                    best, name = int(x), "a"
            d, pairs = {x: x + 1 for x in k}, {(x, 1): x for x in k}
            names = {("a" if x > 3 else "b"): x for x in k}
            found = (
                best in d,
                d.get(best),
                d.get(best, -1),
                (best, 1) in pairs,
                pairs.get((best, 1)),
                d.pop(best, -2),
            )
            return found, {3: 1, 7: 5}.get(best, 0), best in {3: 1}, names.get(name), len(d)

        same(f, *KEYS, joined=True)

    def test_missing(self):
        def f(k):
            best = None
            for x in k:
                if x > 5000:
                    best = x
            return {x: 1 for x in k}[best]

        same(f, KEYS[0])

    def test_putting(self):
        def f(k):
            best = None
            for x in k:
                if x > 8:
                    best = int(x)
            return {best: 1}

        refused(f, KEYS[0], match=r"a value that is None or a Python int is a key .*; test it before")


@pytest.mark.filterwarnings("ignore:a text")  # that Python makes them in each iteration
def test_texts_as_keys():
    def put(k):
        return {f"{x}": 1 for x in k}

    def added(k):
        s = set()
        s.add((f"{k[0]}", 1))
        return s

    def found(k):
        return {"1": 1}.get(str(k[0]))

    def both(k):
        d = {"1": 1, (0, 1): 2}
        d[f"{k[0]}"] = 5
        return d

    for f in (put, added, found):
        same(f, KEYS[0])
    with pytest.raises(
        ControlFlowError, match="the keys of a dict or set that only the program knows differ"
    ):
        weft.function(both)(KEYS[0])


class Named:
    def __init__(self, number):
        self.number = number


def test_a_dict_that_gets_or_loses_constant_keys_on_one_path_is_a_table():
    def f(x, given):
        d, counts, groups = {}, Counter(), defaultdict(list)
        for v in x:
            if v > 0:
                d["last"] = v
                counts["positive"] += 1
                groups["positive"].append(v)
            elif v < -5:
                groups["low"].append(v)
        if x.sum() > 0:
            given["sum"] = x.sum()
            given.pop("n", None)
        elif x.sum() < -7:
            given.clear()
        return d, counts, dict(groups), len(given), "n" in given, d.get("last", 0.0), sorted(d)

    given = {"n": np.float64(1), "m": np.float64(2)}
    same(f, (np.array([1.0, -2.0, 3.0]), given), (np.array([-1.0, -7.0, 0.0]), given), traces=None)


def test_a_key_of_a_global_dict_on_one_path():
    known = {"a": np.float64(1.0)}

    def f(x):
        if x > 0:
            known["new"] = x
        return len(known)

    compiled = weft.function(f)
    assert [compiled(np.float64(v)) for v in (-1.0, 2.0, -3.0)] == [1, 2, 2]
    assert known == {"a": 1.0, "new": 2.0}


def test_objects_that_a_dict_had_before_it_had_computed_keys():
    def f(n):
        one, other = Named(1), Named(2)
        d, pairs = {1: one}, {1: (one, 2)}
        d[n] = other
        pairs[n] = (other, 3)
        one.number = n
        d[n].number += 1
        return d[1].number, pairs[1][0].number, other.number, len(d)

    same(f, np.int64(3))


def test_tuples_with_lists_as_values_are_refused():
    def f(n):
        d = {1: (1, [2])}
        d[n] = (2, [])
        return d

    refused(f, np.int64(3), match="cannot hold another one")

"""Sets, and dicts of other classes, with keys that only the program knows."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict

import numpy as np

from support.behaviour_harness import refused, same

RANDOM = np.random.default_rng(1)
KEYS = [RANDOM.integers(-3, 12, 40), RANDOM.integers(-300, 1200, 40), np.array([5] * 40)]


class TestOtherDicts:
    def test_default(self):
        def f(k, v):
            ints, floats, other = defaultdict(int), defaultdict(float), defaultdict(lambda: 10)
            for i in range(len(k)):
                ints[k[i]] += 1
                floats[k[i]] += v[i]
                other[k[i]] -= 1
            return ints, dict(floats), other, ints[99], len(ints)

        same(f, *((k, RANDOM.normal(size=40)) for k in KEYS))

    def test_counter(self):
        def f(k):
            c = Counter()
            for x in k:
                c[x] += 1
            d = Counter(k)
            return (
                c,
                c.most_common(3),
                c.most_common(),
                c[99],
                d == c,
                c.total(),
                c - Counter(k[::2]),
                c + d,
                c & d,
            )

        same(f, *KEYS)

    def test_the_least_recently_used(self):
        def f(k):
            cache, hits = OrderedDict(), 0
            for x in k:
                if x in cache:
                    hits += 1
                    cache.move_to_end(x)
                else:
                    if len(cache) >= 4:
                        cache.popitem(last=False)
                    cache[x] = 1
            return hits, list(cache), cache.popitem()

        same(f, *KEYS)

    def test_made_of_items(self):
        def f(k):
            made = dict(zip(k, range(len(k)))), {x: x * x for x in k}, OrderedDict((x, 1) for x in k)
            return made, dict.fromkeys(k, 0), dict.fromkeys(k.tolist())

        same(f, *KEYS)


class TestSets:
    def test_first_seen(self):
        def f(k):
            seen, out = set(), []
            for x in k:
                if x not in seen:
                    seen.add(x)
                    out.append(x)
            return out, len(seen), seen

        same(f, *KEYS)

    def test_algebra(self):
        def f(a, b):
            s, t = set(a), set(b)
            made = sorted(s | t), sorted(s & t), sorted(s - t), sorted(s ^ t), sorted({1, 2, 3} & s)
            compared = s <= t, s < t, s == t, s != t, s >= t, s.isdisjoint(t), s.issubset(s | t)
            s -= t
            t |= {100}
            return made, compared, s, t, len(s.union(t)), frozenset(a), {x % 5 for x in a}

        same(f, *((k, KEYS[0][::2] + 5) for k in KEYS), joined=True)

    def test_taking_out(self):
        def f(k):
            s = set(k)
            s.discard(5)
            s.discard(99)
            n = len(s)
            while len(s) > 2:
                s.pop()
            s.remove(99)
            return n

        same(f, *KEYS)

    def test_rebound_in_a_loop(self):
        def f(n):
            now = {(0, 0)}
            for _ in range(n):
                following = set()
                for x, y in now:
                    following.add((x + 1, y))
                    following.add((x, y + 1))
                now = following
            return len(now), sorted(now)

        same(f, np.int64(4), joined=True)

    def test_one_of_two_that_is_changed(self):
        def f(x):
            a, b = {1}, {2}
            c = a if x > 0 else b
            c.add(3)
            return a, b

        refused(f, np.float64(1), match="a set that has other names too or another one", place=False)

    def test_a_search_on_a_grid(self):
        def f(grid):
            n, m = grid.shape
            seen, queue, head = {(0, 0)}, [(0, 0, 0)], 0
            while head < len(queue):
                x, y, d = queue[head]
                head += 1
                for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                    a, b = x + dx, y + dy
                    if 0 <= a < n and 0 <= b < m and grid[a, b] == 0 and (a, b) not in seen:
                        seen.add((a, b))
                        queue.append((a, b, d + 1))
            return len(seen), queue[-1][2]

        same(f, RANDOM.integers(0, 2, (7, 8)))

    def test_changes_while_it_is_walked(self):
        def f(k):
            s = set(k)
            for x in s:
                s.add(x + 1000)

        same(f, KEYS[0])

    def test_what_is_no_set_for_an_operator(self):
        def joined(k):
            return set(k) | [4]

        def changed(k):
            s = set(k)
            s |= [4]

        def smaller(k):
            return {x: 1 for x in k} < {x: 2 for x in k}

        def added(k):
            return Counter(k) + {1: 2}

        def to_a_frozenset(k):
            frozenset(k).add(3)

        for f in (joined, changed, smaller, added, to_a_frozenset):
            same(f, KEYS[0])

    def test_which_set_is_changed(self):
        def f(k):
            a, b, c, d, e = {1, 99}, {1, 99}, {1, 99}, frozenset(k), {5: 1, 98: 3}
            others = a, b, c, d, e
            a |= set(k)
            b &= set(k)
            c -= {x: 1 for x in k}.keys()  # makes another one
            d |= {50}
            e |= {x: 2 for x in k}
            return a, b, c, d, e, others

        same(f, *KEYS, joined=True)

    def test_members_that_are_tuples_or_may_be_none(self):
        def f(k):
            known, frozen, names = {(3, 1), (5, 5)}, frozenset({(3, 1), (5, 5)}), frozenset({"a", "b", None})
            best = name = None
            for x in k:
                if x > 5:
                    best, name = int(x), "a"
            missing = (k[0], 1) in frozen, (k[0],) in frozen, k[0] in frozen, (best, 5) in frozen
            made = set(k)
            made.discard(best)
            return (
                missing,
                (k[1], k[2]) in known,
                best in {5, 7},
                best in {None},
                name in names,
                len(made),
                best in made,
            )

        same(f, *KEYS)

    def test_sets_of_no_kind(self):
        def f(k):
            none, other = set(k[:0]), set()
            other |= {x for x in k if x > 5000}
            return (
                len(none),
                len(other),
                len(set(k) - set(k)),
                none,
                other,
                len({x: 1 for x in k[:0]}),
                none <= set(k),
            )

        same(f, *KEYS)

    def test_known_sets(self):
        def f(k):
            s, t = set(k), {(x, 1) for x in k}
            return (
                s.issuperset({5, 7}), s.issuperset([]), s.issuperset({5: 1}), s.isdisjoint({1000}),
                t <= {(5, 1), (6, 1)}, t & {(5, 1), (9, 9)}, t - {(5, 1)}, s - {5: 1}.keys(), {5: 1, 99: 1}.keys() - s,
                s <= {5: 1}.keys(), {5: 1}.keys() <= s,
            )  # fmt: skip

        same(f, *KEYS)

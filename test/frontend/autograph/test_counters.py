"""Counters and defaultdicts with keys that only the program knows: operators, and what makes the values of keys."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from support.behaviour_harness import refused, same

RANDOM = np.random.default_rng(1)
KEYS = [RANDOM.integers(-3, 12, 40), np.array([5] * 40)]


class TestCounters:
    def test_with_known_ones(self):
        def f(k):
            c, known = Counter(k), Counter({5: 3, 99: 1, 7: 0})
            made = known + c, known - c, known & c, known | c, c + known, c - known, c & known, c | known
            return *made, +c, -(c - known), -Counter({5: -2, 6: 1})

        same(f, *KEYS, joined=True)

    def test_in_place(self):
        def f(k):
            a, b, c, d, e = (Counter(k) for _ in range(5))
            known = Counter({5: 3, 99: 1})
            same_one, was_known = a, known
            a += known
            b -= known
            c &= known
            d |= known
            e += {5: 2}
            known += Counter(k)
            return a, a is same_one, b, c, d, e, known, was_known

        same(f, *KEYS, joined=True)

    def test_compared(self):
        def f(k):
            c, d, known = Counter(k), Counter(k[1:]), Counter({5: 3, 99: 1, 7: 0})
            counts = c <= known, c >= known, c < known, c > known, known <= c, known >= c
            return (
                counts,
                d <= c,
                d < c,
                c > d,
                c >= d,
                c == d,
                c != d,
                c <= c,
                c < c,
                c == Counter({5: 40, 3: 0}),
            )

        same(f, *KEYS)

    def test_most_common_of_none_and_fewer(self):
        def f(k, n):
            c = Counter(k)
            return (
                c.most_common(0),
                c.most_common(-1),
                c.most_common(n),
                c.most_common(n - 9),
                c.most_common(500),
            )

        same(f, *((k, np.int64(2)) for k in KEYS))

    def test_what_a_change_reads(self):
        def f(k):
            c, d, e = Counter(), defaultdict(int), {5: 0}
            for x in k:
                c[x] += len(c) + 1
                d[x] += d[x - 1] + len(d)
                e[x] = e.get(x, 0) + len(e)
            return c, d, e

        same(f, *KEYS, joined=True)


class TestDefaults:
    def test_a_factory_that_counts(self):
        def f(k):
            made = []

            def make():
                made.append(len(made))
                return len(made)

            d, total = defaultdict(make), 0
            for x in k:
                total += d[x]
                d[x + 1] += 1
            return d.default_factory is make, dict(d), total, made

        same(f, *KEYS)

    def test_a_factory_that_is_set(self):
        def f(k):
            d = defaultdict(int)
            for x in k:
                d[x] += 1
            d.default_factory = None

        refused(f, KEYS[0], match="setting default_factory is not supported for a defaultdict")

    def test_other_attributes(self):
        def f(k):
            d = {x: 1 for x in k}
            d.name = "d"

        def method(k):
            d = [x for x in k if x > 1]
            d.append = None

        def counter(k):
            c = Counter(k)
            c.name = "c"

        same(f, KEYS[0])
        same(method, KEYS[0])
        refused(
            counter,
            KEYS[0],
            match="the attribute 'name' of a Counter is set whose size the program decides on",
        )

    def test_most_common_of_known_keys(self):
        def f(n, k):
            words = Counter("the dog a the dog dog".split())
            known = words.most_common(int(k)), words.most_common(k - 9)
            words["a"] += int(n[0])
            words["dog"] -= n[1]
            return known, words.most_common(2), words.most_common(), words.most_common(k)

        same(f, (np.array([1, 2]), np.int64(1)), (np.array([5, 0]), np.int64(7)))

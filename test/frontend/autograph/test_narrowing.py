"""Values that may be None: what a test for None says about them in the branches behind it."""

from __future__ import annotations

import numpy as np

from support.behaviour_harness import same


def test_stretches_above_a_threshold():
    def stretches(signal, threshold):
        found, start = [], None
        for i, value in enumerate(signal):
            if value > threshold and start is None:
                start = i
            elif value <= threshold and start is not None:
                found.append((start, i))
                start = None
        return found

    wave = np.sin(np.linspace(0, 60, 500))
    same(stretches, *[(wave, np.float64(t)) for t in (0.5, -2.0, 2.0)])


def test_the_other_side_of_is_none():
    def f(x, n):
        best = None
        for i in range(n):
            if best is None:
                best = x[i]
            else:
                best = best if best > x[i] else x[i]
        return best if best is not None else -1.0

    same(f, *[(np.array([1.0, 3.0, 2.0]), np.int64(n)) for n in (0, 1, 3)], joined=True)


def test_not_and_or():
    def f(x, n):
        last = None
        hits = 0
        for i in range(n):
            if not (last is None) and last + 1 == x[i]:
                hits += 1
            if last is None or last < x[i]:
                last = x[i]
        return hits, last

    same(f, *[(np.array([1, 2, 2, 3, 9, 10]), np.int64(n)) for n in (1, 6)])


def test_items_that_are_none():
    def f(x):
        out = []
        for value in x:
            out.append(value if value > 0 else None)
        return out

    same(f, np.array([1.0, -1.0] * 12))

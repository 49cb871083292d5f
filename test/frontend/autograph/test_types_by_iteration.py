"""Numbers have the type behind a loop that as many iterations leave, each of what the one before left."""

from __future__ import annotations

import numpy as np

from support.behaviour_harness import same


class TestTypesByIteration:
    def test_extended_euclid(self):
        def euclid(a, b):
            x, y = 1, 0
            while b:
                quotient = a // b
                a, b = b, a - quotient * b
                x, y = y, x - quotient * y
            return {"gcd": a, "factor": x, "next": y, "text": f"{x} {y}"}

        floats = [(np.float64(17), np.float64(b)) for b in (0, 5, 17, 34)]
        ints = [(np.int64(17), np.int64(b)) for b in (0, 5, 17, 34)]
        same(euclid, *floats, *ints, traces=None)

    def test_left_by_break(self):
        def euclid(a, b):
            x, y = 1, 0
            while True:
                if b == 0:
                    break
                a, b, x, y = b, a % b, y, x - a // b * y
            return a, x, y

        same(euclid, *((np.float64(17), np.float64(b)) for b in (0, 5, 17, 34)), traces=None)

    def test_counted(self):
        def handed_on(x, n):
            a, b, c = 0, 0, 0
            for i in range(n):
                a, b, c = b, c, x + i
            return a, [b, c]

        same(handed_on, *((np.float64(2.5), np.int64(n)) for n in range(5)), traces=None)

    def test_at_least_one_iteration(self):
        def handed_on(x, n):
            a, b = 0, 0
            for i in range(n * n + 1):
                a, b = b, x + i
            for _ in range(40):
                n = n + 1
            return a, b, n

        same(handed_on, *((np.float64(2.5), np.int64(n)) for n in range(3)), traces=None)

    def test_types_that_come_again(self):
        def swapped(x, n):
            a, b = 1, x
            for _ in range(n):
                a, b = b, a
            c, d, e = 1, x, 2
            while n > 0:
                c, d, e = d, e, c
                n -= 1
            return a, b, c, d, e

        same(swapped, *((np.float64(2.5), np.int64(n)) for n in range(6)), traces=None)

    def test_inside_of_try_and_branch(self):
        def f(x, n):
            a, b = 0, 0
            try:
                if x > 1:
                    for _ in range(n):
                        a, b = b, x
                c = [1, 2][n]
            except IndexError:
                c = -1
            return a, b, c

        same(f, *((np.float64(x), np.int64(n)) for x in (0.5, 2.5) for n in range(4)), traces=None)

    def test_attributes_and_items(self):
        class Held:
            pass

        def f(x, n):
            held, items = Held(), [0, 0]
            held.a = held.b = 0
            for _ in range(n):
                held.a, held.b = held.b, x
                items[0], items[1] = items[1], x
            return held.a, held.b, items

        same(f, *((np.float64(2.5), np.int64(n)) for n in range(4)), traces=None)

    def test_assigned_in_the_test(self):
        def f(x, n):
            a, b, total = 0, 1, 0
            while (a := b + n * x) < 3:
                b, n = a, n + 1
                total += 1.5
            return a, b, total

        same(f, *((np.float64(0.5), np.int64(n)) for n in range(8)), traces=None)

    def test_inside_of_another_loop(self):
        def f(x, n):
            rows, best = [], 0
            for j in range(n):
                total, a, b, left = 0, 0, 0, j
                for i in range(j):
                    total += x * i
                while left > 0:
                    a, b, left = b, x, left - 1
                if total > best:
                    best = total
                rows.append(total)
                rows.append(a)
            return rows, best

        same(f, *((np.float64(2.5), np.int64(n)) for n in range(6)), traces=None)

    def test_carried_by_the_loop_around(self):
        def f(x):
            total = 0
            for row in x:
                for value in row:
                    total += value
            return total

        same(f, np.ones((3, 2)), np.ones((0, 2)), np.ones((3, 4), int), traces=None)

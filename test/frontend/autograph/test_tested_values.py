"""`and` and `or` in conditions: only their truth matters, so operands of any types may meet."""

from __future__ import annotations

import numpy as np
import pytest

from support.behaviour_harness import same

NUMBERS = np.array([3.0, 1.0, 2.0, 2.0, 5.0, 0.0, 4.0])


def test_a_list_and_its_last_item():
    def runs(x):
        values, counts = [], []
        for v in x:
            if values and values[-1] == v:
                counts[-1] += 1
            else:
                values.append(v)
                counts.append(1)
        return values, counts

    same(runs, np.array([1, 1, 2, 3, 3, 3, 1]), joined=True)
    same(runs, np.arange(40) // 3, joined=True)


def test_a_stack_in_a_while_loop():
    def next_smaller(x):
        stack = []
        found = np.full(len(x), -1)
        for i in range(len(x)):
            while stack and x[stack[-1]] > x[i]:
                found[stack.pop()] = i
            stack.append(i)
        return found, stack

    same(next_smaller, NUMBERS, joined=True)
    same(next_smaller, np.tile(NUMBERS, 5), joined=True)


@pytest.mark.parametrize("value", [np.float64(0.0), np.float64(2.5), np.float64("nan")])
def test_numbers_beside_lists_and_texts(value):
    def f(x, n):
        items = []
        for i in range(n):
            items.append(x * i)
        taken = []
        if x and items:
            taken.append(1)
        if not (items or x):
            taken.append(2)
        if (items and x) or not "text":
            taken.append(3)
        if "text" and x > 1 and items:
            taken.append(4)
        assert items or x or x == 0 or x != x, "never"
        return taken, 5.0 if items and x else 6.0, [v for v in items if v and items]

    same(f, (value, np.int64(0)), (value, np.int64(3)), joined=True)


def test_what_decides_is_evaluated_once_and_the_rest_not_at_all():
    def f(x):
        def noted(name, value):
            print(name)
            return value

        if noted("a", x) and noted("b", [x]) and noted("c", x - 1):
            print("all")
        if noted("d", x) or noted("e", [x]):
            print("either")
        return x

    same(f, np.float64(0.0), np.float64(1.0), np.float64(2.0))


def test_an_array_is_ambiguous():
    def f(x, items):
        return 1 if items and x else 2

    same(f, (np.ones(2), (1,)), (np.ones(2), ()), (np.ones(1), (1,)), traces=None)


def test_a_value_is_what_it_was():
    def f(x):
        y = x and 5.0
        z = x or 7.0
        return y, z

    same(f, np.float64(0.0), np.float64(1.0), joined=True)


def test_what_is_known_of_names_stays_known():
    def f(x):
        best = None
        for v in x:
            if v > 0 and (best is None or v > best):
                best = v
        if best is not None and x[0] and best > x[0]:
            return best
        return x[0]

    same(f, NUMBERS, -NUMBERS, np.array([0.0, 2.0]), traces=2)


def test_what_is_tested_keeps_its_type():
    def program(x):
        found = x.all()
        seen = 0
        match seen:
            case int() if found:
                seen = 1
        return found, bool(found and seen), repr(found)

    same(program, np.array([2]))
    same(program, np.array([2, 0]))

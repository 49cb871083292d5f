"""Lists whose length is known only when the compiled function runs: what lists can do, they can do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import weft
from support.behaviour_harness import refused, same

F64, I64 = np.float64, np.int64
COUNTS = [I64(n) for n in (0, 1, 2, 5, 20)]


@dataclass
class Row:
    """An item that holds a list."""

    entries: list[int]


def squares(n):
    """A list that grows."""
    items = []
    for i in range(n):
        items.append(i * i - 3)
    return items


class TestChanging:
    @pytest.mark.parametrize("index", [0, 1, -1, 100, -100])
    def test_insert(self, index):
        def f(n):
            items = squares(n)
            items.insert(index, 7)
            items.insert(index, n)
            return items

        same(f, *COUNTS, joined=True)

    def test_insert_in_a_loop_keeps_it_sorted(self):
        def f(x):
            ordered = []
            for v in x:
                k = 0
                while k < len(ordered) and ordered[k] < v:
                    k += 1
                ordered.insert(k, v)
            return ordered

        same(f, np.array([3.0, 1.0, 2.0, 5.0, 4.0]), joined=True)
        same(f, np.sin(np.arange(40.0)), joined=True)

    @pytest.mark.parametrize("index", [0, 1, -1, -2, 4])
    def test_pop(self, index):
        def f(n):
            items = squares(n)
            taken = items.pop(index)
            items.append(100)
            return items, taken

        same(f, *COUNTS, joined=True)

    def test_a_queue(self):
        def f(n):
            queue = [n]
            seen = []
            while queue:
                k = queue.pop(0)
                seen.append(k)
                if k > 1:
                    queue.append(k // 2)
                    queue.append(k // 3)
            return seen

        same(f, *COUNTS, joined=True)

    def test_delete_items_and_slices(self):
        def f(n, i):
            items = squares(n)
            del items[i]
            others = squares(n)
            del others[i:]
            third = squares(n)
            del third[1:i]
            del third[-1:]
            return items, others, third

        same(f, *[(n, I64(i)) for n in COUNTS for i in (0, 1, -1, 3)], joined=True)

    def test_remove_index_count_and_in(self):
        def f(n, v):
            items = squares(n)
            known = (items.count(v), v in items, v not in items, 999 in items)
            place = items.index(v)
            items.remove(v)
            return items, place, known

        same(f, *[(n, I64(v)) for n in COUNTS for v in (-3, -2, 13, 5)], joined=True)

    def test_reverse_and_sort(self):
        def f(x, n):
            items = []
            for v in x[:n]:
                items.append(v)
            backwards = list(items)
            backwards.reverse()
            down = items.copy()
            down.sort(reverse=True)
            by = sorted(items, key=lambda v: -abs(v))
            by_reversed = sorted(items, key=lambda v: v * v, reverse=True)
            items.sort()
            return items, backwards, down, by, by_reversed, sorted(down)

        x = np.array([3.0, -1.0, 2.0, -3.0, 1.0, 0.0])
        same(f, *[(x, I64(n)) for n in (0, 1, 4, 6)])

    def test_setting_items_and_slices(self):
        def f(n):
            items = squares(n)
            items[1:3] = [10, 11, 12]
            items[:0] = squares(n)
            items[-1] = 5
            return items

        same(f, *COUNTS, joined=True)

    def test_setting_beyond_the_end(self):
        def f(n):
            items = squares(n)
            items[2] = 5
            return items

        same(f, *COUNTS, joined=True)

    def test_clear_and_copy(self):
        def f(n):
            items = squares(n)
            kept = items.copy()
            items.clear()
            items.append(1)
            return items, kept

        same(f, *COUNTS, joined=True)


class TestKnownLengths:
    """Python's own lists, at places and with items that only the program knows."""

    def test_insert_and_pop(self):
        def f(x, i):
            items = [x, x * 2, x * 3]
            items.insert(i, x * 100)
            taken = items.pop(i)
            items.insert(-1, taken)
            return items, items.pop(i - 1)

        same(f, *[(F64(5), I64(i)) for i in (0, 1, 2, 3, -1, -3, 9, -9)])

    def test_pop_from_nothing(self):
        def f(i):
            items = []
            return items.pop(i)

        same(f, I64(0), I64(-1))

    def test_index_count_and_remove(self):
        def f(x, v):
            items = [x, x * 2, x * 3, x * 2]
            place, number = items.index(v), items.count(v)
            items.remove(v)
            return items, place, number

        same(f, *[(F64(2), F64(v)) for v in (2, 4, 6, 7)])


class TestReading:
    def test_slices(self):
        def f(n, i):
            items = squares(n)
            return items[i:], items[:i], items[1:-1], items[::2], items[::-1], items[-1:]

        same(f, *[(n, I64(i)) for n in COUNTS for i in (0, 2, -2)], joined=True)

    def test_plus_times_and_equality(self):
        def f(n):
            items = squares(n)
            more = items + [1, 2] + items
            front = [7] + items
            return more, front, items * 2, items == squares(n), items == more, items != [-3], [-3] == items

        same(f, *COUNTS, joined=True)

    def test_builtins(self):
        def f(n):
            items = squares(n)
            pairs = []
            for k, (a, b) in enumerate(zip(items, reversed(items))):
                pairs.append(a * k - b)
            return (
                sum(items),
                len(items),
                max(items, default=-9),
                min(items, default=9),
                any(v > 5 for v in items),
                all(v > -4 for v in items),
                any(items),
                all(items),
                pairs,
                [v * 2 for v in items if v % 2],
                list(map(lambda v: v + 1, items)),
            )

        same(f, *COUNTS, joined=True)

    def test_the_best_of_nothing(self):
        def largest(n):
            return max(squares(n))

        def nearest(n):
            return min(squares(n), key=lambda v: abs(v - 5))

        same(largest, *COUNTS, joined=True)
        same(nearest, *COUNTS, joined=True)

    def test_items_that_are_tuples_and_dicts(self):
        def f(x, n):
            rows = []
            for i in range(n):
                rows.append((i, {"row": x * i, "sum": x.sum() * i}))
            total = 0.0
            for i, entry in rows:
                total += i * entry["sum"] + entry["row"][0]
            rows.reverse()
            return rows, total, [entry["row"] for _, entry in rows]

        same(f, *[(np.arange(3.0), n) for n in COUNTS], joined=True)


class TestRebinding:
    def test_in_a_branch(self):
        def f(x):
            items = [x]
            if x > 0:
                items = items + [x * 2, x * 3]
            return items, len(items)

        same(f, F64(1), F64(-1))

    def test_other_lists_in_branches(self):
        def f(x):
            items = [x, x + 1] if x > 0 else []
            total = sum(items)
            items.append(total)
            return items

        same(f, F64(1), F64(-1), joined=True)

    def test_in_loops(self):
        def f(x, n):
            items = []
            for i in range(n):
                items = [*items, x] if False else items + [x * i]
            while n > 10:
                items = items[1:]
                n -= 1
            return items

        same(f, *[(F64(2), n) for n in COUNTS], joined=True)

    def test_returned_from_branches(self):
        def f(x):
            if x > 1:
                return [x]
            if x > 0:
                return [x, x]
            return []

        same(f, F64(2), F64(1), F64(0))


class TestOtherNames:
    def test_names_that_the_loop_does_not_mention(self):
        def f(n):
            a = [n]
            b = a
            held = {"a": a, "pair": (a, 1)}
            for i in range(n):
                a.append(i)
            b.append(100)
            total = 0
            for v in b:
                total += v
            last = b[-1]
            b[0] = 7
            return b, len(b), last, total, held["pair"][0], sum(b), [v for v in b], a, a is b

        same(f, *COUNTS, joined=True)

    def test_loops_and_branches_behind(self):
        def f(n):
            a = [n]
            b = a
            while n > 2:
                a.append(n)
                n -= 1
            if n > 0:
                b.append(50)
            for i in range(n):
                b.insert(0, i)
            return a

        same(f, *COUNTS, joined=True)


class TestListsInItems:
    def test_beam_search(self):
        """The sequences become longer with each step: the loop over the steps cannot be staged, and is unrolled."""

        def f(logp):
            beams = [(0.0, [0])]
            for step in range(logp.shape[0]):
                candidates = []
                for score, sequence in beams:
                    for token in range(logp.shape[1]):
                        candidates.append((score + logp[step, token], sequence + [token]))
                candidates.sort(key=lambda candidate: -candidate[0])
                beams = candidates[:3]
            return beams

        same(f, np.random.default_rng(0).standard_normal((3, 6)))


def test_operators_with_arrays():
    def f(x):
        items = [v * 2 for v in x if v > 1]
        most = np.max(items)
        y = x[x > 1]
        return (
            items - most,
            most - items,
            items / y,
            y % items,
            items * y,
            y @ items,
            items > most,
            y <= items,
        )

    same(f, np.arange(5.0))
    same(f, np.arange(2.0, 70.0))


class TestRefused:
    def test_lists_of_other_lengths_in_items(self):
        def in_dict(n):
            rows = [{"row": [0]}]
            for i in range(n):
                rows.append({"row": [i, i]})
            return rows

        def in_dataclass(n):
            rows = [Row([0])]
            for i in range(n):
                rows.append(Row([i, i]))
            return rows

        def or_none(n):
            rows = [(0, None)]
            for i in range(n):
                rows.append((i, [i]))
                rows.append((i, [i, i]))
            return rows

        def on_paths(n):
            rows = [(0, [0])]
            if n > 1:
                rows = [(0, [0, 1]), (1, [2, 3])]
            return rows

        for f in (in_dict, in_dataclass):
            same(f, I64(2), joined=True)
        for f in (or_none, on_paths):
            refused(f, I64(2), match="cannot hold another one")

    def test_items_that_differ(self):
        def f(x, n):
            items = [x]
            for _ in range(n):
                items.append(np.stack([x, x]))
            return items

        refused(f, F64(1), I64(2), match="cannot hold arrays, lists, dicts or objects that are not alike")

    def test_sorting_rows(self):
        def f(x, n):
            rows = []
            for i in range(n):
                rows.append(x * i)
            rows.sort()
            return rows

        same(f, (np.arange(2.0), I64(3)))  # an error, as it is in Python


QUEUE = [1, 2, 3]


class Shrinking:
    def __hash__(self):
        del QUEUE[0]
        return 1


SHRINKING = Shrinking()


def test_deleting_items_of_a_global_list(monkeypatch):
    monkeypatch.setitem(globals(), "QUEUE", [1, 2, 3, 4])

    @weft.function
    def f(n):
        while n > 2:
            n = n - 1
            del QUEUE[0]
        if n > 1:
            del QUEUE[1:]
        return n

    for n, left in [(1, [1, 2, 3, 4]), (4, [3]), (0, [3])]:
        f(I64(n))
        assert left == QUEUE


def test_what_changes_a_list_unseen_is_refused(monkeypatch):
    monkeypatch.setitem(globals(), "QUEUE", [1, 2, 3])

    def f(n):
        if n > 1:
            {SHRINKING: 1}  # Python calls this method
        return n, QUEUE[0]

    refused(f, I64(2), match="changed by what compiled code cannot follow")
    assert QUEUE == [1, 2, 3]


def test_capacity_grows_from_nothing():
    def f(n):
        items = [0] if n > 3 else []
        for i in range(n):
            items.append(i)
        return items

    same(f, *COUNTS, joined=True)


def test_items_of_a_growing_list_are_not_stretched() -> None:
    def grown(x, mask, n):
        items = []
        for _ in range(n):
            items.append(x[1:])
        items.append(x[mask])
        items[0] = x[mask]
        return items

    def unpacked(x):
        first, *rest = x
        rest.append(first)
        return rest

    x, n = np.arange(3.0), np.int64(2)
    same(grown, *((x, mask, n) for mask in (x != 1, x == 1, x < 5)))
    rows = np.arange(6.0).reshape(3, 2)
    signature = [weft.TensorSpec((None, None), "float64")]
    assert np.array_equal(weft.function(unpacked, input_signature=signature)(rows), rows[[1, 2, 0]])


def test_items_become_floats_in_a_loop_that_is_unrolled_and_then_recorded_again() -> None:
    def knapsack(weights, values):
        table = [[0 for _ in range(20)] for _ in range(3)]
        for i in range(2):
            for room in range(1, 20):
                if weights[i] <= room:
                    with_it = table[i][room - weights[i]] + values[i]
                    table[i + 1][room] = max(table[i][room], max(with_it, table[i - 1][room - weights[i]]))
                else:
                    table[i + 1][room] = table[i][room]
        return table[2][19], table[1][weights[0]]

    def one_table(weights, values):
        table = [0 for _ in range(20)]
        for i in range(3):
            for room in range(1, 20):
                if weights[0] <= room:
                    table[room] = values[0] if i == 0 else table[room - 1]
                if weights[1] <= room:
                    table[room] = max(table[room], table[room - 1])
                if weights[2] <= room:
                    table[room] = max(table[room], table[room - 1])
        return table[19], table[5]

    weights, values = np.array([2, 3, 4]), np.array([10.5, 15.25, 40.0])
    for function in (knapsack, one_table):
        assert weft.function(function)(weights, values) == function(weights, values)


def test_the_last_item_is_taken_without_moving_others() -> None:
    def taken(n):
        stack = squares(n)
        total = 0
        while stack:
            total = total * 3 % 1001 + stack.pop()
            if total % 5 == 0 and len(stack) > 1:
                stack[-1] = stack.pop(-1) + stack.pop(0)
        return total, stack

    same(taken, *COUNTS)


def test_narrow_indices_of_lists_that_are_longer_than_they_count() -> None:
    @weft.function
    def summed(x):
        items, place, total = [], np.int8(100), 0.0
        for i in range(150):
            items.append(x[i])
        for _ in range(20):
            total = total + items[place]
            items[place] = total
            place = place + np.int8(1)
        last = np.int8(-2)
        return total + items[last] + sum(items[last:]) + sum(items[np.uint8(140) :])

    same(summed, np.random.default_rng(0).random(150))


def test_numbers_and_arrays_of_numpy_are_added_to_the_items() -> None:
    """`+` and `+=` with them are NumPy's, which makes an array of the list; by Python's own the list grows."""

    def arrays(n, x):
        items = []
        for i in range(n):
            items.append(i * 1.5)
        kept = items
        items += x[:n]
        return items, kept, kept + x[0], x[1] + kept, kept + np.float64(2)

    def lists(n, x):
        items = []
        for i in range(n):
            items.append(i * 1.5)
        kept = items
        items += [x[0], 4.0]
        return items, kept, items is kept

    x = np.array([0.25, 0.5, 4.0])
    same(arrays, (I64(3), x), (I64(1), x))
    same(lists, (I64(3), x), (I64(0), x), joined=True)


def test_a_list_that_a_filter_leaves_empty_is_walked() -> None:
    def f(x):
        rows = [[np.array([i]), np.array([i + 1])] for i in range(x.shape[0]) if x[i] > 0]

        def is_kept(row):
            if len(row[0]) < 2:
                return False
            if x[row[0][0]] < 0:
                return False
            return True

        return [row[1][0] for row in list(filter(is_kept, rows))]

    function = weft.function(f)
    for x in (np.array([1.0, -1.0, 2.0]), np.array([-1.0, -2.0, -3.0])):
        assert function(x) == f(x) == []

"""Items of lists that are lists, dicts, objects or arrays themselves, and are changed: each is one object in Python."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import weft
from support.behaviour_harness import refused, same
from weft.dialect.errors import UnsupportedError


@dataclasses.dataclass
class Point:
    a: float
    b: float = 0.0


@dataclasses.dataclass(slots=True)
class Slotted:
    a: float


def _rows_of_a_comprehension(x):
    rows = [[x[0] * 0] * 3 for _ in range(20)]
    for i in range(20):
        rows[i][1] = x[0] * i
    for row in rows:
        row.append(x[1])
    first = rows[0]
    rows[0][2] = x[2]
    rows[3], rows[4] = rows[4], rows[3]
    rows[3][0] = x[2]
    return first, rows[3], rows[4], rows[19]


def _dicts_of_a_loop(x):
    tables = []
    for i in range(20):
        tables.append({"a": x[0] * i, "inner": (i, [1.0])})
    for table in tables:
        table["b"] = 2
        table["inner"][1][0] = table["a"]
    return tables[0], tables[19]


def _objects(x):
    points = [Point(x[0] * i) for i in range(20)]
    for point in points:
        point.b = point.a + 1
    slotted = [Slotted(x[0]) for _ in range(20)]
    slotted[2].a = x[2]
    return points[1].b, points[19], slotted[1], slotted[2]


def _an_array_added_to(x):
    arrays = [x * i for i in range(20)]
    total = arrays[0]
    for i in range(1, 20):
        total += arrays[i]
    return total, arrays[0], arrays[1]


def test_changed_items():
    for function in (_rows_of_a_comprehension, _dicts_of_a_loop, _objects, _an_array_added_to):
        same(function, (np.array([1.0, 2.0, 3.0]),))


def _read_only_lists_stay_lists_of_the_program(x, n):
    rows = []
    for i in range(n):
        row = [x[0] * i, x[1]]
        row[1] = x[2]
        rows.append(row)
    total = x[0]
    for row in rows:
        total = total + row[0] * row[1]
    changed = list(rows[1])
    changed[0] = x[2]
    rows[1] = changed
    return total, rows


def _row_taken_away(x, n):
    rows = []
    for _ in range(n):
        rows.append([x[0]])
    row = rows.pop()
    row.append(5.0)
    return rows, row


def test_items_that_are_replaced():
    for function in (_read_only_lists_stay_lists_of_the_program, _row_taken_away):
        same(function, (np.array([1.0, 2.0, 3.0]), np.int64(4)))


def _row_set(x, n):
    rows = []
    for i in range(n):
        rows.append([x[0], i])
    for i in range(2):
        rows[i][1] = 7
    return rows


def _row_changed_after_it_was_put_in(x, n):
    rows, row = [], [x[0]]
    for i in range(n):
        row[0] = x[0] * i
        rows.append(row)
    return rows


def test_a_list_that_is_put_in_again_and_again():
    same(_row_changed_after_it_was_put_in, (np.array([1.0, 2.0, 3.0]), np.int64(4)))


def _array_set(x, n):
    rows = []
    for i in range(n):
        rows.append(x * i)
    rows[1][0] = 5.0
    return rows


class Walker:
    def __init__(self, place):
        self.place = place


def _object_set(x, n):
    walkers = []
    for i in range(n):
        walkers.append(Walker(x[0] * i))
    for walker in walkers:
        walker.place += 1
    return [walker.place for walker in walkers]


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (_row_set, "a list"),
        (_array_set, "an array"),
    ],
)
def test_lists_of_run_time_length_whose_items_are_changed_are_refused(function, kind):
    with pytest.raises(weft.UnsupportedError, match=f"hold {kind}, and an item.*changed.*put it back"):
        weft.function(function)(np.array([1.0, 2.0, 3.0]), np.int64(4))


def test_objects_in_lists_of_run_time_length_are_changed():
    x = np.array([1.0, 2.0, 3.0])
    assert weft.function(_object_set)(x, np.int64(4)) == _object_set(x, 4)


def test_what_may_be_an_item_is_not_written():
    @weft.function
    def f(x, n):
        rows = []
        while n > 0:
            rows.append(x * n)
            n -= 1
        chosen = rows[0] if x.sum() > 1 else x + 1
        chosen[...] = 1
        return rows

    with pytest.raises(weft.UnsupportedError, match="an item of such a list is changed"):
        f(np.arange(3.0), np.int64(2))


def test_items_have_an_identity():
    def f(x):
        table = [[x[0] * 0, x[0]] for _ in range(32)]
        wanted, found = table[3], 0
        for row in table:
            if row is wanted:
                found += 1
        largest = max(table)
        largest[0] = x[0]
        return found, table[0] is table[0], table[0] is table[1], table[0], table[31]

    same(f, np.array([1.0, 2.0]))


def test_an_array_of_a_list_is_not_read_after_it_may_have_been_written():
    def f(x):
        log = [x * 1, x * 2, x * 3]
        found = log[int(x[0])]
        log[1][0] = 50.0
        return found.sum()

    with pytest.raises(weft.UnsupportedError, match="one that was written since"):
        weft.function(f)(np.array([1.0, 2.0]))


def test_lists_that_change_while_a_loop_walks_them_are_refused():
    def f(x, items):
        if x > 0:
            for _ in items:
                items.pop()
        return items

    refused(
        f, np.float64(1), [1.0, 2.0], error=UnsupportedError, match="longer or shorter while a loop walks it"
    )


def test_sets_that_depend_on_conditions():
    seen = {1}

    def f(x):
        if x > 0:
            seen.add(2)
        return len(seen)

    compiled = weft.function(f)
    assert (compiled(np.float64(-1)), seen) == (1, {1})
    assert (compiled(np.float64(1)), seen) == (2, {1, 2})


def test_what_was_done_before_a_missing_item_is_deleted_has_happened(capsys):
    items = {}

    def f(x):
        print("before", x)
        del items["n"]
        return x

    for function in (f, weft.function(f)):
        with pytest.raises(KeyError, match="n"):
            function(np.float64(1))
        assert capsys.readouterr().out == "before 1.0\n"

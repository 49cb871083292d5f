"""Copies of what only the program knows, what reads lists in containers, and sorted rows that stay views."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

X = np.array([3.0, 1.0, 2.0])
ROWS = np.arange(12.0).reshape(3, 4)


class Holder:
    """An object with a list."""

    def __init__(self, items):
        self.items = items


OUTSIDE = [Holder([1.0]), Holder([2.0])]


def lists_in_a_list(x, k):
    rows = []
    for value in x:
        rows.append([value])
    one, deep, shallow = copy.copy(rows[k]), copy.deepcopy(rows), copy.copy(rows)
    one.append(x[0])
    deep[k].append(x[1])
    shallow[0].append(x[2])
    held = copy.deepcopy({"rows": rows})
    held["rows"][0].append(x[0])
    return rows, one, deep, shallow, held


def one_of_two_objects(x, k):
    first, second = Holder([x[0]]), Holder([x[1]])
    chosen = first if x[0] > k else second
    copied, known = copy.deepcopy(chosen), copy.copy(OUTSIDE[0] if x[0] > k else OUTSIDE[1])
    copied.items.append(x[2])
    known.items = [x[0]]
    return first.items, second.items, copied.items, known.items, OUTSIDE[0].items, OUTSIDE[1].items


def perhaps_none(x, k):
    items = [x[0], x[1]] if x[0] > k else None
    copied, deep = copy.copy(items), copy.deepcopy([items, "more" if x[0] > k else "less"])
    if copied is not None:
        copied.append(x[2])
    return items, copied, deep


@pytest.mark.parametrize(
    "function", [lists_in_a_list, one_of_two_objects, perhaps_none], ids=lambda f: f.__name__
)
def test_a_copy_is_another_list_or_object(function):
    same(function, (X, np.int64(1)), (-X, np.int64(0)), traces=None, joined=True)


def sorted_rows(a):
    ordered = sorted(a, key=lambda row: -row[0])
    ordered[0][0] = 1000
    a[0, 1] = 50
    return ordered, a


def test_sorted_rows_are_views_of_their_array():
    same(sorted_rows, (ROWS,), (np.zeros((40, 2)),), traces=2)


@dataclasses.dataclass
class Record:
    """A record with a list."""

    items: list


def shown_and_copied(x):
    items = [x[0]]
    held, record = {"a": items, "b": [items]}, Record(items)
    for value in x:
        if value > 1:
            items.append(value)
    print(held, record)
    copied = copy.deepcopy(held)
    copied["a"].append(x[0])
    texts = f"{held} {record}", str(held), "{}".format(held), "%s" % (record,)  # noqa: UP031, UP032
    return texts, copied, dataclasses.asdict(record), copy.deepcopy(record)


def test_lists_in_containers_are_read_as_they_have_become():
    same(shown_and_copied, (X,), (-X,))


def in_order(x):
    return (x[0], x[1]) < (x[1], x[0]), [x[0], 1] <= [x[0], x[1]], (x[0], 2) > (x[0], 1)


def test_the_order_of_tuples_is_what_their_entries_give():
    same(in_order, (X,), (np.ones(3),))


@dataclasses.dataclass
class Holding:
    items: list[float]


class Keeper:
    def __init__(self, items: Any) -> None:
        self.items = items
        self.inner = Holding(items)


@pytest.mark.parametrize("kind", [Holding, Keeper])
def test_returned_objects_hold_what_their_lists_have_become(kind: Any) -> None:
    def hold(x: Any, limit: Any) -> Any:
        items = [1.0]
        made = kind(items)
        if x.sum() > limit:
            items.append(limit)
        return made

    compiled = weft.function(hold)
    for limit in (1.0, 5.0):
        found, wanted = compiled(np.arange(3.0), limit), hold(np.arange(3.0), limit)
        assert type(found) is kind
        assert found.items == wanted.items
        if kind is Keeper:
            assert found.inner.items == wanted.inner.items

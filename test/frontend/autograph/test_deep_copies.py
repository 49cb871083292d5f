"""`copy.deepcopy` of lists and dicts of what only the program knows: a copy of each object, one for all its places."""

from __future__ import annotations

import copy
from collections import Counter, defaultdict

import numpy as np
import pytest

from support.behaviour_harness import refused, same

X = np.array([3, 1, 2, 5, 4])


class Point:
    def __init__(self, v):
        self.v = v
        self.name = "p"


class Holder:
    def __init__(self, v):
        self.values = [v]


def test_dicts_of_dicts_are_copied_whole() -> None:
    def f(x):
        links, counts, rows = {}, defaultdict(Counter), {}
        for v in x.tolist():
            links.setdefault(v % 3, set()).add(v)
            counts[v % 2][v] += 1
            rows[v] = {"n": v, "w": 0.5}
            rows[v]["n"] += 1
        others = copy.deepcopy(links), copy.deepcopy(counts), copy.deepcopy(rows)
        for k in links:
            links[k].add(99)
        for c in counts:
            counts[c][1] += 5
        for r in rows:
            rows[r]["n"] = -1
        others[1][7][7] += 1
        return links, counts, rows, others

    same(f, X)


def test_what_is_in_two_places_has_one_copy() -> None:
    def f(x):
        links, points = {}, []
        for v in x.tolist():
            row, point = set(), Point(v)
            row.add(v)
            links[v] = links[v + 10] = row
            points.append(point)
            if v > 2:
                points.append(point)
        others, moved = copy.deepcopy(links), copy.deepcopy(points)
        for k in x.tolist():
            others[k].add(k + 1)
        for p in moved:
            p.v += 1
        return links, others, [p.v for p in points], [p.v for p in moved]

    same(f, X)


def test_one_dict_of_a_dict_is_copied() -> None:
    def f(x):
        links = {}
        for v in x.tolist():
            links.setdefault(v % 3, {})[v] = 1
        row = links.get(0, {})
        deep, flat = copy.deepcopy(row), copy.copy(row)
        row[77] = 1
        return links, deep, flat

    same(f, X)


def of_lists_in_dicts(x):
    links: dict = {}
    for v in x.tolist():
        links.setdefault(v % 3, {}).setdefault(v, []).append(v)
    return copy.deepcopy(links)


def of_objects_with_lists(x):
    made = {}
    for v in x.tolist():
        made[v] = Holder(v)
    others = copy.deepcopy(made)
    for k in made:
        made[k].values.append(1)
    return [h.values for h in others.values()]


def of_two_that_may_be_one(x):
    links: dict = {}
    for v in x.tolist():
        links.setdefault(v % 3, {})[v] = 1
    return copy.deepcopy([links[x[0] % 3], links[x[1] % 3]])


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (of_lists_in_dicts, "a dict that is a value of a dict is copied by copy.deepcopy"),
        (of_objects_with_lists, "an object of Holder is copied by copy.deepcopy"),
        (of_two_that_may_be_one, "a dict that is a value of a dict is copied by copy.deepcopy"),
    ],
)
def test_copies_of_what_can_be_changed_inside_are_refused(function, says) -> None:
    refused(function, X, match=says, place=False)  # the innermost line is that of the module copy

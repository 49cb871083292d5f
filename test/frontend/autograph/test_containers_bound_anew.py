"""Containers that one path changes, while another one gives their name to a new one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from support.behaviour_harness import refused, same
from support.differential import assert_same
from support.interpreted import interpreted


def items(a: Any, n: Any) -> Any:
    out, nested, table = [0.0], [[0.0]], {"k": 0.0}
    same = out
    if a == 0:
        same[0] = 1.0
        nested[0][0] = 1.0
        table["k"] = 1.0
        if n > 1:
            out[0] += 5
    else:
        out, nested, table = [2.0], [[2.0]], {"k": 2.0}
    return out, nested, table, same[0]


def lengths(a: Any, n: Any) -> Any:
    grown, one, before = [], [], [5.0]
    if a == 0:
        for i in range(n):
            grown.append(i * 1.0)
        one.append(1.0)
        before.append(1.0)
        before.append(3.0)
    else:
        grown, one, before = [2.0], [2.0, 3.0], [2.0, 3.0]
    before.append(7.0)
    return grown, one, before, len(before)


def in_a_loop(a: Any, n: Any) -> Any:
    out = [0.0]
    for i in range(n):
        if i == a:
            out = [2.0]
        else:
            out[0] += 1
    return out


def hashed(a: Any, n: Any) -> Any:
    members, table = {1}, {}
    if a == 0:
        members.add(2)
        table[n] = 1.0
    else:
        members, table = {5}, {n + 1: 2.0}
    return sorted(members), list(table.items())


@pytest.mark.parametrize("function", [items, lengths, in_a_loop, hashed])
def test_containers_hold_what_the_path_has_left(function: Callable[..., Any]) -> None:
    compiled = interpreted(function)
    for a in range(3):
        assert_same(compiled(np.int64(a), np.int64(3)), function(np.int64(a), np.int64(3)))


def test_dicts_of_computed_keys() -> None:
    def in_a_branch(x, n):
        d, known = {}, {1: 2}
        for i in range(n):
            if i == 1:
                d, known = {}, {1: 2}
            d[x[i]] = i
            known[x[i]] = i
        return d, known

    def in_each_iteration(x, n):
        d = best = last = {}
        for i in range(n):
            d = {}
            d[x[i]] = i
            found = {}
            for j in range(i + 1):
                found[x[j]] = found.get(x[j], 0) + 1
            if len(found) > len(best):
                best = found
            last = found
        return d, best.copy(), last

    for f in (in_a_branch, in_each_iteration):
        same(f, (np.array([3, 1, 3, 2, 7]), np.int64(3)), joined=True)


def test_a_dict_of_two_names_that_is_bound_anew() -> None:
    def f(x, n):
        d = {}
        first = d
        for i in range(n):
            if i == 1:
                d = {}
            d[x[i]] = i
        return d, first

    def g(x, n):
        d = []
        first = d
        for i in range(n):
            if i == 1:
                d = []
            d.append(x[i])
        return d, first

    for function, kind in ((f, "dict"), (g, "list")):
        x, n = np.array([3, 1, 3, 2, 7]), np.int64(3)
        refused(
            function,
            x,
            n,
            match=f"'d' is, depending on a condition .*, a {kind} that has other names",
            place=False,
        )

"""Dicts and sets with computed keys that a branch or loop makes anew: what they hold is there after it."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.behaviour_harness import refused, same
from weft.dialect.errors import UnsupportedError

I64 = np.int64


def put_in_dict(t: Any, key: Any) -> None:
    t[key] = 1


def count(t: Any, key: Any) -> None:
    t[key] += 1


def add(t: Any, key: Any) -> None:
    t.add(key)


WAYS: list[tuple[Callable[[], Any], Callable[[Any, Any], None]]] = [
    (dict, put_in_dict),
    (set, add),
    (collections.Counter, count),
    (lambda: collections.defaultdict(int), count),
]


@pytest.mark.parametrize("way", range(len(WAYS)))
def test_names_hold_what_was_made_last(way: int) -> None:
    make, put = WAYS[way]

    def in_branch(z):
        t = make()
        if z > 2:
            t = make()
            put(t, z % 5)
            put(t, z + 1)
        return t

    def in_loop(z):
        t = make()
        for i in range(z):
            t = make()
            for q in (z, i):
                put(t, q % 4)
        return t

    def until(z):
        t = make()
        while z > 0:
            t = make()
            put(t, z % 5)
            if z % 2 == 0:
                put(t, z + 1)
                break
            z -= 1
        return t, z

    same(in_branch, I64(3), I64(1))
    same(in_loop, I64(3), I64(0))
    same(until, I64(3), I64(4), I64(0), joined=True)


def test_containers_hold_new_ones():
    def in_lists(z):
        if z > 2:
            out = [set(), set()]
            out[0].add(z)
            out[1].add(z % 2)
        else:
            out = [set(), set()]
            out[1].add(z)
        return out

    def in_dicts(z):
        out = {"a": {}}
        if z > 2:
            t = {}
            t[z] = 1
            out["a"] = t
        out["a"][z + 1] = 4
        return out

    def in_tuples(z):
        r = (0, {})
        for i in range(z):
            t = {}
            t[i % 2] = z
            r = (i, t)
        return r[1]

    same(in_lists, I64(3), I64(1))
    same(in_dicts, I64(3), I64(1))
    same(in_tuples, I64(3), I64(0))


def test_what_was_taken_out_is_gone():
    def taken(z):
        t = {}
        if z > 2:
            t = {1: 5}
            t[z] = 1
            del t[1]
        if 1 in t:
            return -1
        return t.get(z, 9)

    same(taken, I64(3), I64(1))


def test_two_names_of_one_new_container_stay_its_names():
    def of_dict(z):
        if z > 2:
            t = {}
            u = t
            t[z % 5] = 1
        else:
            t = {}
            u = t
        u[z + 1] = 3
        return t, u, t is u

    def of_list(z):
        if z > 2:
            t = [z]
            u = t
        else:
            t = [z + 1]
            u = t
        t.append(z)
        u[0] += 5
        return t, u, t is u

    same(of_dict, I64(3), I64(1))
    same(of_list, I64(3), I64(1))


def test_names_of_one_container_on_one_path_only():
    def unchanged(z):
        if z > 2:
            t = u = [z]
        else:
            t, u = [z + 1], [z + 2]
        return t, u

    def changed(z):
        if z > 2:
            t = u = [z]
        else:
            t, u = [z + 1], [z + 2]
        t.append(z)
        return t, u

    same(unchanged, I64(3), I64(1))
    refused(changed, I64(3), error=UnsupportedError, match="'u' is, depending on a condition")


def keys_in_another_order(x, n):
    found = {"a": 1, "b": 2}
    if x.sum() > n:
        found = {"b": n, "a": 4}
    for key, value in found.items():
        print(key, value)
    return found, list(found)


def keys_in_another_order_behind_a_loop(x, n):
    found = {0: 1, 1: 2}
    for _ in range(int(x[1])):
        found = {1: n, 0: 4}
    return found, list(found)


@pytest.mark.parametrize("program", [keys_in_another_order, keys_in_another_order_behind_a_loop])
def test_the_order_of_keys_is_that_of_the_path(program):
    same(program, *((np.array([1.0, float(k)]), k) for k in (0, 2, 1)), traces=None)


def test_the_order_of_keys_of_unlike_values_is_refused():
    def program(x):
        found = {"a": 1, "b": x}
        if x.sum() > 0:
            found = {"b": x, "a": 2}
        return found

    with pytest.raises(weft.ControlFlowError, match=r"found is a dict of 2 .* keys are in another order"):
        weft.function(program)(np.ones(2))

"""Lists, dicts and sets that were there before, in whose places new ones are put whose size the program decides on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

X = np.arange(5.0)


class Owner:
    def __init__(self) -> None:
        self.items: Any = [1.0, 2.0, 3.0, 4.0]
        self.table: Any = {1: 0.5}
        self.count = np.int64(2)


def _large(x: Any) -> Any:
    return [v for v in x if v > 1]


def _cut(o: Owner, x: Any) -> None:
    o.items = o.items[-o.count :]


def _grown_and_cut(o: Owner, x: Any) -> None:
    o.items.append(x[1])
    o.items = o.items[-o.count :]


def _cut_and_grown(o: Owner, x: Any) -> None:
    o.items = o.items[-o.count :]
    o.items.append(x[1])


def _again_and_again(o: Owner, x: Any) -> None:
    for v in [1.0, 2.0]:
        o.items.append(v)
        o.items = o.items[-o.count :]


def _chosen(o: Owner, x: Any) -> None:
    o.items.append(x[0])
    o.items = _large(x)
    o.items.append(x[3])


def _old_one_grows(o: Owner, x: Any) -> Any:
    before = o.items
    o.items = _large(x)
    before.append(x[1])
    return len(before)


def _on_one_path(o: Owner, x: Any) -> None:
    if x[0] < 1:
        o.items = _large(x)
    else:
        o.items.append(x[3])


def _on_the_other_path(o: Owner, x: Any) -> None:
    if x[0] > 0:
        o.items = _large(x)
    else:
        o.items.append(x[3])


def _in_a_loop(o: Owner, x: Any) -> None:
    for v in x:
        if v > 2:
            o.items = [*o.items, v]


def _replaced_twice(o: Owner, x: Any) -> None:
    o.items = _large(x)
    o.items = [x[0]]


def _put_back(o: Owner, x: Any) -> None:
    before = o.items
    o.items = _large(x)
    o.items = before
    before.append(x[1])


def _exchanged(o: Owner, x: Any) -> None:
    o.items, o.table[2] = _large(x), len(o.items)


def _a_dict(o: Owner, x: Any) -> None:
    o.table = {int(v): v for v in x if v > 1}


def _a_dict_made_before(o: Owner, x: Any) -> None:
    made = {}
    for v in x:
        if v > 1:
            made[int(v)] = v
    o.table = made


def _in_a_list(o: Owner, x: Any) -> None:
    if len(o.items) > 2:
        o.table = [o.items, 1.0]
    o.table[0] = _large(x)
    o.table[0].append(x[4])


PROGRAMS = [
    _cut,
    _grown_and_cut,
    _cut_and_grown,
    _again_and_again,
    _chosen,
    _old_one_grows,
    _on_one_path,
    _on_the_other_path,
    _in_a_loop,
    _replaced_twice,
    _put_back,
    _exchanged,
    _a_dict,
    _a_dict_made_before,
    _in_a_list,
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("program", PROGRAMS)
def test_attributes(program: Callable[[Owner, Any], Any]) -> None:
    eager, compiled, function = Owner(), Owner(), weft.function(program)
    for _ in range(3):
        assert function(compiled, X) == program(eager, X)
        assert vars(compiled) == vars(eager)
        assert type(compiled.items) is type(eager.items)


def test_entries_of_lists_and_dicts() -> None:
    def program(d: Any, rows: Any, x: Any) -> None:
        d["a"].append(x[0])
        d["a"] = _large(x)
        d["a"].append(x[1])
        rows[0] = _large(x)

    def made() -> Any:
        return {"a": [0.5]}, [[0.5], [1.0]]

    eager, compiled, function = made(), made(), weft.function(program)
    for _ in range(2):
        program(*eager, X)
        function(*compiled, X)
        assert compiled == eager


GLOBAL = [1.0]


def _of_a_global(x: Any) -> None:
    global GLOBAL
    GLOBAL.append(x[2])
    GLOBAL = _large(x)
    GLOBAL.append(x[3])


def test_globals() -> None:
    global GLOBAL
    function = weft.function(_of_a_global)
    for _ in range(2):
        before = GLOBAL = [1.0]
        function(X)
        assert before == [1.0, 2.0]
        assert GLOBAL == [2.0, 3.0, 4.0, 3.0]


def test_variables_of_closures() -> None:
    items = [1.0]

    @weft.function
    def step(x: Any) -> Any:
        nonlocal items
        items.append(x[1])
        items = _large(x)
        return len(items)

    before = items
    assert step(X) == 3
    assert before == [1.0, 1.0]
    assert items == [2.0, 3.0, 4.0]
    assert step(X) == 3
    assert items == [2.0, 3.0, 4.0]

"""Lists, dicts, sets and objects that were there before and are returned: the caller gets themselves."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft

X = np.arange(3.0)
GLOBAL = [1.0]


class Owner:
    def __init__(self) -> None:
        self.items: Any = [1.0]
        self.table: Any = {"a": 1.0}
        self.weights = np.zeros(3)


@dataclasses.dataclass
class Point:
    x: float


def _grown(o: Owner, x: Any) -> Any:
    o.items.append(x[0])
    return o.items


def _grown_in_a_loop(o: Owner, x: Any) -> Any:
    for v in x:
        if v > 1:
            o.items.append(v)
    return o.items


def _several(o: Owner, x: Any) -> Any:
    return [o.items, (o.items, x * 2), {"table": o.table}]


def _replaced(o: Owner, x: Any) -> Any:
    before = o.items
    o.items = [x[1]]
    return before


def _fitted(o: Owner, x: Any) -> Any:
    o.weights += x
    o.mean = x.mean()
    return o


def _a_key_more(o: Owner, x: Any) -> Any:
    o.table["b"] = x[1]
    return o.table


def _global(o: Owner, x: Any) -> Any:
    GLOBAL.append(x[0])
    return GLOBAL


def places(value: Any, o: Owner) -> Any:
    """Which of the objects that there were before a nested value is made of."""
    known = {id(o): "o", id(o.items): "o.items", id(o.table): "o.table", id(GLOBAL): "GLOBAL"}
    if id(value) in known:
        return known[id(value)]
    if isinstance(value, dict):
        return {key: places(part, o) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [places(part, o) for part in value]
    return type(value)


PROGRAMS = [_grown, _grown_in_a_loop, _several, _replaced, _fitted, _a_key_more, _global]


@pytest.mark.parametrize("program", PROGRAMS)
def test_of_an_object(program: Callable[[Owner, Any], Any]) -> None:
    eager, compiled, function = Owner(), Owner(), weft.function(program)
    for _ in range(3):
        before = compiled.items
        expected, got = program(eager, X), function(compiled, X)
        assert places(got, compiled) == places(expected, eager)
        assert compiled.items == eager.items
        assert compiled.table == eager.table
        assert program is not _replaced or got is before


def test_of_arguments() -> None:
    same = weft.function(lambda items: items)
    nested = weft.function(lambda items, d: (items[0], [d, d]))
    items, table, point = [[1.0], X], {"a": X}, Point(1.0)
    for _ in range(2):
        assert same(items) is items
        assert same({1, 2}) == {1, 2}
        first, both = nested(items, table)
        assert first is items[0]
        assert both[0] is table
        assert both[1] is table

    @weft.function
    def moved(p: Point, by: float) -> Point:
        p.x += by
        return p

    assert moved(point, 0.5) is point
    assert moved(point, 0.5) is point
    assert point.x == 2.0


def test_copies_are_others() -> None:
    items = [1.0, 2.0]
    made = weft.function(lambda given: (list(given), given[:], [*given]))(items)
    assert all(copy == items and copy is not items for copy in made)


def test_a_concrete_function() -> None:
    @weft.function
    def f(items: Any, x: Any) -> Any:
        items.append(x.sum())
        return items

    items = [1.0]
    concrete = f.get_concrete_function(items, X)
    assert "list that was there before" in concrete.pretty_printed_signature()
    assert concrete(items, X) is items
    assert items == [1.0, 3.0]


def test_saved_functions_return_copies(tmp_path: Path) -> None:
    o = Owner()
    table = weft.function(lambda x: (o.table, x * 2), input_signature=[weft.TensorSpec([3])])
    assert table(X)[0] is o.table
    weft.save(tmp_path / "f.weft", run=table)
    found, doubled = weft.load(tmp_path / "f.weft").run(X)
    assert found == o.table
    assert doubled.tolist() == [0.0, 2.0, 4.0]


def test_from_the_disk_cache(tmp_path: Path) -> None:
    (tmp_path / "stored.py").write_text(
        "import numpy as np, weft\nitems = [1.0]\n"
        "f = weft.function(lambda x: (items, x + 1))\n"
        "print(f(np.arange(3.0))[0] is items, f.cache_info() if hasattr(f, 'cache_info') else '')\n"
    )
    environment = {"WEFT_CACHE_DIR": str(tmp_path / "cache"), "PATH": "/usr/bin:/bin"}
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "stored.py"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.startswith("True"), done.stderr

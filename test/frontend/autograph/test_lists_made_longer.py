"""Lists that get items whose number only the program knows, and long lists that are written at computed places."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft


def from_range(n: Any, x: Any) -> Any:
    out: list[Any] = []
    same = out
    out.extend(range(n))
    return out, same


def from_chosen(n: Any, x: Any) -> Any:
    out: list[Any] = []
    same = out
    out.extend(v * 2 for v in x[x > 0])
    out.extend(x[x > 0])
    return out, same, len(same)


def by_augmented_assignment(n: Any, x: Any) -> Any:
    out: list[Any] = []
    same = out
    out += [0.5] * n
    return out, same


def of_an_attribute_and_a_dict(n: Any, x: Any) -> Any:
    class Owner:
        pass

    owner: Any = Owner()
    owner.values, lists = [], {"a": [2]}
    values, items = owner.values, lists["a"]
    owner.values += [1] * n
    lists["a"] += [3] * n
    return owner.values, values, lists, items


def into_a_slice(n: Any, x: Any) -> Any:
    out, empty = [1, 2, 3], []
    same, nothing = out, empty
    out[1:] = [0] * n
    empty[len(empty) :] = [4] * n
    return out, same, empty, nothing


def in_a_branch_and_by_itself(n: Any, x: Any) -> Any:
    out = [1]
    if n > 1:
        out.extend([2] * n)
    out.extend(out * n)
    return out


def of_rows(n: Any, x: Any) -> Any:
    rows: list[list[int]] = [[] for _ in range(3)]
    for row in rows:
        row.extend([1] * n)
    rows[0].append(5)
    return rows


PROGRAMS: list[Callable[..., Any]] = [
    from_range, from_chosen, by_augmented_assignment, of_an_attribute_and_a_dict, into_a_slice,
    in_a_branch_and_by_itself, of_rows,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_every_name_of_a_list_sees_what_it_gets(program: Callable[..., Any]) -> None:
    compiled = weft.function(program)
    for n in (2, 0):
        given = (np.int64(n), np.array([3.0, -1.0, 4.0]))
        assert repr(compiled(*given)) == repr(program(*given))


def test_what_is_no_items_is_refused_as_python_does() -> None:
    @weft.function
    def extended(n: Any) -> Any:
        out = [1]
        out.extend(None)  # type: ignore[arg-type]
        return out[n]

    with pytest.raises(TypeError, match="'NoneType' object is not iterable"):
        extended(np.int64(0))


def sieve(last: Any) -> Any:
    flags = [True] * 100
    for i in range(2, last):
        if flags[i]:
            for j in range(i * i, 100, i):
                flags[j] = False
    return flags, sum(flags)


def knapsack(kinds: Any) -> Any:
    weights, values = [3, 4, 5, 9], [3, 4, 4, 10]
    best = [0] * 60
    for i in range(kinds):
        for room in range(59, weights[i] - 1, -1):
            best[room] = max(best[room], best[room - weights[i]] + values[i])
    return best, best[-1], len(best), max(*best)


@pytest.mark.parametrize("program", [sieve, knapsack])
def test_a_long_list_that_is_written_in_a_loop_is_an_array(program: Callable[..., Any]) -> None:
    compiled, last = weft.function(program), np.int64(4)
    assert repr(compiled(last)) == repr(program(last))
    text = compiled.get_concrete_function(last).as_text()
    carried = [len(found.split(",")) for found in re.findall(r"iter_args\(([^)]*)\)", text)]
    assert carried
    assert max(carried) < 8


def test_names_of_a_long_list_stay_those_of_one_list() -> None:
    def written(i: Any) -> Any:
        a = list(range(20))
        b, c, d = a, list(a), (a, 1)
        a[i] = 5
        d[0][i + 1] += 7  # type: ignore[index]
        first, *rest = a
        return a, b, c, d, first, rest, tuple(a), [*a, 1], a[2:4], a == b

    i = np.int64(3)
    assert repr(weft.function(written)(i)) == repr(written(i))
    with pytest.raises(IndexError, match="list assignment index out of range"):
        weft.function(written)(np.int64(20))


@pytest.mark.parametrize(
    ("first", "written"), [(False, 2), (np.float32(1), 2.5), (np.uint64(1), np.int64(-1))]
)
def test_a_number_of_another_type_is_written_beside_those_of_a_list(first: Any, written: Any) -> None:
    def replaced(i: Any, new: Any) -> Any:
        items: list[Any] = [first] * 20
        items[i] = new
        return items

    new = np.float64(written) if written == 2.5 else written
    assert repr(weft.function(replaced)(np.int64(3), new)) == repr(replaced(np.int64(3), new))

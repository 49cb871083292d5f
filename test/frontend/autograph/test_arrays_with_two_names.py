"""Arrays in lists that grow that are changed in place: by every name and in every place where Python has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import weft
from support.behaviour_harness import same
from weft.dialect.errors import UnsupportedError

ONES = np.ones(2)


def made(x: Any, n: Any) -> Any:
    rows = []
    for i in range(n):
        rows.append(x * i)
    return rows


# What nothing else is


def items_of_their_own(x: Any, n: Any) -> Any:
    places, speeds = made(x, n), made(x + 1, n)
    means = []
    for _ in range(n):
        for i in range(n):
            speed = speeds[i]
            places[i] += speed * 0.5
            means.append(speed * 2)
            speeds[i] *= 0.5
    for row in places:
        x = x + row
    places[0] -= x
    return places, speeds, means


def the_one_before(x: Any, n: Any) -> Any:
    rows, before = made(x, n), x * 0
    for i in range(n):
        if i > 1:
            rows[i] += before
        before = rows[i]
    return rows, before


def neighbours(x: Any, n: Any) -> Any:
    rows = made(x, n)
    old, all_rows = rows[1].copy(), np.stack(rows)
    for i in range(1, n):
        rows[i] += rows[i - 1]
        rows[i - 1] /= 2
    return rows, old, all_rows


def on_a_path(x: Any, n: Any) -> Any:
    rows = []
    for i in range(n):
        row = x * i
        if i % 2:
            row = row + 1
        rows.append(row)
        rows[-1] += 2
    if n > 2:
        rows[1] += 1
    return rows


def of_several_lengths(x: Any, n: Any) -> Any:
    rows = []
    for i in range(n):
        rows.append(x[:i] * 2)
    rows[1] += 1
    return rows


def taken_out(x: Any, n: Any) -> Any:
    stack, total = made(x, n), 0.0
    while len(stack) > 0:
        row = stack.pop()
        row += 1
        total += row.sum()
    return total


def smallest(x: Any, n: Any) -> Any:
    rows = made(x, n)
    for i in range(n):
        x = x + min(rows, key=lambda row: row[0])
        rows[i] += 10
    return rows, x


OWN = [items_of_their_own, the_one_before, neighbours, on_a_path, of_several_lengths, taken_out, smallest]


@pytest.mark.parametrize("program", OWN)
def test_arrays_with_one_name_are_changed(program: Callable[..., Any]) -> None:
    for n in (2, 4):
        same(program, (np.array([1.0, 2.0, 3.0]), np.int64(n)))


# What something else is


def put_again_and_again(x: Any, n: Any) -> Any:
    row, rows = x * 2, []
    for _ in range(n):
        rows.append(row)
    rows[0] += 1
    return rows, row


def put_twice(x: Any, n: Any) -> Any:
    rows = []
    for i in range(n):
        row = x * i
        rows.append(row)
        rows.append(row)
    rows[0] += 1
    return rows


def put_twice_before(x: Any, n: Any) -> Any:
    rows = [x, x]
    for i in range(n):
        rows.append(x * i)
    rows[0] += 1
    return rows


def read_before(x: Any, n: Any) -> Any:
    rows = made(x, n)
    row = rows[1]
    rows[1] += 1
    return row


def read_in_a_loop(x: Any, n: Any) -> Any:
    rows, total = made(x, n), 0.0
    row = rows[1]
    for _ in range(n):
        total += row.sum()
        rows[1] += 1
    return total


def left_by_the_iteration_before(x: Any, n: Any) -> Any:
    rows, row, total = made(x, n), x * 0, 0.0
    for i in range(n):
        rows[i - 1] += 1
        total += row.sum()
        row = rows[i]
    return total


def known_by_its_first_name(x: Any, n: Any) -> Any:
    rows = []
    for i in range(n):
        row = x * i
        rows.append(row)
        rows[-1] += 1
        x = x + row
    return x


def read_on_a_path(x: Any, n: Any) -> Any:
    rows = made(x, n)
    row = rows[0] if n > 2 else rows[1]
    rows[0] += 1
    return row


def put_on_a_path(x: Any, n: Any) -> Any:
    rows, one = [], x * 5
    for i in range(n):
        rows.append(one if i % 2 else x * i)
    rows[1] += 1
    return rows


def in_two_lists(x: Any, n: Any) -> Any:
    rows, others = made(x, n), []
    for row in rows:
        others.append(row)
    rows[0] += 1
    return others


def copied_list(x: Any, n: Any) -> Any:
    rows = made(x, n)
    others = rows[1:]
    rows[1] += 1
    return others


def repeated_list(x: Any, n: Any) -> Any:
    rows = made(x, n) * 2
    rows[0] += 1
    return rows


def as_a_tuple(x: Any, n: Any) -> Any:
    rows = made(x, n)
    others = tuple(rows)
    rows[0] += 1
    return others


def moved(x: Any, n: Any) -> Any:
    rows, others = made(x, n), []
    row = rows[-1]
    others.append(rows.pop())
    for i in range(n):
        others.append(x * i)
    others[0] += 1
    return row


def taken_out_and_named(x: Any, n: Any) -> Any:
    rows = made(x, n)
    row = rows[-1]
    out = rows.pop()
    out += 1
    return row


def taken_out_of_many(x: Any, n: Any) -> Any:
    row, rows = x * 2, []
    for _ in range(n):
        rows.append(row)
    out = rows.pop()
    out += 1
    return rows


def taken_apart(x: Any, n: Any) -> Any:
    rows = made(x, n)
    first, *_ = rows
    rows[0] += 1
    return first


def held_in_a_dict(x: Any, n: Any) -> Any:
    rows = made(x, n)
    named = {"first": rows[0]}
    for i in range(n):
        rows[i] += 1
    return named["first"]


def of_several_lengths_read_before(x: Any, n: Any) -> Any:
    rows = []
    for i in range(n):
        rows.append(x[:i] * 2)
    row = rows[1]
    rows[1] += 1
    return row


def rows_of_an_array(x: Any, n: Any) -> Any:
    table, rows = np.outer(x, x), []
    for i in range(n):
        rows.append(table[i])
    rows[1] += 1
    return table


def the_callers(x: Any, n: Any) -> Any:
    rows = []
    for _ in range(n):
        rows.append(x)
    rows[1] += 1
    return rows


def from_outside(x: Any, n: Any) -> Any:
    rows = []
    for _ in range(n):
        rows.append(ONES)
    rows[1] += 1
    return rows


def in_lists_of_a_dict(x: Any, n: Any) -> Any:
    groups: Any = {}
    for i in range(n):
        groups.setdefault(i % 2, []).append(x * i)
    row = groups[1][0]
    groups[1][0] += 5
    return row


def of_a_function(x: Any, n: Any) -> Any:
    rows = made(x, n)

    def add(i: Any) -> Any:
        rows[i] += 1
        return rows[i]

    return add(1), add(1)


def of_a_view(x: Any, n: Any) -> Any:
    rows = made(x, n)
    tail = rows[1][1:]
    rows[1] += 1
    return tail


def filled(x: Any, n: Any) -> Any:
    rows = made(x, n)
    rows[0].fill(3)
    return rows


def added_at(x: Any, n: Any) -> Any:
    rows = made(x, n)
    np.add.at(rows[0], 1, 2.0)
    return rows


def written_out(x: Any, n: Any) -> Any:
    rows = made(x, n)
    np.add(rows[0], 1, out=rows[0])
    return rows


def walked(x: Any, n: Any) -> Any:
    rows = made(x, n)
    for row in rows:
        row += 1
    return rows


SHARED = [
    put_again_and_again, put_twice, put_twice_before, read_before, read_in_a_loop, left_by_the_iteration_before,
    known_by_its_first_name, read_on_a_path, put_on_a_path, in_two_lists, copied_list, repeated_list, as_a_tuple,
    moved, taken_out_and_named, taken_out_of_many, taken_apart, held_in_a_dict, of_several_lengths_read_before,
    rows_of_an_array, the_callers, from_outside, in_lists_of_a_dict, of_a_function, of_a_view, filled, added_at,
    written_out, walked,
]  # fmt: skip


@pytest.mark.parametrize("program", SHARED)
def test_arrays_with_other_names_are_not_changed(program: Callable[..., Any]) -> None:
    with pytest.raises(UnsupportedError, match=r"rows\[i\] = rows\[i\] \+ 1"):
        weft.function(program)(np.array([1.0, 2.0, 3.0]), np.int64(3))


def test_where_the_array_is_changed_is_told() -> None:
    line = read_before.__code__.co_firstlineno + 3
    with pytest.raises(UnsupportedError, match=rf"is changed \(at .*test_arrays_with_two_names.py:{line}:"):
        weft.function(read_before)(np.ones(3), np.int64(3))


def test_lists_of_known_length_have_the_arrays_themselves() -> None:
    def f(x: Any) -> Any:
        rows = []
        for i in range(20):
            rows.append(x * i)
        row = rows[1]
        rows[1] += 1
        rows.append(row)
        rows[-1] *= 2
        return rows[1], row, rows[2]

    same(f, np.ones(3))


def test_a_generator_that_gives_one_array_again() -> None:
    def f(x: Any, n: Any) -> Any:
        def again() -> Iterator[Any]:
            row = x * 1
            for _ in range(n):
                yield row

        total = 0.0
        for row in again():
            row += 1
            total += row.sum()
        return total

    same(f, (np.ones(3), np.int64(4)))


# Lists and dicts


def list_that_was_read(x: Any, n: Any) -> Any:
    rows = []
    for i in range(n):
        rows.append([x[0] * i])
    row = rows[1]
    rows[1] += [5.0]
    rows[0] *= 2
    return row, rows


def dict_that_was_read(x: Any, n: Any) -> Any:
    rows = []
    for i in range(n):
        rows.append({"a": x[0] * i, "b": 1.0})
    row = rows[1]
    rows[1] |= {"a": 7.0}
    return row, rows, rows[0] | {"b": 3.0}, {"b": 4.0, "c": 0} | rows[0], rows[0] | rows[1]


@pytest.mark.parametrize("program", [list_that_was_read, dict_that_was_read])
def test_containers_are_changed_by_every_name(program: Callable[..., Any]) -> None:
    found = weft.function(program)(np.ones(3), np.int64(3))
    assert found == program(np.ones(3), 3)
    assert found[0] is found[1][1]

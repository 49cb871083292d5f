"""Lists of lists that a loop or branch replaces by new ones, and new lists that stand at several places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from weft.dialect.errors import ControlFlowError

SIZE = 6


def start() -> list[list[int]]:
    return [[(i * 3 + j * 5) % 3 % 2 for j in range(SIZE)] for i in range(SIZE)]


def stepped(grid: list[list[int]]) -> list[list[int]]:
    new = [[0] * SIZE for _ in range(SIZE)]
    for i in range(SIZE):
        for j in range(SIZE):
            around = sum(
                grid[(i + a) % SIZE][(j + b) % SIZE] for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b
            )
            new[i][j] = 1 if around == 3 or (grid[i][j] == 1 and around == 2) else 0
    return new


def life_until_it_is_still(n: Any) -> Any:
    grid, steps = start(), 0
    while steps < n:
        new = stepped(grid)
        steps += 1
        if new == grid:
            break
        grid = new
    return steps, grid


def with_the_one_before(n: Any) -> Any:
    grid = start()
    before, seen = grid, [grid]
    for _ in range(n):
        before, grid = grid, [[cell + 1 for cell in row] for row in grid]
        seen.append(grid)
    return before, grid, len(seen)


def made_on_each_path(n: Any) -> Any:
    if n > 2:
        grid = [[cell + 1 for cell in range(n)] for _ in range(20)]
    else:
        grid = [[cell + 2 for cell in range(n)] for _ in range(21)]
    grid.append([1])
    return grid


def a_row_of_the_one_before(n: Any) -> Any:
    grid = [[i + j for j in range(20)] for i in range(20)]
    for _ in range(n):
        new = [[0] * 20 for _ in range(20)]
        new[2] = list(grid[3])
        new[2][1] += 5
        grid = new
    return grid


def in_a_loop_that_is_recorded_again(n: Any) -> Any:
    total = 0
    for start in range(n):
        grid = [[start + k for k in range(20)] for _ in range(20)]
        for _ in range(n):
            grid = [[cell + 1 for cell in row] for row in grid]
        total = total + grid[0][0] * 1.5
    return total * 1.0  # a float also where no iteration made it one


PROGRAMS: list[Callable[..., Any]] = [
    life_until_it_is_still, with_the_one_before, made_on_each_path, a_row_of_the_one_before,
    in_a_loop_that_is_recorded_again,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_grid_is_replaced(program: Callable[..., Any]) -> None:
    compiled = weft.function(program)
    for n in (3, 0, 7):
        assert repr(compiled(np.int64(n))) == repr(program(np.int64(n)))


def test_one_of_two_grids_from_before_is_refused() -> None:
    @weft.function
    def chosen(n: Any) -> Any:
        one = [[1] * 20 for _ in range(20)]
        other = [[2] * 20 for _ in range(20)]
        one[n][n] = other[n][0]
        grid = one if n > 2 else other
        return grid[n][0]

    with pytest.raises(
        ControlFlowError, match=r"make new ones on each path \(\[list\(row\) for row in rows\]\)"
    ):
        chosen(np.int64(1))


def as_items(n: Any) -> Any:
    rows = [[0, 1], [2, 3]]
    for _ in range(n):
        rows = [[cell + 1 for cell in row] for row in rows]
        rows[1] = rows[0]
    rows[1][0] = 77
    return rows


def by_two_names(n: Any) -> Any:
    one, other = [0, 1], [2, 3]
    for _ in range(n):
        one = [cell + 1 for cell in one]
        other = one
    other[0] = 77
    return one, other


def in_a_dict(n: Any) -> Any:
    held = {"a": [1], "b": [2]}
    for _ in range(n):
        made = [3]
        held = {"a": made, "b": made}
    held["a"][0] = 9
    return held


def in_a_tuple_on_one_path(n: Any) -> Any:
    made = [7, 8]
    pair = (made, made) if n > 1 else ([1, 2], [3, 4])
    pair[1][0] = 77
    return pair


def as_attributes(n: Any) -> Any:
    class Owner:
        pass

    owner: Any = Owner()
    owner.a, owner.b = [1], [2]
    for _ in range(n):
        owner.a = [3]
        owner.b = owner.a
    owner.a[0] = 9
    return owner.a, owner.b


def in_the_next_iteration(n: Any) -> Any:
    rows = [[0, 1], [2, 3]]
    for _ in range(n):
        rows[0][0] += 1
        made = [rows[1][0], 8]
        rows = [made, made]
    return rows


SHARED: list[Callable[..., Any]] = [
    as_items, by_two_names, in_a_dict, in_a_tuple_on_one_path, as_attributes, in_the_next_iteration,
]  # fmt: skip


@pytest.mark.parametrize("program", SHARED, ids=lambda program: program.__name__)
def test_a_new_list_at_several_places_is_not_changed_at_one_of_them(program: Callable[..., Any]) -> None:
    with pytest.raises(weft.UnsupportedError, match="has other names too or another one"):
        weft.function(program)(np.int64(2))


def test_a_new_list_at_several_places_may_be_read() -> None:
    def read(n: Any) -> Any:
        rows, best, current = [[0, 1], [2, 3]], [0], [5]
        for _ in range(n):
            made = [rows[0][0] + 1, 8]
            rows = [made, made]
            current = [current[0] - 1]
            if current[0] < 4:
                best = current
        return rows, best.copy(), current

    compiled = weft.function(read)
    for n in (3, 0, 1):
        assert repr(compiled(np.int64(n))) == repr(read(n))


def test_whether_two_lists_that_were_replaced_are_one_is_refused() -> None:
    @weft.function
    def told(n: Any) -> Any:
        grid = [[0] * 20 for _ in range(20)]
        before = grid
        for _ in range(n):
            before, grid = grid, [[cell + 1 for cell in row] for row in grid]
        grid[n][0] = 4
        return before is grid

    with pytest.raises(weft.UnsupportedError, match="whether these are one list depends on a condition"):
        told(np.int64(2))


def cheapest(table: Any) -> Any:
    for i in range(1, len(table[0])):
        table[0][i] += table[0][i - 1]
    for i in range(1, len(table)):
        table[i][0] += table[i - 1][0]
    for i in range(1, len(table)):
        for j in range(1, len(table[0])):
            table[i][j] += min(table[i - 1][j], table[i][j - 1])
    return table[-1][-1]


def test_rows_become_those_of_a_pool_together() -> None:
    def table(rows: int) -> list[list[int]]:
        return [[(7 * i + 3 * j) % 11 for j in range(20)] for i in range(rows)]

    compiled = weft.function(cheapest)
    given, expected = table(16), table(16)
    assert compiled(given) == cheapest(expected)
    assert given == expected
    few, many = (
        weft.function(cheapest).get_concrete_function(table(rows)).as_text("weft").count("scf.if")
        for rows in (16, 32)
    )
    assert few == many  # no code for each row

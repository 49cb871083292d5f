"""Long lists of numbers, and of lists and tuples of numbers, as arguments: the numbers of one are an array inside."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import pytest

import weft
from weft.backend.cpu.dispatch.descriptors import Program
from weft.backend.cpu.dispatch.objects import is_supported
from weft.frontend.signature.packed_numbers import LEAST, PackedNumbers

natively = pytest.mark.skipif(not is_supported(), reason="calls go through Python here")


class Real(float):
    """A float of another class."""


@dataclasses.dataclass
class Grid:
    rows: list[list[int]]


def ends(xs: Any) -> Any:
    return xs[0] + xs[-1] * 2, xs[len(xs) // 2]


def total(xs: Any) -> Any:
    found = 0
    for x in xs:
        found += x
    return found


def degrees(edges: Any, count: Any) -> Any:
    found = [0] * count
    for a, b, *_ in edges:
        found[a] += 1
        found[b] += 1
    return found, edges[3]


def weights(edges: Any, at: Any) -> Any:
    found = 0.0
    for a, _, weight in edges:
        if a == at:
            found += weight
    return found


def paths(grid: Any) -> Any:
    for r in range(1, len(grid)):
        for c in range(1, len(grid[0])):
            grid[r][c] += min(grid[r - 1][c], grid[r][c - 1])
    return grid[-1][-1]


def rows_of(grid: Any, k: Any) -> Any:
    return grid[k], grid[k][1], len(grid), len(grid[k])


def grown(xs: Any, k: Any) -> Any:
    xs.append(k)
    xs[2] = xs[k]
    found = 0
    for x in xs:
        found += x
    return found, xs.pop()


def total_of_grown(xs: Any, k: Any) -> Any:
    for i in range(k + 1):
        xs.append(xs[i] + 1)
    return xs[-1]


def insertion(xs: Any) -> Any:
    for i in range(1, len(xs)):
        for j in range(i, 0, -1):
            if xs[j] < xs[j - 1]:
                xs[j], xs[j - 1] = xs[j - 1], xs[j]
    return xs


def numbers(number: int, count: int = LEAST) -> list[int]:
    return [(7 * i + number) % 50 for i in range(count)]


def table(number: int, rows: int = 16, columns: int = 17) -> list[list[int]]:
    return [[(7 * i + j * number) % 50 for i in range(columns)] for j in range(rows)]


def check(function: Callable[..., Any], *makes: Callable[[int], Any], calls: int = 4) -> tuple[Any, int]:
    """The function, after calls that gave what Python gives, and how many lists native code was told to pack."""
    compiled = weft.function(function)
    with mock.patch.object(Program, "packed", autospec=True, side_effect=Program.packed) as packs:
        for number in range(calls):
            given = [make(number) for make in makes]
            same = copy.deepcopy(given)
            found, wanted = compiled(*given), function(*same)
            assert repr(found) == repr(wanted)
            assert given == same
    assert compiled.trace_count == 1
    return compiled, packs.call_count


@natively
@pytest.mark.parametrize("kind", [int, float])
@pytest.mark.parametrize("container", [list, tuple])
def test_values_and_types(kind: type, container: type) -> None:
    compiled, packs = check(ends, lambda number: container(map(kind, numbers(number))))
    assert packs == 1
    first = list(map(kind, numbers(3)))
    others = [2**60, True, 2.5, Real(3.5), 2**70, float("inf")]
    for other in others:
        given = container([*first[:-1], other])
        assert repr(compiled(given)) == repr(ends(given))
    assert compiled(container(first[:-1])) == ends(first[:-1])


@natively
def test_more_numbers_than_a_frame_holds() -> None:
    compiled, packs = check(total, lambda number: numbers(number, 5000))
    assert packs == 1
    assert compiled([2**40] * 5000) == 5000 * 2**40
    mixed = [*numbers(1, 4999), 0.5]
    assert compiled(mixed) == total(mixed)


def mirrored(grid: Any) -> Any:
    made = [[0] * len(grid) for _ in grid[0]]
    for i in range(len(grid)):
        for j in range(len(grid[0])):
            made[j][i] = grid[i][j]
    return made, [(i, [row[0], 1]) for i, row in enumerate(grid)]


@natively
@pytest.mark.parametrize("kind", [int, float])
def test_native_code_packs_for_results_that_python_makes(kind: type) -> None:
    compiled, packs = check(mirrored, lambda number: [list(map(kind, row)) for row in table(number)])
    assert packs == 1
    given = [list(map(kind, row)) for row in table(3)]
    with mock.patch.object(PackedNumbers, "packed", side_effect=AssertionError):
        assert repr(compiled(given)) == repr(mirrored(given))
    given[3][2] = True if kind is float else 2.5
    assert compiled(given) == mirrored(given)


@natively
def test_tuples_in_a_list() -> None:
    def edges(number: int) -> list[Any]:
        return [(i % 20, (3 * i + number) % 20) for i in range(200)]

    def weighted(number: int) -> list[Any]:
        return [(a, b, (a + number) / 4) for a, b in edges(number)]

    _, packs = check(degrees, edges, lambda _: 20)
    assert packs == 1
    check(degrees, weighted, lambda _: np.int64(20))
    compiled, packs = check(weights, weighted, np.int64)
    assert packs == 3
    longer = [*weighted(1)[:-1], (1, 2)]
    with pytest.raises(ValueError, match="not enough values to unpack"):
        compiled(longer, np.int64(1))


@natively
def test_lists_in_a_list_stay_the_callers() -> None:
    compiled, _ = check(paths, table)
    given, same = table(9), table(9)
    rows = list(given)
    assert compiled(given) == paths(same)
    assert given == same
    assert all(one is other for one, other in zip(rows, given, strict=True))
    row = numbers(1, 17)
    with pytest.raises(weft.UnsupportedError, match="hold one list twice"):
        compiled([row] * 16)


def test_rows_are_given_back_themselves() -> None:
    compiled, _ = check(rows_of, table, lambda _: 2)
    given = table(5)
    assert compiled(given, 2)[0] is given[2]
    same = weft.function(lambda grid: grid)
    for number in range(3):
        given = table(number)
        assert same(given) is given


def test_lists_of_several_lengths() -> None:
    def ragged(number: int) -> list[list[int]]:
        return [numbers(number, LEAST + i) for i in range(3)]

    check(lambda grid, k: sum(grid[k]) + len(grid[0]) + grid[2][-1], ragged, lambda _: np.int64(1))


def test_lists_that_are_changed() -> None:
    check(grown, numbers, lambda _: 2)
    check(total_of_grown, numbers, np.int64)
    check(insertion, numbers)


def swapped(grid: Any, k: Any) -> Any:
    grid[0], grid[1] = grid[1], grid[0]
    grid.append([1] * len(grid[0]))
    return grid[k][0]


def test_rows_that_change_places_before_a_computed_place_is_read() -> None:
    check(swapped, table, lambda _: np.int64(0))


def test_lists_in_dicts_and_objects() -> None:
    compiled, _ = check(
        lambda given, k: (given["grid"][k][1], given["name"]),
        lambda n: {"grid": table(n), "name": "x"},
        np.int64,
    )
    assert compiled({"grid": table(3), "name": "y"}, np.int64(1)) == (table(3)[1][1], "y")
    check(lambda grid, k: grid.rows[k][2], lambda number: Grid(table(number)), np.int64)


def test_numbers_that_tracing_needs_are_constants() -> None:
    compiled = weft.function(lambda xs: np.zeros(xs[1]).shape)
    for number in range(3):
        given = [number, number + 1, *numbers(number)]
        assert compiled(given) == (number + 1,)
    assert compiled.trace_count == 4  # once to find out


def test_other_lengths_compile_again() -> None:
    compiled = weft.function(total)
    for length in (300, 301, 300):
        assert compiled(numbers(1, length)) == total(numbers(1, length))
    assert compiled.trace_count == 2


def test_arrays_of_them() -> None:
    check(lambda grid, k: (np.array(grid).sum(axis=0), np.asarray(grid[k]).dtype), table, np.int64)
    compiled = weft.function(lambda grid: np.array(grid))
    made = compiled(table(1))
    made[0, 0] = -1
    assert compiled(table(1))[0, 0] == table(1)[0][0]


def test_signatures_tell_how_they_lie() -> None:
    compiled = weft.function(rows_of, name="rows_of")
    compiled(table(1), 2)
    assert compiled.pretty_printed_concrete_signatures().startswith(
        "rows_of(grid: list of 16 list of 17 int, k=2)"
    )

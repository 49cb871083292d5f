"""Results that are one of the caller's arrays, as a branch or loop decided when the program ran."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

BIAS = np.arange(3.0)
GRID = np.arange(24.0).reshape(6, 4)


def early(x: Any, z: Any) -> Any:
    if x[0] > 1:
        return x
    return x.round()


def chosen(x: Any, z: Any) -> Any:
    y = x if x[0] > 1 else z
    return [y], y[1:]


def of_views(x: Any, z: Any) -> Any:
    if x[0] > 3:
        return x, z
    if x[0] > 1:
        return z[::-1], x * 2
    return x[1:], BIAS


def from_loop(x: Any, z: Any) -> Any:
    y = z
    for i in range(int(x[2])):
        if y[i] > 8:
            return y, x
        y = y + 1
    return y, z


def swapped(x: Any, z: Any) -> Any:
    n = x[0]
    while n > 0:
        x, z = z, x
        n = n - 1
    return x, {"z": z}


def caught(x: Any, z: Any) -> Any:
    try:
        y = z[1:]
        z[int(x[0])]
    except IndexError:
        return x
    return y


def written(x: Any, z: Any) -> Any:
    if x[0] > 1:
        x[0] = 7
        return x
    return x + 1


def viewed(x: Any, z: Any) -> Any:
    if x[0] > 1:
        z = z[:]
    try:
        print(end="")
        x = x[:]
    except IndexError:
        pass
    return x, z


def picked(x: Any, z: Any) -> Any:
    n = int(x[0]) // 2
    row = [x, z, BIAS][n]
    one, other = [(x, z[1:]), (z, x[1:]), (x + 1, z[:2])][n]
    again = row if x[1] > 1 else x
    mixed = [again, x * 2, row][n]
    return row, row[1:], one, other, [again, mixed], (x, z, BIAS, row)[-1 - n]


def listed(x: Any, z: Any) -> Any:
    rows, all_rows, pairs = [x], [], []
    if x[0] > 1:
        rows.append(z)
    for k in range(int(x[0])):
        if k > 3:
            rows.append(x * 2)
        rows.append(z[::-1])
        all_rows.append(BIAS)
        pairs.append((x, k))
    if x[0] > 3:
        rows.insert(0, all_rows[1])
        rows.reverse()
    taken = all_rows.pop() if x[0] > 1 else rows[0]
    return rows, rows[-1], all_rows, taken, rows[0][1:], len(pairs)


def at_run_time_places(x: Any, z: Any) -> Any:
    n = int(x[0])
    cube = GRID.reshape(2, 3, 4)
    rows, all_rows, last, same, best = [GRID[5], GRID[4]], [], GRID[n % 6], GRID, None
    for k in range(n):
        rows.append(cube[k % 2, -1 - k % 3])
        rows.append(cube[k % 2, 1])
        all_rows.append(x if k % 2 else z)
        if k > 3:
            last = GRID[k % 6]
        same = same[:]
    for row in GRID:
        if row[0] < 4 * n:
            best = row
    first, *others, end = rows[::-1]
    return rows, rows[n], all_rows, last, last[1:], same, best, first, others, end


def viewed_in_some_branches(x: Any, z: Any) -> Any:
    if x[0] > 3:
        y = np.array(z)
    elif x[0] > 1:
        y = z
    else:
        y = z.view()
    whole = other = x
    for k in range(int(x[0])):
        if k == 1:
            whole = whole[:]
        elif k == 4:
            whole = whole.copy()
        if k % 2:
            other, z = z[:], other
        elif k == 2:
            other = other[:]
    same, items = z, []
    if x[0] > 1:
        same = z[:]
    for _ in range(int(x[0])):
        items.append(same)
    return y, whole, other, z, items


def shared(value: Any, arrays: tuple[np.ndarray[Any, Any], ...]) -> Any:
    """For the arrays in a value which of some arrays they are or share memory with."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [shared(item, arrays) for item in value]
    return [(value is array, np.shares_memory(value, array)) for array in arrays]


@pytest.mark.parametrize(
    "function",
    [early, chosen, of_views, from_loop, swapped, caught, written, viewed, picked, listed]
    + [at_run_time_places, viewed_in_some_branches],
)
def test_what_a_branch_or_loop_chose_is_the_array_itself(function: Callable[..., Any]) -> None:
    compiled = weft.function(function)
    for first in (0.0, 2.0, 5.0):
        x, z = np.array([first, 2.0, 3.0]), np.array([8.0, 7.0, 6.0])
        own, other = (x.copy(), z.copy()), (x.copy(), z.copy())
        got, expected = compiled(*own), function(*other)
        assert shared(got, (*own, BIAS, *GRID)) == shared(expected, (*other, BIAS, *GRID))
        np.testing.assert_equal(got, expected)
        np.testing.assert_array_equal(own, other)


def test_what_is_chosen_of_arguments_alone_is_not_computed() -> None:
    concrete = weft.function(lambda x, z: x if x[0] > 1 else z).get_concrete_function(np.ones(3), np.ones(3))
    assert concrete.result_types == "f64[3]"
    assert "-> tensor<i64>" in concrete.as_text()


STORE: dict[str, Any] = {}


def stored_and_returned(x: Any, z: Any) -> Any:
    local = x + 1
    STORE["argument"], STORE["local"] = x[1:], local[:2]
    return STORE["argument"], [local, STORE["local"], STORE["local"]], x[1:]


def test_views_that_are_given_back_twice_are_one_object() -> None:
    compiled = weft.function(stored_and_returned)
    for function in (compiled, stored_and_returned):
        x = np.arange(3.0)
        for _ in range(2):
            view, (local, part, again), other = function(x, x)
            assert view is STORE["argument"] is not other
            assert all(np.shares_memory(one, x) for one in (view, other))
            assert part is STORE["local"] is again
            assert np.shares_memory(part, local)
            STORE.clear()


SIZES = np.array([2.0, 3.0, 4.0])


def test_arrays_from_outside_whose_elements_decide_are_returned_as_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def f(x: Any) -> Any:
        values = SIZES.tolist()
        return SIZES, SIZES[1:].reshape(-1), SIZES * x, values

    compiled = weft.function(f)
    for _ in range(2):
        same, view, product, _ = compiled(2.0)
        assert same is SIZES
        assert np.shares_memory(view, SIZES)
        assert not np.shares_memory(product, SIZES)
    monkeypatch.setitem(globals(), "SIZES", SIZES.copy())
    assert compiled(2.0)[0] is SIZES


def test_what_a_branch_took_for_the_array_itself_is_told_anew_in_another_layout() -> None:
    def f(x: Any) -> Any:
        if x[0] > 1:
            x = np.ascontiguousarray(x)
        return (x,)

    compiled = weft.function(f)
    for x in (np.arange(4.0) + 2, (np.arange(8.0) + 2)[::2], (np.arange(8.0) - 2)[::2], np.arange(4.0)):
        (got,), (expected,) = compiled(x), f(x)
        assert (got is x, np.shares_memory(got, x)) == (expected is x, np.shares_memory(expected, x))


def test_arrays_from_outside_that_are_views_themselves_are_found() -> None:
    base = np.arange(12.0)
    grid, other = base[:6].reshape(2, 3), base[6:].reshape(2, 3)

    @weft.function
    def f(n: Any) -> Any:
        grid.T[1] = n
        return grid.T, other[n], other.reshape(3, 2)[1:]

    results = f(np.int64(1))
    assert grid.tolist() == [[0, 1, 2], [3, 1, 5]]
    assert all(np.shares_memory(result, base) for result in results)

"""Functions that call themselves, and what lies outside of them: it may be another thing in each call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from support.behaviour_harness import refused, same
from weft.dialect.errors import UnsupportedError

I64 = np.int64


class Log:
    def __init__(self) -> None:
        self.step = 1
        self.total = 0.0
        self.row = np.zeros(3)


def variable(k: Any) -> Any:
    calls = 0

    def visit(k: Any) -> None:
        nonlocal calls
        calls += 1
        if k > 0:
            visit(k - 1)
            visit(k - 2)

    visit(k)
    return calls


def attribute(k: Any) -> Any:
    log = Log()

    def visit(k: Any) -> Any:
        if k > 0:
            log.total += k / 2
            return visit(k - 1) + log.step
        return log.step

    first = visit(k)
    log.step = 10
    return first, visit(k), log.total


def path(k: Any) -> Any:
    held, longest = [], [0]

    def visit(k: Any) -> Any:
        if k <= 0:
            return len(held)
        held.append(k)
        longest[0] = max(longest[0], len(held))
        found = visit(k - 1) + visit(k - 3) + held[-1]
        held.pop()
        return found

    return visit(k), held, longest


def passed(k: Any) -> Any:
    grid = [[0, 0, 0], [0, 0, 0]]

    def fill(grid: Any, r: Any) -> Any:
        if r >= 6:
            return 0
        grid[r // 3][r % 3] = int(r) + 1
        return fill(grid, r + 1) + grid[0][0]

    return fill(grid, k), grid


def captured(k: Any) -> Any:
    def down(k: Any) -> Any:
        return factor if k <= 0 else down(k - 1) * factor

    factor = k + 1
    first = down(k)
    factor = k + 2
    return first, down(k)


def entry(k: Any) -> Any:
    known = {0: 1, 1: 1}

    def steps(k: Any) -> Any:
        if int(k) not in known:
            known[int(k)] = steps(k - 1) + steps(k - 2)
        return known[int(k)]

    return steps(k)


def caught(k: Any) -> Any:
    seen = [0, 0]

    def visit(k: Any) -> Any:
        seen[0] += 1
        if k == 3:
            raise ValueError("three")
        return 0 if k <= 0 else visit(k - 1)

    try:
        visit(k)
    except ValueError:
        seen[1] = seen[0]
    return seen


@pytest.mark.parametrize("program", [variable, attribute, path, passed, captured, entry, caught])
def test_it_is_what_it_is_in_python(program: Callable[..., Any]) -> None:
    same(program, I64(4), I64(1), joined=True)


@pytest.mark.soak
@settings(max_examples=5, deadline=None)
@given(st.integers(1, 5), st.lists(st.integers(0, 4), min_size=5, max_size=5), st.booleans())
def test_permutations_are_those_of_python(size: int, numbers: list[int], is_counted: bool) -> None:
    def permutations(numbers: Any, limit: Any) -> Any:
        used, chosen, found = [False] * size, [0] * size, [0, 0]

        def place(depth: Any) -> None:
            if depth >= size:
                found[0] += 1
                if chosen[0] * 3 + chosen[-1] > limit:
                    found[1] += sum(chosen) if is_counted else 1
                return
            for i in range(size):
                if not used[i]:
                    used[i], chosen[depth] = True, int(numbers[i])
                    place(depth + 1)
                    used[i] = False

        place(I64(0))
        return found, used

    given_numbers = np.array(numbers)
    result = weft.function(permutations)(given_numbers, I64(5))
    assert result == permutations(given_numbers, I64(5))


def test_arrays_outside_that_are_others_in_other_calls_are_not_written() -> None:
    def shift(k: Any, x: Any) -> Any:
        log = Log()

        def visit(k: Any) -> Any:
            log.row[0] += 1.0
            if k > 0:
                log.row = log.row + x
                visit(k - 1)

        visit(k)
        return log.row

    same(shift, (I64(3), np.ones(3)))  # each call has the array of the one before

    def kept(k: Any, x: Any) -> Any:
        log = Log()
        log.row = x

        def visit(k: Any) -> Any:
            log.row[0] += 1.0
            if k > 0:
                log.row = log.row + x
                visit(k - 1)

        visit(k)
        return log.row

    refused(kept, I64(3), np.ones(3), error=UnsupportedError, match="finds in log.row, which holds another")


def handed_on_as_a_tuple_or_list(k: Any) -> Any:
    held: Any = None

    def visit(k: Any) -> Any:
        nonlocal held
        held = (k,) if held is None else [k, k]
        return 0 if k <= 0 else visit(k - 1)

    visit(k)
    return held


def test_values_that_are_not_alike_are_handed_on() -> None:
    same(handed_on_as_a_tuple_or_list, (I64(3),), (I64(0),), traces=None)


def test_what_cannot_be_handed_on_is_said() -> None:
    def mixed(k: Any, x: Any) -> Any:
        held: Any = None

        def visit(k: Any) -> Any:
            nonlocal held
            others = x if k == 1 else {1: k} if k == 0 else k
            held = (k,) if held is None else [k, k] if k == 2 else others
            return 0 if k <= -1 else visit(k - 1)

        visit(k)
        return held

    refused(
        mixed,
        I64(3),
        np.ones(2),
        error=UnsupportedError,
        match="changes held, which lives outside of it, to what",
    )

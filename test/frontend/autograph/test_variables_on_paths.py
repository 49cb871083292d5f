"""Where paths join: a variable on one and an array on another, and arrays from outside that are written then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

F64 = np.float64
SMALL = np.array([3.0, 4.0])


class State:
    def __init__(self) -> None:
        self.array = np.array([3.0, 4.0])
        self.variable = weft.Variable([3.0, 5.0])


def chosen(v: Any, c: Any) -> Any:
    r = v
    if c <= 0:
        r = v**2
    return r * 1


def by_expression(v: Any, c: Any) -> Any:
    return (v if c > 0 else 0 * v) + 1


def written_on_the_path(v: Any, c: Any) -> Any:
    if c > 0:
        v.assign_add(1.0)
        r = v
    else:
        r = v**2
    return r * 1


def in_a_loop(v: Any, c: Any) -> Any:
    r = v
    while c > 0:
        r, c = r * 2, c - 1
    return r + 0


@pytest.mark.parametrize("program", [chosen, by_expression, written_on_the_path, in_a_loop])
@pytest.mark.parametrize("initial", [3.0, [3.0, 5.0]])
def test_a_variable_beside_an_array(program: Callable[..., Any], initial: Any) -> None:
    compiled = weft.function(program)
    for c in (-1.0, 1.0, 2.0):
        eager, traced = weft.Variable(initial), weft.Variable(initial)
        np.testing.assert_array_equal(compiled(traced, F64(c)), program(eager, F64(c)))
        np.testing.assert_array_equal(traced.value, eager.value)


def variable_written_later(state: Any, c: Any) -> Any:
    r = state.variable if c > 0 else state.variable**2
    state.variable.assign_add(1.0)
    return r * 1


def chosen_variable_written(state: Any, c: Any) -> Any:
    r = state.variable if c > 0 else state.variable**2
    r += 1
    return r


def chosen_constant_written(state: Any, c: Any) -> Any:
    r = state.array if c > 0 else state.array**2
    r += 1
    return r, state.array.copy()


def chosen_global_written(state: Any, c: Any) -> Any:
    held = {"array": SMALL} if c > 0 else {"array": SMALL * 2}
    held["array"][0] = 1
    return held["array"] * 1


def test_what_would_be_seen_in_an_array_that_is_compiled_in_is_refused() -> None:
    with pytest.raises(
        weft.UnsupportedError, match=r"this writes to an array .* another array of the program"
    ):
        weft.function(chosen_global_written)(State(), F64(1))


@pytest.mark.parametrize(
    "program", [variable_written_later, chosen_variable_written, chosen_constant_written]
)
def test_an_array_of_the_state_on_a_path_is_itself(program: Callable[..., Any]) -> None:
    for c in (1.0, -1.0):
        mine, other = State(), State()
        np.testing.assert_array_equal(weft.function(program)(mine, F64(c)), program(other, F64(c)))
        np.testing.assert_array_equal(np.asarray(mine.variable), np.asarray(other.variable))
        np.testing.assert_array_equal(mine.array, other.array)


def test_a_copy_of_an_array_from_outside_is_written() -> None:
    def program(state: Any, c: Any) -> Any:
        r = state.array.copy() if c > 0 else state.array**2
        r += 1
        return r, state.array + 0

    for c in (1.0, -1.0):
        for got, expected in zip(
            weft.function(program)(State(), F64(c)), program(State(), F64(c)), strict=True
        ):
            np.testing.assert_array_equal(got, expected)

"""What a function stores to a place that holds it is stored at later calls, too, where it holds something else."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import weft

MODE = "a"
X = np.ones(2)


def test_globals() -> None:
    global MODE

    @weft.function
    def reset(x):
        global MODE
        MODE = "a"
        return x + 1

    reset(X)
    for other in ("b", "c", "a"):
        MODE = other
        reset(X)
        assert MODE == "a"
    assert reset.trace_count == 2


def test_variables_of_functions_around() -> None:
    level = 3

    @weft.function
    def reset(x):
        nonlocal level
        level = 3
        return x + 1

    reset(X)
    level = 7
    reset(X)
    assert level == 3


def test_variables_that_functions_inside_assign() -> None:
    level = 3

    @weft.function
    def reset(x):
        def inner():
            nonlocal level
            level = 3

        inner()
        return x + 1

    reset(X)
    level = 7
    reset(X)
    assert level == 3


class Slotted:
    __slots__ = ("value",)


@pytest.mark.parametrize("kind", [SimpleNamespace, Slotted])
def test_attributes(kind: type) -> None:
    held, given = kind(), kind()
    held.value = given.value = 3

    @weft.function
    def reset(x, box):
        held.value = 3
        box.value = 3
        return x

    reset(X, given)
    for other in (8, 9):
        held.value = given.value = other
        reset(X, given)
        assert (held.value, given.value) == (3, 3)


def test_on_one_path() -> None:
    held = SimpleNamespace(value=3)

    @weft.function
    def reset(x):
        if x[0] > 0:
            held.value = 3
        return x

    reset(X)
    held.value = 8
    reset(-X)
    assert held.value == 8
    reset(X)
    assert held.value == 3


def test_what_changes_at_each_call_is_not_compared() -> None:
    held = SimpleNamespace(last=None)

    @weft.function
    def keep(x):
        held.last = x * 2
        return x

    for n in range(4):
        keep(X * n)
        assert np.array_equal(held.last, X * n * 2)
    assert keep.trace_count == 1


def test_objects_made_in_the_call_are_nothing_to_compare() -> None:
    @weft.function
    def made(x):
        box = SimpleNamespace(value=1)
        box.value = 1
        return x * box.value

    made(X)
    made(X)
    assert made.trace_count == 1


def test_arrays_of_arguments_that_are_changed_in_place_are_not_compared() -> None:
    @weft.function
    def descend(state, step):
        state.weight -= step
        return {}

    state = SimpleNamespace(weight=np.ones(3))
    for _ in range(3):
        assert descend(state, X[0]) == {}
    assert state.weight.tolist() == [-2, -2, -2]

"""How often the bodies of loops are recorded: what one recording finds, the next ones begin with."""

from __future__ import annotations

from collections import Counter
from typing import Any
from unittest import mock

import numpy as np
import pytest

import weft
from support.conversion import define
from weft.frontend.autograph.operators.branches import branches
from weft.frontend.autograph.operators.loops.loops import _Recording

COUNT = weft.TensorSpec((), "int64")
SIZES = weft.TensorSpec((3,), "float64")


def recordings(function: Any, *arguments: Any) -> list[int]:
    """How often the body of each loop of a function is recorded, that of the first loop met first."""
    begun: Counter[Any] = Counter()
    run = _Recording.run

    def counted(recording: _Recording) -> Any:
        begun[recording.loop.watched[-1].__code__] += 1  # type: ignore[union-attr]
        return run(recording)

    with mock.patch.object(_Recording, "run", counted):
        weft.eval_shape(function, *arguments)
    return list(begun.values())


def branches_recorded(function: Any, *arguments: Any) -> int:
    """How often branches of a function are recorded, all together."""
    with mock.patch.object(branches, "_stage_if", wraps=branches._stage_if) as recorded:
        weft.eval_shape(function, *arguments)
    return recorded.call_count


def lists_of_branches(depth: int) -> Any:
    """Branches in branches, of which each makes a list longer that the one around it made."""

    def inside(x: Any, items: list[Any], left: int) -> Any:
        if x[left % 3] * left > items[0]:
            items.append(x[0])
            made = [x[1]]
            if left:
                x = inside(x + len(made), made, left - 1)
            x = x + made[-1] * len(made)
        return x + len(items)

    return lambda x: inside(x, [x[2]], depth)


def two_lists(count: Any, x: Any) -> Any:
    first: list[Any] = []
    second: list[Any] = []
    total = np.zeros(3)
    for i in range(count):
        total = total + x * i
        first.append(total.sum())
        second.append(i)
    return first, second, total


class Layer:
    """One that remembers what it was called with, as layers of networks do."""

    def __init__(self) -> None:
        self.weights = np.ones(3)
        self.given: Any = None
        self.momentum: Any = None

    def step(self, x: Any) -> Any:
        self.given = x
        if self.momentum is None:
            self.momentum = np.zeros(3)
        self.momentum = 0.5 * self.momentum + (self.weights - x)
        self.weights = self.weights - 0.5 * self.momentum
        return (self.weights * self.given).sum()


def trained(epochs: Any, x: Any) -> Any:
    layer, errors = Layer(), []
    for _ in range(epochs):
        batch = []
        for i in range(20):
            batch.append(layer.step(x * i))
        errors.append(np.mean(batch))
    return errors, layer.weights


def state(x: Any, most: Any) -> Any:
    found = {"a": np.ones(3), "b": np.ones(3)}
    change = None
    while change is None or change > most:
        before = found["a"]
        found["a"] = 0.5 * (found["a"] + x * found["b"])
        found["b"] = found["b"] * 0.5
        change = np.abs(found["a"] - before).sum()
    return found["a"], found["b"]


def never_its_own(count: Any, x: Any) -> Any:
    """From the second iteration on `now` is always `other`: both names are of one array, which is written."""
    now, other = x, x * 2
    for _ in range(count):
        now[0] += 1
        now = other
    return now, other


class Seen:
    """One whose array has a second name from the first step on, and is written in the others."""

    def __init__(self) -> None:
        self.array: Any = None
        self.alias: Any = None

    def step(self, x: Any) -> Any:
        if self.array is None:
            self.array = x * 2
            self.alias = self.array
        self.array += x
        return self.alias.sum()


def seen_by_two_names(x: Any) -> Any:
    seen, total = Seen(), np.zeros(3)
    for i in range(40):
        total = total + seen.step(x * i)
    return total, seen.alias


X = np.array([1.0, 0.25, 0.5])


@pytest.mark.parametrize("count", [0, 1, 30])
def test_values(count: int) -> None:
    n = np.int64(count)
    assert str(weft.function(two_lists)(n, X)) == str(two_lists(n, X))
    np.testing.assert_array_equal(weft.function(never_its_own)(n, X.copy()), never_its_own(n, X.copy()))


def test_values_of_training() -> None:
    for one, other in zip(weft.function(seen_by_two_names)(X), seen_by_two_names(X), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    for one, other in zip(weft.function(trained)(20, X), trained(20, X), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    for one, other in zip(weft.function(state)(X, 1e-3), state(X, 1e-3), strict=True):
        np.testing.assert_array_equal(one, other)


def test_values_of_branches() -> None:
    for x in (X, -X, X * 9):
        function = lists_of_branches(3)
        np.testing.assert_array_equal(weft.function(function)(x), function(x))


def test_branches_begin_with_what_was_found_in_others_around_them() -> None:
    small, large = (branches_recorded(lists_of_branches(depth), SIZES) for depth in (4, 8))
    assert large < 4 * small


def test_all_that_one_recording_finds_is_in_the_next() -> None:
    assert recordings(two_lists, COUNT, SIZES) == [2]


def test_attributes_that_the_first_iteration_makes() -> None:
    outer, inner = recordings(trained, 20, SIZES)
    assert outer <= 3
    assert inner <= 6


def test_what_an_iteration_of_pythons_changed_is_carried_at_once() -> None:
    assert recordings(state, SIZES, weft.TensorSpec((), "float64")) == [1]


def searched(depth: int) -> Any:
    """Loops in loops, of which the innermost returns what it finds."""
    lines = ["def f(x, most):"]
    for level in range(depth):
        lines.append(f"{'    ' * (level + 1)}for i{level} in range(len(x)):")
    inside = "    " * (depth + 1)
    lines += [f"{inside}if x[i0] + {depth} > most:", f"{inside}    return i0", "    return -1"]
    return define("\n".join(lines))


def test_loops_that_may_be_left_are_recorded_with_a_test_at_once() -> None:
    sizes = weft.TensorSpec((None,), "float64"), weft.TensorSpec((), "float64")
    for depth in (1, 2, 4):
        assert recordings(searched(depth), *sizes) == [2 + level for level in range(depth)]
    for most in (1.0, 4.4, 99.0):
        function = searched(3)
        found, expected = weft.function(function)(np.arange(5.0), most), function(np.arange(5.0), most)
        assert (found, type(found)) == (expected, type(expected))


def left_by_a_constant(x: Any, is_short: bool) -> Any:
    total = x[0] * 0
    for value in x:
        if is_short:
            break
        total = total + value
    return total


def test_loops_that_no_value_leaves_count() -> None:
    assert recordings(left_by_a_constant, weft.TensorSpec((None,), "float64"), False) == [2]
    for is_short in (True, False):
        assert weft.function(left_by_a_constant)(X, is_short) == left_by_a_constant(X, is_short)


def collected(number: int) -> Any:
    """A list for each of some remainders, and one that grows last in each iteration."""
    names = [f"items{rest}" for rest in range(number)]
    lines = ["def f(x):", *(f"    {name} = []" for name in names), "    others = []", "    for value in x:"]
    lines += [
        f"        {'el' * (k > 0)}if value % {number} == {k}: {n}.append(value)" for k, n in enumerate(names)
    ]
    lines += ["        others.append(value * 2)", f"    return {', '.join(names)}, others"]
    return define("\n".join(lines))


def test_lists_that_grow_on_the_paths_of_a_branch_are_found_together() -> None:
    sizes = weft.TensorSpec((None,), "int64")
    few, many = (recordings(collected(number), sizes) for number in (3, 6))
    assert few == many == [4]
    values = np.array([5, 1, 2, 9, 12, 7])
    assert str(weft.function(collected(4))(values)) == str(collected(4)(values))

"""Helpers that call helpers in several places: recorded once and called, where copies would double at each level."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import pytest

import weft
from weft.frontend.autograph.operators.branches import branches

X = np.arange(10.0) % 7


class Count:
    n = 0
    array: Any = None


count = Count()


def grown(a: Any, v: Any) -> Any:
    if v > 0:
        a = a + v * a
    return a


def noted(a: Any, v: Any) -> Any:
    if v > 20:
        raise ValueError("too large")
    count.n += 1
    return a + v


def halved(a: Any, i: Any) -> Any:
    if a[i] > 2:
        a[i] = a[i] * 0.5
    else:
        a[i] += 1
    return i


_LEVEL = """
def level_{level}(a, v):
    if np.sum(v) > {level}:
        {below}(a, v)
    return {below}(a, v)
"""


def of_depth_of(first: Callable[..., Any], depth: int) -> Callable[..., Any]:
    """The same with helpers that also take an array that is tested."""
    return of_depth(first, depth, _LEVEL.replace("(a, v)", "(a, x, v)").replace("np.sum(v)", "x[1]"))


def of_depth(first: Callable[..., Any], depth: int, level_text: str = _LEVEL) -> Callable[..., Any]:
    """A helper that calls one in two places, which calls one in two places, and so on."""
    below, text = "first", "import numpy as np\n"
    for level in range(depth):
        text += level_text.format(level=level, below=below)
        below = f"level_{level}"
    name = f"levels_{first.__name__}_{depth}.py"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    module: dict[str, Any] = {"first": first, "__name__": name[:-3]}
    exec(compile(text, name, "exec"), module)
    found: Callable[..., Any] = module[below]
    return found


def branches_recorded(depth: int) -> int:
    """How many branches are recorded for one call."""
    helper, found, stage = of_depth(grown, depth), 0, branches._stage_if

    def counted(*arguments: Any) -> Any:
        nonlocal found
        found += 1
        return stage(*arguments)

    with mock.patch.object(branches, "_stage_if", counted):
        weft.eval_shape(lambda x: helper(1.0, x), weft.TensorSpec((), "float64"))
    return found


def test_deeper_helpers_record_as_much_more_as_their_text() -> None:
    eight, twelve, sixteen = map(branches_recorded, (8, 12, 16))
    assert sixteen - twelve <= 2 * (twelve - eight) + 4
    assert sixteen < 1000


@pytest.mark.parametrize("value", [-1.0, 3.0])
def test_values_and_derivatives(value: float) -> None:
    helper, x = of_depth(grown, 7), np.float64(value)

    def program(x: Any) -> Any:
        return helper(1.0, x)

    compiled = weft.function(program)
    assert repr(compiled(x)) == repr(program(x))
    assert "func.func private" in compiled.get_concrete_function(x).as_text("weft")
    assert weft.grad(program)(x) == (1.0 if value > 0 else 0.0)


def test_attributes_and_exceptions_are_those_of_copies() -> None:
    helper = of_depth(noted, 7)

    def program(xs: Any) -> Any:
        total = 0.0
        count.n = 0
        for v in xs:
            try:
                total = helper(total, v)
            except ValueError:
                total -= 1
        return total, count.n

    compiled = weft.function(program)
    for xs in (X, X * 10):
        assert repr(compiled(xs)) == repr(program(xs))


def test_arrays_that_are_written() -> None:
    helper = of_depth(halved, 7)

    def program(a: Any, n: Any) -> Any:
        for i in range(n):
            helper(a, i % 3)
        return a

    found, expected = np.array([1.0, 5.0, 9.0]), np.array([1.0, 5.0, 9.0])
    assert weft.function(program)(found, np.int64(5)) is found
    program(expected, 5)
    np.testing.assert_array_equal(found, expected)


def appended(items: Any, v: Any) -> Any:
    total = 0.0
    for item in items:
        total += item
    if v + total > 1:
        items.append(v * 0.5)
    return len(items)


def in_order(items: Any, v: Any) -> Any:
    if v > 1:
        items.append(int(v))
    elif v > 0:
        items.append(True)
    else:
        items.append(v)
    return items[0]


def listed(items: Any, v: Any) -> Any:
    if v > 1:
        items.append(v)
    return items


@pytest.mark.parametrize("first", [appended, in_order])
def test_lists_that_grow_are_handed_on(first: Any) -> None:
    helper = of_depth(first, 6)

    def program(x: Any) -> Any:
        items: list[Any] = []
        for k in range(3):
            last = helper(items, x * k)
        return last, items

    compiled = weft.function(program)
    for x in (np.float64(0.0), np.float64(1.5), np.float64(9.0)):
        assert repr(compiled(x)) == repr(program(x))
    assert "func.func private" in compiled.get_concrete_function(np.float64(0.0)).as_text("weft")


def test_lists_that_are_returned_stay_themselves() -> None:
    helper = of_depth(listed, 6)

    def program(x: Any) -> Any:
        items: list[Any] = []
        found = helper(items, x)
        found.append(x)
        return found, items, found is items

    compiled = weft.function(program)
    for x in (np.float64(0.0), np.float64(9.0)):
        assert repr(compiled(x)) == repr(program(x))


def test_deeper_helpers_of_lists_record_as_much_more_as_their_text() -> None:
    def recorded(depth: int) -> int:
        helper = of_depth(appended, depth)

        def program(x: Any) -> Any:
            items: list[Any] = []
            return helper(items, x), items

        with mock.patch.object(branches, "_stage_if", wraps=branches._stage_if) as stage:
            weft.eval_shape(program, weft.TensorSpec((), "float64"))
        return stage.call_count

    seven, nine, eleven = map(recorded, (7, 9, 11))
    assert eleven - nine <= 2 * (nine - seven) + 4
    assert eleven < 2000


def test_arrays_that_are_returned_from_outside_stay_themselves() -> None:
    def doubled(v: Any, w: Any) -> Any:
        if w > 1:
            count.array = count.array * 2
        return count.array

    helper = of_depth(doubled, 7)

    def program(x: Any) -> Any:
        count.array = np.ones(3) * x
        total = helper(x, x).sum()
        found = helper(x, x - 3)
        found[0] = 7.0
        return count.array, found, total

    compiled = weft.function(program)
    for x in (np.float64(0.5), np.float64(2.0)):
        assert repr(compiled(x)) == repr(program(x))


def test_lists_that_hold_arrays_of_the_caller_are_told_of_writes() -> None:
    def kept(items: Any, x: Any, v: Any) -> Any:
        if x[0] > v:
            items.append(x)
        return v

    helper = of_depth_of(kept, 6)

    def program(x: Any) -> Any:
        items: list[Any] = []
        helper(items, x, 1.0)
        x[0] = 99.0
        return items

    with pytest.raises(weft.UnsupportedError, match="written to afterwards"):
        weft.function(program)(np.arange(4.0) + 2)

"""Variables, globals, attributes and entries that have the names of others: each keeps what is its own."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft.dialect.errors import UnsupportedError

F64 = np.float64
X = np.ones(3)
gain = "a global"


class Box:
    """An object with attributes."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


def with_dead_names(x, box, table):
    """Loops and branches that bind `inner`, `box`-like names and `gain`, which nothing reads behind them."""
    for _ in range(100):
        inner = np.tanh(x)
        x = inner * x
    if x.sum() > -1:
        gain, kept = x * 2, x * 3
        x = gain + kept
    while x.sum() < 1000:
        step = x + 1
        x = x + step
    for value in x:
        for gain in (v for v in x if v > value):
            x = x + gain
    try:
        cause = 1 / x[0].item() if x[0] > 0 else x[0]
        x = x + cause
    except ZeroDivisionError:
        pass
    return x + box.inner + table["gain"]


def and_fails(x, box, table):
    """As above, and then fails while it is traced."""
    with_dead_names(x, box, table)
    for _ in range(100):
        inner = np.tanh(x)
        x = inner * x
    return np.no_such_function(x)


def calls(inner):
    """A function with variables of its own that have the names of those in what it calls."""
    gain, step, value, cause, kept, box = (
        2.0,
        Box(step=1),
        [1],
        ValueError("mine"),
        (1, 2),
        Box(inner=1.0, gain=3),
    )
    table = {"gain": 1.0, "inner": [1]}

    def outside(x):
        return inner(x, box, table) + gain * step.step * len(value) * len(kept) * (cause is None)

    return outside


def contents(function):
    """What the variables of a function hold, and what is in that."""
    held = {
        name: cell.cell_contents
        for name, cell in zip(function.__code__.co_freevars, function.__closure__, strict=True)
    }
    return held, repr(
        {name: getattr(value, "__dict__", value) for name, value in held.items() if name != "inner"}
    )


@pytest.mark.parametrize("inner", [with_dead_names, and_fails])
def test_names_that_nothing_reads_any_more_do_not_empty_others(inner):
    function = calls(inner)
    before = contents(function)
    compiled = weft.function(function)
    for _ in range(2):
        if inner is and_fails:
            with pytest.raises(AttributeError, match="no_such_function"):
                compiled(X)
        else:
            np.testing.assert_allclose(compiled(X), function(X), rtol=1e-12)
        after = contents(function)
        assert all(after[0][name] is value for name, value in before[0].items())
        assert after[1] == before[1]
        assert gain == "a global"


def test_variables_named_as_those_of_the_operators():
    def f(x):
        total = 0.0
        for body in (v for v in x if v > 0):
            total = total + body
        for condition in filter(lambda v: v > 1, x):
            total = total + condition
        for i in range(100):
            position = 0.5
            for k in range(100):
                position = position + x[k]
                if position > 10.0 + i:
                    break
            total = total + position + k
        return total

    x = np.arange(100.0)
    assert weft.function(f)(x) == f(x)


def counter(count):
    """A function that adds to a variable of its own."""

    def add(step):
        nonlocal count
        count = count + step
        return count

    return add


def test_loops_inside_of_loops_count_in_variables_of_equal_names():
    def f(x):
        counts, sums = counter(0), counter(0.0)
        for _ in range(100):
            for k in range(100):
                counts(1)
                sums(x[k])
        return counts(0), sums(0.0)

    x = np.arange(100.0)
    found, expected = weft.function(f)(x), f(x)
    assert found == expected
    assert list(map(type, found)) == list(map(type, expected))


def test_a_loop_that_is_recorded_for_each_item_starts_with_its_own_types():
    def f(x):
        found = []
        for start, step in ((0.5, 1), (0, 1), (np.float32(1), np.float32(1)), (1, 0.5)):
            value = start
            for _ in range(100):
                value = value + step if x[0] > 0 else value
            found.append(value)
        return found

    found, expected = weft.function(f)(X), f(X)
    assert found == expected
    assert list(map(type, found)) == list(map(type, expected))


def test_a_dict_with_a_key_named_order():
    def f(x):
        d = {"order": x * 0, "a": x}
        if x[0] > 0:
            d["order"] = x
            d["b"] = x
        else:
            d["b"] = x * 2
        return d

    def reordered(x):
        d = {"a": x, "order": x * 0}
        if x[0] > 0:
            d["a"] = d.pop("a")
            d["order"] = x
        return d

    for x in (X, -X):
        found = weft.function(f)(x)
        assert list(found) == list(f(x))
        np.testing.assert_array_equal(list(found.values()), list(f(x).values()))
    with pytest.raises(UnsupportedError, match="order of the keys of d"):
        weft.function(reordered)(X)


def test_a_variable_of_a_function_around_is_deleted_where_the_function_returns():
    kept = 1.0

    def f(x):
        nonlocal kept
        if x[0] > 0:
            del kept
            return x
        kept = 3.0
        return x * 2

    with pytest.raises(UnsupportedError, match="kept is bound on some paths only"):
        weft.function(f)(X)
    assert kept == 1.0

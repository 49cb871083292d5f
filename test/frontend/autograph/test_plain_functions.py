"""Functions of plain values run as Python runs them while their caller is traced, and are guarded as converted ones."""

from __future__ import annotations

import math
import time
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

STEP, START = 1, 2
LIMITS = [3, 4]
COUNTS = {"calls": 0}


def primes(count: Any) -> Any:
    found: list[int] = []
    number = START
    while len(found) < count:
        for prime in found:
            if prime * prime > number:
                found.append(number)
                break
            if number % prime == 0:
                break
        else:
            found.append(number)
        number += STEP
    return found


def fibonacci(n: Any) -> Any:
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def text_of(names: Any, width: Any = 3) -> Any:
    return {name.upper(): [i**2 for i in range(width) if i % 2 == 0] for name in names}


def roots(n: Any) -> Any:
    return (
        [math.sqrt(i) for i in range(n)],
        sorted({i % 3 for i in range(n)}),
        2**70 + sum(i for i in range(n)),
    )


def failing(n: Any) -> Any:
    total = 0
    for i in range(n):
        total += 1 // (i - 2)
    return total


def limited(n: Any) -> Any:
    return [i for i in range(n) if i < LIMITS[0]]


def counting(n: Any) -> Any:
    for _ in range(n):
        COUNTS["calls"] += 1
    return COUNTS["calls"]


def walked(n: Any) -> Any:
    return (i for i in range(n))


def summed(values: Any) -> Any:
    total = 0
    for value in values:
        total += value
    return total


def forever(n: Any) -> Any:
    total = 0.0
    for i in range(n):
        total += 1.0 / (i + 1)
    return total


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    try:
        return repr(function(*args))
    except Exception as error:
        return type(error), str(error).partition("\n")[0]


@pytest.mark.parametrize(
    "helper",
    [
        lambda: primes(30),
        lambda: fibonacci(12),
        lambda: text_of(("a", "b")),
        lambda: text_of("ab", width=5),
        lambda: roots(5),
        lambda: failing(2),
        lambda: failing(4),
        lambda: limited(6),
        lambda: list(walked(4)),
        lambda: summed((1, 2.5)),
        lambda: summed([1, 2.5]),
    ],
)
def test_results_are_those_of_python(helper: Callable[[], Any]) -> None:
    def function(x: Any) -> Any:
        return x + 1, helper()

    assert outcome(weft.function(function), 1.0) == outcome(function, 1.0)


def test_a_table_takes_no_longer_than_in_python() -> None:
    compiled = weft.function(lambda x: x + sum(primes(2000)))
    begin = time.process_time()
    made = compiled(1.0)
    assert time.process_time() - begin < 3  # 8 s where each step is converted
    assert made == 1.0 + sum(primes(2000))


def test_what_they_read_is_guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    def function(x: Any) -> Any:
        return x + np.array(primes(4)).sum() + sum(limited(9)) + sum(text_of("a")["A"])

    compiled = weft.function(function)
    assert compiled(1.0) == function(1.0)
    monkeypatch.setitem(globals(), "START", 5)
    assert compiled(1.0) == function(1.0)
    monkeypatch.setitem(globals(), "STEP", 2)
    assert compiled(1.0) == function(1.0)
    monkeypatch.setitem(globals(), "LIMITS", [7, 4])
    assert compiled(1.0) == function(1.0)
    monkeypatch.setattr(text_of, "__defaults__", (6,))
    assert compiled(1.0) == function(1.0)
    changed = compile(
        "def primes(count):\n    return [count for _ in range(count)]", __file__, "exec"
    ).co_consts[0]
    assert isinstance(changed, types.CodeType)
    monkeypatch.setattr(primes, "__code__", changed)
    assert compiled(1.0) == function(1.0)
    monkeypatch.setitem(globals(), "range", lambda n: [n])
    assert compiled(1.0) == function(1.0)


def test_effects_stay() -> None:
    compiled = weft.function(lambda x: x + counting(3))
    assert [float(compiled(1.0)) for _ in range(2)] == [4.0, 7.0]
    assert COUNTS["calls"] == 6


def test_lists_are_new_ones_each_time() -> None:
    def function(x: Any) -> Any:
        one, other = primes(3), primes(3)
        one.append(x)
        for _ in range(x):
            other.append(7)
        return one, other, one is other

    compiled = weft.function(function)
    for value in (np.int64(2), np.int64(4)):
        assert outcome(compiled, value) == outcome(function, value)


def test_long_loops_are_compiled() -> None:
    compiled = weft.function(lambda x: x + forever(10_000_000))
    np.testing.assert_allclose(compiled(1.0), 1.0 + np.sum(1 / np.arange(1, 10_000_001)), rtol=1e-12)


def test_traced_values_are_converted() -> None:
    compiled = weft.function(lambda x, n: (summed((x, 2.0)), summed(x.reshape(2)[:1]), forever(n)))
    x = np.arange(2.0)
    made = compiled(x, np.int64(4))
    assert made[1] == x[0]
    np.testing.assert_allclose(made[2], forever(4))

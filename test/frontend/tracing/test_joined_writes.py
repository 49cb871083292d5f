"""What is written to one of two arrays, as a condition says, is written to that one, and the other way round."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from support.differential import assert_same

pytestmark = pytest.mark.filterwarnings("ignore:each iteration copies an array")

NAMES = ("x", "y", "a", "b")
CALLS = ((1, 0), (0, 1), (1, 2), (0, 0))


class Program:
    """A function at random that gives arrays other names on paths, and writes to them."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._lines = ["def f(x, y, c0, c1):", "    a = np.arange(3.0) + 5", "    b = x + 10"]
        for _ in range(self._random.randrange(3, 9)):
            self._statement("    ", 0)
        self._lines.append("    return x, y, a, b")

    @property
    def source(self) -> str:
        return "\n".join(self._lines) + "\n"

    def _name(self) -> str:
        return self._random.choice(NAMES)

    def _condition(self) -> str:
        first = ("c0 > 0", "c1 > 0", "c0 + c1 > 1", f"{self._name()}[{self._random.randrange(3)}] > 4")
        return self._random.choice(first)

    def _value(self) -> str:
        name = self._name()
        return self._random.choice(
            (name, name, name, f"{name}.copy()", f"{name} + 1", f"{name}[::-1]", f"{name}[:]")
        )

    def _write(self) -> str:
        name, place = self._name(), self._random.randrange(3)
        writes = (
            f"{name}[{place}] = 7", f"{name}[1:] += 1", f"{name} += 2", f"{name}[:] = {self._name()} + 1",
            f"np.add({name}, 1, out={name})", f"{name}[{name} > 3] = 0", f"{name}.fill({place})",
        )  # fmt: skip
        return self._random.choice(writes)

    def _statement(self, indent: str, depth: int) -> None:
        kind = self._random.random()
        if kind < 0.25:
            self._lines.append(f"{indent}{self._name()} = {self._value()}")
        elif kind < 0.55:
            self._lines.append(indent + self._write())
        elif kind < 0.7 or depth > 1:
            choice = f"{self._value()} if {self._condition()} else {self._value()}"
            self._lines.append(f"{indent}{self._name()} = {choice}")
        else:
            head = f"if {self._condition()}:" if kind < 0.93 else f"for i{depth} in range(c1):"
            self._lines.append(indent + head)
            for _ in range(self._random.randrange(1, 3)):
                self._statement(indent + "    ", depth + 1)


def outcome(function: Any, c0: int, c1: int) -> list[Any]:
    x, y = np.array([1.0, 4.0, 2.0]), np.array([3.0, 0.0, 7.0])
    found = function(x, y, np.int64(c0), np.int64(c1))
    return [one.tolist() for one in (*found, x, y)]


@pytest.mark.parametrize("part", range(4))
def test_programs_at_random(part: int, tmp_path: Path) -> None:
    """Each is right or refused; most are right."""
    right = 0
    for seed in range(30 * part, 30 * part + 30):
        file, names = tmp_path / f"program_{seed}.py", {"np": np}
        file.write_text(Program(seed).source)
        exec(compile(file.read_text(), str(file), "exec"), names)
        compiled = weft.function(names["f"])
        try:
            found = [outcome(compiled, *call) for call in CALLS]
        except weft.UnsupportedError:
            continue
        assert found == [outcome(names["f"], *call) for call in CALLS], file.read_text()
        right += 1
    assert right >= 15


def by_condition(x: Any, y: Any, c: Any) -> Any:
    if x.max() > 2:
        x = x / 2
    held = x if c > 0 else y
    held[0] = 9.0
    x[1] += 1
    return held, x


def views(x: Any, y: Any, c: Any) -> Any:
    held = x[1:] if c > 0 else y[::-1][:2]
    held += 1
    x[2] = -1.0
    return held, x, y


def chained(x: Any, y: Any, c: Any) -> Any:
    first = x if c > 0 else y
    second = first if c < 5 else y
    first[0] += 1
    second[1] += 2
    y[2] += 3
    return first, second


def in_loops(x: Any, y: Any, c: Any) -> Any:
    held = x if c > 0 else y
    for i in range(np.abs(c)):
        held[i % 3] += 1
        if i > 1:
            x += held
    return held


def of_run_time_lengths(x: Any, y: Any, c: Any) -> Any:
    first, second = x[x > 1], y[y < 100]
    held = first if c > 0 else second
    held *= 2
    return held, first, second


def nested(x: Any, y: Any, c: Any) -> Any:
    held = y
    if c < 5:
        if x[0] > -1:
            held = x if c > 0 else y[::-1]
        held[1] += 4
    elif y[0] > 7:
        held = x.copy()
    x[0] += 1
    held *= 3
    y[2] = -2.0
    return held


def by_flags_that_change(x: Any, y: Any, c: Any) -> Any:
    flags = np.array([c > 0, c > 5])
    held = x if flags[0] else y
    flags[0] = not flags[0]
    held[0] = 8.0
    return held, flags


@pytest.mark.parametrize(
    "function", [nested, by_flags_that_change, by_condition, views, chained, in_loops, of_run_time_lengths]
)
def test_writes_reach_what_an_array_is(function: Any) -> None:
    compiled = weft.function(function)
    for c in (1, -1, 6):
        for scale in (1.0, 3.0):
            given, expected = ([scale * np.arange(3.0), np.arange(3.0) + 7] for _ in range(2))
            found, wanted = compiled(*given, np.int64(c)), function(*expected, np.int64(c))
            assert_same([found, *given], [wanted, *expected])


def test_an_array_made_on_a_path_under_two_names_is_refused() -> None:
    def f(x: Any, y: Any, c: Any) -> Any:
        held = y
        if c > 0:
            held = x + 1
            x = held
        held[0] = 2.0
        return held, x

    with pytest.raises(weft.UnsupportedError, match="be one that was written since"):
        weft.function(f)(np.zeros(3), np.ones(3), np.int64(1))


def test_a_loop_that_writes_to_one_from_before_it_later_is_refused() -> None:
    def f(x: Any, n: Any) -> Any:
        a = np.zeros(3)
        for _ in range(n):
            if n > 1:
                a *= 2
                a = x
        return a

    with pytest.raises(weft.UnsupportedError, match="this loop writes in place to 'a'"):
        weft.function(f)(np.ones(3), np.int64(2))


def test_copies_in_loops_are_told_once() -> None:
    @weft.function
    def f(x: Any, c: Any) -> Any:
        y = x if c > 0 else x + 1
        for i in range(np.abs(c)):
            y[i % 3] = 1
        return y

    with pytest.warns(
        weft.WeftWarning, match=r"each iteration copies an array \(f64\[3\]\) .*y = x\.copy\(\)"
    ):
        f(np.zeros(3), np.int64(2))

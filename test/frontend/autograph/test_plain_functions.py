"""Functions of plain values run as Python runs them while their caller is traced, and are guarded as converted ones."""

from __future__ import annotations

import collections
import dataclasses
import functools
import heapq
import itertools
import math
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from weft.frontend.autograph.operators.calls import plain_functions

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


def queens(n: Any, found: Any) -> Any:
    count = 0

    def place(row: int, columns: list[int]) -> None:
        nonlocal count
        if row == n:
            found.append(columns)
            count += 1
            return
        for column in range(n):
            if all(c != column and abs(c - column) != row - r for r, c in enumerate(columns)):
                place(row + 1, [*columns, column])

    place(0, [])
    return count


def solved(maze: Any, row: Any, column: Any) -> Any:
    if not (0 <= row < len(maze) and 0 <= column < len(maze)) or maze[row][column]:
        return False
    maze[row][column] = 2
    if row == column == len(maze) - 1:
        return True
    return any(solved(maze, row + i, column + j) for i, j in ((1, 0), (0, 1), (-1, 0), (0, -1)))


def tried(texts: Any) -> Any:
    found = collections.defaultdict(list)
    for text in texts:
        try:
            found[int(text)].append(text)
        except ValueError:
            found[-1] += [text]
    return dict(found)


def smallest(values: Any, n: Any) -> Any:
    heap = list(values)
    heapq.heapify(heap)
    key = lambda pair: (pair[1], pair[0])
    return sorted(itertools.islice(enumerate(heapq.heappop(heap) for _ in range(n)), n), key=key)


@functools.cache
def ways(n: Any) -> Any:
    return 1 if n < 2 else sum(ways(n - step) for step in (1, 2))


def squares(n: Any) -> Any:
    for i in range(n):
        yield i * i


def all_squares(n: Any) -> Any:
    return [value for value in squares(n) if value not in LIMITS]


def noting(n: Any) -> Any:
    for i in range(n):
        LIMITS.append(i)
    return len(LIMITS)


def spoiling(values: Any, n: Any) -> Any:
    for i in range(n):
        values.append(10 // (2 - i))
    return values


class Node:
    most = 9

    def __init__(self, value: int) -> None:
        self.value = value
        self.left: Node | None = None
        self.__right: Node | None = None

    def insert(self, value: int) -> None:
        if value < self.value and self.left is not None:
            self.left.insert(value)
        elif value < self.value:
            self.left = Node(value)
        elif self.__right is None:
            self.__right = type(self).of([value])
        else:
            self.__right.insert(value)

    def __iter__(self) -> Iterator[int]:
        for side in (self.left, [self.value], self.__right):
            yield from side or ()

    @property
    def size(self) -> int:
        return len([*self])

    @classmethod
    def of(cls, values: Any) -> Node:
        root = cls(values[0])
        for value in values[1:]:
            root.insert(value)
        return root

    def show(self) -> None:
        print([*self])


@dataclasses.dataclass
class Item:
    weight: int
    tags: list[int] = dataclasses.field(default_factory=list)


class Counted:
    made = 0

    def __init__(self) -> None:
        Counted.made += 1


def ordered(values: Any) -> Any:
    return [*Node.of(values)], Node.of(values).size, Node.most


def shown(values: Any) -> Any:
    Node.of(values).show()
    return len(values)


def weighed(n: Any) -> Any:
    items = [Item(i) for i in range(n)]
    for item in items:
        item.tags.append(item.weight)
    return sum(item.weight * len(item.tags) for item in items), str(items[0])


def counted(n: Any) -> Any:
    for _ in range(n):
        Counted()
    return Counted.made


SIEVE = [n % 2 == 1 or n == 2 for n in range(100_000)]


def sifted(n: Any) -> Any:
    return [i for i in range(2, n) if SIEVE[i] and all(SIEVE[int(digit)] for digit in str(i))]


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
        lambda: queens(5, []),
        lambda: queens(4, found := []) + len(found),
        lambda: (solved(maze := [[0, 0, 1], [1, 0, 0], [0, 1, 0]], 0, 0), maze),
        lambda: tried(("1", "a", "1", "b")),
        lambda: smallest([4, 2, 9, 1], 3),
        lambda: ways(20),
        lambda: all_squares(4),
        lambda: spoiling([], 2),
        lambda: ordered([5, 2, 8, 1, 9, 7, 3, 4, 6, 5]),
        lambda: weighed(5),
        lambda: spoiling([5], 3),
    ],
)
def test_results_are_those_of_python(helper: Callable[[], Any]) -> None:
    def function(x: Any) -> Any:
        return x + 1, helper()

    assert outcome(weft.function(function), 1.0) == outcome(function, 1.0)


def test_a_table_takes_no_longer_than_in_python() -> None:
    compiled = weft.function(lambda x: x + sum(primes(4000)))
    begin = time.process_time()
    made = compiled(1.0)
    assert time.process_time() - begin < 8  # more than 16 s where each step is converted
    assert made == 1.0 + sum(primes(4000))


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


def test_recursion_takes_no_longer_than_in_python() -> None:
    compiled = weft.function(lambda n: queens(n, []))
    begin = time.process_time()
    assert [compiled(n) for n in (6, 7)] == [4, 40]
    assert (
        time.process_time() - begin < 20
    )  # 11 s for six alone where each step is converted, and more than 60 for seven


def test_numbers_that_change_are_constants_where_recording_takes_long() -> None:
    compiled = weft.function(solved)
    for wall in range(3):
        grid = [[int(i % 2 and j != (i + wall) % 4) for j in range(6)] for i in range(6)]
        mine, other = ([list(row) for row in grid] for _ in range(2))
        assert compiled(mine, 0, 0) == solved(other, 0, 0)
        assert mine == other
    assert "a constant, as " in compiled.explain_retrace()


def steps_up(numbers: Any, rows: Any) -> Any:
    table, total = [[0] * rows for _ in range(3)], 0
    for row in range(3):
        for column in range(rows):
            table[row][column] = numbers[row] + numbers[column]
            total += table[row][column] * (row + 1)
    return total


@pytest.mark.parametrize(("count", "traces"), [(90, 4), (120, 2)])
def test_long_lists_stay_data_where_recording_takes_long(
    monkeypatch: pytest.MonkeyPatch, count: int, traces: int
) -> None:
    monkeypatch.setattr(plain_functions, "_WORTH_RECORDING", 3)
    compiled = weft.function(steps_up)
    for start in range(4):
        numbers = [start + (i * i) % 7 for i in range(count)]
        assert compiled(numbers, 4) == steps_up(numbers, 4)
    assert compiled.trace_count == traces


def test_what_is_changed_outside_is_changed_in_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    mine, other = [3], [3]
    monkeypatch.setitem(globals(), "LIMITS", other)
    compiled, both = weft.function(lambda x: x + noting(2)), []
    for _ in range(3):
        both.append(float(compiled(1.0)))
    monkeypatch.setitem(globals(), "LIMITS", mine)
    assert both == [1.0 + noting(2) for _ in range(3)]
    assert mine == other


def test_lists_among_the_arguments_are_changed_in_each_call() -> None:
    compiled = weft.function(spoiling)
    for values in ([1], [1], [2, 3], [4]):
        mine, other = list(values), list(values)
        assert compiled(mine, 2) is mine
        assert mine == spoiling(other, 2)
    with pytest.raises(ZeroDivisionError):
        compiled(mine := [7], 3)
    assert mine == [7, 5, 10]


def test_branches_and_loops_take_back_what_is_changed_in_them() -> None:
    def function(x: Any) -> Any:
        values = [1]
        if x > 0:
            spoiling(values, 2)
        for _ in range(int(x > 1)):
            spoiling(values, 1)
        return values

    compiled = weft.function(function)
    for x in (-1.0, 1.0, 2.0):
        assert list(compiled(np.float64(x))) == function(x)


def test_any_and_all_ask_in_turn() -> None:
    def function(values: Any, limit: Any) -> Any:
        asked = []

        def is_above(value: Any) -> Any:
            asked.append(1)
            return 12 // value > limit

        found = any(is_above(value) for value in values), all(is_above(v) for v in values if v < 3)
        pairs = all(is_above(v) or is_above(w) for v in values for w in values if w)
        return found, pairs, len(asked)

    compiled = weft.function(function)
    for limit in (1, 2, 5, 11, 20):
        for values in ([1, 2, 3], [3, 2, 1], [4, 0]):
            assert outcome(compiled, values, limit) == outcome(function, values, limit)
    for values in (np.array([1, 2, 3]), np.array([3, 2, 1])):
        assert outcome(compiled, values, 1) == outcome(function, values, 1)


def test_classes_are_guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, values = weft.function(ordered), [5, 2, 8]
    assert compiled(values) == ordered(values) == ([2, 5, 8], 3, 9)
    monkeypatch.setattr(Node, "most", 8)
    assert compiled(values) == ordered(values)
    monkeypatch.setattr(Node, "size", property(lambda self: -self.value))
    assert compiled(values) == ordered(values) == ([2, 5, 8], -5, 8)


def test_what_classes_do_outside_is_not_done_unseen(capsys: pytest.CaptureFixture[str]) -> None:
    compiled = weft.function(shown)
    assert compiled([2, 1]) == compiled([2, 1]) == 2
    assert capsys.readouterr().out == "[1, 2]\n[1, 2]\n"
    counting = weft.function(counted)
    made = Counted.made
    expected = [counted(2), Counted.made, counted(3), Counted.made]
    Counted.made = made
    assert [counting(2), Counted.made, counting(3), Counted.made] == expected
    Counted.made = made


def test_names_of_classes_are_compared_on_disk(tmp_path: Path) -> None:
    """What a class holds is another dict each time that it is looked at."""
    with weft.settings.scope(cache=True, cache_dir=str(tmp_path)):
        assert weft.function(weighed)(3) == weighed(3)


def test_tables_of_letters() -> None:
    compiled = weft.function(lambda text, x: (text.translate(text.maketrans("ab", "xy")), x + 1))
    assert compiled("abc", 1.0) == ("xyc", 2.0)


def test_large_tables_are_read() -> None:
    begin = time.process_time()
    assert weft.function(sifted)(400) == sifted(400)
    assert time.process_time() - begin < 3  # minutes where each step is converted

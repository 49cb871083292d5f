"""Loops over Python's own values, which Python runs while tracing as the user wrote them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import numpy as np
import pytest

import weft
from weft.frontend.autograph.operators.statements import for_loops, plain_loops, statements

SCALE = 3
TABLE = [1, 2, 3]


@pytest.fixture
def ran() -> Iterator[list[bool]]:
    """For each loop that was met in turn whether Python ran it."""
    found: list[bool] = []

    def noted(*arguments: Any, **options: Any) -> bool:
        found.append(plain_loops.ran_alone(*arguments, **options))
        return found[-1]

    with mock.patch.object(statements, "ran_alone", noted), mock.patch.object(for_loops, "ran_alone", noted):
        yield found


def queens(x: Any) -> Any:
    columns, count, row = [0] * 6, 0, 0
    columns[0] = -1
    while row >= 0:
        columns[row] += 1
        while columns[row] < 6:
            for k in range(row):
                if columns[k] == columns[row] or abs(columns[k] - columns[row]) == row - k:
                    break
            else:
                break
            columns[row] += 1
        if columns[row] < 6:
            if row == 5:
                count += 1
            else:
                row += 1
                columns[row] = -1
        else:
            row -= 1
    return x * count, columns


def sieve(x: Any) -> Any:
    flags = [True] * 200
    for i in range(2, 200):
        if flags[i]:
            for j in range(i * i, 200, i):
                flags[j] = False
    return x, flags


def words(x: Any) -> Any:
    counts: dict[str, int] = {}
    seen = set()
    for word in "a b a c b a".split():
        counts[word] = counts.get(word, 0) + SCALE
        seen.add(word.upper())
    text = ""
    for word, count in sorted(counts.items()):
        text += f"{word}{count:>3}"
    return x, counts, seen, text


def roots(x: Any) -> Any:
    total, big = 0.0, 1
    for i in range(30):
        total += math.sqrt(i) / (i + 1)
        big *= i + 1
    return x * total, str(big)


def generated(x: Any) -> Any:
    primes: list[int] = []
    texts = []
    for k in range(2, 50):
        if all(k % p for p in primes if p * p <= k):
            primes.append(k)
            texts.append(",".join(str(p) for p in primes))
    return x * len(primes), texts


@pytest.mark.parametrize(
    "program", [queens, sieve, words, roots, generated], ids=lambda program: program.__name__
)
def test_python_runs_them(program: Callable[..., Any], ran: list[bool]) -> None:
    x = np.arange(3.0)
    compiled = weft.function(program)
    assert repr(compiled(x)) == repr(program(x))
    assert ran
    assert all(ran)
    assert "scf." not in compiled.get_concrete_function(x).as_text()
    assert "plain" not in weft.autograph.to_code(program)


def reads_an_array(x: Any) -> Any:
    total, last = 0, [x]
    for i in range(20):
        total += i * len(last)
    return x * total


def reads_a_table(x: Any) -> Any:
    total = 0
    for i in range(20):
        total += TABLE[i % 3]
    return x * total


def prints(x: Any) -> Any:
    for i in range(2):
        print(i)
    return x


def in_a_branch(x: Any) -> Any:
    values = [1, 2]
    if x[0] > 0:
        for i in range(3):
            values.append(i)
    return x, len(values)


def of_an_argument(x: Any, values: Any) -> Any:
    for i in range(3):
        values[i] += 1
    return x, values


@pytest.mark.parametrize("program", [reads_an_array, reads_a_table, prints, in_a_branch])
def test_what_more_than_python_has_to_see_is_converted(
    program: Callable[..., Any], ran: list[bool], capfd: pytest.CaptureFixture[str]
) -> None:
    compiled = weft.function(program)
    for first in (1.0, -1.0):
        x = np.array([first, 2.0])
        found, printed = compiled(x), capfd.readouterr().out
        expected = program(x)
        assert repr(found) == repr(expected)
        assert printed == capfd.readouterr().out
    assert not any(ran)


def test_a_list_of_the_callers_is_changed() -> None:
    given, same = [1, 2, 3], [1, 2, 3]
    x = np.ones(1)
    for _ in range(3):
        assert repr(weft.function(of_an_argument)(x, given)) == repr(of_an_argument(x, same))
        assert given == same


def test_a_global_number_that_changes_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, x = weft.function(words), np.ones(1)
    assert repr(compiled(x)) == repr(words(x))
    monkeypatch.setattr(
        "test_plain_loops.SCALE" if __name__ == "test_plain_loops" else f"{__name__}.SCALE", 5
    )
    assert repr(compiled(x)) == repr(words(x))


def test_a_loop_that_is_long_is_compiled(monkeypatch: pytest.MonkeyPatch, ran: list[bool]) -> None:
    monkeypatch.setattr(for_loops, "MOST_ITERATIONS", 50)

    def summed(x: Any) -> Any:
        total, steps = 0, [0]
        for i in range(100):
            total += i
            steps[0] += 1
        return x, total, steps

    compiled, x = weft.function(summed), np.ones(1)
    assert compiled(x)[1:] == summed(x)[1:]
    assert ran == [False]
    assert "scf.for" in compiled.get_concrete_function(x).as_text("weft")


def test_a_long_loop_within_one_that_python_decides_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "MOST_WITHIN_WHILE", 50)
    monkeypatch.setattr(for_loops, "MOST_ITERATIONS", 50)

    def summed(x: Any) -> Any:
        rounds, total = 0, 0
        while rounds < 3:
            for i in range(100):
                total += i
            rounds += 1
        return x, total

    compiled, x = weft.function(summed), np.ones(1)
    assert compiled(x)[1] == summed(x)[1]
    assert compiled.get_concrete_function(x).as_text("weft").count("scf.for") == 3


def test_an_iterator_that_a_loop_leaves_is_one_of_the_programs(recwarn: pytest.WarningsRecorder) -> None:
    def left(n: Any) -> Any:
        ones, others = [1, 2], [3, 4]
        for _ in range(2):
            pairs = zip(ones, others, strict=True)
        return [one + other + n for one, other in pairs]

    assert repr(weft.function(left)(np.int64(5))) == repr(left(np.int64(5)))
    assert not [warning for warning in recwarn if issubclass(warning.category, weft.FallbackWarning)]


def test_a_global_name_of_a_comprehension_is_not_changed_while_tracing() -> None:
    def assigned(n: Any) -> Any:
        global SCALE
        for _ in range(2):
            SCALE = [SCALE for SCALE in range(4)][3]
        return n + SCALE

    assert weft.function(assigned)(np.int64(1)) == 4
    assert SCALE == 3


def test_errors_are_those_of_python() -> None:
    def beyond(x: Any) -> Any:
        values = [1, 2]
        i = 0
        while True:
            values[i] += 1
            i += 1
        return x

    def never_bound(x: Any) -> Any:
        for i in range(0):
            value = i
        return x, value

    with pytest.raises(IndexError, match="list index out of range"):
        weft.function(beyond)(np.ones(1))
    with pytest.raises(UnboundLocalError, match="value"):
        weft.function(never_bound)(np.ones(1))

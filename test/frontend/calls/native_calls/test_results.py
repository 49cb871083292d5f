"""Results that native code builds: lists, lists in lists, values that may be None, one of several values, texts."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import pytest

import weft
from support.native_calls import native_calls
from weft.backend.cpu.dispatch.descriptors import Program
from weft.backend.cpu.dispatch.objects import is_supported

pytestmark = pytest.mark.skipif(not is_supported(), reason="calls go through Python here")


def multiples(n: Any, x: Any) -> Any:
    found = []
    for i in range(n):
        found.append(i * x)
    return found


def are_small(n: Any, x: Any) -> Any:
    found = []
    for i in range(n):
        found.append(i * x < 5)
    return found


def transposed(n: Any, x: Any) -> Any:
    rows = []
    for i in range(n):
        row = []
        for j in range(i):
            row.append(i * j * x)
        rows.append(row)
    return rows


def paired(n: Any, x: Any) -> Any:
    rows = []
    for i in range(n):
        rows.append((i, [x] * i))
    return rows


def roots(n: Any, x: Any) -> Any:
    if n % 3 == 0:
        return None
    if n % 3 == 1:
        return (x,)
    return (x - n, [x + n, n])


def found_at(n: Any, x: Any) -> Any:
    for i in range(n):
        if i * i > 20 + x:
            return i
    return None


def typed(n: Any, x: Any) -> Any:
    return n if n % 2 == 0 else n * 0.5 if n % 3 == 0 else n > 4


def named(n: Any, x: Any) -> Any:
    return f"{n} of {x}", [n]


PROGRAMS = [multiples, are_small, transposed, paired, roots, found_at, typed, named]


def compiled_natively(program: Callable[..., Any]) -> Any:
    """A function whose calls native code makes after a few, and builds the results of, too."""
    compiled = weft.function(program)
    with mock.patch.object(
        Program, "build_by_python", autospec=True, side_effect=Program.build_by_python
    ) as by_python:
        for n in (2, 3, 4, 5):
            compiled(np.int64(n), np.float64(1.5))
    assert by_python.call_count == 0
    return compiled


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_values_and_types(program: Callable[..., Any]) -> None:
    compiled = compiled_natively(program)
    for n in (*range(12), 200, 3):
        for x in (-2.5, 0.0, 7.0):
            given = np.int64(n), np.float64(x)
            assert repr(compiled(*given)) == repr(program(*given))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_nothing_is_kept(program: Callable[..., Any]) -> None:
    compiled = compiled_natively(program)

    def calls() -> None:
        for n in range(30):
            compiled(np.int64(n), np.float64(0.5))

    calls()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(10):
        calls()
    gc.collect()
    assert sys.getallocatedblocks() - before < 200


def test_lists_are_new_at_each_call() -> None:
    compiled = compiled_natively(transposed)
    first = compiled(np.int64(4), np.float64(1.0))
    first[2].append("more")
    assert compiled(np.int64(4), np.float64(1.0)) == transposed(4, 1.0)
    assert first[2] == [0.0, 2.0, "more"]


def test_one_list_in_two_places_stays_one() -> None:
    def twice(n: Any) -> Any:
        rows: list[Any] = []
        for i in range(n):
            row = [i, n]
            rows.append(row)
            rows.append(row)
            row.append(3)
        return rows

    compiled = weft.function(twice)
    for n in (2, 3, 4, 5):
        made = compiled(np.int64(n))
        assert made == twice(np.int64(n))
        assert made[0] is made[1]
        assert made[2] is not made[1]


def turned(numbers: Any) -> Any:
    i, j = 0, len(numbers) - 1
    while i < j:
        numbers[i], numbers[j] = numbers[j], numbers[i]
        i += 1
        j -= 1


def doubled(numbers: Any) -> Any:
    for i in range(int(numbers[0]) + 1):
        numbers.append(numbers[i] * 2)
    return len(numbers)


@pytest.mark.parametrize("program", [turned, doubled], ids=lambda program: program.__name__)
@pytest.mark.parametrize("kind", [int, float])
def test_changed_lists_get_their_items_natively(program: Callable[..., Any], kind: type) -> None:
    compiled = weft.function(program)
    with mock.patch.object(
        Program, "build_by_python", autospec=True, side_effect=Program.build_by_python
    ) as by_python:
        for length in (40, 41, 42, 40, 41, 60, 42):
            given = [kind(3 + number % 7) for number in range(length)]
            same = list(given)
            held = given
            assert repr(compiled(given)) == repr(program(same))
            assert repr(given) == repr(same)
            assert held is given
    assert by_python.call_count == 0


def smaller(one: Any, other: Any) -> Any:
    found = []
    for i in range(len(one)):
        if one[i] < other[i]:
            found.append(one[i])
    return found


def steps(n: Any) -> Any:
    found = []
    for i in range(n):
        found.append(i % 3)
    return found


def test_numbers_that_lists_have_their_lengths_of_are_taken_natively() -> None:
    compiled = weft.function(smaller)
    for k in range(12):
        given = [k, 3, 4 * k, 7, 9], [5, k, 4, k + 8, 2 * k]
        assert compiled(*given) == smaller(*given)
    assert native_calls(compiled) > 0
    counted = weft.function(steps)
    for k in range(20, 50):
        assert counted(k) == steps(k)
    assert native_calls(counted) > 0

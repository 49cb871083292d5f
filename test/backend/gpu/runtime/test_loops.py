"""Loops that one block runs: what the processor gives, with one launch and without a read in each iteration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import weft
from support.device_code import gpu_text
from weft.backend.gpu.machine.driver_functions import READ_MEMORY


@pytest.fixture(autouse=True)
def emulator() -> Iterator[None]:
    """Let the emulator stand for a GPU."""
    with weft.settings.scope(cuda="emulator"):
        yield


def _normal(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).standard_normal(shape)


def _swapped(x: Any, y: Any, n: Any) -> Any:
    both, other = x.copy(), y.copy()
    for t in range(n):
        other[1:-1] = both[1:-1] * 0.5 + both[2:] * 0.25 + other[:-2] * t
        both, other = other, both
    x[0] = both[5]
    return both, other


def test_arrays_that_take_each_others_place() -> None:
    here, there = weft.function(_swapped), weft.function(_swapped, device="cuda")
    for n in (0, 1, 6):
        first, second = _normal(40), _normal(40)
        for mine, its in zip(there(second, _normal(40), n), here(first, _normal(40), n), strict=True):
            np.testing.assert_array_equal(mine, its)
        np.testing.assert_array_equal(second, first)
    text = gpu_text(_swapped, np.zeros(40), np.zeros(40), np.int64(3))
    assert 'weft.schedule = "one block' in text


def _relaxed(u: Any, tolerance: Any, most: Any) -> Any:
    steps, change = 0, tolerance + 1.0
    while change > tolerance and steps < most:
        new = u.copy()
        new[1:-1] = 0.5 * (u[:-2] + u[2:])
        change = np.max(np.abs(new - u))
        u = new
        steps += 1
    return u, steps, change


def test_data_decides_how_often_a_loop_runs() -> None:
    here, there = weft.function(_relaxed), weft.function(_relaxed, device="cuda")
    for most in (0, 1, 7, 500):
        for mine, its in zip(there(_normal(24), 0.05, most), here(_normal(24), 0.05, most), strict=True):
            np.testing.assert_array_equal(mine, its)
    text = gpu_text(_relaxed, np.zeros(24), np.float64(0.05), np.int64(9))
    before, _, following = text[: text.index("gpu.module")].partition("scf.while")
    loop, _, behind = following.partition("weft.interruptible")
    assert READ_MEMORY in before, "how often it was, and what the change is"
    assert READ_MEMORY not in loop + behind


def _behind_a_check(u: Any, k: Any, n: Any) -> Any:
    first = np.sum(u[k])
    for t in range(n):
        u[1:-1] = 0.5 * (u[:-2] + u[2:])
        u *= 1 + 0.25 * t
    return first


def test_nothing_is_done_behind_a_check_that_fails() -> None:
    here, there = weft.function(_behind_a_check), weft.function(_behind_a_check, device="cuda")
    for wrong in (5, 40):
        results, arrays = [], [np.arange(20.0), np.arange(20.0)]
        for function, u in zip((here, there), arrays, strict=True):
            try:
                results.append(float(function(u, np.array([3, wrong]), 4)))
            except IndexError as error:
                results.append(str(error))
        assert results[0] == results[1]
        assert isinstance(results[0], str) == (wrong == 40)
        np.testing.assert_array_equal(arrays[1], arrays[0])
    assert 'weft.schedule = "one block' in gpu_text(_behind_a_check, np.zeros(20), np.arange(2), np.int64(4))


def _set_at(u: Any, k: Any, n: Any) -> Any:
    for t in range(n):
        u[1:-1] = 0.5 * (u[:-2] + u[2:])
        u[k[t]] = t
    return np.sum(u)


def _noted(u: Any, changes: Any, tolerance: Any) -> Any:
    steps, change = 0, tolerance + 1.0
    while change > tolerance:
        new = u.copy()
        new[1:-1] = 0.5 * (u[:-2] + u[2:])
        change = np.max(np.abs(new - u))
        u[:] = new
        changes[steps] = change
        steps += 1
    return steps


@pytest.mark.parametrize(
    ("function", "other", "few", "many"),
    [(_set_at, np.arange(6) % 5, 3, 9), (_noted, np.zeros(6), 1.4, 0.01)],
)
def test_a_loop_ends_where_the_host_finds_an_error(function: Any, other: Any, few: Any, many: Any) -> None:
    """An index that the host counts is too large: what was done before has been done, and nothing behind it."""
    here, there = weft.function(function), weft.function(function, device="cuda")
    for last in (few, many):
        results: list[Any] = []
        for compiled in (here, there):
            u, noted = np.arange(20.0) % 7, other.copy()
            try:
                found: Any = float(compiled(u, noted, last))
            except IndexError as error:
                found = str(error)
            assert isinstance(found, str) == (last == many)
            results.append((found, u.tolist(), noted.tolist()))
        assert results[0] == results[1]
    assert 'weft.schedule = "one block' in gpu_text(function, np.zeros(20), other, np.asarray(few)[()])

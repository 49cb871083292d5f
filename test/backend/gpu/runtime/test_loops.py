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


def _checked(x: Any, limit: Any, n: Any) -> Any:
    for t in range(n):
        x *= 2
        if x.max() > limit:
            raise ValueError(f"too large in step {t}")
        x[0] += 1
    return x.sum()


def test_a_check_that_fails_ends_the_loop() -> None:
    here, there = weft.function(_checked), weft.function(_checked, device="cuda")
    for limit in (1e9, 40.0):
        first, second = np.arange(20.0) / 20, np.arange(20.0) / 20
        results = []
        for function, x in ((here, first), (there, second)):
            try:
                results.append(float(function(x, limit, 8)))
            except ValueError as error:
                results.append(str(error))
        assert results[0] == results[1]
        assert isinstance(results[0], str) == (limit == 40.0)
        np.testing.assert_array_equal(second, first)

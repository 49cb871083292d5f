"""Counts in loops: integers by atomic instructions, whatever the order; the first iteration that fails is told."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from weft import TensorSpec

COUNTED = "scatters: a thread an iteration; joined by atomic instructions"
LONG = "scatters: a thread an iteration; counted by blocks in shared memory"
FIRST = "one thread: the first iteration that has failed, if there is one"


def _histogram(i: Any) -> Any:
    c = np.zeros(16, np.int64)
    for k in range(i.size):
        c[i[k]] += 1
    return c


def _weighted(i: Any, w: Any) -> Any:
    c = np.zeros(16, np.int32)
    for k in range(i.shape[0]):
        for j in range(i.shape[1]):
            if w[k, j] > 0:
                c[i[k, j]] += w[k, j]
    return c


def _bits(i: Any) -> Any:
    c = np.zeros(16, np.uint8)
    for k in range(i.size):
        c[i[k]] |= 1 << (k % 7)
    return c


def _floats(i: Any) -> Any:
    c = np.zeros(16)
    for k in range(i.size):
        c[i[k]] += 0.1
    return c


def _asked(i: Any) -> Any:
    c = np.zeros(16, np.int64)
    for k in range(i.size):
        c[i[k]] += c[i[k - 1]]
    return c


def _in_place(c: Any, i: Any) -> None:
    for k in range(i.size):
        c[i[k]] += 1


def _schedules(function: Callable[..., Any], *arrays: Any) -> tuple[list[str], tuple[Any, ...]]:
    concrete = weft.function(function, target="sm_90a").get_concrete_function(
        *(TensorSpec(array.shape, array.dtype) for array in arrays)
    )
    schedules = re.findall('weft.schedule = "(.*?)"', concrete.as_text("gpu"))
    return schedules, concrete.cost_analysis().device.host_kernels


PLACES = np.random.default_rng(0).integers(-16, 16, 3000)
WEIGHTS = np.random.default_rng(1).integers(-3, 9, (50, 60)).astype(np.int32)
BINS = np.abs(PLACES)
CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "a loop": (_histogram, (PLACES,)),
    "loops and a branch": (_weighted, (PLACES.reshape(50, 60), WEIGHTS)),
    "bits of bytes": (_bits, (PLACES,)),
    "bincount": (lambda i: np.bincount(i, minlength=20), (BINS,)),
    "bincount of int32": (lambda i: np.bincount(i), (BINS.astype(np.int32),)),
    "histogram": (lambda x: np.histogram(x, bins=64, range=(0.0, 15.0))[0], (BINS.astype(float),)),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", CASES)
def test_counts_are_those_of_numpy_and_made_by_atomic_instructions(name: str) -> None:
    function, arrays = CASES[name]
    schedules, on_host = _schedules(function, *arrays)
    assert COUNTED in schedules
    assert on_host == ()
    with weft.settings.scope(cuda="emulator"):
        there = weft.function(function, device="cuda")(*arrays)
    expected = function(*arrays)
    assert there.dtype == expected.dtype
    np.testing.assert_array_equal(there, expected)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("size", [0, 1, 31, 33, 129])
def test_few_and_no_iterations(size: int) -> None:
    with weft.settings.scope(cuda="emulator"):
        found = weft.function(_histogram, device="cuda")(PLACES[:size])
    np.testing.assert_array_equal(found, _histogram(PLACES[:size]))


@pytest.mark.parametrize(("bad", "at"), [(99, 1700), (-17, 2500), (16, 0), (16, 2999)])
def test_the_first_iteration_that_fails_is_told(bad: int, at: int) -> None:
    schedules, _ = _schedules(_histogram, PLACES)
    assert FIRST in schedules
    places = PLACES.copy()
    places[2999], places[at] = 1000, bad
    with weft.settings.scope(cuda="emulator"):
        counted = weft.function(_histogram, device="cuda")
        with pytest.raises(IndexError, match=f"index {bad} is out of bounds for axis 0 with size 16"):
            counted(places)
        np.testing.assert_array_equal(counted(PLACES), _histogram(PLACES))


def test_negative_numbers_are_not_counted() -> None:
    with (
        weft.settings.scope(cuda="emulator"),
        pytest.raises(ValueError, match="must have no negative elements"),
    ):
        weft.function(lambda i: np.bincount(i), device="cuda")(PLACES)


def test_what_others_may_see_is_counted_in_order() -> None:
    """An array of the caller's has, after an exception, what was counted before it."""
    schedules, on_host = _schedules(_in_place, np.zeros(16, np.int64), PLACES)
    assert schedules.count(COUNTED) == 1  # where it is known before that no place is out of bounds
    assert len(on_host) == 1
    places = PLACES.copy()
    places[40] = 77
    here, there = np.zeros(16, np.int64), np.zeros(16, np.int64)
    with pytest.raises(IndexError):
        _in_place(here, places)
    with weft.settings.scope(cuda="emulator"), pytest.raises(IndexError, match="index 77"):
        weft.function(_in_place, device="cuda")(there, places)
    np.testing.assert_array_equal(there, here)


@pytest.mark.parametrize("function", [_floats, _asked])
def test_what_depends_on_the_order_is_no_count(function: Callable[..., Any]) -> None:
    schedules, _ = _schedules(function, PLACES)
    assert COUNTED not in schedules
    with weft.settings.scope(cuda="emulator"):
        found = weft.function(function, device="cuda")(PLACES[:200])
    np.testing.assert_array_equal(found, function(PLACES[:200]))


def _spread(i: Any) -> Any:
    c = np.zeros(5000, np.int32)
    for k in range(i.size):
        c[i[k]] += 3
    return c


MANY = np.random.default_rng(2).integers(0, 5000, 40001)
LONG_CASES: dict[str, tuple[Callable[..., Any], Any]] = {
    "a loop": (_histogram, MANY % 32 - 16),
    "places beyond those that blocks count": (_spread, MANY),
    "bincount": (lambda i: np.bincount(i, minlength=20), MANY % 3000),
    "bincount of one number": (lambda i: np.bincount(i), MANY * 0 + 7),
    "histogram": (lambda x: np.histogram(x, bins=64, range=(0.0, 1.0))[0], MANY / 5000),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", LONG_CASES)
def test_blocks_count_for_themselves_where_there_is_much_to_count(name):
    function, array = LONG_CASES[name]
    schedules, on_host = _schedules(function, array)
    assert LONG in schedules
    assert COUNTED not in schedules
    assert not on_host
    with weft.settings.scope(cuda="emulator"):
        found = np.asarray(weft.function(function, device="cuda")(array))
    expected = function(array)
    assert (found.dtype, found.tobytes()) == (expected.dtype, expected.tobytes())


def test_what_is_no_small_count_is_joined_on_the_device():
    def weighted(i):
        c = np.zeros(300, np.int64)
        for k in range(i.size):
            c[i[k]] += i[k]
        return c

    def large(i):
        c = np.zeros(300, np.int64)
        for k in range(i.size):
            c[i[k]] += 1000
        return c

    for function in (weighted, large):
        schedules, _ = _schedules(function, MANY % 300)
        assert COUNTED in schedules
        assert LONG not in schedules


def test_the_first_index_out_of_bounds_of_a_long_count_is_told():
    places = MANY % 16
    places[[777, 3000]] = 16, 20
    with weft.settings.scope(cuda="emulator"), pytest.raises(IndexError, match="index 16 is out of bounds"):
        weft.function(_histogram, device="cuda")(places)

"""How often the body of a short loop is recorded, alone and in nests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import weft


def _recorded(function: Callable[..., Any], x: Any) -> int:
    """How often a function of one array records the root that it takes; its result is NumPy's."""
    compiled = weft.function(function)
    np.testing.assert_array_equal(compiled(x), function(x.copy()))
    return compiled.get_concrete_function(x).as_text("weft").count("weft.sqrt")


def _much(value: Any) -> Any:
    """A root and eleven sums."""
    value = np.sqrt(value)
    for _ in weft.unroll(range(11)):
        value = value + 0.125
    return value


def _nest(x):
    out = np.zeros_like(x)
    for i in range(14):
        for j in range(14):
            out[i, j] = _much(x[i, j])
    return out


def _short_inside_of_long(x):
    out = np.zeros_like(x)
    for i in range(40):
        for j in range(3):
            out[i, j] = np.sqrt(x[i, j])
    return out


def _much_inside_of_long(x):
    out = np.zeros_like(x)
    for i in range(40):
        for j in range(14):
            out[i, j] = _much(x[i, j])
    return out


def _alone(x):
    out = np.zeros_like(x)
    for i in range(14):
        out[i] = _much(x[i])
    return out


def _alone_and_long(x):
    out = np.zeros_like(x)
    for i in range(14):
        out[i] = _much(_much(_much(x[i])))
    return out


def test_a_nest_that_would_record_much_is_recorded_once():
    assert _recorded(_nest, np.linspace(0, 1, 196).reshape(14, 14)) == 1


def test_a_short_loop_that_records_little_is_unrolled_in_a_staged_one():
    assert _recorded(_short_inside_of_long, np.linspace(0, 1, 120).reshape(40, 3)) == 3


def test_a_short_loop_in_one_that_is_long_by_itself_may_record_four_times_as_much():
    assert _recorded(_much_inside_of_long, np.linspace(0, 1, 560).reshape(40, 14)) == 14


def test_a_loop_without_others_may_record_four_times_as_much():
    assert _recorded(_alone, np.linspace(0, 1, 14)) == 14


def test_a_loop_without_others_that_would_record_more_is_recorded_once():
    assert _recorded(_alone_and_long, np.linspace(0, 1, 14)) == 3


def test_settings_say_how_much(monkeypatch):
    monkeypatch.setattr(weft.settings, "unroll_ops", 100_000)
    assert _recorded(_nest, np.linspace(0, 1, 196).reshape(14, 14)) == 14


def test_iterations_that_record_more_than_the_first_are_counted() -> None:
    def pushed(x):
        heap: list[Any] = []
        for i in range(len(x)):
            heap.append((x[i], i))
            k = len(heap) - 1
            while k > 0 and heap[k] < heap[(k - 1) // 2]:
                heap[k], heap[(k - 1) // 2] = heap[(k - 1) // 2], heap[k]
                k = (k - 1) // 2
        return heap

    compiled = weft.function(pushed)
    x = np.random.default_rng(0).random(16)
    assert compiled(x) == pushed(x)
    assert len(compiled.get_concrete_function(x).as_text("weft").splitlines()) < 600

"""Sums that loops keep within bounds, by blocks of the emulator: CUSUM, levels of tanks, saturating integrators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import weft

N = 1300
"""More than a tile, and no whole number of them."""
LONG = 8300
"""Three slices, of which the last one is short."""


@pytest.fixture(autouse=True)
def emulator() -> Iterator[None]:
    """Let the emulator stand for a GPU."""
    with weft.settings.scope(cuda="emulator"):
        yield


def _cusum(x: Any, drift: Any, s: Any) -> Any:
    out = np.empty_like(x)
    for i in range(len(x)):
        s = max(0.0, s + x[i] - drift)
        out[i] = s
    return out


def _reset(x: Any, drift: Any, s: Any) -> Any:
    out = np.empty_like(x)
    for i in range(len(x)):
        s = s + x[i] - drift
        if s < 0:
            s = 0.0
        out[i] = s
    return out


def _both_sides(x: Any, drift: Any) -> Any:
    more, less = 0.0, 0.0
    for i in range(len(x)):
        more = max(0.0, more + x[i] - drift)
        less = min(0.0, less + x[i] + drift)
    return more, less


def _tank(x: Any, least: Any, most: Any) -> Any:
    """The level before each change, which is within bounds of its own."""
    out, level = np.empty_like(x), np.float64(0)
    for i in range(len(x)):
        out[i] = level
        level = np.minimum(np.maximum(level, least[i]), most[i]) + x[i]
    return out, level


def _neuron(x: Any, share: Any) -> Any:
    out, v = np.empty_like(x), 0.0
    for i in range(len(x)):
        v = max(0.0, share * v + x[i])
        out[i] = v
    return out


def _in_memory(x: Any, y: Any) -> Any:
    for i in range(1, len(x)):
        y[i] = np.maximum(-1.0, y[i - 1] + x[i])
    return y


def _python_bounds(x: Any, y: Any) -> Any:
    """Both of Python's own, one of which is handed on in memory."""
    out, s = np.empty_like(x), 0.0
    for i in range(len(x)):
        s = min(max(s + x[i], -3.0), 3.0)
        out[i] = s
    for i in range(1, len(x)):
        y[i] = max(-1.0, y[i - 1] + x[i])
    return out, y


def _crossing(x: Any) -> Any:
    out, s = np.empty_like(x), np.float64(0)
    for i in range(len(x)):
        s = np.maximum(np.minimum(s + x[i], -3.0), 3.0)
        out[i] = s
    return out


def _random(size: int) -> Any:
    return np.random.default_rng(size).standard_normal(size)


def _both(function: Callable[..., Any], *given: Any) -> tuple[list[Any], list[Any], str]:
    """What a device gives, what NumPy gives, and the stage that shows schedules."""
    compiled = weft.function(function, device="cuda")
    here, there = ([np.copy(each)[()] for each in given] for _ in range(2))
    with np.errstate(all="ignore"):
        got, expected = compiled(*there), function(*here)
    text = compiled.get_concrete_function(*given).as_text("gpu")
    pair = (each if isinstance(each, tuple) else (each,) for each in (got, expected))
    return *([np.asarray(one) for one in each] for each in pair), text


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (_cusum, (_random(LONG), np.float64(0.1), np.float64(3))),
        (_reset, (_random(N), np.float64(0.1), np.float64(0))),
        (_both_sides, (_random(N), np.float64(0.1))),
        (_tank, (_random(N), _random(N + 1)[1:] - 1, _random(N + 2)[2:])),
        (_neuron, (_random(N), np.float64(0.9))),
        (_in_memory, (_random(N), np.ones(N))),
        (_python_bounds, (_random(N), np.ones(N))),
        (_crossing, (_random(N),)),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_sums_differ_by_rounding_alone(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    got, expected, text = _both(function, *arguments)
    for one, other in zip(got, expected, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
    assert '"recurrences' in text


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("special", "start"),
    [(np.nan, 0.0), (np.inf, 0.0), (-np.inf, 0.0), (1e308, 1e308), (0.0, np.nan), (0.0, np.inf)],
)
@pytest.mark.parametrize("function", [_cusum, _reset])
def test_what_is_not_finite_is_that_of_the_loop(
    function: Callable[..., Any], special: float, start: float
) -> None:
    """The two bounds have other ideas of NaN."""
    x = _random(N)
    x[[700, 701, 1100]] = special
    got, expected, _ = _both(function, x, np.float64(0.1), np.float64(start))
    np.testing.assert_allclose(got[0], expected[0], rtol=1e-12, atol=1e-12)


def test_a_factor_that_turns_out_negative() -> None:
    """Bounds of one side would be those of the other: the iterations before are done again."""
    got, expected, text = _both(_neuron, _random(N), np.float64(-0.9))
    np.testing.assert_allclose(got[0], expected[0], rtol=1e-12, atol=1e-12)
    assert '"recurrences' in text


def _restarted(x: Any) -> Any:
    out, s = np.empty_like(x), 0.0
    for i in range(len(x)):
        s = s + x[i]
        if s > 5.0:
            s = 0.0
        out[i] = s
    return out


def _gap(x: Any) -> Any:
    out, s = np.empty_like(x), 0.0
    for i in range(len(x)):
        v = s + x[i]
        s = 3.0 if v < 3.0 else (1.0 if v > 1.0 else v)
        out[i] = s
    return out


def _reflected(x: Any) -> Any:
    out, s = np.empty_like(x), 0.0
    for i in range(len(x)):
        v = s + x[i]
        s = -v if v < 0 else v
        out[i] = s
    return out


@pytest.mark.parametrize("function", [_restarted, _gap, _reflected])
def test_loops_that_are_none_keep_their_order(function: Callable[..., Any]) -> None:
    """Which go elsewhere than to the bound, have bounds that cross, or turn back."""
    got, expected, text = _both(function, _random(300))
    np.testing.assert_array_equal(got[0], expected[0])
    assert '"recurrences' not in text

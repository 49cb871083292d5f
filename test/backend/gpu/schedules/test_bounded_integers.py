"""Sums of integers that loops keep within bounds, by blocks of the emulator: those of the loop, wherever they wrap."""

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
_LIMIT = 1 << 56
"""Beyond which 64-bit integers are not near zero."""


@pytest.fixture(autouse=True)
def emulator() -> Iterator[None]:
    """Let the emulator stand for a GPU."""
    with weft.settings.scope(cuda="emulator"):
        yield


def _cusum(x: Any, drift: Any) -> Any:
    out, s = np.empty_like(x), x.dtype.type(0)
    for i in range(len(x)):
        s = np.maximum(0, s + x[i] - drift)
        out[i] = s
    return out, s


def _python_cusum(x: Any, drift: Any) -> Any:
    out, s = np.empty_like(x), drift
    for i in range(len(x)):
        s = max(0, s + x[i] - drift)
        out[i] = s
    return out


def _alarms(x: Any, drift: Any) -> Any:
    found, s = np.zeros(len(x), bool), drift
    for i in range(len(x)):
        s = s + x[i] - drift
        if s < 0:
            s = 0 * drift
        found[i] = s > 40
    return found, s


def _saturated(x: Any, most: Any) -> Any:
    out, s = np.empty_like(x), most
    for i in range(len(x)):
        s = min(max(s + x[i], -most), most)
        out[i] = s
    return out


def _by_steps(x: Any, most: Any) -> Any:
    out, s = np.empty_like(x), x[0]
    for i in range(len(x)):
        s = s + x[i]
        if s > 9:
            s = 9
        elif s < -7:
            s = -7
        out[i] = s
    return out


def _last_alone(x: Any, drift: Any) -> Any:
    s = drift
    for i in range(len(x)):
        s = np.maximum(x[i], s - drift)
    return s


def _random(size: int, dtype: Any = np.int64) -> Any:
    return np.random.default_rng(size).integers(-20, 25, size).astype(dtype)


def _both(function: Callable[..., Any], *given: Any) -> str:
    """Compare what a function gives with Python's; its kernels."""
    compiled = weft.function(function, device="cuda")
    with np.errstate(all="ignore"):
        found, expected = compiled(*given), function(*given)
    pairs = zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
    for one, other in pairs:
        np.testing.assert_array_equal(np.asarray(one), np.asarray(other), strict=True)
    return str(compiled.get_concrete_function(*given).as_text("gpu"))


@pytest.mark.parametrize("function", [_cusum, _python_cusum, _alarms, _saturated, _last_alone])
@pytest.mark.parametrize("dtype", [np.int64, np.int32])
@pytest.mark.sampled
def test_integers_are_those_of_the_loop(function: Callable[..., Any], dtype: Any) -> None:
    for size in (N, LONG):
        assert '"recurrences' in _both(function, _random(size, dtype), dtype(3)), size


def test_bounds_on_both_sides_by_comparisons() -> None:
    _both(_by_steps, _random(N), np.int64(0))


@pytest.mark.parametrize("function", [_cusum, _saturated])
@pytest.mark.parametrize(
    "large",
    [
        [2**62, 2**62, -(2**62), 2**62],
        [-(2**63), 5, 2**63 - 1, 2**63 - 1],
        [_LIMIT, _LIMIT, -_LIMIT, _LIMIT + 1],
        [-_LIMIT - 1, _LIMIT - 1, _LIMIT, 3],
    ],
)
@pytest.mark.sampled
def test_where_sums_wrap_they_wrap_as_in_the_loop(function: Callable[..., Any], large: list[int]) -> None:
    """Or would, were they put together in another order."""
    x = _random(N)
    x[[100, 101, 700, 1100]] = large
    for bound in (3, _LIMIT, 2**62, 2**63 - 1):
        _both(function, x, np.int64(bound))


def test_many_large_numbers() -> None:
    """Each is near, and their sums are not: also over slices."""
    x = np.random.default_rng(0).integers(-_LIMIT, _LIMIT, LONG)
    _both(_cusum, x, np.int64(-(2**50)))
    _both(_cusum, np.full(N, _LIMIT), np.int64(1))
    _both(_cusum, np.full(N, 1 << 24, np.int32), np.int32(1))


def _wide(x: Any, drift: Any) -> Any:
    """Of unsigned numbers, and of short ones, which wrap sooner."""
    out, s = np.empty_like(x), drift
    for i in range(len(x)):
        s = np.maximum(drift, s + x[i])
        out[i] = s
    return out


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64, np.int16, np.uint8])
def test_other_integers_keep_their_order(dtype: Any) -> None:
    assert '"recurrences' not in _both(_wide, _random(300, dtype), dtype(3))

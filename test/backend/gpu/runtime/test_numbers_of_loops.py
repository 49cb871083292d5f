"""Numbers that loops of kernels hand on stay on the device, where nothing asks the host for them in an iteration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import weft

N = 5000
"""More than one block is for."""


@pytest.fixture(autouse=True)
def emulator() -> Iterator[None]:
    """Let the emulator stand for a GPU."""
    with weft.settings.scope(cuda="emulator"):
        yield


def _losses(x: Any, n: Any) -> Any:
    total = 0.0
    for _ in range(n):
        x = x * 1.01
        total += x.sum()
    return total, x


def _medians(x: Any, n: Any) -> Any:
    total = 0.0
    for _ in range(n):
        middle = np.median(x)
        total += middle
        x = np.where(x > middle, x - 0.1, x * 1.1)
    return total, x


def _smoothed(x: Any, n: Any) -> Any:
    """One number goes into kernels, and a least one is kept beside it."""
    scale, least = 0.0, 1e9
    for _ in range(n):
        x = x * 1.01
        mean = np.abs(x).mean()
        scale = 0.9 * scale + 0.1 * mean
        least = min(least, mean)
        x = x / (1 + scale)
    return scale, least, x


def _shifted(x: Any, n: Any) -> Any:
    """One number becomes another one, and both change places in the end."""
    first, second, third = 1.0, 2.0, 3.0
    for _ in range(n):
        x = x * 1.01
        first, second, third = second * 0.5 + x.sum(), first, second
    return first, second, third, x


def _counted(x: Any, n: Any) -> Any:
    count = 0
    for _ in range(n):
        count += np.sum(x > 0)
        x = x - 0.01
    return count


def _nested(x: Any, n: Any) -> Any:
    total = 0.0
    for _ in range(n):
        part = 0.0
        for _ in range(n + 1):
            x = x * 1.01
            part += x.sum()
        total += part * 2
    return total, x


def _counting_down(x: Any, n: Any) -> Any:
    total = 0.0
    while n > 0:
        x = x * 1.01
        total += x.sum()
        n -= 1
    return total, n, x


def _half(x: Any, n: Any) -> Any:
    total = np.float32(0)
    for _ in range(n):
        total += x.sum(dtype=np.float32)
        x = x * 0.5
    return total


def _both(function: Callable[..., Any], n: int) -> tuple[list[Any], list[Any], Any]:
    compiled = weft.function(function, device="cuda")
    given = np.random.default_rng(1).standard_normal(N), np.int64(n)
    found = [each(*(np.copy(value)[()] for value in given)) for each in (compiled, function)]
    there, here = ([*each] if isinstance(each, tuple) else [each] for each in found)
    return there, here, compiled.get_concrete_function(*given).cost_analysis().device


@pytest.mark.sampled(3)
@pytest.mark.parametrize("n", [0, 3])
@pytest.mark.parametrize(
    "function", [_losses, _medians, _smoothed, _shifted, _counted, _nested, _counting_down, _half]
)
def test_no_iteration_reads_a_number(function: Callable[..., Any], n: int) -> None:
    there, here, device = _both(function, n)
    for one, other in zip(there, here, strict=True):
        assert np.asarray(one).dtype == np.asarray(other).dtype
        np.testing.assert_allclose(np.asarray(one), other, rtol=1e-12 if function is not _half else 1e-4)
    assert (device.reads, device.host_kernels) == (0, ())


def _decided(x: Any, n: Any) -> Any:
    total, often = 0.0, 0
    for _ in range(n):
        x = x * 1.01
        if total > 100.0:
            often += 1
        total += np.abs(x).sum()
    return total, often


def _until(x: Any, n: Any) -> Any:
    total = 0.0
    while total < n * 1e4:
        x = x * 1.01
        total += np.abs(x).sum()
    return total, x


@pytest.mark.parametrize("function", [_decided, _until])
def test_what_the_host_decides_by_is_read(function: Callable[..., Any]) -> None:
    there, here, device = _both(function, 3)
    for one, other in zip(there, here, strict=True):
        np.testing.assert_allclose(np.asarray(one), other, rtol=1e-12)
    assert device.reads > 0


def _mean_of_one(x: Any) -> Any:
    mean = x.mean(keepdims=True)[0]
    x[x > 0] = 0
    return mean * 2


def _deviation(x: Any) -> Any:
    deviation = x.std(axis=0, keepdims=True).item()
    x[:] = 0
    return deviation * -6.0 % 31


@pytest.mark.parametrize("spec", [None, [weft.TensorSpec((None,), "int64")]])
@pytest.mark.parametrize("function", [_mean_of_one, _deviation])
def test_a_number_that_is_an_array_of_one_element(function: Callable[..., Any], spec: Any) -> None:
    """It lies where the number lies, which another kernel stores."""
    compiled = weft.function(function, device="cuda", input_signature=spec)
    here, there = (np.array([2, 8, 2, 7]) for _ in range(2))
    np.testing.assert_allclose(np.asarray(compiled(there)), function(here), rtol=1e-12)
    np.testing.assert_array_equal(there, here)

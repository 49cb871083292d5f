"""Recurrences over rows of arrays that begin as zeros: values as NumPy's, with zeros where nothing was written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft


def sweeps(a: Any) -> Any:
    x, y = np.empty_like(a), np.zeros_like(a)
    x[0] = a[0]
    for i in range(1, a.shape[0]):
        x[i] = a[i] - x[i - 1]
    y[-1] = x[-1]
    for i in range(a.shape[0] - 2, -1, -1):
        y[i] = x[i] - y[i + 1]
    return x, y


def last_row_stays(a: Any) -> Any:
    x = np.zeros_like(a)
    for i in range(a.shape[0] - 1):
        x[i] = a[i] + a[i + 1]
    return x


def reads_ahead(a: Any) -> Any:
    x = np.zeros_like(a)
    for i in range(a.shape[0] - 1):
        x[i] = a[i] + x[i + 1]
    x[-1] = a[-1]
    return x


def reads_from_the_end(a: Any) -> Any:
    x = np.zeros_like(a)
    for i in range(a.shape[0]):
        x[i] = a[i] + x[i - 1]  # the last row, at first
    return x


def columns(a: Any) -> Any:
    x = np.full_like(a, 3)
    for j in range(a.shape[1]):
        x[:, j] = a[:, j] * 2
    return x


def every_second(a: Any) -> Any:
    x = np.zeros_like(a)
    for i in range(0, a.shape[0], 2):
        x[i] = a[i]
    return x


def sometimes(a: Any) -> Any:
    x = np.zeros_like(a)
    for i in range(a.shape[0]):
        if a[i, 0] > 0:
            x[i] = a[i]
    return x


def ends_early(a: Any) -> Any:
    x = np.zeros_like(a)
    for i in range(a.shape[0]):
        if a[i, 0] > 1:
            break
        x[i] = a[i]
    return x


def twice(a: Any) -> Any:
    x = np.zeros_like(a)
    for _ in range(3):
        for i in range(1, a.shape[0]):
            x[i] = x[i] + x[i - 1] + a[i]
        x[0] = x[-1]
    return x


def seen_between(a: Any) -> Any:
    x = np.zeros_like(a)
    total = np.zeros_like(a)
    for i in range(a.shape[0]):
        total += x
        x[i] = a[i]
    return x, total


PROGRAMS = (
    *(sweeps, last_row_stays, reads_ahead, reads_from_the_end, columns, every_second),
    *(sometimes, ends_early, twice, seen_between),
)


def _dirty(like: Any) -> None:
    """Leave NaN, or the least number, in the memory that results of this size get next."""
    worst = np.nan if like.dtype.kind in "fc" else np.iinfo(like.dtype).min
    for _ in range(3):
        results = weft.function(lambda a: (a * 0 + worst, a * 0 + worst))(like)
        del results


@pytest.mark.sampled
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (3, 1), (40, 5), (41, 300)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, np.complex64])
def test_values(program: Callable[[Any], Any], shape: tuple[int, int], dtype: Any) -> None:
    generator = np.random.default_rng(0)
    a = (generator.standard_normal(shape) * 3).astype(dtype)
    if a.dtype.kind == "f":
        a.flat[:: max(a.size // 3, 1)] = -0.0
        a.flat[a.size // 2] = np.nan
    compiled = weft.function(program)
    for _ in range(2):
        _dirty(a)
        with np.errstate(all="ignore"):
            expected = program(a.copy())
        got = compiled(a)
        for one, other in zip(_tuple(got), _tuple(expected), strict=True):
            np.testing.assert_array_equal(one, other)
            if a.dtype.kind == "f":
                np.testing.assert_array_equal(np.signbit(one), np.signbit(other))


def _tuple(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else (found,)


def test_sweeps_fill_and_copy_nothing() -> None:
    concrete = weft.function(sweeps).get_concrete_function(np.ones((50, 40)))
    assert concrete.as_text("optimized").count("weft.empty") == 2
    assert "memref.copy" not in concrete.as_text("buffers")


@pytest.mark.parametrize("program", [last_row_stays, reads_from_the_end, every_second, sometimes])
def test_zeros_that_are_seen_are_filled(program: Callable[[Any], Any]) -> None:
    concrete = weft.function(program).get_concrete_function(np.ones((50, 40)))
    assert "weft.empty" not in concrete.as_text("optimized")


def test_zeros_that_are_read_as_a_constant_are_not_filled() -> None:
    """The rows are computed at once, of zeros that nothing has to hold, and then all are written."""
    concrete = weft.function(reads_ahead).get_concrete_function(np.ones((50, 40)))
    assert concrete.as_text("optimized").count("weft.empty") == 1


def test_an_empty_array_is_zeros() -> None:
    a = np.ones((30, 40))
    _dirty(a)

    def program(a: Any) -> Any:
        x = np.empty_like(a)
        for i in range(a.shape[0] - 1):
            x[i] = a[i]
        return x

    np.testing.assert_array_equal(weft.function(program)(a)[-1], np.zeros(40))

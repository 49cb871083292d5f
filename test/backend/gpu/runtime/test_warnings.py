"""Warnings of programs on a device, in the emulator: those of the processor, at the same lines."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft


def floating(x: Any) -> Any:
    """Nothing is said of infinities, NaN and what does not fit, on either machine."""
    return (
        1 / x,
        np.log(x),
        x.astype(np.int8),
        (x * 1e300).astype(np.float32),
        x[x > 9].mean(),
        np.exp(x * 1e4),
    )


def integers(x: Any) -> Any:
    n = x.astype(np.int32)
    return n // n, n % 0, n // 0


def told(x: Any) -> Any:
    for i in range(3):
        if x.sum() > i:
            warnings.warn(f"after {i}", UserWarning, stacklevel=1)
        x = x + 1
    return x


def called(x: Any) -> Any:
    y = x * 2
    return np.polyfit(y, x, 1)


def known(x: Any) -> Any:
    return x + np.float64(1) / np.float64(0)


@pytest.mark.parametrize("program", [floating, integers, told, called, known])
def test_warnings_of_the_processor(program: Callable[..., Any]) -> None:
    x = np.array([0.0, -1.0, 0.5, 3.0])
    found = []
    for device in ("cpu", "cuda"):
        with (
            weft.settings.scope(cuda="emulator"),
            warnings.catch_warnings(record=True) as given,
            np.errstate(all="warn"),
        ):
            warnings.simplefilter("always")
            compiled = weft.function(program, device=device)
            results = [compiled(x), compiled(x)]
        found.append((results, [(w.category, str(w.message), w.filename, w.lineno) for w in given]))
    (results, expected), (others, there) = found
    assert there == expected
    np.testing.assert_equal(others, results)


def test_numpy_that_raises_has_no_say() -> None:
    x = np.array([0.0, -1.0, 0.5, 3.0])
    with weft.settings.scope(cuda="emulator"), np.errstate(all="raise"):
        there, here = (weft.function(floating, device=device)(x) for device in ("cuda", "cpu"))
    np.testing.assert_equal(there, here)

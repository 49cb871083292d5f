"""Updates of parts of rows and columns, which are written to the array itself, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

Update = Callable[[Any, Any], None]


def rows(a: Any, b: Any) -> None:
    for i in range(a.shape[0]):
        for k in range(b.shape[1]):
            a[i, : i + 1] += 2 * b[i, k] * b[: i + 1, k]


def columns(a: Any, b: Any) -> None:
    for i in range(a.shape[0]):
        a[: i + 1, i] -= b[: i + 1, i] * a[i, i]


def steps(a: Any, b: Any) -> None:
    for i in range(a.shape[0]):
        a[i, 1::2] = b[i, 1::2] + a[i, 1::2]
        a[i, ::-1][:i] *= 2


def shifted(a: Any, b: Any) -> None:
    """A part is computed from another part of the row, which overlaps it."""
    for i in range(a.shape[0]):
        a[i, 1 : i + 1] = a[i, :i] + b[i, :i]


def other_rows(a: Any, b: Any) -> None:
    """A part of the row that the iteration before wrote."""
    for i in range(1, a.shape[0]):
        a[i, :i] = a[i - 1, :i] * 2 + a[i, :i]


def twice(a: Any, b: Any) -> None:
    """The row is read between its two updates, and behind them."""
    for i in range(a.shape[0]):
        a[i, :i] += 1
        total = np.sum(a[i])
        a[i, i:] *= total
        b[i, 0] = np.sum(a[i])


def negative(a: Any, b: Any) -> None:
    for i in range(1, a.shape[0]):
        a[-i, :i] += b[-i, :i]


@pytest.mark.parametrize(
    "update", [rows, columns, steps, shifted, other_rows, twice, negative], ids=lambda f: f.__name__
)
def test_parts(update: Update) -> None:
    generator = np.random.default_rng(0)
    a, b = generator.random((19, 19)), generator.random((19, 19))
    expected, found = (a.copy(), b.copy()), (a.copy(), b.copy())
    update(*expected)
    weft.function(update)(*found)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_no_row_is_kept() -> None:
    """What parts of rows are scaled by needs no memory of their own."""
    concrete = weft.function(other_rows).get_concrete_function(np.ones((200, 200)), np.ones((200, 200)))
    assert "workspace = 0" in concrete.as_text("buffers")

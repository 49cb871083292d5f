"""Exponentials that are summed, and divisions by sums, in the emulator: all special values, and how good others are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import weft

Array = np.ndarray[Any, Any]

COLUMNS = 64
"""Of a row that a warp has."""


@pytest.fixture(autouse=True)
def emulator() -> Iterator[None]:
    """Let the emulator stand for a GPU."""
    with weft.settings.scope(cuda="emulator"):
        yield


def _ulps(found: Array, exact: Array) -> Array:
    """How far numbers are from exact ones, in units of the last place; 0 where both are NaN or the same infinity."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(found.dtype)
        unit = np.spacing(np.abs(rounded)).astype(np.longdouble)
        far = np.abs(found.astype(np.longdouble) - exact) / unit
    same = (found == rounded) | (np.isnan(found) & np.isnan(rounded))
    return np.where(same, 0, np.where(np.isfinite(found) & np.isfinite(rounded), far, np.inf))


def _alone(values: Array, beside: float) -> Array:
    """Rows of which all numbers but one are the same."""
    rows = np.full((values.size, COLUMNS), beside, values.dtype)
    rows[np.arange(values.size), np.arange(values.size) % COLUMNS] = values
    return rows


@pytest.mark.parametrize("name", ["exp", "exp2"])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_exponentials_that_are_summed(name: str, dtype: type[np.floating[Any]]) -> None:
    """Each row has one number that is not 0; where halves are summed, they were rounded to halves before."""
    function = getattr(np, name)
    generator = np.random.default_rng(4)
    special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        np.inf,
        -np.inf,
        np.nan,
        88.7,
        88.8,
        127.9,
        128.0,
        -87.4,
        -103.9,
        -104.5,
        -150.0,
    ]
    values = np.concatenate(
        [special, generator.uniform(-110, 92, 800), generator.normal(0, 1e-3, 200), [1e30, -1e30, 1e-40]]
    )
    with np.errstate(over="ignore"):
        x = values.astype(dtype)

    def program(x: Any) -> Any:
        return function(x).sum(axis=1)

    text = weft.function(program, target="sm_90a").get_concrete_function(_alone(x, -np.inf)).as_text("ptx")
    assert "ex2.approx" in text
    found = weft.function(program, device="cuda")(_alone(x, -np.inf))
    with np.errstate(all="ignore"):
        exact = function(x.astype(np.longdouble))
    assert _ulps(found, exact).max() <= (2.0 if dtype == np.float32 else 0.51)
    assert (found[x == 0] == 1).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_divisions_by_sums(dtype: type[np.floating[Any]]) -> None:
    limits = np.finfo(dtype)
    special = [
        0.0,
        1.0,
        3.0,
        1e-30,
        1e30,
        limits.max,
        limits.tiny,
        limits.smallest_subnormal,
        limits.tiny * 0.3,
        np.inf,
    ]
    generator = np.random.default_rng(5)
    some = generator.uniform(0.5, 2, 100) * 2.0 ** generator.integers(-120, 120, 100)
    divisors = np.concatenate([special, np.negative(special), [np.nan], some]).astype(dtype)
    x = np.tile(
        np.concatenate([divisors[:21], generator.normal(0, 1, COLUMNS - 21)]).astype(dtype),
        (divisors.size, 1),
    )
    x[np.arange(divisors.size), -1] = divisors  # a sum of one number is once in itself

    def program(x: Any, y: Any) -> Any:
        return x / y.sum(axis=1, keepdims=True)

    rows = _alone(divisors, 0.0)
    text = weft.function(program, target="sm_90a").get_concrete_function(x, rows).as_text("gpu")
    assert "llvm.fma" in text
    found = weft.function(program, device="cuda")(x, rows)
    with np.errstate(all="ignore"):
        expected = program(x, rows)
        exact = x.astype(np.longdouble) / rows.sum(axis=1, keepdims=True).astype(np.longdouble)
    ulps = _ulps(found, exact)
    assert ulps.max() < 1
    assert (ulps > 0.5001).mean() < 0.01
    finite = np.isfinite(divisors) & (divisors != 0)
    assert (found[finite, -1] == 1).all()
    np.testing.assert_array_equal(
        np.signbit(found[~np.isnan(expected)]), np.signbit(expected[~np.isnan(expected)])
    )


@pytest.mark.parametrize(
    "program",
    [
        lambda x: (np.exp(x), np.exp(x).sum(axis=1)),
        lambda x: np.exp(x - x.max(axis=1, keepdims=True)).max(axis=1),
        lambda x: x / x.max(axis=1, keepdims=True),
        lambda x: np.exp(x) / x,
    ],
    ids=["seen", "largest", "no sum", "points"],
)
def test_what_others_see_is_exact(program: Any) -> None:
    x = np.linspace(-3, 3, 40 * COLUMNS).astype(np.float32).reshape(40, COLUMNS)
    text = weft.function(program, target="sm_90a").get_concrete_function(x).as_text("ptx")
    assert "ex2.approx" not in text
    found, here = weft.function(program, device="cuda")(x), weft.function(program)(x)
    found, here = (both if isinstance(both, tuple) else (both,) for both in (found, here))
    np.testing.assert_array_equal(found[0], here[0])

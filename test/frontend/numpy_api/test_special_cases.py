"""The special cases of the Python Array API in machine code: infinities, NaN and zeros of both signs, as in NumPy.

The conformance suite finds the same case by case, eagerly; here all functions of the standard see all of them compiled.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft

REAL = np.array(
    [
        0.0,
        -0.0,
        1.0,
        -1.0,
        2.0,
        -2.0,
        3.0,
        -3.0,
        0.5,
        -0.5,
        1e300,
        -1e300,
        5e-324,
        -5e-324,
        np.inf,
        -np.inf,
        np.nan,
    ]
)
UNARY = [
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "exp", "expm1", "floor",
    "isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2", "negative", "positive", "reciprocal", "round",
    "sign", "signbit", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc",
]  # fmt: skip
BINARY = [
    "add", "atan2", "copysign", "divide", "equal", "floor_divide", "greater", "greater_equal", "hypot", "less",
    "less_equal", "logaddexp", "maximum", "minimum", "multiply", "nextafter", "not_equal", "pow", "remainder",
    "subtract",
]  # fmt: skip
REDUCTIONS = ["all", "any", "max", "mean", "min", "prod", "std", "sum", "var"]
COMPLEX = [
    "abs", "conj", "cos", "exp", "expm1", "imag", "isfinite", "isinf", "isnan", "log", "negative", "real", "sign",
    "sinh", "sqrt", "square", "tanh",
]  # fmt: skip

OF_EITHER_SIGN = dict.fromkeys(
    ["max", "maximum", "min", "minimum"],
    "which of two zeros is larger is left open, and in NumPy the place decides",
)
"""The functions whose zeros may have another sign than NumPy's, with the reason."""


def _named(function: str) -> Any:
    return getattr(np, function)


def _unary(x: Any) -> Any:
    return [_named(name)(x) for name in UNARY]


def _binary(x: Any, y: Any) -> Any:
    return [_named(name)(x, y) for name in BINARY]


def _reduced(x: Any) -> Any:
    return [_named(name)(x, axis=1) for name in REDUCTIONS]


def _complex(x: Any) -> Any:
    return [_named(name)(x) for name in COMPLEX]


CANCELLING = ("logaddexp", "logaddexp2")
"""Near 0, their terms of about 1 cancel: an ulp of these counts, whoever is nearer."""


def assert_alike(names: list[str], got: list[Any], expected: list[Any], shown: Any) -> None:
    """The same NaN, infinities and zeros with their signs; other numbers up to some ulp."""
    for name, one, other in zip(names, got, expected, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape), name
        parts = [(one.real, other.real), (one.imag, other.imag)] if one.dtype.kind == "c" else [(one, other)]
        for mine, theirs in parts:
            if mine.dtype.kind != "f":
                np.testing.assert_array_equal(mine, theirs, name)
                continue
            wrong = np.isnan(mine) != np.isnan(theirs)
            limits = np.finfo(mine.dtype)
            exact = np.isinf(theirs) | np.isinf(mine) | (theirs == 0)
            wrong |= exact & (mine != theirs)
            least = limits.eps if name in CANCELLING else limits.smallest_subnormal
            close = np.isclose(mine, theirs, rtol=8 * limits.eps, atol=2 * least)
            wrong |= np.isfinite(theirs) & ~close
            if name not in OF_EITHER_SIGN:
                wrong |= ~np.isnan(theirs) & (np.signbit(mine) != np.signbit(theirs))
            assert not wrong.any(), (
                name,
                [array[wrong][:3] for array in shown],
                mine[wrong][:3],
                theirs[wrong][:3],
            )


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_real(dtype: Any) -> None:
    with np.errstate(all="ignore"):
        x = REAL.astype(dtype)
        left, right = (array.ravel() for array in np.meshgrid(x, x))
        rows = np.stack([left, right], axis=1)
        assert_alike(UNARY, weft.function(_unary)(x), _unary(x), [x])
        assert_alike(BINARY, weft.function(_binary)(left, right), _binary(left, right), [left, right])
        assert_alike(REDUCTIONS, weft.function(_reduced)(rows), _reduced(rows), [left, right])


def test_complex() -> None:
    with np.errstate(all="ignore"):
        x = np.concatenate([REAL[:10], REAL[-3:]])
        grid = np.empty((x.size, x.size), complex)
        grid.real, grid.imag = x[:, None], x
        flat = grid.ravel()
        assert_alike(COMPLEX, weft.function(_complex)(flat), _complex(flat), [flat])


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.float32])
@pytest.mark.parametrize("period", [4, 5, 4.0])
def test_angles_are_unwrapped_in_the_dtype_that_numpy_gives(dtype: type, period: float) -> None:
    angles = np.array([0, 3, 6, 1, 1, 5, 0], dtype)
    for discont in (None, 3):
        found = weft.function(lambda x, d=discont: np.unwrap(x, d, period=period))(angles)
        np.testing.assert_array_equal(found, np.unwrap(angles, discont, period=period))
        assert found.dtype == np.unwrap(angles, discont, period=period).dtype
        np.testing.assert_array_equal(weft.unwrap(angles, discont, period=period), found)

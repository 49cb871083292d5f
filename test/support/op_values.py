"""Values at the edges of dtypes, and compiled results of ops beside their NumPy reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import weft
from weft.dialect.dtypes import kind
from weft.dialect.op import OPS, Op
from weft.dialect.ops import load_families
from weft.frontend.tracing.staging import apply

load_families()

_FLOATS = [0.0, 1, 0.5, 1.5, 2.5, 2, 3, 7.25, 10, 1e-3, 100.5, 1e4, 1e-41, 3e38, 0.1, np.inf, np.nan]
_PARTS = [0.0, -0.0, 1, -1, 0.5, -1.5, 2, 3.25, -7, np.inf, -np.inf, np.nan]

Use = tuple[type[Op], Sequence[Any], dict[str, Any]]
"""An op, its operands and its attributes."""


def edge_values(dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Zeros, ones, the extremes, NaNs and infinities of a dtype, and some values in between."""
    if kind(dtype) == "b":
        return np.array([False, True])
    if kind(dtype) in "iu":
        limits = np.iinfo(dtype)
        values = [0, 1, 2, 3, 5, 7, 8, 31, 63, 64, 65, 100, limits.max, limits.max - 1, limits.max // 2]
        values += [-1, -2, -3, -7, -64, limits.min, limits.min + 1] if kind(dtype) == "i" else []
        return np.array(values, dtype)
    with np.errstate(all="ignore"):
        if kind(dtype) == "c":
            return np.array([complex(real, imag) for real in _PARTS for imag in _PARTS]).astype(dtype)
        return np.array([sign * value for value in _FLOATS for sign in (1, -1)]).astype(dtype)


def run_compiled(uses: Sequence[Use]) -> list[tuple[np.ndarray[Any, Any], ...]]:
    """The results of ops that are compiled together in one function."""

    def program(operands: Sequence[Sequence[Any]]) -> list[Any]:
        staged = [
            apply(op, *given, **attributes) for (op, _, attributes), given in zip(uses, operands, strict=True)
        ]
        return [result if isinstance(result, tuple) else (result,) for result in staged]

    results = weft.function(program)([list(operands) for _, operands, _ in uses])
    return [tuple(np.asarray(value) for value in several) for several in results]


def distance(got: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """How far results are apart, in units in the last place: 0 where equal, infinite where incomparable.

    The units of a complex number are those of its length, for both parts.
    """
    equal = (got == expected) | ((got != got) & (expected != expected))
    if kind(got.dtype) not in "fc":
        return np.where(equal, 0.0, np.inf)
    with np.errstate(all="ignore"):
        if kind(got.dtype) == "c":
            place = np.abs(expected) * np.finfo(got.dtype).eps
            parts = [(got.real, expected.real), (got.imag, expected.imag)]
            close = [
                np.minimum(distance(g, e), np.nan_to_num(np.abs(g - e) / place, nan=np.inf)) for g, e in parts
            ]
            return np.maximum(*close)
        place = np.spacing(np.abs(expected)).astype(np.float64)
        steps = np.abs(got.astype(np.float64) - expected.astype(np.float64)) / place
    return np.where(equal, 0.0, np.nan_to_num(steps, nan=np.inf, posinf=np.inf))


def assert_as_reference(uses: Sequence[Use], places: float = 0.0) -> None:
    """Compile the ops and compare dtypes, shapes and values with the NumPy reference."""
    for (op, operands, attributes), results in zip(uses, run_compiled(uses), strict=True):
        reference = op.compute([np.asarray(operand) for operand in operands], attributes)
        for got, expected in zip(results, reference, strict=True):
            assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
            wrong = distance(got, expected) > places
            if wrong.any():
                where = tuple(np.argwhere(wrong)[0])
                given = [np.broadcast_to(operand, got.shape)[where] for operand in operands]
                listing = ", ".join(f"{value!s} ({value.dtype})" for value in given)
                raise AssertionError(
                    f"weft.{op.name} of {listing} with {attributes} gives {got[where]}, "
                    f"NumPy {expected[where]}; {wrong.sum()} of {wrong.size} values differ"
                )


__all__ = ["OPS", "Use", "assert_as_reference", "edge_values", "run_compiled"]

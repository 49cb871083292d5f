"""Random arrays of all dtypes, and comparison within the rounding errors that they allow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from support.differential import check

FLOATS = (np.float32, np.float64)
_TOLERANCE = {np.float32: 2e-5, np.float64: 1e-12, np.complex64: 2e-5, np.complex128: 1e-12}


def data(dtype: type, *shape: int, seed: int = 0) -> np.ndarray:
    """Random values of a dtype: standard normal for floats, the whole range for 8 bits, else hundreds."""
    random = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return random.integers(0, 2, shape).astype(bool)
    if kind == "u":
        return random.integers(0, min(np.iinfo(dtype).max, 999), shape).astype(dtype)
    if kind == "i":
        return random.integers(max(np.iinfo(dtype).min, -999), min(np.iinfo(dtype).max, 999), shape).astype(
            dtype
        )
    values = random.standard_normal(shape)
    return (values + 1j * random.standard_normal(shape) if kind == "c" else values).astype(dtype)


def check_close(function: Callable[..., Any], *arguments: Any, scale: float = 1.0) -> None:
    """Compare within a few rounding errors of the widest float among the arguments; exactly when there is none."""
    kinds = {a.dtype.type for a in arguments if isinstance(a, np.ndarray)}
    tolerance = max((_TOLERANCE.get(k, 0.0) for k in kinds), default=0.0) * scale
    check(function, *arguments, rtol=tolerance, atol=tolerance)

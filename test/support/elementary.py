"""Elementary functions to compare with: references, arguments worth trying, and distances in ulps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from support.kernel_code import KernelText

Array = np.ndarray[Any, Any]

REFERENCES: dict[str, Callable[..., Any]] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "acosh": np.arccosh,
    "asinh": np.arcsinh,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "powf": np.power,
    "atan2": np.arctan2,
}
TWO_OPERANDS = {"powf", "atan2"}
SPECIAL = [
    *(0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 2.0, -2.0, 3.0, 0.5, -0.5, 1e-40, -1e-40, 1e30, -1e30),
    *(88.72, 88.73, 89.3, 89.5, -87.4, -103.9, -104.0, 709.7, 709.8, 710.4, 710.5, -745.0, -746.0),
    *(1e-310, 1e-8, 3e-4, 0.41421, 0.99999994, 1.0000001, 32768.0, 32769.0, 1e6, 1e10, 22.0),
]


def compiled(name: str, dtype: str, size: int) -> Callable[..., None]:
    """A kernel of a function of the math dialect, or of another one that is named: `special.gamma`."""
    kernel, op = KernelText(), name if "." in name else f"math.{name}"
    inputs = [kernel.argument((size,), dtype) for _ in range(1 + (name in TWO_OPERANDS))]
    element, operands = inputs[0].element, ", ".join(f"%x{number}" for number in range(len(inputs)))
    types = ", ".join([element] * len(inputs))
    body = f'%y = "{op}"({operands}) : ({types}) -> {element}\nlinalg.yield %y : {element}'
    kernel.result(kernel.generic(inputs, ["i"] * (len(inputs) + 1), body, (size,), dtype))
    return kernel.compile()


def samples(dtype: str) -> Array:
    """Special values, random bits, and the ranges in which functions change their ways."""
    generator = np.random.default_rng(0)
    width = np.dtype(dtype).itemsize
    bits = generator.integers(0, 2 ** (8 * width), 40_000, dtype=f"u{width}").view(dtype)
    ranges = [generator.uniform(-bound, bound, 20_000) for bound in (1e-3, 1, 4, 100, 800)]
    near_one = 1 + generator.standard_normal(20_000) * 1e-3
    with np.errstate(all="ignore"):
        return np.concatenate([np.array(SPECIAL), *ranges, near_one, bits]).astype(dtype)


def ulps(got: Array, exact: Array) -> Array:
    """The distance in units of the last place of the result; infinite where one is finite and one is not."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(got.dtype)
        same = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
        distance = np.abs(got.astype(exact.dtype) - exact) / np.spacing(np.abs(rounded)).astype(exact.dtype)
    return np.where(same, 0, np.where(np.isfinite(got) & np.isfinite(rounded), distance, np.inf))

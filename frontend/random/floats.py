"""Random floats: uniform, normal and exponential numbers, scaled and moved as NumPy does."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialect.dtypes import as_dtype
from ...dialect.errors import WeftTypeError
from ...dialect.ops.random import RandomFloats
from ..numpy_api.arguments import write_into
from ..tracing.extents import product
from ..tracing.staging import ArrayResult, cast, raise_where
from .sizes import parameters, require_output, shape_of_size
from .stream import Source

FLOAT64 = np.dtype(np.float64)


def fill(stream: Source, method: str, distribution: str, size: Any, dtype: Any, out: Any) -> ArrayResult:
    """Numbers of a distribution: a Python float where neither a size nor an output is given."""
    wanted = as_dtype(dtype)
    if wanted not in (np.float32, np.float64):
        raise WeftTypeError(f"Unsupported dtype {wanted!r} for {method}")
    if out is not None:
        require_output(out, size, wanted)
        return write_into(out, _shaped(stream, distribution, out.shape, wanted))
    if size is None:
        return _one(_shaped(stream, distribution, (1,), wanted))
    return _shaped(stream, distribution, shape_of_size(size), wanted)


def uniform(stream: Source, low: Any, high: Any, size: Any) -> ArrayResult:
    """Numbers from one bound to another."""
    low, high, shape = parameters((low, high), size)
    span = np.subtract(high, low)
    is_number = np.ndim(low) == 0 and np.ndim(high) == 0
    what = "high - low range exceeds valid bounds" if is_number else "Range exceeds valid bounds"
    raise_where(np.logical_not(np.isfinite(span)).any(), OverflowError, what)
    _require_not_negative(span, "high - low")
    return transformed(stream, "uniform", shape, lambda numbers: low + span * numbers)


def normal(stream: Source, loc: Any, scale: Any, size: Any) -> ArrayResult:
    """Normal numbers with a mean and a standard deviation."""
    loc, scale, shape = parameters((loc, scale), size)
    _require_not_negative(scale, "scale")
    return transformed(stream, "normal", shape, lambda numbers: loc + scale * numbers)


def exponential(stream: Source, scale: Any, size: Any) -> ArrayResult:
    """Exponential numbers with a mean."""
    scale, shape = parameters((scale,), size)
    _require_not_negative(scale, "scale")
    return transformed(stream, "exponential", shape, lambda numbers: scale * numbers)


def _require_not_negative(value: Any, name: str) -> None:
    is_wrong = np.logical_and(np.logical_not(np.isnan(value)), np.signbit(value))
    raise_where(is_wrong.any(), ValueError, f"{name} < 0")


def transformed(stream: Source, distribution: str, shape: Any, transform: Any) -> ArrayResult:
    """Numbers of a distribution, transformed; a Python float where the shape is None."""
    if shape is None:
        return _one(transform(_shaped(stream, distribution, (1,), FLOAT64)))
    return transform(_shaped(stream, distribution, shape, FLOAT64))


def _shaped(stream: Source, distribution: str, shape: Any, dtype: np.dtype[Any]) -> ArrayResult:
    count = product(shape)
    drawn = stream.draw(RandomFloats, (), (count,), distribution=distribution, dtype=dtype)
    return drawn if len(shape) == 1 else drawn.reshape(shape)


def _one(numbers: Any) -> ArrayResult:
    """The only number, as a Python float."""
    return cast(numbers[0], FLOAT64)._like_python(float)

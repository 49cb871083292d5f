"""Random choices of places or of parts of an array, with and without probabilities."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...dialect.errors import WeftValueError
from ...dialect.ops.random import RandomChoice, RandomFloats
from ..numpy_api.indexing import searchsorted, take
from ..tracing.array import TracedArray
from ..tracing.extents import product
from ..tracing.staging import ArrayResult, asarray, cast, raise_where
from .integers import below
from .run_time_calls import drawn_by_python
from .sizes import is_nothing, shape_of_size
from .stream import Stream

FLOAT64 = np.dtype(np.float64)


def choice(stream: Stream, a: Any, size: Any, replace: bool, p: Any, axis: int, shuffle: bool) -> ArrayResult:
    """Items of an array along an axis, or numbers up to one: the same ones may come again, or not."""
    population, items = _population(a, axis, size)
    shape = () if size is None else shape_of_size(size)
    if p is not None and not replace:
        return drawn_by_python(stream, "choice")(a, size, replace, p, axis, shuffle)
    if p is not None:
        chosen = _by_probability(stream, cast(asarray(p), FLOAT64), population, shape)
    elif replace:
        chosen = below(stream, population, shape)
    else:
        count = product(shape)
        raise_where(
            count > population,
            ValueError,
            "Cannot take a larger sample than population when replace is False",
        )
        extent = np.asarray(population, np.int64) if isinstance(population, int) else population
        chosen = stream.draw(RandomChoice, (extent,), (count,), shuffle=bool(shuffle)).reshape(shape)
    if items is None:
        return chosen if size is not None else chosen._like_python(int)
    return take(items, chosen, axis)


def _population(a: Any, axis: int, size: Any) -> tuple[Any, Any]:
    """How many items there are, and the items; None for numbers."""
    array = asarray(a)
    is_some = size is None or not is_nothing(size)
    if array.ndim:
        if is_some:
            raise_where(array.shape[axis] == 0, ValueError, "a cannot be empty unless no samples are taken")
        return array.shape[axis], array
    if array.dtype.kind not in "iu":
        raise WeftValueError(f"a must be a sequence or an integer, not {type(a)}")
    count = a if isinstance(array, TracedArray) else operator.index(array.item())
    if is_some:
        raise_where(count <= 0, ValueError, "a must be a positive integer unless no samples are taken")
    return count, None


def _by_probability(stream: Stream, p: Any, population: Any, shape: tuple[Any, ...]) -> ArrayResult:
    if p.ndim != 1:
        raise WeftValueError("p must be 1-dimensional")
    raise_where(p.shape[0] != population, ValueError, "a and p must have same size")
    total = np.sum(p)
    raise_where(np.isnan(total), ValueError, "Probabilities contain NaN")
    raise_where(np.any(p < 0), ValueError, "Probabilities are not non-negative")
    raise_where(
        np.abs(total - 1.0) > np.sqrt(np.finfo(np.float64).eps),
        ValueError,
        "Probabilities do not sum to 1. See Notes section of docstring for more information.",
    )
    sums = np.cumsum(p)
    count = product(shape)
    numbers = stream.draw(RandomFloats, (), (count,), distribution="uniform", dtype=FLOAT64)
    return searchsorted(sums / sums[-1], numbers, side="right").reshape(shape)

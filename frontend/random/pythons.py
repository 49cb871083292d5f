"""The functions of Python's `random`, and the methods of `random.Random` that they are."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ...dialect.errors import UnsupportedError, WeftTypeError
from ..tracing.array import TracedArray
from ..tracing.staging import asarray, cast, raise_where
from .twister import FLOAT64, INT64, NotCompiled, Twister

_LARGEST = 2**63 - 1


def below(twister: Twister, count: Any) -> Any:
    """An int from zero up to a count that is positive."""
    return _one(twister, "below", (_int64(count),), int)


def order(twister: Twister, count: int) -> Any:
    """The numbers up to a count, in random order."""
    return twister.drawn("order", (), count, INT64)


def sample(twister: Twister, count: Any, wanted: int, either: Callable[[Any, Any, Any], Any]) -> Any:
    """So many different numbers up to a count: `either` records what a run-time count decides."""
    if wanted < 0 or (isinstance(count, int) and wanted > count):
        raise NotCompiled
    most = 21 + (4 ** math.ceil(math.log(wanted * 3, 4)) if wanted > 5 else 0)  # as Python decides it
    if wanted > _LARGEST_DISTINCT and not (isinstance(count, int) and count <= most):
        raise NotCompiled

    def of_pool() -> Any:
        return twister.drawn("pool", (np.int64(wanted),), count, INT64)[::-1][:wanted]

    def of_distinct() -> Any:
        return twister.drawn("distinct", (_int64(count),), wanted, INT64)

    if isinstance(count, int):
        return of_pool() if count <= most else of_distinct()
    raise_where(count < wanted, ValueError, "Sample larger than population or is negative")
    return either(count <= most, of_pool, of_distinct)


_LARGEST_DISTINCT = 2000
"""Of larger samples Python's set of what was drawn already is faster."""


def weighted(twister: Twister, weights: Any, sums: Any, count: int, wanted: int) -> Any:
    """So many numbers up to a count, by weights or by their sums."""
    from ..numpy_api.indexing import searchsorted  # few programs need it

    if weights is not None and sums is not None:
        raise WeftTypeError("Cannot specify both weights and cumulative weights")
    array = asarray(weights if sums is None else sums)
    if array.ndim != 1 or array.dtype.kind not in "if" or array.dtype.itemsize < 8:
        raise NotCompiled
    sums = np.cumsum(array) if sums is None else array
    raise_where(sums.shape[0] != count, ValueError, "The number of weights does not match the population")
    total = cast(sums[-1], FLOAT64)
    raise_where(total <= 0, ValueError, "Total of weights must be greater than zero")
    raise_where(np.logical_not(np.isfinite(total)), ValueError, "Total of weights must be finite")
    numbers = twister.drawn("uniform", (), wanted, FLOAT64) * total
    return searchsorted(sums[:-1], numbers, side="right")


def _one(twister: Twister, function: str, given: Any, kind: type) -> Any:
    """A number of Python's."""
    dtype = FLOAT64 if kind is float else INT64
    return twister.drawn(function, given, 1, dtype)[0]._like_python(kind)


def _int64(value: Any) -> Any:
    return cast(value, INT64) if isinstance(value, TracedArray) else np.int64(value)


def _getrandbits(twister: Twister, k: Any) -> Any:
    if type(k) is int and k > 63:
        raise UnsupportedError(
            f"getrandbits({k}) gives integers of {k} bits, and compiled code has Python's in 64 with a sign: draw "
            "63 bits at most at a time, or call it outside of the compiled function and pass the result as an argument"
        )
    if type(k) is not int or k < 0:
        raise NotCompiled
    return _one(twister, "bits", (np.int64(k),), int)


def _randint(twister: Twister, a: Any, b: Any) -> Any:
    if not _is_whole(b):
        raise NotCompiled
    return _randrange(twister, a, _whole(b) + 1)


def _randrange(twister: Twister, start: Any, stop: Any = None, step: Any = 1) -> Any:
    if type(step) is not int or step != 1 or not _is_whole(start) or not (stop is None or _is_whole(stop)):
        raise NotCompiled
    first, end = (0, _whole(start)) if stop is None else (_whole(start), _whole(stop))
    width = end - first
    if isinstance(width, int):
        if not 0 < width <= _LARGEST or not abs(first) <= _LARGEST:
            raise NotCompiled
    elif stop is None:
        raise_where(width <= 0, ValueError, "empty range for randrange()")
    elif sys.version_info >= (3, 12):
        raise_where(width <= 0, ValueError, "empty range in randrange({}, {})", first, end)
    else:
        raise_where(width <= 0, ValueError, "empty range for randrange() ({}, {}, {})", first, end, width)
    drawn = below(twister, width)
    return drawn if stop is None else first + drawn


def _is_whole(value: Any) -> bool:
    if isinstance(value, TracedArray):
        return value.ndim == 0 and value.dtype.kind in "bi"
    return isinstance(value, (int, np.integer))


def _whole(value: Any) -> Any:
    """A whole number as a Python int."""
    if isinstance(value, TracedArray):
        return cast(value, INT64)._like_python(int)
    return operator.index(value)


METHODS: dict[str, Callable[..., Any]] = {
    "random": lambda twister: _one(twister, "uniform", (), float),
    "uniform": lambda twister, a, b: a + (b - a) * _one(twister, "uniform", (), float),
    "normalvariate": lambda twister, mu=0.0, sigma=1.0: mu + _one(twister, "ratio_normal", (), float) * sigma,
    "gauss": lambda twister, mu=0.0, sigma=1.0: mu + _one(twister, "circle_normal", (), float) * sigma,
    "expovariate": lambda twister, lambd=1.0: _one(twister, "exponential", (), float) / lambd,
    "getrandbits": _getrandbits,
    "randint": _randint,
    "randrange": _randrange,
}
"""What draws, by the names of methods; each takes the Twister first, and raises `NotCompiled` for what Python draws."""

"""NumPy's older functions, `np.random.normal` and its like, and the methods of `RandomState` that they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...backend.cpu.random_numbers.numpys_distributions import numpys_addresses
from ...dialect.dtypes import is_element
from ...dialect.errors import WeftValueError
from ...dialect.ops.random import RandomFloats
from ..numpy_api.indexing import searchsorted, take
from ..tracing.array import TracedArray
from ..tracing.extents import product
from ..tracing.staging import asarray, cast, raise_where
from . import arrangements, floats, integers
from .sizes import is_nothing, parameters, shape_of_size
from .twister import FLOAT64, NotCompiled, Twister


def _uniform_numbers(twister: Twister, size: Any = None) -> Any:
    return floats.fill(twister, "random_sample", "uniform", size, FLOAT64, None)


def _normal_numbers(twister: Twister, size: Any = None) -> Any:
    return floats.fill(twister, "standard_normal", "normal", size, FLOAT64, None)


def _uniform(twister: Twister, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    low, high, shape = parameters((low, high), size)
    span = np.subtract(high, low)
    is_wrong = np.logical_not(np.isfinite(span)).any()
    raise_where(is_wrong, OverflowError, "Range exceeds valid bounds")
    return floats.transformed(twister, "uniform", shape, lambda numbers: low + span * numbers)


def _binomial(twister: Twister, n: Any, p: Any, size: Any = None) -> Any:
    n, p = (value if np.isscalar(value) else asarray(value) for value in (n, p))
    if not (_is_whole(n) if np.ndim(n) == 0 else n.dtype.kind in "bi"):
        raise NotCompiled
    is_array = bool(np.ndim(n) or np.ndim(p))
    p, counts = cast(asarray(p), FLOAT64), cast(asarray(n), integers.INT64)
    is_off = np.logical_not(np.logical_and(p >= 0, p <= 1))
    raise_where(is_off.any(), ValueError, f"p < 0, p > 1 or p {'contains NaNs' if is_array else 'is NaN'}")
    raise_where(np.less(counts, 0).any(), ValueError, "n < 0")
    return _numpys(twister, "binomial", (counts, p), size, integers.INT64)


_LARGEST_MEAN = float(np.iinfo(np.int64).max - np.sqrt(np.iinfo(np.int64).max) * 10)


def _poisson(twister: Twister, lam: Any = 1.0, size: Any = None) -> Any:
    lam = cast(asarray(lam), FLOAT64)
    is_large, is_off = np.logical_not(lam <= _LARGEST_MEAN), np.logical_not(lam >= 0)
    if lam.ndim:
        raise_where(is_large.any(), ValueError, "lam value too large")
        raise_where(is_off.any(), ValueError, "lam < 0 or lam contains NaNs")
    else:
        raise_where(is_off, ValueError, "lam < 0 or lam is NaN")
        raise_where(is_large, ValueError, "lam value too large")
    return _numpys(twister, "poisson", (lam,), size, integers.INT64)


def _of_place_and_scale(name: str) -> Callable[..., Any]:
    def draw(twister: Twister, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        loc, scale = (cast(asarray(value), FLOAT64) for value in (loc, scale))
        is_off = np.logical_and(np.signbit(scale), np.logical_not(np.isnan(scale)))
        raise_where(is_off.any(), ValueError, "scale < 0")
        return _numpys(twister, name, (loc, scale), size, FLOAT64)

    return draw


def _numpys(twister: Twister, name: str, given: Any, size: Any, dtype: np.dtype[Any]) -> Any:
    """Numbers of a distribution that NumPy's C code draws."""
    if numpys_addresses(name) is None or np.dtype(int) != integers.INT64:
        raise NotCompiled
    *values, shape = parameters(given, size, None)
    step = int(any(np.ndim(value) for value in values))
    operands = [np.reshape(value, -1) if step else value for value in values]
    count = 1 if shape is None else product(shape)
    drawn = twister.drawn(name, [*operands, np.int64(step)], count, dtype)
    return (
        drawn.reshape(shape) if shape is not None else drawn[0]._like_python(dtype.type(0).item().__class__)
    )


def _randint(twister: Twister, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
    low, high = (asarray(bound) if isinstance(bound, (list, tuple)) else bound for bound in (low, high))
    if not all(_is_whole(bound) for bound in (low, high) if bound is not None and np.ndim(bound) == 0):
        raise NotCompiled
    made = integers.whole_integers(twister, "randint", low, high, size, dtype, endpoint=False)
    if made is None:
        raise NotCompiled
    return made


def _is_whole(bound: Any) -> bool:
    return isinstance(bound, (int, np.integer)) or (
        isinstance(bound, TracedArray) and bound.dtype.kind in "bi"
    )


def _permutation(twister: Twister, x: Any) -> Any:
    if not isinstance(x, (int, np.integer, TracedArray)) and not _has_numbers(x):
        raise NotCompiled
    return arrangements.permutation(twister, x, 0)


def _choice(twister: Twister, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
    if not isinstance(replace, (bool, np.bool_)) or (p is not None and not replace) or not _has_numbers(a):
        raise NotCompiled
    array = asarray(a)
    if array.ndim > 1:
        raise WeftValueError("a must be 1-dimensional")
    if array.ndim == 0 and array.dtype.kind not in "iu":
        raise WeftValueError("a must be 1-dimensional or an integer")
    population: Any = array.shape[0] if array.ndim else (a if isinstance(a, TracedArray) else int(array))
    shape = () if size is None else shape_of_size(size)
    if size is None or not is_nothing(size):
        what = "'a' cannot be empty" if array.ndim else "a must be greater than 0"
        raise_where(population <= 0, ValueError, f"{what} unless no samples are taken")
    places = _places(twister, population, shape, replace, p)
    if array.ndim:
        return take(array, places, 0)
    return places if size is not None else places._like_python(int)


def _places(twister: Twister, population: Any, shape: Any, replace: Any, p: Any) -> Any:
    """The places of what is chosen."""
    if p is not None:
        return _by_probability(twister, cast(asarray(p), FLOAT64), population, shape)
    if replace:
        made = integers.below(twister, population, shape or (1,))
        return made if shape else made[0]
    count = product(shape)
    raise_where(
        count > population, ValueError, "Cannot take a larger sample than population when 'replace=False'"
    )
    places = arrangements.places(twister, population)
    return places[0] if not shape else places[:count].reshape(shape)


def _by_probability(twister: Twister, p: Any, population: Any, shape: Any) -> Any:
    if p.ndim != 1:
        raise WeftValueError("'p' must be 1-dimensional")
    raise_where(p.shape[0] != population, ValueError, "'a' and 'p' must have same size")
    total = np.sum(p)
    raise_where(np.isnan(total), ValueError, "probabilities contain NaN")
    raise_where(np.any(p < 0), ValueError, "probabilities are not non-negative")
    is_off = np.abs(total - 1.0) > np.sqrt(np.finfo(np.float64).eps)
    raise_where(is_off, ValueError, "probabilities do not sum to 1")
    sums = np.cumsum(p)
    numbers = twister.draw(RandomFloats, (), (product(shape),), distribution="uniform")
    places = searchsorted(sums / sums[-1], numbers, side="right")
    return places.reshape(shape) if shape else places[0]


def _has_numbers(value: Any) -> bool:
    """Whether a value is made of numbers."""
    try:
        return is_element(asarray(value).dtype)
    except (TypeError, ValueError):
        return False


METHODS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("random", "random_sample"), _uniform_numbers),
    "standard_normal": _normal_numbers,
    "standard_exponential": lambda twister, size=None: floats.fill(
        twister, "standard_exponential", "exponential", size, FLOAT64, None
    ),
    "rand": lambda twister, *extents: _uniform_numbers(twister, extents or None),
    "randn": lambda twister, *extents: _normal_numbers(twister, extents or None),
    "uniform": _uniform,
    "normal": lambda twister, loc=0.0, scale=1.0, size=None: floats.normal(twister, loc, scale, size),
    "exponential": lambda twister, scale=1.0, size=None: floats.exponential(twister, scale, size),
    "binomial": _binomial,
    "poisson": _poisson,
    **{name: _of_place_and_scale(name) for name in ("laplace", "gumbel", "logistic")},
    "randint": _randint,
    "permutation": _permutation,
    "choice": _choice,
}
"""What draws, by the names of methods; each takes the Twister first, and raises `NotCompiled` for what Python draws."""

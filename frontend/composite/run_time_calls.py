"""Functions on dates that are not compiled: NumPy is called when the program runs, on dates made of the counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...dialect.errors import ConcreteValueError, UnsupportedError
from ..guards.call_effects import Does, effect_of
from ..numpy_api.run_time_calls import WRITING, call_at_run_time
from ..signature.signature import flatten_with, unflatten
from .times import TracedTimes


def natively_or_at_run_time(
    name: str, native: Callable[[], Any], function: Callable[..., Any], args: Any, kwargs: Any
) -> Any:
    """What a native function gives, or where that refuses its arguments a call of NumPy's function at run time."""
    try:
        return native()
    except (UnsupportedError, ConcreteValueError) as error:
        if type(error) is not UnsupportedError:
            raise
        refusal = error
    if (
        effect_of(function).does not in (Does.COMPUTES, Does.LOOKS)
        or "out" in kwargs
        or name.split(".")[-1] in WRITING
    ):
        raise refusal
    try:
        return _call(name, function, args, kwargs, str(refusal))
    except UnsupportedError:
        raise refusal from None


def _call(name: str, function: Callable[..., Any], args: Any, kwargs: Any, refusal: str) -> Any:
    leaves: list[Any] = []
    structure = flatten_with((args, kwargs), leaves, lambda value: isinstance(value, TracedTimes))
    dtypes = [leaf.dtype for leaf in leaves]
    made: dict[int, np.dtype[Any]] = {}

    def on_counts(*counts: Any) -> Any:
        times = [np.asarray(count).view(dtype)[()] for count, dtype in zip(counts, dtypes, strict=True)]
        given, named = unflatten(structure, times.__getitem__)
        results = function(*given, **named)
        if not isinstance(results, tuple):
            return _as_counts(results, 0)
        return tuple(_as_counts(one, place) for place, one in enumerate(results))

    def _as_counts(result: Any, place: int) -> Any:
        dtype = getattr(result, "dtype", None)
        if dtype is None or dtype.kind not in "mM":
            return result
        if made.setdefault(place, dtype) != dtype:
            raise UnsupportedError(f"{refusal}; the unit of what it gives depends on values")
        return result.view(np.int64)

    results = call_at_run_time(name, on_counts, tuple(leaf.ticks for leaf in leaves), {}, refusal)
    if not isinstance(results, tuple):
        return _as_times(results, made.get(0))
    return tuple(_as_times(one, made.get(place)) for place, one in enumerate(results))


def _as_times(value: Any, dtype: np.dtype[Any] | None) -> Any:
    return value if dtype is None else TracedTimes(dtype, (value,))


__all__ = ["natively_or_at_run_time"]

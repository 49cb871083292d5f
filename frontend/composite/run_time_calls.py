"""Functions on dates and texts that are not compiled: NumPy is called when the program runs, on what they stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...dialect.errors import ConcreteValueError, UnsupportedError
from ..guards.call_effects import Does, effect_of
from ..numpy_api.run_time_calls import WRITING, call_at_run_time
from ..signature.composite_arrays import array_of, parts_of, parts_of_array
from ..signature.signature import flatten_with, unflatten
from ..tracing.behaviour import behaviour
from .arrays import CompositeArray


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
    structure = flatten_with((args, kwargs), leaves, lambda value: isinstance(value, CompositeArray))
    made: list[np.dtype[Any] | None] = []
    is_several: list[bool] = []

    def on_parts(*parts: Any) -> Any:
        rest = iter(parts)
        arrays = [array_of(leaf.dtype, [next(rest) for _ in leaf.parts]) for leaf in leaves]
        given, named = unflatten(structure, arrays.__getitem__)
        results = function(*given, **named)
        is_several[:] = [isinstance(results, tuple)]
        taken = [_taken_apart(one) for one in (results if is_several[0] else (results,))]
        dtypes = [dtype for dtype, _ in taken]
        if made and made != dtypes:
            raise UnsupportedError(f"{refusal}; the dtype of what it gives depends on values")
        made[:] = dtypes
        flat = tuple(part for _, arrays in taken for part in arrays)
        return flat if len(flat) > 1 else flat[0]

    given = tuple(part for leaf in leaves for part in leaf.parts)
    flat = call_at_run_time(name, on_parts, given, {}, refusal)
    rest = iter(flat if isinstance(flat, tuple) else (flat,))
    results = [next(rest) if dtype is None else _of_parts(dtype, rest) for dtype in made]
    return tuple(results) if is_several[0] else results[0]


def _taken_apart(result: Any) -> tuple[np.dtype[Any] | None, tuple[Any, ...]]:
    """The parts of an array with its dtype, which is None for one that has no parts."""
    parts = parts_of_array(result)
    return (None, (result,)) if parts is None or parts.dtype.names is not None else parts


def _of_parts(dtype: np.dtype[Any], parts: Iterator[Any]) -> Any:
    return behaviour().composite(dtype, tuple(next(parts) for _ in parts_of(dtype)))

"""NumPy's functions that weft does not know: NumPy itself is called when the program runs, which is said once.

What such a call gives is found while tracing, by calls on examples of the operands' shapes and dtypes: structure,
shapes and dtypes must be the same for all of them. A call that gives something else at run time is a `TypeError`.
Arrays are passed read-only, then and in the examples, so that a function that writes to them (`out=`) is refused.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ...dialect.dtypes import kind
from ...dialect.errors import FallbackWarning, UnsupportedError, WeftError
from ...dialect.types import type_of
from ..runtime_values.effects import py_call
from ..settings import settings
from ..signature.signature import TensorSpec, constants, flatten_with, unflatten
from ..source.locations import range_of_frame, user_frames
from ..tracing.array import TracedArray
from ..tracing.extents import known_shape

_NUMBERS = (bool, int, float, complex)


def call_at_run_time(name: str, function: Callable[..., Any], args: Any, kwargs: Any, refusal: str) -> Any:
    """Record a call of a function of NumPy's, by its name in programs; `refusal` says that it is unknown.

    Raises `UnsupportedError` where it cannot be told what the call gives.
    """
    if not settings.fallback:
        raise UnsupportedError(refusal)
    found, make = _result_of(name, function, args, kwargs, refusal)
    _warn(name)

    def call(*arguments: Any) -> Any:
        given, named = arguments
        return _plain(function(*given, **named))

    call.__name__ = name
    return make(py_call(call, args, kwargs, result=found))


def _result_of(
    name: str, function: Callable[..., Any], args: Any, kwargs: Any, refusal: str
) -> tuple[Any, Callable[[Any], Any]]:
    """What a call gives, as nested specs, and what makes it like NumPy's of what a call at run time returns."""
    leaves: list[Any] = []
    structure = flatten_with(
        (args, kwargs), leaves, lambda value: isinstance(value, (TracedArray, np.ndarray))
    )
    if any(callable(value) for value in constants(structure)):
        raise UnsupportedError(f"{refusal}; it gets a function, which would run in Python")
    if any(None in known_shape(leaf) for leaf in leaves):
        raise UnsupportedError(
            f"{refusal}; it could be called when the program runs if the extents of its operands were known"
        )
    results = []
    for make in (_ascending, _scattered, _ones):
        examples = [make(leaf) if isinstance(leaf, TracedArray) else leaf.copy() for leaf in leaves]
        for example in examples:
            if isinstance(example, np.ndarray):
                example.flags.writeable = False
        given, named = unflatten(structure, examples.__getitem__)
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                results.append(function(*given, **named))
        except WeftError:
            raise
        except Exception as error:
            reason = error
    if not results:
        raise UnsupportedError(f"{refusal}; what it gives could not be found while tracing ({reason})")
    described = [_described(result) for result in results]
    if any(other != described[0] for other in described) or described[0] is None:
        raise UnsupportedError(
            f"{refusal}. It cannot be called when the program runs, either, as the shapes or types of what it gives "
            f"depend on values: weft.py_call(np.{name}, ..., result=weft.TensorSpec(...)) says what they are"
        )
    return _specs(results[0]), lambda made: _like(results[0], made)


def _described(result: Any) -> Any:
    """Structure, types, dtypes and shapes; None where there is something else than arrays and numbers in it."""
    if isinstance(result, (tuple, list)):
        parts = [_described(part) for part in result]
        return None if None in parts else (type(result), *parts)
    if isinstance(result, (np.ndarray, np.generic, *_NUMBERS)) and _kind_of(result) in "biufc":
        array = np.asarray(result)
        return type(result), array.dtype, array.shape
    return None


def _kind_of(result: Any) -> str:
    """The kind of the elements of an array or number, as NumPy's letter."""
    return np.asarray(result).dtype.kind


def _specs(result: Any) -> Any:
    if isinstance(result, (tuple, list)):
        return tuple(_specs(part) for part in result)
    found = type_of(np.asarray(result))
    return TensorSpec(found.shape, found.dtype)


def _plain(result: Any) -> Any:
    """The same as nested tuples."""
    return tuple(map(_plain, result)) if isinstance(result, (tuple, list)) else result


def _like(example: Any, made: Any) -> Any:
    """What a call returned, in the classes of an example."""
    if isinstance(example, (tuple, list)):
        parts = [_like(*pair) for pair in zip(example, made, strict=True)]
        return type(example)(*parts) if hasattr(example, "_fields") else type(example)(parts)
    if isinstance(example, np.ndarray):
        return made._as_array()
    number = next((each for each in _NUMBERS if type(example) is each), None)
    return made if number is None else made._like_python(number)


def _ascending(leaf: TracedArray) -> Any:
    return _example(leaf, np.arange(_count(leaf)) + 1)


def _scattered(leaf: TracedArray) -> Any:
    return _example(leaf, np.random.default_rng(0).permutation(_count(leaf)) * 7 % 11)


def _ones(leaf: TracedArray) -> Any:
    return _example(leaf, np.ones(_count(leaf)))


def _count(leaf: TracedArray) -> int:
    return int(np.prod([extent or 0 for extent in leaf.type.shape], dtype=int))


def _example(leaf: TracedArray, values: Any) -> Any:
    """Values in the shape and dtype of a traced array, or as the number that it is."""
    largest = np.iinfo(leaf.dtype).max if kind(leaf.dtype) in "iu" else np.inf
    array = (
        np.minimum(values, largest).astype(leaf.dtype).reshape([extent or 0 for extent in leaf.type.shape])
    )
    if leaf._python_type is not None:
        return leaf._python_type(array)
    return array if array.ndim or leaf._storage.is_array else array[()]


def _warn(name: str) -> None:
    frames = user_frames(innermost=True)
    place = range_of_frame(frames[0]) if frames else None
    warnings.warn_explicit(
        f"np.{name} is not compiled: NumPy is called in Python whenever the program comes here "
        "(weft.settings.fallback = False refuses such functions)",
        FallbackWarning,
        place.file if place else "<unknown>",
        place.line if place else 1,
    )


__all__ = ["call_at_run_time"]

"""Python's builtins where their arguments may be arrays of compiled code."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ....runtime_values.example_values import example_of
from ....runtime_values.kept_exceptions import UnknownException
from ....runtime_values.objects import class_of
from ....tracing.array import TracedArray
from ....tracing.staging import asarray, is_traced, raise_if, raise_where
from ..branches.conditions import is_staged, truth_of
from ..exceptions.caught_exceptions import is_caught
from ..interface import operators
from ..lists.dynamic_lists import GrowingList
from ..statements.expressions import as_bool
from ..statements.for_loops import for_
from ..statements.generators import Mapped as MappedWalk
from ..statements.generators import Walk, enumerated, zipped
from ..values.iterables import (
    Enumerated,
    Filtered,
    IndexedItems,
    Indices,
    Mapped,
    Reversed,
    Sequence,
    Zipped,
    sequence_of,
)

Key = Callable[[Any], Any]


def len_(value: Any) -> Any:
    """`len`."""
    if isinstance(value, TracedArray) and value.ndim and value.type.shape[0] is None:
        return value.shape[0]
    if isinstance(value, Sequence) or hasattr(type(value), "__weft_items__"):
        return value.length
    return len(value)


def enumerate_(iterable: Any, start: Any = 0) -> Any:
    """`enumerate`."""
    if isinstance(iterable, Walk):
        return enumerated(iterable, start)
    sequence = sequence_of(iterable)
    return builtins.enumerate(iterable, start) if sequence is None else Enumerated(sequence, start)


def zip_(*iterables: Any, strict: bool = False) -> Any:
    """`zip`; staged when all arguments can be."""
    sequences = [sequence_of(iterable) for iterable in iterables]
    found = tuple(sequence for sequence in sequences if sequence is not None)
    if not strict and (walked := zipped(list(iterables), sequences)) is not None:
        return walked
    if not found or len(found) != len(sequences) or all(isinstance(i, range) for i in iterables):
        return builtins.zip(*iterables, strict=strict)
    together = Zipped(found, strict)
    if strict:
        _require_same_length(together)
    return together


def _require_same_length(zipped: Zipped) -> None:
    lengths = [sequence.length for sequence in zipped.inner]
    for number, length in enumerate(lengths[1:], 2):
        message = f"zip() argument {number} is of another length than argument 1"
        raise_where(length != lengths[0], ValueError, message)


def reversed_(iterable: Any) -> Any:
    """`reversed`."""
    sequence = None if isinstance(iterable, range) else sequence_of(iterable)
    return builtins.reversed(iterable) if sequence is None else Reversed(sequence)


def map_(function: Callable[..., Any], *iterables: Any) -> Any:
    """`map`."""
    sequences = [sequence_of(iterable) for iterable in iterables]
    found = tuple(sequence for sequence in sequences if sequence is not None)
    applied = functools.partial(operators().call, function)
    if len(iterables) == 1 and isinstance(iterables[0], Walk):
        return MappedWalk(iterables[0], lambda _, item: applied(item))
    if not found or len(found) != len(sequences):
        return builtins.map(applied, *iterables)
    return Mapped(applied, Zipped(found))


def filter_(function: Callable[..., Any] | None, iterable: Any) -> Any:
    """`filter`."""
    condition: Callable[[Any], Any] = (
        functools.partial(operators().call, function) if function is not None else lambda item: item
    )
    sequence = sequence_of(iterable)
    if sequence is None and not _holds_traced(iterable) and not isinstance(iterable, Walk):
        return builtins.filter(condition, iterable)
    return Filtered(condition, sequence if sequence is not None else iterable)


def bool_(value: Any = False) -> Any:
    """`bool`."""
    return as_bool(truth_of(value).copy()) if is_staged(value) else builtins.bool(value)


def int_(value: TracedArray) -> Any:
    """`int` of an array: rounds towards zero; NaN and infinity are refused when the program runs."""
    number = _only(value)
    if number.dtype.kind == "c":
        raise TypeError(
            "int() argument must be a string, a bytes-like object or a real number, not 'complex'"
        )
    if number.dtype.kind == "f":
        is_nan: Any = np.isnan(number)
        is_infinite: Any = np.isinf(number)
        raise_if(is_nan, "ValueError", "cannot convert float NaN to integer")
        raise_if(is_infinite, "OverflowError", "cannot convert float infinity to integer")
    return _fresh(number.astype(np.int64), number)._like_python(int)


def float_(value: TracedArray) -> Any:
    """`float` of an array."""
    number = _only(value)
    if number.dtype.kind == "c":
        raise TypeError("float() argument must be a string or a real number, not 'complex'")
    return _fresh(number.astype(np.float64), number)._like_python(float)


def round_(number: TracedArray, ndigits: Any = None) -> Any:
    """`round` of an array: to an int without digits, else to a number of the same type."""
    if number.dtype.kind == "c":
        return builtins.round(number, ndigits)
    python_type = number._python_type
    if python_type is None and not number._is_scalar:
        raise TypeError("type numpy.ndarray doesn't define __round__ method")
    if ndigits is None:
        nearest: Any = np.rint(number) if number.dtype.kind == "f" else number
        return int_(nearest)
    rounded: Any = np.round(number, ndigits)
    return _fresh(rounded, number)._like_python(int if python_type is bool else python_type)


def complex_(real: Any, *imaginary: Any) -> Any:
    """`complex` of numbers of which one is an array."""
    whole = real.astype(np.complex128) if is_traced(real) else builtins.complex(real)
    for part in imaginary:
        whole = whole + np.multiply(np.complex128(1j), part)
    return (whole + np.complex128(0))._like_python(complex)


def scalar(kind: type[np.generic], value: TracedArray) -> TracedArray:
    """What a scalar type of NumPy makes of an array: one of that dtype."""
    return _fresh(value.astype(np.dtype(kind)), value)


def _only(array: TracedArray) -> TracedArray:
    """The element of an array of one element."""
    if array.ndim == 0:
        return array
    if any(extent is not None and extent != 1 for extent in array.type.shape):
        raise TypeError("only length-1 arrays can be converted to Python scalars")
    element: TracedArray = array[(0,) * array.ndim]
    return element


def _fresh(converted: TracedArray, original: TracedArray) -> TracedArray:
    """A conversion that may be marked as a Python number: never the original array itself."""
    return converted.copy() if converted is original else converted


def isinstance_(value: Any, kinds: Any) -> Any:
    """`isinstance`: traced arrays are what NumPy or Python would have in their place."""
    if isinstance(value, UnknownException):
        return is_caught(value, kinds)
    if isinstance(value, GrowingList):
        return builtins.isinstance([], kinds) or builtins.isinstance(value, kinds)
    if not isinstance(value, TracedArray):
        return builtins.isinstance(value, kinds)
    return builtins.isinstance(example_of(value), kinds) or builtins.isinstance(value, kinds)


def type_(value: Any) -> Any:
    """`type` of an exception that was caught at run time, or of an array or number."""
    return class_of(value) if isinstance(value, UnknownException) else type(example_of(value))


def sum_(iterable: Any, /, start: Any = 0) -> Any:
    """`sum`: adds up in order, as Python does."""
    return _fold(lambda total, item: total + item, iterable, start)


def _fold(combine: Callable[[Any, Any], Any], iterable: Any, start: Any) -> Any:
    total = start

    def body(item: Any) -> None:
        nonlocal total
        total = combine(total, item)

    for_(iterable, body)
    return total


def reduce_(function: Callable[..., Any], iterable: Any, *initial: Any) -> Any:
    """`functools.reduce`."""
    if sequence_of(iterable) is None and not (initial and isinstance(iterable, Walk)):
        return functools.reduce(functools.partial(operators().call, function), iterable, *initial)
    if not initial:
        initial, iterable = (iterable[0],), iterable[1:]
    return _fold(functools.partial(operators().call, function), iterable, initial[0])


def _holds_traced(iterable: Any) -> bool:
    return isinstance(iterable, (list, tuple)) and any(isinstance(item, TracedArray) for item in iterable)


def ndindex(*shape: Any) -> Any:
    """`np.ndindex`."""
    extents = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    return Indices(tuple(extents))


def ndenumerate(array: Any) -> Any:
    """`np.ndenumerate`."""
    return IndexedItems(asarray(array))


__all__ = [
    "bool_",
    "complex_",
    "enumerate_",
    "filter_",
    "float_",
    "int_",
    "isinstance_",
    "len_",
    "map_",
    "ndenumerate",
    "ndindex",
    "reduce_",
    "reversed_",
    "round_",
    "scalar",
    "sum_",
    "zip_",
]

"""Python's builtins where their arguments may be arrays of compiled code."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .....dialect.dtypes import ALL_DTYPES
from ....tracing.array import TracedArray
from ....tracing.catcher import UnknownException
from ....tracing.staging import asarray, is_traced
from ..branches.conditions import is_staged, truth_of
from ..exceptions.caught_exceptions import is_caught
from ..lists.dynamic_lists import GrowingList
from ..namespace import OPERATORS
from ..statements.expressions import as_bool
from ..statements.for_loops import for_
from ..statements.generators import Mapped as MappedWalk
from ..statements.generators import Walk, enumerated, zipped
from ..statements.statements import current
from ..values.iterables import (
    Enumerated,
    Filtered,
    IndexedItems,
    Indices,
    Mapped,
    Range,
    Reversed,
    Sequence,
    Zipped,
    sequence_of,
)

Key = Callable[[Any], Any]


def range_(*bounds: Any) -> Any:
    """`range`, whose bounds may be traced."""
    return Range.of(*bounds) if any(map(is_traced, bounds)) else builtins.range(*bounds)


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
        differs = length != lengths[0]
        message = f"zip() argument {number} is of another length than argument 1"
        if isinstance(differs, TracedArray):
            current().raise_if(differs, "ValueError", message)
        elif differs:
            raise ValueError(message)


def reversed_(iterable: Any) -> Any:
    """`reversed`."""
    sequence = None if isinstance(iterable, range) else sequence_of(iterable)
    return builtins.reversed(iterable) if sequence is None else Reversed(sequence)


def map_(function: Callable[..., Any], *iterables: Any) -> Any:
    """`map`."""
    sequences = [sequence_of(iterable) for iterable in iterables]
    found = tuple(sequence for sequence in sequences if sequence is not None)
    applied = functools.partial(OPERATORS.call, function)
    if len(iterables) == 1 and isinstance(iterables[0], Walk):
        return MappedWalk(iterables[0], lambda _, item: applied(item))
    if not found or len(found) != len(sequences):
        return builtins.map(applied, *iterables)
    return Mapped(applied, Zipped(found))


def filter_(function: Callable[..., Any] | None, iterable: Any) -> Any:
    """`filter`."""
    condition: Callable[[Any], Any] = (
        functools.partial(OPERATORS.call, function) if function is not None else lambda item: item
    )
    sequence = sequence_of(iterable)
    if sequence is None and not _holds_traced(iterable) and not isinstance(iterable, Walk):
        return builtins.filter(condition, iterable)
    return Filtered(condition, sequence if sequence is not None else iterable)


def bool_(value: Any = False) -> Any:
    """`bool`."""
    return as_bool(truth_of(value).copy()) if is_staged(value) else builtins.bool(value)


def int_(*args: Any, **kwargs: Any) -> Any:
    """`int`: rounds towards zero; NaN and infinity are refused when the program runs."""
    if len(args) != 1 or not isinstance(args[0], TracedArray) or args[0]._known() is not None:
        return builtins.int(*args, **kwargs)
    number = _only(args[0], "int()")
    if number.dtype.kind == "c":
        raise TypeError(
            "int() argument must be a string, a bytes-like object or a real number, not 'complex'"
        )
    if number.dtype.kind == "f":
        is_nan: Any = np.isnan(number)
        is_infinite: Any = np.isinf(number)
        current().raise_if(is_nan, "ValueError", "cannot convert float NaN to integer")
        current().raise_if(is_infinite, "OverflowError", "cannot convert float infinity to integer")
    return _fresh(number.astype(np.int64), number)._like_python(int)


def float_(*args: Any) -> Any:
    """`float`."""
    if len(args) != 1 or not isinstance(args[0], TracedArray) or args[0]._known() is not None:
        return builtins.float(*args)
    number = _only(args[0], "float()")
    if number.dtype.kind == "c":
        raise TypeError("float() argument must be a string or a real number, not 'complex'")
    return _fresh(number.astype(np.float64), number)._like_python(float)


def round_(number: Any, ndigits: Any = None) -> Any:
    """`round`: to an int without digits, else to a number of the same type."""
    if not isinstance(number, TracedArray) or number._known() is not None or number.dtype.kind == "c":
        return builtins.round(number, ndigits)
    python_type = number._python_type
    if python_type is None and not number._is_scalar:
        raise TypeError("type numpy.ndarray doesn't define __round__ method")
    if ndigits is None:
        return int_(np.rint(number) if number.dtype.kind == "f" else number)
    rounded: Any = np.round(number, ndigits)
    return _fresh(rounded, number)._like_python(int if python_type is bool else python_type)


def complex_(*args: Any) -> Any:
    """`complex`."""
    if not any(map(is_traced, args)):
        return builtins.complex(*args)
    real = args[0].astype(np.complex128) if is_traced(args[0]) else builtins.complex(args[0])
    if len(args) == 2:
        real = real + np.multiply(np.complex128(1j), args[1])
    return (real + np.complex128(0))._like_python(complex)


def _only(array: TracedArray, what: str) -> TracedArray:
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
    number = value._python_type
    if number is not None:
        example: Any = number() if callable(number) else 0
    elif value._is_scalar:
        example = np.zeros((), value.dtype)[()]  # not every scalar type can be called without arguments
    else:
        example = np.empty(0, value.dtype)
    return builtins.isinstance(example, kinds) or builtins.isinstance(value, kinds)


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
        return functools.reduce(functools.partial(OPERATORS.call, function), iterable, *initial)
    if not initial:
        initial, iterable = (iterable[0],), iterable[1:]
    return _fold(functools.partial(OPERATORS.call, function), iterable, initial[0])


def _holds_traced(iterable: Any) -> bool:
    return isinstance(iterable, (list, tuple)) and any(isinstance(item, TracedArray) for item in iterable)


def ndindex(*shape: Any) -> Any:
    """`np.ndindex`."""
    extents = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    return Indices(tuple(extents))


def ndenumerate(array: Any) -> Any:
    """`np.ndenumerate`."""
    return IndexedItems(asarray(array))


def _numpy_type(kind: type[np.generic]) -> Callable[..., Any]:
    """A scalar type of NumPy as a function: what it makes of an array is an array of that dtype."""

    def make(*args: Any, **kwargs: Any) -> Any:
        if len(args) != 1 or kwargs or not isinstance(args[0], TracedArray) or args[0]._known() is not None:
            return kind(*args, **kwargs)
        return _fresh(args[0].astype(np.dtype(kind)), args[0])

    make.__name__ = kind.__name__
    return make


REPLACEMENTS: dict[Any, Callable[..., Any]] = {
    builtins.range: range_,
    builtins.len: len_,
    builtins.enumerate: enumerate_,
    builtins.zip: zip_,
    builtins.reversed: reversed_,
    builtins.map: map_,
    builtins.filter: filter_,
    builtins.bool: bool_,
    builtins.int: int_,
    builtins.float: float_,
    builtins.round: round_,
    builtins.complex: complex_,
    builtins.isinstance: isinstance_,
    builtins.sum: sum_,
    functools.reduce: reduce_,
    **{dtype.type: _numpy_type(dtype.type) for dtype in ALL_DTYPES if dtype.isbuiltin == 1},
    np.ndindex: ndindex,
    np.ndenumerate: ndenumerate,
}
"""What converted code calls instead of a builtin."""

__all__ = ["REPLACEMENTS"]

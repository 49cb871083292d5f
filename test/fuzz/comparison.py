"""Everything that a caller sees of two calls, compared; what differs is told in words.

Compared are values, types, dtypes and shapes, and which results are arguments or share memory with them. Numbers that
are exact have to be exact, zeros have to have their signs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from typing import Any

import numpy as np

from weft.dialect.dtypes import kind

from .joined import as_one_type

_EPSILONS = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 1.2e-7, "float64": 2.3e-16}
_DEEPEST = 8
"""How many containers and objects in each other are followed; some contain themselves."""

_ULPS = 64
"""How far inexact results may be off: sums are added in another order, functions are within 2 ulp."""


signs_count: ContextVar[bool] = ContextVar("signs_count", default=True)
"""Whether zeros must have the same signs: NumPy's sorts and extrema take either of two."""


types_count: ContextVar[bool] = ContextVar("types_count", default=True)
"""Whether numbers and arrays must have the same types: joined ones have another."""


_PLAIN = frozenset({bool, int, float, str, type(None)})


def tolerance(dtype: np.dtype[Any]) -> float:
    """The relative error that inexact results of a dtype may have; 0 for dtypes of exact numbers."""
    if kind(dtype) not in "fc":
        return 0.0
    name = {"complex64": "float32", "complex128": "float64"}.get(dtype.name, dtype.name)
    return _ULPS * _EPSILONS[name]


def differences(got: Any, expected: Any, path: str = "result", depth: int = 0) -> Iterator[str]:
    """What differs between two values, through containers and attributes."""
    if not types_count.get():
        got, expected = as_one_type(got, expected)
    if isinstance(expected, (np.ndarray, np.generic)) or isinstance(got, (np.ndarray, np.generic)):
        yield from _array_differences(got, expected, path)
    elif not _same_type(got, expected):
        yield f"type: {path} is {_typed(got)}, not {_typed(expected)}"
    elif isinstance(expected, (float, complex)):
        yield from _array_differences(np.array(got), np.array(expected), path)
    elif isinstance(expected, (Mapping, list, tuple)):
        yield from _item_differences(got, expected, path, depth)
    elif isinstance(expected, (set, frozenset)):
        yield from differences(sorted(got, key=repr), sorted(expected, key=repr), path, depth)
    elif isinstance(expected, BaseException):
        yield from differences(got.args, expected.args, f"{path}.args", depth + 1)
    elif callable(expected):
        return
    elif hasattr(expected, "__dict__"):
        if depth < _DEEPEST:
            yield from differences(vars(got), vars(expected), path, depth + 1)
    elif got != expected:
        yield f"value: {path} is {got!r}, not {expected!r}"


def _same_type(got: Any, expected: Any) -> bool:
    """Whether two values are of one type, or of the same class of the two programs."""
    return type(got) is type(expected) or (
        hasattr(expected, "__dict__") and type(got).__qualname__ == type(expected).__qualname__
    )


def _typed(value: Any) -> str:
    return f"{value!r} of {type(value).__name__}"


def _item_differences(got: Any, expected: Any, path: str, depth: int) -> Iterator[str]:
    if isinstance(expected, Mapping):
        if list(got) != list(expected):
            yield f"keys: {path} has the keys {list(got)}, not {list(expected)}"
            return
        pairs = [(key, got[key], expected[key]) for key in expected]
    elif len(got) != len(expected):
        yield f"length: {path} is {got!r}, not {expected!r}"
        return
    else:
        pairs = list(zip(range(len(got)), got, expected, strict=True))
    if depth < _DEEPEST:
        for key, one, other in pairs:
            if not _is_plainly_same(one, other):
                yield from differences(one, other, f"{path}[{key!r}]", depth + 1)


def _is_plainly_same(got: Any, expected: Any) -> bool:
    """Whether two numbers or texts are of one type and equal, zeros with their signs; there are thousands in a list."""
    return type(got) is type(expected) and type(got) in _PLAIN and got == expected and (
        bool(got) or str(got) == str(expected)
    )  # fmt: skip


def _array_differences(got: Any, expected: Any, path: str) -> Iterator[str]:
    if type(got) is not type(expected):
        yield f"type: {path} is {_typed(got)}, not {_typed(expected)}"
    elif got.dtype != expected.dtype and not (
        _is_in_native_order(got.dtype, expected.dtype) or _is_of_no_items(got, expected)
    ):
        yield f"dtype: {path} is of {got.dtype}, not {expected.dtype}"
    elif got.shape != expected.shape:
        yield f"shape: {path} has the shape {got.shape}, not {expected.shape}"
    elif not _is_bitwise_same(got, expected) and not _close(np.asarray(got), np.asarray(expected)):
        yield f"value: {path} is\n{got!r}\nand not\n{expected!r}"


def _is_of_no_items(got: Any, expected: Any) -> bool:
    """Whether what differs is the dtype of an array of an empty list, which docs/semantics.md tells."""
    return expected.shape == got.shape == (0,) and expected.dtype == float


def _is_bitwise_same(got: Any, expected: Any) -> bool:
    """Whether two arrays or scalars of one dtype and shape have the same bits, as most have."""
    return (
        not expected.dtype.hasobject and got.dtype == expected.dtype and got.tobytes() == expected.tobytes()
    )


def _is_in_native_order(got: np.dtype[Any], expected: np.dtype[Any]) -> bool:
    """Whether the order of bytes is all that differs: what is computed is in that of the machine."""
    return got.isnative and got == expected.newbyteorder("=")


def _close(got: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> bool:
    dtype = expected.dtype
    if dtype.kind in "OSUMmV" or kind(dtype) not in "fc":
        return bool(np.array_equal(got, expected))
    if kind(dtype) == "c":
        return _close(got.real, expected.real) and _close(got.imag, expected.imag)
    one, other = got.astype(np.float64), expected.astype(np.float64)
    finite = np.isfinite(other)
    if not np.array_equal(one[~finite], other[~finite], equal_nan=True) or not np.all(
        np.isfinite(one[finite])
    ):
        return False
    one, other = one[finite], other[finite]
    zero = (one == 0) & (other == 0)
    if signs_count.get() and not np.array_equal(np.signbit(one[zero]), np.signbit(other[zero])):
        return False
    scale = max(1.0, float(np.max(np.abs(other), initial=0.0)))
    return bool(np.all(np.abs(one - other) <= tolerance(dtype) * scale))


def arrays_of(value: Any, path: str, depth: int = 0) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """The arrays in a value, with where they are."""
    if isinstance(value, np.ndarray):
        yield path, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from arrays_of(item, f"{path}[{key!r}]", depth + 1)
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from arrays_of(item, f"{path}[{index}]", depth + 1)
    elif hasattr(value, "__dict__") and not isinstance(value, type) and not callable(value) and depth < 4:
        yield from arrays_of(vars(value), path, depth + 1)


def sharing(result: Any, arguments: Any, state: Any) -> set[tuple[str, str, str]]:
    """What arrays of the result have to do with arguments and state: they are one, or share memory."""
    found = set()
    outer = [*arrays_of(arguments, "arguments"), *arrays_of(state, "state")]
    for where, array in arrays_of(result, "result"):
        for place, other in outer:
            if array is other:
                found.add((where, place, "is"))
            elif math.prod(array.shape) and np.may_share_memory(array, other) and _shares(array, other):
                found.add((where, place, "shares memory with"))
    return found


def _shares(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    try:
        return np.shares_memory(one, other, max_work=100_000)
    except np.exceptions.TooHardError:
        return False


__all__ = ["arrays_of", "differences", "sharing", "signs_count", "tolerance", "types_count"]

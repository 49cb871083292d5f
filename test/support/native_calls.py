"""Whether calls run without Python, and whether their results are the same then."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any

import numpy as np

F32 = np.float32


def native_calls(function: Any) -> int:
    """How many calls of a function ran without Python."""
    function = getattr(function, "function", function)
    return function._native.calls if hasattr(function, "_native") else 0


def runs_natively(function: Any, *args: Any, **kwargs: Any) -> bool:
    """Whether a third call with the same arguments does without Python; all calls must have one result."""
    expected = function(*args, **kwargs)
    same(function(*args, **kwargs), expected)
    before = native_calls(function)
    same(function(*args, **kwargs), expected)
    return native_calls(function) == before + 1


def same(result: Any, expected: Any) -> None:
    """Nested values are equal, down to the types of everything in them."""
    assert type(result) is type(expected)
    if isinstance(expected, (list, tuple)):
        assert len(result) == len(expected)
        for one, other in zip(result, expected, strict=True):
            same(one, other)
    elif isinstance(expected, dict):
        assert list(result) == list(expected)
        same(list(result.values()), list(expected.values()))
    elif dataclasses.is_dataclass(expected):
        same(vars(result), vars(expected))
    elif isinstance(expected, (np.ndarray, np.generic)):
        assert result.dtype == expected.dtype
        assert result.shape == expected.shape
        np.testing.assert_array_equal(result, expected)
    else:
        assert result == expected or result is expected


def ones(*shape: int) -> np.ndarray:
    return np.ones(shape, F32)


Point = collections.namedtuple("Point", ["x", "y"])


@dataclasses.dataclass
class Pair:
    left: Any
    right: Any

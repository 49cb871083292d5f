"""What docs/autograph.md says of variables that hold numbers or arrays of two types: they are joined to one.

What a program computes is then the same, of another type. Only programs in which that was seen to happen are excused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np

from weft.frontend.autograph.operators.values import joins as joining


class Joins:
    """Whether a trace has joined two types."""

    seen = False


@contextmanager
def noting_joins() -> Iterator[Joins]:
    """Watch what is traced."""
    joins, join_arrays = Joins(), joining.join_arrays

    def noting(one: Any, other: Any) -> Any:
        def of(kind: Any) -> tuple[Any, ...]:
            return kind.number, kind.type.dtype, kind.is_array

        joins.seen |= of(one) != of(other)
        return join_arrays(one, other)

    with mock.patch.object(joining, "join_arrays", noting):
        yield joins


def as_one_type(got: Any, expected: Any) -> tuple[Any, Any]:
    """A number or array, and the expected one in the same type where the type is all that differs."""
    types = (bool, int, float, complex, np.generic, np.ndarray)
    if not isinstance(got, types) or not isinstance(expected, types):
        return got, expected
    one, other = np.asarray(got), np.asarray(expected)
    if one.dtype == object or other.dtype == object or one.shape != other.shape:
        return got, expected
    if np.can_cast(other.dtype, one.dtype, "same_kind"):
        return one, other.astype(one.dtype)
    return got, expected


def plain_numbers(text: str) -> str:
    """What was printed, with numbers of all types written in one way."""
    text = re.sub(r"np\.\w+\(([^()]*)\)", r"\1", text)
    text = re.sub(r"\bTrue\b", "1", re.sub(r"\bFalse\b", "0", text))
    return re.sub(r"(\d)\.0*(?!\d)", r"\1", re.sub(r"array\(([^()]*?)(, dtype=\w+)?\)", r"\1", text))


__all__ = ["Joins", "as_one_type", "noting_joins", "plain_numbers"]

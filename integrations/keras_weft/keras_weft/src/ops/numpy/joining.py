"""Several arrays made one, and one made several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...conversion import convert_to_tensor
from ..namespace import namespace
from ..promotion import tensors


def _joining(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of several arrays, which are promoted first."""

    def called(xs: Sequence[Any], **options: Any) -> Any:
        return function(tensors(*[convert_to_tensor(x) for x in xs]), **options)

    return called


_concatenate, _stack = _joining(np.concatenate), _joining(np.stack)
dstack = _joining(np.dstack)
hstack = _joining(np.hstack)
vstack = _joining(np.vstack)


def append(x1: Any, x2: Any, axis: Any = None) -> Any:
    """An array after another."""
    x1, x2 = tensors(convert_to_tensor(x1), convert_to_tensor(x2))
    return np.append(x1, x2, axis)


def concatenate(xs: Sequence[Any], axis: int | None = 0) -> Any:
    """Arrays one after the other along an axis."""
    return _concatenate(xs, axis=axis)


def stack(x: Sequence[Any], axis: int = 0) -> Any:
    """Arrays one after the other along a new axis."""
    return _stack(x, axis=axis)


def _splitting(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of an array, and of a number of parts or where they begin."""

    name = function.__name__

    def called(x: Any, indices_or_sections: Any, *axis: int, **options: int) -> Any:
        where = indices_or_sections
        if not isinstance(where, (int, list, tuple)):
            where = convert_to_tensor(where)
            where = [where[index] for index in range(where.shape[0])] if where.ndim else where
        return list(getattr(namespace(), name)(convert_to_tensor(x), where, *axis, **options))

    return called


array_split = _splitting(np.array_split)
dsplit = _splitting(np.dsplit)
hsplit = _splitting(np.hsplit)
split = _splitting(np.split)
vsplit = _splitting(np.vsplit)

__all__ = [
    "append",
    "array_split",
    "concatenate",
    "dsplit",
    "dstack",
    "hsplit",
    "hstack",
    "split",
    "stack",
    "vsplit",
    "vstack",
]

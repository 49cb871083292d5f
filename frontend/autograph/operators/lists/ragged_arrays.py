"""Arrays in lists that grow whose lengths differ, and are known only when the program runs: `found.append(x[mask])`.

The list holds the rows of each as it holds a list of them, in a pool, and gives an array when an item is read.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .....dialect.types import TensorType
from ....runtime_values.results import HeldInList
from ....runtime_values.values import RuntimeValue
from ....tracing.array import TracedArray
from ....tracing.staging import asarray
from ..interface import operators
from ..values.composites import COMPOSITES
from ..values.kinds import ArrayKind, Container, Growing, Kind


class RaggedArray(HeldInList):
    """An array as the list of its rows."""

    python_type = np.ndarray

    def __init__(self, row: TensorType, rows: Any) -> None:
        self.keys = (row,)
        self._rows = rows

    @classmethod
    def of(cls, items: Any) -> RaggedArray:
        if isinstance(items, cls):
            return items
        array = asarray(items)
        return cls(TensorType(array.type.shape[1:], array.dtype), operators().rows_of_array(array))

    @classmethod
    def holding(cls, keys: tuple[Any, ...], items: Any) -> RaggedArray:
        (row,) = keys
        return cls(row, items)

    def joined_parts(self) -> list[Any]:
        return [self._rows]

    @classmethod
    def of_joined_parts(cls, parts: list[Any]) -> Any:
        """The array of the rows."""
        column, *_ = parts[
            0
        ].stacked_columns()  # beside which it is told which of the caller's arrays the rows are
        return column.copy()

    @staticmethod
    def made_of(keys: tuple[Any, ...], rows: list[Any]) -> Any:
        row: TensorType = keys[0]
        return np.array(rows, row.dtype).reshape(-1, *(extent or 0 for extent in row.shape))


RaggedArray.__name__ = "array"


def is_ragged(kind: Kind | None) -> bool:
    """Whether items are arrays of several lengths."""
    return isinstance(kind, Container) and issubclass(kind.kind, RaggedArray)


def as_ragged(kind: Kind) -> Kind:
    """The abstract type of an array as that of one of any length; others as they are."""
    if not isinstance(kind, ArrayKind) or not kind.type.rank or kind.types or kind.order != ():
        return kind
    row = TensorType(kind.type.shape[1:], kind.type.dtype)
    if None in row.shape:
        return kind
    return Container(RaggedArray, (row,), (Growing(ArrayKind(row, is_array=row.rank > 0)),))


def as_item(kind: Kind) -> Kind:
    """The abstract type of an item: of an array whose length only the program knows that of one of any length."""
    if isinstance(kind, Container):
        return kind if issubclass(kind.kind, _WHOLE) else kind.with_parts(map(as_item, kind.parts))
    is_open = isinstance(kind, ArrayKind) and kind.type.rank > 0 and kind.type.shape[0] is None
    return as_ragged(kind) if is_open else kind


def fitted(kind: Kind | None, found: Kind) -> tuple[Kind | None, Kind]:
    """The abstract types of items, those of arrays of any length where arrays of several lengths are among them."""
    if is_ragged(kind):
        return kind, as_ragged(found)
    if isinstance(kind, Container) and isinstance(found, Container) and _are_alike(kind, found):
        pairs = [fitted(*pair) for pair in zip(kind.parts, found.parts, strict=True)]
        return kind.with_parts(one for one, _ in pairs if one is not None), found.with_parts(
            other for _, other in pairs
        )
    if not isinstance(kind, ArrayKind):
        return kind, found
    are_of_one_length = isinstance(found, ArrayKind) and found.type.shape == kind.type.shape
    return (kind, found) if are_of_one_length else _both(kind, found)


def _are_alike(kind: Container, found: Container) -> bool:
    """Whether items are containers with the same entries, none of which is a list."""
    is_whole = issubclass(kind.kind, _WHOLE)
    return (
        not is_whole
        and kind.kind is found.kind
        and kind.keys == found.keys
        and len(kind.parts) == len(found.parts)
    )


_WHOLE = (list, slice, RuntimeValue, *COMPOSITES)


def _both(kind: Kind, found: Kind) -> tuple[Kind, Kind]:
    ragged = as_ragged(kind), as_ragged(found)
    return ragged if all(map(is_ragged, ragged)) else (kind, found)


def hold_ragged(items: Any) -> bool:
    """Whether the items of a list are arrays, of which only the program knows how long they are."""
    are_arrays = type(items) is list and bool(items) and all(isinstance(item, TracedArray) for item in items)
    return are_arrays and any(item.ndim and item.type.shape[0] is None for item in items)

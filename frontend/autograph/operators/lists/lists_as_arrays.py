"""Lists whose length the program decides on, where NumPy takes an array: by themselves, and in other lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ....numpy_api import lookup
from ....signature.traced_value import TracedItems
from ..values.kinds import ArrayKind, Container, Kind, Static
from .items_of_types import stacked_types

JOINING: dict[str, Any] = {
    "stack": lambda array, axis: np.moveaxis(array, 0, axis),
    "concatenate": lambda array, axis: (
        array.reshape((-1, *array.shape[2:])) if axis == 0 else np.concatenate(list(array), axis)
    ),
    "vstack": lambda array, axis: array.reshape((-1, *array.shape[2:])) if array.ndim > 2 else array,
    "hstack": lambda array, axis: array.reshape((-1,)) if array.ndim < 3 else np.concatenate(list(array), 1),
}
"""What the functions that join a sequence of arrays make of the items in one array."""


NOTHING_TO = {
    name: "need at least one array to " + ("stack" if name == "stack" else "concatenate") for name in JOINING
}
"""What NumPy says where there is nothing to join."""


def as_arrays(value: Any) -> Any:
    """A value in which lists of run-time length are arrays, also within lists and tuples."""
    if type(value) in (list, tuple) and _holds_lists(value):
        return type(value)(map(as_arrays, value))
    return value.stacked() if isinstance(value, TracedItems) else value


def _holds_lists(values: Any) -> bool:
    """Whether a list of run-time length is somewhere in lists and tuples."""
    return any(
        isinstance(value, TracedItems) or (type(value) in (list, tuple) and _holds_lists(value))
        for value in values
    )


def stacked_items(kind: Kind | None, columns: Iterator[Any], length: Any) -> Any:
    """Items of an abstract type as one array, of what they hold in columns; None where NumPy makes none of numbers."""
    if isinstance(kind, ArrayKind):
        return stacked_types(kind, columns) if kind.types else next(columns)
    if isinstance(kind, Static) and isinstance(kind.value, (bool, int, float, complex, np.number, np.bool_)):
        return lookup("full")((length,), kind.value)
    if not isinstance(kind, Container) or not kind.children or kind.kind not in (list, tuple):
        return None
    parts = [stacked_items(child, columns, length) for child in kind.children]
    return None if any(part is None for part in parts) else lookup("stack")(parts, axis=1)

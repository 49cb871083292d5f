"""Which axes of arguments and results are rows: numbers for all arrays in a structure, or structures of them."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ...dialect.errors import AxisError, WeftTypeError, WeftValueError
from ..gradients.independent import described
from ..gradients.structures import map_leaves
from ..signature.named_tuples import with_items
from ..signature.traced_value import held
from ..source.own_attributes import has_fields
from ..tracing.array import TracedArray
from ..tracing.extents import known_shape
from ..tracing.staging import is_traced

Axes: TypeAlias = Any
"""An axis, None, or a structure of axes in lists, tuples, dicts and dataclasses."""

Visit: TypeAlias = "Callable[[Any, int | None, str], Any]"
"""Takes a leaf, its axis and what it is called."""


def map_with_axes(visit: Visit, value: Any, axes: Axes, path: str, name: str) -> Any:
    """The structure with another value for each leaf; ValueError unless the axes are such a structure, or its begin."""
    if axes is None or hasattr(axes, "__index__"):
        axis = None if axes is None else operator.index(axes)
        return map_leaves(lambda leaf, place: visit(leaf, axis, place), value, path)
    if isinstance(axes, dict) and isinstance(value, dict) and axes.keys() == value.keys():
        parts: Any = {
            key: map_with_axes(visit, item, axes[key], f"{path}[{key!r}]", name)
            for key, item in value.items()
        }
        return parts if type(value) is dict else type(value)(parts)
    if isinstance(axes, (list, tuple)) and isinstance(value, (list, tuple)) and len(axes) == len(value):
        parts = [
            map_with_axes(visit, item, axis, f"{path}[{number}]", name)
            for number, (item, axis) in enumerate(zip(value, axes, strict=True))
        ]
        return with_items(value, parts)
    if has_fields(type(value)) and type(axes) is type(value):
        fields = [field.name for field in dataclasses.fields(value) if field.init]
        parts = {
            field: map_with_axes(visit, getattr(value, field), getattr(axes, field), f"{path}.{field}", name)
            for field in fields
        }
        return dataclasses.replace(value, **parts)
    raise WeftValueError(
        f"weft.vmap: {name} has {axes!r} for {path}, which is {described(value)}: an axis, None, or as many of "
        "these in the same structure"
    )


def is_data(leaf: Any) -> bool:
    """Whether a leaf is an array or a number."""
    return (
        is_traced(leaf)
        or isinstance(leaf, (np.ndarray, np.generic, bool, int, float, complex))
        or (hasattr(leaf, "shape") and hasattr(leaf, "dtype"))
    )


def is_number(value: Any) -> bool:
    """Whether a value is a number of Python's."""
    return isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic)


def axis_of(leaf: Any, axis: int, path: str) -> int:
    """An axis of an argument, counted from the front; raises for one that it has not."""
    rank = len(known_shape(leaf))
    if not rank:
        raise WeftValueError(
            f"weft.vmap: {path} is a number, which has no axis {axis}: pass an array of rows, or in_axes=None for what "
            "all rows share"
        )
    if not -rank <= axis < rank:
        raise AxisError(f"weft.vmap: axis {axis} of in_axes is out of bounds for {path} of {rank} dimensions")
    return axis % rank


def new_axis_of(leaf: Any, axis: int, path: str) -> int:
    """The place of the new axis of a result, counted from the front; raises for one that it cannot have."""
    rank = len(known_shape(leaf)) + 1
    if not -rank <= axis < rank:
        raise AxisError(
            f"weft.vmap: axis {axis} of out_axes is out of bounds for {path} of {rank} dimensions"
        )
    return axis % rank


def require_result(leaf: Any, path: str, name: str) -> None:
    """Raise for a result that cannot have rows."""
    if not is_data(leaf):
        raise WeftTypeError(
            f"weft.vmap: {name} returns arrays, numbers and None, but {path} is {described(leaf)}: leave it out"
        )


def extent_of(leaf: Any, axis: int) -> Any:
    """How long an axis is: a number, or a traced one."""
    leaf = held(leaf)
    return leaf.shape[axis] if isinstance(leaf, TracedArray) else np.shape(leaf)[axis]

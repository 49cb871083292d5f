"""Elements of data sets: arrays in tuples, dicts and dataclasses, which steps take apart and put together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...dialect.errors import WeftTypeError, WeftValueError
from ..signature.element_kinds import Pipeline as Pipeline
from ..signature.element_kinds import is_record, names_in, steps_into
from ..signature.signature import TensorSpec
from ..tracing.current import current_trace

Key = tuple[Any, ...]
"""What the order of an epoch is drawn from: its number, and those of repetitions in it."""


def mapped(function: Callable[..., Any], value: Any, *others: Any) -> Any:
    """A structure with `function(part, ...)` in the place of each part, of what others have there."""
    if isinstance(value, tuple):
        parts = [
            mapped(function, part, *[other[place] for other in others]) for place, part in enumerate(value)
        ]
        return type(value)(*parts) if names_in(value) else tuple(parts)
    if isinstance(value, dict):
        return {name: mapped(function, value[name], *[other[name] for other in others]) for name in value}
    if is_record(value):
        names = fields_of(value)
        return type(value)(
            **{
                name: mapped(function, getattr(value, name), *[getattr(other, name) for other in others])
                for name in names
            }
        )
    return function(value, *others)


def joined(function: Callable[[list[Any]], Any], values: list[Any]) -> Any:
    """A structure with `function(parts)` in each place, of the parts that structures of one kind have there."""
    first = values[0]
    if isinstance(first, tuple):
        parts = [joined(function, [value[place] for value in values]) for place, _ in enumerate(first)]
        return type(first)(*parts) if names_in(first) else tuple(parts)
    if isinstance(first, dict):
        return {name: joined(function, [value[name] for value in values]) for name in first}
    if is_record(first):
        names = fields_of(first)
        return type(first)(
            **{name: joined(function, [getattr(value, name) for value in values]) for name in names}
        )
    return function(values)


def fields_of(value: Any) -> list[str]:
    """The names of the parts of a dataclass."""
    return list(value.__dataclass_fields__)


def parts_of(value: Any, path: str = "") -> list[tuple[str, Any]]:
    """The parts of a structure, with what messages call them: `[0]['x']`."""
    if isinstance(value, tuple):
        steps = steps_into(value)
        inside = list(value)
    elif isinstance(value, dict):
        steps, inside = [f"[{name!r}]" for name in value], list(value.values())
    elif is_record(value):
        steps = [f".{name}" for name in fields_of(value)]
        inside = [getattr(value, name) for name in fields_of(value)]
    else:
        return [(path, value)]
    found = []
    for step, part in zip(steps, inside, strict=True):
        found += parts_of(part, path + step)
    return found


def rows_of(value: Any, index: Any) -> Any:
    """The rows of all arrays of a structure at a row number, or at an array of row numbers: copies."""
    return mapped(lambda array: np.take(array, index, axis=0), value)


def row_of(value: Any, index: Any) -> Any:
    """As `rows_of`, of batches of a structure that a step has just made: no copies."""
    return mapped(lambda array: array[index], value)


def stacked(items: list[Any]) -> Any:
    """A batch of elements: their arrays stacked along a new first axis."""
    return joined(_stacked_arrays, items)


def _stacked_arrays(arrays: list[Any]) -> Any:
    for place, array in enumerate(arrays):
        require_shape(place, np.shape(array), np.shape(arrays[0]))
    return np.stack(arrays)


def require_shape(place: Any, shape: Any, wanted: Any) -> None:
    """Raise unless an element of a batch has the shape of the first."""
    if shape != wanted:
        # In compiled code no text is made of numbers that are known when it runs.
        if current_trace() is None:
            told = f"element {place} of this one has shape {shape}, and element 0 {wanted}"
        else:
            told = "an element of this one has another shape than the first"
        raise WeftValueError(
            f"batch: the elements of a batch have one shape, but {told}; padded_batch makes them equal"
        )


def applied(function: Callable[..., Any], item: Any) -> Any:
    """What a function gives for an element; a tuple is its arguments."""
    return function(*item) if type(item) is tuple else function(item)


# Outside of compiled code


def as_columns(value: Any) -> Any:
    """A structure with NumPy arrays in it, of anything that NumPy reads: lists, columns of pandas or Arrow, ..."""
    return mapped(_as_column, value)


def _as_column(part: Any) -> Any:
    if hasattr(part, "column_names") and hasattr(part, "column"):  # a table of Arrow
        return {name: np.asarray(part.column(name)) for name in part.column_names}
    array = np.asarray(part.to_numpy() if hasattr(part, "to_numpy") and hasattr(part, "columns") else part)
    if array.dtype == np.object_ and hasattr(part, "columns"):
        raise WeftTypeError(
            f"the columns of a {type(part).__name__} that make one array hold numbers, and these are of several types: "
            "pass dict(frame), whose elements are dicts with the names of the columns"
        )
    return array


def spec_of(value: Any) -> Any:
    """The types of the arrays of an element, as nested `TensorSpec`."""
    return mapped(_spec_of_array, value)


def _spec_of_array(value: Any) -> Any:
    if isinstance(value, Pipeline):
        return value
    array = value if isinstance(value, TensorSpec) else np.asarray(value)
    return TensorSpec(array.shape, array.dtype)


def batched_spec(spec: Any, count: int | None) -> Any:
    """The types of batches of elements."""
    return mapped(lambda part: TensorSpec((count, *part.shape), part.dtype), spec)

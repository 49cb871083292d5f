"""Small arrays of integers of which each element is known, or is a size that is known when the program runs.

Models compute the shapes of arrays by nodes: Shape, Gather, Concat, Reshape. Where sizes are open, an array of them
would hide that -1 is in it, or that two sizes are one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...tracing.array import TracedArray
from .namespace import weft

LARGEST = 64
"""The largest number of elements that are followed one by one."""


class Sizes:
    """An array of integers, each a number or a traced one."""

    def __init__(self, shape: tuple[int, ...], elements: Sequence[Any], dtype: Any = np.int64) -> None:
        self.shape = shape
        self.elements = tuple(
            element if isinstance(element, TracedArray) else int(element) for element in elements
        )
        self.dtype = np.dtype(dtype)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def known(self) -> np.ndarray[Any, Any] | None:
        """The array, if all of its elements are known."""
        if any(isinstance(element, TracedArray) for element in self.elements):
            return None
        return np.array(self.elements, self.dtype).reshape(self.shape)

    def as_array(self) -> Any:
        """The array, as one value."""
        whole = self.known()
        if whole is not None:
            return whole
        parts = [weft.asarray(element).astype(self.dtype) for element in self.elements]
        return weft.reshape(weft.stack(parts), self.shape)


def as_array(value: Any) -> Any:
    """A value of which nothing is followed."""
    if isinstance(value, list):
        return [as_array(each) for each in value]
    return value.as_array() if isinstance(value, Sizes) else value


def elements_of(value: Any) -> list[Any] | None:
    """The elements of a small array of integers, in order; None if they are not known one by one."""
    if isinstance(value, Sizes):
        return list(value.elements)
    if isinstance(value, TracedArray):
        return None
    array = np.asarray(value)
    if array.dtype.kind not in "iub" or array.size > LARGEST:
        return None
    return [int(element) for element in array.ravel()]


def moved(function: Callable[..., Any], inputs: Sequence[Any], places: Sequence[int]) -> Any:
    """What a function that moves elements makes of inputs, of which those at some places hold sizes."""
    table: list[Any] = []
    coded = list(inputs)
    dtype: Any = np.dtype(np.int64)
    for place in places:
        value = inputs[place]
        elements = elements_of(value)
        if elements is None:
            return None
        shape = np.shape(value) if not isinstance(value, Sizes) else value.shape
        dtype = value.dtype
        coded[place] = np.arange(len(table), len(table) + len(elements), dtype=np.int64).reshape(shape)
        table += elements
    found = function(*coded)
    if any(isinstance(each, TracedArray) for each in (found if isinstance(found, tuple) else (found,))):
        return None  # data decides how they move
    if isinstance(found, tuple):
        return tuple(_decoded(each, table, dtype) for each in found)
    return _decoded(found, table, dtype)


def _decoded(codes: Any, table: Sequence[Any], dtype: Any) -> Sizes:
    array = np.asarray(codes)
    return Sizes(array.shape, [table[code] for code in array.ravel()], dtype)


def by_element(function: Callable[..., Any], inputs: Sequence[Any]) -> Any:
    """What a function of elements makes of inputs, element by element; None if these are not all known one by one."""
    parts = [elements_of(value) for value in inputs]
    if any(part is None for part in parts):
        return None
    shapes = [value.shape if isinstance(value, Sizes) else np.shape(value) for value in inputs]
    codes = [np.arange(len(part or ())).reshape(shape) for part, shape in zip(parts, shapes, strict=True)]
    spread = np.broadcast_arrays(*codes)
    dtypes = [value.dtype for value in inputs]
    found = [
        function(*(_element(*each) for each in zip(parts, map(int, places), dtypes, strict=True)))
        for places in zip(*(each.ravel() for each in spread), strict=True)
    ]
    if not found:
        return None
    kind = np.asarray(found[0]).dtype if not isinstance(found[0], TracedArray) else found[0].dtype
    if any(_dtype(each) != kind for each in found) or kind.kind not in "iub":
        return None
    return Sizes(spread[0].shape, found, kind)


def _element(part: Any, code: int, dtype: Any) -> Any:
    element = part[code]
    return element.astype(dtype) if isinstance(element, TracedArray) else np.asarray(element, dtype)[()]


def _dtype(value: Any) -> Any:
    return value.dtype if isinstance(value, TracedArray) else np.asarray(value).dtype

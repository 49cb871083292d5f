"""The parts of an array that `np.array_split` and `np.split` give where the program computes how many there are.

They are no list, as they differ in length: each is a view that is made when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from .....dialect.errors import UnsupportedError, WeftValueError
from ....numpy_api import lookup
from ....numpy_api.arguments import along, axis_index
from ....runtime_values.values import RuntimeValue
from ....tracing.array import TracedArray
from ....tracing.staging import asarray, raise_where
from .iterables import Sequence


class ArrayParts(Sequence, RuntimeValue):
    """So many nearly equal parts of an array along an axis, or those between indices: in Python a list."""

    __hash__ = None  # type: ignore[assignment]
    python_type = list

    def __init__(self, array: Any, axis: int, sections: TracedArray) -> None:
        self.array, self.axis, self._sections = array, axis, sections
        extent = array.shape[axis]
        self._ends: Any = None
        """The places at which parts begin and end; None where these are equally far apart."""
        if sections.ndim:
            self._sections = sections.copy()
            inner = sections.astype(np.int64)
            self._ends = lookup("concatenate")([np.zeros(1, np.int64), inner, asarray(extent).reshape(1)])
            self._count = sections.shape[0] + 1
        else:
            raise_where(np.less_equal(sections, 0), WeftValueError, "number sections must be larger than 0.")
            self._count = sections._like_python(int)
            self._each, self._longer = np.floor_divide(extent, sections), extent % sections

    @property
    def length(self) -> Any:
        return self._count

    def item(self, position: Any) -> Any:
        start, stop = self._bound(position), self._bound(position + 1)
        return self.array[along(self.axis, slice(start, stop))]

    def _bound(self, position: Any) -> Any:
        if self._ends is not None:
            return self._ends[position]
        return position * self._each + np.minimum(position, self._longer)

    def at_run_time(self) -> tuple[Any, Callable[[Any], list[Any]]]:
        """The array and the number of parts, and what splits it."""
        return (self.array, self._sections), lambda given: np.array_split(given[0], given[1], self.axis)

    def __weft_truth__(self) -> Any:
        return self.length != 0

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            raise UnsupportedError(
                "a slice of the parts of an array, of which only the program knows how many there are, is not "
                "supported: loop over a range of their indices"
            )
        place: Any = asarray(key)
        outside: Any = np.logical_or(np.less(place, -self.length), np.greater_equal(place, self.length))
        raise_where(outside, IndexError, "list index out of range")
        return self.item(np.where(np.less(place, 0), place + self.length, place))

    def __getattr__(self, name: str) -> NoReturn:
        if name in ("__array__", "__len__") or hasattr(list, name):
            self._refuse()
        raise AttributeError(f"'list' object has no attribute {name!r}")

    def __iter__(self) -> NoReturn:
        self._refuse()

    def __len__(self) -> NoReturn:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise UnsupportedError(
            "the parts of an array, of which only the program knows how many there are, can be walked by a loop, "
            "looked up and returned; nothing else is supported: split into a number of parts that is a Python int"
        )


def array_split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    """`np.array_split`."""
    if not _is_open(indices_or_sections):
        return np.array_split(ary, indices_or_sections, axis)
    array: Any = asarray(ary)
    return ArrayParts(array, axis_index(axis, array.ndim), indices_or_sections)


def split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    """`np.split`."""
    if not _is_open(indices_or_sections):
        return np.split(ary, indices_or_sections, axis)
    parts = array_split(ary, indices_or_sections, axis)
    if indices_or_sections.ndim == 0:
        raise_where(parts._longer != 0, WeftValueError, "array split does not result in an equal division")
    return parts


def _is_open(sections: Any) -> bool:
    """Whether only the program knows how many parts there are."""
    is_whole = isinstance(sections, TracedArray) and sections.dtype.kind in "iu"
    return is_whole and sections.type.shape in ((), (None,))


def _splitting(function: Callable[..., Any], axis: int) -> Callable[..., Any]:
    """One that splits along a certain axis: `np.vsplit` and its like."""

    def call(ary: Any, indices_or_sections: Any) -> Any:
        if not _is_open(indices_or_sections):
            return function(ary, indices_or_sections)
        function(ary, 1)  # raises for arrays of too few axes
        return split(ary, indices_or_sections, 0 if np.ndim(ary) == 1 else axis)

    return call


def splitting_rows() -> Iterator[tuple[Any, Callable[..., Any]]]:
    """For each function of NumPy's that splits arrays what is called in its place."""
    yield np.array_split, array_split
    yield np.split, split
    yield np.vsplit, _splitting(np.vsplit, 0)
    yield np.hsplit, _splitting(np.hsplit, 1)
    yield np.dsplit, _splitting(np.dsplit, 2)

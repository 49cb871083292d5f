"""Python's `range` where its bounds are known when the program runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .....dialect.errors import WeftTypeError, WeftValueError
from ....numpy_api import lookup
from ....runtime_values.values import RuntimeValue
from ....tracing.array import TracedArray
from ....tracing.element_stores import signed_number
from ....tracing.needed_numbers import note_decision
from ....tracing.number_types import number_type
from ....tracing.several_types import SeveralTypes, by_type
from ....tracing.staging import raise_if, raise_where
from ..interface import operators
from .iterables import Sequence


class Range(Sequence, RuntimeValue):
    """`range` with bounds that may be run-time numbers: a `range` in all that Python does with one."""

    __hash__ = None  # type: ignore[assignment]
    python_type = range

    def __init__(self, start: Any, stop: Any, step: Any = 1) -> None:
        self.start, self.stop, self.step = start, stop, step

    @classmethod
    def of(cls, *bounds: Any) -> Range:
        """From the arguments of `range`."""
        if len(bounds) > 3:
            raise TypeError(f"range expected at most 3 arguments, got {len(bounds)}")
        start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
        for bound in (start, stop, step):
            note_decision(bound)
        start, stop, step = map(_as_index, (start, stop, step))
        if isinstance(step, TracedArray):
            raise_if(step == 0, "ValueError", "range() arg 3 must not be zero")
        elif step == 0:
            raise WeftValueError("range() arg 3 must not be zero")
        return cls(start, stop, step)

    @property
    def length(self) -> Any:
        span, step = self.stop - self.start, self.step
        if isinstance(step, TracedArray):
            count = _choice(step > 0, (span + step - 1) // step, (span + step + 1) // step)
        else:
            count = (span + step - (1 if step > 0 else -1)) // step
        return _larger(count, 0)

    def item(self, position: Any) -> Any:
        return self.start + position * self.step

    def at_run_time(self) -> tuple[Any, Callable[[Any], range]]:
        """The bounds, and what makes a `range` of them."""
        return (self.start, self.stop, self.step), lambda bounds: range(*bounds)

    def joined_parts(self) -> list[Any]:
        """The bounds."""
        return [self.start, self.stop, self.step]

    @classmethod
    def of_joined_parts(cls, parts: list[Any]) -> Range:
        """The range with such bounds."""
        return cls(*parts)

    def stacked(self) -> Any:
        """The items as an array."""
        return lookup("arange")(self.start, self.stop, self.step, dtype=np.int64)

    def __weft_truth__(self) -> Any:
        return self.length != 0

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return self._sliced(key)
        place, length = _as_index(key), self.length
        outside: Any = np.logical_or(np.less(place, -length), np.greater_equal(place, length))
        raise_where(outside, IndexError, "range object index out of range")
        return self.item(_choice(place < 0, place + length, place))

    def _sliced(self, key: slice) -> Range:
        step = 1 if key.step is None else _as_index(key.step)
        raise_where(step == 0, WeftValueError, "slice step cannot be zero")
        length, falls = self.length, step < 0
        lowest, highest = _choice(falls, -1, 0), _choice(falls, length - 1, length)
        start = _bound(key.start, _choice(falls, highest, lowest), lowest, highest, length)
        stop = _bound(key.stop, _choice(falls, lowest, highest), lowest, highest, length)
        return Range(self.item(start), self.item(stop), self.step * step)

    def holds(self, item: Any) -> Any:
        """`item in range`."""
        if number_type(item) is None and not _is_scalar(item):
            return False
        behind, offset = item - self.start, self.step
        rises = np.logical_and(np.greater_equal(behind, 0), np.less(item, self.stop))
        falls = np.logical_and(np.less_equal(behind, 0), np.greater(item, self.stop))
        inside = _choice(offset > 0, rises, falls)
        found: Any = np.logical_and(inside, np.equal(np.remainder(behind, offset), 0))
        return found._like_python(bool) if isinstance(found, TracedArray) else bool(found)

    def count(self, item: Any) -> Any:
        """How often the range has an item."""
        return _choice(self.holds(item), 1, 0)

    def index(self, item: Any) -> Any:
        """The position of an item; ValueError where it is not in the range."""
        found = self.holds(item)
        shown = (item,) if number_type(item) is int else ()
        missing = np.logical_not(found)
        raise_where(
            missing,
            ValueError,
            "{0} is not in range" if shown else "sequence.index(x): x not in sequence",
            *shown,
        )
        return (item - self.start) // self.step

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, (Range, range)):
            return False
        theirs = other if isinstance(other, Range) else Range(other.start, other.stop, other.step)
        length = self.length
        same_steps = np.logical_or(np.less_equal(length, 1), np.equal(self.step, theirs.step))
        same_items = np.logical_or(
            np.equal(length, 0), np.logical_and(np.equal(self.start, theirs.start), same_steps)
        )
        equal: Any = np.logical_and(np.equal(length, theirs.length), same_items)
        return equal._like_python(bool) if isinstance(equal, TracedArray) else bool(equal)

    def __ne__(self, other: object) -> Any:
        return operators().not_(self == other)


def _bound(bound: Any, default: Any, lowest: Any, highest: Any, length: Any) -> Any:
    """A bound of a slice as a position, as `slice.indices` makes it."""
    if bound is None:
        return default
    place = _as_index(bound)
    place = _choice(place < 0, place + length, place)
    return _smaller(_larger(place, lowest), highest)


def _choice(condition: Any, one: Any, other: Any) -> Any:
    """`one if condition else other`, of Python's ints."""
    if not isinstance(condition, TracedArray):
        return one if condition else other
    chosen: Any = np.where(condition, one, other)
    return chosen if chosen.dtype.kind == "b" else chosen._like_python(int)


def _larger(one: Any, other: Any) -> Any:
    return (
        _choice(one > other, one, other)
        if not isinstance(one, int) or not isinstance(other, int)
        else max(one, other)
    )


def _smaller(one: Any, other: Any) -> Any:
    return (
        _choice(one < other, one, other)
        if not isinstance(one, int) or not isinstance(other, int)
        else min(one, other)
    )


def _is_scalar(value: Any) -> bool:
    return isinstance(value, np.generic) or (isinstance(value, TracedArray) and value.ndim == 0)


def _as_index(bound: Any) -> Any:
    """A bound or place as Python's int."""
    if isinstance(bound, SeveralTypes):
        return by_type(_as_index, bound)
    if not isinstance(bound, TracedArray):
        return bound.__index__() if hasattr(bound, "__index__") else _refuse(type(bound).__name__)
    if bound.ndim:
        raise WeftTypeError("only integer scalar arrays can be converted to a scalar index")
    if bound.dtype.kind not in "iu" and number_type(bound) is not bool:
        kind = number_type(bound)
        _refuse(kind.__name__ if kind is not None else f"numpy.{bound.dtype.name}")
    number = signed_number(bound)
    return (number.copy() if number is bound and number_type(bound) is not int else number)._like_python(int)


def _refuse(kind: str) -> Any:
    raise WeftTypeError(f"'{kind}' object cannot be interpreted as an integer")

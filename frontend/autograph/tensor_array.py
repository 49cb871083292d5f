"""`weft.TensorArray`: an array that is filled entry by entry, in loops and branches of compiled code too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex

import numpy as np

from ...dialect.dtypes import DTypeLike, as_dtype
from ...dialect.errors import UnsupportedError, WeftTypeError, WeftValueError
from ..numpy_api import lookup
from ..runtime_values.values import RuntimeValue
from ..tracing.array import TracedArray
from ..tracing.current import current_trace
from ..tracing.staging import asarray, raise_where, type_of_operand
from .operators import OPERATORS
from .operators.lists.dynamic_lists import Widened, is_known_outside

EMPTY, WRITTEN, READ = np.uint8(0), np.uint8(1), np.uint8(2)
"""What may have happened to an entry."""


class TensorArray(RuntimeValue):
    """A list of arrays of one shape and dtype that are written once each, at any place, and read.

    With `dynamic_size` writing behind the end makes it longer. `element_shape` is that of the first entry written if it
    is not given. Entries that were not written are zeros. With `clear_after_read` each may be read once.
    Raises `IndexError` for entries out of range, `ValueError` for those written or read twice and for another shape,
    `TypeError` for another dtype, `UnsupportedError` where it is used in another function than it was made in.

    >>> squares = weft.TensorArray("int64", size=0, dynamic_size=True)
    >>> for i in range(4):
    ...     squares = squares.write(i, i * i)
    >>> squares.stack()
    array([0, 1, 4, 9])
    """

    __weft_state__ = ("_array", "_marks", "_length", "element_shape", "_is_guess")

    def __init__(
        self,
        dtype: DTypeLike,
        size: Any = 0,
        dynamic_size: bool = False,
        element_shape: Sequence[int] | None = None,
        clear_after_read: bool = True,
    ) -> None:
        self.dtype = as_dtype(dtype)
        self.dynamic_size = bool(dynamic_size)
        self.element_shape: tuple[int, ...] | None = None
        self.clear_after_read = bool(clear_after_read)
        self._is_staged = current_trace() is not None
        if not isinstance(size, TracedArray):
            size = size.__index__()
        raise_where(
            np.less(size, 0), ValueError, "TensorArray: the size is {0}, and cannot be negative", size
        )
        self._length: Any = _as_int(size)
        self._array: Any = None
        self._is_guess = False
        """Whether the shape of the entries is known because some may be written in a branch or loop."""
        self._marks: Any = _zeros((self._length,), np.dtype(np.uint8))
        if element_shape is not None:
            self._make_entries(_extents(element_shape))

    # One entry

    def write(self, index: Any, value: Any) -> TensorArray:
        """Set an entry, and return the TensorArray itself.

        Raises `IndexError` for an index out of range, `ValueError` for an entry that was written or read already or has
        another shape, `TypeError` for another dtype.

        >>> weft.TensorArray("int64", size=2).write(1, 5).stack()
        array([0, 5])
        """
        self._require_here()
        entry = self._entry(value)
        index = _index(index)
        raise_where(
            np.less(index, 0),
            IndexError,
            "TensorArray: writing to the negative index {0} is not allowed",
            index,
        )
        if self.dynamic_size:
            self._make_room(index)
            self._length = _as_int(np.maximum(self._length, index + 1))
        else:
            raise_where(
                np.greater_equal(index, self._length),
                IndexError,
                "TensorArray: tried to write to index {0}, but its size is {1} and it is not dynamic",
                index,
                self._length,
            )
        raise_where(
            np.not_equal(self._marks[index], EMPTY),
            ValueError,
            "TensorArray: could not write to index {0}, because it has been written (or read) already",
            index,
        )
        self._array = _updated(self._array, index, entry)
        self._marks = _updated(self._marks, index, WRITTEN)
        return self

    def append(self, value: Any) -> None:
        """Write behind the last entry, as to a list: it has to be dynamic. Raises what `write` raises.

        >>> squares = weft.TensorArray("int64", size=0, dynamic_size=True)
        >>> for i in range(3):
        ...     squares.append(i * i)
        >>> squares.stack()
        array([0, 1, 4])
        """
        self.write(self._length, value)

    def read(self, index: Any) -> Any:
        """An entry; with `clear_after_read` it cannot be read again.

        Raises `IndexError` for an index out of range, `ValueError` for the second reading and without any shape.

        >>> int(weft.TensorArray("int64", size=2).write(1, 5).read(1))
        5
        """
        self._require_here()
        index = _index(index)
        self._require_inside(index)
        array = self._entries("read")
        if self.clear_after_read:
            raise_where(
                np.equal(self._marks[index], READ),
                ValueError,
                "TensorArray: could not read index {0} twice, because it was cleared after a previous read (see "
                "clear_after_read)",
                index,
            )
        entry = array[index].copy() if array.ndim > 1 else array[index]
        if self.clear_after_read:
            self._marks = _updated(self._marks, index, READ)
        return entry

    # All entries

    def stack(self) -> Any:
        """All entries as one array, along a new first axis: (size, *element_shape).

        Raises `ValueError` where no shape is known.

        >>> weft.TensorArray("int64", size=2, element_shape=()).stack()
        array([0, 0])
        """
        self._require_here()
        return self._entries("stack")[: self._length].copy()

    def gather(self, indices: Any) -> Any:
        """Some entries as one array: (len(indices), *element_shape).

        Raises `IndexError` for an index out of range, `ValueError` where no shape is known.

        >>> weft.TensorArray("int64", size=3).write(1, 5).gather([1, 0])
        array([5, 0])
        """
        self._require_here()
        indices = asarray(indices)
        OPERATORS.for_(indices, lambda index: self._require_inside(_index(index)))
        return self._entries("gather")[indices]

    def concat(self) -> Any:
        """All entries behind each other, along their first axis: (size * element_shape[0], *element_shape[1:]).

        Raises `ValueError` for entries without an axis and where no shape is known.

        >>> weft.TensorArray("int64", size=2).write(1, [5, 6]).concat()
        array([0, 0, 5, 6])
        """
        stacked = self.stack()
        if stacked.ndim < 2:
            raise WeftValueError("TensorArray: concat needs entries with an axis; use stack()")
        return lookup("reshape")(stacked, (-1, *stacked.shape[2:]))

    def unstack(self, value: Any) -> TensorArray:
        """Write the entries of an array along its first axis, and return the TensorArray itself.

        Raises what `write` raises.

        >>> weft.TensorArray("int64", size=2).unstack([5, 6]).read(0)
        np.int64(5)
        """
        value = asarray(value)
        return self._write_all(lookup("arange")(value.shape[0]), value, value.shape[0])

    def scatter(self, indices: Any, value: Any) -> TensorArray:
        """Write the entries of an array to some places, and return the TensorArray itself.

        Raises what `write` raises.

        >>> weft.TensorArray("int64", size=3).scatter([2, 0], [5, 6]).stack()
        array([6, 0, 5])
        """
        value, indices = asarray(value), asarray(indices)
        return self._write_all(indices, value, indices.shape[0])

    def split(self, value: Any, lengths: Any) -> TensorArray:
        """Write pieces of an array along its first axis, all of one length, and return the TensorArray itself.

        Raises `ValueError` for different lengths and where they do not add up, `UnsupportedError` for traced ones.

        >>> weft.TensorArray("int64", size=2).split([1, 2, 3, 4], [2, 2]).read(1)
        array([3, 4])
        """
        if isinstance(lengths, TracedArray):
            raise UnsupportedError("TensorArray: the lengths of split must be known while tracing")
        known = [length.__index__() for length in lengths]
        if len(set(known)) > 1:
            raise WeftValueError(
                f"TensorArray: its entries have one shape, so split needs equal lengths, not {known}"
            )
        value = asarray(value)
        if sum(known) != value.shape[0]:
            raise WeftValueError(
                f"TensorArray: the lengths {known} of split do not add up to {value.shape[0]}"
            )
        pieces = lookup("reshape")(value, (len(known), known[0] if known else 0, *value.shape[1:]))
        return self.unstack(pieces)

    def size(self) -> Any:
        """The number of entries.

        >>> weft.TensorArray("int64", size=3).size()
        3
        """
        self._require_here()
        return self._length

    def __repr__(self) -> str:
        return f"TensorArray({self.dtype.name}, size={self._length}, element_shape={self.element_shape})"

    # Inside

    def widen(self, shape: Any) -> None:
        """Have a shape of the entries that was found in a branch or loop, in front of it."""
        self._make_entries(shape)
        self._is_guess = True

    def _make_entries(self, shape: tuple[int, ...]) -> None:
        self.element_shape = shape
        self._array = _zeros((self._marks.shape[0], *shape), self.dtype)

    def at_run_time(self) -> tuple[Any, Callable[[Any], Any]]:
        """What it holds, to be made again when the function returns it."""

        def build(parts: tuple[Any, Any, int]) -> TensorArray:
            made = TensorArray(self.dtype, 0, self.dynamic_size, None, self.clear_after_read)
            made._array, made._marks, made._length = parts
            made.element_shape = self.element_shape
            return made

        return (self._array, self._marks, self._length), build

    def _require_here(self) -> None:
        if self._is_staged != (current_trace() is not None):
            raise UnsupportedError(
                "a TensorArray is used where it was not made: make it in the function that is compiled, and pass "
                "arrays (stack(), unstack(array)) to it and from it"
            )

    def _entry(self, value: Any) -> Any:
        """A value to write, of the dtype and shape of the entries."""
        if not isinstance(value, (TracedArray, np.ndarray, np.generic)):
            value = asarray(value, self.dtype)
        found = type_of_operand(value)
        if found.dtype != self.dtype:
            raise WeftTypeError(
                f"TensorArray: an entry is {found.dtype.name}, but its dtype is {self.dtype.name}"
            )
        shape = tuple(extent for extent in found.shape if extent is not None)
        if len(shape) < found.rank:
            raise UnsupportedError(
                f"TensorArray: the shape of an entry must be known while tracing, not {found}"
            )
        if self.element_shape is None:
            if self._is_staged and is_known_outside(self):
                raise Widened(self, shape)
            self._make_entries(shape)
        if found.shape != self.element_shape:
            raise WeftValueError(
                f"TensorArray: an entry has the shape {found.shape}, but its element_shape is {self.element_shape}"
            )
        return value

    def _entries(self, what: str) -> Any:
        message = f"TensorArray: {what} needs to know the shape of the entries: give element_shape, or write one before"
        if self._array is None:
            raise ValueError(message)
        if self._is_guess:
            raise_where(np.logical_not(np.any(np.not_equal(self._marks, EMPTY))), ValueError, message)
        return self._array

    def _require_inside(self, index: Any) -> None:
        outside = np.logical_or(np.less(index, 0), np.greater_equal(index, self._length))
        message = "TensorArray: tried to read from index {0}, but its size is {1}"
        raise_where(outside, IndexError, message, index, self._length)

    def _make_room(self, index: Any) -> None:
        """Have room for an entry, and for as many again."""
        room = self._marks.shape[0]

        def grow() -> None:
            more = _as_int(np.maximum(index + 1 - room, room))
            join = lookup("concatenate")
            self._array = join((self._array, _zeros((more, *self._array.shape[1:]), self.dtype)))
            self._marks = join((self._marks, _zeros((more,), self._marks.dtype)))

        OPERATORS.if_(np.greater_equal(index, room), grow)

    def _write_all(self, indices: Any, value: Any, count: Any) -> TensorArray:
        self._require_here()
        OPERATORS.for_(OPERATORS.call(range, count), lambda k: _nothing(self.write(indices[k], value[k])))
        return self


def _extents(element_shape: Sequence[int]) -> tuple[int, ...]:
    if any(
        not isinstance(extent, SupportsIndex) or isinstance(extent, TracedArray) for extent in element_shape
    ):
        raise WeftValueError(
            f"TensorArray: the extents of element_shape are whole numbers that are known, not {element_shape!r}: all "
            "entries have one shape, which is that of the first one written where none is given"
        )
    return tuple(extent.__index__() for extent in element_shape)


def _nothing(_: Any) -> None:
    return None


def _zeros(shape: tuple[Any, ...], dtype: np.dtype[Any]) -> Any:
    return lookup("zeros")(shape, dtype)


def _index(index: Any) -> Any:
    """An index as Python's int."""
    if isinstance(index, TracedArray):
        if index.ndim or index.dtype.kind not in "iub":
            raise WeftTypeError(f"TensorArray: an index is an integer, not {index.type}")
        return _as_int(index.astype(np.int64))
    return index.__index__()


def _as_int(number: Any) -> Any:
    return number.copy()._like_python(int) if isinstance(number, TracedArray) else int(number)


def _updated(array: Any, index: Any, value: Any) -> Any:
    """An array with another entry; while tracing it is a new one, which branches and loops can follow."""
    changed = array if current_trace() is None else lookup("asarray")(array, copy=True)
    changed[index] = value
    return changed

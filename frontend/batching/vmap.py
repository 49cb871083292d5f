"""`weft.vmap`: a function of one row, done for all rows of arrays at once."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable
from typing import Any, ParamSpec

import numpy as np

from ...dialect.errors import UnsupportedError, WeftValueError
from ...dialect.ops.batching import Lane, Lanes
from ..autograph.marks import do_not_convert
from ..autograph.operators.branches.checkpoints import Checkpoint
from ..autograph.operators.calls.calls import call
from ..autograph.operators.objects.access import set_item
from ..autograph.operators.values.control_flow_state import snapshot_of
from ..calls.eager_calls import always_compiled
from ..function import Function
from ..gradients.arguments import name_of
from ..gradients.structures import leaves_of
from ..gradients.watching import Watching
from ..random.stream import draws_of
from ..signature.signature import signature_of
from ..signature.traced_value import held
from ..tracing.array import TracedArray, wrap
from ..tracing.current import current_trace
from ..tracing.extents import same_extent
from ..tracing.recorder import Recorder
from ..tracing.staging import raise_where, staged
from .axes import Axes, axis_of, extent_of, is_data, is_number, map_with_axes, new_axis_of, require_result

P = ParamSpec("P")

_numbers = itertools.count(1)
"""No two calls have the same lanes, in whatever trace; those of a call in another begin later."""


def vmap(
    f: Callable[P, Any], in_axes: Axes = 0, out_axes: Axes = 0, axis_size: int | None = None
) -> Function[P, Any]:
    """A function that does for all rows of arrays what `f` does for one row of each, at once.

    `in_axes` tells along which axis the rows of each argument lie: one for all, or a tuple with an entry for each, in
    which None stands for what all rows share, and structures for those of an argument. Arguments by keywords have
    their rows along the first axis. `out_axes` tells the same of the results, which get an axis there: None for what is
    equal for all rows. `axis_size` is the number of rows where no argument tells it.

    `f` may branch and loop on values of its row, change its row in place, and be differentiated, as may the result. It
    draws no random numbers, and changes nothing outside of its row. Raises `ValueError` for numbers of rows that
    differ, for arguments without rows, and axes of another structure; `TypeError` for results that are no arrays;
    `weft.BatchingError` for results that have another size in each row.

    >>> weft.vmap(np.dot)(np.array([[1, 2], [3, 4]]), np.array([[5, 6], [7, 8]]))
    array([17, 53])
    >>> weft.vmap(lambda x, y: x * y, in_axes=(0, None), out_axes=1)(np.array([1, 2]), np.array([3, 4, 5]))
    array([[ 3,  6],
           [ 4,  8],
           [ 5, 10]])
    """
    of_weft = _Rows(f, in_axes, out_axes, axis_size)  # named so that no variable of the user's has its name

    @functools.wraps(f)
    @do_not_convert
    def for_all_rows(*args: P.args, **kwargs: P.kwargs) -> Any:
        trace = current_trace()
        return of_weft.one_by_one(args, kwargs) if trace is None else of_weft.at_once(trace, args, kwargs)

    return Function(for_all_rows, None, f"vmap({of_weft.name})")


class _Rows:
    """A function, and where the rows of its arguments and results are."""

    def __init__(
        self, function: Callable[..., Any], in_axes: Axes, out_axes: Axes, axis_size: int | None
    ) -> None:
        self.name = name_of(function, "weft.vmap")
        self._function = function
        self._in_axes = in_axes
        self._defaults = [parameter.default for parameter in signature_of(function).parameters.values()]
        self._out_axes = out_axes
        self._axis_size = None if axis_size is None else operator.index(axis_size)

    def one_by_one(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """In plain Python: a call for each row."""
        rows: list[tuple[Any, int, str]] = []
        self._mapped(args, kwargs, lambda leaf, axis, path: rows.append((leaf, axis, path)))
        count = self._count(rows)
        found = []
        for number in range(count):
            taken = self._mapped(args, kwargs, functools.partial(_row, number))
            found.append(self._function(*taken[0], **taken[1]))
        if not found:
            with always_compiled():  # which tells the types of what there is nothing of
                return vmap(self._function, self._in_axes, self._out_axes, self._axis_size)(*args, **kwargs)
        columns = iter(list(zip(*[[leaf for leaf, _ in leaves_of(value)] for value in found], strict=True)))
        return map_with_axes(
            lambda leaf, axis, path: self._stacked(next(columns), axis, path),
            found[0],
            self._out_axes,
            "the result",
            "out_axes",
        )

    def _stacked(self, column: tuple[Any, ...], axis: int | None, path: str) -> Any:
        if column[0] is None:
            return None
        require_result(column[0], path, self.name)
        return column[0] if axis is None else np.stack(column, new_axis_of(column[0], axis, path))

    def at_once(self, trace: Recorder, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """While a trace is recorded: one call, on what stands for a row."""
        arrays: list[tuple[Any, int, str]] = []
        self._mapped(args, kwargs, lambda leaf, axis, path: arrays.append((staged(trace, leaf), axis, path)))
        count = self._count(arrays)
        number = next(_numbers)
        lanes = _LanesOf(trace, number, count)
        watching = Watching(trace, sees_reads=False)
        before = Checkpoint.take(trace, (self._function,))
        rows = [lanes.row(array, axis) for array, axis, _ in arrays]
        remaining = iter(rows)
        given = self._mapped(args, kwargs, lambda leaf, axis, path: next(remaining))
        try:
            returned = self._called(trace, watching, given)
        except UnsupportedError:
            before.roll_back()  # so that whoever catches it can go another way
            raise
        result = map_with_axes(
            lambda leaf, axis, path: self._gathered(lanes, leaf, axis, path),
            returned,
            self._out_axes,
            "the result",
            "out_axes",
        )
        self._write_back(args, kwargs, lanes, rows)
        return result

    def _called(self, trace: Recorder, watching: Watching, given: tuple[Any, Any]) -> Any:
        """Call the function for a row; it may do nothing that others see."""
        before, drawn = snapshot_of(trace, (self._function,)), draws_of(trace)
        returned = call(self._function, *given[0], **given[1])
        what = f"{self.name}, which is under weft.vmap,"
        if draws_of(trace) != drawn:
            raise UnsupportedError(
                f"{what} draws random numbers, of which all rows would get the same: draw them in front of the call, "
                "with an axis of rows, and pass them as an argument"
            )
        changes = before.changes()
        if watching.is_written or changes:
            place = next((place.name for place, _ in changes.values() if place.name), "an array or variable")
            raise UnsupportedError(
                f"{what} changes {place} outside of it, which all rows would do at once: return what it has computed, "
                "and change that behind the call"
            )
        return returned

    def _gathered(self, lanes: _LanesOf, leaf: Any, axis: int | None, path: str) -> Any:
        if leaf is None:
            return None
        require_result(leaf, path, self.name)
        array = staged(lanes.trace, leaf)
        return lanes.all(array, None if axis is None else new_axis_of(array, axis, path))

    def _write_back(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], lanes: _LanesOf, rows: list[TracedArray]
    ) -> None:
        """Let the arrays of the caller hold what the function wrote to its rows."""
        remaining = iter(rows)

        def write(leaf: Any, axis: int, path: str) -> None:
            row = next(remaining)
            if row._storage.ref is not None:
                set_item(leaf, ..., lanes.all(row, axis_of(leaf, axis, path)))

        self._mapped(args, kwargs, write)

    def _mapped(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], visit: Callable[[Any, int, str], Any]
    ) -> tuple[Any, Any]:
        """The arguments with other values for the arrays that have rows."""

        def visited(leaf: Any, axis: int | None, path: str) -> Any:
            if axis is None or not is_data(leaf):
                return leaf
            return visit(leaf, axis_of(leaf, axis, path), path)

        each = self._axes_of(args)
        positional = tuple(
            map_with_axes(visited, value, axis, f"args[{number}]", "in_axes")
            for number, (value, axis) in enumerate(zip(args, each, strict=True))
        )
        named = {
            key: map_with_axes(
                visited, value, None if is_number(value) else 0, f"the argument {key}", "in_axes"
            )
            for key, value in kwargs.items()
        }
        return positional, named

    def _axes_of(self, args: tuple[Any, ...]) -> list[Axes]:
        """The axes of each positional argument; numbers of Python's are shared unless it is said of them."""
        axes = self._in_axes
        if not isinstance(axes, (list, tuple)):
            return [None if is_number(value) else axes for value in args]
        behind = args[len(axes) :]
        if len(axes) > len(args) or any(map(operator.is_not, behind, self._defaults[len(axes) : len(args)])):
            raise WeftValueError(
                f"weft.vmap: in_axes has {len(axes)} entries, but {self.name} is called with {len(args)} positional "
                "arguments"
            )
        return [*axes, *(None for _ in behind)]

    def _count(self, arrays: list[tuple[Any, int, str]]) -> Any:
        """How many rows there are: a number, or a traced one; raises where arrays have different numbers."""
        if not arrays and self._axis_size is None:
            raise WeftValueError(
                f"weft.vmap: no argument of {self.name} has rows (in_axes is {self._in_axes!r}): pass axis_size"
            )
        counts = [(extent_of(array, axis), path) for array, axis, path in arrays]
        known = [(extent, path) for extent, path in counts if not isinstance(extent, TracedArray)]
        if self._axis_size is not None:
            known.insert(0, (self._axis_size, "axis_size"))
        for extent, path in known[1:]:
            if extent != known[0][0]:
                first = "axis_size is" if known[0][1] == "axis_size" else f"{known[0][1]} has"
                raise WeftValueError(f"weft.vmap: {path} has {extent} rows, but {first} {known[0][0]}")
        traced = [(extent, path) for extent, path in counts if isinstance(extent, TracedArray)]
        count, whose = (known or traced)[0]
        for extent, path in traced:
            if not same_extent(extent, count):
                message = f"weft.vmap: {path} has {{0}} rows, but {whose} has {{1}}"
                raise_where(np.not_equal(extent, count), ValueError, message, extent, count)
        return count


def _row(number: int, leaf: Any, axis: int, path: str) -> Any:
    """A row of an array, in plain Python: a view, through which a function writes to it."""
    leaf = held(leaf)
    return leaf[(slice(None),) * axis + (number,)]


class _LanesOf:
    """The lanes of one call."""

    def __init__(self, trace: Recorder, number: int, count: Any) -> None:
        self.trace = trace
        self._number = number
        self._size = -1 if isinstance(count, TracedArray) else count
        self._extent = staged(trace, count if isinstance(count, TracedArray) else np.int64(count))

    def row(self, array: TracedArray, axis: int) -> TracedArray:
        """What stands for a row of an array; it has memory of its own."""
        (made,) = self.trace.create(Lane, [array._value()], {"axis": axis, "number": self._number})
        return wrap(self.trace, made, made_at=self.trace.place)._as_array(array.ndim > 1)

    def all(self, row: TracedArray, axis: int | None) -> TracedArray:
        """What is in all rows, along a new axis; for None what is the same in all."""
        attributes = {
            "axis": axis or 0,
            "size": self._size,
            "stacked": axis is not None,
            "number": self._number,
        }
        (made,) = self.trace.create(Lanes, [row._value(), self._extent._value()], attributes)
        found = wrap(self.trace, made, made_at=self.trace.place)
        return found._as_array(axis is not None or row._storage.is_array)

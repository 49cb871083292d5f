"""`weft.scan` and `weft.map`: loops over the rows of arrays that return a row for each."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...dialect.errors import UnsupportedError, WeftTypeError, WeftValueError
from ..autograph.loop_hints import unroll as unrolled
from ..autograph.operators.branches.checkpoints import on_trial
from ..autograph.operators.builtins.converted_functions import convert_once
from ..autograph.operators.calls.calls import call
from ..autograph.operators.objects.access import set_item
from ..calls.eager_calls import always_compiled
from ..function import Function
from ..gradients.independent import described
from ..gradients.structures import leaves_of, map_leaves
from ..numpy_api.creation import zeros
from ..signature.traced_value import CompositeValue, held
from ..tracing.array import TracedArray
from ..tracing.current import current_trace, required_trace
from ..tracing.extents import axis_key, known_shape
from ..tracing.staging import raise_where, staged
from .carries import Carry, Leaves


def scan(
    f: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any = None,
    length: Any = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> tuple[Any, Any]:
    """`carry, y = f(carry, x)` for each row of `xs`, beginning with `init`: the carry at the end, and all `y` stacked.

    `xs` is an array, or a structure of arrays with equally long first axes, of which `x` has the rows; None for
    `length` iterations without any. The result `y` is a structure, too, of which each leaf gets a first axis, also
    where there are no rows. The carry is what `weft.while_loop` takes. With `reverse` the last row comes first, and
    its `y` stands last. `unroll` iterations make one of the loop that is compiled; True unrolls all. Raises `TypeError`
    for a carry that changes, `ValueError` for lengths that differ or are not known.

    >>> weft.scan(lambda total, x: (total + x, total), 0, np.array([1, 2, 3]))
    (np.int64(6), array([0, 1, 3]))
    """
    rows = _Rows(xs, length, reverse)
    steps = _Steps(f, Carry(init, "init", "f of weft.scan"), rows)
    if current_trace() is not None:
        steps.make_room()
        run = convert_once(_scan)
    elif rows.length == 0:
        with always_compiled():  # which tells the types of what there is nothing of
            return Function(scan, None, "scan")(f, init, xs, length)
    else:
        run = _scan
    leaves = run(steps, rows.length, _unrolled(unroll))
    return steps.carry.structured(leaves), steps.made()


def map(f: Callable[[Any], Any], xs: Any) -> Any:
    """What `f` returns for each row of `xs`, stacked: as `weft.scan`, without a carry.

    >>> weft.map(lambda x: x @ x, np.array([[1, 2], [3, 4]]))
    array([ 5, 25])
    """
    return scan(lambda _, x: (None, call(f, x)), None, xs)[1]


def _unrolled(unroll: int | bool) -> int | None:
    """How many iterations make one; None for all."""
    if unroll is True:
        return None
    count = operator.index(unroll)
    if count < 0:
        raise WeftValueError(f"weft.scan unrolls a number of iterations, and not {count}")
    return max(count, 1)


def _scan(steps: _Steps, length: Any, unroll: int | None) -> Leaves:
    leaves = steps.carry.leaves()
    if unroll is None:
        for number in unrolled(range(length)):
            leaves = steps.step(leaves, number)
    elif unroll == 1:
        for number in range(length):
            leaves = steps.step(leaves, number)
    else:
        for block in range(length // unroll):
            for inside in unrolled(range(unroll)):
                leaves = steps.step(leaves, block * unroll + inside)
        for number in range(length - length % unroll, length):
            leaves = steps.step(leaves, number)
    return leaves


class _Rows:
    """The rows of a structure of arrays."""

    def __init__(self, xs: Any, length: Any, reverse: bool) -> None:
        self._arrays = map_leaves(_as_rows, xs, "xs")
        self._reverse = bool(reverse)
        arrays = [(array, path) for array, path in leaves_of(self._arrays, "xs") if array is not None]
        if length is None and not arrays:
            raise WeftValueError("weft.scan without xs has to be told how often it calls f: pass length")
        self.arrays = [array for array, _ in arrays]
        self.length = arrays[0][0].shape[0] if length is None else length
        for array, path in arrays[length is None :]:
            first = "length is" if length is not None else f"{arrays[0][1]} has"
            _require_length(array, path, self.length, first)

    def place(self, number: Any) -> Any:
        """Where the row lies that comes after so many."""
        return self.length - 1 - number if self._reverse else number

    def row(self, place: Any) -> Any:
        """One row, as a structure."""
        return map_leaves(lambda array, _: None if array is None else array[place], self._arrays, "")


def _as_rows(leaf: Any, path: str) -> Any:
    """An array that has rows; None stays what it is."""
    leaf = held(leaf)
    if leaf is None:
        return None
    if not hasattr(leaf, "shape"):
        leaf = np.asarray(leaf)
    if not len(leaf.shape):
        raise WeftValueError(f"weft.scan takes arrays with rows, but {path} is a number")
    trace = current_trace()
    return leaf if trace is None else staged(trace, leaf)  # NumPy's arrays have no row that a trace knows


def _require_length(array: Any, path: str, length: Any, first: str) -> None:
    known = known_shape(array)[0]
    if known is not None and not isinstance(length, TracedArray) and known != length:
        raise WeftValueError(f"weft.scan: {path} has {known} rows, but {first} {length}")
    if known is None or isinstance(length, TracedArray):
        message = f"weft.scan: {path} has {{0}} rows, but {first} {{1}}"
        raise_where(np.not_equal(array.shape[0], length), ValueError, message, array.shape[0], length)


class _Steps:
    """The calls of a function for rows, and what it returns for each."""

    def __init__(self, function: Callable[..., Any], carry: Carry, rows: _Rows) -> None:
        self._function = function
        self._rows = rows
        self.carry = carry
        self._results: Carry | None = None
        self._stacked: Leaves = ()
        """Traced arrays, of which a step fills a row."""
        self._listed: list[tuple[Any, Leaves]] = []
        """In plain Python the place of each step, and what it gave."""

    def step(self, leaves: Leaves, number: Any) -> Leaves:
        """One call; returns the carry behind it."""
        place = self._rows.place(number)
        carry, result = self._called(leaves, place)
        if current_trace() is None:
            self._list(place, result)
        else:
            self._fill(place, result)
        return self.carry.fitted(carry, leaves)

    def make_room(self) -> None:
        """Make arrays for the results, of the types that a call on trial shows."""
        trace = required_trace()

        def room_for_results() -> Any:
            number = staged(trace, np.int64(0))._like_python(int)
            result = self._called(self.carry.leaves(), self._rows.place(number))[1]
            return map_leaves(self._room_for, result, "y")

        room = on_trial(trace, room_for_results)
        made = map_leaves(lambda leaf, _: None if leaf is None else leaf(), room, "")
        self._results = Carry(made, "y", "f of weft.scan")
        self._stacked = self._results.leaves()

    def made(self) -> Any:
        """What all calls gave, stacked."""
        assert self._results is not None
        if not self._listed:
            return self._results.structured(self._stacked)
        self._listed.sort(key=lambda entry: operator.index(entry[0]))
        columns = zip(*[leaves for _, leaves in self._listed], strict=True)
        return self._results.structured(
            tuple([None if column[0] is None else np.stack(column) for column in columns])
        )

    def _called(self, leaves: Leaves, place: Any) -> tuple[Any, Any]:
        returned = call(self._function, self.carry.structured(leaves), self._rows.row(place))
        if not isinstance(returned, (tuple, list)) or len(returned) != 2:
            raise WeftTypeError(
                f"f of weft.scan returns a pair of the next carry and what is stacked, not {described(returned)}"
            )
        return returned[0], returned[1]

    def _list(self, place: Any, result: Any) -> None:
        if self._results is None:
            self._results = Carry(result, "y", "f of weft.scan")
        before = self._listed[0][1] if self._listed else self._results.leaves()
        self._listed.append((place, self._results.fitted(result, before)))

    def _fill(self, place: Any, result: Any) -> None:
        assert self._results is not None
        before = tuple([None if array is None else array[place] for array in self._stacked])
        for array, leaf in zip(self._stacked, self._results.fitted(result, before), strict=True):
            if array is not None:
                set_item(array, place, leaf)

    def _room_for(self, leaf: Any, path: str) -> Callable[[], Any] | None:
        """What makes an array for a result in front of the call that gave it."""
        if leaf is None:
            return None
        if not isinstance(
            leaf, (TracedArray, CompositeValue, np.ndarray, np.generic, bool, int, float, complex)
        ):
            raise WeftTypeError(f"weft.scan stacks arrays and numbers, but {path} is {described(leaf)}")
        dtype = leaf.dtype if hasattr(leaf, "dtype") else np.asarray(leaf).dtype
        extents = [self._extent(leaf, axis, path) for axis in range(len(known_shape(leaf)))]
        return lambda: zeros((self._rows.length, *[extent() for extent in extents]), dtype)

    def _extent(self, leaf: Any, axis: int, path: str) -> Callable[[], Any]:
        """What tells the extent of an axis in front of the call: that of the carry or of a row that it is."""
        known = known_shape(leaf)[axis]
        if known is not None:
            return lambda: known
        key = axis_key(leaf, axis)
        for array in (*self.carry.leaves(), *self._rows.arrays):
            for number, extent in enumerate(known_shape(array) if isinstance(array, TracedArray) else ()):
                if extent is None and axis_key(array, number) == key:
                    return lambda: array.shape[number]
        raise UnsupportedError(
            f"weft.scan makes room for all rows of {path}, but how long axis {axis} is only f knows: return arrays "
            "of the extents of the carry, of xs, or of known ones"
        )

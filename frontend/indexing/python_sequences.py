"""`container[index]` where Python has the container and the index is traced: arrays, lists, tuples and ranges.

What is read from a NumPy array or a list of arrays cannot be written through: the array is not part of the
compiled program. Strings and dicts are looked up while tracing, so that a traced key is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ...dialect.errors import UnsupportedError, WeftIndexError, WeftTypeError
from ...dialect.ops.arrangement import Stack
from ...dialect.ops.indexing import FindOutOfBounds, Gather
from ...dialect.records import replace
from ..tracing.array import USE_WEFT_ARRAYS, TracedArray, wrap
from ..tracing.element_stores import bounded_index
from ..tracing.joined_writes import record_where, write_copy
from ..tracing.may_alias import connect
from ..tracing.packed_items import stacked_items
from ..tracing.recorder import Join, Stacked
from ..tracing.staging import apply, cast, emit, raise_if, trace_of, type_of_operand, value_of
from ..tracing.view_steps import ViewStep

if TYPE_CHECKING:
    from ..tracing.recorder import Recorder

_REFUSAL = (
    "this writes to an array that a traced place finds in a list or NumPy array: which elements are meant is known "
    f"only when the compiled function runs; write to one array that holds them all (x[i, j] = value); {USE_WEFT_ARRAYS}"
)
"""Why nothing is written through what is read from Python's containers at a traced place."""

_NAMES = {str: "string", bytes: "byte", range: "range object"}
"""What Python's errors call some sequences."""

_INT64 = np.dtype(np.int64)
_NUMBERS = (bool, int, float, complex)


def get_item(container: Any, index: Any) -> Any:
    """`container[index]` of anything but a traced array."""
    trace = index_trace(index)
    if trace is None:
        return container[index]
    if isinstance(container, np.ndarray):
        whole = wrap(trace, value_of(trace, container))
        whole._storage.outside = container
        return _read_only(whole[index])
    if isinstance(container, Mapping):
        _refuse_key(container, index)
    if isinstance(container, (str, bytearray)):
        raise UnsupportedError(
            f"a {type(container).__name__} is indexed by a traced value ({_described(index)}): its characters are "
            "looked up while tracing; index a list of numbers or an array"
        )
    if isinstance(container, (list, tuple, range, bytes)):
        return _of_sequence(trace, container, index)
    return container[index]


def place_in(container: Sequence[Any], index: Any) -> Any:
    """The place that an index finds, counted from 0 and checked as Python checks it."""
    trace = index_trace(index)
    assert trace is not None
    place = _place(trace, container, index, "index out of range")
    return np.where(place < 0, place + len(container), place)._like_python(int)


def set_item(container: Any, index: Any, value: Any) -> None:
    """`container[index] = value` of anything but a traced array."""
    trace = index_trace(index)
    if trace is None:
        container[index] = value
    elif isinstance(container, np.ndarray):
        raise UnsupportedError(
            f"a NumPy array is written at a traced place ({_described(index)}), which is known only when the compiled "
            f"function runs; {USE_WEFT_ARRAYS}"
        )
    elif isinstance(container, Mapping):
        _refuse_key(container, index)
    elif isinstance(container, list):
        _set_in_list(trace, container, index, value)
    elif not hasattr(type(container), "__setitem__"):
        raise WeftTypeError(f"'{type(container).__name__}' object does not support item assignment")
    else:
        container[index] = value


def index_trace(index: Any) -> Recorder | None:
    """The trace of the first traced array in an index expression; None when Python can evaluate it."""
    parts = index if isinstance(index, tuple) else (index,)
    flat = [
        bound
        for part in parts
        for bound in ((part.start, part.stop, part.step) if isinstance(part, slice) else (part,))
    ]
    return trace_of(flat)


def _described(index: Any) -> str:
    return str(index.type) if isinstance(index, TracedArray) else "an index that holds traced values"


def _refuse_key(container: Any, key: Any) -> NoReturn:
    raise UnsupportedError(
        f"a traced value ({_described(key)}) is used as a key of a {type(container).__name__}: keys are looked up "
        "while tracing; index an array or a list by it, or compare it with every key"
    )


def _read_only(x: Any) -> Any:
    """The array such that writing through it, which NumPy would let reach what is behind it, is refused."""
    if not isinstance(x, TracedArray) or not x._path:
        return x
    return TracedArray(x._storage, tuple(replace(step, refusal=_REFUSAL) for step in x._path), x.type)


# Sequences


def _of_sequence(trace: Recorder, container: Sequence[Any], index: Any) -> Any:
    """An element of a list, tuple, range or bytes; the index is checked when the function runs."""
    place = _place(trace, container, index, "index out of range")
    if place is None:
        return container[index]
    if isinstance(container, range):
        counted = np.where(place < 0, place + len(container), place)
        return (container.start + container.step * counted)._like_python(int)
    return _select(trace, list(container), place)


def _place(trace: Recorder, container: Sequence[Any], index: Any, complaint: str) -> Any:
    """The index as a checked i64[], or None where it is none and Python raises its own error."""
    name = _NAMES.get(type(container), type(container).__name__)
    if isinstance(index, slice):
        raise UnsupportedError(
            f"a {name} is sliced with a traced bound: how long the result is must be known while tracing; "
            "make it an array (np.stack, np.array), or use Python ints"
        )
    if not isinstance(index, TracedArray):
        return None
    if index.ndim:
        raise WeftTypeError("only integer scalar arrays can be converted to a scalar index")
    if index.dtype.kind not in "iu" and index._python_type is not bool:
        kind = index._python_type.__name__ if isinstance(index._python_type, type) else index.dtype.name
        given = kind if kind in ("int", "float") else f"numpy.{kind}"
        if isinstance(container, str):
            raise WeftTypeError(f"string indices must be integers, not '{given}'")
        raise WeftTypeError(f"{name.split()[0]} indices must be integers or slices, not {given}")
    message = complaint if isinstance(container, bytes) else f"{name} {complaint}"
    if not len(container):
        raise WeftIndexError(message)
    place = bounded_index(index)
    outside, _ = apply(FindOutOfBounds, place, np.int64(len(container)))
    raise_if(outside, "IndexError", message)
    return place


def _select(trace: Recorder, entries: list[Any], place: TracedArray) -> Any:
    """The entry at a place: entries are numbers, arrays of one type, or tuples of these."""
    first = entries[0]
    if all(entry is first for entry in entries):
        return first
    if isinstance(first, tuple) and all(type(e) is type(first) and len(e) == len(first) for e in entries):
        columns = [_select(trace, list(column), place) for column in zip(*entries, strict=True)]
        return type(first)(*columns) if hasattr(first, "_fields") else tuple(columns)
    are_written = len(entries) <= MOST_WRITTEN and all(map(_is_traced_array, entries))
    write = partial(_write_one, entries, place) if are_written else None
    refusal = "" if are_written else _REFUSAL
    step = ViewStep(Gather, {"axes": (0,), "position": 0}, (place.copy(),), refusal=refusal, write=write)
    found = stacked_entries(trace, entries)._view(step)
    if found.ndim:
        _connect(found, entries)
        return found
    kinds = {(isinstance(entry, TracedArray) and entry._python_type) or type(entry) for entry in entries}
    number = max(kinds, key=_NUMBERS.index) if kinds <= set(_NUMBERS) else None
    are_arrays = all(isinstance(entry, np.ndarray) or _is_traced_array(entry) for entry in entries)
    return found.copy()._like_python(number)._as_array(are_arrays)


MOST_WRITTEN = 64
"""Of so many arrays the one at a place is written, each under a condition of its own."""


def _connect(found: TracedArray, entries: list[Any]) -> None:
    """Note that an array is one of others: a write to one of these makes what was stacked stale."""
    arrays = [entry._storage if isinstance(entry, TracedArray) else None for entry in entries]
    connect(found._storage, Join(), arrays)
    found._storage.handed = Stacked(tuple(entries))


def _write_one(entries: list[Any], place: TracedArray, found: TracedArray, new: TracedArray) -> None:
    """Write new elements to what shows, of the array at a place, or a part of it; what was stacked is so anew."""
    trace, storage = found._storage.trace, found._storage
    elements = wrap(trace, new._value(), new.type)
    at: Any = np.where(np.less(place, 0), np.add(place, len(entries)), place)
    for number, entry in enumerate(entries):
        target = TracedArray(entry._storage, (*entry._path, *found._path[1:]), found.type)
        record_where(trace, ((np.equal(at, number), 0),), partial(target._write, elements))
    write_copy(storage, stacked_entries(trace, entries)._value())
    storage.aliases.is_stale = False
    _connect(found, entries)


def _is_traced_array(entry: Any) -> bool:
    return isinstance(entry, TracedArray) and not entry._is_scalar


def stacked_entries(trace: Recorder, entries: list[Any]) -> TracedArray:
    """The entries as one array; they have one type, but for Python numbers, which take that of the others."""
    for entry in entries:
        if not isinstance(entry, (TracedArray, np.ndarray, np.generic, *_NUMBERS)):
            raise UnsupportedError(
                f"a list or tuple that holds a {type(entry).__name__} is indexed by a traced value: which element is "
                "meant is known only when the compiled function runs, so all must be numbers or arrays of one type"
            )
    types = {type_of_operand(e) for e in entries if not isinstance(e, _NUMBERS)}
    numbers = [entry for entry in entries if isinstance(entry, _NUMBERS)]
    flags = {isinstance(number, bool) for number in numbers}
    if len(flags) > 1 or len(types) > 1 or (types and not _takes(next(iter(types)), numbers)):
        listing = ", ".join(sorted({*map(str, types), *(type(number).__name__ for number in numbers)}))
        raise UnsupportedError(
            f"a list or tuple of elements of different types ({listing}) is indexed by a traced value: compiled code "
            "needs one type and shape for what comes out"
        )
    if not types:
        return wrap(trace, value_of(trace, _array_of(numbers)))
    if (found := stacked_items(trace, entries)) is not None:
        return found
    dtype = next(iter(types)).dtype
    if not any(isinstance(entry, (TracedArray, np.ndarray)) for entry in entries):
        return wrap(trace, value_of(trace, np.array(entries, dtype)))
    stacked: TracedArray = emit(trace, Stack, [cast(entry, dtype) for entry in entries], {"axis": 0})
    return stacked


def _takes(common: Any, numbers: list[Any]) -> bool:
    """Whether arrays of a type, of known extents, can stand beside Python numbers."""
    if not common.is_static:
        return False
    return not numbers or (
        common.rank == 0
        and all(np.result_type(common.dtype, type(number)) == common.dtype for number in numbers)
        and not any(isinstance(number, bool) != (common.dtype == np.bool_) for number in numbers)
    )


def _array_of(numbers: list[Any]) -> np.ndarray[Any, Any]:
    array = np.array(numbers)
    if array.dtype.kind not in "biufc":
        raise UnsupportedError("a list of numbers beyond 64 bits is indexed by a traced value")
    return array


def _set_in_list(trace: Recorder, container: list[Any], index: Any, value: Any) -> None:
    """Replace every number of a list by itself or by the value: which one it is, is known at run time."""
    place = _place(trace, container, index, "assignment index out of range")
    if place is None:
        container[index] = value
        return
    place = np.where(place < 0, place + len(container), place)
    if any(
        type_of_operand(entry).rank for entry in container if isinstance(entry, (TracedArray, np.ndarray))
    ):
        raise UnsupportedError(
            "an array in a list is replaced at a traced place: stack the arrays, and write to that (x[i] = value)"
        )
    for position, entry in enumerate(container):
        container[position] = _select(trace, [entry, value], cast(place == position, _INT64))

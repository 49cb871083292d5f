"""What the tasks of a graph run, on any worker: pieces, and what combines their parts."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...backend.cache.digests import sha256
from ...backend.cache.store import store
from ...backend.cpu.memory.result_pool import result_pool
from ...dialect.dtypes import as_dtype
from ...passes.pieces.partials import Part, State, combined, finished, states_of
from ..settings import settings

_KEPT_BYTES = 1 << 22
"""Of memory that pieces do without: workers share a machine, and the next piece may be of another kind."""
_MOST_KEPT = 256
"""So many pieces are kept compiled in a process."""

_kept: OrderedDict[str, Any] = OrderedDict()
_lock = threading.Lock()


class Piece:
    """A program that is part of another one: compiled where it runs, once in a process."""

    def __init__(self, function: Any, key: str) -> None:
        self.function = function
        """What `weft.from_mlir` made of its text."""
        self.key = key
        """A name for the text."""

    @classmethod
    def of_text(cls, text: str) -> Piece:
        """The piece of a module."""
        key = sha256(text.encode())
        with _lock:
            known = _kept.get(key)
        if known is not None:
            return known  # type: ignore[no-any-return]
        from ..artifacts.from_text import from_mlir  # which loads the compiler

        return _known(from_mlir(text), key)

    @property
    def text(self) -> str:
        """The module."""
        found: str = self.function.recorded_as[0].text
        return found

    def __dask_tokenize__(self) -> tuple[str, str]:
        return "weft piece", self.key

    def __reduce__(self) -> tuple[Any, ...]:
        """With its compiled code, where that is wanted: workers then load neither MLIR nor a compiler."""
        if settings.ship_compiled and store() is not None:
            self.function.get_concrete_function()
        return _known, (self.function, self.key)

    def __call__(self, *arrays: Any) -> Any:
        return self.function(*arrays)


def _known(function: Any, key: str) -> Piece:
    """A piece that came; one that came before is taken, as it is compiled already."""
    with _lock:
        piece: Piece = _kept.setdefault(key, Piece(function, key))
        _kept.move_to_end(key)
        while len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
        return piece


class Source(NamedTuple):
    """Where a part of an array comes from."""

    argument: int
    """Among what the task is given."""
    item: int | None
    """Which of several results of that task it is."""
    place: tuple[tuple[int, int], ...]
    """Where it is in the array that is put together."""


class Assembly(NamedTuple):
    """An array of a piece, put together of what other tasks gave."""

    shape: tuple[int, ...]
    dtype: str
    sources: tuple[Source, ...]

    def of(self, given: Sequence[Any]) -> Any:
        """The array."""
        dtype = as_dtype(self.dtype)
        if len(self.sources) == 1:
            return _checked(_item(self.sources[0], given), self.shape, dtype)
        made = np.empty(self.shape, dtype)
        for source in self.sources:
            index = tuple(slice(*bounds) for bounds in source.place)
            shape = tuple(end - begin for begin, end in source.place)
            made[index] = _checked(_item(source, given), shape, dtype)
        return made


def _item(source: Source, given: Sequence[Any]) -> Any:
    found = given[source.argument]
    if isinstance(found, Literal):
        return found.value
    return found if source.item is None else found[source.item]


def _checked(value: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """A block as the graph promised it."""
    array = np.asarray(value)
    if array.shape != shape or array.dtype != dtype:
        raise ValueError(
            f"a block of a dask array is {array.dtype}{list(array.shape)}, and the array says "
            f"{dtype}{list(shape)}: tell map_blocks and its like the dtype and the chunks of what they make"
        )
    return array


class Literal:
    """What a task is given as it is: Dask looks for tasks in tuples."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def run_piece(piece: Piece, assemblies: Literal, numbers: Literal, parts: Literal, *given: Any) -> Any:
    """Run a piece on what other tasks gave; what is to be combined comes as states."""
    arrays = [assembly.of(given) for assembly in assemblies.value]
    results = piece(*arrays, *(np.asarray(number, np.int64) for number in numbers.value))
    result_pool().keep_only(_KEPT_BYTES)
    several = results if isinstance(results, tuple) else (results,)
    if parts.value:
        return states_of(parts.value, several)
    return several if len(several) > 1 else np.asarray(several[0])


def combine(given: Literal, is_last: bool, *states: tuple[State, ...]) -> Any:
    """Join the states of neighbouring pieces; the last one makes the results."""
    parts: tuple[Part, ...] = given.value
    joined = combined(parts, states)
    if not is_last:
        return joined
    results = finished(parts, joined)
    return results if len(results) > 1 else results[0]


def taken(value: Any, item: int | None, bounds: Literal) -> Any:
    """A part of what a task gave, in memory of its own, so that it alone goes to another worker."""
    array = value if item is None else value[item]
    index = tuple(slice(*bound) for bound in bounds.value)
    with_ellipsis = (*index, ...)  # an array also without dimensions
    return np.array(array[with_ellipsis])


def item_of(values: Any, item: int) -> Any:
    """One of several results."""
    return values[item]

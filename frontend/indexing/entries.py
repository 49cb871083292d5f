"""The entries of a NumPy index expression: what each means, and which axes it consumes."""

from __future__ import annotations

import operator
import reprlib
from typing import Any, TypeAlias

import numpy as np

from ...dialect.dtypes import kind
from ...dialect.errors import WeftIndexError, WeftTypeError
from ...dialect.op import Array
from ...dialect.ops.slicing import INT64_MAX, INT64_MIN
from ...dialect.records import dataclass, replace
from ...dialect.types import TensorType

Traced: TypeAlias = Any
"""Anything with a `type` that is a `TensorType`."""

Index: TypeAlias = Any
"""An integer array, or a traced array of integers (of any width: cast it to int64)."""

KINDS = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are "
    "valid indices"
)


@dataclass(frozen=True)
class Entry:
    """One parsed entry: how many axes it consumes, and whether it is one of NumPy's advanced indices."""

    kind: str
    """newaxis, ellipsis, slice, place, integer, array, flag (a 0-d boolean) or mask (a traced boolean)."""
    value: Any = None
    consumed: int = 0
    axis: int = 0
    """The first axis of the indexed array that it consumes."""

    @property
    def index(self) -> Index:
        """The index array of an advanced entry; a flag selects all or nothing of a new axis of extent 1."""
        if isinstance(self.value, NonzeroOfMask):
            return self.value.hits.astype(np.int64)
        return np.zeros(int(self.value), np.int64) if self.kind == "flag" else self.value


@dataclass(frozen=True)
class OnePlace:
    """Stands in an index for a slice of one element, `x[i : i + 1]` with a traced i."""

    index: Traced


def is_traced(value: object) -> bool:
    """Whether a value is known by its type only."""
    return isinstance(getattr(value, "type", None), TensorType)


def parse(entry: Any) -> list[Entry]:
    """The entries that one item of the index tuple means (a NumPy mask means one integer array per axis)."""
    if entry is None:
        return [Entry("newaxis")]
    if entry is Ellipsis:
        return [Entry("ellipsis")]
    if isinstance(entry, slice):
        return [Entry("slice", _parsed_slice(entry), 1)]
    if isinstance(entry, NonzeroOfMask):
        return [Entry("array", entry, 1)]
    if isinstance(entry, OnePlace):
        return [Entry("place", entry.index, 1)]
    if is_traced(entry):
        return [_parse_traced(entry)]
    if isinstance(entry, (bool, np.bool_)):
        return [Entry("flag", bool(entry))]
    if isinstance(entry, np.ndarray):
        return _parse_array(entry, "arrays used as indices must be of integer (or boolean) type")
    try:
        number = operator.index(entry)
    except TypeError:
        return _parse_sequence(entry)
    if not INT64_MIN <= number <= INT64_MAX:
        raise WeftIndexError(KINDS)
    return [Entry("integer", number, 1)]


def _parse_sequence(entry: Any) -> list[Entry]:
    """A list, range or the like (or a tuple inside the index tuple) is an array; an empty one has no dtype."""
    array = np.asarray(entry)
    if not array.ndim:
        is_float = isinstance(entry, (float, np.floating))
        instead = ", a float: write // in place of /, or int(...)" if is_float else ""
        raise WeftIndexError(f"{KINDS}\n  this is {reprlib.repr(entry)}{instead}")
    return _parse_array(array if array.size else array.astype(np.int64), KINDS)


def _parse_array(array: Array, complaint: str) -> list[Entry]:
    if array.dtype == np.bool_:
        if array.ndim == 0:
            return [Entry("flag", bool(array))]
        return [
            Entry("array", NonzeroOfMask(hits, array, axis), 1) for axis, hits in enumerate(np.nonzero(array))
        ]
    if array.dtype.kind not in "iu":
        raise WeftIndexError(complaint)
    return [Entry("integer" if array.ndim == 0 else "array", array.astype(np.int64), 1)]


def _parse_traced(entry: Traced) -> Entry:
    entry_type: TensorType = entry.type
    found = kind(entry_type.dtype)
    if found == "b":
        return Entry("mask", entry, entry_type.rank)
    if found not in "iu":
        complaint = (
            "arrays used as indices must be of integer (or boolean) type" if entry_type.rank else KINDS
        )
        raise WeftIndexError(complaint)
    return Entry("integer" if entry_type.rank == 0 else "array", entry, 1)


@dataclass(frozen=True)
class NonzeroOfMask:
    """The places along one axis where a mask is true."""

    hits: Array | Traced
    mask: Array | Traced
    mask_axis: int


def _parsed_slice(entry: slice) -> slice:
    """The slice with Python ints and traced integers for bounds."""
    return slice(*(_bound(bound) for bound in (entry.start, entry.stop, entry.step)))


def _bound(bound: Any) -> Any:
    if bound is None:
        return None
    if is_traced(bound):
        _require_integer_bound(bound.type)
        return bound
    if isinstance(bound, np.ndarray) and (bound.ndim or bound.dtype.kind not in "biu"):
        raise WeftTypeError("only integer scalar arrays can be converted to a scalar index")
    try:
        return max(INT64_MIN, min(INT64_MAX, operator.index(bound)))
    except TypeError:
        raise WeftTypeError(_NO_BOUND) from None


_NO_BOUND = "slice indices must be integers or None or have an __index__ method"


def _require_integer_bound(bound: TensorType) -> None:
    """Raise what Python raises for an array or number that is no slice bound."""
    if bound.rank:
        raise WeftTypeError("only integer scalar arrays can be converted to a scalar index")
    if kind(bound.dtype) not in "iu":
        raise WeftTypeError(_NO_BOUND)


def locate(entries: list[Entry], rank: int) -> list[Entry]:
    """Replace the ellipsis by full slices and give every entry the axis it begins at."""
    ellipses = sum(entry.kind == "ellipsis" for entry in entries)
    if ellipses > 1:
        raise WeftIndexError("an index can only have a single ellipsis ('...')")
    consumed = sum(entry.consumed for entry in entries)
    if consumed > rank:
        raise WeftIndexError(
            f"too many indices for array: array is {rank}-dimensional, but {consumed} were indexed"
        )
    filling = [Entry("slice", slice(None), 1)] * (rank - consumed)
    if not ellipses:
        entries = [*entries, *filling]
    located: list[Entry] = []
    axis = 0
    for entry in entries:
        # The ellipsis itself stays, as it keeps advanced indices apart even where it stands for no axis.
        for part in (entry, *filling) if entry.kind == "ellipsis" else (entry,):
            located.append(replace(part, axis=axis))
            axis += part.consumed
    return located

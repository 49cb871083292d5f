"""Numbers that are of another type behind a loop that makes no iteration: `s = 0` before one that adds floats to it.

The loop carries such a number as one of the type that both promote to, and so is what is computed of it; where it
leaves the function, it has the type that it has in Python.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, Protocol

import numpy as np

from .....dialect.mlir import Value
from ....tracing.array import TracedArray
from ....tracing.recorder import Recorder
from ....tracing.several_types import ToldApart
from ..values.abstract import kind_of
from ..values.array_kinds import as_array_kind
from ..values.kinds import ArrayKind, Kind
from ..values.program_locations import ProgramLocation, Slot
from ..values.several_kinds import types_of
from .index_values import counter_value


def is_other_type(kind: Kind, initial: Any) -> bool:
    """Whether what a loop carries is a number of another type than what was there before."""
    if not isinstance(kind, ArrayKind) or kind.type.rank or kind.is_array or kind.types:
        return False
    before = as_array_kind(kind_of(initial))
    return before is not None and not before.types and _type(before) != _type(kind)


def _type(kind: ArrayKind) -> tuple[Any, ...]:
    return kind.type.dtype, kind.number


class WasCarried(Protocol):
    """A place that a loop carried, with what was there before."""

    place: ProgramLocation
    initial: Any
    kind: Kind


class TellsTypes(Protocol):
    """A loop, as it says whether it has made an iteration: one that counts by its trips."""

    tells_types: bool
    trips: Value | None
    has_run: Slot


def tell_types_apart(trace: Recorder, loop: TellsTypes, carried: Iterable[WasCarried]) -> None:
    """Note behind a loop that numbers are what they were before where it has made no iteration."""
    if not loop.tells_types:
        return
    trips = loop.trips
    has_run = loop.has_run.get() if trips is None else np.greater(counter_value(trace, trips), 0)
    choice = np.where(has_run, np.int64(1), np.int64(0))
    for one in carried:
        value = one.place.get()
        if not is_other_type(one.kind, one.initial) or not isinstance(value, TracedArray):
            continue
        types = (*types_of(kind_of(one.initial)), *types_of(one.kind))
        options = (partial(_itself, one.initial), partial(_itself, value))
        made = ToldApart(value._storage, choice, types, options)
        made._python_type = value._python_type
        one.place.set(made)


def _itself(value: Any) -> Any:
    return value

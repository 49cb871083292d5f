"""Places to which a program stores what they hold already: no change tells, and so what they held is compared.

def reset(x):
    counter.value = 0           where it is 0 while tracing, and another number before a later call
    return x
"""

from __future__ import annotations

import types
from collections.abc import Container, Iterator
from typing import Any

from ..autograph.operators.values.program_locations import (
    UNBOUND,
    Attribute,
    Entry,
    ProgramLocation,
    Snapshot,
    Variable,
)
from ..runtime_values.values import RuntimeValue
from ..signature.traced_value import CompositeValue
from ..source.code_table import assigned_globals, assigned_variables
from ..tracing.array import TracedArray


class StoredPlaces:
    """The variables that functions assign, and the attributes that were set, of what was there before a trace."""

    def __init__(self) -> None:
        self._places: dict[tuple[Any, ...], ProgramLocation] = {}

    def meet(self, function: types.FunctionType) -> None:
        """Take note of the variables from outside that a function assigns."""
        for name in assigned_globals(function.__code__):
            self._add(Entry(name, function.__globals__, name))
        assigned = assigned_variables(function.__code__)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            if name in assigned:
                self._add(Variable(name, cell))

    def note(self, owner: Any, name: str) -> None:
        """Take note that an attribute is set or deleted."""
        self._add(Attribute(name, owner, name))

    def _add(self, place: ProgramLocation) -> None:
        self._places.setdefault(place.key(), place)

    def unchanged(
        self, snapshot: Snapshot, arguments: Container[int]
    ) -> Iterator[tuple[ProgramLocation, Any]]:
        """The places that were there before, and are as they were, with what they hold that is no data of each call.

        What objects among the arguments hold, which are told by their identities, is part of the signature.
        """
        changes = snapshot.changes() if self._places else {}
        for key, place in self._places.items():
            value = snapshot.old_value(place)
            is_told = isinstance(value, (CompositeValue, RuntimeValue, TracedArray)) or key[0] in arguments
            if key not in changes and value is not UNBOUND and not is_told:
                yield place, value

"""Numbers whose type the number of iterations decides: `s = 0` before a loop that adds floats to it.

The loop carries such a number as one of the type that all promote to, and so is what is computed of it; where it
leaves the function, it has the type that it has in Python. Which one that is, recordings of the body tell: each says
which types an iteration leaves of those that it begins with, so that they are known iteration by iteration, up to the
ones that come again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from functools import partial
from typing import Any, Protocol, TypeAlias

import numpy as np

from .....dialect.mlir import Value
from .....dialect.records import dataclass, replace
from ....tracing.array import TracedArray
from ....tracing.recorder import Recorder
from ....tracing.several_types import ToldApart, TypeOfValue
from ....tracing.staging import cast
from ..values.abstract import holds_types, kind_of
from ..values.array_kinds import array_of_value, as_array_kind
from ..values.kinds import ArrayKind, Kind
from ..values.program_locations import Slot, Snapshot
from ..values.several_kinds import as_carried, types_of
from ..values.shared_containers import widened_kind
from .index_values import counter_value
from .loop_memory import Carried

Key: TypeAlias = "tuple[Any, ...]"
Types: TypeAlias = "dict[Key, tuple[Any, ...] | None]"
"""The dtype, and Python's class, of numbers and arrays by their places; None where a path decides it."""

MOST_STEPS = 5
"""Behind how many iterations types have to come again."""

MOST_EXTRA = 2
"""How many recordings may be made for nothing but the types that they tell."""


class TellsTypes(Protocol):
    """A loop, as it says how many iterations it has made: one that counts by its trips."""

    trips: Value | None
    runs: bool
    is_inner: bool
    phase: Slot
    types: TypeSteps


def is_other_type(kind: Kind, initial: Any) -> bool:
    """Whether what a loop carries is a number of another type than what was there before."""
    if not isinstance(kind, ArrayKind) or not _is_number(kind):
        return False
    before = as_array_kind(kind_of(initial))
    return before is not None and _type(before) != _type(kind)


def is_constant_number(value: Any) -> bool:
    """Whether a number is there while tracing."""
    return isinstance(value, (int, float, complex, np.generic))


def types_around(snapshot: Snapshot) -> frozenset[Any]:
    """The types of the variables that a loop begins with."""
    found = ((place.name, value) for place, value in snapshot.variables())
    return frozenset(
        (name, *((value.dtype, value._python_type) if isinstance(value, TracedArray) else (type(value),)))
        for name, value in found
    )


def _is_number(kind: ArrayKind) -> bool:
    return not (kind.type.rank or kind.is_array or kind.types)


def _type(kind: ArrayKind) -> tuple[Any, ...]:
    return kind.type.dtype, kind.number


def _types(kinds: Iterable[tuple[Key, Kind]]) -> Types:
    """Those of numbers and arrays."""
    found = ((key, getattr(kind, "types", ()), as_array_kind(kind)) for key, kind in kinds)
    return {key: None if types else _type(kind) for key, types, kind in found if kind is not None}


@dataclass
class TypeSteps:
    """What types the iterations of a loop leave of those that they begin with."""

    found: list[tuple[Types, Types]] = field(default_factory=list)
    """For each recording those at the start and at the end of the body."""
    known: dict[Any, Any] = field(default_factory=dict)
    """What was found when the loop was recorded before, with values of the same types around it."""
    tested: set[Key] = field(default_factory=set)
    """The places that the test in front of the body changes."""
    extra: int = 0
    """How many recordings were made for nothing but this."""
    states: list[Types] = field(default_factory=list)
    """The types behind 0, 1, ... iterations."""
    back: int = 0
    """Which of these come behind the last of them again."""

    def note(
        self, carried: Mapping[Key, Carried], ends: Mapping[Key, Any], tested: Iterable[Key] = ()
    ) -> None:
        """Note a recording of the body, with the places that the test in front of it may have changed."""
        given = _types((key, one.kind) for key, one in carried.items())
        left = _types((key, kind_of(end)) for key, end in ends.items())
        self.tested |= set(tested)
        self.found.append((given, left | dict.fromkeys(self.tested)))

    def follow(self, carried: Mapping[Key, Carried]) -> dict[Key, ArrayKind] | None:
        """Find the types behind each iteration; returns those of one that was not recorded with what comes before it.

        Where they are not known, as paths decide them, numbers are taken to be what they are carried as behind the
        first iteration. There are none where no number is of another type then.
        """
        self.states, self.back = [], 0
        if not any(is_other_type(one.kind, one.initial) for one in carried.values()):
            return None
        initial = _types((key, kind_of(one.initial)) for key, one in carried.items())
        wanted = _types((key, one.kind) for key, one in carried.items())
        states = [{key: initial.get(key, type_) for key, type_ in wanted.items()}]
        began = tuple((carried[key].place.name, states[0][key], wanted[key]) for key in wanted)
        if began in self.known:
            rows, self.back = self.known[began]
            self.states = [dict(zip(wanted, row, strict=True)) for row in rows]
            return None
        while len(states) <= MOST_STEPS:
            after = self._after(states[0], states[-1])
            is_shown = after is not None
            if after is None and states[-1] == wanted:
                after = wanted  # as the recording that comes next will show
            if after is None and (missing := self._missing(carried, states[-1])):
                return missing
            if after is None or any(after[key] is None and wanted[key] is not None for key in wanted):
                break
            if after in states:
                self.states, self.back = states, states.index(after)
                if is_shown:
                    self.known[began] = [tuple(state.values()) for state in states], self.back
                return None
            states.append(after)
        first = {key: type_ for key, type_ in states[0].items() if key not in self.tested}
        self.states, self.back = [wanted | first, wanted], 1
        return None

    def _after(self, initial: Types, types: Types) -> Types | None:
        for given, ends in self.found:
            if all(given.get(key, initial[key]) == type_ for key, type_ in types.items()):
                return {key: ends.get(key, type_) for key, type_ in types.items()}
        return None

    def _missing(self, carried: Mapping[Key, Carried], types: Types) -> dict[Key, ArrayKind] | None:
        """What to carry in a recording that tells what an iteration leaves of some types."""
        made = {}
        for key, type_ in types.items():
            kind = carried[key].kind
            if isinstance(kind, ArrayKind) and not kind.types and type_ not in (None, _type(kind)):
                dtype, number = type_
                made[key] = replace(kind, type=replace(kind.type, dtype=dtype), number=number)
        is_worth = self.extra < MOST_EXTRA and all(map(_is_number, made.values()))
        self.extra += is_worth
        return made if is_worth else None

    @property
    def last(self) -> int:
        """The last of the states."""
        return len(self.states) - 1

    def next(self, phase: Any) -> Any:
        """The number of the state behind an iteration that begins with another one."""
        return np.where(np.equal(phase, self.last), np.int64(self.back), phase + np.int64(1))

    def behind(self, trips: Any) -> Any:
        """The number of the state behind so many iterations."""
        if self.back == self.last:
            return np.minimum(trips, self.last)
        again = np.mod(trips - self.back, len(self.states) - self.back) + self.back
        return np.where(np.less(trips, self.back), trips, again)


def tell_types_apart(trace: Recorder, loop: TellsTypes, carried: Mapping[Key, Carried]) -> None:
    """Note behind a loop of what type numbers are, as its iterations tell."""
    steps = loop.types
    if not steps.states:
        return
    phase: Any = None
    for key, one in carried.items():
        value = one.place.get()
        if loop.is_inner and not (one.place.is_variable and is_constant_number(one.initial)):
            continue  # which the loops around would carry by type
        if (
            not isinstance(one.kind, ArrayKind)
            or not _is_number(one.kind)
            or not isinstance(value, TracedArray)
        ):
            continue
        states = [state.get(key) for state in steps.states]
        if None in states or {*states} == {_type(one.kind)}:
            continue
        if phase is None:
            phase = loop.phase.get() if loop.trips is None else steps.behind(counter_value(trace, loop.trips))
        one.place.set(_told_apart(value, one, states, phase, int(loop.runs)))


def _told_apart(value: TracedArray, one: Carried, states: list[Any], phase: Any, first: int) -> Any:
    """A number of the type of the state in which the loop ended, which is none before the `first`."""
    assert isinstance(one.kind, ArrayKind), "a number"
    own = _type(one.kind)
    possible = list(dict.fromkeys(states[min(first, len(states) - 1) :]))
    types: list[TypeOfValue] = []
    options: list[Callable[[], Any]] = []
    for type_ in possible:
        is_initial = not first and states.index(type_) == 0 and states.count(type_) == 1
        dtype, number = type_
        if is_initial and type_ != own:
            types += types_of(kind_of(one.initial))
            options.append(partial(_itself, one.initial))
        else:
            types.append(TypeOfValue(replace(one.kind.type, dtype=dtype), number, False))
            options.append(partial(_itself if type_ == own else _narrowed, value, dtype, number))
    if len(possible) == 1:
        return options[0]()
    numbers = [possible.index(type_) if type_ in possible else 0 for type_ in states]
    made = ToldApart(value._storage, _number_of(phase, numbers), tuple(types), options)
    made._python_type = value._python_type
    return made


def _number_of(phase: Any, numbers: list[int]) -> Any:
    """What stands in a list in the place of the state."""
    if numbers == list(range(len(numbers))):
        return phase
    found: Any = np.int64(numbers[-1])
    for state in range(len(numbers) - 2, -1, -1):
        found = np.where(np.equal(phase, state), np.int64(numbers[state]), found)
    return found


def widened(known: Kind, initial: Any, end: Any, knows: Callable[[Any], bool]) -> Kind:
    """The abstract type of what a loop carries, with a value at the end of an iteration.

    Types are kept where an iteration keeps the one that a value has, as `if x > best: best = x` does. A number from
    before the loop is taken to stay what it is then, as long as no iteration leaves another one of its type.
    """
    by_type = holds_types(known) or holds_types(kind_of(end))
    kind = widened_kind(known, initial, end, knows, by_type)
    if by_type and isinstance(kind, ArrayKind) and not holds_types(known):
        return as_carried(kind, initial)
    return kind


def _itself(value: Any, *_: Any) -> Any:
    return value


def _narrowed(value: TracedArray, dtype: np.dtype[Any], number: type | None) -> Any:
    """A number as one of a type that it has not as it is carried."""
    trace = value._storage.trace
    kind = ArrayKind(replace(value.type, dtype=dtype), number, is_array=False)
    return array_of_value(trace, kind, cast(value, dtype)._value())

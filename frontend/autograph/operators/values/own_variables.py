"""The variables that the blocks of a statement share with the user's function around them, told by their cells.

What is recorded reaches variables of other functions, too, perhaps of the same names: a name alone says nothing. So
do attributes and entries, which are told by the way to what has them.
"""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from .program_locations import Attribute, Entry, ProgramLocation, Snapshot, Variable

Variables: TypeAlias = "dict[tuple[Any, ...], Variable]"
"""Variables by their keys."""

Way: TypeAlias = "tuple[type[Attribute] | type[Entry], str, int]"
"""What some places are, how that is called which has them, and how many that are called so were met before it."""


def own_variables(functions: Iterable[Callable[..., Any] | None]) -> Variables:
    """The variables that some functions have from around them, without those of functions that they call."""
    found: Variables = {}
    for function in functions:
        if isinstance(function, types.FunctionType) and function.__closure__:
            variables = map(Variable, function.__code__.co_freevars, function.__closure__)
            found.update((variable.key(), variable) for variable in variables)
    return found


def variables_named(names: str, functions: Iterable[Callable[..., Any] | None]) -> Variables:
    """The variables of some functions, as `own_variables`, that have one of the names."""
    if not names:
        return {}
    wanted = names.split()
    return {key: found for key, found in own_variables(functions).items() if found.name in wanted}


def ways_to(snapshot: Snapshot) -> Iterator[tuple[Way, Any, Any]]:
    """The objects, lists and dicts that were remembered, with what tells them apart and what they held.

    Those that are called the same are told by their order, in which a program that is recorded again meets them again.
    """
    count: Counter[str] = Counter()
    for kind, owners in (Attribute, snapshot.objects), (Entry, (*snapshot.lists, *snapshot.dicts)):
        for label, owner, held in owners:
            yield (kind, label, count[label]), owner, held
            count[label] += 1


def inner_places(
    remembered: Mapping[Way, Mapping[Any, Any]], snapshot: Snapshot
) -> Iterator[tuple[ProgramLocation, Any, Any]]:
    """The attributes and entries of what some ways lead to, with what they held and what is remembered of each."""
    for way, owner, held in ways_to(snapshot) if remembered else ():
        for key, known in remembered.get(way, {}).items():
            if key not in (held if isinstance(held, dict) else range(len(held))):
                continue
            kind, label, _ = way
            name = f"{label}[{key!r}]" if kind is Entry else f"{label}.{key}" if label else key
            place = Entry(name, owner, key) if kind is Entry else Attribute(name, owner, key)
            yield place, held[key], known

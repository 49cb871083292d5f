"""The variables that the blocks of a statement share with the user's function around them, told by their cells.

What is recorded reaches variables of other functions, too, perhaps of the same names: a name alone says nothing. So
do attributes and entries, which are told by the way to what has them.
"""

from __future__ import annotations

import dis
import types
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from ....source.code_table import remembered_by_code
from .program_locations import UNBOUND, Attribute, Entry, ProgramLocation, Snapshot, Variable

Variables: TypeAlias = "dict[tuple[Any, ...], Variable]"
"""Variables by their keys."""

Way: TypeAlias = "tuple[type[Attribute] | type[Entry], str, int]"
"""What some places are, how that is called which has them, and how many that are called so were met before it."""


def own_variables(functions: Iterable[Callable[..., Any] | None]) -> Variables:
    """The variables that some functions have from around them, without those of functions that they call."""
    found: Variables = {}
    for function in (
        within for outer in functions for within in (outer, getattr(outer, "__wrapped__", None))
    ):
        if isinstance(function, types.FunctionType) and function.__closure__:
            variables = map(Variable, function.__code__.co_freevars, function.__closure__)
            found.update((variable.key(), variable) for variable in variables)
    return found


@remembered_by_code
def assigned_variables(code: types.CodeType) -> frozenset[str]:
    """The variables of functions around it that some code, or a function in it, assigns."""
    names = {i.argval for i in dis.get_instructions(code) if i.opname == "STORE_DEREF"}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= assigned_variables(constant)
    return frozenset(names)


def labelled_variables(
    functions: Iterable[Callable[..., Any] | None], snapshot: Snapshot
) -> Iterator[tuple[str, Variable, Any]]:
    """All variables that were remembered, with what they held and what tells them apart.

    Those of the functions are told by their names, the others also by their order, as objects are by `ways_to`.
    """
    own, count = own_variables(functions), Counter[str]()
    for place, value in snapshot.variables():
        if place.key() in own:
            yield place.name, place, value
        else:
            yield f"{place.name}, {count[place.name]}", place, value
            count[place.name] += 1


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
    remembered: Mapping[Way, Mapping[Any, Any]], snapshot: Snapshot, with_absent: bool = False
) -> Iterator[tuple[ProgramLocation, Any, Any]]:
    """The attributes and entries of what some ways lead to, with what they held and what is remembered of each.

    With `with_absent` also the attributes that objects did not have then.
    """
    for way, owner, held in ways_to(snapshot) if remembered else ():
        for key, known in remembered.get(way, {}).items():
            kind, label, _ = way
            is_there = key in (held if isinstance(held, dict) else range(len(held)))
            if not is_there and not (with_absent and kind is Attribute):
                continue
            name = f"{label}[{key!r}]" if kind is Entry else f"{label}.{key}" if label else key
            place = Entry(name, owner, key) if kind is Entry else Attribute(name, owner, key)
            yield place, held[key] if is_there else UNBOUND, known

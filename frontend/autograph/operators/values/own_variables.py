"""The variables that the blocks of a statement share with the user's function around them, told by their cells.

What is recorded reaches variables of other functions, too, perhaps of the same names: a name alone says nothing. So
do attributes, which are told by the way to them where no other is called the same.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, TypeAlias

from .program_locations import Attribute, Snapshot, Variable

Variables: TypeAlias = "dict[tuple[Any, ...], Variable]"
"""Variables by their keys."""


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


def attributes_named(names: Collection[str], snapshot: Snapshot) -> Iterator[tuple[Attribute, Any]]:
    """The attributes of one of these names, with what they held: those whose name no other attribute has."""
    found: dict[str, list[tuple[Attribute, Any]]] = {}
    for label, owner, attributes in snapshot.objects if names else ():
        for key, value in attributes.items():
            name = f"{label}.{key}" if label else key
            if name in names:
                found.setdefault(name, []).append((Attribute(name, owner, key), value))
    return (places[0] for places in found.values() if len(places) == 1)

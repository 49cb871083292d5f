"""The generators whose states a compiled function reads and writes are locked while it runs, as in methods of NumPy."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ...dialect.bit_generators import owner_of
from ..guards.handles import State
from ..guards.inputs import Input
from ..signature.generators import GeneratorParts
from ..signature.signature import Leaf, Node, Structure

_REENTRANT = type(threading.RLock())


def states_among(structure: Structure, own: int, extra: Iterable[Any]) -> tuple[int, ...]:
    """The positions of states among the arrays of a call: `own` ones in its arguments, then the extra ones."""
    found = [
        own + number
        for number, one in enumerate(extra)
        if isinstance(one, Input) and isinstance(one.handle, State)
    ]
    return (*_states_in(structure), *found)


def _states_in(structure: Structure) -> Iterator[int]:
    if isinstance(structure, Node):
        if structure.kind is GeneratorParts:
            yield from (child.index for child in structure.children if isinstance(child, Leaf))
        else:
            for child in structure.children:
                yield from _states_in(child)


def acquired(states: Sequence[Any], calls_python: bool) -> list[Any]:
    """The locks of the generators that have some states, which are now held; in an order that all calls have.

    A lock that its own thread cannot take twice is left alone in a function that calls Python, which may draw, too.
    """
    owners = [owner_of(state) for state in states]
    locks = {owner.bit_generator.lock for owner in owners if owner is not None}
    held = [lock for lock in locks if not calls_python or isinstance(lock, _REENTRANT)]
    if len(held) > 1:
        held.sort(key=id)
    for lock in held:
        lock.acquire()
    return held

"""Iterables among the arguments whose items a loop fetches: constants at first, data once tracing meets such a loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from ..signature.feed_keys import FeedKey, FeedParts
from ..signature.feeds import FeedNeeded, feed_of, set_begins_again
from ..signature.signature import Leaf, Node, Static, Structure
from .known_specialisations import KnownSpecialisations
from .parameters import Arguments

Made = TypeVar("Made")
Place = tuple[int, ...]


class FedArguments:
    """What is known of the iterables among the arguments of one function."""

    def __init__(self, known: KnownSpecialisations) -> None:
        self._known = known
        self._places: set[Place] = set()
        """Where they are, by the numbers of the children in the structure of a call."""

    def specialized(self, arguments: Arguments, make: Callable[[Arguments], Made]) -> Made:
        """What is made for the arguments of a call, with its iterables as data."""
        while True:
            known = self._known
            before = known.traces, known.reason
            asking = set_begins_again(True)
            try:
                return make(self._taken(arguments) if self._places else arguments)
            except FeedNeeded as needed:
                known.traces, known.reason = before
                found = set(_places_of(arguments.structure, needed.value, ()))
                if found <= self._places:
                    raise  # an argument of a call around this one
                self._places |= found
            finally:
                set_begins_again(asking)

    def _taken(self, arguments: Arguments) -> Arguments:
        leaves, names = [*arguments.leaves], [*arguments.names]

        def taken(node: Structure, place: Place) -> Structure:
            if isinstance(node, Node):
                children = (taken(child, (*place, number)) for number, child in enumerate(node.children))
                return Node(node.kind, node.keys, tuple(children))
            if (
                place not in self._places
                or not isinstance(node, Static)
                or not hasattr(node.value, "__iter__")
            ):
                return node
            feed = feed_of(node.value)
            spec = feed.spec()
            if spec is None and not feed.is_at_end():
                return node
            leaves.append(np.array(feed.number))
            names.append(feed.name)
            constant = Static(FeedKey(node.value, spec), node.value)
            return Node(FeedParts, (), (constant, Leaf(len(leaves) - 1)))

        structure = taken(arguments.structure, ())
        return Arguments(structure, leaves, names, arguments.bound, arguments.numbers)


def _places_of(structure: Structure, value: object, place: Place) -> list[Place]:
    """Where a constant is in the structure of a call."""
    if isinstance(structure, Static):
        return [place] if structure.value is value else []
    if not isinstance(structure, Node):
        return []
    inside = [_places_of(child, value, (*place, number)) for number, child in enumerate(structure.children)]
    return [found for places in inside for found in places]

"""Python numbers among the arguments: constants at first, data from their second value on.

A number that takes another value is an argument of the compiled code from then on, of Python's weak type, so that two
compilations do for all values. Where tracing needs the value, for a shape or a key, the number stays a constant.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, TypeVar

import numpy as np

from ...dialect.records import NamedTuple
from ..guards.inputs import NUMBERS, may_change
from ..signature.signature import Leaf, Node, Static, Structure, child_path, is_alive, without_objects
from ..tracing.needed_numbers import NumberNeeded

Made = TypeVar("Made")

MOST_DATA = 1024
"""So many numbers of one call are data; those that change besides stay constants."""

MOST_TOLD = 8
"""So many of them are named where it is told what became of them."""

_DTYPES = {int: np.dtype(np.int64), float: np.dtype(np.float64), complex: np.dtype(np.complex128)}


class Arguments(NamedTuple):
    """The arguments of a call, taken apart."""

    structure: Structure
    leaves: list[Any]
    names: list[str]
    numbers: tuple[type, ...] = ()
    """The types of the Python numbers that are data: they are the last of the leaves."""


class _History:
    """What is known of the numbers in arguments of one structure, each known by its place among them."""

    def __init__(self) -> None:
        self.last: list[Static] = []
        """Those of the last call that had to compile."""
        self.data: tuple[int, ...] = ()
        self.needed: dict[int, str] = {}
        """The numbers that stay constants, with what needs their values."""


class CallNumbers:
    """The numbers among the arguments of one call."""

    def __init__(self, arguments: Arguments, found: list[tuple[str, Static]], history: _History) -> None:
        self._arguments = arguments
        self._found = found
        self._history = history

    def as_data(self) -> Arguments:
        """The arguments with the numbers that are data among the leaves; as they were where there are none."""
        arguments, chosen = self._arguments, self._history.data
        if not chosen:
            return arguments
        leaves = {place: Leaf(len(arguments.leaves) + index) for index, place in enumerate(chosen)}
        structure = _with_numbers(arguments.structure, lambda place, number: leaves.get(place, number))
        values = [self._found[place][1].value for place in chosen]
        return Arguments(
            structure,
            [*arguments.leaves, *(np.asarray(value, _DTYPES[type(value)]) for value in values)],
            [*arguments.names, *(self._found[place][0] for place in chosen)],
            tuple(map(type, values)),
        )

    def specialized(self, make: Callable[[Arguments], Made]) -> tuple[Made, Arguments]:
        """What is made for the arguments, with those numbers as data that are no constants, and these arguments."""
        while True:
            taken = self.as_data()
            try:
                return make(taken), taken
            except NumberNeeded as needed:
                self._keep(needed.numbers, needed.reason)
            except Exception:
                if not taken.numbers:
                    raise
                break
        made = make(self._arguments)  # raises again what has another reason
        self._keep(range(len(self._arguments.leaves), len(taken.leaves)), "tracing")
        return made, self._arguments

    def learn(self) -> str:
        """Make data of the numbers that changed since a call had to compile last; returns which, in words."""
        history = self._history
        before, history.last = history.last, [number for _, number in self._found]
        changed = [place for place, old in enumerate(before) if old != history.last[place]]
        data = [place for place in changed if place not in history.data and place not in history.needed]
        history.data = tuple(sorted((*history.data, *data[: MOST_DATA - len(history.data)])))
        told = [self._told(place, before[place]) for place in changed[:MOST_TOLD]]
        return "; ".join(
            [*told, f"and {len(changed) - MOST_TOLD} more"] if len(changed) > MOST_TOLD else told
        )

    def _told(self, place: int, before: Static) -> str:
        name, now = self._found[place]
        return f"argument {name!r} changed from {before.value!r} to {now.value!r}"

    def _keep(self, leaves: Collection[int], reason: str) -> None:
        """Let the numbers at some of the leaves be constants after all."""
        history, first = self._history, len(self._arguments.leaves)
        places = {place for index, place in enumerate(history.data) if first + index in leaves}
        history.data = tuple(place for place in history.data if place not in places)
        history.needed |= dict.fromkeys(places, reason)

    def fate(self) -> str:
        """Which of the numbers are data, and which are not and why, in words."""
        history = self._history
        told = []
        if history.data:
            told.append(f"{self._listed(history.data)} from now on data, read at each call")
        for reason in dict.fromkeys(history.needed.values()):
            places = [place for place, why in history.needed.items() if why == reason]
            told.append(f"{self._listed(places)} a constant, as {reason} needs the value")
        return "; ".join(told)

    def _listed(self, places: Collection[int]) -> str:
        names = [repr(self._found[place][0]) for place in list(places)[:MOST_TOLD]]
        more = f" and {len(places) - MOST_TOLD} more" if len(places) > MOST_TOLD else ""
        return f"{', '.join(names)}{more} {'is' if len(places) == 1 else 'are'}"


class ArgumentNumbers:
    """What is known of the numbers among the arguments of one function."""

    def __init__(self, parameter: Callable[[int], str]) -> None:
        self._parameter = parameter
        """The name of a positional argument."""
        self._histories: dict[Structure, _History] = {}

    def of(self, arguments: Arguments) -> CallNumbers | None:
        """The numbers among the arguments of a call; None where there are none."""
        found = list(self._numbers(arguments.structure))
        return CallNumbers(arguments, found, self._history(arguments.structure)) if found else None

    def expect(self, structure: Structure, numbers: Mapping[int, type]) -> None:
        """Take what is at some leaves of a structure, numbers of some types, for data from the first call on."""
        marks = {leaf: Static((number,), number()) for leaf, number in numbers.items()}
        marked = _with_leaves(structure, marks)
        places = {id(mark) for mark in marks.values()}
        found = enumerate(self._numbers(marked))
        self._history(marked).data = tuple(place for place, (_, node) in found if id(node) in places)

    def _history(self, structure: Structure) -> _History:
        """That of the numbers in arguments of a structure."""
        key = without_objects(_with_numbers(structure, lambda _, number: _KINDS[type(number.value)]))
        history = self._histories.get(key)
        if history is None:
            self._histories = {known: h for known, h in self._histories.items() if is_alive(known)}
            history = self._histories[key] = _History()
        return history

    def _numbers(self, structure: Structure) -> Iterator[tuple[str, Static]]:
        if isinstance(structure, Node):
            positional, named = structure.children
            for position, child in enumerate(positional.children):
                yield from _numbers_in(child, self._parameter(position))
            for name, child in zip(named.keys, named.children, strict=True):
                yield from _numbers_in(child, name)


_KINDS = {number: Static((number,), number) for number in NUMBERS}
"""What stands for numbers of a type."""


def _is_number(node: Structure) -> bool:
    return isinstance(node, Static) and type(node.value) in NUMBERS and may_change(node.value)


def _numbers_in(node: Structure, path: str) -> Iterator[tuple[str, Static]]:
    """The numbers with their paths, in order."""
    if isinstance(node, Static):
        if _is_number(node):
            yield path, node
    elif isinstance(node, Node):
        for index, child in enumerate(node.children):
            yield from _numbers_in(child, child_path(path, node.kind, node.keys, index))


def _with_numbers(structure: Structure, replacement: Callable[[int, Static], Structure]) -> Structure:
    """The structure with something else for each number, which is known by its place among them."""
    places = itertools.count()

    def replaced(node: Structure) -> Structure:
        if isinstance(node, Node):
            return Node(node.kind, node.keys, tuple(map(replaced, node.children)))
        return replacement(next(places), node) if isinstance(node, Static) and _is_number(node) else node

    return replaced(structure)


def _with_leaves(structure: Structure, replacements: Mapping[int, Structure]) -> Structure:
    """The structure with something else for some leaves."""
    if isinstance(structure, Leaf):
        return replacements.get(structure.index, structure)
    if isinstance(structure, Node):
        children = tuple(_with_leaves(child, replacements) for child in structure.children)
        return Node(structure.kind, structure.keys, children)
    return structure


__all__ = ["ArgumentNumbers", "Arguments", "CallNumbers"]

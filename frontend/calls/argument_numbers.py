"""Python numbers among the arguments: constants at first, data from their second value on.

A number that takes another value is an argument of the compiled code from then on, of Python's weak type, so that two
compilations do for all values. Where tracing needs the value, for a shape or a key, the number stays a constant: for a
length of an array or a list until its second change, from which on that is data, too, if tracing can do without it.
Many numbers in lists are data from the start, as one array (`signature/packed_numbers.py`).
"""

from __future__ import annotations

import itertools
import re
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np

from ...dialect.errors import InternalError, RetracingWarning
from ...dialect.records import NamedTuple
from ...dialect.shown_values import shown_value
from ..guards.inputs import NUMBERS, may_change
from ..signature.packed_numbers import DTYPES, PackedNumbers, form_of, is_packed
from ..signature.signature import (
    Leaf,
    Node,
    Static,
    Structure,
    child_path,
    is_alive,
    parts_of_call,
    without_objects,
)
from ..source.plain_items import examples
from ..tracing.needed_numbers import LengthNumber, NumberNeeded
from .parameters import Arguments

Made = TypeVar("Made")

MOST_DATA = 1024
"""So many numbers of one call are data; those that change besides stay constants."""

MOST_TOLD = 8
"""So many of them are named where it is told what became of them."""

MOST_ALONE = 4
"""So many of them begin a trace again at one place by themselves, before all that lie as they do stay constants."""

_CHANGES = 2
"""So often a number that is a length changes before it is data."""

Found: TypeAlias = "Static | Packed"
"""A number, or many that are data together."""


class Packed(NamedTuple):
    """The numbers of a list, and how they lie in it."""

    form: PackedNumbers
    node: Node

    def arrays(self) -> list[np.ndarray[Any, Any]]:
        """The arrays that hold them."""
        values, count = [number.value for number in _flat(self.node)], len(self.form.columns)
        return [np.array(values[i::count], DTYPES[kind]) for i, kind in enumerate(self.form.columns)]

    def with_leaves(self, first: int) -> Node:
        """What stands for the list where arrays hold its numbers."""
        leaves = tuple(Leaf(first + column) for column in range(len(self.form.columns)))
        return Node(PackedNumbers, (self.form,), leaves)


class _History:
    """What is known of the numbers in arguments of one structure, each known by its place among them."""

    def __init__(self) -> None:
        self.last: list[Found] = []
        """Those of the last call that had to compile."""
        self.data: tuple[int, ...] = ()
        self.needed: dict[int, str] = {}
        """The numbers that stay constants, with what needs their values."""
        self.lengths: Counter[int] = Counter()
        """Those of them that nothing but lengths is known to need; how often they have changed."""
        self.data_for_lengths: set[int] = set()
        """The numbers that are data even where they are lengths."""


class CallNumbers:
    """The numbers among the arguments of one call."""

    def __init__(self, arguments: Arguments, found: list[tuple[str, Found]], history: _History) -> None:
        self._arguments = arguments
        self._found = found
        self._history = history
        self._places: list[int] = []
        """For each leaf that holds numbers the place of these, as of when the arguments were taken last."""

    def as_data(self) -> Arguments:
        """The arguments with the numbers that are data among the leaves; as they were where there are none."""
        arguments = self._arguments
        if not self._history.data:
            return arguments
        leaves, names = [*arguments.leaves], [*arguments.names]
        nodes: dict[int, Structure] = {}
        self._places = []
        chosen = sorted(self._history.data, key=lambda place: isinstance(self._found[place][1], Static))
        for place in chosen:
            name, found = self._found[place]
            arrays = [_array_of(found.value)] if isinstance(found, Static) else found.arrays()
            nodes[place] = Leaf(len(leaves)) if isinstance(found, Static) else found.with_leaves(len(leaves))
            leaves += arrays
            names += [name] * len(arrays)
            self._places += [place] * len(arrays)
        numbers = [
            (place, found.value) for place in chosen if isinstance(found := self._found[place][1], Static)
        ]
        lengths = self._history.data_for_lengths
        types = tuple(LengthNumber if place in lengths else type(number) for place, number in numbers)
        structure = _with_numbers(
            arguments.structure,
            lambda place, found: nodes.get(place, found.node if isinstance(found, Packed) else found),
        )
        return Arguments(structure, leaves, names, arguments.bound, types)

    def specialized(self, make: Callable[[Arguments], Made]) -> tuple[Made, Arguments]:
        """What is made for the arguments, with those numbers as data that are no constants, and these arguments."""
        asked = Counter[str]()
        while True:
            taken = self.as_data()
            try:
                return make(taken), taken
            except NumberNeeded as needed:
                asked[needed.reason] += 1
                with_alike = asked[needed.reason] > MOST_ALONE
                self._keep(needed.numbers, needed.reason, with_alike, needed.is_length)
            except Exception as error:
                if LengthNumber in taken.numbers:
                    self._keep_lengths(str(error).partition("\n")[0])
                    continue
                if taken is self._arguments:
                    raise
                failure = str(error).splitlines()[0] if isinstance(error, InternalError) else ""
                break
        made = make(self._arguments)  # raises again what has another reason
        if failure:
            warnings.warn(
                "numbers among the arguments are constants of the compiled code, which is compiled again for others: "
                f"weft failed to compile them as data, which should not be; please report it ({failure})",
                RetracingWarning,
                stacklevel=2,
            )
        self._keep(range(len(self._arguments.leaves), len(taken.leaves)), "tracing")
        return made, self._arguments

    def learn(self, with_lengths: bool = True) -> str:
        """Make data of the numbers that changed since a call had to compile last; returns which, in words."""
        history = self._history
        before, history.last = history.last, [found for _, found in self._found]
        changed = [place for place, old in enumerate(before) if old != history.last[place]]
        history.lengths.update(place for place in changed if place in history.lengths)
        often = {place for place in changed if with_lengths and history.lengths[place] > _CHANGES}
        history.data_for_lengths |= often
        history.needed = {place: why for place, why in history.needed.items() if place not in often}
        data = [place for place in changed if place not in history.data and place not in history.needed]
        history.data = tuple(sorted((*history.data, *data[: MOST_DATA - len(history.data)])))
        changed = [place for place in changed if not (place in history.data and self._is_packed(place))]
        told = [self._told(place, before[place]) for place in changed[:MOST_TOLD]]
        return "; ".join(
            [*told, f"and {len(changed) - MOST_TOLD} more"] if len(changed) > MOST_TOLD else told
        )

    def _is_packed(self, place: int) -> bool:
        return isinstance(self._found[place][1], Packed)

    def _told(self, place: int, before: Found) -> str:
        name, now = self._found[place]
        if isinstance(before, Packed) or isinstance(now, Packed):
            return f"numbers of argument {name!r} changed"
        return f"argument {name!r} changed from {shown_value(before.value)} to {shown_value(now.value)}"

    def _keep_lengths(self, reason: str) -> None:
        """Let the numbers that were to be data for lengths, too, be constants, as tracing failed with them."""
        leaves = [
            len(self._arguments.leaves) + index
            for index, place in enumerate(self._places)
            if place in self._history.data_for_lengths
        ]
        self._keep(leaves, f"tracing ({reason})")

    def _keep(
        self, leaves: Collection[int], reason: str, with_alike: bool = False, is_length: bool = False
    ) -> None:
        """Let the numbers at some of the leaves be constants after all, or all in the rows of the same containers."""
        history, first = self._history, len(self._arguments.leaves)
        places = {place for index, place in enumerate(self._places) if first + index in leaves}
        if with_alike:
            kinds = {self._kind_of_place(place) for place in places}
            places |= {place for place in history.data if self._kind_of_place(place) in kinds}
        history.data = tuple(place for place in history.data if place not in places)
        history.needed |= dict.fromkeys(places, reason)
        history.data_for_lengths -= places
        for place in places:
            if is_length and not self._is_packed(place):
                history.lengths[place] = 1
            else:
                history.lengths.pop(place, None)

    def _kind_of_place(self, place: int) -> str:
        """The name of a number without the indices and keys in it."""
        return _INDEX.sub("[]", self._found[place][0])

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


_INDEX = re.compile(r"\[[^\]]*\]")


class ArgumentNumbers:
    """What is known of the numbers among the arguments of one function."""

    def __init__(self, parameter: Callable[[int], str]) -> None:
        self._parameter = parameter
        """The name of a positional argument."""
        self._histories: dict[Structure, _History] = {}

    def of(self, arguments: Arguments) -> CallNumbers | None:
        """The numbers among the arguments of a call; None where there are none."""
        found = list(self._numbers(arguments.structure))
        return CallNumbers(arguments, found, self._history(arguments.structure, found)) if found else None

    def expect(self, structure: Structure, numbers: Mapping[int, type]) -> None:
        """Take what is at some leaves of a structure, numbers of some types, for data from the first call on."""
        marks = {leaf: Static((number,), number()) for leaf, number in numbers.items()}
        marked = _with_leaves(structure, marks)
        places = {id(mark) for mark in marks.values()}
        found = list(self._numbers(marked))
        self._history(marked, found).data = tuple(
            place for place, (_, node) in enumerate(found) if isinstance(node, Packed) or id(node) in places
        )

    def _history(self, structure: Structure, found: list[tuple[str, Found]]) -> _History:
        """That of the numbers in arguments of a structure; those that are packed are data from the first call on."""
        key = without_objects(
            _with_numbers(
                structure,
                lambda _, found: (
                    found.with_leaves(0) if isinstance(found, Packed) else _KINDS[type(found.value)]
                ),
            )
        )
        history = self._histories.get(key)
        if history is None:
            self._histories = {known: h for known, h in self._histories.items() if is_alive(known)}
            history = self._histories[key] = _History()
            history.data = tuple(
                place for place, (_, number) in enumerate(found) if isinstance(number, Packed)
            )
        return history

    def _numbers(self, structure: Structure) -> Iterator[tuple[str, Found]]:
        if isinstance(structure, Node):
            positional, named = parts_of_call(structure)
            for position, child in enumerate(positional.children):
                yield from _numbers_in(child, self._parameter(position))
            for name, child in zip(named.keys, named.children, strict=True):
                yield from _numbers_in(child, name)


_KINDS = {number: Static((number,), number) for number in NUMBERS}
"""What stands for numbers of a type."""


def _is_number(node: Structure) -> bool:
    return isinstance(node, Static) and type(node.value) in NUMBERS and may_change(node.value)


def _array_of(number: Any) -> np.ndarray[Any, Any]:
    return np.asarray(number, DTYPES[type(number)])


def _form(node: Structure) -> Any:
    """A number, or how numbers lie in a container; None for anything else."""
    if isinstance(node, Static):
        return node.value if _is_number(node) else None
    if not isinstance(node, Node):
        return None
    children = node.children
    if {Static}.issuperset(
        map(type, children)
    ):  # a row of numbers, which may be long, or holds something else
        values = [child.value for child in children]
        are_numbers = {*NUMBERS}.issuperset(map(type, values)) and all(map(may_change, examples(values)))
        return form_of(node.kind, values) if are_numbers else None
    return form_of(node.kind, list(map(_form, children)))


def _found(node: Structure) -> Found | None:
    """What a number is, or a list of many; None for what may hold some."""
    if isinstance(node, Static):
        return node if _is_number(node) else None
    if not isinstance(node, Node):
        return None
    form = _form(node)
    return Packed(form, node) if form is not None and is_packed(form) else None


def _flat(node: Structure) -> Iterator[Static]:
    """The numbers of a list of lists."""
    if isinstance(node, Static):
        yield node
    elif isinstance(node, Node):
        if {*map(type, node.children)} == {Static}:  # thousands, in most lists
            yield from cast("tuple[Static, ...]", node.children)
            return
        for child in node.children:
            yield from _flat(child)


def _numbers_in(node: Structure, path: str) -> Iterator[tuple[str, Found]]:
    """The numbers with their paths, in order."""
    found = _found(node)
    if found is not None:
        yield path, found
    elif isinstance(node, Node):
        for index, child in enumerate(node.children):
            yield from _numbers_in(child, child_path(path, node.kind, node.keys, index))


def _with_numbers(structure: Structure, replacement: Callable[[int, Found], Structure]) -> Structure:
    """The structure with something else for each number, or list of many, which is known by its place among them."""
    places = itertools.count()

    def inside(node: Structure) -> Structure:
        if not isinstance(node, Node):
            return node
        return Node(node.kind, node.keys, tuple(map(replaced, node.children)))

    def replaced(node: Structure) -> Structure:
        found = _found(node)
        return inside(node) if found is None else replacement(next(places), found)

    positional, named = parts_of_call(structure)
    return Node(tuple, (), (inside(positional), inside(named)))


def _with_leaves(structure: Structure, replacements: Mapping[int, Structure]) -> Structure:
    """The structure with something else for some leaves."""
    if isinstance(structure, Leaf):
        return replacements.get(structure.index, structure)
    if isinstance(structure, Node):
        children = tuple(_with_leaves(child, replacements) for child in structure.children)
        return Node(structure.kind, structure.keys, children)
    return structure

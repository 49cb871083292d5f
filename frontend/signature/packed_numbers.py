"""Long lists of numbers among the arguments: the numbers of one are the elements of an array, which is data.

What is packed is a list or tuple of numbers of one type, of such lists of one length, or of tuples that each have a
number of the same type at the same place, as the edges of a graph have.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from ...dialect.records import NamedTuple

LEAST = 256
"""So many numbers are packed, fewer are arguments of their own."""

MOST_COLUMNS = 8
"""So many numbers of several types are in a tuple that is packed."""

DTYPES = {int: np.dtype(np.int64), float: np.dtype(np.float64), complex: np.dtype(np.complex128)}
"""The dtypes of arrays that hold Python's numbers."""

_PACKED = (int, float)

Level: TypeAlias = "tuple[Any, int]"
"""The class of a container, and how many entries it has."""


class PackedNumbers(NamedTuple):
    """How numbers lie in containers: each entry of a level is a container of the next one."""

    levels: tuple[Level, ...]
    columns: tuple[type, ...]
    """The types of the numbers: one, or for each place in the tuples of the last level its own."""

    @property
    def numbers(self) -> int:
        """How many numbers there are."""
        count = 1
        for _, length in self.levels:
            count *= length
        return count

    @property
    def size(self) -> int:
        """How many numbers there are of each column."""
        return self.numbers // len(self.columns)

    def around(self, kind: type, length: int) -> PackedNumbers:
        """How they lie in a container of such containers."""
        return PackedNumbers(((kind, length), *self.levels), self.columns)

    def packed(self, value: Any, column: int) -> np.ndarray[Any, Any] | None:
        """The numbers of a column; None where a value does not hold such numbers in such containers."""
        numbers: list[Any] = [value]
        for kind, length in self.levels:
            if {*map(type, numbers)} != {kind} or {*map(len, numbers)} != {length}:
                return None
            numbers = list(chain.from_iterable(numbers))
        numbers, number_type = numbers[column :: len(self.columns)], self.columns[column]
        if {*map(type, numbers)} != {number_type}:
            return None
        try:
            return np.array(numbers, DTYPES[number_type])
        except OverflowError:
            return None

    def levels_of(self, column: int) -> list[tuple[type, int, int]]:
        """The levels, with the entry of each that belongs to a column, -1 where all do."""
        levels = [(kind, length, -1) for kind, length in self.levels]
        if len(self.columns) > 1:
            levels[-1] = (*levels[-1][:2], column)
        return levels

    def unpacked(self, columns: Sequence[Sequence[Any]]) -> Any:
        """The containers again, with other things in the places of the numbers of each column."""
        entries: list[Any] = [entry for row in zip(*columns, strict=True) for entry in row]
        for kind, length in reversed(self.levels):
            entries = [kind(entries[first : first + length]) for first in range(0, len(entries), length)]
        return entries[0]

    def __str__(self) -> str:
        kinds = "".join(f"{kind.__name__} of {length} " for kind, length in self.levels)
        return f"{kinds}{', '.join(number.__name__ for number in self.columns)}"


def form_of(kind: Any, entries: Sequence[Any]) -> PackedNumbers | None:
    """How numbers lie in a container of a class; an entry is a number, or how they lie in it, or something else."""
    if kind not in (list, tuple) or not entries:
        return None
    first, length = entries[0], len(entries)
    if isinstance(first, PackedNumbers):
        return first.around(kind, length) if all(entry == first for entry in entries) else None
    types = tuple(map(type, entries))
    if not all(number in _PACKED for number in types):
        return None
    if len(set(types)) == 1:
        return PackedNumbers(((kind, length),), types[:1])
    return PackedNumbers(((kind, length),), types) if kind is tuple and length <= MOST_COLUMNS else None


def is_packed(form: PackedNumbers) -> bool:
    """Whether so many numbers lie in containers that they are packed."""
    return form.numbers >= LEAST

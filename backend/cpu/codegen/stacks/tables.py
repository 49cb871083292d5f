"""Matrices in scratch memory, an entry of several matrices as one vector."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from .....dialect.mlir import Value, ir
from .....dialect.records import dataclass
from ....functions.number import Number
from ....nests.emit import Emitter, Index, create
from .entries import Entry


@dataclass(frozen=True)
class Memory:
    """Half of the scratch memory."""

    emitter: Emitter
    memory: Value
    """Vectors, along the second of three axes."""
    half: Value

    @property
    def type(self) -> ir.VectorType:
        """That of a vector."""
        shape, element = self.memory.type.shape, self.memory.type.element_type
        return ir.VectorType.get([shape[2]], element)

    def load(self, place: Index) -> Number:
        """The vector at a place."""
        return Number(create("vector.load", [self.type], [self.memory, *self._indices(place)]))

    def store(self, number: Number, place: Index) -> None:
        """Write the vector at a place."""
        create("vector.store", [], [number.value, self.memory, *self._indices(place)])

    def other(self) -> Memory:
        """The other half."""
        return Memory(self.emitter, self.memory, self.emitter.value(self.emitter.subtract(1, self.half)))

    def _indices(self, place: Index) -> list[Value]:
        return [self.half, self.emitter.value(place), self.emitter.value(0)]


@dataclass(frozen=True)
class Table:
    """A matrix in memory, row after row from a place on."""

    memory: Memory
    columns: int
    parts: int
    """One for real entries, two for complex ones."""
    start: int = 0

    def load(self, row: int, column: int) -> Entry:
        """An entry."""
        first = self._place(row, column)
        return Entry(*(self.memory.load(first + part) for part in range(self.parts)))

    def store(self, entry: Entry, row: int, column: int) -> None:
        """Write an entry."""
        for part, number in enumerate(entry.parts):
            self.memory.store(number, self._place(row, column) + part)

    def load_real(self, row: int, column: int) -> Number:
        """The real part of an entry."""
        return self.memory.load(self._place(row, column))

    def store_real(self, number: Number, row: int, column: int) -> None:
        """Write the real part of an entry."""
        self.memory.store(number, self._place(row, column))

    def column(self, number: int, rows: int, first: int = 0) -> list[Entry]:
        """So many entries of a column, from a row on."""
        return [self.load(row, number) for row in range(first, first + rows)]

    def fill(self, rows: Sequence[Sequence[Entry]]) -> None:
        """Write a matrix."""
        for row, entries in enumerate(rows):
            for column, entry in enumerate(entries):
                self.store(entry, row, column)

    @contextmanager
    def each_row(self, rows: int) -> Iterator[list[list[Index]]]:
        """A loop over so many rows; yields the places of the parts of the entries of one."""
        emitter, width = self.memory.emitter, self.columns * self.parts
        with emitter.loop(rows, unroll=False) as row:
            first = emitter.add(emitter.multiply(row, width), self.start)
            places = [emitter.add(first, place) for place in range(width)]
            yield [places[place : place + self.parts] for place in range(0, width, self.parts)]

    def _place(self, row: int, column: int) -> int:
        return self.start + (row * self.columns + column) * self.parts

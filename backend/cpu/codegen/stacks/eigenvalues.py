"""Eigenvalues of small Hermitian matrices in the lanes of vectors, by Jacobi's method (see rotations.py).

Both sides of a matrix are rotated until what is off its diagonal is below a rounding error of the whole: the diagonal
has the eigenvalues then, and the product of the rotations the eigenvectors. Errors are those of LAPACK's solvers, or
smaller (Demmel and Veselić 1992).
"""

from __future__ import annotations

from .....dialect.mlir import Value
from .....dialect.records import dataclass
from ....functions.number import Number, all_of
from ....nests.emit import Emitter
from .entries import Entry, Matrix, identity, sum_of, sum_of_squares
from .exchanges import sort_columns, sort_keys
from .rotations import Iteration, Rotation, Unrest, neighbours, next_places, rotate_rows
from .scales import Scale
from .tables import Memory, Table

_SETTLED = 2.0**-108
"""The square of a quarter of a rounding error."""


@dataclass
class Eigenvalues:
    """Eigenvalues in ascending order, the columns that belong to them, and where they may be relied on."""

    values: list[Number]
    vectors: Matrix
    reliable: Value


def eigenvalues(emitter: Emitter, triangle: Matrix, vectors: bool) -> Eigenvalues:
    """Those of matrices by their upper triangles; the diagonal is real."""
    extent = len(triangle)
    places = [(row, column) for row in range(extent) for column in range(row + 1, extent)]
    diagonal = [triangle[place][place].real for place in range(extent)]
    upper = {(row, column): triangle[row][column] for row, column in places}
    sizes = [entry.size() for entry in upper.values()]
    scale = Scale.of(sum_of([abs(number) for number in diagonal] + sizes))
    diagonal = [number * scale.factor for number in diagonal]
    upper = {place: entry.times(scale.factor) for place, entry in upper.items()}
    off = sum_of_squares(list(upper.values()))
    part = 1.0 / (sum_of_squares([Entry(number) for number in diagonal]) + off)
    hermitian = _Hermitian(extent, len(triangle[0][0].parts), vectors, part)

    def fill(memory: Memory) -> None:
        table = hermitian.matrix(memory)
        for place, number in enumerate(diagonal):
            table.store_real(number, place, place)
        for (row, column), entry in upper.items():
            table.store(entry, row, column)
        if vectors:
            hermitian.vectors(memory).fill(identity(extent, triangle[0][0]))

    iteration = Iteration(emitter, extent, hermitian.numbers, fill, hermitian.rotate, _SETTLED)
    memory, settled = iteration.run(off.type)
    table = hermitian.matrix(memory)
    values = [table.load_real(place, place) for place in range(extent)]
    swaps = sort_keys(values)
    values, reliable = [value * scale.back for value in values], all_of(scale.reliable, settled)
    if not vectors:
        return Eigenvalues(values, [], reliable)
    columns = hermitian.vectors(memory)
    sort_columns(columns, extent, swaps)
    found = [[columns.load(row, column) for column in range(extent)] for row in range(extent)]
    return Eigenvalues(values, found, reliable)


@dataclass(frozen=True)
class _Hermitian:
    """Matrices of numbers of size 1 and below in memory, behind them their eigenvectors where these are wanted."""

    extent: int
    parts: int
    has_vectors: bool
    part: Number
    """What the square of 1 is of the squares of all numbers."""

    @property
    def numbers(self) -> int:
        """How many numbers they are."""
        return (2 if self.has_vectors else 1) * self.extent**2 * self.parts

    def matrix(self, memory: Memory) -> Table:
        """The matrix, of which the upper triangle is used."""
        return Table(memory, self.extent, self.parts)

    def vectors(self, memory: Memory) -> Table:
        """The eigenvectors."""
        return Table(memory, self.extent, self.parts, start=self.extent**2 * self.parts)

    def rotate(self, source: Memory, target: Memory, weight: Number, unrest: Unrest) -> Unrest:
        """A round of rotations."""
        old, new = self.matrix(source), self.matrix(target)
        to, turns = next_places(self.extent), {}
        for p, q in neighbours(self.extent):
            first, second, between = old.load_real(p, p), old.load_real(q, q), old.load(p, q)
            turns[p] = turn = Rotation.of(first, second, between, weight)
            unrest = unrest.joined(between.square() * self.part, turn.square)
            new.store_real(first - turn.shift, to[p], to[p])
            new.store_real(second + turn.shift, to[q], to[q])
            _store(new, between.constant(0.0), to[p], to[q])
        if self.extent % 2:
            new.store_real(old.load_real(0, 0), to[0], to[0])
        for p, turn in turns.items():
            if self.extent % 2:
                ((one, other),) = turn.columns([(old.load(0, p), old.load(0, p + 1))])
                _store(new, one, to[0], to[p])
                _store(new, other, to[0], to[p + 1])
            for u in turns:
                if p < u:
                    _rotate_block(old, new, (p, u), (turn, turns[u]))
        if self.has_vectors:
            rotate_rows(self.vectors(source), self.vectors(target), self.extent, turns)
        return unrest


def _rotate_block(old: Table, new: Table, corner: tuple[int, int], turns: tuple[Rotation, Rotation]) -> None:
    """Rotate two rows and two columns off the diagonal."""
    (p, u), (of_rows, of_columns), to = corner, turns, next_places(old.columns)
    upper, lower = of_columns.columns([(old.load(row, u), old.load(row, u + 1)) for row in (p, p + 1)])
    for column, entries in enumerate(of_rows.rows(list(zip(upper, lower, strict=True))), u):
        for row, entry in enumerate(entries, p):
            _store(new, entry, to[row], to[column])


def _store(table: Table, entry: Entry, row: int, column: int) -> None:
    """Write an entry of the upper triangle, or that of the lower one on its other side."""
    if row < column:
        table.store(entry, row, column)
    else:
        table.store(entry.conjugate(), column, row)

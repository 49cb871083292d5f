"""Singular values of small matrices in the lanes of vectors, by Jacobi's method on one side (Hestenes 1958).

The columns of a matrix are rotated until they are orthogonal: A V = U S. Their lengths are the singular values, which
have small relative errors (Demmel and Veselić 1992). Householder's reflections of the columns in descending order make
U of them, so that it is orthonormal, and complete, where lengths are zero or nearly so.
"""

from __future__ import annotations

from .....dialect.mlir import Value
from .....dialect.records import dataclass
from ....functions.number import Number, all_of
from ....nests.emit import Emitter
from .entries import Matrix, adjoint, identity, inner_product, sum_of, sum_of_squares
from .exchanges import sort_columns, sort_keys
from .reflections import reflected
from .rotations import Iteration, Rotation, Unrest, neighbours, rotate_rows
from .scales import Scale
from .tables import Memory, Table

_SETTLED = 2.0**-100
"""The square of the cosine of an angle that is a right one to rounding."""
_ROUNDING = 2.0**-104
"""The square of the length of columns that are rounding errors, beside one of length 1."""


@dataclass
class Decomposition:
    """Singular values in descending order, what is on both sides of them, and where they may be relied on."""

    left: Matrix
    values: list[Number]
    right: Matrix
    """The adjoint of the vectors on the right."""
    reliable: Value


def singular_values(emitter: Emitter, matrix: Matrix) -> tuple[list[Number], Value]:
    """The singular values alone, in descending order, and where they may be relied on."""
    settled = _settled(emitter, _tall(matrix), vectors=False)
    return settled.values, settled.reliable


def decomposition(emitter: Emitter, matrix: Matrix, full: bool) -> Decomposition:
    """Singular values and vectors, as many as the larger extent where they are full."""
    tall = _tall(matrix)
    settled = _settled(emitter, tall, vectors=True)
    reflections, count = reflected(settled.columns), len(settled.values)
    one = settled.values[0].constant(1.0)
    signs = [one.with_sign_of(reflections.factors[place][place].real) for place in range(count)]
    left = [
        [entry.times(sign) for entry, sign in zip(row, signs, strict=False)] + row[count:]
        for row in reflections.basis(len(tall) if full else count)
    ]
    if tall is matrix:
        return Decomposition(left, settled.values, adjoint(settled.vectors), settled.reliable)
    return Decomposition(settled.vectors, settled.values, adjoint(left), settled.reliable)


def _tall(matrix: Matrix) -> Matrix:
    """A matrix, or its adjoint, with at least as many rows as columns."""
    return matrix if len(matrix) >= len(matrix[0]) else adjoint(matrix)


@dataclass
class _Settled:
    """Orthogonal columns, their lengths, which are those of the matrix before it was scaled, and what made them."""

    columns: Matrix
    values: list[Number]
    vectors: Matrix
    reliable: Value


def _settled(emitter: Emitter, matrix: Matrix, vectors: bool) -> _Settled:
    """Make the columns of matrices orthogonal, the longest one first."""
    scale = Scale.of(sum_of([entry.size() for row in matrix for entry in row]))
    scaled = [[entry.times(scale.factor) for entry in row] for row in matrix]
    total = sum_of_squares([entry for row in scaled for entry in row])
    rows, extent = len(matrix), len(matrix[0])
    unit = identity(extent, matrix[0][0]) if vectors else []
    columns = _Columns(rows, len(unit), extent, len(matrix[0][0].parts), total * _ROUNDING)
    if extent == 1:
        return _Settled(scaled, [total.sqrt() * scale.back], unit, scale.reliable)
    iteration = Iteration(
        emitter,
        extent,
        (rows + len(unit)) * extent * columns.parts,
        lambda memory: columns.table(memory).fill(scaled + unit),
        columns.rotate,
        _SETTLED,
    )
    memory, settled = iteration.run(total.type)
    table = columns.table(memory)
    squares = [sum_of_squares(table.column(number, rows)) for number in range(extent)]
    swaps = sort_keys(squares, descending=True)
    values = [square.sqrt() * scale.back for square in squares]
    found: Matrix = []
    if vectors:
        sort_columns(table, rows + extent, swaps)
        found = [[table.load(row, number) for number in range(extent)] for row in range(rows + extent)]
    return _Settled(found[:rows], values, found[rows:], all_of(scale.reliable, settled))


@dataclass(frozen=True)
class _Columns:
    """Matrices of numbers of size 1 and below in memory, and below of them the vectors that are rotated with them."""

    rows: int
    vectors: int
    extent: int
    parts: int
    least: Number
    """The square of the length of rounding errors."""

    def table(self, memory: Memory) -> Table:
        """Both, as one matrix."""
        return Table(memory, self.extent, self.parts)

    def rotate(self, source: Memory, target: Memory, weight: Number, unrest: Unrest) -> Unrest:
        """A round of rotations."""
        old, turns = self.table(source), {}
        for p, q in neighbours(self.extent):
            one, other = (old.column(number, self.rows) for number in (p, q))
            first, second, between = sum_of_squares(one), sum_of_squares(other), inner_product(one, other)
            turns[p] = turn = Rotation.of(first, second, between, weight)
            whole = first.times_plus(second, (first + second) * self.least)
            unrest = unrest.joined(between.square() / (whole + _SMALLEST), turn.square)
        rotate_rows(old, self.table(target), self.rows + self.vectors, turns)
        return unrest


_SMALLEST = 2.0**-1000

"""Small systems of equations in the lanes of vectors: triangular factors, all loops over rows and columns unrolled.

Each comes with a condition that holds in the lanes where the result may be relied on. It does not for matrices that are
singular, or not positive definite, to rounding, for entries that are not finite, and for those of extreme sizes: that a
pivot is zero in exact arithmetic means that it is no larger than a rounding error of its column.
"""

from __future__ import annotations

from functools import reduce

from .....dialect.mlir import Value
from .....dialect.records import dataclass
from ....functions.number import Integer, Number, all_of, any_of
from .entries import Entry, Matrix, sum_of

_ROUNDING = 2.0**-40
"""Of a column: a thousand times the errors of elimination in matrices of eight rows."""
_SMALLEST, _LARGEST = 2.0**-100, 2.0**100
"""Products of eight pivots between these are far from the ends of double precision."""
_FINITE = 2.0**1000


@dataclass
class Elimination:
    """What is left of equations: an upper triangle, and the right-hand sides that belong to it."""

    upper: Matrix
    reciprocals: list[Entry]
    """Of the pivots."""
    right: Matrix
    is_odd: Value | None
    """Whether an odd number of rows were exchanged."""
    reliable: Value

    def solutions(self) -> Matrix:
        """The solutions of the equations, by substitution from the last one."""
        found: Matrix = []
        for number in reversed(range(len(self.upper))):
            row = self.right[number]
            for factor, known in zip(self.upper[number][number + 1 :], found, strict=True):
                row = [entry.minus_product(factor, x) for entry, x in zip(row, known, strict=True)]
            found.insert(0, [entry * self.reciprocals[number] for entry in row])
        return found

    def determinant(self) -> Entry:
        """The product of the pivots."""
        product = reduce(lambda x, y: x * y, (row[number] for number, row in enumerate(self.upper)))
        if self.is_odd is None:
            return product
        return Entry.of_parts(*((-part).where(self.is_odd, part) for part in product.parts))


def eliminated(matrix: Matrix, right: Matrix) -> Elimination:
    """Eliminate below the diagonal; the pivot is the largest entry of its column, the first of equal ones."""
    extent = len(matrix)
    rows = [[*row, *sides] for row, sides in zip(matrix, right, strict=True)]
    conditions = [_are_finite(right)] if right[0] else []
    is_odd: Value | None = None
    reciprocals: list[Entry] = []
    scales = [sum_of([row[column].size() for row in matrix]) for column in range(extent)]
    for step, scale in enumerate(scales):
        size, exchanged = _exchange(rows, step)
        if exchanged is not None:
            is_odd = exchanged if is_odd is None else (Integer(is_odd) ^ Integer(exchanged)).value
        conditions.append(_is_pivot(size, scale))
        reciprocals.append(rows[step][step].reciprocal())
        for row in rows[step + 1 :]:
            factor = row[step] * reciprocals[step]
            row[step + 1 :] = [
                entry.minus_product(factor, pivot)
                for entry, pivot in zip(row[step + 1 :], rows[step][step + 1 :], strict=True)
            ]
    upper, changed = [row[:extent] for row in rows], [row[extent:] for row in rows]
    return Elimination(upper, reciprocals, changed, is_odd, all_of(*conditions))


def _exchange(rows: Matrix, step: int) -> tuple[Number, Value | None]:
    """Exchange a row with that of the pivot; the size of this, and in which lanes it is another row."""
    size, larger = rows[step][step].size(), []
    for row in rows[step + 1 :]:
        other = row[step].size()
        larger.append(other.compare(">", size))
        size = other.where(larger[-1], size)
    if not larger:
        return size, None
    pivot = rows[step][step:]
    for condition, row in zip(larger, rows[step + 1 :], strict=True):
        pivot = [entry.where(condition, other) for entry, other in zip(row[step:], pivot, strict=True)]
    later = larger[-1]
    chosen = [later]
    for condition in reversed(larger[:-1]):
        chosen.insert(0, all_of(condition, (Integer(later) ^ 1).value))
        later = any_of(condition, later)
    for condition, row in zip(chosen, rows[step + 1 :], strict=True):
        row[step:] = [
            old.where(condition, own) for old, own in zip(rows[step][step:], row[step:], strict=True)
        ]
    rows[step][step:] = pivot
    return size, later


def _is_pivot(size: Number, scale: Number) -> Value:
    """Whether a pivot is more than a rounding error of its column, and both are of usual sizes."""
    return all_of(
        size.compare(">", scale * _ROUNDING), size.compare(">", _SMALLEST), scale.compare("<", _LARGEST)
    )


def _are_finite(matrix: Matrix) -> Value:
    return sum_of([entry.size() for row in matrix for entry in row]).compare("<", _FINITE)


def cholesky_factor(matrix: Matrix) -> tuple[Matrix, Value]:
    """The lower triangular factor of Hermitian matrices, by their lower triangle; and where it may be relied on."""
    factor: Matrix = []
    reciprocals: list[Number] = []
    conditions: list[Value] = []
    zero = matrix[0][0].constant(0.0)
    for number, given in enumerate(matrix):
        row: list[Entry] = []
        for column in range(number):
            entry = given[column]
            for x, y in zip(row, factor[column], strict=False):
                entry = entry.minus_product(x, y.conjugate())
            row.append(entry.times(reciprocals[column]))
        square = given[number].real
        for entry in row:
            for part in entry.parts:
                square = (-part).times_plus(part, square)
        conditions.append(_is_pivot(square, abs(given[number].real)))
        root = square.sqrt()
        reciprocals.append(1.0 / root)
        diagonal = Entry.of_parts(root, *zero.parts[1:])
        factor.append([*row, diagonal])
    extent = len(matrix)
    return [[*row, *[zero] * (extent - len(row))] for row in factor], all_of(*conditions)

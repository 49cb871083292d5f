"""Orthonormal factors of small matrices in the lanes of vectors: Householder's reflections, as LAPACK's.

A reflection I - t v vᴴ, where the first entry of v is 1, turns a column into a multiple of the first unit vector
(Golub and Van Loan, Matrix Computations, section 5.2), with the signs of LAPACK's geqr2 and larfg. What follows the
1 in v is kept in the place of what it makes zero.
"""

from __future__ import annotations

from collections.abc import Sequence

from .....dialect.mlir import Value
from .....dialect.records import dataclass
from ....functions.number import Number, all_of, any_of
from .entries import Entry, Matrix, inner_product, sum_of

_NEGLIGIBLE = 2.0**-900
"""Squares of smaller numbers have lost digits, or all of them."""
_LARGEST = 2.0**900


@dataclass
class Reflections:
    """An upper triangle, reflections below of it, and the scales t of these."""

    factors: Matrix
    scales: list[Entry]
    reliable: Value
    """Where no column was so small or large that its squares are not."""

    def basis(self, columns: int) -> Matrix:
        """So many of the first columns of the product of the reflections."""
        first = self.factors[0][0]
        rows = range(len(self.factors))
        found = [[first.constant(float(row == column)) for column in range(columns)] for row in rows]
        for step in reversed(range(len(self.scales))):
            scale, below = -self.scales[step], _below(self.factors, step)
            own = found[step + 1 :]
            for column in range(step + 1, columns):
                if own:
                    weight = scale * inner_product(below, [row[column] for row in own])
                    found[step][column] = weight
                    for entry, row in zip(below, own, strict=True):
                        row[column] = row[column].plus_product(entry, weight)
            found[step][step] = first.constant(1.0) + scale
            for entry, row in zip(below, own, strict=True):
                row[step] = entry * scale
        return found


def reflected(matrix: Matrix) -> Reflections:
    """Turn matrices into upper triangles."""
    rows = [list(row) for row in matrix]
    scales: list[Entry] = []
    conditions: list[Value] = []
    for step in range(min(len(rows), len(rows[0]))):
        corner, below = rows[step][step], _below(rows, step)
        hidden = [part * part for part in corner.parts[1:]] + [entry.square() for entry in below]
        if not hidden:
            scales.append(corner.constant(0.0))
            continue
        rest = sum_of(hidden)
        is_zero = rest.compare("<", _NEGLIGIBLE)
        square = corner.real.times_plus(corner.real, rest)
        conditions += _are_usual(corner, below, rest, square)
        diagonal = Entry.of_parts(-square.sqrt().with_sign_of(corner.real), *_zeros(corner))
        shortened = corner + -diagonal
        zero = corner.constant(0.0)
        scale = zero.where(is_zero, -shortened.times(1.0 / diagonal.real))
        factor = zero.where(is_zero, shortened.reciprocal())
        below = [entry * factor for entry in below]
        rows[step][step] = corner.where(is_zero, diagonal)
        for row, entry in zip(rows[step + 1 :], below, strict=True):
            row[step] = entry
        _reflect(rows[step:], step + 1, below, scale.conjugate())
        scales.append(scale)
    always = rows[0][0].real.compare("==", rows[0][0].real)  # but for NaN
    return Reflections(rows, scales, all_of(always, *conditions))


def _are_usual(corner: Entry, below: Sequence[Entry], rest: Number, square: Number) -> list[Value]:
    """Whether squares have all digits: those of nothing but zeros have, too."""
    sizes = sum_of([abs(part) for part in corner.parts[1:]] + [entry.size() for entry in below])
    is_usual = any_of(rest.compare(">=", _NEGLIGIBLE), sizes.compare("==", 0.0))
    return [is_usual, square.compare("<", _LARGEST)]


def _reflect(rows: Matrix, first: int, below: Sequence[Entry], scale: Entry) -> None:
    """Apply a reflection to the columns of rows from one on."""
    top, *others = rows
    for column in range(first, len(top)):
        along = top[column]
        if others:
            along = along + inner_product(below, [row[column] for row in others])
        weight = -(scale * along)
        top[column] = top[column] + weight
        for row, entry in zip(others, below, strict=True):
            row[column] = row[column].plus_product(entry, weight)


def _below(rows: Matrix, step: int) -> list[Entry]:
    """The entries below one of the diagonal."""
    return [row[step] for row in rows[step + 1 :]]


def _zeros(entry: Entry) -> list[Number]:
    """The imaginary part of a real number among entries of a kind."""
    return [part.constant(0.0) for part in entry.parts[1:]]

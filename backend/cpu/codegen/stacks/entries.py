"""Entries of matrices, real or complex, in the lanes of vectors: the arithmetic of elimination."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from .....dialect.mlir import Value
from .....dialect.records import dataclass
from ....functions.number import Number


@dataclass(frozen=True)
class Entry:
    """A number of each lane's matrix."""

    real: Number
    imaginary: Number | None = None

    def plus_product(self, x: Entry, y: Entry) -> Entry:
        """self + x * y."""
        real = x.real.times_plus(y.real, self.real)
        if self.imaginary is None or x.imaginary is None or y.imaginary is None:
            return Entry(real)
        imaginary = x.real.times_plus(y.imaginary, self.imaginary)
        return Entry((-x.imaginary).times_plus(y.imaginary, real), x.imaginary.times_plus(y.real, imaginary))

    def minus_product(self, x: Entry, y: Entry) -> Entry:
        """self - x * y."""
        return self.plus_product(-x, y)

    def __neg__(self) -> Entry:
        return self.of_parts(*(-part for part in self.parts))

    def __add__(self, other: Entry) -> Entry:
        pairs = zip(self.parts, other.parts, strict=True)
        return self.of_parts(*(one + another for one, another in pairs))

    def __mul__(self, other: Entry) -> Entry:
        if self.imaginary is None or other.imaginary is None:
            return Entry(self.real * other.real)
        return Entry(
            (-self.imaginary).times_plus(other.imaginary, self.real * other.real),
            self.imaginary.times_plus(other.real, self.real * other.imaginary),
        )

    def times(self, factor: Number) -> Entry:
        """The product with a real number."""
        return self.of_parts(*(part * factor for part in self.parts))

    def reciprocal(self) -> Entry:
        """1 / self, where the square of the size is neither too large nor too small."""
        if self.imaginary is None:
            return Entry(1.0 / self.real)
        factor = 1.0 / self.square()
        return Entry(self.real * factor, -self.imaginary * factor)

    def conjugate(self) -> Entry:
        """The complex conjugate."""
        return self if self.imaginary is None else Entry(self.real, -self.imaginary)

    def square(self) -> Number:
        """The square of the absolute value."""
        squared = self.real * self.real
        return squared if self.imaginary is None else self.imaginary.times_plus(self.imaginary, squared)

    def size(self) -> Number:
        """The absolute value, of complex numbers the sum of those of the parts, by which LAPACK chooses pivots."""
        return abs(self.real) if self.imaginary is None else abs(self.real) + abs(self.imaginary)

    def absolute(self) -> Number:
        """The absolute value, where its square is neither too large nor too small."""
        return abs(self.real) if self.imaginary is None else self.square().sqrt()

    def direction(self) -> Entry:
        """The number of size 1 with the same sign or angle."""
        if self.imaginary is None:
            return Entry(self.real.constant(1.0).with_sign_of(self.real))
        return self.times(1.0 / self.absolute())

    def where(self, condition: Value, otherwise: Entry) -> Entry:
        """This entry where a condition holds, else another."""
        pairs = zip(self.parts, otherwise.parts, strict=True)
        return self.of_parts(*(part.where(condition, other) for part, other in pairs))

    def constant(self, number: float) -> Entry:
        """A real constant of this entry's kind."""
        return self.of_parts(*(part.constant(number if part is self.real else 0.0) for part in self.parts))

    @property
    def parts(self) -> tuple[Number, ...]:
        """The real part, and the imaginary one where there is one."""
        return (self.real,) if self.imaginary is None else (self.real, self.imaginary)

    @staticmethod
    def of_parts(*parts: Number) -> Entry:
        """The entry of one part, or two."""
        return Entry(*parts)


Matrix = list[list[Entry]]
"""Rows of entries."""


def as_matrix(numbers: Sequence[Number], columns: int, is_complex: bool) -> Matrix:
    """The matrix of numbers as they lie in memory, rows of so many entries, whose parts follow each other."""
    parts = 2 if is_complex else 1
    entries = [Entry(*numbers[first : first + parts]) for first in range(0, len(numbers), parts)]
    return [entries[first : first + columns] for first in range(0, len(entries), columns)]


def adjoint(matrix: Matrix) -> Matrix:
    """The transpose, of conjugate entries."""
    return [[entry.conjugate() for entry in column] for column in zip(*matrix, strict=True)]


def identity(extent: int, like: Entry) -> Matrix:
    """The identity matrix, of entries of a kind."""
    return [[like.constant(float(row == column)) for column in range(extent)] for row in range(extent)]


def inner_product(x: Sequence[Entry], y: Sequence[Entry]) -> Entry:
    """The sum of the products of conjugate entries with others."""
    found = x[0].conjugate() * y[0]
    for one, other in zip(x[1:], y[1:], strict=True):
        found = found.plus_product(one.conjugate(), other)
    return found


def sum_of(numbers: Sequence[Number]) -> Number:
    """The sum of numbers."""
    return reduce(lambda x, y: x + y, numbers)


def sum_of_squares(entries: Sequence[Entry]) -> Number:
    """The sum of the squares of absolute values."""
    found, *parts = (part for entry in entries for part in entry.parts)
    found *= found
    for part in parts:
        found = part.times_plus(part, found)
    return found


def as_numbers(matrix: Matrix) -> list[Number]:
    """The numbers of a matrix as they lie in memory."""
    return [part for row in matrix for entry in row for part in entry.parts]

"""Complex numbers in the lanes of vectors, the parts apart, and transforms of a few of them in registers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .....dialect.records import dataclass
from ....functions.number import Number
from .roots import root


@dataclass(frozen=True)
class Complex:
    """A complex number of each lane."""

    real: Number
    imaginary: Number

    def __add__(self, other: Complex) -> Complex:
        return Complex(self.real + other.real, self.imaginary + other.imaginary)

    def __sub__(self, other: Complex) -> Complex:
        return Complex(self.real - other.real, self.imaginary - other.imaginary)

    def __mul__(self, other: Complex) -> Complex:
        return Complex(
            (-self.imaginary).times_plus(other.imaginary, self.real * other.real),
            self.imaginary.times_plus(other.real, self.real * other.imaginary),
        )

    def plus_i_times(self, other: Complex) -> Complex:
        """self + i * other."""
        return Complex(self.real - other.imaginary, self.imaginary + other.real)

    def minus_i_times(self, other: Complex) -> Complex:
        """self - i * other."""
        return Complex(self.real + other.imaginary, self.imaginary - other.real)

    def times(self, factor: Number | float) -> Complex:
        """The product with a real number."""
        return Complex(self.real * factor, self.imaginary * factor)

    def times_root(self, power: int, count: int) -> Complex:
        """The product with exp(-2i pi k / n)."""
        eighths, rest = divmod(8 * (power % count), count)
        if rest == 0:
            return self._turned(eighths)
        factor = root(power % count, count)
        return self * Complex(self.real.constant(factor.real), self.real.constant(factor.imag))

    def _turned(self, eighths: int) -> Complex:
        """The product with exp(-2i pi k / 8)."""
        if eighths % 2:
            half = math.sqrt(0.5)
            turned = Complex((self.real + self.imaginary) * half, (self.imaginary - self.real) * half)
            return turned._turned(eighths - 1)
        x, y = self.real, self.imaginary
        return (Complex(x, y), Complex(y, -x), Complex(-x, -y), Complex(-y, x))[eighths // 2]

    def conjugate(self) -> Complex:
        """The complex conjugate."""
        return Complex(self.real, -self.imaginary)

    def exchanged(self) -> Complex:
        """With its parts exchanged: the transform of such numbers is that of the other direction, exchanged again."""
        return Complex(self.imaginary, self.real)


def transformed(numbers: Sequence[Complex]) -> list[Complex]:
    """The discrete Fourier transform, forward, of as many numbers as a power of two.

    Cooley and Tukey's: the transforms of every other number, or of every fourth, are turned and transformed again.
    """
    count = len(numbers)
    if count == 1:
        return list(numbers)
    if count == 2:
        first, second = numbers
        return [first + second, first - second]
    if count == 4:
        sums = numbers[0] + numbers[2], numbers[1] + numbers[3]
        differences = numbers[0] - numbers[2], numbers[1] - numbers[3]
        return [
            sums[0] + sums[1],
            differences[0].minus_i_times(differences[1]),
            sums[0] - sums[1],
            differences[0].plus_i_times(differences[1]),
        ]
    radix = 2 if count == 8 else 4
    parts = [transformed(numbers[first::radix]) for first in range(radix)]
    columns = [
        transformed([part[k].times_root(j * k, count) for j, part in enumerate(parts)])
        for k in range(count // radix)
    ]
    return [column[j] for j in range(radix) for column in columns]

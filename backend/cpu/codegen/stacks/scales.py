"""Powers of two by which matrices are multiplied so that squares of their numbers neither overflow nor vanish."""

from __future__ import annotations

from .....dialect.mlir import Value
from .....dialect.records import dataclass
from ....functions.number import Number, all_of, any_of


@dataclass(frozen=True)
class Scale:
    """Powers of two that bring the numbers of a matrix to size 1, and back."""

    factor: Number
    back: Number
    reliable: Value
    """Where there are such, and all numbers are finite."""

    @staticmethod
    def of(total: Number) -> Scale:
        """The scale of matrices by the sum of the sizes of their numbers."""
        exponent = total.to_bits() & (0x7FF << 52)
        factor = exponent.constant(0x7FE << 52) - exponent
        usual = all_of(total.compare("<", 2.0**1000), total.compare(">", 2.0**-1000))
        zero = total.compare("==", 0.0)
        return Scale(factor.as_float64(), exponent.as_float64(), any_of(usual, zero))

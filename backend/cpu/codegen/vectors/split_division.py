"""Division of vectors by constants, as a multiplication and a fused one, with the same result to the last bit.

`functions/split_reciprocal.py` proves for which divisors, and of which dividends, that gives all quotients. Vectors in
which another dividend is are divided by the machine. Where multiplications by a reciprocal pay (`invariant_division`),
these pay more, as there are two instead of five: 20,000 doubles are divided by 3 in 3.2 us instead of 5.2 (Zen 4).
"""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

from .....dialect.mlir import Operation, Value, ir
from .....dialect.records import dataclass
from ....functions.number import Number, all_of, no_lane
from ....nests.emit import either
from .code import broadcast

if TYPE_CHECKING:
    from ....functions.split_reciprocal import SplitReciprocal


def split_divisor(op: Operation) -> SplitReciprocal | None:
    """The parts of the reciprocal of the constant that an operation divides by; None where it has no such divisor."""
    made, type = op.operands[1].owner, op.results[0].type
    if isinstance(made, ir.Block) or made.operation.name != "arith.constant":
        return None
    if not isinstance(type, ir.F32Type | ir.F64Type):
        return None
    from ....functions.split_reciprocal import split_reciprocal  # which loads fractions

    divisor = float(made.operation.attributes["value"].value)
    return split_reciprocal(divisor, type.width) if divisor and math.isfinite(divisor) else None


@dataclass(frozen=True)
class SplitDivisor:
    """A constant divisor, as a vector, with its reciprocal in two parts."""

    divisor: Number
    parts: SplitReciprocal

    @staticmethod
    def of(scalar: Value, parts: SplitReciprocal, type: ir.Type) -> SplitDivisor:
        """The divisor for vectors of a type."""
        return SplitDivisor(Number(broadcast(scalar, type)), parts)

    def quotient(self, dividend: Value) -> Value:
        """A vector divided by the divisor, with one rounding."""
        x = Number(dividend)
        by_parts, by_machine = lambda: self._by_parts(x).value, lambda: (x / self.divisor).value
        return either(self._is_usual(x), dividend.type, by_parts, by_machine)

    def _is_usual(self, x: Number) -> Value:
        """Whether all elements of a vector are zero, or neither huge nor tiny."""
        least, largest = (_bits(bound, x.bits) for bound in (self.parts.least, self.parts.largest))
        magnitude = x.to_bits() & ((1 << (x.bits - 1)) - 1)
        unusual = all_of((magnitude - least).at_least_unsigned(largest - least), x.compare("!=", 0.0))
        return no_lane(unusual)

    def _by_parts(self, x: Number) -> Number:
        high, low = self.parts.high, self.parts.low
        quotient = x.times_plus(high, x * low)
        if math.copysign(1, high) == math.copysign(1, low):
            return quotient
        return quotient.with_sign_of(x * high)  # of zeros: the sum of zeros of both signs is +0


def _bits(number: float, width: int) -> int:
    """The bits of a positive number."""
    found: int = struct.unpack(
        "<I" if width == 32 else "<Q", struct.pack("<f" if width == 32 else "<d", number)
    )[0]
    return found

"""Division of vectors by one and the same number: by its reciprocal, with the same result to the last bit.

With y = 1 / d rounded to nearest, two steps of

    q = x * y;  q = q + y * (x - q * d)  (fused);  q = q + y * (x - q * d)  (fused)

give x / d rounded to nearest (Markstein, Computation of elementary functions on the IBM RISC System/6000 processor,
1990: the step is exact from a quotient within one unit in the last place, which the first one makes of x * y) wherever
nothing overflows, and no remainder underflows. Vectors in which that might happen are divided by the machine.
"""

from __future__ import annotations

from .....dialect.mlir import Operation, Type, Value, ir
from .....dialect.records import dataclass
from .... import target
from ....functions.number import Number, all_of, no_lane
from ....nests.emit import either
from .code import broadcast

_RANGES = {32: (-60, 80, 40), 64: (-400, 500, 300)}
"""Binary exponents, by width: of the dividends from ... to ..., and of the divisors up to plus or minus ..."""


def is_worthwhile(op: Operation, others: int) -> bool:
    """Whether an operation beside others divides numbers for which the machine is slower than multiplications are."""
    machine = target.current()
    if op.name != "arith.divf" or machine.vector_bytes < 64 or not machine.fused_multiply_add:
        return False
    for_f32, for_f64 = target.processor().beside_reciprocals
    type = op.results[0].type
    return (isinstance(type, ir.F32Type) and others <= for_f32) or (
        isinstance(type, ir.F64Type) and others <= for_f64
    )


@dataclass(frozen=True)
class InvariantDivisor:
    """A divisor with its reciprocal, as vectors."""

    divisor: Number
    reciprocal: Number
    is_usual: Value
    """Whether the divisor is neither too large nor too small for the reciprocal."""

    @staticmethod
    def of(scalar: Value, type: Type) -> InvariantDivisor:
        """The divisor for vectors of a type."""
        divisor = Number(scalar)
        reciprocal = divisor.constant(1.0) / divisor
        largest = 2.0 ** _RANGES[divisor.bits][2]
        magnitude = abs(divisor)
        is_usual = all_of(magnitude.compare("<=", largest), magnitude.compare(">=", 1 / largest))
        return InvariantDivisor(
            Number(broadcast(divisor.value, type)), Number(broadcast(reciprocal.value, type)), is_usual
        )

    def quotient(self, dividend: Value) -> Value:
        """A vector divided by the divisor, with one rounding."""
        x = Number(dividend)
        cond = all_of(self.is_usual, self._is_usual_dividend(x))
        by_reciprocal, by_machine = lambda: self._by_reciprocal(x).value, lambda: (x / self.divisor).value
        return either(cond, dividend.type, by_reciprocal, by_machine)

    def _is_usual_dividend(self, x: Number) -> Value:
        """Whether all elements of a vector are zero or of a usual size."""
        low, high, _ = _RANGES[x.bits]
        bias, fraction = (127, 23) if x.bits == 32 else (1023, 52)
        magnitude = x.to_bits() & ((1 << (x.bits - 1)) - 1)
        beyond = (magnitude - ((low + bias) << fraction)).at_least_unsigned((high - low) << fraction)
        unusual = all_of(beyond, x.compare("!=", 0.0))
        return no_lane(unusual)

    def _by_reciprocal(self, x: Number) -> Number:
        first = quotient = x * self.reciprocal
        for _ in range(2):
            remainder = (-quotient).times_plus(self.divisor, x)
            quotient = remainder.times_plus(self.reciprocal, quotient)
        return quotient.with_sign_of(first)  # -0 / d: the remainder of zero is +0

"""Division of vectors of integers, which processors do not have, by floats.

A quotient of integers is off a whole number by at least 1 / divisor, which is more than what rounding changes if floats
have twice as many bits as the dividend: then the quotient of floats, rounded towards zero, is that of the integers. So
it is for dividends below 2**53, too, as they are nearer to zero than the next multiple. Integers of 8 and 16 bits are
divided as f32, those of 32 and 64 bits as f64; vectors of 64-bit integers with a larger one are divided one by one.

By one and the same number they are divided by its reciprocal, made so much larger that multiples of the divisor do not
come out too small.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from .....dialect.mlir import Operation, Type, Value, ir
from .....dialect.records import dataclass
from .....passes.rewriting import constant_integer
from .... import target
from ....functions.number import Integer, Number, all_of, any_lane, float_like, like, rarely
from ....nests.emit import create, either
from .code import broadcast
from .constant_division import constant_divisor, divided

_NAMES = ("arith.divsi", "arith.divui", "arith.remsi", "arith.remui")
_EXCESS = {32: 2.0**-20, 64: 2.0**-40}
"""By how much reciprocals are made larger: far less than a dividend is off a multiple, far more than rounding."""
_EXACT = 53
"""Integers of so many bits are f64 numbers."""
_SHORT = 51
"""Integers of so many bits, with a sign, are the last bits of f64 numbers."""


def is_integer_division(op: Operation) -> bool:
    """Whether an operation divides integers, and has a vector form here.

    That of 64 bits by constants multiplies the halves of numbers. Shorter ones LLVM divides by constants with
    multiplications.
    """
    if op.name not in _NAMES or not isinstance(op.results[0].type, ir.IntegerType):
        return False
    if constant_integer(op.operands[1]) is not None:
        return constant_divisor(op) is not None and target.current().vector_bytes >= 32
    width, machine = op.results[0].type.width, target.current()
    return width in (8, 16, 32) or (
        width == 64 and (machine.exponent_instructions or machine.vector_bytes >= 32)
    )


def has_reciprocal(op: Operation) -> bool:
    """Whether vectors are divided by one and the same number by its reciprocal.

    Integers of 64 bits are where AVX-512 converts them: a shorter way to floats has too few bits for one step.
    """
    if not is_integer_division(op) or constant_divisor(op) is not None:
        return False
    return op.results[0].type.width < 64 or target.current().exponent_instructions


def divide(op: Operation, x: Value, y: Value, divisor: IntegerDivisor | None) -> Value:
    """The quotient or remainder of vectors that an operation asks for; 0 / 0 is something."""
    dividend, constant = Integer(x), constant_divisor(op)
    if constant is not None:
        quotient = divided(dividend, constant, op.name.endswith("si"))
    elif divisor is not None:
        quotient = divisor.quotient(dividend)
    else:
        quotient = _quotient(dividend, Integer(y), op.name.endswith("si"))
    is_quotient = op.name.startswith("arith.div")
    return (quotient if is_quotient else dividend - quotient * Integer(y)).value


@dataclass(frozen=True)
class IntegerDivisor:
    """One number that vectors are divided by."""

    scalar: Integer
    type: Type
    is_signed: bool
    inverse: Number
    """Its reciprocal, a little larger in magnitude."""
    smaller_inverse: Number
    """Its reciprocal, a little smaller."""

    @staticmethod
    def of(scalar: Value, type: Type, is_signed: bool) -> IntegerDivisor:
        """The divisor for vectors of a type."""
        number = _to_float(Integer(scalar), is_signed)
        reciprocal, excess = 1.0 / number, _EXCESS[number.bits]
        inverses = (
            Number(broadcast((reciprocal * factor).value, float_like(type, number.type)))
            for factor in (1.0 + excess, 1.0 - excess / 2**8)
        )
        return IntegerDivisor(Integer(scalar), type, is_signed, *inverses)

    def quotient(self, x: Integer) -> Integer:
        """A vector divided by the number, rounded towards zero."""
        if x.bits < 64:
            return self._times_inverse(x)
        # What is left by a quotient that is a little too small is divided once more.
        magnitude = self.scalar.magnitude() if self.is_signed else self.scalar
        is_usual = (magnitude - 2).compare("u<", 2**31 - 2)
        return _choose(is_usual, x, self._in_two_steps, self._one_by_one)

    def _times_inverse(self, x: Integer) -> Integer:
        return _to_integer(_to_float(x, self.is_signed) * self.inverse, x.value.type, self.is_signed)

    def _in_two_steps(self, x: Integer) -> Integer:
        first = _to_float(x, self.is_signed) * self.smaller_inverse
        quotient = _to_integer(first, x.value.type, self.is_signed)
        return quotient + self._times_inverse(x - quotient * Integer(broadcast(self.scalar.value, self.type)))

    def _one_by_one(self, x: Integer) -> Integer:
        return _machine_quotient(x, Integer(broadcast(self.scalar.value, self.type)), self.is_signed)


def _quotient(x: Integer, y: Integer, is_signed: bool) -> Integer:
    def of_floats(x: Integer) -> Integer:
        ratio = _to_float(x, is_signed) / _to_float(y, is_signed)
        return _to_integer(ratio, x.value.type, is_signed)

    if x.bits < 64:
        return of_floats(x)
    if target.current().exponent_instructions:
        exact = _is_below(_EXACT, x, is_signed)
    else:
        of_floats = partial(_quotient_by_shifted, y=y)
        exact = all_of(_is_below(_SHORT, x, is_signed), _is_below(_SHORT, y, is_signed))
    is_rare = rarely(any_lane((Integer(exact) ^ 1).value))
    # In lanes that nobody uses the divisor may be zero.
    return _choose(
        is_rare,
        x,
        lambda x: _machine_quotient(x, y.constant(1).where(y.compare("==", 0), y), is_signed),
        of_floats,
    )


def _is_below(bits: int, x: Integer, is_signed: bool) -> Value:
    """Whether magnitudes have at most so many bits."""
    if is_signed:
        return (x + (1 << bits)).compare("u<", 2 << bits)
    return x.compare("u<", 1 << bits)


_SHIFT = 1.5 * 2.0**52
"""Of this number plus an integer the last bits are the integer."""
_SHIFT_BITS = 0x4338 << 48


def _quotient_by_shifted(x: Integer, y: Integer) -> Integer:
    """The quotient of integers of at most `_SHORT` bits, by f64 numbers that hold them in their last bits."""
    dividend, divisor = ((number + _SHIFT_BITS).as_float64() - _SHIFT for number in (x, y))
    ratio = dividend / divisor
    whole = Number(create("math.trunc", [ratio.type], [ratio.value]))
    return (whole + _SHIFT).to_bits() - _SHIFT_BITS


def _choose(
    condition: Value, x: Integer, first: Callable[[Integer], Integer], second: Callable[[Integer], Integer]
) -> Integer:
    return Integer(either(condition, x.value.type, lambda: first(x).value, lambda: second(x).value))


def _machine_quotient(x: Integer, y: Integer, is_signed: bool) -> Integer:
    return Integer(create("arith.divsi" if is_signed else "arith.divui", [x.value.type], [x.value, y.value]))


def _to_float(x: Integer, is_signed: bool) -> Number:
    """Exactly, but for integers of 64 bits."""
    type = float_like(x.value.type, ir.F32Type.get() if x.bits < 32 else ir.F64Type.get())
    if x.bits < 32:
        extended = create("arith.extsi" if is_signed else "arith.extui", [like(type, 32)], [x.value])
        return Number(create("arith.sitofp", [type], [extended]))
    return Number(create("arith.sitofp" if is_signed else "arith.uitofp", [type], [x.value]))


def _to_integer(x: Number, type: Type, is_signed: bool) -> Integer:
    """Rounded towards zero."""
    width = Integer.width_of(type)
    if width < 32:
        return Integer(create("arith.fptosi", [like(x.type, 32)], [x.value])).narrow(width)
    return Integer(create("arith.fptosi" if is_signed else "arith.fptoui", [type], [x.value]))

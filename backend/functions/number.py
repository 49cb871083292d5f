"""Floating arithmetic on MLIR values with Python operators, for scalars and vectors of f32 and f64 alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...dialect.mlir import Type, Value, ir
from ...dialect.records import dataclass
from .. import target
from ..nests.emit import compare, create, either, scalar

_PREDICATES = {"==": "oeq", ">": "ogt", ">=": "oge", "<": "olt", "<=": "ole", "<>": "one", "!=": "une"}
_INTEGER_PREDICATES = {"==": "eq", "!=": "ne", "<": "slt", "<=": "sle", ">": "sgt", ">=": "sge", "u<": "ult"}


@dataclass(frozen=True)
class Number:
    """A floating value; arithmetic is written at the current insertion point and is exact IEEE."""

    value: Value

    @property
    def type(self) -> Type:
        """The type of the value: a float, or a vector of floats."""
        return self.value.type

    @property
    def element(self) -> Type:
        """The scalar type."""
        return self.type.element_type if isinstance(self.type, ir.VectorType) else self.type

    @property
    def bits(self) -> int:
        """The width of the scalar type."""
        return int(self.element.width)

    def constant(self, number: float) -> Number:
        """A constant of this type."""
        return Number(_constant(ir.FloatAttr.get(self.element, number), self.type))

    def _apply(self, name: str, *others: Number | float) -> Number:
        operands = [self.value, *(self._coerce(other).value for other in others)]
        return Number(create(name, [self.type], operands))

    def _coerce(self, other: Number | float) -> Number:
        return other if isinstance(other, Number) else self.constant(other)

    def __add__(self, other: Number | float) -> Number:
        return self._apply("arith.addf", other)

    def __sub__(self, other: Number | float) -> Number:
        return self._apply("arith.subf", other)

    def __mul__(self, other: Number | float) -> Number:
        return self._apply("arith.mulf", other)

    def __truediv__(self, other: Number | float) -> Number:
        return self._apply("arith.divf", other)

    def __rsub__(self, other: float) -> Number:
        return self.constant(other) - self

    def __rtruediv__(self, other: float) -> Number:
        return self.constant(other) / self

    def __neg__(self) -> Number:
        return self._apply("arith.negf")

    def __abs__(self) -> Number:
        return self._apply("math.absf")

    def times_plus(self, factor: Number | float, addend: Number | float) -> Number:
        """self * factor + addend, with one rounding where the machine has an instruction for it."""
        if target.current().fused_multiply_add:
            return self._apply("math.fma", factor, addend)
        return self * factor + addend

    def fused_times_plus(self, factor: Number | float, addend: Number | float) -> Number:
        """self * factor + addend without the rounding error of the product, on every machine.

        Factors are below the square root of the largest number.
        """
        if target.current().fused_multiply_add:
            return self._apply("math.fma", factor, addend)
        factor = self._coerce(factor)
        product = self * factor
        return (product + addend) - self._product_excess(factor, product)

    def _product_excess(self, factor: Number, product: Number) -> Number:
        """product - self * factor, by splitting both factors in halves (Dekker 1971).

        Where that is nothing it is +0, which taken off a negative zero leaves it negative.
        """
        (high, low), (factor_high, factor_low) = self._halves(), factor._halves()
        excess = product - high * factor_high
        return ((excess - high * factor_low) - low * factor_high) - low * factor_low

    def _halves(self) -> tuple[Number, Number]:
        scaled = self * (2.0 ** (12 if self.bits == 32 else 27) + 1.0)
        high = scaled - (scaled - self)
        return high, self - high

    def polynomial(self, coefficients: Sequence[float]) -> Number:
        """The polynomial in this value, highest coefficient first.

        By Horner's rule, as its rounding errors shrink from step to step; where that would be long, all but the last
        steps go by pairs of coefficients (Estrin 1960), as every step waits for the one before.
        """
        last = coefficients[-2:] if len(coefficients) > 6 else coefficients[1:]
        first = coefficients[: -len(last)]
        result = self.constant(first[0]) if len(first) == 1 else self._by_pairs(first)
        for coefficient in last:
            result = result.times_plus(self, coefficient)
        return result

    def _by_pairs(self, coefficients: Sequence[float]) -> Number:
        square, odd = self * self, len(coefficients) % 2
        pairs = zip(coefficients[odd::2], coefficients[odd + 1 :: 2], strict=True)
        sums = [self.constant(high).times_plus(self, low) for high, low in pairs]
        result = self.constant(coefficients[0]) if odd else sums.pop(0)
        for pair in sums:
            result = result.times_plus(square, pair)
        return result

    def round(self) -> Number:
        """The nearest integer, ties to even."""
        return self._apply("math.roundeven")

    def floor(self) -> Number:
        """The largest integer not above."""
        return self._apply("math.floor")

    def sqrt(self) -> Number:
        """The square root."""
        return self._apply("math.sqrt")

    def with_sign_of(self, other: Number) -> Number:
        """The magnitude of this value with the sign of another."""
        return self._apply("math.copysign", other)

    def at_most(self, bound: float) -> Number:
        """The smaller of the value and a bound; NaN stays."""
        limit = self.constant(bound)
        return limit.where(limit.compare("<", self), self)

    def at_least(self, bound: float) -> Number:
        """The larger of the value and a bound; NaN stays."""
        limit = self.constant(bound)
        return limit.where(limit.compare(">", self), self)

    def compare(self, predicate: str, other: Number | float) -> Value:
        """An ordered comparison ("!=" is true for NaN)."""
        return compare(_PREDICATES[predicate], self.value, self._coerce(other).value)

    def where(self, condition: Value, otherwise: Number | float) -> Number:
        """This value where the condition holds, else another."""
        operands = [condition, self.value, self._coerce(otherwise).value]
        return Number(create("arith.select", [self.type], operands))

    def unless_rare(self, usual: Value, rare_form: Callable[[], Number]) -> Number:
        """This value if a condition holds in all lanes, else another form for all of them."""
        rare = Integer(usual) ^ 1
        is_met = rarely(any_lane(rare.value))
        return Number(either(is_met, self.type, lambda: rare_form().value, lambda: self.value))

    def is_nan(self) -> Value:
        """Whether the value is not a number."""
        return compare("uno", self.value, self.value)

    def to_bits(self) -> Integer:
        """The bit pattern."""
        return Integer(create("arith.bitcast", [like(self.type, self.bits)], [self.value]))

    def widen(self) -> Number:
        """The same value as f64."""
        return Number(create("arith.extf", [float_like(self.type, ir.F64Type.get())], [self.value]))

    def narrow(self, type: Type) -> Number:
        """The value rounded to a narrower float type."""
        return Number(create("arith.truncf", [type], [self.value]))


@dataclass(frozen=True)
class Integer:
    """An integer value, or vector of integers."""

    value: Value

    def _apply(self, name: str, other: Integer | int) -> Integer:
        return Integer(create(name, [self.value.type], [self.value, self._coerce(other).value]))

    def _coerce(self, other: Integer | int) -> Integer:
        if isinstance(other, Integer):
            return other
        return self.constant(other)

    @property
    def bits(self) -> int:
        """The width of the scalar type."""
        return Integer.width_of(self.value.type)

    @staticmethod
    def width_of(type: Type) -> int:
        """The width of an integer type, or of the elements of a vector type."""
        return int((type.element_type if isinstance(type, ir.VectorType) else type).width)

    def magnitude(self) -> Integer:
        """The absolute value, as an unsigned number."""
        return (self.constant(0) - self).where(self.compare("<", 0), self)

    def constant(self, number: int) -> Integer:
        """A constant of this type; one with the highest bit set may be given as unsigned."""
        type = self.value.type
        element = type.element_type if isinstance(type, ir.VectorType) else type
        signed = number - (1 << self.bits) if number >> (self.bits - 1) == 1 else number
        return Integer(_constant(ir.IntegerAttr.get(element, signed), type))

    def __add__(self, other: Integer | int) -> Integer:
        return self._apply("arith.addi", other)

    def __sub__(self, other: Integer | int) -> Integer:
        return self._apply("arith.subi", other)

    def __mul__(self, other: Integer | int) -> Integer:
        return self._apply("arith.muli", other)

    def __and__(self, other: Integer | int) -> Integer:
        return self._apply("arith.andi", other)

    def __or__(self, other: Integer | int) -> Integer:
        return self._apply("arith.ori", other)

    def __xor__(self, other: Integer | int) -> Integer:
        return self._apply("arith.xori", other)

    def __lshift__(self, count: Integer | int) -> Integer:
        return self._apply("arith.shli", count)

    def __rshift__(self, count: Integer | int) -> Integer:
        """A shift that fills up with zeros: machines before AVX-512 have no other for 64 bits."""
        return self._apply("arith.shrui", count)

    def compare(self, predicate: str, other: Integer | int) -> Value:
        """A signed comparison, but for "u<"."""
        return compare(_INTEGER_PREDICATES[predicate], self.value, self._coerce(other).value)

    def at_least_unsigned(self, bound: int) -> Value:
        """Whether the value, without a sign, is not below a bound."""
        return compare("uge", self.value, self._coerce(bound).value)

    def where(self, condition: Value, otherwise: Integer | int) -> Integer:
        """This value where the condition holds, else another."""
        operands = [condition, self.value, self._coerce(otherwise).value]
        return Integer(create("arith.select", [self.value.type], operands))

    def as_number(self, type: Type) -> Number:
        """The float with this bit pattern."""
        return Number(create("arith.bitcast", [type], [self.value]))

    def as_float64(self) -> Number:
        """The f64 number with this bit pattern of 64 bits."""
        return self.as_number(float_like(self.value.type, ir.F64Type.get()))

    def narrow(self, width: int) -> Integer:
        """The lowest bits."""
        return Integer(create("arith.trunci", [like(self.value.type, width)], [self.value]))


def any_of(*conditions: Value) -> Value:
    """Whether one of the conditions holds."""
    return _fold("arith.ori", conditions)


def any_lane(condition: Value) -> Value:
    """Whether a condition holds, in some lane of a vector."""
    if not isinstance(condition.type, ir.VectorType):
        return condition
    kind = ir.Attribute.parse("#vector.kind<or>")
    return create("vector.reduction", [ir.IntegerType.get_signless(1)], [condition], {"kind": kind})


def no_lane(condition: Value) -> Value:
    """Whether a condition holds in no lane of a vector."""
    return (Integer(any_lane(condition)) ^ 1).value


def rarely(condition: Value) -> Value:
    """A scalar condition that hardly ever holds: see cpu/lowering/branch_weights.py."""
    return create("llvm.intr.expect", [condition.type], [condition, scalar(condition.type, 0)])


def all_of(*conditions: Value) -> Value:
    """Whether all conditions hold."""
    return _fold("arith.andi", conditions)


def _fold(name: str, conditions: Sequence[Value]) -> Value:
    result, *rest = conditions
    for condition in rest:
        result = create(name, [result.type], [result, condition])
    return result


def like(type: Type, width: int) -> Type:
    """The integer type of a width in the shape of another type."""
    return float_like(type, ir.IntegerType.get_signless(width))


def float_like(type: Type, element: Type) -> Type:
    """The element type, or a vector of it where `type` is a vector."""
    if isinstance(type, ir.VectorType):
        return ir.VectorType.get(type.shape, element)
    return element


def _constant(attribute: ir.Attribute, type: Type) -> Value:
    if isinstance(type, ir.VectorType):
        attribute = ir.DenseElementsAttr.get_splat(type, attribute)
    return create("arith.constant", [type], [], {"value": attribute})

"""Elementwise ops: nearly every one is a NumPy ufunc, from which its rules and its meaning follow.

A ufunc's result for an operand dtype is what NumPy's loop computes. Where C leaves a result open the ops
are defined: integers wrap, an integer divided by zero is 0, shifts by the width or more give 0 or the sign,
and a negative exponent of an integer counts as 0 (the array namespace raises NumPy's error before that).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..dtypes import kind
from ..op import Array, BinaryUfunc, Case, Elementwise, Op, Operand, TensorType, UnaryUfunc, require_kind

_ERF = np.frompyfunc(math.erf, 1, 1)

# Arithmetic


class Add(BinaryUfunc, name="add"):
    """Sum of two tensors; logical or of booleans."""

    ufunc = np.add


class Subtract(BinaryUfunc, name="subtract"):
    """Difference of two tensors."""

    ufunc = np.subtract


class Multiply(BinaryUfunc, name="multiply"):
    """Product of two tensors; logical and of booleans."""

    ufunc = np.multiply


class Divide(BinaryUfunc, name="divide"):
    """True quotient of two floating or complex tensors."""

    ufunc = np.true_divide


class FloorDivide(BinaryUfunc, name="floor_divide"):
    """Quotient rounded down; an integer divided by zero is 0."""

    ufunc = np.floor_divide


class Remainder(BinaryUfunc, name="remainder"):
    """What floor division leaves, with the sign of the divisor (Python's %)."""

    ufunc = np.remainder


class Divmod(BinaryUfunc, name="divmod"):
    """The results of floor_divide and remainder together."""

    ufunc = np.divmod
    results = 2


class Fmod(BinaryUfunc, name="fmod"):
    """What division rounded towards zero leaves, with the sign of the dividend (C's fmod)."""

    ufunc = np.fmod


class Power(BinaryUfunc, name="power"):
    """The first operand to the power of the second; a negative exponent of an integer counts as 0."""

    ufunc = np.power
    cases = (
        Case(((3, 4), (3, 4)), low=0, high=6),
        Case(((3, 1), (4,)), low=0, high=3),
        Case(((), (2, 3)), low=0, high=3),
        Case(((0, 3), (1, 3)), low=0, high=3),
    )

    @classmethod
    def evaluate(cls, *operands: Array) -> Any:
        """Call the ufunc with exponents that it accepts."""
        x, y = operands
        return np.power(x, np.maximum(y, 0) if kind(y.dtype) == "i" else y)


class FloatPower(BinaryUfunc, name="float_power"):
    """The first operand to the power of the second, in float64 or complex128."""

    ufunc = np.float_power
    cases = Power.cases


class Negative(UnaryUfunc, name="negative"):
    """Numerical negation; unsigned integers wrap."""

    ufunc = np.negative


class Positive(UnaryUfunc, name="positive"):
    """The operand itself."""

    ufunc = np.positive


class Absolute(UnaryUfunc, name="absolute"):
    """Absolute value; of complex numbers, the magnitude. The smallest integer stays."""

    ufunc = np.absolute


class Fabs(UnaryUfunc, name="fabs"):
    """Absolute value of floating-point numbers."""

    ufunc = np.fabs


class Sign(UnaryUfunc, name="sign"):
    """-1, 0 or 1 by the sign, NaN of NaN; of complex numbers, x / abs(x)."""

    ufunc = np.sign


class Signbit(UnaryUfunc, name="signbit"):
    """Whether the sign bit is set: also of -0.0 and of NaNs."""

    ufunc = np.signbit


class Square(UnaryUfunc, name="square"):
    """The operand times itself."""

    ufunc = np.square


class Reciprocal(UnaryUfunc, name="reciprocal"):
    """One divided by the operand; of integers, rounded towards zero."""

    ufunc = np.reciprocal


class Sqrt(UnaryUfunc, name="sqrt"):
    """Square root, NaN of negative numbers; of complex numbers, the principal one."""

    ufunc = np.sqrt


class Cbrt(UnaryUfunc, name="cbrt"):
    """Cube root."""

    ufunc = np.cbrt


class Hypot(BinaryUfunc, name="hypot"):
    """Length of the hypotenuse, without overflow on the way."""

    ufunc = np.hypot


class Conjugate(UnaryUfunc, name="conjugate"):
    """Complex conjugate; of real numbers, the operand itself."""

    ufunc = np.conjugate


# Minimum and maximum


class Maximum(BinaryUfunc, name="maximum"):
    """The larger operand; NaN if one is NaN. Complex numbers are ordered by real, then imaginary part."""

    ufunc = np.maximum


class Minimum(BinaryUfunc, name="minimum"):
    """The smaller operand; NaN if one is NaN. Complex numbers are ordered by real, then imaginary part."""

    ufunc = np.minimum


class Fmax(BinaryUfunc, name="fmax"):
    """The larger operand; a NaN gives way to a number."""

    ufunc = np.fmax


class Fmin(BinaryUfunc, name="fmin"):
    """The smaller operand; a NaN gives way to a number."""

    ufunc = np.fmin


# Rounding and the parts of floating-point numbers


class Floor(UnaryUfunc, name="floor"):
    """The largest whole number that is not larger."""

    ufunc = np.floor


class Ceil(UnaryUfunc, name="ceil"):
    """The smallest whole number that is not smaller."""

    ufunc = np.ceil


class Trunc(UnaryUfunc, name="trunc"):
    """The nearest whole number towards zero."""

    ufunc = np.trunc


class Rint(UnaryUfunc, name="rint"):
    """The nearest whole number, halves to even; of complex numbers, by parts."""

    ufunc = np.rint


class Modf(UnaryUfunc, name="modf"):
    """Fraction and whole part, both with the sign of the operand."""

    ufunc = np.modf
    results = 2


class Frexp(UnaryUfunc, name="frexp"):
    """Mantissa in [0.5, 1) and int32 exponent of 2."""

    ufunc = np.frexp
    results = 2


class Ldexp(BinaryUfunc, name="ldexp"):
    """The first operand times 2 to the power of the second, an int32 or int64."""

    ufunc = np.ldexp
    cases = tuple(Case(case.shapes, low=-9, high=9) for case in BinaryUfunc.cases)

    @classmethod
    def operand_dtypes(cls) -> Iterator[tuple[np.dtype[Any], ...]]:
        """Every floating-point dtype of NumPy's own with both exponents."""
        for name in ("float16", "float32", "float64"):
            yield np.dtype(name), np.dtype(np.int32)
            yield np.dtype(name), np.dtype(np.int64)


class Copysign(BinaryUfunc, name="copysign"):
    """The first operand with the sign bit of the second."""

    ufunc = np.copysign


class Nextafter(BinaryUfunc, name="nextafter"):
    """The neighbour of the first operand in the direction of the second."""

    ufunc = np.nextafter


class Spacing(UnaryUfunc, name="spacing"):
    """The distance to the neighbour away from zero."""

    ufunc = np.spacing


class Heaviside(BinaryUfunc, name="heaviside"):
    """0 below zero, 1 above, and the second operand at zero."""

    ufunc = np.heaviside


# Exponentials and logarithms


class Exp(UnaryUfunc, name="exp"):
    """Exponential."""

    ufunc = np.exp


class Exp2(UnaryUfunc, name="exp2"):
    """2 to the power of the operand."""

    ufunc = np.exp2


class Expm1(UnaryUfunc, name="expm1"):
    """exp(x) - 1, exact near zero."""

    ufunc = np.expm1


class Log(UnaryUfunc, name="log"):
    """Natural logarithm."""

    ufunc = np.log


class Log2(UnaryUfunc, name="log2"):
    """Logarithm to base 2."""

    ufunc = np.log2


class Log10(UnaryUfunc, name="log10"):
    """Logarithm to base 10."""

    ufunc = np.log10


class Log1p(UnaryUfunc, name="log1p"):
    """log(1 + x), exact near zero."""

    ufunc = np.log1p


class Logaddexp(BinaryUfunc, name="logaddexp"):
    """log(exp(x) + exp(y)), without overflow."""

    ufunc = np.logaddexp


class Logaddexp2(BinaryUfunc, name="logaddexp2"):
    """log2(2**x + 2**y), without overflow."""

    ufunc = np.logaddexp2


class Erf(Elementwise, name="erf", family="elementwise"):
    """Error function of real floating-point numbers."""

    x: Operand
    dtypes = "f"
    cases = UnaryUfunc.cases

    @staticmethod
    def infer(x: TensorType) -> TensorType:
        require_kind("weft.erf", x, "f")
        return x

    @staticmethod
    def evaluate(x: Array) -> Array:
        values = np.asarray(_ERF(x.astype(np.float64)), np.float64)
        return values.astype(x.dtype)


# Trigonometry


class Sin(UnaryUfunc, name="sin"):
    """Sine of an angle in radians."""

    ufunc = np.sin


class Cos(UnaryUfunc, name="cos"):
    """Cosine of an angle in radians."""

    ufunc = np.cos


class Tan(UnaryUfunc, name="tan"):
    """Tangent of an angle in radians."""

    ufunc = np.tan
    cases = tuple(Case(case.shapes, low=-1.5, high=1.5) for case in UnaryUfunc.cases)


class Arcsin(UnaryUfunc, name="arcsin"):
    """Inverse sine, NaN outside [-1, 1]."""

    ufunc = np.arcsin


class Arccos(UnaryUfunc, name="arccos"):
    """Inverse cosine, NaN outside [-1, 1]."""

    ufunc = np.arccos


class Arctan(UnaryUfunc, name="arctan"):
    """Inverse tangent."""

    ufunc = np.arctan


class Arctan2(BinaryUfunc, name="arctan2"):
    """Angle of the point with ordinate x and abscissa y, in the right quadrant."""

    ufunc = np.arctan2


class Sinh(UnaryUfunc, name="sinh"):
    """Hyperbolic sine."""

    ufunc = np.sinh


class Cosh(UnaryUfunc, name="cosh"):
    """Hyperbolic cosine."""

    ufunc = np.cosh


class Tanh(UnaryUfunc, name="tanh"):
    """Hyperbolic tangent."""

    ufunc = np.tanh


class Arcsinh(UnaryUfunc, name="arcsinh"):
    """Inverse hyperbolic sine."""

    ufunc = np.arcsinh


class Arccosh(UnaryUfunc, name="arccosh"):
    """Inverse hyperbolic cosine, NaN below 1."""

    ufunc = np.arccosh
    cases = tuple(Case(case.shapes, low=1, high=9) for case in UnaryUfunc.cases)


class Arctanh(UnaryUfunc, name="arctanh"):
    """Inverse hyperbolic tangent, NaN outside [-1, 1]."""

    ufunc = np.arctanh
    cases = tuple(Case(case.shapes, low=-1, high=1) for case in UnaryUfunc.cases)


class Deg2rad(UnaryUfunc, name="deg2rad"):
    """Degrees to radians."""

    ufunc = np.deg2rad


class Rad2deg(UnaryUfunc, name="rad2deg"):
    """Radians to degrees."""

    ufunc = np.rad2deg


# Comparison


class Comparison(BinaryUfunc):
    """Base of the comparisons, which also take int64 and uint64 together and compare them exactly."""

    @classmethod
    def operand_dtypes(cls) -> Iterator[tuple[np.dtype[Any], ...]]:
        """Every loop of one dtype, and the two of mixed signs."""
        yield from super().operand_dtypes()
        yield np.dtype(np.int64), np.dtype(np.uint64)
        yield np.dtype(np.uint64), np.dtype(np.int64)


class Equal(Comparison, name="equal"):
    """Whether the operands are equal."""

    ufunc = np.equal


class NotEqual(Comparison, name="not_equal"):
    """Whether the operands differ; a NaN differs from everything."""

    ufunc = np.not_equal


class Less(Comparison, name="less"):
    """Whether the first operand is smaller."""

    ufunc = np.less


class LessEqual(Comparison, name="less_equal"):
    """Whether the first operand is smaller or equal."""

    ufunc = np.less_equal


class Greater(Comparison, name="greater"):
    """Whether the first operand is larger."""

    ufunc = np.greater


class GreaterEqual(Comparison, name="greater_equal"):
    """Whether the first operand is larger or equal."""

    ufunc = np.greater_equal


OPPOSITE: dict[type[Op], type[Op]] = {
    Equal: NotEqual,
    NotEqual: Equal,
    Less: GreaterEqual,
    GreaterEqual: Less,
    Greater: LessEqual,
    LessEqual: Greater,
}
"""The comparisons that hold where others do not, if no operand is a NaN."""
MIRRORED: dict[type[Op], type[Op]] = {
    Equal: Equal,
    NotEqual: NotEqual,
    Less: Greater,
    Greater: Less,
    LessEqual: GreaterEqual,
    GreaterEqual: LessEqual,
}
"""What comparisons are with their operands exchanged."""


class Isnan(UnaryUfunc, name="isnan"):
    """Whether the operand, or a part of it, is NaN."""

    ufunc = np.isnan


class Isinf(UnaryUfunc, name="isinf"):
    """Whether the operand, or a part of it, is infinite."""

    ufunc = np.isinf


class Isfinite(UnaryUfunc, name="isfinite"):
    """Whether the operand is neither infinite nor NaN."""

    ufunc = np.isfinite


# Logic and bits


class LogicalAnd(BinaryUfunc, name="logical_and"):
    """Whether both operands are nonzero."""

    ufunc = np.logical_and


class LogicalOr(BinaryUfunc, name="logical_or"):
    """Whether one of the operands is nonzero."""

    ufunc = np.logical_or


class LogicalXor(BinaryUfunc, name="logical_xor"):
    """Whether exactly one of the operands is nonzero."""

    ufunc = np.logical_xor


class LogicalNot(UnaryUfunc, name="logical_not"):
    """Whether the operand is zero."""

    ufunc = np.logical_not


class BitwiseAnd(BinaryUfunc, name="bitwise_and"):
    """And of the bits of integers or booleans."""

    ufunc = np.bitwise_and


class BitwiseOr(BinaryUfunc, name="bitwise_or"):
    """Or of the bits of integers or booleans."""

    ufunc = np.bitwise_or


class BitwiseXor(BinaryUfunc, name="bitwise_xor"):
    """Exclusive or of the bits of integers or booleans."""

    ufunc = np.bitwise_xor


class Invert(UnaryUfunc, name="invert"):
    """All bits flipped; logical not of booleans."""

    ufunc = np.invert


_SHIFT_CASES = tuple(Case(case.shapes, low=0, high=70) for case in BinaryUfunc.cases)


class LeftShift(BinaryUfunc, name="left_shift"):
    """Bits moved up; by the width or more, or by a negative count, 0."""

    ufunc = np.left_shift
    cases = _SHIFT_CASES


class RightShift(BinaryUfunc, name="right_shift"):
    """Bits moved down, filled with the sign; by the width or more, or by a negative count, all sign."""

    ufunc = np.right_shift
    cases = _SHIFT_CASES


class BitwiseCount(UnaryUfunc, name="bitwise_count"):
    """The number of bits set in the absolute value, as uint8."""

    ufunc = np.bitwise_count


class Gcd(BinaryUfunc, name="gcd"):
    """Greatest common divisor of the absolute values."""

    ufunc = np.gcd


class Lcm(BinaryUfunc, name="lcm"):
    """Least common multiple of the absolute values; 0 if one is 0."""

    ufunc = np.lcm

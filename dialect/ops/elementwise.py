"""Elementwise ops: every op is a NumPy ufunc, from which its rules and its meaning follow.

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
from ..op import Array, BinaryElementwise, Case, Op, Operand, TensorType, UnaryElementwise, require_kind

_ERF = np.frompyfunc(math.erf, 1, 1)

# Arithmetic


class Add(BinaryElementwise, name="add"):
    """Sum of two tensors; logical or of booleans."""

    ufunc = np.add


class Subtract(BinaryElementwise, name="subtract"):
    """Difference of two tensors."""

    ufunc = np.subtract


class Multiply(BinaryElementwise, name="multiply"):
    """Product of two tensors; logical and of booleans."""

    ufunc = np.multiply


class Divide(BinaryElementwise, name="divide"):
    """True quotient of two floating or complex tensors."""

    ufunc = np.true_divide


class FloorDivide(BinaryElementwise, name="floor_divide"):
    """Quotient rounded down; an integer divided by zero is 0."""

    ufunc = np.floor_divide


class Remainder(BinaryElementwise, name="remainder"):
    """What floor division leaves, with the sign of the divisor (Python's %)."""

    ufunc = np.remainder


class Divmod(BinaryElementwise, name="divmod"):
    """The results of floor_divide and remainder together."""

    ufunc = np.divmod
    results = 2


class Fmod(BinaryElementwise, name="fmod"):
    """What division rounded towards zero leaves, with the sign of the dividend (C's fmod)."""

    ufunc = np.fmod


class Power(BinaryElementwise, name="power"):
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


class FloatPower(BinaryElementwise, name="float_power"):
    """The first operand to the power of the second, in float64 or complex128."""

    ufunc = np.float_power
    cases = Power.cases


class Negative(UnaryElementwise, name="negative"):
    """Numerical negation; unsigned integers wrap."""

    ufunc = np.negative


class Positive(UnaryElementwise, name="positive"):
    """The operand itself."""

    ufunc = np.positive


class Absolute(UnaryElementwise, name="absolute"):
    """Absolute value; of complex numbers, the magnitude. The smallest integer stays."""

    ufunc = np.absolute


class Fabs(UnaryElementwise, name="fabs"):
    """Absolute value of floating-point numbers."""

    ufunc = np.fabs


class Sign(UnaryElementwise, name="sign"):
    """-1, 0 or 1 by the sign, NaN of NaN; of complex numbers, x / abs(x)."""

    ufunc = np.sign


class Signbit(UnaryElementwise, name="signbit"):
    """Whether the sign bit is set: also of -0.0 and of NaNs."""

    ufunc = np.signbit


class Square(UnaryElementwise, name="square"):
    """The operand times itself."""

    ufunc = np.square


class Reciprocal(UnaryElementwise, name="reciprocal"):
    """One divided by the operand; of integers, rounded towards zero."""

    ufunc = np.reciprocal


class Sqrt(UnaryElementwise, name="sqrt"):
    """Square root, NaN of negative numbers; of complex numbers, the principal one."""

    ufunc = np.sqrt


class Cbrt(UnaryElementwise, name="cbrt"):
    """Cube root."""

    ufunc = np.cbrt


class Hypot(BinaryElementwise, name="hypot"):
    """Length of the hypotenuse, without overflow on the way."""

    ufunc = np.hypot


class Conjugate(UnaryElementwise, name="conjugate"):
    """Complex conjugate; of real numbers, the operand itself."""

    ufunc = np.conjugate


# Minimum and maximum


class Maximum(BinaryElementwise, name="maximum"):
    """The larger operand; NaN if one is NaN. Complex numbers are ordered by real, then imaginary part."""

    ufunc = np.maximum


class Minimum(BinaryElementwise, name="minimum"):
    """The smaller operand; NaN if one is NaN. Complex numbers are ordered by real, then imaginary part."""

    ufunc = np.minimum


class Fmax(BinaryElementwise, name="fmax"):
    """The larger operand; a NaN gives way to a number."""

    ufunc = np.fmax


class Fmin(BinaryElementwise, name="fmin"):
    """The smaller operand; a NaN gives way to a number."""

    ufunc = np.fmin


# Rounding and the parts of floating-point numbers


class Floor(UnaryElementwise, name="floor"):
    """The largest whole number that is not larger."""

    ufunc = np.floor


class Ceil(UnaryElementwise, name="ceil"):
    """The smallest whole number that is not smaller."""

    ufunc = np.ceil


class Trunc(UnaryElementwise, name="trunc"):
    """The nearest whole number towards zero."""

    ufunc = np.trunc


class Rint(UnaryElementwise, name="rint"):
    """The nearest whole number, halves to even; of complex numbers, by parts."""

    ufunc = np.rint


class Modf(UnaryElementwise, name="modf"):
    """Fraction and whole part, both with the sign of the operand."""

    ufunc = np.modf
    results = 2


class Frexp(UnaryElementwise, name="frexp"):
    """Mantissa in [0.5, 1) and int32 exponent of 2."""

    ufunc = np.frexp
    results = 2


class Ldexp(BinaryElementwise, name="ldexp"):
    """The first operand times 2 to the power of the second, an int32 or int64."""

    ufunc = np.ldexp
    cases = tuple(Case(case.shapes, low=-9, high=9) for case in BinaryElementwise.cases)

    @classmethod
    def operand_dtypes(cls) -> Iterator[tuple[np.dtype[Any], ...]]:
        """Every floating-point dtype of NumPy's own with both exponents."""
        for name in ("float16", "float32", "float64"):
            yield np.dtype(name), np.dtype(np.int32)
            yield np.dtype(name), np.dtype(np.int64)


class Copysign(BinaryElementwise, name="copysign"):
    """The first operand with the sign bit of the second."""

    ufunc = np.copysign


class Nextafter(BinaryElementwise, name="nextafter"):
    """The neighbour of the first operand in the direction of the second."""

    ufunc = np.nextafter


class Spacing(UnaryElementwise, name="spacing"):
    """The distance to the neighbour away from zero."""

    ufunc = np.spacing


class Heaviside(BinaryElementwise, name="heaviside"):
    """0 below zero, 1 above, and the second operand at zero."""

    ufunc = np.heaviside


# Exponentials and logarithms


class Exp(UnaryElementwise, name="exp"):
    """Exponential."""

    ufunc = np.exp


class Exp2(UnaryElementwise, name="exp2"):
    """2 to the power of the operand."""

    ufunc = np.exp2


class Expm1(UnaryElementwise, name="expm1"):
    """exp(x) - 1, exact near zero."""

    ufunc = np.expm1


class Log(UnaryElementwise, name="log"):
    """Natural logarithm."""

    ufunc = np.log


class Log2(UnaryElementwise, name="log2"):
    """Logarithm to base 2."""

    ufunc = np.log2


class Log10(UnaryElementwise, name="log10"):
    """Logarithm to base 10."""

    ufunc = np.log10


class Log1p(UnaryElementwise, name="log1p"):
    """log(1 + x), exact near zero."""

    ufunc = np.log1p


class Logaddexp(BinaryElementwise, name="logaddexp"):
    """log(exp(x) + exp(y)), without overflow."""

    ufunc = np.logaddexp


class Logaddexp2(BinaryElementwise, name="logaddexp2"):
    """log2(2**x + 2**y), without overflow."""

    ufunc = np.logaddexp2


class Erf(Op, name="erf", family="elementwise"):
    """Error function of real floating-point numbers."""

    x: Operand
    dtypes = "f"
    cases = UnaryElementwise.cases

    @staticmethod
    def infer(x: TensorType) -> TensorType:
        require_kind("weft.erf", x, "f")
        return x

    @staticmethod
    def evaluate(x: Array) -> Array:
        values = np.asarray(_ERF(x.astype(np.float64)), np.float64)
        return values.astype(x.dtype)


# Trigonometry


class Sin(UnaryElementwise, name="sin"):
    """Sine of an angle in radians."""

    ufunc = np.sin


class Cos(UnaryElementwise, name="cos"):
    """Cosine of an angle in radians."""

    ufunc = np.cos


class Tan(UnaryElementwise, name="tan"):
    """Tangent of an angle in radians."""

    ufunc = np.tan
    cases = tuple(Case(case.shapes, low=-1.5, high=1.5) for case in UnaryElementwise.cases)


class Arcsin(UnaryElementwise, name="arcsin"):
    """Inverse sine, NaN outside [-1, 1]."""

    ufunc = np.arcsin


class Arccos(UnaryElementwise, name="arccos"):
    """Inverse cosine, NaN outside [-1, 1]."""

    ufunc = np.arccos


class Arctan(UnaryElementwise, name="arctan"):
    """Inverse tangent."""

    ufunc = np.arctan


class Arctan2(BinaryElementwise, name="arctan2"):
    """Angle of the point with ordinate x and abscissa y, in the right quadrant."""

    ufunc = np.arctan2


class Sinh(UnaryElementwise, name="sinh"):
    """Hyperbolic sine."""

    ufunc = np.sinh


class Cosh(UnaryElementwise, name="cosh"):
    """Hyperbolic cosine."""

    ufunc = np.cosh


class Tanh(UnaryElementwise, name="tanh"):
    """Hyperbolic tangent."""

    ufunc = np.tanh


class Arcsinh(UnaryElementwise, name="arcsinh"):
    """Inverse hyperbolic sine."""

    ufunc = np.arcsinh


class Arccosh(UnaryElementwise, name="arccosh"):
    """Inverse hyperbolic cosine, NaN below 1."""

    ufunc = np.arccosh
    cases = tuple(Case(case.shapes, low=1, high=9) for case in UnaryElementwise.cases)


class Arctanh(UnaryElementwise, name="arctanh"):
    """Inverse hyperbolic tangent, NaN outside [-1, 1]."""

    ufunc = np.arctanh
    cases = tuple(Case(case.shapes, low=-1, high=1) for case in UnaryElementwise.cases)


class Deg2rad(UnaryElementwise, name="deg2rad"):
    """Degrees to radians."""

    ufunc = np.deg2rad


class Rad2deg(UnaryElementwise, name="rad2deg"):
    """Radians to degrees."""

    ufunc = np.rad2deg


# Comparison


class Comparison(BinaryElementwise):
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


class Isnan(UnaryElementwise, name="isnan"):
    """Whether the operand, or a part of it, is NaN."""

    ufunc = np.isnan


class Isinf(UnaryElementwise, name="isinf"):
    """Whether the operand, or a part of it, is infinite."""

    ufunc = np.isinf


class Isfinite(UnaryElementwise, name="isfinite"):
    """Whether the operand is neither infinite nor NaN."""

    ufunc = np.isfinite


# Logic and bits


class LogicalAnd(BinaryElementwise, name="logical_and"):
    """Whether both operands are nonzero."""

    ufunc = np.logical_and


class LogicalOr(BinaryElementwise, name="logical_or"):
    """Whether one of the operands is nonzero."""

    ufunc = np.logical_or


class LogicalXor(BinaryElementwise, name="logical_xor"):
    """Whether exactly one of the operands is nonzero."""

    ufunc = np.logical_xor


class LogicalNot(UnaryElementwise, name="logical_not"):
    """Whether the operand is zero."""

    ufunc = np.logical_not


class BitwiseAnd(BinaryElementwise, name="bitwise_and"):
    """And of the bits of integers or booleans."""

    ufunc = np.bitwise_and


class BitwiseOr(BinaryElementwise, name="bitwise_or"):
    """Or of the bits of integers or booleans."""

    ufunc = np.bitwise_or


class BitwiseXor(BinaryElementwise, name="bitwise_xor"):
    """Exclusive or of the bits of integers or booleans."""

    ufunc = np.bitwise_xor


class Invert(UnaryElementwise, name="invert"):
    """All bits flipped; logical not of booleans."""

    ufunc = np.invert


_SHIFT_CASES = tuple(Case(case.shapes, low=0, high=70) for case in BinaryElementwise.cases)


class LeftShift(BinaryElementwise, name="left_shift"):
    """Bits moved up; by the width or more, or by a negative count, 0."""

    ufunc = np.left_shift
    cases = _SHIFT_CASES


class RightShift(BinaryElementwise, name="right_shift"):
    """Bits moved down, filled with the sign; by the width or more, or by a negative count, all sign."""

    ufunc = np.right_shift
    cases = _SHIFT_CASES


class BitwiseCount(UnaryElementwise, name="bitwise_count"):
    """The number of bits set in the absolute value, as uint8."""

    ufunc = np.bitwise_count


class Gcd(BinaryElementwise, name="gcd"):
    """Greatest common divisor of the absolute values."""

    ufunc = np.gcd


class Lcm(BinaryElementwise, name="lcm"):
    """Least common multiple of the absolute values; 0 if one is 0."""

    ufunc = np.lcm

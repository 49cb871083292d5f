"""Elementwise ops: nearly every one is a NumPy ufunc, from which its rules and its meaning follow.

A ufunc's result for an operand dtype is what NumPy's loop computes. Where C leaves a result open the ops
are defined: integers wrap, an integer divided by zero is 0, shifts by the width or more give 0 or the sign,
and a negative exponent of an integer counts as 0 (the array namespace raises NumPy's error before that).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np

from ..dtypes import kind
from ..op import (
    Array,
    BinaryUfunc,
    Case,
    Cost,
    Elementwise,
    Op,
    Operand,
    TensorType,
    UnaryUfunc,
    require_kind,
)
from ..types import type_of

# Arithmetic


class Add(BinaryUfunc, name="add", cost=Cost.CHEAP, example="([1, 2], 3) -> array([4, 5])"):
    """Sum of two tensors; logical or of booleans."""


class Subtract(BinaryUfunc, name="subtract", cost=Cost.CHEAP, example="([1, 2], 3) -> array([-2, -1])"):
    """Difference of two tensors."""


class Multiply(BinaryUfunc, name="multiply", cost=Cost.CHEAP, example="([1, 2], 3) -> array([3, 6])"):
    """Product of two tensors; logical and of booleans."""


class Divide(BinaryUfunc, name="divide", cost=Cost.SLOW, example="([1, 2], 2) -> array([0.5, 1. ])"):
    """True quotient of two floating or complex tensors."""


class FloorDivide(
    BinaryUfunc, name="floor_divide", cost=Cost.SLOW, example="([7, -7], 2) -> array([ 3, -4])"
):
    """Quotient rounded down; an integer divided by zero is 0."""


class Remainder(BinaryUfunc, name="remainder", cost=Cost.SLOW, example="([7, -7], 3) -> array([1, 2])"):
    """What floor division leaves, with the sign of the divisor (Python's %)."""


class Divmod(
    BinaryUfunc, name="divmod", cost=Cost.SLOW, example="([7, -7], 2) -> (array([ 3, -4]), array([1, 1]))"
):
    """The results of floor_divide and remainder together."""

    results = 2


class Fmod(BinaryUfunc, name="fmod", cost=Cost.EXPENSIVE, example="([7, -7], 3) -> array([ 1, -1])"):
    """What division rounded towards zero leaves, with the sign of the dividend (C's fmod)."""


class Power(BinaryUfunc, name="power", elementary="powf", example="([2, 3], 2) -> array([4, 9])"):
    """The first operand to the power of the second; a negative exponent of an integer counts as 0."""

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


class FloatPower(
    BinaryUfunc, name="float_power", elementary="powf", example="([2, 3], 2) -> array([4., 9.])"
):
    """The first operand to the power of the second, in float64 or complex128."""

    cases = Power.cases


class Negative(UnaryUfunc, name="negative", cost=Cost.CHEAP, example="([1, -2]) -> array([-1,  2])"):
    """Numerical negation; unsigned integers wrap."""


class Positive(UnaryUfunc, name="positive", cost=Cost.CHEAP, example="([1, -2]) -> array([ 1, -2])"):
    """The operand itself."""


class Absolute(UnaryUfunc, name="absolute", cost=Cost.CHEAP, example="([1, -2]) -> array([1, 2])"):
    """Absolute value; of complex numbers, the magnitude. The smallest integer stays."""


class Fabs(UnaryUfunc, name="fabs", cost=Cost.CHEAP, example="([1, -2]) -> array([1., 2.])"):
    """Absolute value of floating-point numbers."""


class Sign(UnaryUfunc, name="sign", cost=Cost.CHEAP, example="([3, -2, 0]) -> array([ 1, -1,  0])"):
    """-1, 0 or 1 by the sign, NaN of NaN; of complex numbers, x / abs(x)."""


class Signbit(UnaryUfunc, name="signbit", cost=Cost.CHEAP, example="([1.0, -0.0]) -> array([False,  True])"):
    """Whether the sign bit is set: also of -0.0 and of NaNs."""


class Square(UnaryUfunc, name="square", cost=Cost.CHEAP, example="([2, 3]) -> array([4, 9])"):
    """The operand times itself."""


class Reciprocal(
    UnaryUfunc, name="reciprocal", cost=Cost.SLOW, example="([2.0, 4.0]) -> array([0.5 , 0.25])"
):
    """One divided by the operand; of integers, rounded towards zero."""


class Sqrt(UnaryUfunc, name="sqrt", cost=Cost.SLOW, example="([4, 9]) -> array([2., 3.])"):
    """Square root, NaN of negative numbers; of complex numbers, the principal one."""


class Cbrt(UnaryUfunc, name="cbrt", elementary="cbrt", example="([8, 27]) -> array([2., 3.])"):
    """Cube root."""


class Hypot(BinaryUfunc, name="hypot", cost=Cost.EXPENSIVE, example="([3, 5], [4, 12]) -> array([ 5., 13.])"):
    """Length of the hypotenuse, without overflow on the way."""


class Conjugate(UnaryUfunc, name="conjugate", cost=Cost.CHEAP, example="([1 + 2j]) -> array([1.-2.j])"):
    """Complex conjugate; of real numbers, the operand itself."""


# Minimum and maximum


class Maximum(BinaryUfunc, name="maximum", cost=Cost.CHEAP, example="([1, 5], 3) -> array([3, 5])"):
    """The larger operand; NaN if one is NaN. Complex numbers are ordered by real, then imaginary part."""


class Minimum(BinaryUfunc, name="minimum", cost=Cost.CHEAP, example="([1, 5], 3) -> array([1, 3])"):
    """The smaller operand; NaN if one is NaN. Complex numbers are ordered by real, then imaginary part."""


class Fmax(BinaryUfunc, name="fmax", cost=Cost.CHEAP, example="([np.nan, 5], 3) -> array([3., 5.])"):
    """The larger operand; a NaN gives way to a number."""


class Fmin(BinaryUfunc, name="fmin", cost=Cost.CHEAP, example="([np.nan, 5], 3) -> array([3., 3.])"):
    """The smaller operand; a NaN gives way to a number."""


# Rounding and the parts of floating-point numbers


class Floor(UnaryUfunc, name="floor", cost=Cost.CHEAP, example="([1.5, -1.5]) -> array([ 1., -2.])"):
    """The largest whole number that is not larger."""


class Ceil(UnaryUfunc, name="ceil", cost=Cost.CHEAP, example="([1.5, -1.5]) -> array([ 2., -1.])"):
    """The smallest whole number that is not smaller."""


class Trunc(UnaryUfunc, name="trunc", cost=Cost.CHEAP, example="([1.5, -1.5]) -> array([ 1., -1.])"):
    """The nearest whole number towards zero."""


class Rint(UnaryUfunc, name="rint", cost=Cost.CHEAP, example="([0.5, 1.5]) -> array([0., 2.])"):
    """The nearest whole number, halves to even; of complex numbers, by parts."""


class Modf(
    UnaryUfunc,
    name="modf",
    cost=Cost.SLOW,
    example="([1.5, -1.5]) -> (array([ 0.5, -0.5]), array([ 1., -1.]))",
):
    """Fraction and whole part, both with the sign of the operand."""

    results = 2


class Frexp(
    UnaryUfunc,
    name="frexp",
    cost=Cost.SLOW,
    example="([8.0, 3.0]) -> (array([0.5 , 0.75]), array([4, 2], dtype=int32))",
):
    """Mantissa in [0.5, 1) and int32 exponent of 2."""

    results = 2


class Ldexp(BinaryUfunc, name="ldexp", cost=Cost.SLOW, example="([0.5, 0.75], [4, 2]) -> array([8., 3.])"):
    """The first operand times 2 to the power of the second, an int32 or int64."""

    cases = tuple(Case(case.shapes, low=-9, high=9) for case in BinaryUfunc.cases)

    @classmethod
    def operand_dtypes(cls) -> Iterator[tuple[np.dtype[Any], ...]]:
        """Every floating-point dtype of NumPy's own with both exponents."""
        for name in ("float16", "float32", "float64"):
            yield np.dtype(name), np.dtype(np.int32)
            yield np.dtype(name), np.dtype(np.int64)


class Copysign(BinaryUfunc, name="copysign", cost=Cost.CHEAP, example="([1, 2], -1) -> array([-1., -2.])"):
    """The first operand with the sign bit of the second."""


class Nextafter(BinaryUfunc, name="nextafter", cost=Cost.EXPENSIVE, example="([0.0], 1) -> array([5.e-324])"):
    """The neighbour of the first operand in the direction of the second."""


class Spacing(UnaryUfunc, name="spacing", cost=Cost.EXPENSIVE, example="([1.0]) -> array([2.22044605e-16])"):
    """The distance to the neighbour away from zero."""


class Heaviside(
    BinaryUfunc, name="heaviside", cost=Cost.CHEAP, example="([-1, 0, 1], 0.5) -> array([0. , 0.5, 1. ])"
):
    """0 below zero, 1 above, and the second operand at zero."""


# Exponentials and logarithms


class Exp(UnaryUfunc, name="exp", elementary="exp", example="([0, 1]) -> array([1.        , 2.71828183])"):
    """Exponential."""


class Exp2(UnaryUfunc, name="exp2", elementary="exp2", example="([0, 3]) -> array([1., 8.])"):
    """2 to the power of the operand."""


class Expm1(UnaryUfunc, name="expm1", elementary="expm1", example="([0, 1e-10]) -> array([0.e+00, 1.e-10])"):
    """exp(x) - 1, exact near zero."""


class Log(UnaryUfunc, name="log", elementary="log", example="([1, np.e]) -> array([0., 1.])"):
    """Natural logarithm."""


class Log2(UnaryUfunc, name="log2", elementary="log2", example="([1, 8]) -> array([0., 3.])"):
    """Logarithm to base 2."""


class Log10(UnaryUfunc, name="log10", elementary="log10", example="([1, 1000]) -> array([0., 3.])"):
    """Logarithm to base 10."""


class Log1p(UnaryUfunc, name="log1p", elementary="log1p", example="([0, 1e-10]) -> array([0.e+00, 1.e-10])"):
    """log(1 + x), exact near zero."""


class Logaddexp(
    BinaryUfunc, name="logaddexp", cost=Cost.EXPENSIVE, example="([0.0], 0.0) -> array([0.69314718])"
):
    """log(exp(x) + exp(y)), without overflow."""


class Logaddexp2(BinaryUfunc, name="logaddexp2", cost=Cost.EXPENSIVE, example="([1.0], 1.0) -> array([2.])"):
    """log2(2**x + 2**y), without overflow."""


class RealFunction(Elementwise, family="elementwise"):
    """Base of the functions of real floating-point numbers that Python's `math` has and NumPy has not."""

    x: Operand
    dtypes = "f"
    cases = UnaryUfunc.cases
    of_float: ClassVar[Callable[[float], float]]

    @classmethod
    def infer(cls, x: TensorType) -> TensorType:
        """The result has the type of the operand."""
        require_kind(cls.mlir_name(), x, cls.dtypes)
        return x

    @classmethod
    def evaluate(cls, x: Array) -> Array:
        """Call the function of Python on every element."""
        require_kind(cls.mlir_name(), type_of(x), cls.dtypes)
        values = np.frompyfunc(cls.of_float, 1, 1)(x.astype(np.float64))
        return np.asarray(values, np.float64).astype(x.dtype)


class Erf(RealFunction, name="erf", elementary="erf"):
    """Error function of real floating-point numbers."""

    of_float = math.erf


class Erfc(RealFunction, name="erfc", elementary="erfc"):
    """Complement of the error function, 1 - erf(x), of real floating-point numbers; exact where erf(x) is nearly 1."""

    of_float = math.erfc


# Trigonometry


class Sin(UnaryUfunc, name="sin", elementary="sin", example="([0, np.pi / 2]) -> array([0., 1.])"):
    """Sine of an angle in radians."""


class Cos(UnaryUfunc, name="cos", elementary="cos", example="([0, np.pi]) -> array([ 1., -1.])"):
    """Cosine of an angle in radians."""


class Tan(UnaryUfunc, name="tan", elementary="tan", example="([0, np.pi / 4]) -> array([0., 1.])"):
    """Tangent of an angle in radians."""

    cases = tuple(Case(case.shapes, low=-1.5, high=1.5) for case in UnaryUfunc.cases)


class Arcsin(
    UnaryUfunc, name="arcsin", elementary="asin", example="([0, 1]) -> array([0.        , 1.57079633])"
):
    """Inverse sine, NaN outside [-1, 1]."""


class Arccos(
    UnaryUfunc, name="arccos", elementary="acos", example="([1, -1]) -> array([0.        , 3.14159265])"
):
    """Inverse cosine, NaN outside [-1, 1]."""


class Arctan(
    UnaryUfunc, name="arctan", elementary="atan", example="([0, 1]) -> array([0.        , 0.78539816])"
):
    """Inverse tangent."""


class Arctan2(
    BinaryUfunc,
    name="arctan2",
    elementary="atan2",
    example="([1, -1], [1, 1]) -> array([ 0.78539816, -0.78539816])",
):
    """Angle of the point with ordinate x and abscissa y, in the right quadrant."""


class Sinh(UnaryUfunc, name="sinh", elementary="sinh", example="([0, 1]) -> array([0.        , 1.17520119])"):
    """Hyperbolic sine."""


class Cosh(UnaryUfunc, name="cosh", elementary="cosh", example="([0, 1]) -> array([1.        , 1.54308063])"):
    """Hyperbolic cosine."""


class Tanh(UnaryUfunc, name="tanh", elementary="tanh", example="([0, 1]) -> array([0.        , 0.76159416])"):
    """Hyperbolic tangent."""


class Arcsinh(
    UnaryUfunc, name="arcsinh", elementary="asinh", example="([0, 1]) -> array([0.        , 0.88137359])"
):
    """Inverse hyperbolic sine."""


class Arccosh(
    UnaryUfunc, name="arccosh", elementary="acosh", example="([1, 2]) -> array([0.       , 1.3169579])"
):
    """Inverse hyperbolic cosine, NaN below 1."""

    cases = tuple(Case(case.shapes, low=1, high=9) for case in UnaryUfunc.cases)


class Arctanh(
    UnaryUfunc, name="arctanh", elementary="atanh", example="([0, 0.5]) -> array([0.        , 0.54930614])"
):
    """Inverse hyperbolic tangent, NaN outside [-1, 1]."""

    cases = tuple(Case(case.shapes, low=-1, high=1) for case in UnaryUfunc.cases)


class Deg2rad(
    UnaryUfunc, name="deg2rad", cost=Cost.CHEAP, example="([0, 180]) -> array([0.        , 3.14159265])"
):
    """Degrees to radians."""


class Rad2deg(UnaryUfunc, name="rad2deg", cost=Cost.CHEAP, example="([0, np.pi]) -> array([  0., 180.])"):
    """Radians to degrees."""


# Comparison


class Comparison(BinaryUfunc):
    """Base of the comparisons, which also take int64 and uint64 together and compare them exactly."""

    @classmethod
    def operand_dtypes(cls) -> Iterator[tuple[np.dtype[Any], ...]]:
        """Every loop of one dtype, and the two of mixed signs."""
        yield from super().operand_dtypes()
        yield np.dtype(np.int64), np.dtype(np.uint64)
        yield np.dtype(np.uint64), np.dtype(np.int64)


class Equal(Comparison, name="equal", cost=Cost.CHEAP, example="([1, 2], 2) -> array([False,  True])"):
    """Whether the operands are equal."""


class NotEqual(Comparison, name="not_equal", cost=Cost.CHEAP, example="([1, 2], 2) -> array([ True, False])"):
    """Whether the operands differ; a NaN differs from everything."""


class Less(Comparison, name="less", cost=Cost.CHEAP, example="([1, 2], 2) -> array([ True, False])"):
    """Whether the first operand is smaller."""


class LessEqual(
    Comparison, name="less_equal", cost=Cost.CHEAP, example="([1, 2], 2) -> array([ True,  True])"
):
    """Whether the first operand is smaller or equal."""


class Greater(Comparison, name="greater", cost=Cost.CHEAP, example="([1, 2], 1) -> array([False,  True])"):
    """Whether the first operand is larger."""


class GreaterEqual(
    Comparison, name="greater_equal", cost=Cost.CHEAP, example="([1, 2], 2) -> array([False,  True])"
):
    """Whether the first operand is larger or equal."""


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


class Isnan(UnaryUfunc, name="isnan", cost=Cost.CHEAP, example="([1, np.nan]) -> array([False,  True])"):
    """Whether the operand, or a part of it, is NaN."""


class Isinf(UnaryUfunc, name="isinf", cost=Cost.CHEAP, example="([1, -np.inf]) -> array([False,  True])"):
    """Whether the operand, or a part of it, is infinite."""


class Isfinite(
    UnaryUfunc, name="isfinite", cost=Cost.CHEAP, example="([1, np.nan]) -> array([ True, False])"
):
    """Whether the operand is neither infinite nor NaN."""


# Logic and bits


class LogicalAnd(
    BinaryUfunc, name="logical_and", cost=Cost.CHEAP, example="([0, 2], 1) -> array([False,  True])"
):
    """Whether both operands are nonzero."""


class LogicalOr(
    BinaryUfunc, name="logical_or", cost=Cost.CHEAP, example="([0, 2], 0) -> array([False,  True])"
):
    """Whether one of the operands is nonzero."""


class LogicalXor(
    BinaryUfunc, name="logical_xor", cost=Cost.CHEAP, example="([0, 2], 1) -> array([ True, False])"
):
    """Whether exactly one of the operands is nonzero."""


class LogicalNot(
    UnaryUfunc, name="logical_not", cost=Cost.CHEAP, example="([0, 2]) -> array([ True, False])"
):
    """Whether the operand is zero."""


class BitwiseAnd(BinaryUfunc, name="bitwise_and", cost=Cost.CHEAP, example="([6, 5], 3) -> array([2, 1])"):
    """And of the bits of integers or booleans."""


class BitwiseOr(BinaryUfunc, name="bitwise_or", cost=Cost.CHEAP, example="([6, 5], 3) -> array([7, 7])"):
    """Or of the bits of integers or booleans."""


class BitwiseXor(BinaryUfunc, name="bitwise_xor", cost=Cost.CHEAP, example="([6, 5], 3) -> array([5, 6])"):
    """Exclusive or of the bits of integers or booleans."""


class Invert(UnaryUfunc, name="invert", cost=Cost.CHEAP, example="([0, 5]) -> array([-1, -6])"):
    """All bits flipped; logical not of booleans."""

    aliases = (
        "bitwise_invert",
        "bitwise_not",
    )


_SHIFT_CASES = tuple(Case(case.shapes, low=0, high=70) for case in BinaryUfunc.cases)


class LeftShift(BinaryUfunc, name="left_shift", cost=Cost.CHEAP, example="([1, 2], 3) -> array([ 8, 16])"):
    """Bits moved up; by the width or more, or by a negative count, 0."""

    cases = _SHIFT_CASES


class RightShift(BinaryUfunc, name="right_shift", cost=Cost.CHEAP, example="([8, 17], 3) -> array([1, 2])"):
    """Bits moved down, filled with the sign; by the width or more, or by a negative count, all sign."""

    cases = _SHIFT_CASES


class BitwiseCount(
    UnaryUfunc, name="bitwise_count", cost=Cost.CHEAP, example="([7, 8]) -> array([3, 1], dtype=uint8)"
):
    """The number of bits set in the absolute value, as uint8."""


class Gcd(BinaryUfunc, name="gcd", cost=Cost.EXPENSIVE, example="([12, 7], 8) -> array([4, 1])"):
    """Greatest common divisor of the absolute values."""


class Lcm(BinaryUfunc, name="lcm", cost=Cost.EXPENSIVE, example="([4, 5], 6) -> array([12, 30])"):
    """Least common multiple of the absolute values; 0 if one is 0."""

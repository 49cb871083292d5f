"""Elementwise arithmetic, minima and maxima, rounding: ufuncs of NumPy, from which rules and meaning follow.

A ufunc's result for an operand dtype is what NumPy's loop computes. Where C leaves a result open the ops
are defined: integers wrap, an integer divided by zero is 0, shifts by the width or more give 0 or the sign,
and a negative exponent of an integer counts as 0 (the array namespace raises NumPy's error before that).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..derivatives import Choice
from ..dtypes import kind
from ..emitter import Emitter, Tensor
from ..op import Array, BinaryUfunc, Case, Cost, UnaryUfunc

# Arithmetic


class Add(BinaryUfunc, name="add", cost=Cost.CHEAP, example="([1, 2], 3) -> array([4, 5])"):
    """Sum of two tensors; logical or of booleans."""

    partials = (1, 1)


class Subtract(BinaryUfunc, name="subtract", cost=Cost.CHEAP, example="([1, 2], 3) -> array([-2, -1])"):
    """Difference of two tensors."""

    partials = (1, -1)


class Multiply(BinaryUfunc, name="multiply", cost=Cost.CHEAP, example="([1, 2], 3) -> array([3, 6])"):
    """Product of two tensors; logical and of booleans."""

    partials = (lambda b, x, y, r: y, lambda b, x, y, r: x)


class Divide(BinaryUfunc, name="divide", cost=Cost.SLOW, example="([1, 2], 2) -> array([0.5, 1. ])"):
    """True quotient of two floating or complex tensors."""

    partials = (lambda b, x, y, r: 1 / y, lambda b, x, y, r: -r / y)
    singular = True


class FloorDivide(
    BinaryUfunc, name="floor_divide", cost=Cost.SLOW, example="([7, -7], 2) -> array([ 3, -4])"
):
    """Quotient rounded down; an integer divided by zero is 0."""

    flat = True


class Remainder(BinaryUfunc, name="remainder", cost=Cost.SLOW, example="([7, -7], 3) -> array([1, 2])"):
    """What floor division leaves, with the sign of the divisor (Python's %)."""

    partials = (1, lambda b, x, y, r: -b.floor_divide(x, y))


class Divmod(
    BinaryUfunc, name="divmod", cost=Cost.SLOW, example="([7, -7], 2) -> (array([ 3, -4]), array([1, 1]))"
):
    """The results of floor_divide and remainder together."""

    partials = ((None, None), (1, lambda b, x, y, quotient, rest: -quotient))

    results = 2


class Fmod(BinaryUfunc, name="fmod", cost=Cost.EXPENSIVE, example="([7, -7], 3) -> array([ 1, -1])"):
    """What division rounded towards zero leaves, with the sign of the dividend (C's fmod)."""

    partials = (1, lambda b, x, y, r: -b.trunc(x / y))


class Power(BinaryUfunc, name="power", elementary="powf", example="([2, 3], 2) -> array([4, 9])"):
    """The first operand to the power of the second; a negative exponent of an integer counts as 0."""

    partials = (
        lambda b, x, y, r: b.select(y.equals(0), 0, y * b.power(x, y - 1)),
        lambda b, x, y, r: b.select(x.equals(0), 0, r * b.log(x)),
    )
    singular = True

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

    partials = Power.partials
    singular = True

    cases = Power.cases


class Negative(UnaryUfunc, name="negative", cost=Cost.CHEAP, example="([1, -2]) -> array([-1,  2])"):
    """Numerical negation; unsigned integers wrap."""

    partials = (-1,)


class Positive(UnaryUfunc, name="positive", cost=Cost.CHEAP, example="([1, -2]) -> array([ 1, -2])"):
    """The operand itself."""

    partials = (1,)


class Absolute(UnaryUfunc, name="absolute", cost=Cost.CHEAP, example="([1, -2]) -> array([1, 2])"):
    """Absolute value; of complex numbers, the magnitude. The smallest integer stays."""

    partials = (lambda b, x, r: b.conj(b.sign(x)),)


class Fabs(UnaryUfunc, name="fabs", cost=Cost.CHEAP, example="([1, -2]) -> array([1., 2.])"):
    """Absolute value of floating-point numbers."""

    partials = (lambda b, x, r: b.sign(x),)


class Sign(UnaryUfunc, name="sign", cost=Cost.CHEAP, example="([3, -2, 0]) -> array([ 1, -1,  0])"):
    """-1, 0 or 1 by the sign, NaN of NaN; of complex numbers, x / abs(x)."""

    @staticmethod
    def vjp(b: Emitter, g: Tensor, x: Tensor, r: Tensor) -> Tensor:
        """Complex numbers turn across their direction; what lies along it is lost. Jᵀ is J."""
        if not x.is_complex:
            return b.zeros_like(x)
        along = b.converted(b.real(b.conj(r) * g), g.dtype)
        across = (g - along * r) / b.converted(b.absolute(x), g.dtype)
        return b.one("select", r.equals(0), 0, across)

    jvp = vjp


class Signbit(UnaryUfunc, name="signbit", cost=Cost.CHEAP, example="([1.0, -0.0]) -> array([False,  True])"):
    """Whether the sign bit is set: also of -0.0 and of NaNs."""


class Square(UnaryUfunc, name="square", cost=Cost.CHEAP, example="([2, 3]) -> array([4, 9])"):
    """The operand times itself."""

    partials = (lambda b, x, r: 2 * x,)


class Reciprocal(
    UnaryUfunc, name="reciprocal", cost=Cost.SLOW, example="([2.0, 4.0]) -> array([0.5 , 0.25])"
):
    """One divided by the operand; of integers, rounded towards zero."""

    partials = (lambda b, x, r: -r * r,)
    singular = True


class Sqrt(UnaryUfunc, name="sqrt", cost=Cost.SLOW, example="([4, 9]) -> array([2., 3.])"):
    """Square root, NaN of negative numbers; of complex numbers, the principal one."""

    partials = (lambda b, x, r: 0.5 / r,)
    singular = True


class Cbrt(UnaryUfunc, name="cbrt", elementary="cbrt", example="([8, 27]) -> array([2., 3.])"):
    """Cube root."""

    partials = (lambda b, x, r: 1 / (3 * r * r),)
    singular = True


class Hypot(BinaryUfunc, name="hypot", cost=Cost.EXPENSIVE, example="([3, 5], [4, 12]) -> array([ 5., 13.])"):
    """Length of the hypotenuse, without overflow on the way."""

    partials = (lambda b, x, y, r: x / r, lambda b, x, y, r: y / r)
    singular = True


class Conjugate(UnaryUfunc, name="conjugate", cost=Cost.CHEAP, example="([1 + 2j]) -> array([1.-2.j])"):
    """Complex conjugate; of real numbers, the operand itself."""

    linear = ("x",)

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor) -> Tensor:
        """The conjugate."""
        return b.conj(g)


# Minimum and maximum


class Maximum(BinaryUfunc, name="maximum", cost=Cost.CHEAP, example="([1, 5], 3) -> array([3, 5])"):
    """The larger operand; NaN if one is NaN. Complex numbers are ordered by real, then imaginary part."""

    partials = (Choice(lambda b, x, y, r: x > y), Choice(lambda b, x, y, r: y > x))


class Minimum(BinaryUfunc, name="minimum", cost=Cost.CHEAP, example="([1, 5], 3) -> array([1, 3])"):
    """The smaller operand; NaN if one is NaN. Complex numbers are ordered by real, then imaginary part."""

    partials = (Choice(lambda b, x, y, r: x < y), Choice(lambda b, x, y, r: y < x))


class Fmax(BinaryUfunc, name="fmax", cost=Cost.CHEAP, example="([np.nan, 5], 3) -> array([3., 5.])"):
    """The larger operand; a NaN gives way to a number."""

    partials = (
        Choice(lambda b, x, y, r: (x > y) | b.isnan(y)),
        Choice(lambda b, x, y, r: (y > x) | b.isnan(x)),
    )


class Fmin(BinaryUfunc, name="fmin", cost=Cost.CHEAP, example="([np.nan, 5], 3) -> array([3., 3.])"):
    """The smaller operand; a NaN gives way to a number."""

    partials = (
        Choice(lambda b, x, y, r: (x < y) | b.isnan(y)),
        Choice(lambda b, x, y, r: (y < x) | b.isnan(x)),
    )


# Rounding and the parts of floating-point numbers


class Floor(UnaryUfunc, name="floor", cost=Cost.CHEAP, example="([1.5, -1.5]) -> array([ 1., -2.])"):
    """The largest whole number that is not larger."""

    flat = True


class Ceil(UnaryUfunc, name="ceil", cost=Cost.CHEAP, example="([1.5, -1.5]) -> array([ 2., -1.])"):
    """The smallest whole number that is not smaller."""

    flat = True


class Trunc(UnaryUfunc, name="trunc", cost=Cost.CHEAP, example="([1.5, -1.5]) -> array([ 1., -1.])"):
    """The nearest whole number towards zero."""

    flat = True


class Rint(UnaryUfunc, name="rint", cost=Cost.CHEAP, example="([0.5, 1.5]) -> array([0., 2.])"):
    """The nearest whole number, halves to even; of complex numbers, by parts."""

    flat = True


class Modf(
    UnaryUfunc,
    name="modf",
    cost=Cost.SLOW,
    example="([1.5, -1.5]) -> (array([ 0.5, -0.5]), array([ 1., -1.]))",
):
    """Fraction and whole part, both with the sign of the operand."""

    partials = ((1,), (None,))

    results = 2


class Frexp(
    UnaryUfunc,
    name="frexp",
    cost=Cost.SLOW,
    example="([8.0, 3.0]) -> (array([0.5 , 0.75]), array([4, 2], dtype=int32))",
):
    """Mantissa in [0.5, 1) and int32 exponent of 2."""

    partials = ((lambda b, x, mantissa, exponent: b.ldexp(b.number(1, x.dtype), -exponent),), (None,))

    results = 2


class Ldexp(BinaryUfunc, name="ldexp", cost=Cost.SLOW, example="([0.5, 0.75], [4, 2]) -> array([8., 3.])"):
    """The first operand times 2 to the power of the second, an int32 or int64."""

    partials = (lambda b, x, y, r: b.ldexp(b.number(1, x.dtype), y), None)

    cases = tuple(Case(case.shapes, low=-9, high=9) for case in BinaryUfunc.cases)

    @classmethod
    def operand_dtypes(cls) -> Iterator[tuple[np.dtype[Any], ...]]:
        """Every floating-point dtype of NumPy's own with both exponents."""
        for name in ("float16", "float32", "float64"):
            yield np.dtype(name), np.dtype(np.int32)
            yield np.dtype(name), np.dtype(np.int64)


class Copysign(BinaryUfunc, name="copysign", cost=Cost.CHEAP, example="([1, 2], -1) -> array([-1., -2.])"):
    """The first operand with the sign bit of the second."""

    partials = (lambda b, x, y, r: b.copysign(b.copysign(b.number(1, x.dtype), x), x * y), None)


class Nextafter(BinaryUfunc, name="nextafter", cost=Cost.EXPENSIVE, example="([0.0], 1) -> array([5.e-324])"):
    """The neighbour of the first operand in the direction of the second."""

    partials = (1, None)


class Spacing(UnaryUfunc, name="spacing", cost=Cost.EXPENSIVE, example="([1.0]) -> array([2.22044605e-16])"):
    """The distance to the neighbour away from zero."""

    flat = True


class Heaviside(
    BinaryUfunc, name="heaviside", cost=Cost.CHEAP, example="([-1, 0, 1], 0.5) -> array([0. , 0.5, 1. ])"
):
    """0 below zero, 1 above, and the second operand at zero."""

    partials = (None, Choice(lambda b, x, y, r: x.equals(0)))

"""Elementary functions of every element: exponentials, logarithms, error functions, trigonometry."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import ClassVar

import numpy as np

from ..emitter import Emitter, Tensor
from ..op import Array, BinaryUfunc, Case, Cost, Elementwise, Operand, TensorType, UnaryUfunc, require_kind
from ..types import type_of

# Exponentials and logarithms


def _behind(b: Emitter, x: Tensor, r: Tensor) -> Tensor:
    """x - r, which is 0 where both are the same infinity."""
    found: Tensor = b.select(x.equals(r), 0, x - r)
    return found


class Exp(UnaryUfunc, name="exp", elementary="exp", example="([0, 1]) -> array([1.        , 2.71828183])"):
    """Exponential."""

    partials = (lambda b, x, r: r,)


class Exp2(UnaryUfunc, name="exp2", elementary="exp2", example="([0, 3]) -> array([1., 8.])"):
    """2 to the power of the operand."""

    partials = (lambda b, x, r: math.log(2) * r,)


class Expm1(UnaryUfunc, name="expm1", elementary="expm1", example="([0, 1e-10]) -> array([0.e+00, 1.e-10])"):
    """exp(x) - 1, exact near zero."""

    partials = (lambda b, x, r: r + 1,)


class Log(UnaryUfunc, name="log", elementary="log", example="([1, np.e]) -> array([0., 1.])"):
    """Natural logarithm."""

    partials = (lambda b, x, r: 1 / x,)
    singular = True


class Log2(UnaryUfunc, name="log2", elementary="log2", example="([1, 8]) -> array([0., 3.])"):
    """Logarithm to base 2."""

    partials = (lambda b, x, r: 1 / (math.log(2) * x),)
    singular = True


class Log10(UnaryUfunc, name="log10", elementary="log10", example="([1, 1000]) -> array([0., 3.])"):
    """Logarithm to base 10."""

    partials = (lambda b, x, r: 1 / (math.log(10) * x),)
    singular = True


class Log1p(UnaryUfunc, name="log1p", elementary="log1p", example="([0, 1e-10]) -> array([0.e+00, 1.e-10])"):
    """log(1 + x), exact near zero."""

    partials = (lambda b, x, r: 1 / (1 + x),)
    singular = True


class Logaddexp(
    BinaryUfunc, name="logaddexp", cost=Cost.EXPENSIVE, example="([0.0], 0.0) -> array([0.69314718])"
):
    """log(exp(x) + exp(y)), without overflow."""

    partials = (
        lambda b, x, y, r: b.exp(_behind(b, x, r)),
        lambda b, x, y, r: b.exp(_behind(b, y, r)),
    )


class Logaddexp2(BinaryUfunc, name="logaddexp2", cost=Cost.EXPENSIVE, example="([1.0], 1.0) -> array([2.])"):
    """log2(2**x + 2**y), without overflow."""

    partials = (
        lambda b, x, y, r: b.exp2(_behind(b, x, r)),
        lambda b, x, y, r: b.exp2(_behind(b, y, r)),
    )


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

    partials = (lambda b, x, r: 2 / math.sqrt(math.pi) * b.exp(-x * x),)

    of_float = math.erf


class Erfc(RealFunction, name="erfc", elementary="erfc"):
    """Complement of the error function, 1 - erf(x), of real floating-point numbers; exact where erf(x) is nearly 1."""

    partials = (lambda b, x, r: -2 / math.sqrt(math.pi) * b.exp(-x * x),)

    of_float = math.erfc


# Trigonometry


class Sin(UnaryUfunc, name="sin", elementary="sin", example="([0, np.pi / 2]) -> array([0., 1.])"):
    """Sine of an angle in radians."""

    partials = (lambda b, x, r: b.cos(x),)


class Cos(UnaryUfunc, name="cos", elementary="cos", example="([0, np.pi]) -> array([ 1., -1.])"):
    """Cosine of an angle in radians."""

    partials = (lambda b, x, r: -b.sin(x),)


class Tan(UnaryUfunc, name="tan", elementary="tan", example="([0, np.pi / 4]) -> array([0., 1.])"):
    """Tangent of an angle in radians."""

    partials = (lambda b, x, r: 1 + r * r,)

    cases = tuple(Case(case.shapes, low=-1.5, high=1.5) for case in UnaryUfunc.cases)


class Arcsin(
    UnaryUfunc, name="arcsin", elementary="asin", example="([0, 1]) -> array([0.        , 1.57079633])"
):
    """Inverse sine, NaN outside [-1, 1]."""

    partials = (lambda b, x, r: 1 / b.sqrt(1 - x * x),)
    singular = True


class Arccos(
    UnaryUfunc, name="arccos", elementary="acos", example="([1, -1]) -> array([0.        , 3.14159265])"
):
    """Inverse cosine, NaN outside [-1, 1]."""

    partials = (lambda b, x, r: -1 / b.sqrt(1 - x * x),)
    singular = True


class Arctan(
    UnaryUfunc, name="arctan", elementary="atan", example="([0, 1]) -> array([0.        , 0.78539816])"
):
    """Inverse tangent."""

    partials = (lambda b, x, r: 1 / (1 + x * x),)


class Arctan2(
    BinaryUfunc,
    name="arctan2",
    elementary="atan2",
    example="([1, -1], [1, 1]) -> array([ 0.78539816, -0.78539816])",
):
    """Angle of the point with ordinate x and abscissa y, in the right quadrant."""

    partials = (
        lambda b, x, y, r: y / (x * x + y * y),
        lambda b, x, y, r: -x / (x * x + y * y),
    )
    singular = True


class Sinh(UnaryUfunc, name="sinh", elementary="sinh", example="([0, 1]) -> array([0.        , 1.17520119])"):
    """Hyperbolic sine."""

    partials = (lambda b, x, r: b.cosh(x),)


class Cosh(UnaryUfunc, name="cosh", elementary="cosh", example="([0, 1]) -> array([1.        , 1.54308063])"):
    """Hyperbolic cosine."""

    partials = (lambda b, x, r: b.sinh(x),)


class Tanh(UnaryUfunc, name="tanh", elementary="tanh", example="([0, 1]) -> array([0.        , 0.76159416])"):
    """Hyperbolic tangent."""

    partials = (lambda b, x, r: 1 - r * r,)


class Arcsinh(
    UnaryUfunc, name="arcsinh", elementary="asinh", example="([0, 1]) -> array([0.        , 0.88137359])"
):
    """Inverse hyperbolic sine."""

    partials = (lambda b, x, r: 1 / b.sqrt(1 + x * x),)


class Arccosh(
    UnaryUfunc, name="arccosh", elementary="acosh", example="([1, 2]) -> array([0.       , 1.3169579])"
):
    """Inverse hyperbolic cosine, NaN below 1."""

    partials = (lambda b, x, r: 1 / (b.sqrt(x - 1) * b.sqrt(x + 1)),)
    singular = True

    cases = tuple(Case(case.shapes, low=1, high=9) for case in UnaryUfunc.cases)


class Arctanh(
    UnaryUfunc, name="arctanh", elementary="atanh", example="([0, 0.5]) -> array([0.        , 0.54930614])"
):
    """Inverse hyperbolic tangent, NaN outside [-1, 1]."""

    partials = (lambda b, x, r: 1 / (1 - x * x),)
    singular = True

    cases = tuple(Case(case.shapes, low=-1, high=1) for case in UnaryUfunc.cases)


class Deg2rad(
    UnaryUfunc, name="deg2rad", cost=Cost.CHEAP, example="([0, 180]) -> array([0.        , 3.14159265])"
):
    """Degrees to radians."""

    partials = (math.pi / 180,)


class Rad2deg(UnaryUfunc, name="rad2deg", cost=Cost.CHEAP, example="([0, np.pi]) -> array([  0., 180.])"):
    """Radians to degrees."""

    partials = (180 / math.pi,)

"""Special functions of real numbers: ufuncs of `scipy.special` that compiled code computes in its own vectors.

Others are called at run time: see `ufunc_loops.py`. Reference values are SciPy's in float64, rounded.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from ..emitter import Emitter, Tensor
from ..library_derivatives import by_itself
from ..op import Array, Case, Elementwise, Operand, TensorType, require_kind, same_dtype
from ..types import broadcast_shapes
from ..ufunc_loops import find_ufunc

ZETA = "scipy.special._ufuncs._zeta"
"""The ufunc of the zeta function of two arguments: `scipy.special.zeta` is a function of Python."""

_SHAPES = (((3, 4),), ((),), ((0, 2),))
_PAIRS = (((3, 4), (4,)), ((), (2,)))


def _cases(low: float, high: float) -> tuple[Case, ...]:
    return tuple(Case(shapes, low=low, high=high) for shapes in _SHAPES)


class Special(Elementwise, family="special"):
    """Base of functions of real floating-point numbers of one dtype."""

    dtypes = "f"
    cases = _cases(-4.0, 4.0)
    ufunc_name: ClassVar[str] = ""
    """The ufunc's name in `scipy.special`, where it is not the op's."""

    @classmethod
    def infer(cls, *operands: TensorType) -> TensorType:
        """The shapes broadcast; the result has the dtype of the operands."""
        require_kind(cls.mlir_name(), operands[0], cls.dtypes)
        dtype = same_dtype(cls.mlir_name(), *operands)
        return TensorType(broadcast_shapes([operand.shape for operand in operands]), dtype)

    @classmethod
    def evaluate(cls, *operands: Array) -> Array:
        """Call the ufunc in float64."""
        result = cls.of_doubles(*(operand.astype(np.float64) for operand in operands))
        return np.asarray(result).astype(operands[0].dtype)

    @classmethod
    def of_doubles(cls, *operands: Array) -> Array:
        """The function of float64 numbers."""
        result: Array = find_ufunc(f"scipy.special.{cls.ufunc_name or cls.name}")(*operands)
        return result


class Gamma(Special, name="gamma", special="gamma"):
    """Gamma function, NaN at negative whole numbers."""

    x: Operand
    partials = (lambda b, x, r: r * b.digamma(x),)


class Gammaln(Special, name="gammaln", special="gammaln"):
    """Logarithm of the magnitude of the gamma function."""

    x: Operand
    cases = _cases(3.0, 9.0)  # near 1 and 2, where it is 0, SciPy's is not exact
    partials = (lambda b, x, r: b.digamma(x),)


class Digamma(Special, name="digamma", special="digamma"):
    """Derivative of the logarithm of the gamma function, NaN at negative whole numbers."""

    x: Operand
    cases = _cases(0.1, 9.0)
    partials = (lambda b, x, r: b.trigamma(x),)
    ufunc_name = "psi"


def _derivative_of_trigamma(b: Emitter, x: Tensor) -> Tensor:
    """Of it there is no op: it is the library's, in float64."""
    zeta = b.call_ufunc(
        b.number(3.0, np.dtype(np.float64)), b.cast(x, dtype=np.dtype(np.float64)), ufunc=ZETA
    )
    derivative: Tensor = b.cast(-2 * zeta, dtype=x.dtype)
    return derivative


class Trigamma(Special, name="trigamma", special="trigamma"):
    """Derivative of the digamma function: zeta(2, x) of `scipy.special`, and its polygamma(1, x)."""

    x: Operand
    cases = _cases(0.1, 9.0)
    partials = (lambda b, x, r: _derivative_of_trigamma(b, x),)

    @classmethod
    def of_doubles(cls, *operands: Array) -> Array:
        """The zeta function of Hurwitz."""
        (x,) = operands
        result: Array = find_ufunc(ZETA)(2.0, x)
        return result


class I0(Special, name="i0", special="i0"):
    """Modified Bessel function of the first kind of order 0."""

    x: Operand
    partials = (lambda b, x, r: b.i1(x),)


class I1(Special, name="i1", special="i1"):
    """Modified Bessel function of the first kind of order 1."""

    x: Operand
    partials = (lambda b, x, r: b.i0(x) - by_itself(b, x, r),)


class I0e(Special, name="i0e", special="i0e"):
    """Modified Bessel function of the first kind of order 0, times exp(-abs(x))."""

    x: Operand
    partials = (lambda b, x, r: b.i1e(x) - b.sign(x) * r,)


class I1e(Special, name="i1e", special="i1e"):
    """Modified Bessel function of the first kind of order 1, times exp(-abs(x))."""

    x: Operand
    partials = (lambda b, x, r: b.i0e(x) - b.sign(x) * r - by_itself(b, x, r),)


def _density(b: Emitter, x: Tensor, logarithm: Tensor | float) -> Tensor:
    """The density of the normal distribution, divided by a number that is given by its logarithm."""
    density: Tensor = 1 / math.sqrt(2 * math.pi) * b.exp(-0.5 * x * x - logarithm)
    return density


class Ndtr(Special, name="ndtr", special="ndtr"):
    """Distribution function of the standard normal distribution."""

    x: Operand
    cases = _cases(-1.0, 4.0)  # SciPy rounds x / sqrt(2), which shows in the tail
    partials = (lambda b, x, r: _density(b, x, 0.0),)


class LogNdtr(Special, name="log_ndtr", special="log_ndtr"):
    """Logarithm of the distribution function of the standard normal distribution."""

    x: Operand
    cases = _cases(-9.0, 1.0)
    partials = (lambda b, x, r: _density(b, x, r),)


class Expit(Special, name="expit", special="expit"):
    """Logistic function, 1 / (1 + exp(-x))."""

    x: Operand
    partials = (lambda b, x, r: r * (1 - r),)  # of the result alone, which loops keep, as that of tanh


class Logit(Special, name="logit", special="logit"):
    """Inverse of the logistic function, log(x / (1 - x)); NaN outside [0, 1]."""

    x: Operand
    cases = _cases(0.0, 1.0)
    partials = (lambda b, x, r: 1 / (x * (1 - x)),)
    singular = True


class LogExpit(Special, name="log_expit", special="log_expit"):
    """Logarithm of the logistic function."""

    x: Operand
    partials = (lambda b, x, r: b.expit(-x),)


class Entr(Special, name="entr", special="entr"):
    """Entropy of elements, -x * log(x), 0 at 0 and -infinity below."""

    x: Operand
    cases = _cases(0.0, 4.0)
    partials = (lambda b, x, r: -b.log(x) - 1,)
    singular = True


class Xlogy(Special, name="xlogy", special="xlogy"):
    """x * log(y), and 0 for x = 0 unless y is not a number."""

    x: Operand
    y: Operand
    cases = tuple(Case(shapes, low=0.0, high=4.0) for shapes in _PAIRS)
    partials = (lambda b, x, y, r: b.log(y), lambda b, x, y, r: x / y)
    singular = True


class Xlog1py(Special, name="xlog1py", special="xlog1py"):
    """x * log(1 + y), and 0 for x = 0 unless y is not a number."""

    x: Operand
    y: Operand
    cases = tuple(Case(shapes, low=-1.0, high=4.0) for shapes in _PAIRS)
    partials = (lambda b, x, y, r: b.log1p(y), lambda b, x, y, r: x / (1 + y))
    singular = True

"""The logistic function, its inverse and its logarithm, and products with logarithms as entropies have them."""

from __future__ import annotations

import math
from collections.abc import Callable

from ....dialect.mlir import Value
from ..double_logarithm import double_log
from ..exponential import exp, expm1_of_reduced
from ..exponents import scale
from ..inverse_hyperbolic import atanh
from ..logarithm import log, log1p
from ..number import Number, all_of
from ..pairs import Pair, exact_sum, ordered_sum
from ..registry import expands

_LOWEST = {32: -104.5, 64: -746.0}
"""exp is 0 here."""


@expands("expit")
def expit(x: Number) -> Number:
    """1 / (1 + exp(-x)), as exp(x) / (1 + exp(x)) below 0, which does not overflow.

    What rounding the exponential, the sum and the quotient loses is made good.
    """
    fraction, parts = expm1_of_reduced((-abs(x)).at_least(_LOWEST[x.bits]))
    sum = fraction + 1.0
    high, low = scale(sum, parts.count), scale((1.0 - sum) + fraction, parts.count)
    divisor = high + 1.0
    divisor_low = ((1.0 - divisor) + high) + low
    below = x.compare("<", 0.0)
    dividend, rest = high.where(below, 1.0), low.where(below, 0.0)
    inverse = 1.0 / divisor
    result = dividend * inverse
    lost = (-result).fused_times_plus(divisor, dividend) + (rest - result * divisor_low)
    return lost.times_plus(inverse, result)


@expands("logit")
def logit(x: Number) -> Number:
    """log(x / (1 - x)), near 1/2 by the inverse hyperbolic tangent."""
    twice = atanh(x.times_plus(2.0, -1.0))
    near = all_of(x.compare(">", 0.25), x.compare("<", 0.75))
    return (twice + twice).where(near, log(x / (1.0 - x)))


@expands("log_expit")
def log_expit(x: Number) -> Number:
    """-log(1 + exp(-x))."""
    return x.at_most(-0.0) - log1p(exp(-abs(x)))


@expands("xlogy")
def xlogy(x: Number, y: Number) -> Number:
    """x * log(y), and 0 for x = 0 unless y is not a number."""
    return _with_logarithm(x, y, double_log, log)


@expands("xlog1py")
def xlog1py(x: Number, y: Number) -> Number:
    """x * log(1 + y), and 0 for x = 0 unless y is not a number."""
    return _with_logarithm(x, y, _double_log1p, log1p)


@expands("entr")
def entr(x: Number) -> Number:
    """-x * log(x), 0 at 0 and -infinity below."""
    return x.constant(-math.inf).where(x.compare("<", 0.0), _with_logarithm(-x, x, double_log, log))


def _double_log1p(x: Number) -> Pair:
    sum = exact_sum(x, x.constant(1.0))
    logarithm, rest = double_log(sum.high), sum.low / sum.high
    low = logarithm.low + rest.times_plus(rest * -0.5, rest)
    result = ordered_sum(logarithm.high, low.where(_is_finite(logarithm.high), 0.0))
    return Pair(result.high.with_sign_of(x), result.low)


def _with_logarithm(
    x: Number, y: Number, exact: Callable[[Number], Pair], usual: Callable[[Number], Number]
) -> Number:
    """x times a logarithm of y: of f32 numbers in f64, of others by one that is exact to more bits."""
    if x.bits == 64:
        product = _product(x, exact(y))
    else:
        product = (x.widen() * usual(y.widen())).narrow(x.type)
    nothing = all_of(x.compare("==", 0.0), y.compare("==", y))
    return x.constant(0.0).where(nothing, product)


def _product(x: Number, logarithm: Pair) -> Number:
    """The low part counts where the product is finite and not 0: adding -0 does not change the sign of a zero."""
    product = x * logarithm.high
    counts = all_of(_is_finite(product), product.compare("!=", 0.0))
    return x.times_plus(logarithm.high, (x * logarithm.low).where(counts, -0.0))


def _is_finite(x: Number) -> Value:
    return abs(x).compare("<", math.inf)

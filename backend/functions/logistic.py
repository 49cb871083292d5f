"""The logistic function, its inverse and its logarithm, and products with logarithms as entropies have them."""

from __future__ import annotations

import math

from .exponential import exp
from .inverse_hyperbolic import atanh
from .logarithm import log, log1p
from .number import Number, all_of
from .registry import expands


@expands("expit")
def expit(x: Number) -> Number:
    """1 / (1 + exp(-x)), as exp(x) / (1 + exp(x)) below 0, which does not overflow."""
    power = exp(-abs(x))
    return power.where(x.compare("<", 0.0), 1.0) / (power + 1.0)


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
    return _product(x, y, log(y))


@expands("xlog1py")
def xlog1py(x: Number, y: Number) -> Number:
    """x * log(1 + y), and 0 for x = 0 unless y is not a number."""
    return _product(x, y, log1p(y))


def _product(x: Number, y: Number, logarithm: Number) -> Number:
    nothing = all_of(x.compare("==", 0.0), y.compare("==", y))
    return x.constant(0.0).where(nothing, x * logarithm)


@expands("entr")
def entr(x: Number) -> Number:
    """-x * log(x), 0 at 0 and -infinity below."""
    value = x.constant(0.0).where(x.compare("==", 0.0), -x * log(x))
    return x.constant(-math.inf).where(x.compare("<", 0.0), value)

"""`saturate(x)`: numbers below 0 become 0, those above 1 become 1, and NaN stays NaN."""

from __future__ import annotations

import numpy as np

from weft.dialect.derivatives import Choice
from weft.dialect.errors import WeftTypeError
from weft.dialect.op import Cost, Elementwise, Operand
from weft.frontend.tracing.staging import apply, asarray


class Saturate(Elementwise, name="saturate", family="saturation", cost=Cost.CHEAP):
    """The number of [0, 1] that is nearest."""

    x: Operand
    lowering = "saturation.lowering"
    partials = (Choice(lambda b, x, r: x.equals(r)),)

    @staticmethod
    def infer(x):
        """The type of the operand."""
        if x.dtype not in (np.float32, np.float64):
            raise WeftTypeError(f"saturate takes float32 or float64, not {x}")
        return x

    @staticmethod
    def evaluate(x):
        """What is meant, in NumPy."""
        return np.where(x > 1, 1, np.where(x < 0, 0, x)).astype(x.dtype)


def saturate(x):
    """The numbers of [0, 1] that are nearest to those of an array: computed, or recorded where a function is traced."""
    return apply(Saturate, asarray(x))

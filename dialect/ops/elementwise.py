"""Elementwise arithmetic: every op is a NumPy ufunc, from which its rules and its meaning follow."""

from __future__ import annotations

import numpy as np

from ..op import BinaryElementwise, UnaryElementwise


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


class Negative(UnaryElementwise, name="negative"):
    """Numerical negation; unsigned integers wrap."""

    ufunc = np.negative


class Tanh(UnaryElementwise, name="tanh"):
    """Hyperbolic tangent."""

    ufunc = np.tanh

"""Gradients of programs beside differences of their values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import weft

STEP = 1e-6


def differences(f: Callable[..., Any], arguments: Sequence[Any], number: int) -> Any:
    """The gradient of a real function of arrays by one of them, by central differences; the arrays are copied."""
    x = np.asarray(arguments[number])
    found = np.zeros(x.shape, x.dtype)
    for place in np.ndindex(x.shape):
        for unit in (1, 1j) if x.dtype.kind == "c" else (1,):
            values = []
            for sign in (1, -1):
                moved = [np.array(a) if isinstance(a, np.ndarray) else a for a in arguments]
                moved[number] = moved[number] + 0 * x
                moved[number] = np.array(moved[number])
                moved[number][place] += sign * STEP * unit
                values.append(f(*moved))
            found[place] += unit * (values[0] - values[1]) / (2 * STEP)
    return found


def check_gradient(f: Callable[..., Any], *arguments: Any, argnums: tuple[int, ...] = (0,)) -> Any:
    """Compare value and gradient by several arguments with Python's and with differences; returns the function."""
    both = weft.value_and_grad(f, argnums)
    copies = [np.array(a) if isinstance(a, np.ndarray) else a for a in arguments]
    value, gradients = both(*copies)
    again = [np.array(a) if isinstance(a, np.ndarray) else a for a in arguments]
    np.testing.assert_allclose(value, f(*again), rtol=1e-12)
    for number, gradient in zip(argnums, gradients, strict=True):
        expected = differences(f, arguments, number)
        assert np.shape(gradient) == np.shape(arguments[number])
        np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-7, err_msg=f"by argument {number}")
    return both

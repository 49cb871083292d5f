"""Functions that other processes find by their names."""

from __future__ import annotations

import numpy as np

import weft


@weft.function
def named(x):
    if np.sum(x) > 100:
        return np.sum(np.tanh(x) * 2 + 1)
    return np.sum(x * x)


@weft.function
def loop(x):
    total = np.zeros(())
    while total < np.sum(x):
        total += x[0] + 1.5
    return total


class Model:
    """A state that a method changes."""

    def __init__(self) -> None:
        self.w = weft.Variable(np.ones(3))

    @weft.function
    def step(self, x):
        self.w.assign_add(x)
        return np.sum(self.w.value * x)

"""The functions in NumPy. They are read when the package is built, and need no weft."""

import numpy as np


def pick(x, i):
    """One element, doubled."""
    return x[i] * 2


def smooth(x, weight):
    """Each element with some of the one before."""
    if weight < 0 or weight > 1:
        raise ValueError(f"the weight is between 0 and 1, not {weight}")
    y = x.copy()
    for i in range(1, len(x)):
        y[i] = weight * y[i - 1] + (1 - weight) * x[i]
    return y


def peaks(x):
    """The places that are higher than both neighbours, and how high."""
    (found,) = np.nonzero((x[1:-1] > x[:-2]) & (x[1:-1] > x[2:]))
    return found + 1, x[found + 1]


def normalize(x):
    """Scale the columns to a deviation of 1, in place; the deviations that they had."""
    scale = x.std(axis=0)
    x /= scale
    return {"scale": scale, "largest": np.abs(x).max()}

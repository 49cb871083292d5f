"""The function that docs/walkthrough.md follows from Python to machine code."""

import numpy as np

import weft


@weft.function(target="x86-64-v3")
def limited(x, limit):
    y = x * 2 + 1
    if limit > 0:
        y = np.minimum(y, limit)
    return y.sum()


SPECS = (weft.TensorSpec((64,), "float32"), weft.TensorSpec((), "float32"))

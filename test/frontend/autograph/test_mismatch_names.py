"""Messages about values that cannot be one speak of the program, not of converted code."""

from __future__ import annotations

import numpy as np
import pytest

import weft


def test_results_of_different_ranks():
    @weft.function
    def f(x):
        if x[0] > 0:
            return x
        return x[0]

    with pytest.raises(weft.WeftTypeError, match="what the function returns is an array of rank 1") as caught:
        f(np.ones(3))
    assert "return_" not in str(caught.value)

"""Messages about values that cannot be one speak of the program, not of converted code."""

from __future__ import annotations

import numpy as np
import pytest

import weft


def test_results_of_too_many_ranks():
    @weft.function
    def f(x):
        for rank, y in enumerate((x[0], x, x[None], x[None, None], x[None, None, None])):
            if x[0] > rank:
                return y
        return -1

    with pytest.raises(weft.WeftTypeError, match="what the function returns is ") as caught:
        f(np.ones(3))
    assert "return_" not in str(caught.value)

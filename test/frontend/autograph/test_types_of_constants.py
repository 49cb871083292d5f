"""Numbers of the program's own among values of several types."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from weft.dialect.types import TensorType
from weft.frontend.autograph.operators.values import several_kinds


def of(dtype, number):
    return SimpleNamespace(type=TensorType((), np.dtype(dtype)), number=number)


KIND = SimpleNamespace(
    types=[of(np.float64, float), of(np.int64, None), of(np.int64, int), of(np.int8, None)]
)


@pytest.mark.parametrize(("value", "place"), [(5, 2), (2.0, 0), (np.int64(3), 1), (np.int8(3), 3), (True, 3)])
def test_a_constant_is_taken_as_the_type_that_is_most_like_its_own(value, place) -> None:
    assert several_kinds._nearest(KIND, value) == place

"""Matrices of powers: running products, as NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import weft

IN_NUMPYS_ORDER = pytest.mark.processor  # devices multiply in another one


@pytest.mark.parametrize("dtype", [pytest.param("float64", marks=IN_NUMPYS_ORDER), "int32"])
def test_vander(dtype: str) -> None:
    x = np.array([0.3, 1.7, -2.9, 0.0], dtype) * np.array(3, dtype)
    arguments = [(count, increasing) for count in (None, 0, 1, 5, 20) for increasing in (False, True)]
    compiled = weft.function(lambda x: [np.vander(x, *given) for given in arguments])
    for found, given in zip(compiled(x), arguments, strict=True):
        np.testing.assert_array_equal(found, np.vander(x, *given), strict=True)

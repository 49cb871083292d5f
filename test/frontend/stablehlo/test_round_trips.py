"""Programs of JAX, read, compiled, written again, and read once more."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.stablehlo import interpreted

from .test_programs import FOLDER, NAMES, TOLERANCES, numbered


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NAMES)
def test_what_is_read_can_be_written(name: str) -> None:
    with np.load(FOLDER / f"{name}.npz") as archive:
        found = dict(archive)
    arguments, wanted = numbered(found, "argument"), numbered(found, "result")
    concrete = weft.from_stablehlo(found["artifact"].tobytes()).get_concrete_function(*arguments)
    results = interpreted(concrete.to_stablehlo(form="text", checks=False), arguments)
    tolerance = TOLERANCES.get(name, 2e-5)
    for result, expected in zip(results, wanted, strict=True):
        assert result.dtype == expected.dtype
        np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance)

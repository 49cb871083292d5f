"""Programs that JAX exported, against what JAX computed; `programs/make.py` made them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft

FOLDER = Path(__file__).parent / "programs"
NAMES = sorted(path.stem for path in FOLDER.glob("*.npz"))
TOLERANCES = {"halves": 1e-2}


def numbered(found: dict[str, Any], name: str) -> list[Any]:
    """The arrays of a name, in order."""
    return [found[key] for i in range(len(found)) if (key := f"{name}_{i}") in found]


def test_there_are_programs() -> None:
    assert len(NAMES) >= 11


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NAMES)
def test_results_and_gradients(name: str) -> None:
    with np.load(FOLDER / f"{name}.npz") as archive:
        found = dict(archive)
    function = weft.from_stablehlo(found["artifact"].tobytes())
    arguments, wanted = numbered(found, "argument"), numbered(found, "result")
    results = function(*arguments)
    results = results if isinstance(results, tuple) else (results,)
    tolerance = TOLERANCES.get(name, 2e-5)
    for result, expected in zip(results, wanted, strict=True):
        assert result.dtype == expected.dtype
        np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance)
    if "gradient" not in found:
        return

    def squared(*given: Any) -> Any:
        computed = function(*given)
        first = computed if len(wanted) == 1 else computed[0]
        return (first**2).sum()

    gradient = weft.grad(squared)(*arguments)
    np.testing.assert_allclose(gradient, found["gradient"], rtol=tolerance, atol=10 * tolerance)


def test_any_number_of_rows() -> None:
    with np.load(FOLDER / "polymorphic.npz") as archive:
        function = weft.from_stablehlo(archive["artifact"].tobytes())
    assert str(function.recorded_as[0]) == "(f32[?,4], f32[4,3])"
    w = np.eye(4, 3, dtype="f4")
    concrete = function.get_concrete_function()
    for count in (1, 6):
        x = np.arange(4 * count, dtype="f4").reshape(count, 4)
        exponentials = np.exp((x - x.mean(0)) @ w)
        softmax = exponentials / exponentials.sum(-1, keepdims=True)
        for call in (function, concrete):
            found = call(x, w)
            np.testing.assert_allclose(found[0], softmax, rtol=1e-5)
            np.testing.assert_array_equal(found[2], np.arange(count))
            assert found[1].shape == (8 * count,)
    with pytest.raises(ValueError, match="Input shapes do not match the polymorphic shapes specification"):
        concrete(np.zeros((0, 4), "f4"), w)

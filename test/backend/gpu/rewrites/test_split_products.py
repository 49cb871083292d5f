"""Products whose long sums are split into parts, in the emulator: values, and how many launches there are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft

Array = np.ndarray[Any, Any]


def compute(function: Any, *given: Array, launches: int) -> Any:
    """What a function returns on a device, where it is so many launches."""
    with weft.settings.scope(cuda="emulator"):
        compiled = weft.function(function, device="cuda")
        found = compiled(*given)
        device = compiled.get_concrete_function(*given).cost_analysis().device
        assert device is not None
        assert device.launches == launches
    return found


@pytest.mark.parametrize(
    ("dtype", "rtol"), [(np.float32, 1e-5), (np.float64, 1e-12), (np.float16, 2e-3), (weft.bfloat16, 2e-2)]
)
def test_products_of_floats(dtype: Any, rtol: float) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.random((16, 2048)).astype(dtype), rng.random((8, 2048)).astype(dtype)
    found = compute(lambda a, b: a @ b.T, a, b, launches=2)
    assert found.dtype == (a @ b.T).dtype
    exact = a.astype(np.float64) @ b.T.astype(np.float64)
    np.testing.assert_allclose(found.astype(np.float64), exact, rtol=rtol)


def test_integers_wrap_and_stacks_are_split() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(-(2**31), 2**31, (2, 5, 2112), np.int32), rng.integers(-9, 9, (2112, 7), np.int32)
    np.testing.assert_array_equal(compute(lambda a, b: a @ b, a, b, launches=2), a @ b)


def test_what_follows_is_computed_where_parts_are_added() -> None:
    rng = np.random.default_rng(0)
    a, b, bias = (rng.random(shape, np.float32) - 0.5 for shape in ((2048, 9), (2048, 12), (12,)))
    found = compute(lambda a, b, bias: np.maximum(a.T @ b + bias, 0), a, b, bias, launches=2)
    np.testing.assert_allclose(found, np.maximum(a.T @ b + bias, 0), rtol=1e-4, atol=1e-4)

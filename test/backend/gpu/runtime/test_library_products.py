"""Products of large matrices by cuBLAS, in the emulator, where that is wanted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest import mock

import numpy as np
import pytest

import weft
from weft.backend.gpu.devices.open_devices import open_device
from weft.backend.gpu.rewrites import library_products


@pytest.fixture(autouse=True)
def _emulator() -> Iterator[None]:
    with weft.settings.scope(cuda="emulator", cublas=True), mock.patch.object(library_products, "LEAST", 8):
        yield


def called(function: Any, *arrays: Any) -> str:
    """Compare with NumPy, and tell what is placed where."""
    compiled = weft.function(function)
    there = [weft.device_put(array) for array in arrays]
    exact = function(*(array.astype(np.float64) for array in arrays))
    unit = 2e-3 if arrays[0].dtype == np.float16 else 1e-5 if arrays[0].dtype == np.float32 else 1e-12
    for _ in range(3):
        found = np.asarray(compiled(*there))
    np.testing.assert_allclose(found, exact, rtol=unit, atol=unit)
    assert found.dtype == arrays[0].dtype
    return str(compiled.get_concrete_function(*there).as_text("placed"))


def numbers(*shape: int, dtype: Any) -> Any:
    return (np.random.default_rng(shape[-1]).standard_normal(shape) / 4).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_matrices_and_their_transposes(dtype: Any) -> None:
    a, b = numbers(9, 11, dtype=dtype), numbers(11, 8, dtype=dtype)
    for turns, function, given in (
        ("nn", lambda a, b: a @ b, (a, b)),
        ("tn", lambda a, b: a.T @ b, (a.T.copy(), b)),
        ("nt", lambda a, b: a @ b.T, (a, b.T.copy())),
        ("tt", lambda a, b: a.T @ b.T, (a.T.copy(), b.T.copy())),
    ):
        assert f'routine = "cublas.product_{turns}"' in called(function, *given)


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_stacks_and_what_is_around(dtype: Any) -> None:
    a, b = numbers(3, 9, 11, dtype=dtype), numbers(3, 11, 8, dtype=dtype)
    placed = called(lambda a, b: np.maximum((a + 1) @ b, 0) * 2, a, b)
    assert placed.count("weft.call_library") == 1


def test_what_is_left_to_kernels() -> None:
    small, large = numbers(7, 9, dtype=np.float32), numbers(9, 9, dtype=np.float32)
    assert "call_library" not in called(lambda a, b: a @ b, small, large)
    assert "call_library" not in called(lambda a, b: np.einsum("bi,bj->bij", a, b), large, large)
    assert "call_library" not in called(lambda a, b: a @ b[0], large, large)
    with weft.settings.scope(cublas=False):
        assert "call_library" not in called(lambda a, b: a @ b, large, large)
    with weft.settings.scope(float32_products="tf32"):
        placed = weft.function(lambda a, b: a @ b).get_concrete_function(
            *map(weft.device_put, (large, large))
        )
        assert "call_library" not in str(placed.as_text("placed"))


def test_code_is_for_the_libraries_that_are_wanted() -> None:
    assert open_device("cuda").target.split("+")[1:] == ["cublas", "cufft", "cusolver"]
    with weft.settings.scope(cublas=False):
        assert open_device("cuda").target.split("+")[1:] == ["cufft", "cusolver"]

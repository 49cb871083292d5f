"""Linear algebra of stacks of small matrices, which is generated code, beside NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from support.call_comparison import outcome

linalg = np.linalg
MOST = 19
"""Matrices in a stack: several groups of every width of vectors, and part of one."""


def stacks(dtype: str, extent: int) -> Any:
    """Matrices far from singular whose largest entries are anywhere."""
    generator = np.random.default_rng(extent)
    numbers = generator.normal(size=(2, MOST, extent, extent))
    matrices = numbers[0] + 1j * numbers[1] if dtype[0] == "c" else numbers[0]
    moved = np.stack([3 * np.eye(extent)[generator.permutation(extent)] for _ in range(MOST)])
    return (matrices + moved).astype(dtype)


def everything(a: Any, b: Any) -> tuple[Any, ...]:
    """All that there is code for, with one right-hand side, several, and one for all matrices."""
    positive = a @ np.conj(np.swapaxes(a, -1, -2)) + np.eye(a.shape[-1], dtype=a.dtype)
    return (
        linalg.solve(a, b),
        linalg.solve(a, b[..., :1]),
        linalg.solve(a[3], b),
        linalg.solve(a, b[0, :, 0]) if a.ndim == 2 else linalg.solve(a, b[0]),
        linalg.inv(a),
        linalg.det(a),
        *linalg.slogdet(a),
        linalg.cholesky(positive),
        linalg.cholesky(positive, upper=True),
    )


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("dtype", "extent"), [("f8", 3), ("f8", 8), ("f4", 4), ("c16", 3), ("c8", 2)])
def test_stacks_of_any_length(dtype: str, extent: int) -> None:
    compiled = weft.function(
        everything, input_signature=[weft.TensorSpec((None, extent, n), dtype) for n in (extent, 2)]
    )
    a, b = stacks(dtype, extent), stacks(dtype, max(extent, 2))[:, :extent, :2]
    tolerance = 2e-4 if dtype in ("f4", "c8") else 1e-11
    for count in (4, 5, 8, 9, MOST):
        for got, expected in zip(
            compiled(a[:count], b[:count]), everything(a[:count], b[:count]), strict=True
        ):
            assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
            np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


@weft.function
def inverses(a: Any) -> Any:
    """Inverses and determinants of stacks without gaps, or of others."""
    return linalg.inv(a), linalg.inv(np.swapaxes(a, -1, -2)), linalg.inv(a[..., ::-1, :])


@pytest.mark.parametrize(
    "shape", [(0, 3, 3), (1, 3, 3), (3, 3), (2, 1, 5, 3, 3), (2, 0, 3, 3), (4, 1, 1)], ids=str
)
def test_shapes_of_stacks(shape: tuple[int, ...]) -> None:
    a = np.random.default_rng(0).normal(size=shape) + 3 * np.eye(shape[-1])
    for given in (a, np.asfortranarray(a), np.repeat(a, 2, axis=-1)[..., ::2]):
        for got, expected in zip(inverses(given), inverses.python_function(given), strict=True):
            assert got.shape == expected.shape
            np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)


@weft.function
def determinants(a: Any) -> Any:
    """What is defined for all matrices."""
    return linalg.det(a), *linalg.slogdet(a)


ODD = {
    "zero": np.zeros((3, 3)),
    "equal rows": np.array([[1.0, 2, 3], [1, 2, 3], [0, 1, 5]]),
    "nearly singular": np.array([[1.0, 2, 3], [4, 5, 6], [7, 8, 9]]),
    "first pivot zero": np.array([[0.0, 2, 1], [3, 0, 1], [1, 1, 0]]),
    "nan": np.array([[1.0, np.nan, 3], [1, 2, 4], [0, 1, 5]]),
    "infinity": np.array([[1.0, 2, 3], [np.inf, 2, 4], [0, 1, 5]]),
    "large": 1e200 * np.array([[2.0, 1, 0], [1, 3, 1], [0, 1, 4]]),
    "small": 1e-200 * np.array([[2.0, 1, 0], [1, 3, 1], [0, 1, 4]]),
    "subnormal": 1e-310 * np.array([[2.0, 1, 0], [1, 3, 1], [0, 1, 4]]),
    "negative zero": np.array([[-0.0, 1, 0], [1, 0, 0], [0, 0, -1.0]]),
}


MAY_FAIL = [
    weft.function(f) for f in (linalg.inv, linalg.cholesky, lambda a: linalg.solve(a, a[:, :, :1] + 1))
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ODD)
def test_odd_matrices_among_others(name: str) -> None:
    """What is singular, and what comes of NaN and infinities, is NumPy's word."""
    stack = stacks("f8", 3)[:7]
    stack = np.concatenate([stack @ stack.mT, stack])[4:11]
    for place in (1, 5):  # among positive definite ones, and others
        stack[place] = ODD[name]
        for compiled in (determinants, *MAY_FAIL):
            got, error = outcome(compiled, [stack])
            expected, expected_error = outcome(compiled.python_function, [stack])
            assert (error is None) == (expected_error is None), (error, expected_error)
            if expected_error is not None:
                assert isinstance(error, type(expected_error))
                assert str(expected_error) in str(error)
            else:
                for ours, numpys in zip(got, expected, strict=True):
                    scale = np.max(np.abs(numpys), initial=0, where=np.isfinite(numpys))
                    np.testing.assert_allclose(ours, numpys, rtol=1e-9, atol=1e-12 * scale)


def test_large_stacks_are_shared_by_threads_and_repeat() -> None:
    a = np.random.default_rng(0).normal(size=(5000, 2, 2)) + 3 * np.eye(2)
    inv = weft.function(linalg.inv)
    np.testing.assert_allclose(inv(a), linalg.inv(a), rtol=1e-12)
    np.testing.assert_array_equal(inv(a), inv(a))

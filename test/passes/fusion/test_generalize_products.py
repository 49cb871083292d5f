"""Products with vectors of matrices that are computed: the same numbers, and no matrix in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft


def products(a: Any, v: Any, w: Any) -> tuple[Any, ...]:
    return (
        (a * 2 + 1) @ v,
        w @ (a * a),
        (a + a).T @ w,
        np.einsum("ij,ij->i", a * 2, a + 1),
        (a * 2) @ (v - 1),
        np.matmul(a[None] * 3, v),
    )


def arguments(shape: tuple[int, int], dtype: str) -> tuple[Any, ...]:
    generator = np.random.default_rng(sum(shape))
    rows, columns = shape
    return tuple(
        generator.integers(-4, 5, extents).astype(dtype) for extents in ((rows, columns), columns, rows)
    )


@pytest.mark.parametrize("dtype", ["float32", "int64", "complex64", "float16"])
def test_they_are_numpys(dtype: str) -> None:
    specs = [weft.TensorSpec([None] * rank, dtype) for rank in (2, 1, 1)]
    for compiled, shapes in (
        (weft.function(products), [(40, 50)]),
        (weft.function(products, input_signature=specs), [(3, 5), (0, 5), (5, 0), (33, 70)]),
    ):
        for shape in shapes:
            given = arguments(shape, dtype)
            for got, expected in zip(compiled(*given), products(*given), strict=True):
                np.testing.assert_allclose(got, expected, rtol=1e-3, atol=1e-3)


def test_the_matrix_is_not_in_memory() -> None:
    given = arguments((400, 500), "float64")
    scaled = weft.function(lambda a, v, w: (a * 2 + 1) @ v).get_concrete_function(*given)
    assert "linalg.contract" not in scaled.as_text("linalg")
    assert not scaled.memory_analysis().buffers
    plain = weft.function(lambda a, v: a @ v).get_concrete_function(*given[:2])
    assert "linalg.contract" in plain.as_text("linalg")

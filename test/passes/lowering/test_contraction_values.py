"""Contractions and pooling, compiled: accumulators, wrapping, empty and unknown extents, odd windows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from support.op_values import OPS, Use, assert_as_reference, run_compiled
from weft.dialect.dtypes import bfloat16
from weft.frontend.tracing.staging import apply

RANDOM = np.random.default_rng(0)


def draw(*shape: int, dtype: Any = np.float64) -> np.ndarray[Any, Any]:
    return RANDOM.uniform(-2, 2, shape).astype(dtype)


@pytest.mark.parametrize("dtype", [np.dtype(np.float16), bfloat16], ids=str)
def test_half_precision_is_added_up_in_single_precision(dtype: np.dtype[Any]) -> None:
    ones = np.ones((1, 3000), dtype)
    ((result,),) = run_compiled([(OPS["matmul"], [ones, ones.T], {})])
    assert result.dtype == dtype
    assert result.item() == np.asarray(3000).astype(dtype)


def test_integers_wrap() -> None:
    x = np.array([[100, 100], [-128, 1]], np.int8)
    assert_as_reference([(OPS["matmul"], [x, x], {}), (OPS["contract"], [x, x], {"spec": "ij,ij->"})])


def test_booleans_are_joined_by_and_then_or() -> None:
    x = RANDOM.integers(0, 2, (300, 4)).astype(bool)
    uses: list[Use] = [
        (OPS["matmul"], [x.T.copy(), x], {}),
        (OPS["contract"], [x, x], {"spec": "ij,ik->j"}),
        (OPS["contract"], [x, x[0]], {"spec": "ij,k->ijk"}),
    ]
    assert_as_reference(uses)


def test_nan_and_infinity_spread() -> None:
    x = np.array([[np.inf, 0.0], [1.0, np.nan]])
    assert_as_reference([(OPS["matmul"], [x, x], {}), (OPS["contract"], [x, x], {"spec": "ij,kj->ki"})])


def test_outer_products_keep_the_sign_of_zero() -> None:
    ((result,),) = run_compiled([(OPS["contract"], [np.array([-1.0]), np.array([0.0])], {"spec": "i,j->ij"})])
    assert np.signbit(result.item())


def test_sums_over_an_axis_of_one_operand() -> None:
    uses: list[Use] = [
        (OPS["contract"], [draw(3, 4, 5), draw(4, 2)], {"spec": "ijl,jk->ki"}),
        (OPS["contract"], [draw(3, 4), draw(5)], {"spec": "ij,k->"}),
    ]
    assert_as_reference(uses, places=64)


@pytest.mark.parametrize(
    "shapes", [((3, 0), (0, 2)), ((0, 3), (3, 2)), ((2, 1, 3, 3), (1, 4, 3, 1)), ((5, 1, 1), (1, 7))]
)
def test_matmul_of_known_and_unknown_extents(shapes: tuple[tuple[int, ...], ...]) -> None:
    operands = [draw(*shape) for shape in shapes]
    expected = np.matmul(*operands)
    ((known,),) = run_compiled([(OPS["matmul"], operands, {})])
    np.testing.assert_allclose(known, expected, rtol=1e-12)
    specs = [weft.TensorSpec([n if n == 1 else None for n in shape], "float64") for shape in shapes]
    compiled = weft.function(lambda x, y: apply(OPS["matmul"], x, y), input_signature=specs)
    np.testing.assert_allclose(compiled(*operands), expected, rtol=1e-12)


def test_many_batch_axes() -> None:
    shape = (1,) * 60 + (2, 3)
    assert_as_reference([(OPS["matmul"], [draw(*shape), draw(3, 2)], {})], places=64)

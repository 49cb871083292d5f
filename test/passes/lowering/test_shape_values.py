"""Shape ops, compiled: every case of the op classes with known and with run-time extents, and long joins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from support.op_values import OPS, assert_as_reference
from weft.dialect.op import Case, Op
from weft.frontend.tracing.staging import apply

SHAPE_OPS = [op for op in OPS.values() if op.family == "shape"]
CASES = [(op, case) for op in SHAPE_OPS for case in op.cases]
TAKE_EXTENTS = ("reshape", "broadcast_to")
"""Ops whose run-time extents are operands: tested below with extents of other arrays."""


def operands_of(op: type[Op], case: Case, dtype: Any = np.float32) -> list[np.ndarray[Any, Any]]:
    """Distinct numbers in the shapes of a case; counts are of their own dtype."""
    dtypes = [dtype, np.int64] if op.name == "repeat_each" else [dtype] * len(case.shapes)
    return [
        np.arange(1, 1 + np.prod(shape, dtype=int)).astype(dtype).reshape(shape)
        for shape, dtype in zip(case.shapes, dtypes, strict=True)
    ]


@pytest.mark.sampled
@pytest.mark.parametrize("op", SHAPE_OPS, ids=lambda op: op.name)
@pytest.mark.parametrize("dtype", [np.bool_, np.uint16, np.float32, np.complex128])
def test_every_case(op: type[Op], dtype: Any) -> None:
    assert_as_reference([(op, operands_of(op, case, dtype), case.attributes) for case in op.cases])


@pytest.mark.parametrize(("op", "case"), [pair for pair in CASES if pair[0].name not in TAKE_EXTENTS])
def test_every_case_with_run_time_extents(op: type[Op], case: Case) -> None:
    operands = operands_of(op, case)
    (expected,) = op.compute(operands, case.attributes)
    # An extent of 1 is always known to be 1.
    specs = [
        weft.TensorSpec([n if n == 1 else None for n in operand.shape], operand.dtype) for operand in operands
    ]
    compiled = weft.function(lambda x: apply(op, *x, **case.attributes), input_signature=[specs])
    found = compiled(operands)
    assert np.shape(found) == expected.shape
    np.testing.assert_array_equal(found, expected)


UNKNOWN = weft.TensorSpec((None, None), "float64")


@pytest.mark.parametrize("shape", [(3, 4), (1, 6), (0, 2)])
def test_run_time_extents_of_reshapes(shape: tuple[int, int]) -> None:
    def reshapes(x: Any) -> Any:
        rows, columns = x.shape
        return (
            x.reshape(-1),
            x.reshape(columns, rows),
            x.T.reshape(-1, 1, columns),
            x.reshape(rows, 1, columns),
        )

    x = np.arange(float(np.prod(shape))).reshape(shape)
    for found, expected in zip(
        weft.function(reshapes, input_signature=[UNKNOWN])(x), reshapes(x), strict=True
    ):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("shape", [(3, 4), (1, 6), (0, 2)])
def test_run_time_extents_of_broadcasts(shape: tuple[int, int]) -> None:
    def broadcast(x: Any) -> Any:
        return np.broadcast_to(x[:, None], (x.shape[0], 2, x.shape[1]))

    x = np.arange(float(np.prod(shape))).reshape(shape)
    found = weft.function(broadcast, input_signature=[UNKNOWN])(x)
    np.testing.assert_array_equal(found, broadcast(x))


@pytest.mark.sampled
@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap"])
@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_borders_wider_than_the_array(mode: str, size: int) -> None:
    x = np.arange(float(size))
    uses = [(OPS["extend"], [x], {"low": (low,), "high": (9 - low,), "mode": mode}) for low in range(10)]
    assert_as_reference(uses)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 20])
def test_joins_of_many(count: int) -> None:
    def join(x: Any) -> Any:
        pieces = [x[: number % 4] * number for number in range(count)]
        return (
            np.concatenate(pieces),
            np.concatenate([np.concatenate(pieces[:2]), x]),
            np.stack([x] * count, 1),
        )

    x = np.arange(15.0).reshape(5, 3)
    for found, expected in zip(weft.function(join)(x), join(x), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_a_join_that_is_used_twice() -> None:
    def join(x: Any) -> Any:
        both = np.concatenate([x, x + 1])
        return both, np.concatenate([both, x]), np.concatenate([x, both], 0) * 2

    x = np.arange(3.0)
    for found, expected in zip(weft.function(join)(x), join(x), strict=True):
        np.testing.assert_array_equal(found, expected)

"""Right operands whose rows are along the sum are copied by pieces of 128 bits: sums of all lengths about those."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.cpu.codegen.vectors.code import columns_of, transpose
from weft.dialect.mlir import ir
from weft.dialect.register import context

DTYPES = [np.float64, np.float32, np.int32, np.int16, np.int8, np.float16]
DEPTHS = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33]
SHAPES = [(40, 16), (50, 33), (64, 70)]
"""Rows and columns: each dtype and each depth meets all."""


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("depth", DEPTHS)
def test_products_with_transposed_operands(depth: int, dtype: Any) -> None:
    random = np.random.default_rng(depth)
    rows, columns = SHAPES[(DEPTHS.index(depth) + DTYPES.index(dtype)) % len(SHAPES)]
    a = random.integers(-3, 4, (rows, depth)).astype(dtype)
    b = random.integers(-3, 4, (columns, depth)).astype(dtype)
    np.testing.assert_array_equal(weft.function(lambda a, b: a @ b.T)(a, b), a @ b.T)


@pytest.mark.parametrize("depth", [0, 1, 3, 4, 6])
def test_sizes_known_at_run_time(depth: int) -> None:
    spec = weft.TensorSpec([None, None], "float32")
    product = weft.function(lambda a, b: a @ b.T, input_signature=[spec, spec])
    a, b = np.ones((40, depth), np.float32), np.arange(35 * depth, dtype=np.float32).reshape(35, depth)
    np.testing.assert_array_equal(product(a, b), a @ b.T)


def _lanes(vector: ir.Value, known: dict[ir.Value, list[Any]]) -> list[Any]:
    """What a vector made by shuffles holds."""
    if vector not in known:
        op = vector.owner.operation
        both = [lane for operand in op.operands for lane in _lanes(operand, known)]
        known[vector] = [both[lane] for lane in ir.DenseI64ArrayAttr(op.attributes["mask"])]
    return known[vector]


@pytest.mark.parametrize(
    ("element", "rows", "lanes"), [("f32", 16, 4), ("f64", 8, 2), ("i16", 32, 8), ("f32", 4, 4)]
)
def test_columns(element: str, rows: int, lanes: int) -> None:
    with context(), ir.Location.unknown():
        type = f"vector<{lanes}x{element}>"
        module = ir.Module.parse(
            f"func.func @f({', '.join(f'%r{i}: {type}' for i in range(rows))}) {{\nreturn\n}}"
        )
        block = module.body.operations[0].regions[0].blocks[0]
        known = {v: [(row, lane) for lane in range(lanes)] for row, v in enumerate(block.arguments)}
        with ir.InsertionPoint.at_block_begin(block):
            columns = columns_of(list(block.arguments))
        assert [_lanes(v, known) for v in columns] == [[(r, c) for r in range(rows)] for c in range(lanes)]


@pytest.mark.parametrize(
    ("element", "size"), [("f32", 16), ("f32", 8), ("f64", 8), ("f32", 2), ("i8", 32), ("i16", 8)]
)
def test_squares(element: str, size: int) -> None:
    with context(), ir.Location.unknown():
        type = f"vector<{size}x{element}>"
        module = ir.Module.parse(
            f"func.func @f({', '.join(f'%r{i}: {type}' for i in range(size))}) {{\nreturn\n}}"
        )
        block = module.body.operations[0].regions[0].blocks[0]
        known = {v: [(row, lane) for lane in range(size)] for row, v in enumerate(block.arguments)}
        with ir.InsertionPoint.at_block_begin(block):
            columns = transpose(list(block.arguments))
        assert [_lanes(v, known) for v in columns] == [[(r, c) for r in range(size)] for c in range(size)]

"""Lowerings of the ops that make tensors from nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialect.dtypes import is_bfloat16
from ...dialect.mlir import Value, ir
from ...dialect.op import Array
from ...dialect.ops.creation import Arange, Constant, Empty
from ...dialect.ops.elementwise import Add, Multiply
from ...dialect.types import type_of
from .conversion import Conversion, OpInstance, linalg_index, lowers, scalar_type, storage_type
from .emission import emit
from .scalar_casts import cast_scalar
from .scalars import FLOAT32, ScalarBuilder, narrow, widen

_INT64: np.dtype[Any] = np.dtype(np.int64)


@lowers(Constant)
def lower_constant(c: Conversion, op: OpInstance) -> Value:
    """A dense constant of the storage type; of one value over and over, a splat."""
    array: Array = op.attributes["value"]
    flat = np.ascontiguousarray(array).reshape(-1)
    if flat.size and flat.tobytes() == flat[:1].tobytes() * flat.size:
        flat = flat[:1]
    if flat.dtype == bool:
        flat = flat.view(np.int8)
    elif is_bfloat16(flat.dtype):
        flat = flat.view(np.uint16)
    storage = storage_type(type_of(array))
    return c.operation(
        "arith.constant", [], [storage], {"value": ir.DenseElementsAttr.get(flat, type=storage)}
    )


@lowers(Empty)
def lower_empty(c: Conversion, op: OpInstance) -> Value:
    """Memory that nobody has written."""
    return c.empty(op.result_type, c.target_extents(op.attributes["shape"], op.operands))


@lowers(Arange)
def lower_arange(c: Conversion, op: OpInstance) -> list[Value]:
    """start + i * step, where i is the index of the element."""
    start, step, *dims = op.operands
    extents = c.target_extents(op.attributes["shape"], dims)
    dtype = op.result_type.dtype
    wide = FLOAT32 if dtype.itemsize == 2 and dtype.kind not in "iu" else dtype
    builder = ScalarBuilder(c, dtype)

    def body(first: Value, difference: Value) -> Value:
        index = builder.op("arith.index_cast", linalg_index(0), result=scalar_type(_INT64))
        position = cast_scalar(c, index, _INT64, wide)
        [offset] = emit(c, Multiply, (wide, wide), (wide,), position, widen(builder, difference))
        [number] = emit(c, Add, (wide, wide), (wide,), widen(builder, first), offset)
        return narrow(builder, number) if wide != dtype else number

    return c.map_elements([start, step], op.operand_types[:2], op.result_types, body, extents)

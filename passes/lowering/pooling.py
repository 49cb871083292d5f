"""Lowerings of the pooling ops: named linalg ops over a padded image."""

from __future__ import annotations

import numpy as np

from ...dialect.dtypes import kind
from ...dialect.mlir import Value, dialect
from ...dialect.ops.elementwise import Maximum
from ...dialect.ops.pooling import AvgPool2d, MaxPool2d
from ...dialect.types import TensorType
from ..index_arithmetic import Extent
from .accumulators import add, computing_dtype, convert_scalar, extremum, extremum_identity, round_once
from .contraction import pad_image, slid_extent, structured, window_attributes
from .conversion import Conversion, OpInstance, linalg_index, lowers, scalar_type

arith = dialect("arith")


def _pool(c: Conversion, op: OpInstance, name: str, initial: complex) -> tuple[Value, TensorType]:
    """Combine what is in every window by addition or maximum, in the computing dtype."""
    image_type, dtype = op.operand_types[0], op.result_type.dtype
    accumulator = op.result_type.with_dtype(computing_dtype(dtype))
    image = pad_image(c, op.operands[0], image_type, op.attributes["padding"], initial)
    window, strides = op.attributes["window"], op.attributes["strides"]
    slid: list[Extent] = [slid_extent(c, c.extent(image, 1 + a), window[a], strides[a]) for a in (0, 1)]
    extents = [c.extent(image, 0), *slid, c.extent(image, 3)]
    destination = c.fill(c.constant(initial, accumulator.dtype), accumulator, extents)
    shape_of_window = c.empty(TensorType(tuple(window), accumulator.dtype), window)

    def body(x: Value, _: Value, out: Value) -> Value:
        x = convert_scalar(c, x, dtype, accumulator.dtype)
        if name == "linalg.pooling_nhwc_sum":
            return add(c, accumulator.dtype, out, x)
        return extremum(c, Maximum, accumulator.dtype, out, x)

    attributes = window_attributes(strides, (1, 1))
    return structured(c, name, [image, shape_of_window], destination, attributes, body), accumulator


@lowers(MaxPool2d)
def lower_max_pool2d(c: Conversion, op: OpInstance) -> Value:
    """The border loses against every element."""
    dtype = op.result_type.dtype
    name = "linalg.pooling_nhwc_max_unsigned" if kind(dtype) in "bu" else "linalg.pooling_nhwc_max"
    pooled, accumulator = _pool(c, op, name, extremum_identity(Maximum, dtype))
    return round_once(c, pooled, accumulator, op.result_type)


@lowers(AvgPool2d)
def lower_avg_pool2d(c: Conversion, op: OpInstance) -> Value:
    """Divide the sum in every window by the number of elements of the image in it."""
    total, accumulator = _pool(c, op, "linalg.pooling_nhwc_sum", 0)
    image, result = op.operands[0], op.result_type
    window, strides, padding = (op.attributes[name] for name in ("window", "strides", "padding"))
    heights = [c.index(c.extent(image, 1 + axis)) for axis in (0, 1)]

    def covered(axis: int) -> Value:
        """The number of rows (or columns) of the image in the window at the current position."""
        start = arith.MulIOp(linalg_index(1 + axis), c.index(strides[axis])).result
        first = arith.SubIOp(start, c.index(padding[2 * axis])).result
        last = arith.MinSIOp(arith.AddIOp(first, c.index(window[axis])).result, heights[axis]).result
        return arith.SubIOp(last, arith.MaxSIOp(first, c.index(0)).result).result

    def divide(sum_: Value) -> Value:
        count = (
            arith.MulIOp(covered(0), covered(1)).result if any(padding) else c.index(window[0] * window[1])
        )
        integer = arith.IndexCastOp(scalar_type(np.dtype(np.int64)), count).result
        divisor = c.operation("arith.sitofp", [integer], [scalar_type(accumulator.dtype)])
        return convert_scalar(c, arith.DivFOp(sum_, divisor).result, accumulator.dtype, result.dtype)

    return c.map_elements([total], [accumulator], [result], divide, c.extents(total))[0]

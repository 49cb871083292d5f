"""Lowerings of the contractions: named linalg ops, which say what they are to whoever schedules them.

They are not written as `linalg.generic`, because the fusion of elementwise producers would compute these anew
for every product they enter. `linalg-generalize-named-ops` turns them into generics whose body is a
multiplication and an addition to the accumulator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from ...dialect.dtypes import kind
from ...dialect.made_ops import operation_of
from ...dialect.mlir import Attribute, Value, dialect, ir
from ...dialect.ops.contraction import Contract, Matmul, parse_spec
from ...dialect.ops.elementwise import Multiply
from ...dialect.types import TensorType
from ..rewriting import maps_attribute, segments_attribute
from .accumulators import add, computing_dtype, multiply, round_once
from .conversion import (
    Conversion,
    OpInstance,
    lowers,
    scalar_type,
)
from .emission import emit
from .reshapes import collapse, expand

arith = dialect("arith")


def structured(
    c: Conversion,
    name: str,
    inputs: Sequence[Value],
    destination: Value,
    attributes: dict[str, Attribute],
    body: Callable[..., Value],
) -> Value:
    """Build a named linalg op; `body` gets a scalar per input, and last the accumulator."""
    op = operation_of(
        name,
        [*inputs, destination],
        [destination.type],
        regions=1,
        operandSegmentSizes=segments_attribute(len(inputs), 1),
        **attributes,
    )
    block = op.regions[0].blocks.append(*(ir.RankedTensorType(v.type).element_type for v in op.operands))
    with ir.InsertionPoint(block):
        operation_of("linalg.yield", [body(*block.arguments)])
    return op.results[0]


def multiply_add(c: Conversion, dtype: np.dtype[Any], accumulator: np.dtype[Any]) -> Callable[..., Value]:
    """The body `out + x * y` in the accumulator's dtype; of booleans, `out or (x and y)` on their bytes."""

    def body(x: Value, y: Value, out: Value) -> Value:
        if kind(dtype) == "b":
            return c.operation("arith.ori", [out, c.operation("arith.andi", [x, y], [x.type])], [out.type])
        if dtype != accumulator:
            x, y = (c.operation("arith.extf", [v], [scalar_type(accumulator)]) for v in (x, y))
        return add(c, accumulator, out, multiply(c, accumulator, x, y))

    return body


def _contract(
    c: Conversion, labels: tuple[str, str, str], operands: Sequence[Value], result: TensorType
) -> Value:
    """Contract by axis labels: loops over the axes of the result, then over those that are summed."""
    x_labels, y_labels, result_labels = labels
    if kind(result.dtype) == "c" and not result_labels and x_labels == y_labels and len(x_labels) == 1:
        return _complex_dot(c, operands, result)
    summed = dict.fromkeys(label for label in x_labels + y_labels if label not in result_labels)
    maps = _maps_of(labels, (*result_labels, *summed))
    sources = {
        label: (operand, axis)
        for operand, part in zip(operands, (x_labels, y_labels), strict=True)
        for axis, label in enumerate(part)
    }
    extents = [c.extent(*sources[label]) for label in result_labels]
    accumulator = result.with_dtype(computing_dtype(result.dtype))
    if not summed:
        iterators = ["parallel"] * len(result_labels)
        return c.generic(operands, [c.empty(result, extents)], maps, iterators, _product(c, result.dtype))[0]
    destination = c.fill(c.constant(0, accumulator.dtype), accumulator, extents)
    body = multiply_add(c, result.dtype, accumulator.dtype)
    if not result_labels or kind(result.dtype) == "b" or summed.keys() - (set(x_labels) & set(y_labels)):
        # What linalg.contract does not take: booleans, and axes that only one operand has. The product of two vectors
        # uses every element once, so that elementwise producers may be fused into the sum.
        iterators = ["parallel"] * len(result_labels) + ["reduction"] * len(summed)
        combined = c.generic(operands, [destination], maps, iterators, lambda *scalars: [body(*scalars)])[0]
        return round_once(c, combined, accumulator, result)
    attributes = {"indexing_maps": maps_attribute(maps)}
    contracted = structured(c, "linalg.contract", operands, destination, attributes, body)
    return round_once(c, contracted, accumulator, result)


@cache
def _maps_of(labels: tuple[str, ...], loops: tuple[str, ...]) -> tuple[Any, ...]:
    """Where operands and result are in the loops, by labels."""
    return tuple(
        ir.AffineMap.get(len(loops), 0, [ir.AffineDimExpr.get(loops.index(label)) for label in part])
        for part in labels
    )


def _complex_dot(c: Conversion, operands: Sequence[Value], result: TensorType) -> Value:
    """The product of two vectors as a contraction with one result: that has a schedule, a sum of products has none."""
    x, y = operands
    row = expand(y, [[0, 1]], [1, c.extent(y, 0)])
    return collapse(_contract(c, ("k", "nk", "n"), [x, row], result.with_shape((1,))), [])


def _product(c: Conversion, dtype: np.dtype[Any]) -> Callable[..., list[Value]]:
    """The body of a contraction that sums over nothing: an elementwise product."""

    def body(x: Value, y: Value, _: Value) -> list[Value]:
        x, y = (c.load(v, dtype) for v in (x, y))
        return [c.store(emit(c, Multiply, (dtype, dtype), (dtype,), x, y)[0], dtype)]

    return body


@lowers(Contract)
def lower_contract(c: Conversion, op: OpInstance) -> Value:
    """The spec as indexing maps."""
    return _contract(c, parse_spec(op.attributes["spec"]), op.operands, op.result_type)


@lowers(Matmul)
def lower_matmul(c: Conversion, op: OpInstance) -> Value:
    """Batch axes along which an operand is repeated are dropped from it, so that loops address every axis."""
    rank = op.result_type.rank
    batch = "".join(chr(256 + axis) for axis in range(rank - 2))  # behind the letters m, k and n
    operands, labels = [], []
    for operand, operand_type, matrix in zip(op.operands, op.operand_types, ("mk", "kn"), strict=True):
        own = batch[rank - operand_type.rank :] + matrix
        result_shape = op.result_type.shape[rank - operand_type.rank :]
        repeated = [
            axis
            for axis in range(operand_type.rank - 2)
            if operand_type.shape[axis] == 1 and result_shape[axis] != 1
        ]
        operands.append(drop_unit_axes(c, operand, repeated))
        labels.append("".join(label for axis, label in enumerate(own) if axis not in repeated))
    return _contract(c, (labels[0], labels[1], batch + "mn"), operands, op.result_type)


def drop_unit_axes(c: Conversion, value: Value, axes: Sequence[int]) -> Value:
    """A tensor without some of its axes of extent 1 (never the last axis)."""
    if not axes:
        return value
    ranked = ir.RankedTensorType(value.type)
    groups: list[list[int]] = [[]]
    for axis in range(ranked.rank):
        groups[-1].append(axis)
        if axis not in axes:
            groups.append([])
    return collapse(value, groups[:-1])

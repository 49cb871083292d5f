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
from ...dialect.mlir import Attribute, Value, dialect, ir
from ...dialect.ops.contraction import Contract, Conv2d, GroupedConv2d, Matmul, parse_spec
from ...dialect.ops.elementwise import Multiply
from ...dialect.types import Shape, TensorType
from .accumulators import add, computing_dtype, multiply, round_once
from .conversion import (
    Conversion,
    Extent,
    OpInstance,
    lowers,
    maps_attribute,
    scalar_type,
    segments_attribute,
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
    op = ir.Operation.create(
        name,
        results=[destination.type],
        operands=[*inputs, destination],
        attributes={"operandSegmentSizes": segments_attribute(len(inputs), 1), **attributes},
        regions=1,
    )
    block = op.regions[0].blocks.append(*(ir.RankedTensorType(v.type).element_type for v in op.operands))
    with ir.InsertionPoint(block):
        ir.Operation.create("linalg.yield", operands=[body(*block.arguments)])
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
    index = ir.IntegerType.get_signless(64)
    reassociation = [ir.ArrayAttr.get([ir.IntegerAttr.get(index, a) for a in group]) for group in groups[:-1]]
    shape = [extent for axis, extent in enumerate(ranked.shape) if axis not in axes]
    return c.operation(
        "tensor.collapse_shape",
        [value],
        [ir.RankedTensorType.get(shape, ranked.element_type)],
        {"reassociation": ir.ArrayAttr.get(reassociation)},
    )


# Sliding windows


def pad_image(
    c: Conversion, image: Value, image_type: TensorType, padding: Sequence[int], value: complex
) -> Value:
    """An NHWC image with rows and columns of a value around it; the image itself where there are none."""
    if not any(padding):
        return image
    before = [0, padding[0], padding[2], 0]
    around = [0, padding[0] + padding[1], padding[2] + padding[3], 0]
    sizes = c.extents(image)
    extents = [_plus(c, size, extra) for size, extra in zip(sizes, around, strict=True)]
    shape: Shape = tuple(extent if isinstance(extent, int) else None for extent in extents)
    padded_type = image_type.with_shape(shape)
    border = c.fill(c.constant(value, image_type.dtype), padded_type, extents)
    if 0 in sizes:
        return border
    dynamic = ir.ShapedType.get_dynamic_size()
    return c.operation(
        "tensor.insert_slice",
        [image, border, *(size for size in sizes if not isinstance(size, int))],
        [border.type],
        {
            "static_offsets": ir.DenseI64ArrayAttr.get(before),
            "static_sizes": ir.DenseI64ArrayAttr.get([s if isinstance(s, int) else dynamic for s in sizes]),
            "static_strides": ir.DenseI64ArrayAttr.get([1] * 4),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get(
                [1, 1, 0, sum(not isinstance(size, int) for size in sizes), 0]
            ),
        },
    )


def _plus(c: Conversion, extent: Extent, number: int) -> Extent:
    if isinstance(extent, int):
        return extent + number
    return arith.AddIOp(extent, c.index(number)).result if number else extent


def slid_extent(c: Conversion, padded: Extent, window: Extent, stride: int, dilation: int = 1) -> Extent:
    """The number of positions of a window on a padded axis; 0 where a window does not fit."""
    if isinstance(padded, int) and isinstance(window, int):
        return (padded - (window - 1) * dilation - 1) // stride + 1
    reach = arith.MulIOp(arith.SubIOp(c.index(window), c.index(1)).result, c.index(dilation)).result
    # One stride is added before the division instead of 1 after it, so that nothing negative is divided.
    room = arith.SubIOp(_plus(c, c.index(padded), stride - 1), reach).result
    return arith.DivUIOp(arith.MaxSIOp(room, c.index(0)).result, c.index(stride)).result


def window_attributes(strides: Sequence[int], dilations: Sequence[int]) -> dict[str, Attribute]:
    """The attributes of the named ops that slide a window."""
    return {
        name: ir.DenseElementsAttr.get(np.array(values, np.int64))
        for name, values in (("strides", strides), ("dilations", dilations))
    }


@lowers(Conv2d)
def lower_conv2d(c: Conversion, op: OpInstance) -> Value:
    """Pad with zeros, then the named convolution; booleans by a generic of the same loops."""
    (image, filters), dtype = op.operands, op.result_type.dtype
    strides, dilations = op.attributes["strides"], op.attributes["dilations"]
    image = pad_image(c, image, op.operand_types[0], op.attributes["padding"], 0)
    slid = [
        slid_extent(c, c.extent(image, 1 + axis), c.extent(filters, axis), strides[axis], dilations[axis])
        for axis in (0, 1)
    ]
    extents = [c.extent(image, 0), *slid, c.extent(filters, 3)]
    accumulator = op.result_type.with_dtype(computing_dtype(dtype))
    destination = c.fill(c.constant(0, accumulator.dtype), accumulator, extents)
    body = multiply_add(c, dtype, accumulator.dtype)
    if kind(dtype) == "b":
        letters = "nyxc", "ijcf", "nyxf"
        return _slide(c, letters, [image, filters], destination, strides, dilations, body)
    attributes = window_attributes(strides, dilations)
    slid_sum = structured(c, "linalg.conv_2d_nhwc_hwcf", [image, filters], destination, attributes, body)
    return round_once(c, slid_sum, accumulator, op.result_type)


@lowers(GroupedConv2d)
def lower_grouped_conv2d(c: Conversion, op: OpInstance) -> Value:
    """Pad with zeros, split the channels into groups, and loop over these, too; without, if a group has one channel."""
    (image, filters), dtype, groups = op.operands, op.result_type.dtype, op.attributes["groups"]
    strides, dilations = op.attributes["strides"], op.attributes["dilations"]
    image = pad_image(c, image, op.operand_types[0], op.attributes["padding"], 0)
    slid = [
        slid_extent(c, c.extent(image, 1 + axis), c.extent(filters, axis), strides[axis], dilations[axis])
        for axis in (0, 1)
    ]
    channels, results = (c.extent(filters, axis) for axis in (2, 3))
    accumulator = op.result_type.with_dtype(computing_dtype(dtype))
    is_depthwise = channels == 1 and results == groups
    of_group = results // groups if isinstance(results, int) else _quotient(c, results, groups)
    own = () if is_depthwise else (groups, of_group)
    if is_depthwise:
        filters = collapse(filters, [[0], [1], [2, 3]])
        letters = "nyxg", "ijg", "nyxg"
    else:
        image = _split_last(c, image, groups, channels)
        filters = _split_last(c, filters, groups, of_group)
        letters = "nyxgc", "ijcgf", "nyxgf"
    extents = [c.extent(image, 0), *slid, *(own or [groups])]
    known = tuple(extent if isinstance(extent, int) else None for extent in own or (groups,))
    shape = (*op.result_type.shape[:3], *known)
    destination = c.fill(c.constant(0, accumulator.dtype), accumulator.with_shape(shape), extents)
    body = multiply_add(c, dtype, accumulator.dtype)
    summed = _slide(c, letters, [image, filters], destination, strides, dilations, body)
    rounded = round_once(c, summed, accumulator.with_shape(shape), op.result_type.with_shape(shape))
    return rounded if is_depthwise else collapse(rounded, [[0], [1], [2], [3, 4]])


def _split_last(c: Conversion, x: Value, groups: int, part: Extent) -> Value:
    """Four axes as five; what is known of the parts of the last one tells its extent."""
    source = ir.RankedTensorType(x.type)
    if isinstance(part, int) and source.is_dynamic_dim(3):
        wanted = ir.RankedTensorType.get([*source.shape[:3], groups * part], source.element_type)
        x = c.operation("tensor.cast", [x], [wanted])
    return expand(x, [[0], [1], [2], [3, 4]], [*c.extents(x)[:3], groups, part])


def _quotient(c: Conversion, extent: Value, number: int) -> Value:
    return arith.DivUIOp(extent, c.index(number)).result


def _slide(
    c: Conversion,
    letters: tuple[str, str, str],
    inputs: Sequence[Value],
    destination: Value,
    strides: Sequence[int],
    dilations: Sequence[int],
    body: Callable[..., Value],
) -> Value:
    """Loops over the axes of the result, then over those of the window at `i`, `j`, and channels; `y`, `x` slide it."""
    loops = dict.fromkeys(letters[2] + letters[1])
    dims = {letter: ir.AffineDimExpr.get(number) for number, letter in enumerate(loops)}
    image, *others = ([dims[letter] for letter in part] for part in letters)
    image[1] = dims["y"] * strides[0] + dims["i"] * dilations[0]
    image[2] = dims["x"] * strides[1] + dims["j"] * dilations[1]
    maps = [ir.AffineMap.get(len(dims), 0, expressions) for expressions in (image, *others)]
    iterators = ["parallel" if letter in letters[2] else "reduction" for letter in dims]
    return c.generic(inputs, [destination], maps, iterators, lambda *scalars: [body(*scalars)])[0]

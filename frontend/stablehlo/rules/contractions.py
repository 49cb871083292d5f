"""Products of tensors: contractions and convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....dialect.emitter import Tensor
from ....dialect.mlir import Operation
from ....dialect.ops.contraction import LABELS
from ....dialect.ops.convolution import Conv
from ..context import stablehlo
from .table import Builder, Refused, ints, number, pairs, result_type, rule


@rule("dot_general")
def dot_general(b: Builder, op: Operation, x: Tensor, y: Tensor) -> Tensor:
    """`weft.matmul` or `weft.contract`; narrower operands are converted to the dtype of the result first."""
    dims = stablehlo().DotDimensionNumbers(op.attributes["dot_dimension_numbers"])
    batches = list(zip(dims.lhs_batching_dimensions, dims.rhs_batching_dimensions, strict=True))
    contracted = list(zip(dims.lhs_contracting_dimensions, dims.rhs_contracting_dimensions, strict=True))
    return _product(b, op, x, y, batches, contracted)


@rule("dot")
def dot(b: Builder, op: Operation, x: Tensor, y: Tensor) -> Tensor:
    """The product over the last axis of the first operand and the first one of the second."""
    return _product(b, op, x, y, [], [(x.rank - 1, 0)])


@rule("einsum")
def einsum(b: Builder, op: Operation, x: Tensor, y: Tensor) -> Tensor:
    """`weft.contract`."""
    spec = str(op.attributes["einsum_config"].value).replace(" ", "")
    dtype = result_type(op).dtype
    return b.one("contract", b.converted(x, dtype), b.converted(y, dtype), spec=spec)


def _product(
    b: Builder,
    op: Operation,
    x: Tensor,
    y: Tensor,
    batches: Sequence[tuple[int, int]],
    contracted: Sequence[tuple[int, int]],
) -> Tensor:
    if x.rank + y.rank > len(LABELS):
        raise Refused("has too many axes")
    dtype = result_type(op).dtype
    x, y = b.converted(x, dtype), b.converted(y, dtype)
    if x.rank == y.rank == len(batches) + 2 and _is_matmul(batches, contracted, x.rank):
        return b.one("matmul", x, y)
    left = list(LABELS[: x.rank])
    right = list(LABELS[x.rank : x.rank + y.rank])
    for one, other in (*batches, *contracted):
        right[other] = left[one]
    shared = [left[one] for one, _ in batches]
    gone = [left[one] for one, _ in contracted]
    result = shared + [label for label in (*left, *right) if label not in shared and label not in gone]
    return b.one("contract", x, y, spec=f"{''.join(left)},{''.join(right)}->{''.join(result)}")


def _is_matmul(batches: Sequence[tuple[int, int]], contracted: Sequence[tuple[int, int]], rank: int) -> bool:
    """Whether leading axes are those of a batch, and the last but one of the second operand is summed over."""
    return list(batches) == [(i, i) for i in range(rank - 2)] and list(contracted) == [(rank - 1, rank - 2)]


@rule("convolution")
def convolution(b: Builder, op: Operation, x: Tensor, kernel: Tensor) -> Tensor:
    """`weft.conv`; axes are brought in order, and groups of a batch are convolved one by one."""
    dtype = result_type(op).dtype
    x, kernel = b.converted(x, dtype), b.converted(kernel, dtype)
    dims = stablehlo().ConvDimensionNumbers(op.attributes["dimension_numbers"])
    spatial = len(dims.input_spatial_dimensions)
    x = b.moved(x, (dims.input_batch_dimension, *dims.input_spatial_dimensions, dims.input_feature_dimension))
    kernel = b.moved(
        kernel,
        (
            *dims.kernel_spatial_dimensions,
            dims.kernel_input_feature_dimension,
            dims.kernel_output_feature_dimension,
        ),
    )
    if "window_reversal" in op.attributes:
        for axis, reversed_ in enumerate(op.attributes["window_reversal"]):
            kernel = b.flip(kernel, axis) if reversed_ else kernel
    if None in kernel.shape:
        raise Refused("takes filters of sizes that are not known")
    strides, dilations, gaps = (
        ints(op, name, [1] * spatial) for name in ("window_strides", "rhs_dilation", "lhs_dilation")
    )
    how = {
        "strides": tuple(strides),
        "padding": tuple(side for sides in pairs(op, "padding", spatial) for side in sides),
        "dilations": tuple(dilations),
        "input_dilations": tuple(gaps),
    }
    groups, batches = number(op, "feature_group_count", 1), number(op, "batch_group_count", 1)
    found = _by_batches(b, x, kernel, batches, {**how, "groups": groups})
    order = [0] * found.rank
    places = (
        dims.output_batch_dimension,
        *dims.output_spatial_dimensions,
        dims.output_feature_dimension,
    )
    for axis, place in enumerate(places):
        order[place] = axis
    return b.moved(found, order)


def _by_batches(b: Builder, x: Tensor, kernel: Tensor, batches: int, how: dict[str, Any]) -> Tensor:
    """The convolution of (N, ..., C) with (..., C, F), of each part of the batch with one of the filters."""
    if batches == 1:
        return _convolved(b, x, kernel, how)
    extent, features = x.shape[0], kernel.shape[-1]
    if extent is None or features is None:
        raise Refused("splits a batch of which the size is not known")
    size, each = extent // batches, features // batches
    parts = [
        _convolved(
            b,
            b.along(x, 0, size * i, size * (i + 1)),
            b.along(kernel, kernel.rank - 1, each * i, each * (i + 1)),
            how,
        )
        for i in range(batches)
    ]
    return b.joined(parts, x.rank - 1)


def _convolved(b: Builder, x: Tensor, kernel: Tensor, how: dict[str, Any]) -> Tensor:
    """`weft.conv`, or zeros: a window without elements sums up nothing, and one that does not fit has no place."""
    slides = Conv.slides(kernel.shape[:-2], how)
    known = [None if n is None else slide.places(n) for slide, n in zip(slides, x.shape[1:], strict=False)]
    if 0 not in kernel.shape[:-2] and not any(n is not None and n < 1 for n in known):
        return b.one("conv", x, kernel, **how)
    counts = [max(n, 0) for n in known if n is not None]
    if len(counts) < len(known):
        raise Refused("has a window without elements over axes of sizes that are not known")
    return b.full([b.extent(x, 0), *counts, b.extent(kernel, kernel.rank - 1)], 0, x.dtype)

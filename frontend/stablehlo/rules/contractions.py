"""Products of tensors: contractions and convolutions."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ....dialect.emitter import Tensor
from ....dialect.mlir import Operation
from ....dialect.ops.contraction import LABELS
from ....dialect.records import NamedTuple
from ..context import stablehlo
from .shapes import padded
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


class _Window(NamedTuple):
    """How a filter moves over an image along an axis of it."""

    extent: int
    """That of the filter."""
    stride: int
    dilation: int


@rule("convolution")
def convolution(b: Builder, op: Operation, x: Tensor, filters: Tensor) -> Tensor:
    """`weft.conv2d`; with one axis or more than two, sums of products; axes, gaps and groups are brought in order."""
    dtype = result_type(op).dtype
    x, filters = b.converted(x, dtype), b.converted(filters, dtype)
    dims = stablehlo().ConvDimensionNumbers(op.attributes["dimension_numbers"])
    spatial = len(dims.input_spatial_dimensions)
    x = b.moved(x, (dims.input_batch_dimension, *dims.input_spatial_dimensions, dims.input_feature_dimension))
    filters = b.moved(
        filters,
        (
            *dims.kernel_spatial_dimensions,
            dims.kernel_input_feature_dimension,
            dims.kernel_output_feature_dimension,
        ),
    )
    if "window_reversal" in op.attributes:
        for axis, reversed_ in enumerate(op.attributes["window_reversal"]):
            filters = b.flip(filters, axis) if reversed_ else filters
    padding = pairs(op, "padding", spatial)
    gaps = [gap - 1 for gap in ints(op, "lhs_dilation", [1] * spatial)]
    if any(gaps) or any(size < 0 for sides in padding for size in sides):
        x = padded(
            b,
            x,
            b.number(0, dtype),
            (0, *(low for low, _ in padding), 0),
            (0, *(high for _, high in padding), 0),
            (0, *gaps, 0),
        )
        padding = [(0, 0)] * spatial
    extents = filters.shape[:spatial]
    if None in filters.shape:
        raise Refused("takes filters of sizes that are not known")
    strides, dilations = (ints(op, name, [1] * spatial) for name in ("window_strides", "rhs_dilation"))
    windows = [_Window(*each) for each in zip(extents, strides, dilations, strict=True)]  # type: ignore[arg-type]
    found = _grouped(
        b,
        x,
        filters,
        windows,
        padding,
        number(op, "feature_group_count", 1),
        number(op, "batch_group_count", 1),
    )
    order = [0] * found.rank
    places = (
        dims.output_batch_dimension,
        *dims.output_spatial_dimensions,
        dims.output_feature_dimension,
    )
    for axis, place in enumerate(places):
        order[place] = axis
    return b.moved(found, order)


def _grouped(
    b: Builder,
    x: Tensor,
    filters: Tensor,
    windows: Sequence[_Window],
    padding: Sequence[tuple[int, int]],
    groups: int,
    batches: int,
) -> Tensor:
    """The convolution of images (N, ..., C) with filters (..., C, F)."""
    if batches > 1:
        extent, features = x.shape[0], filters.shape[-1]
        if extent is None or features is None:
            raise Refused("splits a batch of which the size is not known")
        size, each = extent // batches, features // batches
        parts = [
            _grouped(
                b,
                b.along(x, 0, size * i, size * (i + 1)),
                b.along(filters, filters.rank - 1, each * i, each * (i + 1)),
                windows,
                padding,
                1,
                1,
            )
            for i in range(batches)
        ]
        return b.joined(parts, x.rank - 1)
    if len(windows) == 2 and 0 not in filters.shape:
        how = {
            "strides": tuple(window.stride for window in windows),
            "padding": tuple(size for sides in padding for size in sides),
            "dilations": tuple(window.dilation for window in windows),
        }
        if groups > 1:
            return b.one("grouped_conv2d", x, filters, groups=groups, **how)
        return b.one("conv2d", x, filters, **how)
    if any(size for sides in padding for size in sides):
        low, high = zip(*padding, strict=True)
        none = (0,) * x.rank
        x = padded(b, x, b.number(0, x.dtype), (0, *low, 0), (0, *high, 0), none)
    return _sum_of_products(b, x, filters, windows, groups)


def _sum_of_products(
    b: Builder, x: Tensor, filters: Tensor, windows: Sequence[_Window], groups: int
) -> Tensor:
    """A convolution with any number of axes: for each place in the filter, what it meets of the image, times it."""
    spatial = len(windows)
    counts = []
    for axis, window in enumerate(windows, 1):
        extent = x.shape[axis]
        if extent is None:
            raise Refused("has other than two spatial axes of sizes that are not known")
        reach = (window.extent - 1) * window.dilation + 1
        counts.append(0 if window.extent == 0 or extent < reach else (extent - reach) // window.stride + 1)
    total = None
    for place in itertools.product(*(range(window.extent) for window in windows)):
        seen = x
        for axis, (offset, window, count) in enumerate(zip(place, windows, counts, strict=True), 1):
            start = offset * window.dilation
            stop = start + max(count - 1, 0) * window.stride + min(count, 1)
            seen = b.along(seen, axis, start, stop, window.stride)
        factor = filters
        for axis, offset in enumerate(place):
            factor = b.along(factor, axis, offset, offset + 1)
        factor = b.squeeze(factor, axes=tuple(range(spatial))) if spatial else factor
        product = _grouped_product(b, seen, factor, groups)
        total = product if total is None else total + product
    if total is None:
        return b.full([b.extent(x, 0), *counts, b.extent(filters, spatial + 1)], 0, x.dtype)
    return total


def _grouped_product(b: Builder, x: Tensor, factor: Tensor, groups: int) -> Tensor:
    """The product of the last axis of one and the first axis of another, for each group of channels on its own."""
    around = LABELS[3 : 3 + x.rank - 1]
    if groups == 1:
        return b.one("contract", x, factor, spec=f"{around}a,ab->{around}b")
    channels, features = factor.shape
    assert channels is not None
    assert features is not None
    each = features // groups
    split = b.reshaped(x, [*b.extents(x)[:-1], groups, channels])
    factors = b.reshaped(factor, [channels, groups, each])
    found = b.contract(split, factors, spec=f"{around}ca,acb->{around}cb")
    return b.reshaped(found, [*b.extents(found)[:-2], features])


__all__: list[str] = []

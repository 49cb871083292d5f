"""Products, convolutions, transforms and factorizations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....dialect.dtypes import is_half
from ....dialect.emitter import Tensor
from ....dialect.mlir import ir
from ....dialect.ops.convolution import Conv
from ....dialect.types import TensorType
from ...graph_writers.products import contraction
from ...graph_writers.table import BOOL, SINGLE, require_known
from ..context import stablehlo
from .table import Builder, integer, integers, writer


def dot_general(
    b: Builder, x: Tensor, y: Tensor, batches: Sequence[tuple[int, int]], summed: Sequence[tuple[int, int]]
) -> Tensor:
    """The op: axes of a batch first, then those of either operand that are left. Halves are added up in float32."""
    shape = [x.shape[one] for one, _ in batches]
    shape += [e for a, e in enumerate(x.shape) if a not in [one for one, _ in (*batches, *summed)]]
    shape += [e for a, e in enumerate(y.shape) if a not in [other for _, other in (*batches, *summed)]]
    dtype = x.dtype
    wide = SINGLE if is_half(dtype) else np.dtype(np.int32) if dtype == BOOL else dtype
    dims = stablehlo().DotDimensionNumbers.get(
        lhs_batching_dimensions=[one for one, _ in batches],
        rhs_batching_dimensions=[other for _, other in batches],
        lhs_contracting_dimensions=[one for one, _ in summed],
        rhs_contracting_dimensions=[other for _, other in summed],
    )
    operands = [b.converted(each, wide) if dtype == BOOL else each for each in (x, y)]
    found = b.make("dot_general", operands, TensorType(tuple(shape), wide), dot_dimension_numbers=dims)
    return b.converted(found, dtype)


@writer("matmul")
def matmul(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    rank = max(x.rank, y.rank) - 2
    x, y = (_with_batch(b, each, other, rank) for each, other in ((x, y), (y, x)))
    return dot_general(b, x, y, [(axis, axis) for axis in range(rank)], [(rank + 1, rank)])


def _with_batch(b: Builder, x: Tensor, other: Tensor, rank: int) -> Tensor:
    """Matrices with the leading axes of both."""
    extents = [1] * (rank + 2 - x.rank) + b.extents(x)[:-2]
    for axis, extent in enumerate(b.extents(other)[:-2], rank + 2 - other.rank):
        if not isinstance(extents[axis], Tensor) and extents[axis] == 1:
            extents[axis] = extent
    return b.broadcast(x, [*extents, *b.extents(x)[-2:]])


@writer("contract")
def contract(b: Builder, x: Tensor, y: Tensor, spec: str) -> Tensor:
    parts = contraction(b, x, y, spec)
    x, y, left, right, result = parts
    pairs = [
        [(left.index(label), right.index(label)) for label in labels]
        for labels in (parts.batches, parts.summed)
    ]
    found = dot_general(b, x, y, *pairs)
    order = [*parts.batches, *parts.rows, *parts.columns]
    permutation = tuple(order.index(label) for label in result)
    return (
        found
        if permutation == tuple(range(len(order)))
        else b.one("transpose", found, permutation=permutation)
    )


@writer("conv")
def conv(b: Builder, x: Tensor, kernel: Tensor, padding: tuple[int, ...], groups: int, **how: Any) -> Tensor:
    require_known(kernel)
    result = Conv.infer(x.type, kernel.type, padding=padding, groups=groups, **how)
    wide = SINGLE if is_half(x.dtype) else x.dtype
    rank = x.rank - 2
    inner = list(range(1, rank + 1))
    dims = stablehlo().ConvDimensionNumbers.get(
        input_batch_dimension=0,
        input_feature_dimension=rank + 1,
        input_spatial_dimensions=inner,
        kernel_input_feature_dimension=rank,
        kernel_output_feature_dimension=rank + 1,
        kernel_spatial_dimensions=list(range(rank)),
        output_batch_dimension=0,
        output_feature_dimension=rank + 1,
        output_spatial_dimensions=inner,
    )
    found = b.make(
        "convolution",
        [x, kernel],
        result.with_dtype(wide),
        dimension_numbers=dims,
        feature_group_count=integer(groups),
        batch_group_count=integer(1),
        window_strides=integers(how["strides"]),
        lhs_dilation=integers(how["input_dilations"]),
        rhs_dilation=integers(how["dilations"]),
        padding=ir.DenseIntElementsAttr.get(np.array(padding, np.int64).reshape(-1, 2)),
    )
    return b.converted(found, x.dtype)


# Transforms


def _transform(b: Builder, form: str, x: Tensor, length: int, result: TensorType) -> Tensor:
    kind_of = ir.Attribute.parse(f"#stablehlo<fft_type {form}>")
    return b.make("fft", [x], result, fft_type=kind_of, fft_length=integers([length]))


@writer("fft")
def fft(b: Builder, x: Tensor, scale: Tensor, inverse: bool) -> Tensor:
    require_known(x)
    length = x.shape[-1] or 0
    found = _transform(b, "IFFT" if inverse else "FFT", x, length, x.type)
    factor = scale * length if inverse else scale  # the inverse divides by the length
    return found * b.converted(factor, x.dtype)


@writer("rfft")
def rfft(b: Builder, x: Tensor, scale: Tensor, odd: bool) -> Tensor:
    require_known(x)
    length = x.shape[-1] or 0
    dtype = np.dtype(np.complex64 if x.dtype == SINGLE else np.complex128)
    found = _transform(b, "RFFT", x, length, TensorType((*x.shape[:-1], length // 2 + 1), dtype))
    return found * b.converted(scale, dtype)


@writer("irfft")
def irfft(b: Builder, x: Tensor, scale: Tensor, odd: bool) -> Tensor:
    require_known(x)
    length = 2 * ((x.shape[-1] or 1) - 1) + odd
    found = _transform(b, "IRFFT", x, length, TensorType((*x.shape[:-1], length), scale.dtype))
    return found * (scale * length)


@writer("cholesky")
def cholesky(b: Builder, x: Tensor, upper: bool) -> tuple[Tensor, Tensor]:
    found = b.make("cholesky", [x], x.type, lower=ir.BoolAttr.get(not upper))
    whole = b.triu(found, k=0) if upper else b.tril(found, k=0)
    fails = b.any(b.isnan(whole), axes=(x.rank - 2, x.rank - 1), keepdims=True)
    whole = b.select(fails, b.number(np.nan, x.dtype), whole)
    return whole, b.any(fails, axes=tuple(range(x.rank)), keepdims=False)

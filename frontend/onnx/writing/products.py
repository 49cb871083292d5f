"""Products and convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....dialect.dtypes import is_half, kind
from ....dialect.emitter import Tensor
from ....dialect.ops.contraction import GroupedConv2d, parse_spec
from ....dialect.types import TensorType, broadcast_shapes
from ...graph_writers.table import BOOL, SINGLE, Unsaid
from .table import DOUBLE, INT32, Builder, computed_in, writer


def _wide(b: Builder, op_type: str, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in which products are added up: halves are in float32."""
    if is_half(dtype):
        return SINGLE
    return INT32 if dtype == BOOL else b.wide_for(op_type, computed_in(dtype))


@writer("matmul")
def matmul(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    return _product(b, x, y)


def _product(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    """Matrices multiplied, with leading axes that broadcast."""
    wide = _wide(b, "MatMul", x.dtype)
    shape = (*broadcast_shapes([x.shape[:-2], y.shape[:-2]]), x.shape[-2], y.shape[-1])
    given = [b.converted(each, wide) for each in (x, y)]
    return b.converted(b.make("MatMul", given, TensorType(shape, wide)), x.dtype)


@writer("contract")
def contract(b: Builder, x: Tensor, y: Tensor, spec: str) -> Tensor:
    left, right, result = parse_spec(spec)
    x, left = _summed(b, x, left, right + result)
    y, right = _summed(b, y, right, left + result)
    shared = [label for label in left if label in right]
    batches = [label for label in shared if label in result]
    summed = [label for label in shared if label not in result]
    rows = [label for label in left if label not in shared]
    columns = [label for label in right if label not in shared]
    if len(summed) == len(rows) == len(columns) == 1 or not shared:
        return _of_matrices(b, x, y, (left, right, result), (batches, summed, rows, columns))
    wide = _wide(b, "Einsum", x.dtype)
    sizes = dict(zip(left + right, x.shape + y.shape, strict=True))
    given = [b.converted(each, wide) for each in (x, y)]
    kind_of = TensorType(tuple(sizes[label] for label in result), wide)
    found = b.make("Einsum", given, kind_of, equation=f"{left},{right}->{result}")
    return b.converted(found, x.dtype)


def _of_matrices(
    b: Builder, x: Tensor, y: Tensor, labels: tuple[str, str, str], groups: tuple[list[str], ...]
) -> Tensor:
    """A contraction that is a product of matrices, or of elements where nothing is shared."""
    left, right, result = labels
    batches, summed, rows, columns = groups
    if not summed:
        first = b.unsqueezed(x, range(x.rank, x.rank + y.rank))
        found, order = first * y, [*left, *right]
    else:
        first = b.transposed(x, [left.index(label) for label in (*batches, *rows, *summed)])
        second = b.transposed(y, [right.index(label) for label in (*batches, *summed, *columns)])
        found, order = _product(b, first, second), [*batches, *rows, *columns]
    return b.transposed(found, [order.index(label) for label in result])


def _summed(b: Builder, x: Tensor, labels: str, others: str) -> tuple[Tensor, str]:
    """An operand without the axes that it alone has, over which is summed."""
    alone = tuple(axis for axis, label in enumerate(labels) if label not in others)
    if not alone:
        return x, labels
    name = "any" if x.dtype == BOOL else "sum"
    found = b.one(name, x, axes=alone, keepdims=False)
    return found, "".join(label for label in labels if label in others)


@writer("conv2d")
def conv2d(b: Builder, x: Tensor, filters: Tensor, strides: Any, padding: Any, dilations: Any) -> Tensor:
    return grouped_conv2d(b, x, filters, 1, strides, padding, dilations)


@writer("grouped_conv2d")
def grouped_conv2d(
    b: Builder,
    x: Tensor,
    filters: Tensor,
    groups: int,
    strides: tuple[int, ...],
    padding: tuple[int, ...],
    dilations: tuple[int, ...],
) -> Tensor:
    result = GroupedConv2d.infer(x.type, filters.type, groups, strides, padding, dilations)
    wide = SINGLE if is_half(x.dtype) else x.dtype
    if kind(wide) != "f":
        if wide.itemsize > 2:
            raise Unsaid(f"has no form for {wide.name}: Conv does not take it")
        wide = DOUBLE  # which has all sums of products of such integers
    image = b.converted(b.transposed(x, (0, 3, 1, 2)), wide)
    weights = b.converted(b.transposed(filters, (3, 2, 0, 1)), wide)
    top, bottom, left, right = padding
    count, rows, columns, features = result.shape
    found = b.make(
        "Conv",
        [image, weights],
        TensorType((count, features, rows, columns), wide),
        group=groups,
        strides=list(strides),
        dilations=list(dilations),
        pads=[top, left, bottom, right],
    )
    turned = b.transposed(found, (0, 2, 3, 1))
    if kind(x.dtype) in "iu":
        turned = b.convert(turned, np.dtype(np.int64))
    return b.converted(turned, x.dtype)


@writer("det")
def det(b: Builder, x: Tensor) -> Tensor:
    return b.make("Det", [x], x.type.with_shape(x.shape[:-2]))


__all__: list[str] = []

"""Products of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....dialect.dtypes import is_half
from ....dialect.emitter import Tensor
from ....dialect.types import TensorType, broadcast_shapes
from ...graph_writers.products import contraction
from ...graph_writers.table import BOOL, SINGLE
from .table import INT32, Builder, computed_in, writer


def _wide(b: Builder, op_type: str, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in which products are added up: halves are in float32."""
    if is_half(dtype):
        return SINGLE
    return INT32 if dtype == BOOL else b.wide_for(op_type, computed_in(dtype))


writer.rows(
    matmul=lambda b, x, y: _product(b, x, y),
    det=lambda b, x: b.make("Det", [x], x.type.with_shape(x.shape[:-2])),
)


def _product(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    """Matrices multiplied, with leading axes that broadcast."""
    wide = _wide(b, "MatMul", x.dtype)
    shape = (*broadcast_shapes([x.shape[:-2], y.shape[:-2]]), x.shape[-2], y.shape[-1])
    given = [b.converted(each, wide) for each in (x, y)]
    return b.converted(b.make("MatMul", given, TensorType(shape, wide)), x.dtype)


@writer("contract")
def contract(b: Builder, x: Tensor, y: Tensor, spec: str) -> Tensor:
    parts = contraction(b, x, y, spec)
    if not parts.shared:
        found = b.unsqueezed(parts.x, range(parts.x.rank, parts.x.rank + parts.y.rank)) * parts.y
        return _in_order(b, found, [*parts.left, *parts.right], parts.result)
    if len(parts.summed) == len(parts.rows) == len(parts.columns) == 1:
        first = _in_order(b, parts.x, parts.left, [*parts.batches, *parts.rows, *parts.summed])
        second = _in_order(b, parts.y, parts.right, [*parts.batches, *parts.summed, *parts.columns])
        order = [*parts.batches, *parts.rows, *parts.columns]
        return _in_order(b, _product(b, first, second), order, parts.result)
    wide = _wide(b, "Einsum", x.dtype)
    sizes = dict(zip(parts.left + parts.right, parts.x.shape + parts.y.shape, strict=True))
    given = [b.converted(each, wide) for each in (parts.x, parts.y)]
    kind_of = TensorType(tuple(sizes[label] for label in parts.result), wide)
    equation = f"{parts.left},{parts.right}->{parts.result}"
    return b.converted(b.make("Einsum", given, kind_of, equation=equation), x.dtype)


def _in_order(b: Builder, x: Tensor, labels: Sequence[str], wanted: Sequence[str]) -> Tensor:
    """Axes in the order of their labels."""
    return b.transposed(x, [labels.index(label) for label in wanted])

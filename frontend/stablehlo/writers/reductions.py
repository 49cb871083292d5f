"""Reductions, running ones, windows, and sorting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....dialect.dtypes import is_half, kind
from ....dialect.emitter import Tensor
from ....dialect.mlir import ir
from ....dialect.ops.contraction import window_extent
from ....dialect.ops.reductions import normalize_axes
from ....dialect.types import TensorType
from ...graph_writers.elementwise import truth
from ...graph_writers.reductions import before
from ...graph_writers.table import SINGLE, Unsaid, require_known, require_real
from .table import Builder, integer, integers, writer


def neutral(name: str, dtype: np.dtype[Any]) -> Any:
    """What changes nothing in a reduction by an op."""
    if name in ("add", "or"):
        return -0.0 if kind(dtype) == "f" else 0
    if name in ("multiply", "and"):
        return 1
    character = kind(dtype)
    if character == "f":
        return -np.inf if name == "maximum" else np.inf
    if character == "b":
        return name == "minimum"
    info = np.iinfo(dtype)
    return info.min if name == "maximum" else info.max


def reduced(b: Builder, name: str, x: Tensor, axes: Sequence[int], start: Any = None) -> Tensor:
    """Axes reduced by an op; halves are added up in float32."""
    if is_half(x.dtype) and name in ("add", "multiply"):
        return b.converted(reduced(b, name, b.converted(x, SINGLE), axes), x.dtype)
    result = x.type.with_shape(tuple(extent for axis, extent in enumerate(x.shape) if axis not in axes))
    scalar = TensorType((), x.dtype)
    initial = b.number(neutral(name, x.dtype) if start is None else start, x.dtype)
    made = b.operation(
        "reduce",
        [x, initial],
        [result],
        [lambda one, other: [b.same(name, one, other)]],
        [scalar, scalar],
        dimensions=integers(axes),
    )
    return b.value(made.results[0])


def _kept(b: Builder, x: Tensor, found: Tensor, axes: Sequence[int], keepdims: bool) -> Tensor:
    """A reduction with axes of one element in the places of those that are gone, if they stay."""
    return b.one("expand_dims", found, axes=tuple(axes)) if keepdims and axes else found


def _reduction(name: str) -> Any:
    def made(b: Builder, x: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor:
        axes = normalize_axes(axes, x.rank)
        if x.is_complex and name in ("maximum", "minimum"):
            raise Unsaid("orders complex numbers")
        found = truth(b, x) if name in ("and", "or") else x
        start = 0 if name == "add" and kind(x.dtype) in "fc" else None  # the sum of -0.0 is 0.0 in NumPy
        return _kept(b, x, reduced(b, name, found, axes, start), axes, keepdims)

    return made


for _own, _name in {
    "sum": "add",
    "prod": "multiply",
    "max": "maximum",
    "min": "minimum",
    "any": "or",
    "all": "and",
}.items():
    writer(_own)(_reduction(_name))


# Windows


def windowed(
    b: Builder,
    name: str,
    x: Tensor,
    window: Sequence[int],
    strides: Sequence[int],
    padding: Sequence[Sequence[int]],
    start: Any = None,
) -> Tensor:
    """Elements of windows combined by an op."""
    require_known(x)
    axes = zip(x.shape, window, strides, padding, strict=True)
    shape = tuple(window_extent(extent or 0, size, stride, *sides) for extent, size, stride, sides in axes)
    scalar = TensorType((), x.dtype)
    initial = b.number(neutral(name, x.dtype) if start is None else start, x.dtype)
    made = b.operation(
        "reduce_window",
        [x, initial],
        [x.type.with_shape(shape)],
        [lambda one, other: [b.same(name, one, other)]],
        [scalar, scalar],
        window_dimensions=integers(window),
        window_strides=integers(strides),
        padding=ir.DenseIntElementsAttr.get(np.array(padding, np.int64).reshape(-1, 2)),
    )
    return b.value(made.results[0])


def _scan(name: str) -> Any:
    def made(b: Builder, x: Tensor, axis: int) -> Tensor:
        axis %= x.rank
        require_known(x)
        if x.is_complex and name in ("maximum", "minimum"):
            raise Unsaid("orders complex numbers")
        extent = x.shape[axis] or 0
        if 0 in x.shape:
            return x
        window = [extent if a == axis else 1 for a in range(x.rank)]
        padding = [(extent - 1 if a == axis else 0, 0) for a in range(x.rank)]
        return windowed(b, name, x, window, [1] * x.rank, padding)

    return made


for _own, _name in {
    "cumulative_sum": "add",
    "cumulative_prod": "multiply",
    "cumulative_max": "maximum",
    "cumulative_min": "minimum",
}.items():
    writer(_own)(_scan(_name))


def _around(padding: tuple[int, ...]) -> list[tuple[int, int]]:
    """The sides of images (N, H, W, C)."""
    top, bottom, left, right = padding
    return [(0, 0), (top, bottom), (left, right), (0, 0)]


@writer("max_pool2d")
def max_pool2d(
    b: Builder, x: Tensor, window: tuple[int, ...], strides: tuple[int, ...], padding: tuple[int, ...]
) -> Tensor:
    return windowed(b, "maximum", x, (1, *window, 1), (1, *strides, 1), _around(padding))


@writer("avg_pool2d")
def avg_pool2d(
    b: Builder, x: Tensor, window: tuple[int, ...], strides: tuple[int, ...], padding: tuple[int, ...]
) -> Tensor:
    wide = b.converted(x, SINGLE) if is_half(x.dtype) else x
    ones = b.full([1, *b.extents(x)[1:3], 1], 1, wide.dtype)
    totals, counts = (
        windowed(b, "add", image, (1, *window, 1), (1, *strides, 1), _around(padding))
        for image in (wide, ones)
    )
    return b.converted(totals / counts, x.dtype)


# Sorting


def _sorted(b: Builder, operands: Sequence[Tensor], axis: int, descending: bool) -> list[Tensor]:
    """Operands in the order of the first of them."""
    require_real(operands[0])
    scalars = [TensorType((), operand.dtype) for operand in operands for _ in range(2)]
    made = b.operation(
        "sort",
        operands,
        [operand.type for operand in operands],
        [lambda x, y, *others: [before(b, x, y, descending)]],
        scalars,
        dimension=integer(axis % operands[0].rank),
        is_stable=ir.BoolAttr.get(True),
    )
    return list(map(b.value, made.results))


@writer("sort")
def sort(b: Builder, x: Tensor, axis: int, descending: bool) -> Tensor:
    return _sorted(b, [x], axis, descending)[0]


@writer("argsort")
def argsort(b: Builder, x: Tensor, axis: int, descending: bool) -> Tensor:
    return _sorted(b, [x, b.positions(x, axis % x.rank)], axis, descending)[1]


__all__: list[str] = []

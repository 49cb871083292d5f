"""Reductions, running ones, windows, and sorting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....dialect.dtypes import is_half, kind
from ....dialect.emitter import Tensor
from ....dialect.mlir import ir
from ....dialect.ops.reductions import normalize_axes
from ....dialect.ops.windows import WindowReduction
from ....dialect.sliding import Slide, slid_shape
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


def windowed(b: Builder, name: str, x: Tensor, slides: Sequence[Slide], start: Any = None) -> Tensor:
    """Elements of windows combined by an op."""
    require_known(x)
    shape = slid_shape("windows", x.type, 0, slides)
    scalar = TensorType((), x.dtype)
    initial = b.number(neutral(name, x.dtype) if start is None else start, x.dtype)
    sides = [(slide.low, slide.high) for slide in slides]
    made = b.operation(
        "reduce_window",
        [x, initial],
        [x.type.with_shape(shape)],
        [lambda one, other: [b.same(name, one, other)]],
        [scalar, scalar],
        window_dimensions=integers([slide.window or 0 for slide in slides]),
        window_strides=integers([slide.stride for slide in slides]),
        window_dilations=integers([slide.dilation for slide in slides]),
        padding=ir.DenseIntElementsAttr.get(np.array(sides, np.int64).reshape(-1, 2)),
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
        slides = [Slide(extent, 1, extent - 1, 0) if a == axis else Slide(1, 1, 0, 0) for a in range(x.rank)]
        return windowed(b, name, x, slides)

    return made


for _own, _name in {
    "cumulative_sum": "add",
    "cumulative_prod": "multiply",
    "cumulative_max": "maximum",
    "cumulative_min": "minimum",
}.items():
    writer(_own)(_scan(_name))


def _windows(name: str) -> Any:
    def made(b: Builder, x: Tensor, **how: tuple[int, ...]) -> Tensor:
        return windowed(b, name, x, WindowReduction.slides(how))

    return made


for _own, _name in {"window_max": "maximum", "window_min": "minimum"}.items():
    writer(_own)(_windows(_name))


@writer("window_sum")
def window_sum(b: Builder, x: Tensor, **how: tuple[int, ...]) -> Tensor:
    wide = b.converted(x, SINGLE) if is_half(x.dtype) else x
    return b.converted(windowed(b, "add", wide, WindowReduction.slides(how), 0), x.dtype)


@writer("window_mean")
def window_mean(b: Builder, x: Tensor, **how: tuple[int, ...]) -> Tensor:
    wide = b.converted(x, SINGLE) if is_half(x.dtype) else x
    slides = WindowReduction.slides(how)
    ones = b.full(b.extents(x), 1, wide.dtype)
    totals, counts = (windowed(b, "add", each, slides, 0) for each in (wide, ones))
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

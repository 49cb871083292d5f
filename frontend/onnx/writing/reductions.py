"""Reductions, running ones, and sorting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....dialect.dtypes import is_half, kind
from ....dialect.emitter import INT64, INT64_MAX, INT64_MIN, Tensor
from ....dialect.ops.reductions import extremum_of_nothing, normalize_axes, reduced_shape
from ....dialect.types import TensorType
from ...graph_writers.elementwise import truth
from ...graph_writers.reductions import mean as any_mean
from ...graph_writers.table import BOOL, SINGLE, Writer
from .table import INT32, Builder, computed_in, writer

BYTE = np.dtype(np.uint8)
UINT64 = np.dtype(np.uint64)


def reduced(b: Builder, op_type: str, x: Tensor, axes: Sequence[int], keepdims: bool) -> Tensor:
    """Axes reduced by a node, in a dtype that it takes."""
    axes = normalize_axes(tuple(axes), x.rank)
    if not axes:
        return x
    wide = b.converted(x, b.wide_for(op_type, computed_in(x.dtype)))
    result = wide.type.with_shape(reduced_shape(x.shape, axes, keepdims))
    return b.make(op_type, [wide, b.vector(axes)], result, keepdims=int(keepdims))


def _added(op_type: str) -> Writer:
    def made(b: Builder, x: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor:
        wide = b.converted(x, SINGLE) if is_half(x.dtype) else x  # rounded once, as in NumPy
        return b.converted(reduced(b, op_type, wide, axes, keepdims), x.dtype)

    return made


def _exact(name: str, of_floats: Writer) -> Writer:
    """A sum or product: of integers by steps that wrap, as runtimes reduce these in floats."""

    def made(b: Builder, x: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor | Sequence[Tensor]:
        if kind(x.dtype) == "f":
            return of_floats(b, x, axes, keepdims)
        axes = normalize_axes(axes, x.rank)
        found = b.converted(x, b.wide_for("MatMul", computed_in(x.dtype)))
        for axis in reversed(axes):
            found = _STEPS[name](b, found, axis)
        found = b.unsqueezed(found, axes) if keepdims else found
        return b.converted(found, x.dtype)

    return made


def _sum_of_rows(b: Builder, x: Tensor, axis: int) -> Tensor:
    """Integers along an axis added up, as a product with ones."""
    last = b.transposed(x, [*(other for other in range(x.rank) if other != axis), axis])
    ones = b.full([b.extent(x, axis)], 1, x.dtype)
    return b.make("MatMul", [last, ones], x.type.with_shape(last.shape[:-1]))


def _product_of_rows(b: Builder, x: Tensor, axis: int) -> Tensor:
    """Integers along an axis multiplied, one after the other."""
    turned, initial = _turned(b, x, axis, 1)

    def turn(values: list[Tensor]) -> list[Tensor]:
        return [b.one("multiply", *values)]

    body = b.inner("body", [("before", initial.type), ("element", initial.type)], turn)
    return b.make("Scan", [initial, turned], initial.type, body=body, num_scan_inputs=1)


_STEPS: dict[str, Callable[[Builder, Tensor, int], Tensor]] = {
    "sum": _sum_of_rows,
    "prod": _product_of_rows,
}

writer("sum")(_exact("sum", _added("ReduceSum")))
writer("prod")(_exact("prod", _added("ReduceProd")))


@writer("mean")
def mean(b: Builder, x: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    if not axes or any(x.shape[axis] in (0, None) for axis in axes):
        return any_mean(b, x, axes, keepdims)
    return _added("ReduceMean")(b, x, axes, keepdims)  # type: ignore[return-value]


def _extreme(op_type: str, of_booleans: str) -> Writer:
    def made(b: Builder, x: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor:
        if x.dtype == BOOL:
            return b.one(of_booleans, x, axes=axes, keepdims=keepdims)
        found = _of_key(b, reduced(b, op_type, _key(b, op_type, x), axes, keepdims), x.dtype)
        if kind(x.dtype) != "f" or not axes:
            return found
        return b.one("select", _has_nan(b, x, axes, keepdims), b.number(np.nan, x.dtype), found)

    return made


def _key(b: Builder, op_type: str, x: Tensor) -> Tensor:
    """Numbers of a dtype that a node takes, in the same order: those of 64 bits without sign get one."""
    if x.dtype == UINT64:
        return b.one("bitwise_xor", b.convert(x, INT64), INT64_MIN)
    return b.converted(x, b.wide_for(op_type, computed_in(x.dtype)))


def _of_key(b: Builder, key: Tensor, dtype: np.dtype[Any]) -> Tensor:
    """The numbers of which keys were made."""
    return b.converted(b.bitwise_xor(key, INT64_MIN) if dtype == UINT64 else key, dtype)


def _has_nan(b: Builder, x: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    """Whether there is a NaN: ONNX leaves open what becomes of it."""
    marks = b.converted(b.isnan(x), INT32)
    return b.converted(reduced(b, "ReduceMax", marks, axes, keepdims), BOOL)


writer("max")(_extreme("ReduceMax", "any"))
writer("min")(_extreme("ReduceMin", "all"))


def _count(b: Builder, x: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    """How many elements are true."""
    return reduced(b, "ReduceSum", b.converted(x, INT64), axes, keepdims)


writer.rows(
    any=lambda b, x, axes, keepdims: b.one("greater", _count(b, truth(b, x), axes, keepdims), 0),
    all=lambda b, x, axes, keepdims: _count(b, b.logical_not(truth(b, x)), axes, keepdims).equals(0),
    cumulative_prod=lambda b, x, axis: _scanned(b, "multiply", x, axis, 1),
)


def _place(op_type: str) -> Writer:
    def made(b: Builder, x: Tensor, axis: int, keepdims: bool) -> Tensor:
        axis %= x.rank
        result = TensorType(reduced_shape(x.shape, (axis,), keepdims), INT64)
        how = {"axis": axis, "keepdims": int(keepdims)}
        found = b.make(op_type, [_key(b, op_type, x)], result, **how)
        if kind(x.dtype) != "f":
            return found
        first = b.make("ArgMax", [b.converted(b.isnan(x), INT32)], result, **how)
        return b.one("select", _has_nan(b, x, (axis,), keepdims), first, found)

    return made


writer("argmax")(_place("ArgMax"))
writer("argmin")(_place("ArgMin"))


# Running ones


@writer("cumulative_sum")
def cumulative_sum(b: Builder, x: Tensor, axis: int) -> Tensor:
    wide = b.converted(x, INT64 if x.dtype == UINT64 else b.wide_for("CumSum", computed_in(x.dtype)))
    return b.converted(b.make("CumSum", [wide, b.number(axis % x.rank, INT64)], wide.type), x.dtype)


@writer("cumulative_max")
def cumulative_max(b: Builder, x: Tensor, axis: int) -> Tensor:
    return _scanned(b, "maximum", x, axis, extremum_of_nothing(x.dtype, smallest=False).real)


@writer("cumulative_min")
def cumulative_min(b: Builder, x: Tensor, axis: int) -> Tensor:
    return _scanned(b, "minimum", x, axis, extremum_of_nothing(x.dtype, smallest=True).real)


def _scanned(b: Builder, name: str, x: Tensor, axis: int, start: Any) -> Tensor:
    """Elements along an axis combined by an op, one after the other."""
    axis %= x.rank
    if 0 in x.shape:
        return x
    turned, initial = _turned(b, x, axis, start)
    may_be_empty = x.shape[axis] is None  # which runtimes do not scan
    if may_be_empty:
        turned = b.joined([b.unsqueezed(initial, [0]), turned], 0)

    def turn(values: list[Tensor]) -> list[Tensor]:
        found = b.one(name, *values)
        return [found, found]

    body = b.inner("body", [("before", initial.type), ("element", initial.type)], turn)
    types = [initial.type, turned.type]
    _, found = b.several("Scan", [initial, turned], types, body=body, num_scan_inputs=1)
    found = b.along(found, 0, 1, INT64_MAX) if may_be_empty else found
    return b.transposed(found, [*range(1, axis + 1), 0, *range(axis + 1, x.rank)])


def _turned(b: Builder, x: Tensor, axis: int, start: Any) -> tuple[Tensor, Tensor]:
    """x with an axis in front, and what there is before the first of its elements."""
    turned = b.transposed(x, [axis, *(other for other in range(x.rank) if other != axis)])
    return turned, b.full(b.extents(turned)[1:], start, x.dtype)


# Sorting, by numbers: where NaNs go, ONNX leaves open


def _ordered(b: Builder, x: Tensor, axis: int, descending: bool) -> tuple[Tensor, Tensor]:
    """The elements in order, and where they were; of equal ones, the first comes first."""
    wide = _key(b, "TopK", x)
    count = b.as_vector(b.extent(x, axis))
    types = [wide.type, wide.type.with_dtype(INT64)]
    how = {"axis": axis, "largest": int(descending), "sorted": 1}
    values, places = b.several("TopK", [wide, count], types, **how)
    return _of_key(b, values, x.dtype), places


@writer("sort")
def sort(b: Builder, x: Tensor, axis: int, descending: bool) -> Tensor:
    axis %= x.rank
    if 0 in x.shape:
        return x
    if kind(x.dtype) != "f":
        return _ordered(b, x, axis, descending)[0]
    is_nan = b.isnan(x)
    values, _ = _ordered(b, b.select(is_nan, b.number(np.inf, x.dtype), x), axis, descending)
    count = _count(b, is_nan, (axis,), True)
    places = b.positions(x, axis)
    at_end = b.less(places, count) if descending else b.greater_equal(places, b.extent(x, axis) - count)
    return b.one("select", at_end, b.number(np.nan, x.dtype), values)


@writer("argsort")
def argsort(b: Builder, x: Tensor, axis: int, descending: bool) -> Tensor:
    axis %= x.rank
    if 0 in x.shape:
        return b.full(b.extents(x), 0, INT64)
    if kind(x.dtype) != "f":
        return _ordered(b, x, axis, descending)[1]
    is_nan = b.isnan(x)
    _, places = _ordered(b, b.select(is_nan, b.number(np.inf, x.dtype), x), axis, descending)
    marks = b.take_along_axis(
        b.converted(is_nan, INT32), places, axis=axis
    )  # NaNs behind, or in front, of infinity
    _, order = _ordered(b, marks, axis, descending)
    return b.one("take_along_axis", places, order, axis=axis)

"""Ops that read or replace slices of a tensor, with bounds known at compile time or at run time.

Replacing is functional: the result is a copy with the part replaced, which bufferisation makes an update in place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..batching import with_entries
from ..derivatives import Part
from ..emitter import INT64_MAX as INT64_MAX
from ..emitter import INT64_MIN as INT64_MIN
from ..emitter import Emitter, Tensor
from ..errors import WeftTypeError, WeftValueError
from ..op import (
    Array,
    Attributes,
    Case,
    Cost,
    ExtentSource,
    Ints,
    Operand,
    Operands,
    ShapedOp,
    TensorType,
    axis_of,
    same_dtype,
)
from ..types import Shape, compatible_shapes, format_shape
from .shape import INT64, require_axes

Bounds = tuple[int, ...]


def slice_of(start: int, stop: int, step: int) -> slice:
    """The Python slice that one axis of the attributes means.

    A missing stop of a negative step cannot be written as an int in Python: it is INT64_MIN here, which stays
    before the front once the extent is added.
    """
    return slice(start, None if step < 0 and stop == INT64_MIN else stop, step)


def slice_extent(extent: int | None, start: int, stop: int, step: int) -> int | None:
    """How many elements a slice takes from an axis, or None when the extent is not known."""
    if extent is None:
        return None
    return len(range(*slice_of(start, stop, step).indices(extent)))


def sliced_shape(what: str, shape: Shape, start: Bounds, stop: Bounds, step: Bounds) -> Shape:
    """The shape of the region that the bounds select."""
    if not len(start) == len(stop) == len(step) == len(shape):
        raise WeftValueError(f"{what}: needs one start, stop and step per axis of {format_shape(shape)}")
    if 0 in step:
        raise WeftValueError("slice step cannot be zero")
    return tuple(slice_extent(*bounds) for bounds in zip(shape, start, stop, step, strict=True))


def slices_of(start: Bounds, stop: Bounds, step: Bounds) -> tuple[slice, ...]:
    """The Python slices that the attributes mean."""
    return tuple(slice_of(*bounds) for bounds in zip(start, stop, step, strict=True))


def region_of(shape: Shape, start: Bounds, stop: Bounds, step: Bounds) -> tuple[range, ...] | None:
    """What a slice takes of every axis; None where that is not known, or has gaps."""
    ranges = []
    for extent, *bounds in zip(shape, start, stop, step, strict=True):
        if extent is None or bounds[2] != 1:
            return None
        ranges.append(range(*slice_of(*bounds).indices(extent)))
    return tuple(ranges)


def whole_axis(attributes: Attributes, axis: int) -> ExtentSource:
    """The axis of the first operand of which a slice takes every element."""
    bounds = tuple(attributes[name][axis] for name in ("start", "stop", "step"))
    return (0, axis) if bounds == (0, INT64_MAX, 1) else None


class Slice(ShapedOp, name="slice", family="indexing", cost=Cost.CHEAP):
    """Take every `step`-th element from `start` to `stop` of each axis, with the rules of Python slices."""

    x: Operand
    start: Ints
    stop: Ints
    step: Ints
    cases = (
        Case(((5, 4),), {"start": (1, 0), "stop": (4, INT64_MAX), "step": (1, 2)}),
        Case(((5,),), {"start": (INT64_MAX,), "stop": (INT64_MIN,), "step": (-1,)}),
        Case(((5, 3),), {"start": (-2, -1), "stop": (-5, -4), "step": (-2, -1)}),
        Case(((3,),), {"start": (2,), "stop": (1,), "step": (1,)}),
        Case(((0,),), {"start": (-1,), "stop": (1,), "step": (1,)}),
        Case(((),), {"start": (), "stop": (), "step": ()}),
    )
    linear = ("x",)
    batching = with_entries(1, start=0, stop=INT64_MAX, step=1)

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor, **bounds: Bounds) -> Part:
        """A region of the operand."""
        return Part(
            g,
            add=lambda whole: b.slice_update(whole, b.slice(whole, **bounds) + g, **bounds),
            write=lambda whole: b.slice_update(whole, g, **bounds),
            region=region_of(x.shape, **bounds),
        )

    @staticmethod
    def infer(x: TensorType, start: Bounds, stop: Bounds, step: Bounds) -> TensorType:
        return x.with_shape(sliced_shape("weft.slice", x.shape, start, stop, step))

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        return whole_axis(attributes, axis)

    @staticmethod
    def evaluate(x: Array, start: Bounds, stop: Bounds, step: Bounds) -> Array:
        index: tuple[Any, ...] = (*slices_of(start, stop, step), ...)  # a view also without dimensions
        made: Array = x[index]
        return made


class Update(ShapedOp, family="indexing", cost=Cost.CHEAP):
    """Base of the ops that replace elements of the first operand."""

    extent_source = axis_of(0)


class SliceUpdate(Update, name="slice_update"):
    """Replace the region that `slice` with the same bounds takes."""

    x: Operand
    update: Operand
    start: Ints
    stop: Ints
    step: Ints
    cases = (
        Case(((5, 4), (3, 2)), {"start": (1, 0), "stop": (4, INT64_MAX), "step": (1, 2)}),
        Case(((5,), (5,)), {"start": (INT64_MAX,), "stop": (INT64_MIN,), "step": (-1,)}),
        Case(((5, 3), (2, 3)), {"start": (-2, -1), "stop": (-5, -4), "step": (-2, -1)}),
        Case(((3,), (0,)), {"start": (2,), "stop": (1,), "step": (1,)}),
        Case(((), ()), {"start": (), "stop": (), "step": ()}),
    )
    linear = ("update", "x")  # in this order: what is read of a cotangent is read before its place is cleared
    batching = with_entries(2, start=0, stop=INT64_MAX, step=1)

    @staticmethod
    def transpose_update(b: Emitter, g: Tensor, x: Tensor, update: Tensor, **bounds: Bounds) -> Tensor:
        """What is at the region."""
        found: Tensor = b.slice(g, **bounds)
        return found

    @staticmethod
    def transpose_x(b: Emitter, g: Tensor, x: Tensor, update: Tensor, **bounds: Bounds) -> Tensor:
        """What is outside of the region."""
        found: Tensor = b.slice_update(g, b.zeros_like(update), **bounds)
        return found

    @staticmethod
    def infer(x: TensorType, update: TensorType, start: Bounds, stop: Bounds, step: Bounds) -> TensorType:
        same_dtype("weft.slice_update", x, update)
        region = sliced_shape("weft.slice_update", x.shape, start, stop, step)
        if not compatible_shapes(region, update.shape):
            raise WeftValueError(
                f"could not broadcast input array from shape {format_shape(update.shape)} "
                f"into shape {format_shape(region)}"
            )
        return x

    @staticmethod
    def evaluate(x: Array, update: Array, start: Bounds, stop: Bounds, step: Bounds) -> Array:
        result = np.array(x)
        result[slices_of(start, stop, step)] = update
        return result


def dynamic_bounds(
    bounds: Sequence[Array],
    start: Bounds,
    stop: Bounds,
    start_axes: tuple[int, ...],
    stop_axes: tuple[int, ...],
) -> tuple[Bounds, Bounds]:
    """The starts and stops of all axes, with the run-time ones filled in."""
    starts, stops = list(start), list(stop)
    for axis, bound in zip(start_axes, bounds, strict=False):
        starts[axis] = int(bound)
    for axis, bound in zip(stop_axes, bounds[len(start_axes) :], strict=True):
        stops[axis] = int(bound)
    return tuple(starts), tuple(stops)


def dynamically_sliced_shape(
    what: str,
    shape: Shape,
    bounds: Sequence[TensorType],
    start: Bounds,
    stop: Bounds,
    step: Bounds,
    start_axes: tuple[int, ...],
    stop_axes: tuple[int, ...],
) -> Shape:
    """The shape of the region that the bounds select; axes with a run-time bound have an unknown extent."""
    fixed = sliced_shape(what, shape, start, stop, step)
    require_axes(what, start_axes, len(shape))
    require_axes(what, stop_axes, len(shape))
    if len(bounds) != len(start_axes) + len(stop_axes) or not bounds:
        raise WeftValueError(
            f"{what}: starts of axes {start_axes} and stops of axes {stop_axes} need as many operands, at least "
            f"one, not {len(bounds)}"
        )
    if any(bound.rank != 0 or bound.dtype != INT64 for bound in bounds):
        listing = ", ".join(str(bound) for bound in bounds)
        raise WeftTypeError(f"{what}: run-time bounds are i64[], not {listing}")
    dynamic = {*start_axes, *stop_axes}
    return tuple(
        None if axis in dynamic and shape[axis] != 0 else extent for axis, extent in enumerate(fixed)
    )


# The shape, the shape of the region where all run-time bounds are 3, and the attributes of some uses.
_DYNAMIC_USES: tuple[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]], ...] = (
    ((5,), (1,), {"start": (0,), "stop": (4,), "step": (1,), "start_axes": (0,), "stop_axes": ()}),
    (
        (5, 4),
        (2, 2),
        {"start": (1, 0), "stop": (0, 0), "step": (1, 2), "start_axes": (), "stop_axes": (0, 1)},
    ),
    ((7,), (0,), {"start": (0,), "stop": (0,), "step": (-2,), "start_axes": (0,), "stop_axes": (0,)}),
    (
        (3, 6),
        (3, 2),
        {
            "start": (0, 0),
            "stop": (INT64_MAX, INT64_MIN),
            "step": (1, -2),
            "start_axes": (1,),
            "stop_axes": (),
        },
    ),
    ((2,), (2,), {"start": (0,), "stop": (0,), "step": (1,), "start_axes": (), "stop_axes": (0,)}),
    ((0, 2), (0, 1), {"start": (0, 1), "stop": (0, 2), "step": (1, 1), "start_axes": (), "stop_axes": (0,)}),
)


def _bounds_of(attributes: dict[str, Any]) -> tuple[tuple[int, ...], ...]:
    """The shapes of the operands that attributes ask for."""
    return ((),) * (len(attributes["start_axes"]) + len(attributes["stop_axes"]))


class DynamicSlice(ShapedOp, name="dynamic_slice", family="indexing", cost=Cost.CHEAP):
    """A slice of which some bounds, with Python's rules, are i64[] operands: starts, then stops.

    `start_axes` and `stop_axes` say whose they are; the attributes `start` and `stop` do not count there.
    """

    x: Operand
    bounds: Operands
    start: Ints
    stop: Ints
    step: Ints
    start_axes: Ints
    stop_axes: Ints
    operand_pattern = (None, INT64)
    cases = tuple(
        Case((shape, *_bounds_of(attributes)), attributes, low=-9, high=9)
        for shape, _, attributes in _DYNAMIC_USES
    )
    linear = ("x",)
    batching = with_entries(1, start=0, stop=INT64_MAX, step=1)

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor, bounds: tuple[Tensor, ...], **region: Bounds) -> Part:
        """A region of the operand."""
        return Part(
            g,
            add=lambda whole: b.dynamic_slice_update(
                whole, b.dynamic_slice(whole, *bounds, **region) + g, *bounds, **region
            ),
            write=lambda whole: b.dynamic_slice_update(whole, g, *bounds, **region),
        )

    @staticmethod
    def infer(x: TensorType, bounds: tuple[TensorType, ...], **region: Bounds) -> TensorType:
        return x.with_shape(dynamically_sliced_shape("weft.dynamic_slice", x.shape, bounds, **region))

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        return (
            None
            if axis in (*attributes["start_axes"], *attributes["stop_axes"])
            else whole_axis(attributes, axis)
        )

    @staticmethod
    def evaluate(
        x: Array,
        bounds: tuple[Array, ...],
        start: Bounds,
        stop: Bounds,
        step: Bounds,
        start_axes: tuple[int, ...],
        stop_axes: tuple[int, ...],
    ) -> Array:
        return x[slices_of(*dynamic_bounds(bounds, start, stop, start_axes, stop_axes), step)]


class DynamicSliceUpdate(Update, name="dynamic_slice_update"):
    """Replace the region that `dynamic_slice` with the same bounds takes, which the update has to fit."""

    x: Operand
    update: Operand
    bounds: Operands
    start: Ints
    stop: Ints
    step: Ints
    start_axes: Ints
    stop_axes: Ints
    operand_pattern = (None, None, INT64)
    cases = tuple(
        Case((shape, region, *_bounds_of(attributes)), attributes, low=3, high=4)
        for shape, region, attributes in _DYNAMIC_USES
    )
    linear = ("update", "x")
    batching = with_entries(2, start=0, stop=INT64_MAX, step=1)

    @staticmethod
    def transpose_update(
        b: Emitter, g: Tensor, x: Tensor, update: Tensor, bounds: tuple[Tensor, ...], **region: Bounds
    ) -> Tensor:
        """What is at the region."""
        found: Tensor = b.dynamic_slice(g, *bounds, **region)
        return found

    @staticmethod
    def transpose_x(
        b: Emitter, g: Tensor, x: Tensor, update: Tensor, bounds: tuple[Tensor, ...], **region: Bounds
    ) -> Tensor:
        """What is outside of the region."""
        found: Tensor = b.dynamic_slice_update(g, b.zeros_like(update), *bounds, **region)
        return found

    @staticmethod
    def infer(
        x: TensorType, update: TensorType, bounds: tuple[TensorType, ...], **region: Bounds
    ) -> TensorType:
        same_dtype("weft.dynamic_slice_update", x, update)
        shape = dynamically_sliced_shape("weft.dynamic_slice_update", x.shape, bounds, **region)
        if not compatible_shapes(shape, update.shape):
            raise WeftValueError(
                f"could not broadcast input array from shape {format_shape(update.shape)} "
                f"into shape {format_shape(shape)}"
            )
        return x

    @staticmethod
    def evaluate(
        x: Array,
        update: Array,
        bounds: tuple[Array, ...],
        start: Bounds,
        stop: Bounds,
        step: Bounds,
        start_axes: tuple[int, ...],
        stop_axes: tuple[int, ...],
    ) -> Array:
        result = np.array(x)
        result[slices_of(*dynamic_bounds(bounds, start, stop, start_axes, stop_axes), step)] = update
        return result

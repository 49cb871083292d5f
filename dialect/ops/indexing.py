"""Ops that read or replace a part of a tensor: slices, and gathers and scatters by integer tensors.

Replacing is functional: the result is a copy with the part replaced, which bufferisation makes an update in
place. Index tensors are i64; negative indices count from the end. Indices out of bounds are for the caller
to refuse (`find_out_of_bounds`, `raise_if`): what gather reads there is not defined, scatter skips them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..dtypes import ALL_DTYPES
from ..errors import WeftTypeError, WeftValueError
from ..op import (
    Array,
    Attributes,
    Case,
    Cost,
    ExtentSource,
    Int,
    Ints,
    Op,
    Operand,
    Operands,
    ShapedOp,
    String,
    TensorType,
    same_dtype,
)
from ..types import Shape, compatible_shapes, format_shape
from .shape import INT64, require_axes

INT64_MAX = int(np.iinfo(np.int64).max)
INT64_MIN = int(np.iinfo(np.int64).min)

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

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        return 0, axis


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
    cases = tuple(
        Case((shape, *_bounds_of(attributes)), attributes, low=-9, high=9)
        for shape, _, attributes in _DYNAMIC_USES
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

    @classmethod
    def operand_dtypes(cls) -> Iterator[tuple[np.dtype[Any], ...]]:
        """Every dtype, with i64 bounds."""
        return iter([(dtype, INT64) for dtype in ALL_DTYPES])


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
    cases = tuple(
        Case((shape, region, *_bounds_of(attributes)), attributes, low=3, high=4)
        for shape, region, attributes in _DYNAMIC_USES
    )

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

    @classmethod
    def operand_dtypes(cls) -> Iterator[tuple[np.dtype[Any], ...]]:
        """Every dtype, with i64 bounds."""
        return iter([(dtype, dtype, INT64) for dtype in ALL_DTYPES])


def require_indices(what: str, indices: Sequence[TensorType]) -> None:
    """Raise `WeftTypeError` unless all index tensors are i64."""
    for index in indices:
        if index.dtype != INT64:
            raise WeftTypeError(f"{what}: indices are i64, not {index}")


def gathered_shape(
    what: str, x: TensorType, indices: Sequence[TensorType], axes: tuple[int, ...], position: int
) -> Shape:
    """The shape of `x[indices]`: the axes of the indices at `position` among those not indexed."""
    require_axes(what, axes, x.rank)
    require_indices(what, indices)
    if len(indices) != len(axes) or len(set(indices)) != 1:
        listing = ", ".join(str(index) for index in indices)
        raise WeftValueError(
            f"{what}: axes {axes} need as many indices of one shape, not {listing or 'none'}"
        )
    rest = [extent for axis, extent in enumerate(x.shape) if axis not in axes]
    if not 0 <= position <= len(rest):
        raise WeftValueError(f"{what}: position {position} is not among the {len(rest)} axes that remain")
    return (*rest[:position], *indices[0].shape, *rest[position:])


def advanced_index(
    rank: int, indices: Sequence[Array], axes: tuple[int, ...], position: int
) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """A permutation of x's axes and the index into what it gives that select what `gather` means.

    The indexed axes are moved to `position`; NumPy, finding them side by side, leaves the new axes there.
    """
    rest = [axis for axis in range(rank) if axis not in axes]
    permutation = (*rest[:position], *axes, *rest[position:])
    return permutation, (*(slice(None),) * position, *(np.asarray(index) for index in indices))


class Reading(Op, family="indexing", cost=Cost.CHEAP):
    """Base of the ops that read at positions, of which compiled code takes the nearest one that there is."""

    @classmethod
    def is_speculatable(cls, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """All extents are known, and the operand that is read has elements."""
        return all(t.is_static for t in (*operands, *results)) and 0 not in operands[0].shape


class Gather(Reading, name="gather"):
    """Index some axes with i64 tensors of one shape, whose axes go to `position` in the result."""

    x: Operand
    indices: Operands
    axes: Ints
    position: Int
    cases = (
        Case(((5, 4), (3,)), {"axes": (0,), "position": 0}, low=0, high=5),
        Case(((5, 4), (2, 3)), {"axes": (1,), "position": 1}, low=0, high=4),
        Case(((5, 2, 4), (3, 2), (3, 2)), {"axes": (0, 2), "position": 0}, low=0, high=4),
        Case(((5, 2, 4), (3,), (3,)), {"axes": (1, 2), "position": 1}, low=0, high=2),
        Case(((5, 4), ()), {"axes": (0,), "position": 0}, low=0, high=5),
        Case(((5, 4), (), ()), {"axes": (0, 1), "position": 0}, low=0, high=4),
        Case(((3, 2), (0,)), {"axes": (0,), "position": 0}, low=0, high=2),
    )

    @staticmethod
    def infer(
        x: TensorType, indices: tuple[TensorType, ...], axes: tuple[int, ...], position: int
    ) -> TensorType:
        return x.with_shape(gathered_shape("weft.gather", x, indices, axes, position))

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        inserted, position = types[1].rank, attributes["position"]
        if position <= axis < position + inserted:
            return 1, axis - position
        rest = [a for a in range(types[0].rank) if a not in attributes["axes"]]
        return 0, rest[axis if axis < position else axis - inserted]

    @staticmethod
    def evaluate(x: Array, indices: tuple[Array, ...], axes: tuple[int, ...], position: int) -> Array:
        permutation, index = advanced_index(x.ndim, indices, axes, position)
        result: Array = np.transpose(x, permutation)[index]
        return result

    @classmethod
    def operand_dtypes(cls) -> Iterator[tuple[np.dtype[Any], ...]]:
        """Every dtype, indexed with i64."""
        return iter([(dtype, INT64) for dtype in ALL_DTYPES])


class Scatter(Update, name="scatter"):
    """Replace (`mode` set, last write wins) or add to (add) what `gather` with the same indices reads."""

    x: Operand
    update: Operand
    indices: Operands
    axes: Ints
    position: Int
    mode: String
    MODES = ("set", "add")
    cases = tuple(
        case
        for mode in MODES
        for case in (
            Case(((5, 4), (3, 4), (3,)), {"axes": (0,), "position": 0, "mode": mode}, low=0, high=5),
            Case(((5, 4), (5, 2, 3), (2, 3)), {"axes": (1,), "position": 1, "mode": mode}, low=0, high=4),
            Case(
                ((5, 2, 4), (3, 2, 2), (3, 2), (3, 2)),
                {"axes": (0, 2), "position": 0, "mode": mode},
                low=0,
                high=4,
            ),
            Case(((5, 4), (4,), ()), {"axes": (0,), "position": 0, "mode": mode}, low=0, high=5),
            Case(((5, 4), (), (), ()), {"axes": (0, 1), "position": 0, "mode": mode}, low=0, high=4),
            Case(((3, 2), (0, 2), (0,)), {"axes": (0,), "position": 0, "mode": mode}, low=0, high=2),
        )
    )

    @staticmethod
    def infer(
        x: TensorType,
        update: TensorType,
        indices: tuple[TensorType, ...],
        axes: tuple[int, ...],
        position: int,
        mode: str,
    ) -> TensorType:
        same_dtype("weft.scatter", x, update)
        if mode not in Scatter.MODES:
            raise WeftValueError(f"weft.scatter: mode {mode!r} is not one of {', '.join(Scatter.MODES)}")
        selected = gathered_shape("weft.scatter", x, indices, axes, position)
        if not compatible_shapes(selected, update.shape):
            raise WeftValueError(
                f"shape mismatch: value array of shape {format_shape(update.shape)} could not be broadcast "
                f"to indexing result of shape {format_shape(selected)}"
            )
        return x

    @staticmethod
    def evaluate(
        x: Array, update: Array, indices: tuple[Array, ...], axes: tuple[int, ...], position: int, mode: str
    ) -> Array:
        result = np.array(x)
        permutation, index = advanced_index(x.ndim, indices, axes, position)
        view = np.transpose(result, permutation)
        if mode == "add":
            np.add.at(view, index, update)
        else:
            view[index] = update
        return result

    @classmethod
    def operand_dtypes(cls) -> Iterator[tuple[np.dtype[Any], ...]]:
        """Every dtype, indexed with i64."""
        return iter([(dtype, dtype, INT64) for dtype in ALL_DTYPES])


def require_along_axis(what: str, x: TensorType, indices: TensorType, axis: int) -> None:
    """Raise unless the indices have x's shape but for the axis."""
    require_axes(what, (axis,), x.rank)
    require_indices(what, (indices,))
    expected = [*x.shape[:axis], None, *x.shape[axis + 1 :]]
    if not compatible_shapes(tuple(expected), indices.shape):
        raise WeftValueError(f"{what}: {indices} does not have the shape of {x} but for axis {axis}")


class TakeAlongAxis(Reading, name="take_along_axis"):
    """Along one axis, take the element that the index at the same place says, as after argsort."""

    x: Operand
    indices: Operand
    axis: Int
    cases = (
        Case(((3, 4), (3, 2)), {"axis": 1}, low=0, high=4),
        Case(((3, 4), (5, 4)), {"axis": 0}, low=0, high=3),
        Case(((2, 0), (2, 0)), {"axis": 1}, low=0, high=1),
    )

    @staticmethod
    def infer(x: TensorType, indices: TensorType, axis: int) -> TensorType:
        require_along_axis("weft.take_along_axis", x, indices, axis)
        known = [a if a is not None else b for a, b in zip(indices.shape, x.shape, strict=True)]
        known[axis] = indices.shape[axis]
        return x.with_shape(known)

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        return 1, axis

    @staticmethod
    def evaluate(x: Array, indices: Array, axis: int) -> Array:
        return np.take_along_axis(x, indices, axis)

    @classmethod
    def operand_dtypes(cls) -> Iterator[tuple[np.dtype[Any], ...]]:
        """Every dtype, indexed with i64."""
        return iter([(dtype, INT64) for dtype in ALL_DTYPES])


class PutAlongAxis(Update, name="put_along_axis"):
    """Along one axis, replace the element that the index at the same place says; the last write wins."""

    x: Operand
    indices: Operand
    update: Operand
    axis: Int
    cases = (
        Case(((3, 4), (3, 2), (3, 2)), {"axis": 1}, low=0, high=4),
        Case(((3, 4), (5, 4), (5, 4)), {"axis": 0}, low=0, high=3),
        Case(((2, 3), (2, 0), (2, 0)), {"axis": 1}, low=0, high=1),
    )

    @staticmethod
    def infer(x: TensorType, indices: TensorType, update: TensorType, axis: int) -> TensorType:
        require_along_axis("weft.put_along_axis", x, indices, axis)
        same_dtype("weft.put_along_axis", x, update)
        if not compatible_shapes(indices.shape, update.shape):
            raise WeftValueError(f"weft.put_along_axis: {update} does not have the shape of {indices}")
        return x

    @staticmethod
    def evaluate(x: Array, indices: Array, update: Array, axis: int) -> Array:
        result = np.array(x)
        np.put_along_axis(result, indices, update, axis)
        return result

    @classmethod
    def operand_dtypes(cls) -> Iterator[tuple[np.dtype[Any], ...]]:
        """Every dtype, indexed with i64."""
        return iter([(dtype, INT64, dtype) for dtype in ALL_DTYPES])


class FindOutOfBounds(ShapedOp, name="find_out_of_bounds", family="indexing", cost=Cost.CHEAP):
    """Whether an index is outside of -extent to extent - 1, and the first such index (or 0)."""

    indices: Operand
    extent: Operand
    results = 2
    cases = (
        Case(((3, 4), ()), low=-6, high=6),
        Case(((), ()), low=-6, high=6),
        Case(((0,), ()), low=0, high=6),
    )

    @staticmethod
    def infer(indices: TensorType, extent: TensorType) -> tuple[TensorType, TensorType]:
        require_indices("weft.find_out_of_bounds", (indices, extent))
        if extent.rank != 0:
            raise WeftTypeError(f"weft.find_out_of_bounds: the extent is i64[], not {extent}")
        return TensorType((), np.dtype(np.bool_)), TensorType((), INT64)

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        return None

    @staticmethod
    def evaluate(indices: Array, extent: Array) -> tuple[Array, Array]:
        outside = indices[(indices < -extent) | (indices >= extent)]
        return np.asarray(outside.size > 0), np.asarray(outside[0] if outside.size else 0, np.int64)

    @classmethod
    def operand_dtypes(cls) -> Iterator[tuple[np.dtype[Any], ...]]:
        """Indices are i64."""
        return iter([(INT64, INT64)])

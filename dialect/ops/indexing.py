"""Ops that read or replace what integer tensors name: gathers and scatters.

Replacing is functional: the result is a copy with the part replaced, which bufferisation makes an update in
place. Index tensors are i64; negative indices count from the end. Indices out of bounds are for the caller
to refuse (`find_out_of_bounds`, `raise_if`): what gather reads there is not defined, scatter skips them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..batching import along, found_outside, read_at, written_at
from ..derivatives import Part
from ..emitter import Emitter, Tensor
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
    axis_of,
    no_source,
    same_dtype,
)
from ..types import Shape, compatible_shapes, format_shape
from .shape import INT64, require_axes
from .slicing import Update


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
    operand_pattern = (None, INT64)
    cases = (
        Case(((5, 4), (3,)), {"axes": (0,), "position": 0}, low=0, high=5),
        Case(((5, 4), (2, 3)), {"axes": (1,), "position": 1}, low=0, high=4),
        Case(((5, 2, 4), (3, 2), (3, 2)), {"axes": (0, 2), "position": 0}, low=0, high=4),
        Case(((5, 2, 4), (3,), (3,)), {"axes": (1, 2), "position": 1}, low=0, high=2),
        Case(((5, 4), ()), {"axes": (0,), "position": 0}, low=0, high=5),
        Case(((5, 4), (), ()), {"axes": (0, 1), "position": 0}, low=0, high=4),
        Case(((3, 2), (0,)), {"axes": (0,), "position": 0}, low=0, high=2),
    )
    linear = ("x",)
    batching = read_at

    @staticmethod
    def transpose(
        b: Emitter, g: Tensor, x: Tensor, indices: tuple[Tensor, ...], axes: tuple[int, ...], position: int
    ) -> Part:
        """What was read, where it was read; elements that were read twice get both."""
        at = {"axes": axes, "position": position}
        return Part(
            g,
            add=lambda whole: (
                b.scatter(whole, b.gather(whole, *indices, **at) + g, *indices, **at, mode="set")
                if indices[0].rank == 0
                else b.scatter(whole, g, *indices, **at, mode="add")
            ),
            write=(lambda whole: b.scatter(whole, g, *indices, **at, mode="set"))
            if indices[0].rank == 0
            else None,
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


class Scatter(Update, name="scatter"):
    """Replace (`mode` set, last write wins) or add to (add) what `gather` with the same indices reads.

    Where an index array holds a place outside of the array, nothing is written.
    """

    x: Operand
    update: Operand
    indices: Operands
    axes: Ints
    position: Int
    mode: String
    MODES = ("set", "add")
    operand_pattern = (None, None, INT64)
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
    linear = ("update", "x")
    batching = written_at

    @staticmethod
    def transpose_update(
        b: Emitter,
        g: Tensor,
        x: Tensor,
        update: Tensor,
        indices: tuple[Tensor, ...],
        axes: tuple[int, ...],
        position: int,
        mode: str,
    ) -> Tensor:
        """What is at the places; where several wrote to one, the last of them gets it."""
        found: Tensor = b.gather(g, *indices, axes=axes, position=position)
        if mode == "add" or indices[0].rank == 0:
            return found
        places = indices[0]
        writers = b.reshaped(b.iota(b.count(places, range(places.rank))), b.extents(places))
        table = b.full([b.extent(x, axis) for axis in axes], 0, INT64)
        along = {"axes": tuple(range(len(axes))), "position": 0}
        last = b.gather(b.scatter(table, writers, *indices, **along, mode="set"), *indices, **along)
        behind = tuple(range(places.rank, found.rank - position))
        stays = last.equals(writers)
        return b.one("select", b.expand_dims(stays, axes=behind) if behind else stays, found, 0)

    @staticmethod
    def transpose_x(
        b: Emitter,
        g: Tensor,
        x: Tensor,
        update: Tensor,
        indices: tuple[Tensor, ...],
        axes: tuple[int, ...],
        position: int,
        mode: str,
    ) -> Tensor:
        """All of it where something was added; what is outside of the places where they were replaced."""
        if mode == "add":
            return g
        zeros = b.zeros_like(update)
        found: Tensor = b.scatter(g, zeros, *indices, axes=axes, position=position, mode=mode)
        return found

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
    operand_pattern = (None, INT64)
    cases = (
        Case(((3, 4), (3, 2)), {"axis": 1}, low=0, high=4),
        Case(((3, 4), (5, 4)), {"axis": 0}, low=0, high=3),
        Case(((2, 0), (2, 0)), {"axis": 1}, low=0, high=1),
    )
    linear = ("x",)
    batching = along("axis")
    extent_source = axis_of(1)

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor, indices: Tensor, axis: int) -> Part:
        """What was read, where it was read; elements that were read twice get both."""
        every = [indices if other == axis else b.positions(indices, other) for other in range(x.rank)]
        axes = tuple(range(x.rank))
        return Part(g, add=lambda whole: b.scatter(whole, g, *every, axes=axes, position=0, mode="add"))

    @staticmethod
    def infer(x: TensorType, indices: TensorType, axis: int) -> TensorType:
        require_along_axis("weft.take_along_axis", x, indices, axis)
        known = [a if a is not None else b for a, b in zip(indices.shape, x.shape, strict=True)]
        known[axis] = indices.shape[axis]
        return x.with_shape(known)

    @staticmethod
    def evaluate(x: Array, indices: Array, axis: int) -> Array:
        return np.take_along_axis(x, indices, axis)


class PutAlongAxis(Update, name="put_along_axis"):
    """Along one axis, replace the element that the index at the same place says; the last write wins."""

    x: Operand
    indices: Operand
    update: Operand
    axis: Int
    operand_pattern = (None, INT64, None)
    cases = (
        Case(((3, 4), (3, 2), (3, 2)), {"axis": 1}, low=0, high=4),
        Case(((3, 4), (5, 4), (5, 4)), {"axis": 0}, low=0, high=3),
        Case(((2, 3), (2, 0), (2, 0)), {"axis": 1}, low=0, high=1),
    )
    linear = ("update", "x")
    batching = along("axis")

    @staticmethod
    def transpose_update(
        b: Emitter, g: Tensor, x: Tensor, indices: Tensor, update: Tensor, axis: int
    ) -> Tensor:
        """What is at the places; where several wrote to one, the last of them gets it."""
        writers = b.positions(indices, axis)
        table = b.full(b.extents(x), 0, INT64)
        last = b.take_along_axis(b.put_along_axis(table, indices, writers, axis=axis), indices, axis=axis)
        found: Tensor = b.select(last.equals(writers), b.take_along_axis(g, indices, axis=axis), 0)
        return found

    @staticmethod
    def transpose_x(b: Emitter, g: Tensor, x: Tensor, indices: Tensor, update: Tensor, axis: int) -> Tensor:
        """What is outside of the places."""
        found: Tensor = b.put_along_axis(g, indices, b.zeros_like(update), axis=axis)
        return found

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


class FindOutOfBounds(ShapedOp, name="find_out_of_bounds", family="indexing", cost=Cost.CHEAP):
    """Whether an index is outside of -extent to extent - 1, and the first such index (or 0)."""

    indices: Operand
    extent: Operand
    operand_pattern = (INT64, INT64)
    results = 2
    cases = (
        Case(((3, 4), ()), low=-6, high=6),
        Case(((), ()), low=-6, high=6),
        Case(((0,), ()), low=0, high=6),
    )
    batching = found_outside
    extent_source = staticmethod(no_source)

    @staticmethod
    def infer(indices: TensorType, extent: TensorType) -> tuple[TensorType, TensorType]:
        require_indices("weft.find_out_of_bounds", (indices, extent))
        if extent.rank != 0:
            raise WeftTypeError(f"weft.find_out_of_bounds: the extent is i64[], not {extent}")
        return TensorType((), np.dtype(np.bool_)), TensorType((), INT64)

    @staticmethod
    def evaluate(indices: Array, extent: Array) -> tuple[Array, Array]:
        outside = indices[(indices < -extent) | (indices >= extent)]
        return np.asarray(outside.size > 0), np.asarray(outside[0] if outside.size else 0, np.int64)

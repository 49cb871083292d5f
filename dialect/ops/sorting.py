"""Sorting along an axis, and searching in what is sorted. NaN is larger than every number, as in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..batching import along, on_last_axes, searched
from ..emitter import Emitter, Tensor
from ..errors import WeftTypeError, WeftValueError
from ..op import (
    Array,
    Bool,
    Case,
    Cost,
    Int,
    Ints,
    Operand,
    ShapedOp,
    String,
    TensorType,
    axis_of,
    same_dtype,
)
from ..types import compatible_shapes, normalize_axis
from .reductions import widened

_CASES = tuple(
    Case((shape,), {"axis": axis, "descending": descending})
    for shape, axis, descending in [
        ((9,), 0, False),
        ((3, 5), 1, False),
        ((6, 2), 0, True),
        ((2, 3, 4), -2, False),
        ((1,), 0, True),
        ((2, 0), 1, False),
        ((0, 2), 1, False),
    ]
)


class Arrangement(ShapedOp, family="sorting", cost=Cost.EXPENSIVE):
    """Base of the ops that put the elements along an axis into an order, or say which it is."""

    extent_source = axis_of(0)


class Sort(Arrangement, name="sort"):
    """Sort along an axis; complex numbers compare by real part first."""

    x: Operand
    axis: Int
    descending: Bool
    cases = _CASES
    batching = along("axis")

    @staticmethod
    def vjp(b: Emitter, g: Tensor, x: Tensor, y: Tensor, axis: int, descending: bool) -> Tensor:
        """To where the elements came from."""
        axis = normalize_axis(axis, x.rank)
        places = b.argsort(x, axis=axis, descending=descending)
        found: Tensor = b.put_along_axis(b.zeros_like(x), places, g, axis=axis)
        return found

    @staticmethod
    def jvp(b: Emitter, t: Tensor, x: Tensor, y: Tensor, axis: int, descending: bool) -> Tensor:
        """From where the elements came."""
        axis = normalize_axis(axis, x.rank)
        found: Tensor = b.take_along_axis(t, b.argsort(x, axis=axis, descending=descending), axis=axis)
        return found

    @staticmethod
    def infer(x: TensorType, axis: int, descending: bool) -> TensorType:
        normalize_axis(axis, x.rank)
        return x

    @staticmethod
    def evaluate(x: Array, axis: int, descending: bool) -> Array:
        wide = widened(x)
        if not descending:
            return np.sort(wide, axis=axis, kind="stable").astype(x.dtype)
        # Reversed before and after, so that equal elements (zeros of either sign) keep their order.
        return np.flip(np.sort(np.flip(wide, axis), axis=axis, kind="stable"), axis).astype(x.dtype)


class Argsort(Arrangement, name="argsort"):
    """The int64 positions that sort along an axis; positions of equal elements stay in ascending order."""

    x: Operand
    axis: Int
    descending: Bool
    cases = _CASES
    batching = along("axis")

    @staticmethod
    def infer(x: TensorType, axis: int, descending: bool) -> TensorType:
        normalize_axis(axis, x.rank)
        return x.with_dtype(np.dtype(np.int64))

    @staticmethod
    def evaluate(x: Array, axis: int, descending: bool) -> Array:
        wide = widened(x)
        if not descending:
            return np.argsort(wide, axis=axis, kind="stable")
        backwards = np.flip(np.argsort(np.flip(wide, axis), axis=axis, kind="stable"), axis)
        return np.asarray(x.shape[axis] - 1 - backwards)


class Partition(Arrangement, name="partition"):
    """Put the elements that sorting would put at some places there, what sorts before in front, the rest behind.

    In which order that is, is not defined. Places count from zero.
    """

    x: Operand
    axis: Int
    places: Ints
    cases = (  # with one possible result
        Case(((3,),), {"axis": 0, "places": (1,)}),
        Case(((4, 2),), {"axis": -1, "places": (0,)}),
        Case(((4, 2, 3),), {"axis": 0, "places": (1, 2)}),
        Case(((0, 2),), {"axis": 1, "places": (1,)}),
        Case(((2, 0),), {"axis": 1, "places": ()}),
    )
    batching = along("axis")

    @staticmethod
    def origins(b: Emitter, x: Tensor, y: Tensor, axis: int) -> Tensor:
        """Where every element came from: the orders of operand and result, sorted, are the same."""
        order = {"axis": axis, "descending": False}
        ranks = b.argsort(b.argsort(y, **order), **order)
        found: Tensor = b.take_along_axis(b.argsort(x, **order), ranks, axis=axis)
        return found

    @classmethod
    def vjp(cls, b: Emitter, g: Tensor, x: Tensor, y: Tensor, axis: int, places: tuple[int, ...]) -> Tensor:
        """To where the elements came from."""
        axis = normalize_axis(axis, x.rank)
        found: Tensor = b.put_along_axis(b.zeros_like(x), cls.origins(b, x, y, axis), g, axis=axis)
        return found

    @classmethod
    def jvp(cls, b: Emitter, t: Tensor, x: Tensor, y: Tensor, axis: int, places: tuple[int, ...]) -> Tensor:
        """From where the elements came."""
        axis = normalize_axis(axis, x.rank)
        found: Tensor = b.take_along_axis(t, cls.origins(b, x, y, axis), axis=axis)
        return found

    @staticmethod
    def infer(x: TensorType, axis: int, places: tuple[int, ...]) -> TensorType:
        extent = x.shape[normalize_axis(axis, x.rank)]
        for place in places:
            if place < 0 or (extent is not None and place >= extent):
                raise WeftValueError(f"kth(={place}) out of bounds ({extent})")
        return x

    @staticmethod
    def evaluate(x: Array, axis: int, places: tuple[int, ...]) -> Array:
        wide = widened(x)
        return (np.partition(wide, places, axis=axis) if places else wide).astype(x.dtype)


class PartitionAt(Arrangement, name="partition_at"):
    """Partition each row along the last axis at places of its own, which ascend and are known when the program runs.

    A place beyond an end of the row is the element at that end.
    """

    x: Operand
    places: Operand
    operand_pattern = (None, np.dtype(np.int64))
    cases = (  # with one possible result
        Case(((2,), (1,))),
        Case(((4, 1), (4, 2))),
        Case(((2, 3, 2), (2, 3, 1))),
        Case(((2, 0), (2, 1))),
        Case(((0, 2), (0, 1))),
        Case(((1, 3), (1, 0))),
    )
    batching = on_last_axes

    @staticmethod
    def vjp(b: Emitter, g: Tensor, x: Tensor, y: Tensor) -> Tensor:
        """To where the elements came from."""
        origins = Partition.origins(b, x, y, x.rank - 1)
        found: Tensor = b.put_along_axis(b.zeros_like(x), origins, g, axis=x.rank - 1)
        return found

    @staticmethod
    def jvp(b: Emitter, t: Tensor, x: Tensor, y: Tensor) -> Tensor:
        """From where the elements came."""
        found: Tensor = b.take_along_axis(t, Partition.origins(b, x, y, x.rank - 1), axis=x.rank - 1)
        return found

    @staticmethod
    def infer(x: TensorType, places: TensorType) -> TensorType:
        if places.dtype != np.int64:
            raise WeftTypeError(f"the places of weft.partition_at are int64, not {places.dtype}")
        if x.rank == 0 or not compatible_shapes(x.shape[:-1], places.shape[:-1]):
            raise WeftValueError(f"weft.partition_at needs places for each row of {x}, not {places}")
        return x

    @staticmethod
    def evaluate(x: Array, places: Array) -> Array:
        wide = widened(x)
        count, length = places.shape[-1], x.shape[-1]
        if not count or not wide.size:
            same: Array = x.copy()
            return same
        rows = wide.reshape(-1, length)
        within = places.clip(0, length - 1).reshape(-1, count)
        ordered = [np.partition(row, found) for row, found in zip(rows, within, strict=True)]
        found: Array = np.stack(ordered).reshape(x.shape).astype(x.dtype)
        return found


class Searchsorted(ShapedOp, name="searchsorted", family="sorting", cost=Cost.EXPENSIVE):
    """The int64 positions at which values could be inserted in a sorted rank-1 tensor that stays sorted.

    The order is ascending; among equal elements, `side` is `left` of the first or `right` of the last.
    """

    x: Operand
    values: Operand
    side: String
    cases = (
        Case(((1,), (3, 2)), {"side": "left"}),  # any one element is sorted
        Case(((1,), ()), {"side": "right"}),
        Case(((0,), (3,)), {"side": "left"}),
    )
    batching = searched
    extent_source = axis_of(1)

    @staticmethod
    def infer(x: TensorType, values: TensorType, side: str) -> TensorType:
        same_dtype("weft.searchsorted", x, values)
        if x.rank != 1:
            raise WeftValueError(f"weft.searchsorted searches in a tensor of rank 1, not {x}")
        if side not in ("left", "right"):
            raise WeftValueError(f"side must be 'left' or 'right', not {side!r}")
        return values.with_dtype(np.dtype(np.int64))

    @staticmethod
    def evaluate(x: Array, values: Array, side: Any) -> Array:
        return np.asarray(np.searchsorted(widened(x), widened(values), side=side))

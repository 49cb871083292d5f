"""Ops that lay elements out anew: joins, borders, copies, triangles and diagonals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..batching import along, on_diagonal, on_last_axes, with_entries
from ..derivatives import Part
from ..emitter import INT64_MAX, Emitter, Tensor
from ..errors import WeftTypeError, WeftValueError
from ..op import (
    Array,
    Attributes,
    Case,
    Cost,
    ExtentSource,
    Int,
    Ints,
    Operand,
    Operands,
    ShapedOp,
    String,
    TensorType,
    axis_of,
    same_dtype,
)
from ..types import Shape, compatible_shapes
from .shape import concrete_shape, given_extent, require_axes, target_shape


class Concat(ShapedOp, name="concat", family="shape", cost=Cost.CHEAP):
    """Join two tensors of one dtype along an axis; the other extents are equal."""

    x: Operand
    y: Operand
    axis: Int
    cases = (
        Case(((2, 3), (2, 1)), {"axis": 1}),
        Case(((0, 3), (1, 3)), {"axis": 0}),
        Case(((4,), (4,)), {"axis": 0}),
        Case(((2, 0), (2, 0)), {"axis": 1}),
    )
    linear = ("x", "y")
    batching = along("axis")

    @staticmethod
    def transpose_x(b: Emitter, g: Tensor, x: Tensor, y: Tensor, axis: int) -> Tensor:
        """What comes first."""
        return b.cut(g, axis, 0, b.extent(x, axis))

    @staticmethod
    def transpose_y(b: Emitter, g: Tensor, x: Tensor, y: Tensor, axis: int) -> Tensor:
        """What comes behind the first."""
        return b.cut(g, axis, b.extent(x, axis), INT64_MAX)

    @staticmethod
    def infer(x: TensorType, y: TensorType, axis: int) -> TensorType:
        dtype = same_dtype("weft.concat", x, y)
        require_axes("weft.concat", (axis,), x.rank)
        shapes = [(*t.shape[:axis], None, *t.shape[axis + 1 :]) for t in (x, y)]
        if not compatible_shapes(*shapes):
            raise WeftValueError(f"weft.concat: {x} and {y} differ outside of axis {axis}")
        known = [a if a is not None else b for a, b in zip(*shapes, strict=True)]
        left, right = x.shape[axis], y.shape[axis]
        known[axis] = None if left is None or right is None else left + right
        return TensorType(tuple(known), dtype)

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        return None if axis == attributes["axis"] else (0, axis)

    @staticmethod
    def evaluate(x: Array, y: Array, axis: int) -> Array:
        return np.concatenate((x, y), axis)


class Stack(ShapedOp, name="stack", family="shape", cost=Cost.CHEAP):
    """Lay tensors of one type side by side along a new axis."""

    x: Operands
    axis: Int
    cases = (
        Case(((2, 3), (2, 3)), {"axis": 1}),
        Case(((), (), ()), {"axis": 0}),
        Case(((2,),), {"axis": 0}),
        Case(((0, 2), (0, 2)), {"axis": 2}),
    )
    linear = ("x",)
    batching = along("axis")

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: tuple[Tensor, ...], axis: int) -> list[Tensor]:
        """A layer for each."""
        return [b.squeeze(b.along(g, axis, i, i + 1), axes=(axis,)) for i in range(len(x))]

    @staticmethod
    def infer(x: tuple[TensorType, ...], axis: int) -> TensorType:
        if len(set(x)) != 1:
            listing = ", ".join(str(t) for t in x) or "none"
            raise WeftValueError(f"weft.stack: operands must have one type, not {listing}")
        require_axes("weft.stack", (axis,), x[0].rank + 1)
        return x[0].with_shape([*x[0].shape[:axis], len(x), *x[0].shape[axis:]])

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        new = attributes["axis"]
        return None if axis == new else (0, axis - (axis > new))

    @staticmethod
    def evaluate(x: tuple[Array, ...], axis: int) -> Array:
        return np.stack(x, axis)


def padded_shape(what: str, x: TensorType, low: tuple[int, ...], high: tuple[int, ...]) -> Shape:
    """The shape after adding `low` elements before and `high` elements behind every axis."""
    if len(low) != x.rank or len(high) != x.rank or min((*low, *high), default=0) < 0:
        raise WeftValueError(f"{what}: low {low} and high {high} are not widths for the axes of {x}")
    return tuple(None if n is None else a + n + b for n, a, b in zip(x.shape, low, high, strict=True))


def unpadded_source(attributes: Attributes, axis: int) -> ExtentSource:
    """The same axis of the first operand where nothing is added."""
    return None if attributes["low"][axis] or attributes["high"][axis] else (0, axis)


class Pad(ShapedOp, name="pad", family="shape", cost=Cost.CHEAP):
    """Add `low` elements before and `high` elements behind every axis, all equal to a scalar."""

    x: Operand
    value: Operand
    low: Ints
    high: Ints
    cases = (
        Case(((2, 3), ()), {"low": (1, 0), "high": (0, 2)}),
        Case(((0,), ()), {"low": (2,), "high": (1,)}),
        Case(((), ()), {"low": (), "high": ()}),
    )
    linear = ("x", "value")
    batching = with_entries(1, low=0, high=0)

    @staticmethod
    def transpose_x(
        b: Emitter, g: Tensor, x: Tensor, value: Tensor, low: tuple[int, ...], high: tuple[int, ...]
    ) -> Tensor:
        """What is inside."""
        stop = tuple(-behind if behind else INT64_MAX for behind in high)
        found: Tensor = b.slice(g, start=low, stop=stop, step=(1,) * x.rank)
        return found

    @classmethod
    def transpose_value(
        cls, b: Emitter, g: Tensor, x: Tensor, value: Tensor, low: tuple[int, ...], high: tuple[int, ...]
    ) -> Tensor:
        """The sum over what is outside."""
        inside = b.pad(b.full(b.extents(x), True, np.dtype(np.bool_)), False, low=low, high=high)
        found: Tensor = b.sum(b.select(inside, 0, g), axes=tuple(range(g.rank)), keepdims=False)
        return found

    @staticmethod
    def infer(x: TensorType, value: TensorType, low: tuple[int, ...], high: tuple[int, ...]) -> TensorType:
        same_dtype("weft.pad", x, value)
        if value.rank != 0:
            raise WeftTypeError(f"weft.pad: the value is a scalar, not {value}")
        return x.with_shape(padded_shape("weft.pad", x, low, high))

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        return unpadded_source(attributes, axis)

    @staticmethod
    def evaluate(x: Array, value: Array, low: tuple[int, ...], high: tuple[int, ...]) -> Array:
        result = np.full([a + n + b for n, a, b in zip(x.shape, low, high, strict=True)], value, x.dtype)
        result[tuple(slice(a, a + n) for n, a in zip(x.shape, low, strict=True))] = x
        return result


class Extend(ShapedOp, name="extend", family="shape", cost=Cost.CHEAP):
    """Add elements around every axis that repeat its own; `mode` is edge, reflect, symmetric or wrap."""

    x: Operand
    low: Ints
    high: Ints
    mode: String
    MODES = ("edge", "reflect", "symmetric", "wrap")
    cases = (
        *(Case(((3, 2),), {"low": (1, 0), "high": (2, 1), "mode": mode}) for mode in MODES),
        *(Case(((3,),), {"low": (8,), "high": (7,), "mode": mode}) for mode in MODES),
        *(Case(((1,),), {"low": (2,), "high": (1,), "mode": mode}) for mode in MODES),
    )
    linear = ("x",)
    batching = with_entries(1, low=0, high=0)

    @staticmethod
    def transpose(
        b: Emitter, g: Tensor, x: Tensor, low: tuple[int, ...], high: tuple[int, ...], mode: str
    ) -> Tensor:
        """Every element goes back to where it was copied from, which the same op on positions tells."""
        for axis in (axis for axis in range(x.rank) if low[axis] or high[axis]):
            places = b.iota(b.extent(x, axis))
            source = b.extend(places, low=(low[axis],), high=(high[axis],), mode=mode)
            extents = [b.extent(x if other == axis else g, other) for other in range(x.rank)]
            zeros = b.full(extents, 0, g.dtype)
            g = b.scatter(zeros, g, source, axes=(axis,), position=axis, mode="add")
        return g

    @staticmethod
    def infer(x: TensorType, low: tuple[int, ...], high: tuple[int, ...], mode: str) -> TensorType:
        if mode not in Extend.MODES:
            raise WeftValueError(f"weft.extend: mode {mode!r} is not one of {', '.join(Extend.MODES)}")
        shape = padded_shape("weft.extend", x, low, high)
        for axis, extent in enumerate(x.shape):
            if extent == 0 and (low[axis] or high[axis]):
                raise WeftValueError(
                    f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
                )
        return x.with_shape(shape)

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        return unpadded_source(attributes, axis)

    @staticmethod
    def evaluate(x: Array, low: tuple[int, ...], high: tuple[int, ...], mode: str) -> Array:
        result: Array = np.pad(x, tuple(zip(low, high, strict=True)), mode=mode)  # type: ignore[call-overload]
        return result


class Roll(ShapedOp, name="roll", family="shape", cost=Cost.CHEAP):
    """Shift the elements along an axis; what leaves at the end comes in at the front."""

    x: Operand
    shift: Int
    axis: Int
    cases = (
        Case(((5,),), {"shift": 2, "axis": 0}),
        Case(((2, 3),), {"shift": -4, "axis": 1}),
        Case(((0, 2),), {"shift": 1, "axis": 0}),
        Case(((2, 3),), {"shift": 2, "axis": 0}),
    )
    linear = ("x",)
    batching = along("axis")
    extent_source = axis_of(0)

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor, shift: int, axis: int) -> Tensor:
        """The shift back."""
        found: Tensor = b.roll(g, shift=-shift, axis=axis)
        return found

    @staticmethod
    def infer(x: TensorType, shift: int, axis: int) -> TensorType:
        require_axes("weft.roll", (axis,), x.rank)
        return x

    @staticmethod
    def evaluate(x: Array, shift: int, axis: int) -> Array:
        return np.roll(x, shift, axis)


class Tile(ShapedOp, name="tile", family="shape", cost=Cost.CHEAP):
    """Lay copies of the whole tensor side by side: `counts[i]` along axis i."""

    x: Operand
    counts: Ints
    cases = (
        Case(((2, 3),), {"counts": (2, 1)}),
        Case(((2, 3),), {"counts": (2, 3)}),
        Case(((3,),), {"counts": (0,)}),
        Case(((),), {"counts": ()}),
    )
    linear = ("x",)
    batching = with_entries(1, counts=1)

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor, counts: tuple[int, ...]) -> Tensor:
        """The sum of the copies."""
        extents = [e for count, extent in zip(counts, b.extents(x), strict=True) for e in (count, extent)]
        copies = b.reshaped(g, extents)
        found: Tensor = b.sum(copies, axes=tuple(range(0, 2 * x.rank, 2)), keepdims=False)
        return found

    @staticmethod
    def infer(x: TensorType, counts: tuple[int, ...]) -> TensorType:
        if len(counts) != x.rank or min(counts, default=0) < 0:
            raise WeftValueError(f"weft.tile: counts {counts} are not counts for the axes of {x}")
        return x.with_shape(
            [None if n is None else n * count for n, count in zip(x.shape, counts, strict=True)]
        )

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        return (0, axis) if attributes["counts"][axis] == 1 else None

    @staticmethod
    def evaluate(x: Array, counts: tuple[int, ...]) -> Array:
        return np.tile(x, counts)


class Repeat(ShapedOp, name="repeat", family="shape", cost=Cost.CHEAP):
    """Repeat every element along an axis `count` times."""

    x: Operand
    count: Int
    axis: Int
    cases = (
        Case(((2, 3),), {"count": 2, "axis": 1}),
        Case(((2, 3),), {"count": 3, "axis": 0}),
        Case(((3,),), {"count": 0, "axis": 0}),
    )
    linear = ("x",)
    batching = along("axis")

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor, count: int, axis: int) -> Tensor:
        """The sum of the copies."""
        extents = b.extents(x)
        copies = b.reshaped(g, [*extents[: axis + 1], count, *extents[axis + 1 :]])
        found: Tensor = b.sum(copies, axes=(axis + 1,), keepdims=False)
        return found

    @staticmethod
    def infer(x: TensorType, count: int, axis: int) -> TensorType:
        require_axes("weft.repeat", (axis,), x.rank)
        if count < 0:
            raise WeftValueError(f"weft.repeat: the count {count} is negative")
        shape = list(x.shape)
        extent = shape[axis]
        shape[axis] = None if extent is None else extent * count
        return x.with_shape(shape)

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        return (0, axis) if axis != attributes["axis"] or attributes["count"] == 1 else None

    @staticmethod
    def evaluate(x: Array, count: int, axis: int) -> Array:
        return np.repeat(x, count, axis)


class RepeatEach(ShapedOp, name="repeat_each", family="shape", cost=Cost.CHEAP):
    """Repeat every element by a count of its own, up to the extent in `shape` (-1: taken from `dims`), then zeros."""

    x: Operand
    counts: Operand
    dims: Operands
    shape: Ints
    operand_pattern = (None, np.dtype(np.int64))
    cases = (
        Case(((3,), (3,)), {"shape": (20,)}),
        Case(((4,), (4,)), {"shape": (5,)}),
        Case(((0,), (0,)), {"shape": (2,)}),
        Case(((3,), (3,)), {"shape": (0,)}),
    )
    linear = ("x",)
    extent_source = staticmethod(given_extent)

    @staticmethod
    def transpose(
        b: Emitter, g: Tensor, x: Tensor, counts: Tensor, dims: tuple[Tensor, ...], shape: tuple[int, ...]
    ) -> Tensor:
        """The sum of the copies, and of those of a number behind the elements."""
        behind = b.cut(b.iota(b.extent(x, 0) + 1), 0, 1, INT64_MAX)
        places = b.one("repeat_each", behind, counts, *dims, shape=shape)
        copies = b.full([b.extent(x, 0) + 1], 0, g.dtype)
        summed = b.scatter(copies, g, places, axes=(0,), position=0, mode="add")
        return b.cut(summed, 0, 1, INT64_MAX)

    @staticmethod
    def infer(
        x: TensorType, counts: TensorType, dims: tuple[TensorType, ...], shape: tuple[int, ...]
    ) -> TensorType:
        if x.rank != 1 or counts.rank != 1 or len(shape) != 1:
            raise WeftTypeError(f"weft.repeat_each takes and makes one axis, not {x}, {counts} and {shape}")
        if counts.dtype != np.int64:
            raise WeftTypeError(f"weft.repeat_each counts in i64, not {counts}")
        if not compatible_shapes(x.shape, counts.shape):
            raise WeftValueError(f"weft.repeat_each: {counts} does not have a count for each element of {x}")
        return x.with_shape(target_shape("weft.repeat_each", shape, dims))

    @staticmethod
    def evaluate(x: Array, counts: Array, dims: tuple[Array, ...], shape: tuple[int, ...]) -> Array:
        made = np.zeros(concrete_shape(shape, dims), x.dtype)
        ends = np.minimum(np.cumsum(np.clip(counts, 0, made.size)), made.size)
        copies = np.repeat(x, np.diff(ends, prepend=0))
        made[: copies.size] = copies
        return made


class _Triangle(ShapedOp, family="shape", cost=Cost.CHEAP):
    """Base of the ops that keep a triangle of the last two axes."""

    x: Operand
    k: Int
    cases = (
        Case(((3, 4),), {"k": 0}),
        Case(((4, 3),), {"k": 1}),
        Case(((2, 3, 3),), {"k": -1}),
        Case(((0, 3),), {"k": 0}),
    )
    batching = on_last_axes
    extent_source = axis_of(0)

    @classmethod
    def infer(cls, x: TensorType, k: int) -> TensorType:
        """Rank 2 or more."""
        if x.rank < 2:
            raise WeftValueError(f"{cls.mlir_name()} needs rank 2 or more, not {x}")
        return x


class Triu(_Triangle, name="triu"):
    """The matrices with zeros below diagonal `k`."""

    linear = ("x",)

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor, k: int) -> Tensor:
        """The same triangle."""
        found: Tensor = b.triu(g, k=k)
        return found

    @staticmethod
    def evaluate(x: Array, k: int) -> Array:
        return np.triu(x, k)


class Tril(_Triangle, name="tril"):
    """The matrices with zeros above diagonal `k`."""

    linear = ("x",)

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor, k: int) -> Tensor:
        """The same triangle."""
        found: Tensor = b.tril(g, k=k)
        return found

    @staticmethod
    def evaluate(x: Array, k: int) -> Array:
        return np.tril(x, k)


class Diagonal(ShapedOp, name="diagonal", family="shape", cost=Cost.CHEAP):
    """Diagonal `offset` of the matrices in the last two axes, as a new last axis."""

    x: Operand
    offset: Int
    cases = (
        Case(((3, 4),), {"offset": 0}),
        Case(((3, 4),), {"offset": 2}),
        Case(((2, 3, 3),), {"offset": -1}),
        Case(((2, 3),), {"offset": 5}),
    )
    linear = ("x",)
    batching = on_last_axes

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor, offset: int) -> Part:
        """The diagonal of the matrices."""
        places = b.iota(b.extent(g, g.rank - 1))
        indices = (places + max(-offset, 0), places + max(offset, 0))
        axes = {"axes": (x.rank - 2, x.rank - 1), "position": x.rank - 2}
        return Part(
            g,
            add=lambda whole: b.scatter(whole, g, *indices, **axes, mode="add"),
            write=lambda whole: b.scatter(whole, g, *indices, **axes, mode="set"),
        )

    @staticmethod
    def infer(x: TensorType, offset: int) -> TensorType:
        if x.rank < 2:
            raise WeftValueError(f"diag requires an array of at least two dimensions, not {x}")
        rows, columns = x.shape[-2:]
        if rows is None or columns is None:
            return x.with_shape([*x.shape[:-2], None])
        extent = max(0, min(rows - max(-offset, 0), columns - max(offset, 0)))
        return x.with_shape([*x.shape[:-2], extent])

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        return (0, axis) if axis < types[0].rank - 2 else None

    @staticmethod
    def evaluate(x: Array, offset: int) -> Array:
        return np.diagonal(x, offset, -2, -1)


class Diag(ShapedOp, name="diag", family="shape", cost=Cost.CHEAP):
    """The square matrix with a vector on diagonal `offset` and zeros elsewhere."""

    x: Operand
    offset: Int
    cases = (Case(((3,),), {"offset": 0}), Case(((3,),), {"offset": -2}), Case(((0,),), {"offset": 1}))
    linear = ("x",)
    batching = on_diagonal

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor, offset: int) -> Tensor:
        """The diagonal."""
        found: Tensor = b.diagonal(g, offset=offset)
        return found

    @staticmethod
    def infer(x: TensorType, offset: int) -> TensorType:
        if x.rank != 1:
            raise WeftValueError(f"weft.diag takes a vector, not {x}")
        extent = None if x.shape[0] is None else x.shape[0] + abs(offset)
        return x.with_shape([extent, extent])

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        return (0, 0) if attributes["offset"] == 0 else None

    @staticmethod
    def evaluate(x: Array, offset: int) -> Array:
        return np.diag(x, offset)

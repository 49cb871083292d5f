"""Ops that rearrange elements without computing on them: new shapes, joins, borders, diagonals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..batching import along, extent_of_axis, permuted, repeated, reshaped
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
    Operand,
    Operands,
    SafeOp,
    ShapedOp,
    TensorType,
    no_source,
)
from ..types import Shape, format_shape

INT64 = np.dtype(np.int64)


def require_axes(what: str, axes: Sequence[int], rank: int) -> None:
    """Raise `WeftValueError` unless the axes are distinct, ascending and counted from the front."""
    if list(axes) != sorted(set(axes)) or any(not 0 <= axis < rank for axis in axes):
        raise WeftValueError(f"{what}: axes {tuple(axes)} are not ascending axes of rank {rank}")


def require_extents(what: str, dims: Sequence[TensorType]) -> None:
    """Raise `WeftTypeError` unless all run-time extents are i64[]."""
    for dim in dims:
        if dim.rank != 0 or dim.dtype != INT64:
            raise WeftTypeError(f"{what}: a run-time extent is i64[], not {dim}")


class Dim(SafeOp, name="dim", family="shape", cost=Cost.CHEAP):
    """The extent of one axis, as a scalar."""

    x: Operand
    axis: Int
    cases = (Case(((3, 4),), {"axis": 1}),)
    batching = extent_of_axis
    extent_source = staticmethod(no_source)

    @staticmethod
    def infer(x: TensorType, axis: int) -> TensorType:
        require_axes("weft.dim", (axis,), x.rank)
        return TensorType((), INT64)

    @staticmethod
    def evaluate(x: Array, axis: int) -> Array:
        return np.asarray(x.shape[axis], np.int64)


class Transpose(SafeOp, name="transpose", family="shape", cost=Cost.CHEAP):
    """Permute the axes: axis i of the result is axis `permutation[i]` of the operand."""

    x: Operand
    permutation: Ints
    cases = (
        Case(((2, 3),), {"permutation": (1, 0)}),
        Case(((2, 3, 4),), {"permutation": (2, 0, 1)}),
        Case(((),), {"permutation": ()}),
        Case(((0, 2),), {"permutation": (1, 0)}),
    )
    linear = ("x",)
    batching = permuted

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor, permutation: tuple[int, ...]) -> Tensor:
        """The axes back in their places."""
        found: Tensor = b.transpose(g, permutation=tuple(map(int, np.argsort(permutation))))
        return found

    @staticmethod
    def infer(x: TensorType, permutation: tuple[int, ...]) -> TensorType:
        if sorted(permutation) != list(range(x.rank)):
            raise WeftValueError(f"axes {permutation} are not a permutation of the {x.rank} axes of {x}")
        return x.with_shape([x.shape[axis] for axis in permutation])

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        return 0, attributes["permutation"][axis]

    @staticmethod
    def evaluate(x: Array, permutation: tuple[int, ...]) -> Array:
        return np.transpose(x, permutation)


def target_shape(what: str, shape: tuple[int, ...], dims: tuple[TensorType, ...]) -> Shape:
    """The result shape that a `shape` attribute says; -1 stands for an extent that an i64[] operand gives."""
    dynamic = sum(extent == -1 for extent in shape)
    if dynamic != len(dims) or any(extent < -1 for extent in shape):
        raise WeftValueError(
            f"{what}: shape {shape} needs {dynamic} run-time extents, {len(dims)} were given"
        )
    require_extents(what, dims)
    return tuple(None if extent == -1 else extent for extent in shape)


def concrete_shape(shape: tuple[int, ...], dims: tuple[Array, ...]) -> tuple[int, ...]:
    """Fill the -1 entries of a `shape` attribute with the run-time extents."""
    extents = iter(dims)
    return tuple(int(next(extents)) if extent == -1 else extent for extent in shape)


def given_extent(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
    """The operand that gives a run-time extent of a `shape` attribute: they come last among the operands."""
    shape = attributes["shape"]
    return (len(types) - shape[axis:].count(-1), -1) if shape[axis] == -1 else None


class Reshape(ShapedOp, name="reshape", family="shape", cost=Cost.CHEAP):
    """Give the elements, in row-major order, another shape; -1 entries are taken from the `dims` operands."""

    x: Operand
    dims: Operands
    shape: Ints
    cases = (
        Case(((2, 3),), {"shape": (3, 2)}),
        Case(((4,),), {"shape": (2, 1, 2)}),
        Case(((1, 6),), {"shape": (2, 3, 1)}),
        Case(((1,),), {"shape": ()}),
        Case(((),), {"shape": (1, 1)}),
        Case(((0, 3),), {"shape": (3, 0, 2)}),
    )
    linear = ("x",)
    batching = reshaped
    extent_source = staticmethod(given_extent)

    @staticmethod
    def transpose(
        b: Emitter, g: Tensor, x: Tensor, dims: tuple[Tensor, ...], shape: tuple[int, ...]
    ) -> Tensor:
        """The shape of the operand."""
        return b.reshaped(g, b.extents(x))

    @staticmethod
    def infer(x: TensorType, dims: tuple[TensorType, ...], shape: tuple[int, ...]) -> TensorType:
        result = x.with_shape(target_shape("weft.reshape", shape, dims))
        if x.size is not None and result.size is not None and x.size != result.size:
            raise WeftValueError(f"cannot reshape array of size {x.size} into shape {format_shape(shape)}")
        return result

    @staticmethod
    def evaluate(x: Array, dims: tuple[Array, ...], shape: tuple[int, ...]) -> Array:
        return np.reshape(x, concrete_shape(shape, dims))


class ExpandDims(SafeOp, name="expand_dims", family="shape", cost=Cost.CHEAP):
    """Insert axes of extent 1; `axes` are their places in the result."""

    x: Operand
    axes: Ints
    cases = (
        Case(((2, 3),), {"axes": (1,)}),
        Case(((3,),), {"axes": (0, 2)}),
        Case(((),), {"axes": (0, 1)}),
        Case(((0,),), {"axes": (1,)}),
    )
    linear = ("x",)
    batching = along("axes")

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor, axes: tuple[int, ...]) -> Tensor:
        """Without the axes."""
        found: Tensor = b.squeeze(g, axes=axes)
        return found

    @staticmethod
    def infer(x: TensorType, axes: tuple[int, ...]) -> TensorType:
        rank = x.rank + len(axes)
        require_axes("weft.expand_dims", axes, rank)
        kept = iter(x.shape)
        return x.with_shape([1 if axis in axes else next(kept) for axis in range(rank)])

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        axes = attributes["axes"]
        return None if axis in axes else (0, axis - sum(inserted < axis for inserted in axes))

    @staticmethod
    def evaluate(x: Array, axes: tuple[int, ...]) -> Array:
        return np.expand_dims(x, axes)


class Squeeze(ShapedOp, name="squeeze", family="shape", cost=Cost.CHEAP):
    """Remove axes of extent 1."""

    x: Operand
    axes: Ints
    cases = (
        Case(((2, 1, 3),), {"axes": (1,)}),
        Case(((1, 3, 1),), {"axes": (0, 2)}),
        Case(((1, 1),), {"axes": (0, 1)}),
        Case(((1, 0),), {"axes": (0,)}),
    )
    linear = ("x",)
    batching = along("axes")

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor, axes: tuple[int, ...]) -> Tensor:
        """With the axes again."""
        found: Tensor = b.expand_dims(g, axes=axes)
        return found

    @staticmethod
    def infer(x: TensorType, axes: tuple[int, ...]) -> TensorType:
        require_axes("weft.squeeze", axes, x.rank)
        if any(x.shape[axis] != 1 for axis in axes):
            raise WeftValueError(
                f"cannot select an axis to squeeze out which has size not equal to one: axes {axes} of {x}"
            )
        return x.with_shape([extent for axis, extent in enumerate(x.shape) if axis not in axes])

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        return 0, [a for a in range(types[0].rank) if a not in attributes["axes"]][axis]

    @staticmethod
    def evaluate(x: Array, axes: tuple[int, ...]) -> Array:
        return np.squeeze(x, axes)


def _broadcast_type(
    what: str, x: TensorType, dims: tuple[TensorType, ...], shape: tuple[int, ...]
) -> TensorType:
    target = target_shape(what, shape, dims)
    offset = len(target) - x.rank
    fits = offset >= 0 and all(
        source in (1, None) or extent is None or source == extent
        for source, extent in zip(x.shape, target[offset:], strict=True)
    )
    if not fits:
        raise WeftValueError(f"cannot broadcast {format_shape(x.shape)} to {format_shape(target)}")
    return x.with_shape(target)


class BroadcastTo(ShapedOp, name="broadcast_to", family="shape", cost=Cost.CHEAP):
    """Repeat axes of extent 1, and add leading axes, up to a shape; -1 entries are taken from `dims`."""

    x: Operand
    dims: Operands
    shape: Ints
    cases = (
        Case(((3, 1),), {"shape": (2, 3, 4)}),
        Case(((),), {"shape": (2, 0)}),
        Case(((3,),), {"shape": (3,)}),
    )
    linear = ("x",)
    batching = repeated
    extent_source = staticmethod(given_extent)

    @staticmethod
    def transpose(
        b: Emitter, g: Tensor, x: Tensor, dims: tuple[Tensor, ...], shape: tuple[int, ...]
    ) -> Tensor:
        """The sum over what was repeated."""
        return b.unbroadcast(g, x)

    @staticmethod
    def infer(x: TensorType, dims: tuple[TensorType, ...], shape: tuple[int, ...]) -> TensorType:
        return _broadcast_type("weft.broadcast_to", x, dims, shape)

    @staticmethod
    def evaluate(x: Array, dims: tuple[Array, ...], shape: tuple[int, ...]) -> Array:
        return np.broadcast_to(x, concrete_shape(shape, dims))


class Stretch(BroadcastTo, name="stretch", family="shape", cost=Cost.CHEAP):
    """Repeat axes that turn out to have extent 1, up to a shape that the others have; -1 entries are from `dims`."""

    cases = (
        Case(((3, 1),), {"shape": (3, 4)}),
        Case(((1, 2),), {"shape": (0, 2)}),
        Case(((3,),), {"shape": (3,)}),
    )
    linear = ("x",)

    @staticmethod
    def transpose(
        b: Emitter, g: Tensor, x: Tensor, dims: tuple[Tensor, ...], shape: tuple[int, ...]
    ) -> Tensor:
        """The sum over what was repeated; where only the run tells, all goes to the last element that there is."""
        g = b.unbroadcast(g, x)
        for axis in (axis for axis, extent in enumerate(x.shape) if extent is None):
            last = b.as_scalar(b.extent(x, axis)) - 1
            places = b.minimum(b.iota(b.extent(g, axis)), last)
            extents = [b.extent(x if other == axis else g, other) for other in range(x.rank)]
            zeros = b.full(extents, 0, g.dtype)
            g = b.scatter(zeros, g, places, axes=(axis,), position=axis, mode="add")
        return g

    @staticmethod
    def infer(x: TensorType, dims: tuple[TensorType, ...], shape: tuple[int, ...]) -> TensorType:
        if len(shape) != x.rank:
            raise WeftValueError(f"weft.stretch: shape {shape} has not as many axes as {x}")
        return _broadcast_type("weft.stretch", x, dims, shape)

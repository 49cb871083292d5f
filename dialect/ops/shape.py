"""Ops that rearrange elements without computing on them."""

from __future__ import annotations

import numpy as np

from ..errors import WeftValueError
from ..op import Array, Case, Int, Ints, Op, Operand, Operands, TensorType
from ..types import format_shape, normalize_axis


class Dim(Op, name="dim", family="shape"):
    """The extent of one axis, as a scalar."""

    x: Operand
    axis: Int
    cases = (Case(((3, 4),), {"axis": 1}),)

    @staticmethod
    def infer(x: TensorType, axis: int) -> TensorType:
        normalize_axis(axis, x.rank)
        return TensorType((), np.dtype(np.int64))

    @staticmethod
    def evaluate(x: Array, axis: int) -> Array:
        return np.asarray(x.shape[axis], np.int64)


class Transpose(Op, name="transpose", family="shape"):
    """Permute the axes: axis i of the result is axis `permutation[i]` of the operand."""

    x: Operand
    permutation: Ints
    cases = (
        Case(((2, 3),), {"permutation": (1, 0)}),
        Case(((2, 3, 4),), {"permutation": (2, 0, 1)}),
        Case(((),), {"permutation": ()}),
        Case(((0, 2),), {"permutation": (1, 0)}),
    )

    @staticmethod
    def infer(x: TensorType, permutation: tuple[int, ...]) -> TensorType:
        if sorted(permutation) != list(range(x.rank)):
            raise WeftValueError(f"axes {permutation} are not a permutation of the {x.rank} axes of {x}")
        return x.with_shape([x.shape[axis] for axis in permutation])

    @staticmethod
    def evaluate(x: Array, permutation: tuple[int, ...]) -> Array:
        return np.transpose(x, permutation)


def target_shape(what: str, shape: tuple[int, ...], dims: tuple[TensorType, ...]) -> tuple[int | None, ...]:
    """The result shape of an op whose `shape` attribute has -1 where an i64[] operand gives the extent at run time."""
    dynamic = sum(extent == -1 for extent in shape)
    if dynamic != len(dims) or any(extent < -1 for extent in shape):
        raise WeftValueError(f"{what}: shape {shape} needs {dynamic} run-time extents, {len(dims)} were given")
    return tuple(None if extent == -1 else extent for extent in shape)


def concrete_shape(shape: tuple[int, ...], dims: tuple[Array, ...]) -> tuple[int, ...]:
    """Fill the -1 entries of a `shape` attribute with the run-time extents."""
    extents = iter(dims)
    return tuple(int(next(extents)) if extent == -1 else extent for extent in shape)


class Reshape(Op, name="reshape", family="shape"):
    """Give the elements, in row-major order, another shape; -1 entries are taken from the `dims` operands."""

    x: Operand
    dims: Operands
    shape: Ints
    cases = (
        Case(((2, 3),), {"shape": (3, 2)}),
        Case(((4,),), {"shape": (2, 1, 2)}),
        Case(((1,),), {"shape": ()}),
        Case(((0, 3),), {"shape": (3, 0, 2)}),
    )

    @staticmethod
    def infer(x: TensorType, dims: tuple[TensorType, ...], shape: tuple[int, ...]) -> TensorType:
        result = x.with_shape(target_shape("weft.reshape", shape, dims))
        if x.size is not None and result.size is not None and x.size != result.size:
            raise WeftValueError(f"cannot reshape array of size {x.size} into shape {format_shape(shape)}")
        return result

    @staticmethod
    def evaluate(x: Array, dims: tuple[Array, ...], shape: tuple[int, ...]) -> Array:
        return np.reshape(x, concrete_shape(shape, dims))


class BroadcastTo(Op, name="broadcast_to", family="shape"):
    """Repeat axes of extent 1, and add leading axes, up to a shape; -1 entries are taken from `dims`."""

    x: Operand
    dims: Operands
    shape: Ints
    cases = (Case(((3, 1),), {"shape": (2, 3, 4)}), Case(((),), {"shape": (2, 0)}), Case(((3,),), {"shape": (3,)}))

    @staticmethod
    def infer(x: TensorType, dims: tuple[TensorType, ...], shape: tuple[int, ...]) -> TensorType:
        target = target_shape("weft.broadcast_to", shape, dims)
        offset = len(target) - x.rank
        fits = offset >= 0 and all(
            source in (1, None) or extent is None or source == extent
            for source, extent in zip(x.shape, target[offset:], strict=True)
        )
        if not fits:
            raise WeftValueError(f"cannot broadcast {format_shape(x.shape)} to {format_shape(target)}")
        return x.with_shape(target)

    @staticmethod
    def evaluate(x: Array, dims: tuple[Array, ...], shape: tuple[int, ...]) -> Array:
        return np.broadcast_to(x, concrete_shape(shape, dims))

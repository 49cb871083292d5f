"""Reductions over axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ..batching import along
from ..dtypes import is_half, kind
from ..emitter import INT64_MAX, Emitter, Tensor
from ..errors import WeftValueError
from ..op import (
    Array,
    Attributes,
    Bool,
    Case,
    Cost,
    ExtentSource,
    Float,
    Int,
    Ints,
    Operand,
    ShapedOp,
    TensorType,
    require_kind,
)
from ..types import Shape, normalize_axis

_CASES = (
    Case(((3, 4),), {"axes": (0, 1), "keepdims": False}),
    Case(((3, 4),), {"axes": (0,), "keepdims": True}),
    Case(((3, 4),), {"axes": (-1,), "keepdims": False}),
    Case(((2, 3, 4),), {"axes": (0, 2), "keepdims": False}),
    Case(((2, 3, 4),), {"axes": (1,), "keepdims": True}),
    Case(((3, 0),), {"axes": (0,), "keepdims": False}),
    Case(((2, 3),), {"axes": (), "keepdims": False}),
    Case(((),), {"axes": (), "keepdims": False}),
)

_EMPTY_CASE = Case(((0, 4),), {"axes": (0,), "keepdims": False})


def normalize_axes(axes: tuple[int, ...], rank: int) -> tuple[int, ...]:
    """The axes counted from the front, in ascending order; one named twice is a `WeftValueError`.

    >>> normalize_axes((-1, 0), 3)
    (0, 2)
    """
    normal = {normalize_axis(axis, rank) for axis in axes}
    if len(normal) != len(axes):
        raise WeftValueError("duplicate value in 'axis'")
    return tuple(sorted(normal))


def reduced_shape(shape: Shape, axes: tuple[int, ...], keepdims: bool) -> Shape:
    """The shape after reducing the axes; kept axes have extent 1.

    >>> reduced_shape((2, None, 4), (0, 2), True)
    (1, None, 1)
    """
    reduced = normalize_axes(axes, len(shape))
    if keepdims:
        return tuple(1 if axis in reduced else extent for axis, extent in enumerate(shape))
    return tuple(extent for axis, extent in enumerate(shape) if axis not in reduced)


def kept_axis(rank: int, axes: tuple[int, ...], keepdims: bool, axis: int) -> ExtentSource:
    """The axis of the operand from which an axis of a reduction's result comes."""
    reduced = normalize_axes(axes, rank)
    if keepdims:
        return None if axis in reduced else (0, axis)
    return 0, [a for a in range(rank) if a not in reduced][axis]


def widened(x: Array) -> Array:
    """The array in float32 if it is float16 or bfloat16: NumPy's own sums of these round after every step."""
    return x.astype(np.float32) if is_half(x.dtype) else x


def _require_elements(x: TensorType, axes: tuple[int, ...], message: str) -> None:
    if any(x.shape[axis] == 0 for axis in normalize_axes(axes, x.rank)):
        raise WeftValueError(message)


class Reduction(ShapedOp, family="reductions", cost=Cost.CHEAP):
    """Base of the ops that reduce axes; a negative axis counts from the end, and no axes reduce nothing."""

    x: Operand
    axes: Ints
    keepdims: Bool
    cases: ClassVar[tuple[Case, ...]] = (*_CASES, _EMPTY_CASE)
    batching = along("axes")

    @classmethod
    def infer(cls, x: TensorType, axes: tuple[int, ...], keepdims: bool) -> TensorType:
        require_kind(cls.mlir_name(), x, cls.dtypes)
        return x.with_shape(reduced_shape(x.shape, axes, keepdims))

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        return kept_axis(types[0].rank, attributes["axes"], attributes["keepdims"], axis)


class Sum(Reduction, name="sum"):
    """Sum over axes, in the operand's dtype; floats are added up in a wider type and rounded once."""

    dtypes = "iufc"
    linear = ("x",)

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor:
        """The same for all elements of a sum."""
        return b.expanded(g, x, normalize_axes(axes, x.rank), keepdims)

    @staticmethod
    def evaluate(x: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
        wide = widened(x)
        return np.asarray(np.sum(wide, axis=axes, dtype=wide.dtype, keepdims=keepdims)).astype(x.dtype)


class Prod(Reduction, name="prod"):
    """Product over axes, in the operand's dtype; floats are multiplied in a wider type and rounded once."""

    dtypes = "iufc"

    @staticmethod
    def partial(b: Emitter, x: Tensor, axes: tuple[int, ...]) -> Tensor:
        """For each element the product of the others, also where some are zero."""
        rest = [axis for axis in range(x.rank) if axis not in axes]
        order = (*rest, *axes)
        moved = b.transpose(x, permutation=order)
        lines = b.reshaped(moved, [*(b.extent(x, axis) for axis in rest), b.count(x, axes)])
        axis = len(rest)
        ones = b.full([*(b.extent(x, a) for a in rest), 1], 1, x.dtype)
        before = b.cumulative_prod(b.concat(ones, b.along(lines, axis, 0, -1), axis=axis), axis=axis)
        behind = b.flip(b.concat(b.along(lines, axis, 1, INT64_MAX), ones, axis=axis), axis)
        others = before * b.flip(b.cumulative_prod(behind, axis=axis), axis)
        found: Tensor = b.transpose(
            b.reshaped(b.refined(others, lines.type), b.extents(moved)),
            permutation=tuple(map(int, np.argsort(order))),
        )
        return found

    @classmethod
    def vjp(
        cls, b: Emitter, g: Tensor, x: Tensor, y: Tensor, axes: tuple[int, ...], keepdims: bool
    ) -> Tensor:
        """The product of the other elements times the cotangent."""
        if x.type.size == 0:
            return b.zeros_like(x)
        axes = normalize_axes(axes, x.rank)
        return b.conj(cls.partial(b, x, axes)) * b.expanded(g, x, axes, keepdims)

    @classmethod
    def jvp(
        cls, b: Emitter, t: Tensor, x: Tensor, y: Tensor, axes: tuple[int, ...], keepdims: bool
    ) -> Tensor:
        """The sum over the elements, each exchanged for its tangent."""
        if x.type.size == 0:
            return b.zeros_like(y)
        partial = cls.partial(b, x, normalize_axes(axes, x.rank))
        found: Tensor = b.sum(partial * t, axes=axes, keepdims=keepdims)
        return found

    @staticmethod
    def evaluate(x: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
        wide = widened(x)
        return np.asarray(np.prod(wide, axis=axes, dtype=wide.dtype, keepdims=keepdims)).astype(x.dtype)


class Mean(Reduction, name="mean"):
    """Arithmetic mean over axes of floats or complex numbers; NaN where there is no element."""

    dtypes = "fc"
    linear = ("x",)

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor:
        """The same for all elements of a mean."""
        axes = normalize_axes(axes, x.rank)
        count = b.as_number(b.count(x, axes), real_dtype(g.dtype))
        return b.expanded(g / b.converted(count, g.dtype), x, axes, keepdims)

    @staticmethod
    def evaluate(x: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
        wide = widened(x)
        total = np.sum(wide, axis=axes, keepdims=keepdims)
        count = math.prod(x.shape[axis] for axis in axes)
        return np.asarray(np.true_divide(total, count)).astype(x.dtype)


def extremum_of_nothing(dtype: np.dtype[Any], smallest: bool) -> complex:
    """The number that loses against every other: what an extremum of no elements is.

    >>> extremum_of_nothing(np.dtype("int8"), smallest=True)
    127
    """
    if kind(dtype) == "f":
        return np.inf if smallest else -np.inf
    if kind(dtype) == "c":
        return complex(np.inf, np.inf) if smallest else complex(-np.inf, -np.inf)
    if kind(dtype) == "b":
        return smallest
    limits = np.iinfo(dtype)
    return int(limits.max if smallest else limits.min)


class Extremum(Reduction):
    """Base of max and min, which exist only for at least one element; where the extent of an axis is known
    only at run time, the one who builds the op checks it, unless another number is joined to what comes out."""

    dtypes = "biufc"
    cases = _CASES
    function: ClassVar[Any]
    ufunc_name: ClassVar[str]

    @staticmethod
    def shares(
        b: Emitter, x: Tensor, y: Tensor, axes: tuple[int, ...], keepdims: bool
    ) -> tuple[Tensor, Tensor]:
        """Which elements are the extreme one, and how many of them there are."""
        hits = x.equals(b.expanded(y, x, axes, keepdims))
        return hits, b.sum(b.converted(hits, x.dtype), axes=axes, keepdims=keepdims)

    @classmethod
    def vjp(
        cls, b: Emitter, g: Tensor, x: Tensor, y: Tensor, axes: tuple[int, ...], keepdims: bool
    ) -> Tensor:
        """To the extreme element; several of them share."""
        axes = normalize_axes(axes, x.rank)
        hits, count = cls.shares(b, x, y, axes, keepdims)
        found: Tensor = b.select(hits, b.expanded(g / count, x, axes, keepdims), 0)
        return found

    @classmethod
    def jvp(
        cls, b: Emitter, t: Tensor, x: Tensor, y: Tensor, axes: tuple[int, ...], keepdims: bool
    ) -> Tensor:
        """The mean of the tangents of the extreme elements."""
        axes = normalize_axes(axes, x.rank)
        hits, count = cls.shares(b, x, y, axes, keepdims)
        total: Tensor = b.sum(b.select(hits, t, 0), axes=axes, keepdims=keepdims)
        return total / count

    @classmethod
    def infer(cls, x: TensorType, axes: tuple[int, ...], keepdims: bool) -> TensorType:
        message = f"zero-size array to reduction operation {cls.ufunc_name} which has no identity"
        _require_elements(x, axes, message)
        return super().infer(x, axes, keepdims)

    @classmethod
    def evaluate(cls, x: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
        if not x.size:
            nothing = extremum_of_nothing(x.dtype, cls.function in (np.min, np.fmin))
            return np.full(reduced_shape(x.shape, axes, keepdims), nothing, x.dtype)
        return np.asarray(cls.function(x, axis=axes, keepdims=keepdims))


class Max(Extremum, name="max"):
    """Largest element over axes; NaN if there is one. Complex numbers compare by real part first."""

    function = np.max
    ufunc_name = "maximum"


class Min(Extremum, name="min"):
    """Smallest element over axes; NaN if there is one. Complex numbers compare by real part first."""

    function = np.min
    ufunc_name = "minimum"


class ExtremeNumber(Extremum):
    """Base of the extremes of what is not NaN."""

    dtypes = "f"

    @classmethod
    def evaluate(cls, x: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
        wide = widened(x)
        return np.asarray(cls.function.reduce(wide, axis=axes, keepdims=keepdims)).astype(x.dtype)


class MaxNumber(ExtremeNumber, name="max_number"):
    """Largest element over axes that is not NaN; NaN where all are."""

    function = np.fmax
    ufunc_name = "fmax"


class MinNumber(ExtremeNumber, name="min_number"):
    """Smallest element over axes that is not NaN; NaN where all are."""

    function = np.fmin
    ufunc_name = "fmin"


class Spread(ShapedOp, family="reductions", cost=Cost.SLOW):
    """Base of var and std: the sum of squares is divided by the number of elements less `correction`."""

    x: Operand
    axes: Ints
    keepdims: Bool
    correction: Float
    dtypes = "fc"
    cases = tuple(
        Case(case.shapes, {**case.attributes, "correction": correction})
        for case, correction in [*((case, 0.0) for case in (*_CASES, _EMPTY_CASE)), (_CASES[0], 1.0)]
    )
    batching = along("axes")

    @classmethod
    def partial(
        cls, b: Emitter, x: Tensor, y: Tensor, axes: tuple[int, ...], keepdims: bool, correction: float
    ) -> Tensor:
        """The derivative by each element, of which a complex result would be the conjugate."""
        distance = x - b.mean(x, axes=axes, keepdims=True)
        dtype = real_dtype(x.dtype)
        left = b.maximum(b.as_number(b.count(x, axes), dtype) - correction, 0)
        found: Tensor = distance * b.converted(2 / left, x.dtype)
        return found

    @classmethod
    def vjp(
        cls,
        b: Emitter,
        g: Tensor,
        x: Tensor,
        y: Tensor,
        axes: tuple[int, ...],
        keepdims: bool,
        correction: float,
    ) -> Tensor:
        """Away from the mean."""
        axes = normalize_axes(axes, x.rank)
        partial = cls.partial(b, x, y, axes, keepdims, correction)
        return partial * b.converted(b.expanded(g, x, axes, keepdims), x.dtype)

    @classmethod
    def jvp(
        cls,
        b: Emitter,
        t: Tensor,
        x: Tensor,
        y: Tensor,
        axes: tuple[int, ...],
        keepdims: bool,
        correction: float,
    ) -> Tensor:
        """The part of the tangents that leads away from the mean."""
        axes = normalize_axes(axes, x.rank)
        product = b.conj(cls.partial(b, x, y, axes, keepdims, correction)) * t
        found: Tensor = b.sum(b.real(product) if x.is_complex else product, axes=axes, keepdims=keepdims)
        return found

    @classmethod
    def infer(cls, x: TensorType, axes: tuple[int, ...], keepdims: bool, correction: float) -> TensorType:
        require_kind(cls.mlir_name(), x, cls.dtypes)
        return TensorType(reduced_shape(x.shape, axes, keepdims), real_dtype(x.dtype))

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        return kept_axis(types[0].rank, attributes["axes"], attributes["keepdims"], axis)


class Var(Spread, name="var"):
    """Variance over axes: the mean squared distance from the mean; real, also of complex numbers."""

    @staticmethod
    def evaluate(x: Array, axes: tuple[int, ...], keepdims: bool, correction: float) -> Array:
        return _variance(x, axes, keepdims, correction).astype(real_dtype(x.dtype))


class Std(Spread, name="std"):
    """Standard deviation over axes: the square root of the variance."""

    @classmethod
    def partial(
        cls, b: Emitter, x: Tensor, y: Tensor, axes: tuple[int, ...], keepdims: bool, correction: float
    ) -> Tensor:
        """That of the variance by two deviations; zero where there is none."""
        deviation = b.converted(b.expanded(y, x, axes, keepdims), x.dtype)
        of_variance = super().partial(b, x, y, axes, keepdims, correction)
        found: Tensor = b.select(deviation.equals(0), 0, of_variance / (2 * deviation))
        return found

    @staticmethod
    def evaluate(x: Array, axes: tuple[int, ...], keepdims: bool, correction: float) -> Array:
        return np.asarray(np.sqrt(_variance(x, axes, keepdims, correction))).astype(real_dtype(x.dtype))


def _variance(x: Array, axes: tuple[int, ...], keepdims: bool, correction: float) -> Array:
    """As `np.var`, which warns where nothing is left to divide by; compiled code does not."""
    wide = widened(x)
    count = math.prod(x.shape[axis] for axis in axes)
    distance = wide - np.true_divide(np.sum(wide, axis=axes, keepdims=True), count)
    squares = np.square(distance.real) + np.square(distance.imag) if x.dtype.kind == "c" else distance**2
    total = np.sum(squares, axis=axes, keepdims=keepdims)
    return np.asarray(np.true_divide(total, max(count - correction, 0.0)))


def real_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of the real part of a floating or complex dtype."""
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype


class AnyOf(Reduction, name="any"):
    """Whether any element over axes is not zero; NaN is not zero."""

    @classmethod
    def infer(cls, x: TensorType, axes: tuple[int, ...], keepdims: bool) -> TensorType:
        return super().infer(x, axes, keepdims).with_dtype(np.dtype(np.bool_))

    @staticmethod
    def evaluate(x: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
        return np.asarray(np.any(x != 0, axis=axes, keepdims=keepdims))


class AllOf(Reduction, name="all"):
    """Whether all elements over axes are not zero; NaN is not zero."""

    @classmethod
    def infer(cls, x: TensorType, axes: tuple[int, ...], keepdims: bool) -> TensorType:
        return super().infer(x, axes, keepdims).with_dtype(np.dtype(np.bool_))

    @staticmethod
    def evaluate(x: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
        return np.asarray(np.all(x != 0, axis=axes, keepdims=keepdims))


class ArgReduction(ShapedOp, family="reductions", cost=Cost.CHEAP):
    """Base of argmax and argmin: int64 positions along one axis, the first of several; NaN counts as extreme.

    Where the extent of the axis is known only at run time, the one who builds the op checks that it is not 0.
    """

    x: Operand
    axis: Int
    keepdims: Bool
    cases = (
        Case(((3, 4),), {"axis": 1, "keepdims": False}),
        Case(((3, 4),), {"axis": 0, "keepdims": True}),
        Case(((2, 3, 4),), {"axis": -2, "keepdims": False}),
        Case(((5,),), {"axis": 0, "keepdims": False}),
        Case(((0, 2),), {"axis": 1, "keepdims": False}),
    )
    function: ClassVar[Any]
    batching = along("axis")

    @classmethod
    def infer(cls, x: TensorType, axis: int, keepdims: bool) -> TensorType:
        _require_elements(x, (axis,), f"attempt to get {cls.name} of an empty sequence")
        return TensorType(reduced_shape(x.shape, (axis,), keepdims), np.dtype(np.int64))

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        return kept_axis(types[0].rank, (attributes["axis"],), attributes["keepdims"], axis)

    @classmethod
    def evaluate(cls, x: Array, axis: int, keepdims: bool) -> Array:
        return np.asarray(cls.function(widened(x), axis=axis, keepdims=keepdims))


class Argmax(ArgReduction, name="argmax"):
    """Position of the largest element along an axis."""

    function = np.argmax


class Argmin(ArgReduction, name="argmin"):
    """Position of the smallest element along an axis."""

    function = np.argmin

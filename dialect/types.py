"""The types of weft values, as plain Python objects: what shape and dtype rules compute with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from .dtypes import by_short, element_type
from .errors import AxisError, WeftTypeError, WeftValueError
from .records import dataclass

MAX_RANK = 64
MAX_BYTES = 2**63 - 1
"""The limits of NumPy's arrays."""

Shape: TypeAlias = tuple["int | None", ...]


@dataclass(frozen=True)
class TensorType:
    """A tensor of a dtype; a `None` in the shape is a dimension that is known only at run time."""

    shape: Shape
    dtype: np.dtype[Any]

    def __post_init__(self) -> None:
        if len(self.shape) > MAX_RANK:
            raise WeftValueError(
                f"maximum supported dimension for an ndarray is currently {MAX_RANK}, found {self.rank}"
            )
        if math.prod(filter(None, self.shape)) * self.dtype.itemsize > MAX_BYTES:
            raise WeftValueError(
                f"array is too big; one of shape {format_shape(self.shape)} and dtype {self.dtype} has more bytes than "
                "an address can tell apart"
            )

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def is_static(self) -> bool:
        """Whether every dimension is known."""
        return None not in self.shape

    @property
    def size(self) -> int | None:
        """The number of elements, or None when a dimension is not known."""
        count = 1
        for extent in self.shape:
            if extent is None:
                return None
            count *= extent
        return count

    def with_shape(self, shape: Sequence[int | None]) -> TensorType:
        """The same dtype in another shape."""
        return TensorType(tuple(shape), self.dtype)

    def with_dtype(self, dtype: np.dtype[Any]) -> TensorType:
        """The same shape with another dtype."""
        return TensorType(self.shape, dtype)

    def __str__(self) -> str:
        extents = ",".join("?" if extent is None else str(extent) for extent in self.shape)
        return f"{element_type(self.dtype).short}[{extents}]"


@dataclass(frozen=True)
class RefType:
    """A mutable cell that holds a tensor: `!weft.ref<tensor<...>>`."""

    tensor: TensorType

    def __str__(self) -> str:
        return f"ref {self.tensor}"


ValueType: TypeAlias = "TensorType | RefType"


def type_of(array: Any) -> TensorType:
    """The type of a NumPy array or scalar."""
    return TensorType(tuple(array.shape), element_type(array.dtype).dtype)


def parse_type(text: str) -> TensorType:
    """Read a type string such as `f32[?,3]`, `bool[]` or `c64[2,2]`.

    >>> parse_type("f32[?,3]")
    TensorType(shape=(None, 3), dtype=dtype('float32'))
    """
    name, bracket, rest = text.strip().partition("[")
    row = by_short(name.strip())
    if row is None:
        from .dtypes import BY_SHORT  # bfloat16 takes an import of its own

        shorts = ", ".join(BY_SHORT)
        raise WeftTypeError(f"{text!r}: unknown dtype {name!r}; the short dtype names are: {shorts}")
    if not bracket:
        return TensorType((), row.dtype)
    if not rest.endswith("]"):
        raise WeftValueError(f"{text!r}: expected a shape in brackets, as in f32[?,3]")
    inner = rest[:-1].strip()
    shape: list[int | None] = []
    for extent in inner.split(",") if inner else ():
        extent = extent.strip()
        if extent == "?":
            shape.append(None)
        elif extent.isdecimal():
            shape.append(int(extent))
        else:
            raise WeftValueError(f"{text!r}: a dimension is a number or ?, not {extent!r}")
    return TensorType(tuple(shape), row.dtype)


def broadcast_shapes(shapes: Sequence[Shape]) -> Shape:
    """The NumPy broadcast of shapes with unknown dimensions.

    A dimension that is 1 is always known to be 1, so an unknown one never stretches: it equals the others it
    meets (which is checked at run time).

    >>> broadcast_shapes([(None, 3), (1, 3), (3,)])
    (None, 3)
    """
    rank = max((len(shape) for shape in shapes), default=0)
    result: list[int | None] = []
    for axis in range(rank):
        extent: int | None = 1
        for shape in shapes:
            index = axis - (rank - len(shape))
            other = shape[index] if index >= 0 else 1
            if other == 1 or other == extent:
                continue
            if extent == 1 or extent is None:
                extent = other
            elif other is not None:
                listing = " ".join(format_shape(s) for s in shapes)
                raise WeftValueError(f"operands could not be broadcast together with shapes {listing}")
        result.append(extent)
    return tuple(result)


def format_shape(shape: Sequence[int | None]) -> str:
    """A shape as NumPy prints it, with ? for an unknown dimension: `(3,)`, `(?,4)`."""
    inner = ",".join("?" if extent is None else str(extent) for extent in shape)
    return f"({inner},)" if len(shape) == 1 else f"({inner})"


def compatible_shapes(left: Shape, right: Shape) -> bool:
    """Whether two shapes may be the same at run time."""
    return left == right or (
        len(left) == len(right)
        and all(a is None or b is None or a == b for a, b in zip(left, right, strict=True))
    )


def normalize_axis(axis: int, rank: int) -> int:
    """Return the axis counted from the front, or raise `AxisError` as NumPy does."""
    if not -rank <= axis < rank:
        raise AxisError(axis, rank)
    return axis % rank

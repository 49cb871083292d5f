"""What rules of differentiation are written in: one code that makes ops in a program, or computes on NumPy arrays.

A rule gets an emitter `b` and values of it. `b.tanh(x)` is the op of that name, attributes are keywords
(`b.sum(x, axes=(0,), keepdims=False)`), and values have the operators of NumPy, with weak Python numbers:

    lambda b, x, y: 1 - y * y

The emitter that makes MLIR ops is in `op_emitter.py`; the one that computes needs no MLIR.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from .dtypes import kind
from .op import OPS, Op
from .records import dataclass
from .types import TensorType

INT64 = np.dtype(np.int64)
INT64_MAX = int(np.iinfo(np.int64).max)
INT64_MIN = int(np.iinfo(np.int64).min)

Number: TypeAlias = "int | float | complex"
Extent: TypeAlias = "int | Tensor"
"""An extent: a number, or an i64[] where it is known only at run time."""


@dataclass(frozen=True, eq=False)
class Tensor:
    """A value of an emitter."""

    emitter: Emitter
    handle: Any
    """The array, or the SSA value."""
    type: TensorType

    @property
    def dtype(self) -> np.dtype[Any]:
        """Its dtype."""
        return self.type.dtype

    @property
    def shape(self) -> tuple[int | None, ...]:
        """Its shape, with None for extents that are known only at run time."""
        return self.type.shape

    @property
    def rank(self) -> int:
        """Its number of axes."""
        return self.type.rank

    @property
    def is_complex(self) -> bool:
        """Whether its numbers are complex."""
        return kind(self.dtype) == "c"

    @property
    def is_differentiable(self) -> bool:
        """Whether its numbers are real or complex: others have no derivatives."""
        return kind(self.dtype) in "fc"

    def __add__(self, other: Tensor | Number) -> Tensor:
        return self.emitter.one("add", self, other)

    def __radd__(self, other: Number) -> Tensor:
        return self.emitter.one("add", other, self)

    def __sub__(self, other: Tensor | Number) -> Tensor:
        return self.emitter.one("subtract", self, other)

    def __rsub__(self, other: Number) -> Tensor:
        return self.emitter.one("subtract", other, self)

    def __mul__(self, other: Tensor | Number) -> Tensor:
        return self.emitter.one("multiply", self, other)

    def __rmul__(self, other: Number) -> Tensor:
        return self.emitter.one("multiply", other, self)

    def __truediv__(self, other: Tensor | Number) -> Tensor:
        return self.emitter.one("divide", self, other)

    def __rtruediv__(self, other: Number) -> Tensor:
        return self.emitter.one("divide", other, self)

    def __neg__(self) -> Tensor:
        return self.emitter.one("negative", self)

    def __gt__(self, other: Tensor | Number) -> Tensor:
        return self.emitter.one("greater", self, other)

    def __lt__(self, other: Tensor | Number) -> Tensor:
        return self.emitter.one("less", self, other)

    def equals(self, other: Tensor | Number) -> Tensor:
        """Whether elements are equal."""
        return self.emitter.one("equal", self, other)

    def __and__(self, other: Tensor) -> Tensor:
        return self.emitter.one("logical_and", self, other)

    def __or__(self, other: Tensor) -> Tensor:
        return self.emitter.one("logical_or", self, other)


class Emitter(ABC):
    """Makes ops, or computes them: `b.name(operands, attributes)`; Python numbers take the dtype of the last tensor."""

    @abstractmethod
    def emit(self, op_class: type[Op], operands: list[Tensor], attributes: dict[str, Any]) -> list[Tensor]:
        """The results of an op."""

    @abstractmethod
    def refined(self, value: Tensor, wanted: TensorType) -> Tensor:
        """A value as one of a type that differs from its own in what is known of the shape."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in OPS:
            raise AttributeError(f"there is no op {name}")
        return lambda *operands, **attributes: self.call(name, *operands, **attributes)

    def call(self, name: str, *operands: Tensor | Number, **attributes: Any) -> Any:
        """The result of the op of a name, or a tuple of its results."""
        dtype = next((operand.dtype for operand in reversed(operands) if isinstance(operand, Tensor)), None)
        values = [
            operand if isinstance(operand, Tensor) else self.number(operand, dtype) for operand in operands
        ]
        results = self.emit(OPS[name], values, attributes)
        return results[0] if len(results) == 1 else tuple(results)

    def one(self, name: str, *operands: Tensor | Number, **attributes: Any) -> Tensor:
        """The result of the op of a name that has one."""
        result: Tensor = self.call(name, *operands, **attributes)
        return result

    def number(self, value: Number | np.generic, dtype: Any) -> Tensor:
        """A scalar of a dtype."""
        found: Tensor = self.constant(value=np.asarray(value, dtype))
        return found

    # Shapes

    def extents(self, x: Tensor) -> list[Extent]:
        """The extents of the axes, run-time ones as scalars."""
        return [self.extent(x, axis) for axis in range(x.rank)]

    def extent(self, x: Tensor, axis: int) -> Extent:
        """The extent of an axis."""
        known = x.shape[axis]
        return self.dim(x, axis=axis) if known is None else known

    def as_scalar(self, extent: Extent) -> Tensor:
        """An extent as i64[]."""
        return extent if isinstance(extent, Tensor) else self.number(extent, INT64)

    def count(self, x: Tensor, axes: Sequence[int]) -> Extent:
        """How many elements there are along some axes."""
        product: Extent = 1
        for axis in axes:
            product = product * self.extent(x, axis)
        return product

    def broadcast(self, x: Tensor, extents: Sequence[Extent]) -> Tensor:
        """x in a shape that it broadcasts to."""
        shape, dims = _split(extents)
        if not dims and shape == x.shape:
            return x
        found: Tensor = self.broadcast_to(x, *dims, shape=shape)
        return found

    def reshaped(self, x: Tensor, extents: Sequence[Extent]) -> Tensor:
        """x in another shape."""
        shape, dims = _split(extents)
        if not dims and shape == x.shape:
            return x
        found: Tensor = self.reshape(x, *dims, shape=shape)
        return found

    def full(self, extents: Sequence[Extent], value: Number, dtype: np.dtype[Any]) -> Tensor:
        """A tensor of equal elements."""
        return self.broadcast(self.number(value, dtype), extents)

    def zeros_like(self, x: Tensor) -> Tensor:
        """Zeros of a value's shape and dtype."""
        return self.refined(self.full(self.extents(x), 0, x.dtype), x.type)

    def like(self, value: Tensor, x: Tensor) -> Tensor:
        """A value broadcast to the shape of x."""
        if value.shape == x.shape:
            return value
        return self.refined(self.broadcast(value, self.extents(x)), x.type.with_dtype(value.dtype))

    def expanded(self, reduced: Tensor, x: Tensor, axes: Sequence[int], keepdims: bool) -> Tensor:
        """What a reduction of x over axes gives, at every element of x that it was made of."""
        if not keepdims and axes:
            reduced = self.expand_dims(reduced, axes=tuple(axes))
        return self.like(reduced, x)

    def unbroadcast(self, g: Tensor, x: Tensor) -> Tensor:
        """The sum of g over the axes along which x was repeated to have g's shape."""
        added = g.rank - x.rank
        leading = tuple(range(added))
        repeated = tuple(
            added + axis for axis, extent in enumerate(x.shape) if extent == 1 and g.shape[added + axis] != 1
        )
        if leading:
            g = self.sum(g, axes=(*leading, *repeated), keepdims=False)
            inserted = tuple(axis - added for axis in repeated)
            g = self.expand_dims(g, axes=inserted) if inserted else g
        elif repeated:
            g = self.sum(g, axes=repeated, keepdims=True)
        return g

    def along(self, x: Tensor, axis: int, start: int, stop: int, step: int = 1) -> Tensor:
        """A slice of one axis, with Python's rules; `INT64_MAX` and `INT64_MIN` stand for the ends."""
        bounds = {"start": [0] * x.rank, "stop": [INT64_MAX] * x.rank, "step": [1] * x.rank}
        bounds["start"][axis], bounds["stop"][axis], bounds["step"][axis] = start, stop, step
        found: Tensor = self.slice(x, **{name: tuple(values) for name, values in bounds.items()})
        return found

    def cut(self, x: Tensor, axis: int, start: Extent, stop: Extent) -> Tensor:
        """A slice of one axis of which a bound may be known only at run time."""
        if isinstance(start, int) and isinstance(stop, int):
            return self.along(x, axis, start, stop)
        found: Tensor = self.dynamic_slice(
            x,
            *(bound for bound in (start, stop) if isinstance(bound, Tensor)),
            start=tuple(start if a == axis and isinstance(start, int) else 0 for a in range(x.rank)),
            stop=tuple(stop if a == axis and isinstance(stop, int) else INT64_MAX for a in range(x.rank)),
            step=(1,) * x.rank,
            start_axes=(axis,) if isinstance(start, Tensor) else (),
            stop_axes=(axis,) if isinstance(stop, Tensor) else (),
        )
        return found

    def flip(self, x: Tensor, axis: int) -> Tensor:
        """An axis in reverse."""
        return self.along(x, axis, INT64_MAX, INT64_MIN, -1)

    def iota(self, extent: Extent) -> Tensor:
        """The numbers from 0 on, as i64."""
        shape, dims = _split([extent])
        found: Tensor = self.arange(self.number(0, INT64), self.number(1, INT64), *dims, shape=shape)
        return found

    def positions(self, x: Tensor, axis: int) -> Tensor:
        """For every element of x its position along an axis."""
        line = self.iota(self.extent(x, axis))
        others = tuple(range(1, x.rank - axis))
        return self.broadcast(self.expand_dims(line, axes=others) if others else line, self.extents(x))

    # Numbers

    def conj(self, x: Tensor) -> Tensor:
        """The complex conjugate, where numbers are complex."""
        found: Tensor = self.conjugate(x) if x.is_complex else x
        return found

    def converted(self, x: Tensor, dtype: np.dtype[Any]) -> Tensor:
        """x in another dtype."""
        found: Tensor = x if x.dtype == dtype else self.cast(x, dtype=dtype)
        return found

    def as_number(self, extent: Extent, dtype: np.dtype[Any]) -> Tensor:
        """An extent as a number of a dtype."""
        return self.converted(extent, dtype) if isinstance(extent, Tensor) else self.number(extent, dtype)


def _split(extents: Sequence[Extent]) -> tuple[tuple[int, ...], list[Tensor]]:
    """A `shape` attribute and its run-time extents."""
    shape = tuple(-1 if isinstance(extent, Tensor) else extent for extent in extents)
    return shape, [extent for extent in extents if isinstance(extent, Tensor)]

"""What extents and scalars of a recorded program are in other terms: equal keys mean equal numbers.

It looks at MLIR, which eager calls of the namespace do not load.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...dialect.attributes import elements_from_mlir
from ...dialect.extents import SCALAR, SIZE_FUNCTIONS, Axis, extent_source
from ...dialect.mlir import ir
from ...dialect.op import Elementwise, Op
from ...dialect.ops.creation import Constant
from ...dialect.ops.shape import Dim, ExpandDims, Reshape, Squeeze
from ...dialect.ops.slicing import INT64_MAX, INT64_MIN, DynamicSlice, Slice
from ...dialect.register import op_class_of
from ...dialect.sizes import Computed, Polynomial, Size, computed, symbol


def extent_key(value: Any, axis: int) -> Size:
    """Equal for extents that are: where one comes from, or the extent and the bounds that a slice has of it."""
    return _Keys().of_extent(value, axis, _DEEPEST)


def scalar_key(value: Any) -> Size:
    """Equal for scalars that are: how one is computed, as far as that is pure arithmetic on scalars."""
    return _Keys().of_scalar(value, _DEEPEST)


_DEEPEST = 8
"""So many operations one after another are told in a key; what is computed before is known by its value."""


class _Keys:
    """The keys that one is made of: values that it is computed of in several ways are looked at once."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, int, int], Size] = {}

    def of_extent(self, value: Any, axis: int, depth: int) -> Size:
        """The key of the extent of an axis."""
        origin, axis = _origin(value, axis)
        return self._once(origin, axis, depth)

    def of_scalar(self, value: Any, depth: int) -> Size:
        """The key of a scalar."""
        return self._once(value, SCALAR, depth)

    def _once(self, value: Any, axis: int, depth: int) -> Size:
        place = value, axis, depth
        if place not in self._known:
            self._known[place] = (
                self._of_arithmetic(value, depth) if axis == SCALAR else self._of_axis(value, axis, depth)
            )
        return self._known[place]

    def _of_axis(self, origin: Any, axis: int, depth: int) -> Size:
        made = _op_of(origin)
        if made is None or depth == 0 or made[0] not in (Slice, DynamicSlice):
            return symbol((origin, axis))
        operation = made[1]
        source, *bounds = operation.operands
        start, stop, step = (operation.attributes[name][axis] for name in ("start", "stop", "step"))
        if made[0] is DynamicSlice:
            depth -= 1
            places = [tuple(operation.attributes[name]) for name in ("start_axes", "stop_axes")]
            if axis in places[0]:
                start = self.of_scalar(bounds[places[0].index(axis)], depth)
            if axis in places[1]:
                stop = self.of_scalar(bounds[len(places[0]) + places[1].index(axis)], depth)
        return _slice_key(self._known_or_key(source, axis, depth), start, stop, step)

    def _of_arithmetic(self, value: Any, depth: int) -> Size:
        made = _op_of(value)
        if made is None or depth == 0:
            return symbol(value)
        op_class, operation = made
        if op_class is Dim:
            return self._known_or_key(operation.operands[0], operation.attributes["axis"].value, depth)
        if op_class is Reshape and value.type.rank == operation.operands[0].type.rank == 0:
            return self.of_scalar(operation.operands[0], depth)
        if op_class is Constant and value.type.rank == 0:
            number = elements_from_mlir(operation.attributes["value"])
            return int(number) if number.dtype == np.int64 else symbol((str(number.dtype), number.item()))
        if issubclass(op_class, Elementwise) and value.type.rank == 0 and op_class.results == 1:
            operands = [self.of_scalar(operand, depth - 1) for operand in operation.operands]
            function = SIZE_FUNCTIONS.get(op_class) if str(value.type) == "tensor<i64>" else None
            return function(*operands) if function else computed((op_class.name, str(value.type)), *operands)
        return symbol(value)

    def _known_or_key(self, value: Any, axis: int, depth: int) -> Size:
        return (
            self.of_extent(value, axis, depth) if value.type.is_dynamic_dim(axis) else value.type.shape[axis]
        )


def _slice_key(extent: Size, start: Size, stop: Size, step: int) -> Size:
    """The extent of a slice; `x[1:]` is as long as `x[:-1]`, and `x[:i]` and `x[i:]` together are as long as `x`."""
    if step == 1 and start == 0 and not isinstance(stop, int):
        return computed("before", extent, stop)
    if step == 1 and stop == INT64_MAX and not isinstance(start, int):
        return extent - computed("before", extent, start)
    if step == 1 and isinstance(start, int) and isinstance(stop, int) and start >= 0:
        if stop == INT64_MAX or stop < 0:
            return _shortened(extent, start - (0 if stop == INT64_MAX else stop))
        if start == 0:
            return computed(min, extent, stop)
    if step == -1 and start == INT64_MAX and stop == INT64_MIN:
        return extent
    return computed("slice", extent, start, stop, step)


def _shortened(extent: Size, by: int) -> Size:
    """An extent without some elements, as far as it has them."""
    if by == 0:
        return extent
    if isinstance(extent, Polynomial) and len(extent.terms) == 1:
        ((product, factor),) = extent.terms.items()
        inner = product[0] if len(product) == 1 and factor == 1 else None
        if isinstance(inner, Computed) and inner.function == "shortened":
            whole, so_far = inner.operands
            return computed("shortened", whole, so_far + by)
    return computed("shortened", extent, by)


def is_argument_extent(value: Any, axis: int, entry: Any) -> bool:
    """Whether the extent of an axis is that of an argument of the block at the entry, and not its value."""
    origin, axis = _origin(value, axis)
    return axis != SCALAR and bool(origin.owner == entry)


def is_extent_scalar(value: Any) -> bool:
    """Whether a scalar is the extent of an axis."""
    return _origin(value, SCALAR)[1] != SCALAR


def _op_of(value: Any) -> tuple[type[Op], Any] | None:
    """The op class and operation that made a value; None for arguments and ops of other dialects."""
    operation = value.owner
    op_class = op_class_of(operation) if isinstance(getattr(operation, "name", None), str) else None
    return None if op_class is None else (op_class, operation)


def _origin(value: Any, axis: int) -> Axis:
    """Follow an axis of a value to where its extent comes from."""
    while (source := extent_source(value, axis)) is not None:
        value, axis = source
    return value, axis


def is_counted(value: Any) -> bool:
    """Whether a scalar is computed of what an iteration of a loop gets from the loop: its number, say."""
    left = [value]
    while left:
        value = left.pop()
        if isinstance(value.owner, ir.Block):
            if value.owner.owner.operation.name != "func.func":
                return True
        elif value.owner.name in _NUMBER_OF_ITERATION:
            left += value.owner.operands
        elif (made := _op_of(value)) is not None and issubclass(made[0], _SCALAR_OPS):
            left += made[1].operands
    return False


_NUMBER_OF_ITERATION = ("arith.index_cast", "tensor.from_elements")
"""What makes an array of the number of an iteration."""


def arguments_behind(value: Any, wanted: Mapping[Any, int]) -> tuple[set[int], bool]:
    """Which of some arguments of the function a scalar is computed from, and whether from anything else, too.

    The way goes through arithmetic on scalars; `wanted` has the positions of the arguments.
    """
    found: set[int] = set()
    has_others = False
    seen: set[Any] = set()
    left = [value]
    while left:
        value = left.pop()
        if value in seen:
            continue
        seen.add(value)
        made = _op_of(value)
        if value in wanted:
            found.add(wanted[value])
        elif made is not None and value.type.rank == 0 and issubclass(made[0], _SCALAR_OPS):
            left += made[1].operands
        else:
            has_others = has_others or made is None or made[0] is not Constant
    return found, has_others


_SCALAR_OPS = (Elementwise, ExpandDims, Reshape, Squeeze)


def depends_on_shapes_only(value: Any) -> bool:
    """Whether a scalar is computed from extents and constants alone."""
    made = _op_of(value)
    if made is None:
        return False
    op_class, operation = made
    if op_class in (Dim, Constant):
        return True
    if issubclass(op_class, _SCALAR_OPS):
        return all(depends_on_shapes_only(operand) for operand in operation.operands)
    return False

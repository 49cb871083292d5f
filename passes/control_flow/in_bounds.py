"""Which elements are read and written at places that loops keep in bounds, so that no index has to be moved there."""

from __future__ import annotations

from collections.abc import Iterator

from ...dialect.mlir import Operation, Value
from ...dialect.ops.indexing import Gather, Scatter
from ...dialect.ops.shape import Dim
from ...dialect.register import decode_attributes, op_class_of
from ..rewriting import operations_of, type_of
from .extents import Axis, Extents
from .linear import Linear, is_at_most_zero, linear
from .structure import has_control_flow


def results_in_bounds(function: Operation) -> set[Value]:
    """The results of gathers and scatters all of whose indices are single and known to be in bounds.

    They are by what the counters in them lie between, which holds wherever these are defined; so the op may move
    anywhere its operands allow. What checks in front of it tell does not count.
    """
    if not has_control_flow(function):
        return set()
    operations = operations_of(function)
    sizes = _Sizes(operations)
    return {
        operation.results[0]
        for operation in operations
        if (places := _places_of(operation)) and all(_is_inside(*place, sizes) for place in places)
    }


class _Sizes:
    """The extents of axes as sums."""

    def __init__(self, operations: list[Operation]) -> None:
        self._extents = Extents()
        self._dims: dict[Axis, list[Value]] = {}
        """The extents that the program asks for, by where they come from."""
        for operation in operations:
            if op_class_of(operation) is Dim:
                axis = decode_attributes(Dim, operation)["axis"]
                origin = self._extents.origin(operation.operands[0], axis)
                self._dims.setdefault(origin, []).append(operation.results[0])

    def of(self, tensor: Value, axis: int) -> Iterator[Linear]:
        """What an extent is, in several ways."""
        size = type_of(tensor).shape[axis]
        if size is not None:
            yield Linear({}, size)
        elif self._dims:
            for extent in self._dims.get(self._extents.origin(tensor, axis), ()):
                yield Linear({extent: 1})


def _places_of(operation: Operation) -> list[tuple[Value, Value, int]]:
    """The tensor, index and axis for every index of a read or write of single elements or regions."""
    op_class = op_class_of(operation)
    if op_class not in (Gather, Scatter):
        return []
    tensor, *indices = operation.operands
    if op_class is Scatter:
        indices = indices[1:]
    if type_of(indices[0]).rank:
        return []
    axes = decode_attributes(op_class, operation)["axes"]
    return [(tensor, index, axis) for index, axis in zip(indices, axes, strict=True)]


def _is_inside(tensor: Value, index: Value, axis: int, sizes: _Sizes) -> bool:
    place = linear(index)
    return is_at_most_zero(Linear({}).plus(place, -1)) and any(
        is_at_most_zero(place.plus(size, -1).shifted(1)) for size in sizes.of(tensor, axis)
    )

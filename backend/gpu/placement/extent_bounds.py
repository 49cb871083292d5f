"""How large the arrays in a kernel are at most, where their extents are those of parts of arrays that are known.

%part = tensor.extract_slice %x[0] [%n] [1] : tensor<64xf64> to tensor<?xf64>      at most 64
%result = tensor.empty(%n) : tensor<?xf64>                                         no more, as it is %n, too
"""

from __future__ import annotations

import math
from collections.abc import Hashable

from ....dialect.mlir import Operation, Type, Value, ir
from ....dialect.sizes import UNLIMITED, Limits, limits
from ....passes.rewriting import operations_of
from ...planning.shapes import Axis, Shapes, mixed, static_shape

_SLICES = {"tensor.extract_slice": 0, "tensor.insert_slice": 1}
"""Which operand parts are taken of, or put into."""


class ExtentBounds:
    """The bounds of the extents in a kernel whose arrays are tensors still, or of one of its calls."""

    def __init__(self, kernel: Operation, call: Operation | None = None) -> None:
        self._shapes = Shapes()
        self._most: dict[Hashable, float] = {}
        """Of numbers that are extents of parts, and of the arrays that the kernel is called with."""
        arguments = kernel.regions[0].blocks[0].arguments
        for argument, value in zip(arguments, call.operands if call is not None else (), strict=False):
            if isinstance(value.type, ir.MemRefType):
                self._note_argument(argument, value)
        for op in operations_of(kernel):
            if op.name in _SLICES:
                self._note_slice(op)

    def shape(self, value: Value) -> list[int | None]:
        """The bounds of the extents of an array; None where nothing tells."""
        known = static_shape(value.type)
        if None not in known:
            return known
        ends = [limits(self._shapes.in_full(size), self._of)[1] for size in self._shapes.of(value)]
        return [int(end) if math.isfinite(end) else None for end in ends]

    def _of(self, name: Hashable) -> Limits:
        return (0, self._most[name]) if name in self._most else UNLIMITED

    def _note_slice(self, op: Operation) -> None:
        """Note that what a part has of an axis is no more than there is."""
        number = _SLICES[op.name]
        for size, extent in zip(
            mixed(op, "static_sizes", number + 2), self.shape(op.operands[number]), strict=True
        ):
            if not isinstance(size, int) and extent is not None:
                self._most[size] = min(extent, self._most.get(size, extent))

    def _note_argument(self, argument: Value, value: Value) -> None:
        """Note how much there is room for in the memory of an array."""
        shape = static_shape(argument.type)
        room = _room(value)
        if shape.count(None) != 1 or room is None:
            return
        known = [extent for extent in shape if extent is not None]
        self._most[Axis(argument, shape.index(None))] = room // max(1, math.prod(known))


def _room(memref: Value) -> int | None:
    """How many elements fit into the memory of a view of bytes."""
    if isinstance(memref.owner, ir.Block) or memref.owner.operation.name != "memref.view":
        return None
    (size,) = static_shape(memref.owner.operation.operands[0].type)
    return None if size is None else size * 8 // _bits(memref.type.element_type)


def _bits(type: Type) -> int:
    if isinstance(type, ir.ComplexType):
        return 2 * _bits(ir.ComplexType(type).element_type)
    return 64 if isinstance(type, ir.IndexType) else int(type.width)

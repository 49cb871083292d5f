"""Where the extents of a tensor come from, also around loops that carry the tensor."""

from __future__ import annotations

from dataclasses import field

from ...dialect.mlir import Operation, Value, ir
from ...dialect.op import Op
from ...dialect.ops.indexing import DynamicSliceUpdate, PutAlongAxis, Scatter, SliceUpdate
from ...dialect.ops.shape import Transpose
from ...dialect.records import dataclass
from ...dialect.register import decode_attributes, op_class_of
from ..rewriting import is_defined_inside, type_of
from .structure import CAST, FOR, IF, WHILE, body, has_else, producer, yielded

_UPDATES: frozenset[type[Op]] = frozenset({DynamicSliceUpdate, PutAlongAxis, Scatter, SliceUpdate})
"""The ops whose result has the shape of their first operand."""
_ELEMENTWISE = frozenset({"elementwise", "casts", "complex_parts", "selection"})

Axis = tuple[Value, int]
"""An axis of a tensor."""


@dataclass
class Extents:
    """Traces axes to values that have the same extent there; what it found holds until the program changes."""

    _kept: dict[tuple[Value, int], bool] = field(default_factory=dict)
    """Whether a carried value has one extent in all iterations, by the block argument."""

    def origin(self, value: Value, axis: int, stop: Value | None = None) -> Axis:
        """The axis, as far up as can be, whose extent an axis of a value has; not beyond `stop`."""
        while stop is None or value != stop:
            made = producer(value)
            found = (
                self._of_argument(value, axis, stop)
                if made is None
                else self._of_result(made, value, axis, stop)
            )
            if found is None:
                break
            value, axis = found
        return value, axis

    def _of_result(self, made: Operation, value: Value, axis: int, stop: Value | None) -> Axis | None:
        op_class = op_class_of(made)
        if op_class in _UPDATES or made.name == CAST:
            return made.operands[0], axis
        if op_class is Transpose:
            return made.operands[0], decode_attributes(Transpose, made)["permutation"][axis]
        if op_class is not None and op_class.family in _ELEMENTWISE:
            return _operand_with_extent(made, type_of(value).rank - axis)
        if made.name not in (FOR, IF, WHILE):
            return None
        place = list(made.results).index(value)
        if made.name == IF:
            return self._of_branches(made, place, axis, stop) if has_else(made) else None
        if made.name == WHILE:
            return self._of_condition(made, place, axis, stop)
        return self._of_carried(made, body(made).arguments[place + 1], place, axis)

    def _of_branches(self, branch: Operation, place: int, axis: int, stop: Value | None) -> Axis | None:
        """What the extents of both branches' values come from, when it is one; so it is outside of them."""
        first, second = (self.origin(yielded(body(branch, r))[place], axis, stop) for r in (0, 1))
        return first if first == second else None

    def _of_argument(self, value: Value, axis: int, stop: Value | None) -> Axis | None:
        block = value.owner
        loop = block.owner.operation
        if loop.name == FOR and value.arg_number:
            return self._of_carried(loop, value, value.arg_number - 1, axis)
        if loop.name == WHILE and block == body(loop, 1):
            return self._of_condition(loop, value.arg_number, axis, stop)
        return self._of_carried(loop, value, value.arg_number, axis) if loop.name == WHILE else None

    def _of_condition(self, loop: Operation, place: int, axis: int, stop: Value | None) -> Axis | None:
        """What the extent of a value that a condition passes on comes from: outside of the loop, or what is sought."""
        found = self.origin(yielded(body(loop, 0))[place], axis, stop)
        is_sought = stop is not None and found[0] == stop
        return found if is_sought or not is_defined_inside(found[0], loop) else None

    def _of_carried(self, loop: Operation, argument: Value, place: int, axis: int) -> Axis | None:
        """The initial value of what a loop carries, when every iteration keeps its extent."""
        key = (argument, axis)
        if key not in self._kept:
            self._kept[key] = False  # while it is being found out
            after = yielded(body(loop, len(loop.regions) - 1))[place]
            self._kept[key] = self.origin(after, axis, argument) == key
        initial = list(loop.operands)[place + (3 if loop.name == FOR else 0)]
        return (initial, axis) if self._kept[key] else None


def _operand_with_extent(made: Operation, from_end: int) -> Axis | None:
    """The first operand of an elementwise op that has the extent; those that broadcast are known to have 1."""
    for operand in made.operands:
        if isinstance(operand.type, ir.RankedTensorType):
            shape = type_of(operand).shape
            if len(shape) >= from_end and shape[-from_end] != 1:
                return operand, len(shape) - from_end
    return None

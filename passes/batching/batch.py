"""Do for all rows what a function does for one: everything between `weft.lane` and `weft.lanes` gets an axis of lanes.

    %row = weft.lane %x {axis = 0}              %row = %x
    %y = weft.tanh %row                         %y = weft.tanh %row
    %all = weft.lanes %y, %n {axis = 0}         %all = %y

Nothing is repeated for values that all rows share. Branches on values of rows run both sides, loops that they end run
until the last row has ended, and what has no op for many rows runs in a loop over them.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import ClassVar

from ...dialect.emitter import Extent, Tensor
from ...dialect.errors import BatchingError
from ...dialect.mlir import Module, Operation, ir
from ...dialect.op_emitter import OpEmitter
from ...dialect.ops.batching import Lane, Lanes
from ...dialect.records import dataclass
from ...dialect.register import decode_attributes, op_class_of
from ..base import Pass, Statistics
from ..control_flow.structure import FOR, IF, WHILE
from ..rewriting import operations_in, operations_of
from .analysis import Differing
from .batcher import ONE_BY_ONE, Batcher
from .branches import write_branch
from .loops import write_for, write_while
from .one_by_one import write_one_by_one

HANDLERS = MappingProxyType(
    {IF: write_branch, FOR: write_for, WHILE: write_while, ONE_BY_ONE: write_one_by_one}
)


@dataclass(frozen=True)
class Batch(Pass):
    """Replace `weft.lane` and `weft.lanes` by ops on all lanes, inner ones first.

    Raises `BatchingError`, with the location of the op, for what all rows would write at once, for sizes that differ
    from row to row, and for what is left where others find it.
    """

    name: ClassVar[str] = "weft-batch"

    def run(self, module: Module, statistics: Statistics) -> None:
        """Look for lanes, those of the highest number first: functions that are called begin later."""
        while found := max(_boundaries(module), key=_number, default=None):
            _Scope(found, statistics).write()


def _boundaries(module: Module) -> Iterator[Operation]:
    return (op for op in operations_of(module.operation) if op_class_of(op) in (Lane, Lanes))


def _number(operation: Operation) -> int:
    return int(operation.attributes["number"].value)


class _Scope:
    """The ops from the first `weft.lane` of a number to the last `weft.lanes`, in one block."""

    def __init__(self, found: Operation, statistics: Statistics) -> None:
        self._statistics = statistics
        number = _number(found)
        operations = operations_in(found.block)
        places = [
            place
            for place, op in enumerate(operations)
            if op_class_of(op) in (Lane, Lanes) and _number(op) == number
        ]
        self._operations = operations[places[0] : places[-1] + 1]
        self._lane = [op for op in self._operations if op_class_of(op) is Lane and _number(op) == number]
        self._lanes = [op for op in self._operations if op_class_of(op) is Lanes and _number(op) == number]

    def write(self) -> None:
        """Write all of them."""
        differing = Differing(result for op in self._lane for result in op.results)
        inside = [op for op in self._operations if op not in self._lane and op not in self._lanes]
        differing.follow(inside)
        batcher = Batcher(self._operations[0], self._extent(), differing, HANDLERS, self._statistics)
        for operation in self._operations:
            if operation in self._lane:
                self._enter(batcher, operation)
            elif operation in self._lanes:
                self._leave(batcher, operation)
            else:
                batcher.write_all([operation], None)
        batcher.erase_replaced()
        self._statistics["functions done for all rows"] += 1

    def _extent(self) -> Extent:
        """How many lanes there are."""
        first = self._operations[0]
        with ir.InsertionPoint(first):
            b = OpEmitter(first.location)
            if not self._lane:
                size = int(self._lanes[0].attributes["size"].value)
                return b.value(self._lanes[0].operands[1]) if size == -1 else size
            lane = self._lane[0]
            return b.extent(b.value(lane.operands[0]), int(lane.attributes["axis"].value))

    def _enter(self, batcher: Batcher, lane: Operation) -> None:
        with ir.InsertionPoint(lane):
            b = batcher.emitter(lane)
            x, axis = b.value(lane.operands[0]), int(lane.attributes["axis"].value)
            others = [other for other in range(x.rank) if other != axis]
            found: Tensor = x if axis == 0 else b.transpose(x, permutation=(axis, *others))
            batcher.give(lane.results[0], b.refined(found, batcher.type_of(lane.results[0].type)))
        batcher.replaced(lane)

    def _leave(self, batcher: Batcher, lanes: Operation) -> None:
        attributes = decode_attributes(Lanes, lanes)
        y, result = lanes.operands[0], lanes.results[0]
        with ir.InsertionPoint(lanes):
            b = batcher.emitter(lanes)
            if not attributes["stacked"]:
                if y in batcher:
                    raise BatchingError(
                        "what a function under weft.vmap returns differs from row to row, but out_axes is None there: "
                        "out_axes=0 stacks the rows",
                        str(lanes.location),
                    )
                batcher.stand_in(result, y)
            else:
                axis = attributes["axis"]
                found = batcher.spread(b, y)
                order = [*range(1, 1 + axis), 0, *range(1 + axis, found.rank)]
                moved: Tensor = found if axis == 0 else b.transpose(found, permutation=tuple(order))
                batcher.stand_in(result, moved.handle)
        batcher.replaced(lanes)

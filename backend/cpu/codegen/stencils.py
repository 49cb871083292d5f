"""Updates of a tensor that are computed of other parts of it, such as a stencil in place.

    u[1:-1] = u[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2])

Where each result is stored at once, what later ones read is gone, and bufferisation copies each part that is read.
Here, the results go to memory of their own first, which is one copy for all.
"""

from __future__ import annotations

from typing import ClassVar

from ....dialect.mlir import Module, Operation, Value, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import defined_functions, operations_of

_INSERT, _SLICE = "tensor.insert_slice", "tensor.extract_slice"


@dataclass(frozen=True)
class SeparateUpdates(Pass):
    """Compute what replaces a part of a tensor beside it, where other parts of the tensor are read for it."""

    name: ClassVar[str] = "separate-updates"
    summary: ClassVar[str] = "compute updates beside a tensor of which they read other parts"

    def run(self, module: Module, statistics: Statistics) -> None:
        for view in defined_functions(module):
            for operation in operations_of(view.operation):
                if operation.name == _INSERT:
                    statistics["updates separated"] += _separate(operation)


def _separate(insert: Operation) -> int:
    """Let the op that computes an update write to memory of its own; whether it does."""
    update, whole = insert.operands[0], insert.operands[1]
    generic = _producer(update)
    if generic is None or generic.name != "linalg.generic" or generic.block != insert.block:
        return 0
    (*inputs, output) = generic.operands
    empty = _producer(output)
    if empty is None or empty.name != "tensor.empty" or len(generic.results) != 1:
        return 0
    if not any(_reads_elsewhere(value, whole, insert) for value in inputs):
        return 0
    segments = ir.DenseI32ArrayAttr.get([len(empty.operands), 0, 0])
    with ir.InsertionPoint(generic), generic.location:
        memory = ir.Operation.create(
            "bufferization.alloc_tensor",
            [output.type],
            list(empty.operands),
            {"operandSegmentSizes": segments},
        )
    generic.operands[len(inputs)] = memory.results[0]
    return 1


def _reads_elsewhere(value: Value, whole: Value, insert: Operation) -> bool:
    """Whether a value is another part of a tensor than the one that an op replaces."""
    read = _producer(value)
    if read is None or read.name != _SLICE or read.operands[0] != whole:
        return False
    names = ("static_offsets", "static_sizes", "static_strides")
    same = all(read.attributes[name] == insert.attributes[name] for name in names)
    return not same or list(read.operands)[1:] != list(insert.operands)[2:]


def _producer(value: Value) -> Operation | None:
    owner = value.owner
    return None if isinstance(owner, ir.Block) else owner.operation

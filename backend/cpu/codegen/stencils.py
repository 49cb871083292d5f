"""Updates of a tensor that are computed of other parts of it, such as a stencil in place.

    u[1:-1] = u[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2])

Where each result is stored at once, what later ones read is gone, and bufferisation copies each part that is read.
Here, the results go to memory of their own first, which is one copy for all.
"""

from __future__ import annotations

from ....dialect.made_ops import operation_of
from ....dialect.mlir import Module, Operation, Value, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.control_flow.structure import producer
from ....passes.index_arithmetic import Extent
from ....passes.rewriting import defined_functions, operations_of
from ...planning.outlining.slices import Slice

_INSERT, _SLICE = "tensor.insert_slice", "tensor.extract_slice"


@dataclass(frozen=True)
class SeparateUpdates(Pass):
    """Compute updates beside a tensor of which they read other parts."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for view in defined_functions(module):
            for operation in operations_of(view.operation):
                if operation.name == _INSERT:
                    statistics["updates separated"] += _separate(operation)


def _separate(insert: Operation) -> int:
    """Let the op that computes an update write to memory of its own, where it has to; whether it does."""
    update, whole = insert.operands[0], insert.operands[1]
    generic = producer(update)
    if generic is None or generic.name != "linalg.generic" or generic.block != insert.block:
        return 0
    results = list(generic.results)
    inputs = list(generic.operands)[: -len(results)]
    place = len(inputs) + results.index(update)
    output = generic.operands[place]
    empty = producer(output)
    if empty is None or empty.name != "tensor.empty":
        return 0
    reads = [number for number, value in enumerate(inputs) if _reads_elsewhere(value, whole, insert)]
    if not reads:
        return 0
    maps = generic.attributes["indexing_maps"]
    if all(maps[number] == maps[place] and _is_apart(inputs[number], insert) for number in reads):
        for number in reads:
            generic.operands[number] = _read_as_it_is(inputs[number], generic)
        return 0
    segments = ir.DenseI32ArrayAttr.get([len(empty.operands), 0, 0])
    with ir.InsertionPoint(generic), generic.location:
        memory = operation_of(
            "bufferization.alloc_tensor", empty.operands, [output.type], operandSegmentSizes=segments
        )
    generic.operands[place] = memory.results[0]
    return 1


def _reads_elsewhere(value: Value, whole: Value, insert: Operation) -> bool:
    """Whether a value is another part of a tensor than the one that an op replaces."""
    read = producer(value)
    if read is None or read.name != _SLICE or read.operands[0] != whole:
        return False
    return _bounds(read) != _bounds(insert)


def _bounds(operation: Operation) -> tuple[list[Extent], ...]:
    """Offsets, sizes and strides of the part of a tensor that an op reads or replaces."""
    where = Slice.of(operation)
    return where.offsets, where.sizes, where.strides


def _is_apart(value: Value, insert: Operation) -> bool:
    """Whether the part that is read and the part that is replaced are the same or have no element in common.

    So are two rows of a matrix, whatever their numbers: parts that differ along axes of extent 1 alone. Nothing else
    may be replaced, as the order of the other updates and the read would be bufferisation's to keep.
    """
    read = producer(value)
    memory = None if read is None else producer(read.operands[0])
    if read is None or memory is None or memory.name != "bufferization.to_tensor":
        return False
    users = (use.owner.operation for use in memory.results[0].uses)
    if any(user.name != _SLICE and user != insert for user in users):
        return False
    (offsets, sizes, strides), (others, *same) = _bounds(read), _bounds(insert)
    if value.type != insert.operands[0].type or [sizes, strides] != same:
        return False
    return all(a == b or size == 1 for a, b, size in zip(offsets, others, sizes, strict=True))


def _read_as_it_is(value: Value, generic: Operation) -> Value:
    """The part of a tensor, read in the tensor's memory: bufferisation, which knows nothing of rows, would copy it."""
    read = producer(value)
    memory = None if read is None else producer(read.operands[0])
    assert read is not None
    assert memory is not None
    with ir.InsertionPoint(generic), generic.location:
        whole = operation_of(
            "bufferization.to_tensor",
            [memory.operands[0]],
            [memory.results[0].type],
            restrict=ir.UnitAttr.get(),
        )
        part = read.clone()
    part.operation.operands[0] = whole.results[0]
    result: Value = part.results[0]
    return result

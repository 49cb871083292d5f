"""Stores past the caches (`movntps`), for results that no cache keeps until somebody reads them.

A store to a line that is not in a cache reads the line first, and the line is written back later: two transfers. A
store of a whole line past the caches is one. It pays where nobody reads the line soon and the loop does little else.
Such stores are aligned to their vectors, so a loop begins with the elements before the first whole one. On x86 they
are seen by other threads in any order, unless a fence follows.
"""

from __future__ import annotations

from .....dialect.mlir import Module, Operation, Type, Value, ir
from .....dialect.records import dataclass
from .....passes.base import Pass, Statistics
from .....passes.rewriting import defined_functions
from ....nests.emit import Emitter, Index, compare, create
from ....nests.independence import base, only_user
from ....nests.nest import Access, LoopNest, memref_size
from ....target import current, processor
from ..vectors.temporaries import element_bytes, known_bytes

MOST_OPERATIONS = 32
"""With more arithmetic for each vector, memory is not what a loop waits for."""

MOST_OPERATIONS_OF_TWO = 12
"""A longer loop is not written twice, with and without such stores, where the size is known at run time only."""

SHORTEST_ROW = 16
"""Vectors in a row, so that it does not matter how it begins and ends."""

NARROWEST_VECTOR = 16
"""Bytes that the processor stores past the caches at once."""

_FENCE = "llvm.x86.sse.sfence"

STREAMS = "weft.streams"
"""The attribute of a function that stores past the caches."""


@dataclass(frozen=True)
class FenceStreams(Pass):
    """Put a fence behind the stores past the caches."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for view in defined_functions(module):
            if STREAMS in view.operation.attributes:
                del view.operation.attributes[STREAMS]
                _fence(view.operation)
                statistics["functions fenced"] += 1


def may_stream(nest: LoopNest, inner: int, lanes: int, weight: int) -> bool:
    """Whether the stores of an innermost loop may go past the caches: to arrays that nothing else here touches."""
    types = {access.memref.type for access in nest.outputs}
    if len(types) != 1 or not _is_overwritten(nest):
        return False
    (type,) = types
    size, row, width = known_bytes(type), nest.extents[inner], lanes * element_bytes(type.element_type)
    if weight > (MOST_OPERATIONS if size is not None else MOST_OPERATIONS_OF_TWO):
        return False
    is_long = (size is None or size >= processor().streamed) and (
        not isinstance(row, int) or row >= SHORTEST_ROW * lanes
    )
    return is_long and width >= NARROWEST_VECTOR and not _has_bits(type.element_type)


def _is_overwritten(nest: LoopNest) -> bool:
    """Whether the results of a nest, arguments of the kernel, are only written, and only there."""
    arguments = list(nest.body.arguments)[len(nest.inputs) :]
    inputs = {base(access.memref) for access in nest.inputs if not access.is_scalar}
    is_read = any(next(iter(argument.uses), None) is not None for argument in arguments)
    outputs = [access.memref for access in nest.outputs]
    return not is_read and all(base(m) not in inputs and only_user(m, nest.operation) for m in outputs)


def _has_bits(element: Type) -> bool:
    """Whether elements are smaller in vectors than in memory."""
    return isinstance(element, ir.IntegerType) and element.width < 8


def is_large(nest: LoopNest, inner: int, lanes: int, emitter: Emitter) -> Value:
    """Whether arrays of dynamic size have so many elements, in long rows, that stores past the caches pay."""
    output = nest.outputs[0]
    type = output.memref.type
    size: Index = 1
    for axis, extent in enumerate(type.shape):
        dynamic = type.is_dynamic_dim(axis)
        size = emitter.multiply(size, memref_size(output.memref, axis) if dynamic else int(extent))
    enough = _at_least(size, processor().streamed // element_bytes(type.element_type), emitter)
    row = nest.extents[inner]
    if isinstance(row, int):
        return enough
    return create("arith.andi", [enough.type], [enough, _at_least(row, SHORTEST_ROW * lanes, emitter)])


def begin_alike(leads: list[Index], emitter: Emitter) -> Value:
    """Whether as many elements of several arrays lie before the first whole vector of each."""
    first, *others = [compare("eq", emitter.value(lead), emitter.value(leads[0])) for lead in leads[1:]]
    for other in others:
        first = create("arith.andi", [first.type], [first, other])
    return first


def _at_least(left: Index, right: int, emitter: Emitter) -> Value:
    return compare("sge", emitter.value(left), emitter.value(right))


def elements_before_line(access: Access, place: list[Value], lanes: int, emitter: Emitter) -> Index:
    """How many elements lie between a place and the first whole vector of memory from there on; fewer than a vector."""
    width = element_bytes(access.memref.type.element_type)
    index, rank = emitter.index_type, access.memref.type.rank
    scalar = ir.MemRefType.get([], access.memref.type.element_type)
    types = [scalar, index, *[index] * rank, *[index] * rank]
    described = ir.Operation.create("memref.extract_strided_metadata", types, [access.memref])
    position: Index = described.results[1]
    for coordinate, stride in zip(place, list(described.results)[2 + rank :], strict=True):
        position = emitter.add(position, emitter.multiply(coordinate, stride))
    start = create("memref.extract_aligned_pointer_as_index", [index], [access.memref])
    address = emitter.add(start, emitter.multiply(position, width))
    missing = create(
        "arith.andi",
        [index],
        [
            emitter.value(emitter.subtract(0, address)),
            emitter.value(lanes * width - 1),
        ],
    )
    return emitter.divide(missing, width)


def _fence(function: Operation) -> None:
    if not current().triple.startswith(("x86", "i386", "i686", "amd64")):
        return  # elsewhere the order is that of other stores
    terminator = list(function.regions[0].blocks)[-1].operations[-1].operation
    with ir.InsertionPoint(terminator), terminator.location:
        create(
            "llvm.call_intrinsic",
            [],
            [],
            {
                "intrin": ir.StringAttr.get(_FENCE),
                "operandSegmentSizes": ir.DenseI32ArrayAttr.get([0, 0]),
                "op_bundle_sizes": ir.DenseI32ArrayAttr.get([]),
            },
        )

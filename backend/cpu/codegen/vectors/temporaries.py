"""Temporaries of a kernel: shrunk to what one iteration needs, and put on the stack where they are small.

Between the two steps, what is allocated inside of a loop belongs to one iteration of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from .....dialect.mlir import Block, Module, Operation, Type, Value, ir
from .....dialect.records import dataclass
from .....passes.base import Pass, Statistics
from .....passes.rewriting import defined_functions, function_around
from ....nests.emit import Emitter, Index, create

STACK_BYTES = 16 * 1024
"""Temporaries up to this size live on the stack."""

_VIEWS = {"memref.subview", "memref.cast", "memref.collapse_shape", "memref.expand_shape"}
_MEMREF_OPERAND = {
    "memref.load": 0,
    "memref.store": 1,
    "vector.load": 0,
    "vector.store": 1,
    "vector.maskedload": 0,
    "vector.maskedstore": 0,
}
"""Which operand of an access is the memref; its indices follow."""
_ACCESSES = {*_MEMREF_OPERAND, "memref.dim", "memref.prefetch", "func.call"}
"""What may be done with memory on the stack; calls are of the function of a range of a loop."""


def scratch(emitter: Emitter, sizes: Sequence[Index], element: Type) -> Value:
    """Allocate a buffer for an iteration of the loops around."""
    dynamic = ir.ShapedType.get_dynamic_size()
    shape = [size if isinstance(size, int) else dynamic for size in sizes]
    type = ir.MemRefType.get(shape, element)
    operands = [size for size in sizes if not isinstance(size, int)]
    return create("memref.alloc", [type], operands, _segments(64, len(operands)))


@dataclass(frozen=True)
class ShrinkTemporaries(Pass):
    """Shrink what functions allocate to what one iteration needs, and allocate that in the loop."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for view in defined_functions(module):
            for operation in allocations_in(view.operation):
                allocation = _shrink(_merge_axes(operation))
                if any(True for _ in allocation.results[0].uses):
                    continue
                statistics["unused temporaries"] += 1
                allocation.erase()


def allocations_in(function: Operation) -> list[Operation]:
    """The ops of a function that allocate memory."""
    found: list[Operation] = []

    def visit(op: Operation) -> ir.WalkResult:
        if op.name == "memref.alloc":
            found.append(op)
        return ir.WalkResult.ADVANCE

    function.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def settle_temporaries(allocations: Sequence[Operation]) -> list[Operation]:
    """Move small allocations to the stack of their function and others out of its loops; returns the others."""
    left = []
    for allocation in allocations:
        if not _only_accessed(allocation.results[0]):
            left.append(allocation)
        elif _is_small(allocation.results[0].type):
            _move_to_stack(allocation, function_around(allocation).regions[0].blocks[0])
        else:
            _move_out_of_loops(allocation)
            left.append(allocation)
    return left


def _move_out_of_loops(allocation: Operation) -> None:
    """Allocate before the loops around an allocation, as far as its size is known there."""
    while allocation.parent.name == "scf.for":
        loop = allocation.parent.operation
        if not all(_move_before(value, loop) for value in allocation.operands):
            return
        allocation.move_before(loop)


def _move_before(value: Value, loop: Operation) -> bool:
    """Have an index computed before a loop, if it can be."""
    body = loop.regions[0].blocks[0]
    if isinstance(value.owner, ir.Block):
        return bool(value.owner != body)
    op = value.owner.operation
    if op.block != body:
        return True
    if not op.name.startswith("arith.") or not all(_move_before(value, loop) for value in op.operands):
        return False
    op.move_before(loop)
    return True


def _merge_axes(allocation: Operation) -> Operation:
    """Allocate in the shape of the only view of an allocation, when that view merges static axes."""
    users = _users(allocation.results[0])
    if len(users) != 1 or users[0].name != "memref.collapse_shape" or list(allocation.operands):
        return allocation
    merged = _allocate_like(allocation, users[0].results[0].type)
    users[0].results[0].replace_all_uses_with(merged.results[0])
    users[0].erase()
    allocation.erase()
    return _merge_axes(merged)


def _shrink(allocation: Operation) -> Operation:
    """Drop the axes that are only ever addressed by the position of one and the same loop.

    Nothing outside that loop can touch such an allocation, so an iteration only meets what it wrote itself.
    """
    memref, rank = allocation.results[0], allocation.results[0].type.rank
    users = _users(memref)
    if not users or any(user.name not in _MEMREF_OPERAND for user in users):
        return allocation
    indices = [_indices(user, rank) for user in users]
    vectors = any(user.name.startswith("vector.") for user in users)
    kept = [
        axis
        for axis in range(rank)
        if (vectors and axis == rank - 1) or not _is_loop_position({row[axis] for row in indices})
    ]
    if len(kept) == rank:
        return allocation
    shape = [memref.type.shape[axis] for axis in kept]
    dynamic = [axis for axis in range(rank) if memref.type.is_dynamic_dim(axis)]
    sizes = [size for axis, size in zip(dynamic, allocation.operands, strict=True) if axis in kept]
    positions = [value for axis, value in enumerate(indices[0]) if axis not in kept]
    smaller = _allocate_like(allocation, ir.MemRefType.get(shape, memref.type.element_type), sizes)
    smaller.move_before(max((_first_of_body(value) for value in positions), key=_depth))
    for user, row in zip(users, indices, strict=True):
        _access_again(user, rank, smaller.results[0], [row[axis] for axis in kept])
    allocation.erase()
    return smaller


def _is_loop_position(values: set[Value]) -> bool:
    if len(values) != 1:
        return False
    (value,) = values
    owner = value.owner
    return isinstance(owner, ir.Block) and owner.owner.operation.name == "scf.for" and value.arg_number == 0


def _first_of_body(position: Value) -> Operation:
    """The first operation in the body of the loop with a position."""
    return position.owner.operations[0].operation


def _depth(op: Operation) -> int:
    depth = 0
    while op.parent is not None:
        op, depth = op.parent.operation, depth + 1
    return depth


def _indices(access: Operation, rank: int) -> list[Value]:
    first = _MEMREF_OPERAND[access.name] + 1
    return list(access.operands)[first : first + rank]


def _access_again(access: Operation, rank: int, memref: Value, indices: list[Value]) -> None:
    """Replace an access by the same one of another memref."""
    place, operands = _MEMREF_OPERAND[access.name], list(access.operands)
    operands[place : place + 1 + rank] = [memref, *indices]
    types = [result.type for result in access.results]
    with ir.InsertionPoint(access), access.location:
        again = ir.Operation.create(access.name, types, operands)
    for old, new in zip(access.results, again.results, strict=True):
        old.replace_all_uses_with(new)
    access.erase()


def _allocate_like(allocation: Operation, type: Type, sizes: Sequence[Value] = ()) -> Operation:
    with ir.InsertionPoint(allocation), allocation.location:
        return ir.Operation.create("memref.alloc", [type], list(sizes), _segments(64, len(sizes)))


def _segments(alignment: int, sizes: int = 0) -> dict[str, object]:
    i64 = ir.IntegerType.get_signless(64)
    return {
        "alignment": ir.IntegerAttr.get(i64, alignment),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([sizes, 0]),
    }


def _is_small(type: Type) -> bool:
    size = known_bytes(type)
    return size is not None and size <= STACK_BYTES


def known_bytes(type: Type) -> int | None:
    """The size of the elements of a memref; None where it is known at run time only."""
    if not type.has_static_shape:
        return None
    return int(math.prod(type.shape)) * element_bytes(type.element_type)


def element_bytes(type: Type) -> int:
    """The size of an element in memory."""
    if isinstance(type, ir.ComplexType):
        return 2 * element_bytes(type.element_type)
    return 8 if isinstance(type, ir.IndexType) else max(1, type.width // 8)


def _only_accessed(memref: Value) -> bool:
    """Whether a memref is only read and written, never handed on."""
    for user in _users(memref):
        if user.name in _VIEWS:
            if not _only_accessed(user.results[0]):
                return False
        elif user.name not in _ACCESSES:
            return False
    return True


def _move_to_stack(allocation: Operation, entry: Block) -> None:
    with ir.InsertionPoint.at_block_begin(entry), allocation.location:
        slot = ir.Operation.create("memref.alloca", [allocation.results[0].type], [], _segments(64))
    allocation.results[0].replace_all_uses_with(slot.results[0])
    allocation.erase()


def _users(value: Value) -> list[Operation]:
    return list(_unique_users(value))


def _unique_users(value: Value) -> Iterator[Operation]:
    seen: set[Operation] = set()
    for use in value.uses:
        user = use.owner.operation
        if user not in seen:
            seen.add(user)
            yield user

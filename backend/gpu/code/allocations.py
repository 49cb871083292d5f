"""Memory that iterations allocate: the same for all of them, where none looks at what another one made."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from ....dialect.mlir import Operation, Value, dialect, ir
from ....dialect.sizes import limits
from ...planning.buffer_assignment import byte_width
from ...planning.shapes import Shapes, static_shape
from .captures import inner_operations

_MANY = 1 << 20
"""Elements that are not kept for what may have less."""
_HAND_ON = ("arith.select", "scf.condition", "scf.for", "scf.if", "scf.while", "scf.yield")


def allocations_can_move(ops: Iterable[Operation]) -> bool:
    """Whether memory that operations allocate inside of loops and branches may be allocated before all of them."""
    return all(_can_move(op) for op in inner_operations(ops) if op.name == "memref.alloc")


def _can_move(allocation: Operation) -> bool:
    pending: list[Value] = [allocation.results[0]]
    while pending:
        for use in pending.pop().uses:
            user = use.owner.operation
            if user.name in _HAND_ON:
                return False  # the next iteration may look at what this one made
            pending += [result for result in user.results if isinstance(result.type, ir.MemRefType)]
    return _most_elements(allocation) is not None


def _most_elements(allocation: Operation) -> int | None:
    """How many elements an allocation has at most; None where that is not known, or may be many."""
    shapes = Shapes()
    sizes = iter(allocation.operands)
    extents = [
        limits(shapes.read(next(sizes)))[1] if extent is None else extent
        for extent in static_shape(allocation.results[0].type)
    ]
    if not list(allocation.operands):
        return math.prod(map(int, extents))
    if not all(map(math.isfinite, extents)):
        return None
    count = math.prod(max(0, int(extent)) for extent in extents)
    return count if count <= _MANY else None


def move_allocations(ops: Sequence[Operation]) -> None:
    """Allocate before operations what they allocate inside, once."""
    for op in inner_operations(ops):
        if op.name == "memref.dealloc":
            op.erase()
        elif op.name == "memref.alloc" and not list(op.operands):
            op.move_before(ops[0])
        elif op.name == "memref.alloc":
            _allocate_most(op, ops[0])


def _allocate_most(op: Operation, place: Operation) -> None:
    """Allocate, before a place, the most that an allocation may need; in its place is a view."""
    type, count = op.results[0].type, _most_elements(op)
    assert count is not None
    memref, byte = dialect("memref"), ir.IntegerType.get_signless(8)
    with ir.InsertionPoint(place), op.location:
        size = count * byte_width(type.element_type)
        whole = memref.alloc(ir.MemRefType.get([size], byte), [], [])
        start = dialect("arith").constant(ir.IndexType.get(), 0)
    with ir.InsertionPoint(op), op.location:
        op.results[0].replace_all_uses_with(memref.view(type, whole, start, list(op.operands)))
    op.erase()

"""Memory that iterations allocate: the same for all of them, where none looks at what another one made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ....dialect.mlir import Operation, Value, ir
from .captures import inner_operations

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
    return not list(allocation.operands)


def move_allocations(ops: Sequence[Operation]) -> None:
    """Allocate before operations what they allocate inside, once."""
    for op in inner_operations(ops):
        if op.name == "memref.dealloc":
            op.erase()
        elif op.name == "memref.alloc":
            op.move_before(ops[0])


__all__ = ["allocations_can_move", "move_allocations"]

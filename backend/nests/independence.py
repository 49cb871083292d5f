"""Which iterations of loops may run in any order, or at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from ...dialect.mlir import Operation, Value, ir
from ...passes.rewriting import terminator
from .nest import Access, LoopNest, nested

_VIEWS = {
    "memref.subview",
    "memref.cast",
    "memref.collapse_shape",
    "memref.expand_shape",
    "memref.reinterpret_cast",
}
_WRITES = {"memref.store", "vector.store", "vector.maskedstore", "vector.transfer_write"}


def any_order(nests: Sequence[LoopNest], dims: Sequence[int]) -> bool:
    """Whether nests may run iteration by iteration of one dimension each, the iterations in any order.

    So it is when the dimensions are parallel and an iteration only meets its own data, in all of the nests.
    """
    pairs = list(zip(nests, dims, strict=True))
    if not all(nest.parallel[dim] and not _writes_by_itself(nest) for nest, dim in pairs):
        return False
    together = IndependentNests()
    return all(_independent(nest, dim, nest, dim) and together.join(nest, dim) for nest, dim in pairs)


class IndependentNests:
    """Nests, each with one of its dimensions, whose iterations only share data when they are the same iteration.

    A nest that joins is compared with those that use the same memory, not with all.
    """

    def __init__(self) -> None:
        self._touching: dict[Value, list[tuple[LoopNest, int]]] = {}
        self._writing: dict[Value, list[tuple[LoopNest, int]]] = {}

    def join(self, nest: LoopNest, dim: int) -> bool:
        """Add a nest if its iterations are independent of those of all others; returns whether they are."""
        gathered = {base(memref) for memref in captured_memrefs(nest)}
        written = {base(access.memref) for access in nest.outputs}
        touched = gathered | {base(access.memref) for access in nest.accesses}
        others = chain(
            *(self._touching.get(memory, ()) for memory in written),
            *(self._writing.get(memory, ()) for memory in touched),
        )
        if gathered & written or not all(_independent(*other, nest, dim) for other in others):
            return False
        for users, memories in ((self._touching, touched), (self._writing, written)):
            for memory in memories:
                users.setdefault(memory, []).append((nest, dim))
        return True


def _independent(left: LoopNest, left_dim: int, right: LoopNest, right_dim: int) -> bool:
    """Whether iterations of the two dimensions only share data when they are the same iteration."""
    captured = [base(memref) for nest in (left, right) for memref in captured_memrefs(nest)]
    for a, b in _conflicts(left, right):
        if base(a.memref) == base(b.memref):
            axes = a.axis_of(left_dim), b.axis_of(right_dim)
            if a.memref != b.memref or axes[0] is None or axes[0] != axes[1]:
                return False
    written = [base(access.memref) for nest in (left, right) for access in nest.outputs]
    return not any(memref == own for memref in captured for own in written)


def _conflicts(left: LoopNest, right: LoopNest) -> list[tuple[Access, Access]]:
    """Accesses of both nests of which at least one writes."""
    pairs = [(a, b) for a in left.accesses for b in right.outputs if not a.is_scalar]
    return pairs + [(a, b) for a in left.outputs for b in right.inputs if not b.is_scalar]


def base(memref: Value) -> Value:
    """The allocation or argument that a view looks into."""
    while not isinstance(memref.owner, ir.Block) and memref.owner.operation.name in _VIEWS:
        memref = memref.owner.operation.operands[0]
    return memref


def roots(memref: Value) -> frozenset[Value]:
    """The allocations and arguments that a view may look into, where loops and branches hand memrefs on."""
    found: set[Value] = set()
    pending, seen = [memref], {memref}
    while pending:
        value = base(pending.pop())
        following = handed_on(value)
        if not following:
            found.add(value)
        pending += [other for other in following if other not in seen]
        seen.update(following)
    return frozenset(found)


def handed_on(value: Value) -> list[Value]:
    """The values of which a memref of a loop or branch is one; that which a view of bytes is taken from."""
    if isinstance(value.owner, ir.Block):
        around = value.owner.owner.operation
        if around.name == "scf.for":
            number = value.arg_number - 1
            return [list(around.operands)[3 + number], terminator(value.owner).operands[number]]
        if around.name == "scf.while":
            before, after = (region.blocks[0] for region in around.regions)
            if value.owner == before:
                number = value.arg_number
                return [around.operands[number], terminator(after).operands[number]]
            return [terminator(before).operands[1 + value.arg_number]]
        return []
    op, number = value.owner.operation, value.result_number
    if op.name == "scf.for":
        return [list(op.operands)[3 + number], terminator(op.regions[0].blocks[0]).operands[number]]
    if op.name == "scf.while":
        return [terminator(op.regions[0].blocks[0]).operands[1 + number]]
    if op.name == "scf.if":
        return [terminator(region.blocks[0]).operands[number] for region in op.regions]
    if op.name == "memref.view":
        return [op.operands[0]]
    return list(op.operands)[1:] if op.name == "arith.select" else []


def only_user(memref: Value, operation: Operation) -> bool:
    """Whether one operation alone touches the memory of a memref, which is an argument of the kernel."""
    memory = base(memref)
    is_argument = isinstance(memory.owner, ir.Block) and memory.owner.owner.operation.name == "func.func"
    return is_argument and _only_used_by(memory, operation)


def _only_used_by(memref: Value, operation: Operation) -> bool:
    for use in memref.uses:
        user = use.owner.operation
        if user.name in _VIEWS:
            if not all(_only_used_by(view, operation) for view in user.results):
                return False
        elif user != operation and user.name != "memref.dim":
            return False
    return True


def captured_memrefs(nest: LoopNest) -> list[Value]:
    """Memrefs that the body reads by itself (gathers)."""
    return [
        operand
        for op in nested(nest.operation)
        for operand in op.operation.operands
        if isinstance(operand.type, ir.MemRefType)
    ]


def _writes_by_itself(nest: LoopNest) -> bool:
    return any(op.operation.name in _WRITES for op in nested(nest.operation))


def written_memrefs(op: Operation) -> list[Value]:
    """The memory that an operation, one of those that schedules make, writes."""
    if op.name not in _WRITES:
        return []
    return [operand for operand in op.operands if isinstance(operand.type, ir.MemRefType)]

"""Which numbers of a function between kernels only the device needs, and what they are computed by."""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Operation, Value, ir
from ....dialect.op import FUNCTIONS
from ....dialect.ops.state import RaiseIf
from ....dialect.records import dataclass
from .entries import is_host_argument

MOST_OPS = 256
"""Of one slice: a number that takes more arithmetic than this is computed on the host."""

_ARITHMETIC = ("arith.", "complex.", *FUNCTIONS)
_READ = "tensor.extract"


@dataclass(frozen=True)
class Slice:
    """What numbers are computed by."""

    ops: list[Operation]
    """In an order in which they can run."""
    moved: list[Operation]
    """The reads among them that must happen where they are."""


def device_only(
    ops: Sequence[Operation], sinks: Sequence[Operation], entries: set[Operation]
) -> set[Operation]:
    """The arithmetic and the reads of the device whose results nothing but sinks, or other such ops, use."""
    kept: set[Operation] = set()
    final = set(sinks)
    for op in reversed(ops):
        if not (_reads_device(op, entries) or (op.name.startswith(_ARITHMETIC) and _is_arithmetic(op))):
            continue
        uses = [use for result in op.results for use in result.uses]
        if uses and all(_stays(use, kept, final) for use in uses):
            kept.add(op)
    return kept


def _reads_device(op: Operation, entries: set[Operation]) -> bool:
    return bool(op.name == _READ) and not is_host_argument(op.operands[0], entries)


def depends_on_device(value: Value, entries: set[Operation]) -> bool:
    """Whether a number is computed of memory of the device between kernels."""
    if isinstance(value.type, (ir.ShapedType, ir.ComplexType)):
        return False
    pending, seen = [value], set[Operation]()
    while pending and len(seen) < MOST_OPS:
        owner = pending.pop().owner
        if isinstance(owner, ir.Block) or owner.operation in seen:
            continue
        op = owner.operation
        seen.add(op)
        if _reads_device(op, entries):
            return True
        if op.name.startswith(_ARITHMETIC):
            pending += op.operands
    return False


def host_numbers(
    ops: Sequence[Operation], sinks: Sequence[Operation], entries: set[Operation]
) -> list[tuple[Value, list[ir.OpOperand]]]:
    """The numbers that the host would compute of several reads, with what it needs them for."""
    final, found = set(sinks), []
    for op in ops:
        if not (op.name.startswith(_ARITHMETIC) and _is_arithmetic(op)):
            continue
        number = op.results[0]
        if isinstance(number.type, (ir.IndexType, ir.ComplexType)):
            continue
        uses = [use for use in number.uses if _is_of_host(use, final)]
        if uses and _read_count(number, entries) > 1:
            found.append((number, uses))
    return found


def _is_of_host(use: ir.OpOperand, sinks: set[Operation]) -> bool:
    owner = use.owner.operation
    is_number = owner.name.startswith(_ARITHMETIC) and _is_arithmetic(owner)
    return not is_number and owner not in sinks


def _read_count(number: Value, entries: set[Operation]) -> int:
    """How many reads of the device a number needs; none where it is too much for a kernel."""
    pending, seen = [number], set[Operation]()
    while pending:
        owner = pending.pop().owner
        if isinstance(owner, ir.Block) or owner.operation in seen:
            continue
        op = owner.operation
        if _reads_device(op, entries):
            seen.add(op)
        elif op.name.startswith(_ARITHMETIC) and _is_arithmetic(op):
            seen.add(op)
            pending += op.operands
    return 0 if len(seen) > MOST_OPS else sum(_reads_device(op, entries) for op in seen)


def _is_arithmetic(op: Operation) -> bool:
    if op.regions or len(op.results) != 1 or op.name == "arith.constant":
        return False
    return not any(isinstance(value.type, ir.ShapedType) for value in (*op.operands, *op.results))


def _stays(use: ir.OpOperand, kept: set[Operation], sinks: set[Operation]) -> bool:
    """Whether a use is one of the device: a number that is stored or computed with, or where it is."""
    owner = use.owner.operation
    return owner in sinks or owner in kept


def slice_of(sink: Operation, kept: set[Operation]) -> Slice | None:
    """What a sink is computed by, as far as it is kept; None where that is too much, or nothing."""
    found: dict[Operation, None] = {}  # in order, so that the code is always the same
    pending = numbers_of(sink)
    constants: dict[Operation, None] = {}
    while pending:
        owner = pending.pop().owner
        if isinstance(owner, ir.Block):
            continue
        op = owner.operation
        if op.name == "arith.constant" and not isinstance(op.results[0].type, ir.ShapedType):
            constants[op] = None
        elif op in kept and op not in found:
            found[op] = None
            pending += numbers_of(op)
    if not found or len(found) > MOST_OPS:
        return None
    if any(isinstance(value.type, ir.ComplexType) for value in _numbers_from_outside({*found, *constants})):
        return None
    ordered = _in_order([*constants, *found])
    return Slice(ordered, [op for op in ordered if op.name == _READ and not _may_move(op, sink)])


def numbers_of(op: Operation) -> list[Value]:
    """The numbers that an operation takes, those that a `weft.raise_if` takes out of their tensors."""
    if op.name == RaiseIf.mlir_name():
        holders = [v.owner.operation for v in op.operands if not isinstance(v.owner, ir.Block)]
        return [holder.operands[0] for holder in holders if holder.name == "tensor.from_elements"]
    return [value for value in op.operands if not isinstance(value.type, ir.ShapedType)]


def needs_device(found: Slice) -> bool:
    """Whether a slice reads memory of the device; what the host knows already it computes itself."""
    return any(op.name == _READ for op in found.ops)


def _numbers_from_outside(ops: set[Operation]) -> list[Value]:
    return [
        operand
        for op in ops
        for operand in op.operands
        if isinstance(operand.owner, ir.Block) or operand.owner.operation not in ops
    ]


def _in_order(ops: list[Operation]) -> list[Operation]:
    """Ops so that each stands behind those that it uses."""
    inside, ordered, placed = set(ops), list[Operation](), set[Operation]()

    def place(op: Operation) -> None:
        if op in placed:
            return
        placed.add(op)
        for operand in op.operands:
            if not isinstance(operand.owner, ir.Block) and operand.owner.operation in inside:
                place(operand.owner.operation)
        ordered.append(op)

    for op in ops:
        place(op)
    return ordered


_QUIET = ("tensor.extract", "tensor.from_elements", "tensor.empty", "tensor.dim")


def _may_move(extract: Operation, sink: Operation) -> bool:
    """Whether an array has the same element where a sink is: nothing in between may write to its memory."""
    source = extract.operands[0]
    if source.type.rank == 0 or (sink.name == "tensor.insert" and source == sink.operands[1]):
        return True
    if extract.block != sink.block:
        return False
    op = ir.InsertionPoint.after(extract).ref_operation
    while op != sink and (op.name in _QUIET or op.name.startswith(_ARITHMETIC)):
        op = ir.InsertionPoint.after(op).ref_operation
    return bool(op == sink)

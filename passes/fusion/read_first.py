"""Move reads of a tensor in front of what updates it in place."""

from __future__ import annotations

from collections.abc import Iterator

from ...dialect.mlir import Block, Module, Operation, Value, ir
from ...dialect.op import FUNCTIONS
from ...dialect.records import dataclass
from ..base import Pass, Statistics
from ..rewriting import operations_in, operations_of

_PURE = ("tensor.", "linalg.", "arith.", "complex.", *FUNCTIONS)
VIEWS = frozenset({"tensor.extract_slice", "tensor.collapse_shape", "tensor.expand_shape", "tensor.cast"})
_INSERTS = frozenset({"tensor.insert", "tensor.insert_slice"})
_CONTROL = frozenset({"scf.for", "scf.if", "scf.while"})
_FRESH = frozenset({"tensor.empty", "arith.constant", "linalg.fill"})


@dataclass(frozen=True)
class ReadFirst(Pass):
    """Read what an update overwrites in front of it, where the order of ops puts the read behind and nothing asks for
    that.

    Memory is planned in the order of ops: an update of a tensor that is read behind it is made on a copy of the whole
    tensor, which takes quadratic time in a loop that updates element by element. What reads moves with the ops that it
    is computed of, and what reads through a view with the view; nothing moves over an op with effects, nor where a read
    needs the result of the update.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        """Go through all blocks of all functions."""
        operations = operations_of(module.operation)
        for block in dict.fromkeys(op.block for op in operations if destinations(op)):
            statistics["reads moved"] += _reorder(block)


def destinations(operation: Operation) -> list[Value]:
    """The tensors that an op may update in place."""
    name = operation.name
    if name in _INSERTS:
        found = [operation.operands[1]]
    elif name.startswith("linalg.") and len(operation.results):
        found = list(operation.operands)[-len(operation.results) :]
    elif name == "scf.for":
        found = list(operation.operands)[3:]
    elif name == "scf.while":
        found = list(operation.operands)
    else:
        return []
    tensors = [v for v in found if isinstance(v.type, ir.RankedTensorType) and v.type.rank]
    return [tensor for tensor in tensors if _is_owned(tensor, operation.block)]


def _is_owned(value: Value, block: Block) -> bool:
    """Whether a tensor of a block holds something and may be overwritten: no constant, no parameter of a function."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        return owner == block and owner.owner.operation.name in _CONTROL
    return owner.operation.block == block and owner.operation.name not in _FRESH


def _reorder(block: Block) -> int:
    """Move the reads of a block; returns how many ops were moved."""
    moved = 0
    operations = operations_in(block)
    for update in [op for op in operations if destinations(op)]:
        for tensor in destinations(update):
            readers = set(_readers(tensor, block)) - {update}
            if not readers:
                continue
            behind = operations[operations.index(update) + 1 : -1]
            places = [place for place, operation in enumerate(behind) if operation in readers]
            chosen = _movable(tensor, update, behind[: places[-1] + 1], readers) if places else []
            for operation in chosen:
                operation.move_before(update)
            if chosen:
                operations = operations_in(block)
                moved += len(chosen)
    return moved


def _readers(tensor: Value, block: Block) -> Iterator[Operation]:
    """The ops of a block that use a tensor, inside of them or through views."""
    for use in tensor.uses:
        operation = use.owner.operation
        while operation.block != block:
            operation = operation.parent.operation
        yield operation
        if operation.name in VIEWS:
            yield from _readers(operation.results[0], block)


def _movable(
    tensor: Value, update: Operation, behind: list[Operation], readers: set[Operation]
) -> list[Operation]:
    """The reads behind an update, and what they are computed of there, in order; nothing if one has to stay."""
    wanted: list[Operation] = []
    stuck: set[Value] = set(update.results)
    for operation in behind:
        is_reader = operation in readers
        if not _is_pure(operation):
            if any(later in readers for later in behind[behind.index(operation) :]):
                return []
            break
        if any(operand in stuck for operand in _operands(operation)):
            if is_reader:
                return []
            stuck.update(operation.results)
            continue
        if is_reader and any(tensor == other for other in destinations(operation)):
            return []
        wanted.append(operation)
    return _needed(wanted, readers)


def _needed(operations: list[Operation], readers: set[Operation]) -> list[Operation]:
    """Those of some ops that read, and those that they are computed of."""
    used: set[Value] = set()
    found: list[Operation] = []
    for operation in reversed(operations):
        if operation in readers or any(result in used for result in operation.results):
            found.append(operation)
            used.update(_operands(operation))
    return found[::-1]


def _operands(operation: Operation) -> list[Value]:
    found = list(operation.operands)
    for inner in operations_of(operation) if len(operation.regions) else ():
        found += inner.operands
    return found


def _is_pure(operation: Operation) -> bool:
    if operation.name in _CONTROL:
        inside = [op for op in operations_of(operation) if not op.name.startswith("scf.")]
        return all(op.name.startswith(_PURE) for op in inside)
    return bool(operation.name.startswith(_PURE))

"""Recognise compactions: loops that keep some of many numbers, side by side, and count them.

    count = 0
    for i: out[count] = x[i]; count += keeps(i)

On tensors and on memory alike: where kernels are placed they are the one, where they are scheduled the other.
"""

from __future__ import annotations

from ...dialect.mlir import Operation, Value, ir
from ...dialect.op import FUNCTIONS
from ...dialect.records import dataclass
from ...passes.rewriting import constant_integer, operations_in
from .independence import base

_READS = ("memref.load", "tensor.extract")
_WRITES = ("memref.store", "tensor.insert")
_PURE = ("arith.", "complex.", "index.", *FUNCTIONS)


@dataclass
class Compaction:
    """A loop that compacts."""

    loop: Operation
    work: list[Operation]
    """What finds out whether a number is kept, and computes it."""
    writes: list[Operation]
    """What stores a number behind those that are kept so far."""
    keeps: Value
    """Whether the number of an iteration is kept, an i1."""
    count: Value
    """How many are kept, once the loop is done."""

    @property
    def position(self) -> Value:
        """The position of the loop."""
        return self.loop.regions[0].blocks[0].arguments[0]


def match_compaction(loop: Operation) -> Compaction | None:
    """See a loop as a compaction that starts with nothing, or say that it is none."""
    if loop.name != "scf.for":
        return None
    start, _, step, *initial = loop.operands
    block = loop.regions[0].blocks[0]
    *ops, end = operations_in(block)
    counts = [n for n, value in enumerate(initial) if isinstance(value.type, ir.IndexType)]
    if constant_integer(start) != 0 or constant_integer(step) != 1 or len(counts) != 1:
        return None
    (number,) = counts
    count, carried = block.arguments[number + 1], set(list(block.arguments)[1:])
    step_ = end.operands[number].owner
    if constant_integer(initial[number]) != 0 or isinstance(step_, ir.Block):
        return None
    adds = step_.operation
    keeps = _kept(adds, count)
    writes = [op for op in ops if op.name in _WRITES]
    work = [op for op in ops if op not in writes and op != adds]
    if keeps is None or not writes or not all(_is_behind(op, count, block, end) for op in writes):
        return None
    targets = {base(op.operands[1]) for op in writes}
    for op in work:
        if op.regions or not (op.name in _READS or op.name.startswith(_PURE)):
            return None
        if carried.intersection(op.operands) or (op.name in _READS and base(op.operands[0]) in targets):
            return None
    if carried.intersection(op.operands[0] for op in writes) or len(targets) != len(writes):
        return None
    return Compaction(loop, work, writes, keeps, loop.results[number])


def _kept(adds: Operation, count: Value) -> Value | None:
    """The truth value that is added to a count."""
    if adds.name != "arith.addi" or count not in list(adds.operands):
        return None
    others = [operand for operand in adds.operands if operand != count]
    if len(others) != 1 or isinstance(others[0].owner, ir.Block):
        return None
    cast = others[0].owner.operation
    source = cast.operands[0] if cast.name == "arith.index_castui" else None
    return source if source is not None and source.type == ir.IntegerType.get_signless(1) else None


def _is_behind(op: Operation, count: Value, block: ir.Block, end: Operation) -> bool:
    """Whether an operation writes behind what is kept so far, to memory or to the tensor that goes on as its result."""
    _, target, *places = op.operands
    if places != [count]:
        return False
    if op.name == "memref.store":
        return True
    arguments = list(block.arguments)[1:]
    return target in arguments and end.operands[arguments.index(target)] == op.results[0]

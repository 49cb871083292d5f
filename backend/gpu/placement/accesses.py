"""What a kernel does with its arguments."""

from __future__ import annotations

from ....dialect.mlir import Operation, Value, ir
from ....dialect.records import NamedTuple

_READING = ("bufferization.to_tensor", "memref.load")
_ASKING = ("memref.dim", "memref.assume_alignment")


ACCESSES = "weft.accesses"
"""The attribute of kernel functions that says how they use their arguments."""


class Access(NamedTuple):
    """How a kernel uses an argument: neither of it holds for numbers."""

    reads: bool
    writes: bool

    @property
    def text(self) -> str:
        """As in the attribute."""
        return "r" * self.reads + "w" * self.writes


def accesses_of(kernel: Operation) -> list[Access]:
    """For every argument of a kernel what it does with its memory: as was noted, or as its body tells."""
    if ACCESSES in kernel.attributes:
        texts = [entry.value for entry in kernel.attributes[ACCESSES]]
        return [Access("r" in text, "w" in text) for text in texts]
    return [_access(argument) for argument in kernel.regions[0].blocks[0].arguments]


def _access(argument: Value) -> Access:
    if not isinstance(argument.type, ir.MemRefType):
        return Access(reads=False, writes=False)
    reads = writes = False
    for use in argument.uses:
        op = use.owner.operation
        if op.name in _READING:
            reads = True
        elif (op.name == "bufferization.materialize_in_destination" and use.operand_number == 1) or (
            op.name == "memref.store"
        ):
            writes = True
        elif op.name not in _ASKING:
            reads = writes = True  # views, copies, nests: they may do both
    return Access(reads, writes)

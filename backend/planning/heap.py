"""Memory for arrays whose size is known only while the function runs.

A heap block grows: before a value is made in it, `weft_reserve` makes it large enough, and what it held is gone. The
blocks of a call are entries of a table that the caller keeps, so that all of them are freed however the call ends:

    %heap: memref<?xmemref<?xi8>>

An entry is the descriptor of the block as a memref of bytes; one that was never used has no bytes. Two blocks change
their contents by exchanging their entries. The block of a result is an entry of a table of its own.
"""

from __future__ import annotations

import itertools

from ...dialect.mlir import Type, Value, dialect, ir
from ...dialect.records import dataclass
from ...passes.index_arithmetic import Extent, IndexArithmetic
from .failures import FailureSites
from .names import RESERVE

_generations = itertools.count()


@dataclass(eq=False)
class Block:
    """An entry of a table of heap blocks."""

    table: Value
    index: Extent
    is_spare: bool = True
    """Whether other values may lie there when it is free; not so for the block of a result."""
    generation: int = 0
    """Another number whenever the memory may be elsewhere."""

    def renew(self) -> None:
        """Note that the memory may be elsewhere from now on."""
        self.generation = next(_generations)


def table_type() -> Type:
    """The memref type of a table of heap blocks."""
    return ir.MemRefType.get([ir.ShapedType.get_dynamic_size()], _block_type())


def _block_type() -> Type:
    return ir.MemRefType.get([ir.ShapedType.get_dynamic_size()], ir.IntegerType.get_signless(8))


class Heap:
    """Hands out the blocks of a function; code is made at the current insertion point."""

    def __init__(
        self, table: Value, builder: IndexArithmetic, failures: FailureSites, record: Value, name: str
    ) -> None:
        self.size = 0
        """The number of blocks."""
        self._table = table
        self._builder = builder
        self._failures = failures
        self._record = record
        self._message = f"the arrays of {name} need a block of {{0}} bytes of memory"
        self._free: list[Block] = []
        self._reserved: set[tuple[object, ...]] = set()

    def allocate(self) -> Block:
        """A block that nothing lies in."""
        if self._free:
            return self._free.pop()
        self.size += 1
        return Block(self._table, self.size - 1)

    def release(self, block: Block) -> None:
        """Let other values use the block."""
        self._free.append(block)

    def forget(self) -> None:
        """Between regions: what was done in one of them was perhaps not done."""
        self._reserved.clear()

    def reserve(self, block: Block, extents: list[Extent]) -> None:
        """Make a block hold at least a product of bytes; its contents are lost. Out of memory ends the call."""
        if (block, block.generation, *extents) in self._reserved:
            return
        size = self._builder.saturating_product(extents)
        arith = dialect("arith")
        bit = ir.IntegerType.get_signless(1)
        entry = self._builder.value(block.index)
        amount = self._builder.value(size)
        self._failures.declare(RESERVE, [table_type(), amount.type, amount.type], [bit])
        fits = dialect("func").CallOp([bit], RESERVE, [block.table, entry, amount]).result
        failed = arith.xori(fits, arith.constant(bit, 1))
        number = arith.index_cast(ir.IntegerType.get_signless(64), amount)
        self._failures.fail_if(failed, "MemoryError", self._message, [number], self._record)
        block.renew()
        self._reserved.add((block, block.generation, *extents))

    def exchange(self, first: Block, second: Block) -> None:
        """Let two blocks change their contents."""
        one, other = self._load(first), self._load(second)
        self._store(other, first)
        self._store(one, second)
        first.renew()
        second.renew()

    def view(self, block: Block, type: Type, extents: list[Extent]) -> Value:
        """A block as an array."""
        dynamic = [extent for extent in extents if not isinstance(extent, int)]
        return dialect("memref").view(type, self._load(block), self._builder.value(0), dynamic)

    def _load(self, block: Block) -> Value:
        return dialect("memref").load(block.table, [self._builder.value(block.index)])

    def _store(self, contents: Value, block: Block) -> None:
        dialect("memref").store(contents, block.table, [self._builder.value(block.index)])

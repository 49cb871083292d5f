"""Blocks that a trace records into: the function's own, and those of staged branches and loops.

A region is recorded in an op that has no results yet, because their types are known only when all regions are
there; the blocks are then moved to the real op. A region that was recorded on trial is dropped with its op.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...dialect.mlir import Block, Operation, Type, Value, ir
from ...dialect.register import context

if TYPE_CHECKING:
    from .storage import Storage
    from .trace import Trace


class Region:
    """A block and its place among the blocks around it."""

    __slots__ = ("_last", "block", "clock", "is_open", "is_over", "loop", "parent")

    def __init__(self, block: Block, parent: Region | None, is_loop: bool = False, clock: int = 0) -> None:
        self.block = block
        self.clock = clock
        """How many writes were recorded before."""
        self.parent = parent
        self.loop: Region | None = self if is_loop else None if parent is None else parent.loop
        """The innermost loop body around what is recorded here."""
        self.is_open = True
        """Whether values defined here can be used: the region, or one inside it, is being recorded."""
        self.is_over = False
        """Whether it will not be recorded into again."""
        self._last: Operation | None = None

    def last_operation(self) -> Operation | None:
        """The op that was recorded last; looked for behind the one that was found before, as blocks are lists."""
        for operation in self.operations_behind(self._last):
            self._last = operation
        return self._last

    def operations_behind(self, operation: Operation | None) -> Iterator[Operation]:
        """The ops that follow one of the block's, all of them for None."""
        if operation is None:
            operation = ir.InsertionPoint.at_block_begin(self.block).ref_operation
            if operation is None:
                return
            yield operation
        while (operation := ir.InsertionPoint.after(operation).ref_operation) is not None:
            yield operation

    def erase_behind(self, operation: Operation | None) -> None:
        """Erase the ops that follow one of the block's, all of them for None."""
        for following in reversed(list(self.operations_behind(operation))):
            following.erase()
        self._last = operation

    def erase(self, operation: Operation) -> None:
        """Erase an op of the block."""
        if self._last is not None and self._last == operation:
            self._last = None
        operation.erase()

    def is_inside(self, other: Region) -> bool:
        """Whether this region is another one, or nested in it."""
        region: Region | None = self
        while region is not None:
            if region is other:
                return True
            region = region.parent
        return False


class Draft:
    """An op with regions that is being recorded; it is replaced by the real one, or dropped."""

    def __init__(self, trace: Trace, name: str, operands: Sequence[Value] = (), regions: int = 1) -> None:
        self.trace = trace
        self.parent = trace.region
        self.name = name
        self.operands = list(operands)
        self._regions: list[Region] = []
        self._ops_before = trace.op_count
        self._kept_before = len(trace.kept)
        self._is_finished = False
        self.location = trace.location()
        with context(), ir.InsertionPoint(self.parent.block):
            self.op: Operation = ir.Operation.create(
                name, operands=self.operands, regions=regions, loc=self.location
            )

    def add_region(self, number: int, arguments: Sequence[Type] = (), is_loop: bool = False) -> Region:
        """Make the block of a region; it is entered with `recording`."""
        with context():
            locations = [self.location] * len(arguments)
            block = self.op.regions[number].blocks.append(*arguments, arg_locs=locations)
        region = Region(block, self.parent, is_loop, self.trace.clock)
        self._regions.append(region)
        return region

    @contextmanager
    def recording(self, region: Region) -> Iterator[Region]:
        """Record into a region, for the first time or again at its end."""
        trace, previous = self.trace, self.trace.region
        region.is_open, trace.region = True, region
        try:
            yield region
        finally:
            region.is_open, trace.region = False, previous

    def terminate(self, region: Region, name: str, operands: Sequence[Value]) -> None:
        """End the block of a region."""
        with context(), ir.InsertionPoint(region.block):
            ir.Operation.create(name, operands=list(operands), loc=self.location)

    def finish(self, operands: Sequence[Value], results: Sequence[Type]) -> list[Value]:
        """Put the real op in place; returns its results."""
        with context(), ir.InsertionPoint(self.op):
            op = ir.Operation.create(
                self.name,
                operands=list(operands),
                results=list(results),
                regions=len(self.op.regions),
                loc=self.location,
            )
            for old, new in zip(list(self.op.regions), list(op.regions), strict=True):
                for block in list(old.blocks):
                    block.append_to(new)
            self.parent.erase(self.op)
        self._end()
        return list(op.results)

    def drop(self) -> None:
        """Forget what was recorded; what has its place in the program stays there."""
        if self._is_finished:
            return
        self.trace.op_count = self._ops_before
        del self.trace.kept[self._kept_before :]
        self.parent.erase(self.op)
        self._end()

    def _end(self) -> None:
        self._is_finished = True
        for region in self._regions:
            region.is_over = True


class CellLog:
    """Which storages became cells, in order: a loop whose body makes a cell of an outer storage is recorded again."""

    def __init__(self) -> None:
        self._storages: list[Storage] = []

    def add(self, storage: Storage) -> None:
        """Note that a storage became a cell."""
        self._storages.append(storage)

    def mark(self) -> int:
        """The present place in the log."""
        return len(self._storages)

    def made_since(self, mark: int, region: Region) -> list[Storage]:
        """The storages visible in a region that became cells after a place in the log."""
        return [storage for storage in self._storages[mark:] if region.is_inside(storage.region)]


__all__: list[Any] = ["CellLog", "Draft", "Region"]

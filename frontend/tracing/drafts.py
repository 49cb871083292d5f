"""Ops with regions that are being recorded.

A region is recorded in an op that has no results yet, because their types are known only when all regions are
there; the blocks are then moved to the real op. A region that was recorded on trial is dropped with its op.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ...dialect.made_ops import operation_of
from ...dialect.mlir import Operation, Type, Value, ir
from ...dialect.register import context
from .recorder import Recorder
from .regions import Region


class Draft:
    """An op with regions that is being recorded; it is replaced by the real one, or dropped."""

    def __init__(self, trace: Recorder, name: str, operands: Sequence[Value] = (), regions: int = 1) -> None:
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
            self.op: Operation = operation_of(name, self.operands, regions=regions, location=self.location)

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
            operation_of(name, operands, location=self.location)

    def finish(self, operands: Sequence[Value], results: Sequence[Type]) -> list[Value]:
        """Put the real op in place; returns its results."""
        with context(), ir.InsertionPoint(self.op):
            op = operation_of(
                self.name, operands, results, regions=len(self.op.regions), location=self.location
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
        for region in self._regions:
            region.drop()
        self._end()

    def _end(self) -> None:
        self._is_finished = True
        for region in self._regions:
            region.is_over = True

"""Sorts in kernels: calls of native code that sorts one row (see `cpu/sorting`), in loops over all rows.

An op that sorts is alone in its kernel, which stores its result:

    %sorted = weft.sort %keys {axis = 1 : i64, descending = false}
    bufferization.materialize_in_destination %sorted in restrict writable %target

Elements are sorted in the memory of the result; where they are read from or stored with gaps, in scratch memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.attributes import type_from_mlir
from ....dialect.mlir import Module, Operation, ir
from ....dialect.ops.sorting import Argsort, Partition, PartitionAt, Sort
from ....dialect.records import dataclass
from ....dialect.types import TensorType
from ....passes.base import Pass, Statistics
from ....passes.notes import note
from ....passes.preconditions import refuse
from ....passes.rewriting import defined_functions, operations_in
from ...nests.emit import Emitter, Index
from ...target import processor
from .native_calls import Memory, call_native, is_dense, only_store

BLOCK = 4096
"""Elements, in whole rows, that one call sorts; longer rows have a call each."""

SHORT = 64
"""The longest rows that are sorted where they should be partitioned."""

SORTS = tuple(op.mlir_name() for op in (Sort, Argsort, Partition, PartitionAt))
"""The ops that are left to the backend."""


@dataclass(frozen=True)
class WriteSorts(Pass):
    """Write sorts as calls of native code, in loops over rows."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for view in defined_functions(module):
            # Found before one is written: what stores its result is erased with it.
            sorts = [op for op in operations_in(view.regions[0].blocks[0]) if op.name in SORTS]
            for operation in sorts:
                with ir.InsertionPoint(operation), operation.location:
                    note("algorithm", operation.location, "sorts, by code of its own")
                    _RowSort(operation, Emitter(view.operation)).write()
                operation.erase()
                statistics["sorts written"] += 1


class _RowSort:
    """A sort along the last axis."""

    def __init__(self, operation: Operation, emitter: Emitter) -> None:
        self._op, self._emitter = operation, emitter
        keys = type_from_mlir(operation.operands[0].type)
        assert isinstance(keys, TensorType)
        self._keys = keys.dtype

    def write(self) -> None:
        """Write the loop, and store the result."""
        result = self._op.results[0]
        store = only_store(result)
        if store is None:
            refuse(self._op, "a sort is stored to memory once: run --plan-buffers before --write-sorts")
        memory = Memory(self._emitter)
        source, target = memory.of(self._op.operands[0]), store.operands[1]
        is_stored = is_dense(target)
        if not is_stored:
            target = memory.scratch(result.type, memory.extents(source))
        *others, length = memory.extents(target)
        rows: Index = 1
        for extent in others:
            rows = self._emitter.multiply(rows, extent)
        starts = [memory.address(memref) for memref in (source, target)]
        sizes = [self._keys.itemsize, 8 if self._op.name == Argsort.mlir_name() else self._keys.itemsize]
        count = max(1, BLOCK // max(1, length)) if isinstance(length, int) else 1
        if self._op.name == PartitionAt.mlir_name() or (
            self._op.name == Partition.mlir_name() and not _is_short(length)
        ):
            count = 1
        chosen = self._chosen_places(memory)
        with self._emitter.loop(rows, count, parallel=True) as row:
            first = self._emitter.multiply(row, length)
            places = [
                self._emitter.add(start, self._emitter.multiply(first, size))
                for start, size in zip(starts, sizes, strict=True)
            ]
            left = self._emitter.minimum(self._emitter.subtract(rows, row), count)
            if chosen is not None:
                self._partition_at(places[0], places[1], length, chosen, row)
            else:
                self._sort_rows(places[0], places[1], length, left)
        if is_stored:
            store.erase()
        else:
            result.replace_all_uses_with(memory.read(target, result.type))

    def _sort_rows(self, source: Index, target: Index, length: Index, rows: Index) -> None:
        if self._op.name == Argsort.mlir_name():
            self._call("weft_argsort", [source, target, length, rows])
        elif self._op.name == Sort.mlir_name() or _is_short(length):
            self._call("weft_sort", [source, target, length, rows])
        else:
            self._partition(source, target, length)

    def _partition(self, source: Index, target: Index, length: Index) -> None:
        """Select one place after the other: what comes behind a place is larger than what is before."""
        add, subtract = self._emitter.add, self._emitter.subtract
        before = 0
        for place in self._op.attributes["places"]:
            rest = add(target, before * self._keys.itemsize)
            self._call(
                "weft_select", [rest if before else source, rest, subtract(length, before), place - before]
            )
            before = place + 1

    def _chosen_places(self, memory: Memory) -> tuple[Index, Index] | None:
        """Where the places of rows are that are known when the program runs, and how many a row has."""
        if self._op.name != PartitionAt.mlir_name():
            return None
        places = memory.of(self._op.operands[1])
        return memory.address(places), memory.extents(places)[-1]

    def _partition_at(
        self, source: Index, target: Index, length: Index, chosen: tuple[Index, Index], row: Index
    ) -> None:
        first, count = chosen
        places = self._emitter.add(first, self._emitter.multiply(self._emitter.multiply(row, count), 8))
        self._call("weft_select_several", [source, target, length, places, count])

    def _call(self, function: str, arguments: Sequence[Index]) -> None:
        call_native(
            self._op, self._emitter, f"{function}_{self._keys}_by_{processor().sorted_digits}", arguments
        )


def _is_short(length: Index) -> bool:
    """Whether rows are so short that to sort them is the fastest way to partition them."""
    return isinstance(length, int) and length <= SHORT

"""Loops of ufuncs in kernels: calls of native code that NumPy or SciPy has, on memory without gaps.

An op that calls a loop is alone in its kernel, which stores its results:

    %x, %status = weft.call_loop(%a, %b, %empty) {function = "numpy.linalg._umath_linalg.solve", loop = "dd->d", ...}
    bufferization.materialize_in_destination %x in restrict writable %target

becomes a call of `weft_loop.numpy.linalg._umath_linalg.solve.dd.d(arguments, extents, steps)`: three tables of words on
the stack, as NumPy's C API describes them (https://numpy.org/doc/stable/reference/c-api/generalized-ufuncs.html). It
returns 0 where the loop did not raise the floating-point flag "invalid", by which these loops tell that they failed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....dialect.mlir import Module, Operation, Value, ir
from ....dialect.ops.ufunc_loops import CallLoop
from ....dialect.records import dataclass
from ....dialect.ufunc_loops import signature_of
from ....passes.base import Pass, Statistics
from ....passes.notes import note
from ....passes.preconditions import refuse
from ....passes.rewriting import defined_functions, operations_in
from ...nests.emit import Emitter, Index, create, store
from ...planning.names import loop_name
from .native_calls import Memory, call_native, is_dense, only_store


@dataclass(frozen=True)
class WriteLoopCalls(Pass):
    """Write loops of ufuncs as calls of native code."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for view in defined_functions(module):
            calls = [op for op in operations_in(view.regions[0].blocks[0]) if op.name == CallLoop.mlir_name()]
            for operation in calls:
                with ir.InsertionPoint(operation), operation.location:
                    note("algorithm", operation.location, "calls a loop of a library over the elements")
                    loop = LoopCall(operation, Emitter(view.operation))
                    loop.store_status(loop.call(loop.addresses(), loop.count))
                operation.erase()
                statistics["calls of loops written"] += 1


class LoopCall:
    """A call of a loop, with the memory of what it takes and gives."""

    def __init__(self, operation: Operation, emitter: Emitter) -> None:
        self._op, self._emitter, self._memory = operation, emitter, Memory(emitter)
        self._word = ir.IntegerType.get_signless(64)
        self._function: str = operation.attributes["function"].value
        self._loop: str = operation.attributes["loop"].value
        self._tables: dict[str, Value] = {}
        arguments = list(operation.operands)
        *results, self._status = operation.results
        first = len(arguments) - len(results)
        self.places = [self._memory.of(argument) for argument in arguments[:first]]
        self.places += [self._target(a, r) for a, r in zip(arguments[first:], results, strict=True)]
        self.count: Index = 1
        """How many cores there are."""
        self.steps: list[Index] = []
        """From core to core of every place, in bytes: 0 where there is one core for all."""
        self._measure()

    def addresses(self) -> list[Index]:
        """Where the places begin."""
        return [self._memory.address(place) for place in self.places]

    def call(self, addresses: Sequence[Index], count: Index) -> Value:
        """Call the loop on so many cores; 0 where it did not fail."""
        tables = {
            "addresses": addresses,
            "extents": [count, *self._sizes],
            "steps": [*self.steps, *self._inner],
        }
        name = loop_name(self._function, self._loop)
        return call_native(
            self._op, self._emitter, name, [self._table(table, words) for table, words in tables.items()]
        )

    def _target(self, argument: Value, result: Value) -> Value:
        """The memory of an argument that the loop writes, which holds its value and is where the result belongs."""
        stored = only_store(result)
        if stored is None and any(True for _ in result.uses):
            refuse(
                self._op,
                "the result of a loop is stored to memory: run --plan-buffers before --write-loop-calls",
            )
        if stored is not None and is_dense(stored.operands[1]):
            target = stored.operands[1]
            stored.erase()
        else:
            target = self._memory.scratch(argument.type, self._memory.extents(argument))
            result.replace_all_uses_with(self._memory.read(target, result.type))
        if not _is_empty(argument) and not _is_in(argument, target):
            self._memory.write(argument, target)
        return target

    def _measure(self) -> None:
        """Find the extents of the core's axes, and the bytes between its elements."""
        signature = signature_of(self._function)
        cores = [*signature.operands, *signature.results]
        emitter = self._emitter
        sizes: dict[str, Index] = {}
        self._inner: list[Index] = []
        characters = self._loop.replace("->", "")
        for axes, place, character in zip(cores, self.places, characters, strict=True):
            extents = self._memory.extents(place)
            split = len(extents) - len(axes)
            sizes.update(
                {name: e for name, e in zip(axes, extents[split:], strict=True) if name not in sizes}
            )
            step: Index = np.dtype(character).itemsize
            steps: list[Index] = []
            for extent in reversed(extents[split:]):
                steps.append(step)
                step = emitter.multiply(step, extent)
            self._inner += reversed(steps)
            self.steps.append(step if split else 0)
            if split:
                self.count = 1
                for extent in extents[:split]:
                    self.count = emitter.multiply(self.count, extent)
        self._sizes = list(sizes.values())

    def _table(self, table: str, words: Sequence[Index]) -> Value:
        """Words on the stack: their address."""
        if table not in self._tables:
            with self._emitter.entry_point():
                no_sizes = {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([0, 0])}
                type = ir.MemRefType.get([len(words)], self._word)
                self._tables[table] = create("memref.alloca", [type], [], no_sizes)
        memory = self._tables[table]
        for place, word in enumerate(words):
            stored = create("arith.index_cast", [self._word], [self._emitter.value(word)])
            store(stored, memory, [self._emitter.value(place)])
        return self._memory.address(memory)

    def store_status(self, found: Value) -> None:
        """Store whether the loop failed where that belongs."""
        status = self._status
        stored = only_store(status)
        if stored is not None:
            store(found, stored.operands[1], [])
            stored.erase()
        elif any(True for _ in status.uses):
            refuse(
                self._op,
                "whether a loop failed is stored to memory: run --plan-buffers before --write-loop-calls",
            )


def _is_empty(tensor: Value) -> bool:
    """Whether a tensor has no elements yet."""
    return not isinstance(tensor.owner, ir.Block) and tensor.owner.operation.name == "tensor.empty"


def _is_in(tensor: Value, memref: Value) -> bool:
    """Whether a tensor is what memory holds."""
    if isinstance(tensor.owner, ir.Block):
        return False
    made = tensor.owner.operation
    return bool(made.name == "bufferization.to_tensor" and made.operands[0] == memref)

"""Random numbers in kernels: calls of native code that fills memory (see `cpu/random_numbers`).

The state is copied to the memory of the new one, in which the native code changes it:

    %numbers, %next = weft.fill_random(%state, %empty) {algorithm = "pcg64", function = "normal"}
"""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, Type, Value, ir
from ....dialect.ops.random import FillRandom
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.notes import note
from ....passes.rewriting import defined_functions, operations_in
from ...nests.emit import Emitter, Index, create
from .native_calls import Memory, call_native, is_dense, only_store

FILLS = FillRandom.mlir_name()

_SPARE_OF_PHILOX = 5 * 8
"""Where the spare half is in the state of a Philox; in others it is first."""

_CORE_OF_PCG = 4 * 8
"""The bytes of state and increment, which come last."""


@dataclass(frozen=True)
class WriteRandomNumbers(Pass):
    """Write what draws random numbers as calls of native code."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for view in defined_functions(module):
            fills = [op for op in operations_in(view.regions[0].blocks[0]) if op.name == FILLS]
            for operation in fills:
                with ir.InsertionPoint(operation), operation.location:
                    note(
                        "algorithm",
                        operation.location,
                        "draws random numbers, one after the other, as NumPy does",
                    )
                    _write(operation, Emitter(view.operation))
                operation.erase()
                statistics["calls written"] += 1


def _write(operation: Operation, emitter: Emitter) -> None:
    memory = Memory(emitter)
    state, _, *given = operation.operands
    sources = [memory.of(operand) for operand in given]
    before = memory.of(state)
    numbers, after = (_target(memory, operation, number) for number in range(2))
    if before != after:
        create("memref.copy", [], [before, after])
    words = memory.address(after)
    if operation.attributes["algorithm"].value == "philox":
        spare, core = emitter.add(words, _SPARE_OF_PHILOX), words
    else:
        spare, core = words, emitter.add(words, 8 * after.type.shape[0] - _CORE_OF_PCG)
    arguments: list[Index] = [spare, core, memory.address(numbers), *memory.extents(numbers)]
    arguments += [memory.address(source) for source in sources]
    if operation.attributes["function"].value == "integers":
        arguments.append(_distance(sources[0].type))
    call_native(operation, emitter, _name(operation), arguments)


def _distance(bounds: Type) -> int:
    """How many bytes the bounds of a number are behind those of the one before; one pair may be for all."""
    return 0 if list(bounds.shape) == [1] else bounds.element_type.width // 8


def _target(memory: Memory, operation: Operation, number: int) -> Value:
    """The memory in which a result is stored; scratch where it is stored with gaps, or nobody needs it."""
    result = operation.results[number]
    store = only_store(result)
    if store is not None and is_dense(store.operands[1]):
        target = store.operands[1]
        store.erase()
        return target
    extents = memory.extents(operation.operands[1 - number])
    target = memory.scratch(result.type, extents)
    result.replace_all_uses_with(
        create("bufferization.to_tensor", [result.type], [target], {"restrict": ir.UnitAttr.get()})
    )
    return target


def _name(operation: Operation) -> str:
    attributes = operation.attributes
    return f"weft_random_{attributes['function'].value}_{attributes['algorithm'].value}_{attributes['dtype'].value}"

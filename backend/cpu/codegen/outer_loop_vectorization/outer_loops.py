"""Loops whose iterations run inner loops of their own length, several iterations side by side in the lanes of vectors.

    for i:                                     for i by steps of the number of lanes:
        state = ...                                state = ... in vectors
        while condition(state):           ->       while any lane of condition(state):
            state = body(state)                        state = body(state) where condition(state), else state
        a = insert state into a[i]                 insert the lanes of state one after the other

The state of a lane whose condition fails stays what it is, and so does what the condition says of it; lanes compute
what the iterations compute, bit for bit. What follows from the values that the outer loop carries (elements are stored,
numbers added up) is done lane by lane, in the order of the iterations. The last iterations, fewer than lanes, remain
as they are.
"""

from __future__ import annotations

from collections.abc import Iterator

from .....dialect.made_ops import operation_of
from .....dialect.mlir import Module, Operation, Value, ir
from .....dialect.records import dataclass
from .....passes.base import Pass, Statistics
from .....passes.control_flow.structure import constant_index
from .....passes.notes import note
from ....nests.emit import create
from ....nests.nest import nested
from ..vectors.temporaries import element_bytes
from ..vectors.width import vector_bytes
from .body import LaneWriter
from .complex_parts import split_complex_numbers
from .rules import has_inner_loop, is_vectorisable_body, pays_in_lanes

VECTORS = 2
"""How many vectors go side by side: one alone waits for its own results most of the time."""

_WHY_NOT = "iterations run side by side in vectors only where the loops in them compute with numbers alone"
_TOO_SLOW = "this machine has no instructions that multiply or shift vectors of 64-bit integers"


@dataclass(frozen=True)
class VectorizeOuterLoops(Pass):
    """Run iterations with inner loops of their own side by side in vectors."""

    def run(self, module: Module, statistics: Statistics) -> None:
        statistics["loops vectorised"] += _vectorise_loops(module)


def _vectorise_loops(module: Module) -> int:
    """Write the loops of all functions that can be, as vector code; returns how many there were."""
    found: list[Operation] = []
    for function in module.body.operations:
        for loop in [op.operation for op in nested(function.operation) if has_inner_loop(op.operation)]:
            split_complex_numbers(loop)
            if is_vectorisable_body(loop):
                if pays_in_lanes(loop, _lanes(loop)):
                    found.append(loop)
                else:
                    note("scalar", loop.location, f"runs one iteration after another: {_TOO_SLOW}")
            else:
                note("scalar", loop.location, f"runs one iteration after another: {_WHY_NOT}")
    for loop in found:
        with ir.InsertionPoint(loop), loop.location:
            _vectorise(loop)
    return len(found)


def _vectorise(loop: Operation) -> None:
    """Put a loop over whole vectors of iterations before a loop, which is left the rest."""
    start, stop, _, *initial = loop.operands
    lanes = VECTORS * _lanes(loop)
    note("vector", loop.location, "runs {} iterations side by side in vectors", str(lanes))
    whole = _whole(start, stop, lanes)
    wide = operation_of(
        "scf.for",
        [start, whole, constant_index(lanes), *initial],
        [value.type for value in initial],
        regions=1,
    )
    for name in loop.attributes:
        wide.attributes[name] = loop.attributes[name]
    body = loop.regions[0].blocks[0]
    types = [argument.type for argument in body.arguments]
    block = wide.regions[0].blocks.append(*types, arg_locs=[loop.location] * len(types))
    with ir.InsertionPoint(block):
        position, *carried = block.arguments
        results = LaneWriter(body, lanes).write(position, list(carried), initial)
        create("scf.yield", [], results)
    loop.operands[0] = whole
    for number, result in enumerate(wide.results):
        loop.operands[3 + number] = result


def _whole(start: Value, stop: Value, lanes: int) -> Value:
    """Where the last whole vector of iterations ends."""
    index = ir.IndexType.get()
    count = create("arith.maxsi", [index], [create("arith.subi", [index], [stop, start]), constant_index(0)])
    rest = create("arith.remui", [index], [count, constant_index(lanes)])
    return create("arith.addi", [index], [start, create("arith.subi", [index], [count, rest])])


def _lanes(loop: Operation) -> int:
    """How many iterations a vector holds."""
    return vector_bytes() // max(_widths(loop))


def _widths(loop: Operation) -> Iterator[int]:
    """The sizes of the numbers that inner loops carry, in bytes."""
    for op in nested(loop):
        if op.operation.name in ("scf.while", "scf.for"):
            for value in op.operation.results:
                yield 8 if isinstance(value.type, ir.IndexType) else element_bytes(value.type)

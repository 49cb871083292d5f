"""Steps through memory: what loops read and write that does not lie side by side.

A processor brings whole cache lines, and vectors hold neighbours: of a column of a table it uses one element of each
line, loaded by itself. Told to whoever records notes, of loops as they are before they become branches.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...dialect.mlir import Module, Operation, ir
from ...passes.notes import note, place_of
from ...passes.rewriting import constant_integer, defined_functions, operations_of
from ..nests.iterations import linear
from ..planning.buffer_assignment import byte_width
from .element_loops import LOOPS
from .lowering.steps import trips_of

_FEW = 8
"""Iterations of loops in which steps cost little: what they read are some cache lines."""

_ACCESSES = {"memref.load": (0, "reads"), "memref.store": (1, "writes")}
"""Ops on single elements: the number of the memref among their operands, and a verb."""


def note_strides(module: Module) -> None:
    """Note the accesses of innermost loops that are more than an element away from those of the next iteration."""
    for view in defined_functions(module):
        for loop in operations_of(view.operation):
            if loop.name == "scf.for" and trips_of(loop) > _FEW and not _has_loops(loop):
                for access, step in _accesses(loop):
                    verb = _ACCESSES[access.name][1]
                    note("strided", access.location, f"{verb} memory in steps of {{}}", step)


def _has_loops(loop: Operation) -> bool:
    return any(op.name in LOOPS for op in operations_of(loop))


def _accesses(loop: Operation) -> Iterator[tuple[Operation, str]]:
    """What a loop reads and writes in steps, and how long these are."""
    is_vector = any(op.name.startswith("vector.") for op in operations_of(loop))
    by = 1 if is_vector else constant_integer(loop.operands[2]) or 1
    for op in operations_of(loop):
        if op.name in _ACCESSES and place_of(op.location).line and (not is_vector or _is_lane(op)):
            step = _step_of(op, loop, by)
            if step is not None:
                yield op, step


def _is_lane(op: Operation) -> bool:
    """Whether an op reads an element of a vector; others beside vectors are factors of whole ones."""
    return all(
        use.owner.operation.name == "vector.from_elements" for result in op.results for use in result.uses
    )


def _step_of(op: Operation, loop: Operation, by: int) -> str | None:
    """How far an access goes from one iteration to the next; None where that is one element, nothing, or unknown."""
    memref, *indices = list(op.operands)[_ACCESSES[op.name][0] :]
    strides, _ = memref.type.get_strides_and_offset()
    total = 0
    for index, stride in zip(indices, strides, strict=True):
        place = linear(index, loop)
        if place is None:
            return None
        if not place.factor:
            continue
        if stride == ir.ShapedType.get_dynamic_stride_or_offset():
            return "a row"
        total += place.factor * by * stride
    return f"{abs(total) * byte_width(memref.type.element_type):,} bytes" if abs(total) > 1 else None

"""Attention: queries stay with their threads, keys and values go by, and no scores are in memory.

A block has some rows of queries. It goes over the keys, tile by tile: it multiplies the rows with the keys, takes the
exponential function of what comes out, less the largest number that each row has shown so far, and adds up the values
by these weights. When a larger number comes, what was added up before is made smaller. The weights of a row are added
up as well, and what it has of values is divided by their sum in the end. All is done in one order, whatever else runs.

Where there are few rows, several blocks share the keys: each leaves what its piece comes to, with the largest number in
it, and a second kernel makes one of these.

A row all of whose scores are minus infinity has no weights but zeros, and is 0 / 0 in the end, as in NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Operation, Value
from ...nests.emit import Emitter
from ..code.kernel import Kernel, allocate
from ..code.walk import product
from .attention_parts import Parts, find
from .attention_pieces import merged, pieces_of
from .attention_rows import Pieces, Rows
from .loaders import THREADS
from .products import is_asked_for, is_replaced
from .steps import Step


def write(function: Operation, name: str, steps: Sequence[Step], kind: type[Rows], reason: str) -> None:
    """Write the steps that attention is made of, and the one behind them that is computed with its result."""
    found = find(steps)
    assert found is not None
    attention, count = found
    parts = Parts.of(attention)
    assert parts is not None
    tile = kind.tile(parts)
    assert tile is not None
    emitter = Emitter(function)
    ends = steps[count - 1 :]
    asked = is_asked_for(ends)
    result = ends[0].nest.outputs[0].memref
    between = {step.nest.outputs[0].memref for step in steps[: count - 1]}
    if not asked and not is_replaced(ends):
        between.add(result)
    ops = [step.nest.operation for step in steps]
    given = [step.initial for step in steps if step.initial is not None]

    def kernel_of(name: str, kind: type[Rows], memory: Sequence[Value], pieces: int) -> Kernel:
        kernel = Kernel(function, name, ops, (THREADS, 1, 1), [*given, *memory], list(between))
        with kernel.body():
            copies = {op: kernel.clone(op) for op in ops}
            own = Pieces(pieces, [kernel.value(memref) for memref in memory])
            kind(kernel, parts, tile, copies, ends, asked, own).emit()
            for copy in copies.values():
                copy.erase()
        return kernel

    counts = [*parts.outer, emitter.divide(emitter.add(parts.rows, tile.rows - 1), tile.rows)]
    blocks = emitter.maximum(1, product(counts, emitter))
    text = f"{reason}; {tile.rows} rows and {tile.keys} keys at a time"
    pieces = pieces_of(parts, tile, blocks)
    if pieces == 1:
        kernel_of(name, kind, [], 1).launch([blocks], text)
        return
    rows = product([*parts.outer, parts.rows], emitter)
    assert isinstance(rows, int)
    types = [parts.scores.element, attention.total.operands[1].type.element_type, parts.scores.element]
    shapes = [[pieces, rows], [pieces, rows], [pieces, rows, parts.columns]]
    memory = [allocate(shape, type) for shape, type in zip(shapes, types, strict=True)]
    kernel_of(f"{name}_parts", kind, memory, pieces).launch([blocks, pieces], f"{text}, in {pieces} pieces")
    last = kernel_of(name, merged(kind), memory, pieces)
    last.launch([-(-rows * parts.columns // THREADS)], f"{reason}: the pieces, in their order")


__all__ = ["write"]

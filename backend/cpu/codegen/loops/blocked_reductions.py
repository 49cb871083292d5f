"""Reductions of all that there is, in blocks: so that threads can share them, and sums stay accurate.

How a range is cut depends on its length alone: the result is the same however many threads there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .....dialect.mlir import Value
from ....nests.emit import Emitter, ForLoop, Index, compare, create, load, store
from ..vectors.temporaries import scratch

BLOCK = 16 * 1024
"""The shortest block: some microseconds of work."""

MOST_BLOCKS = 64
"""Longer ranges have longer blocks."""


def may_have_blocks(longest: int | None) -> bool:
    """Whether a range of that length at most, None if any, may be so long that blocks pay."""
    return longest is None or longest >= 2 * BLOCK


def reduce_blocks(
    emitter: Emitter,
    extent: Index,
    neutral: Sequence[Value],
    reduce: Callable[[Index, Index], list[Value]],
    join: Callable[[list[Value], list[Value]], list[Value]],
) -> list[Value]:
    """Reduce a range block by block, and then the results of the blocks, from the first to the last.

    `reduce` writes the code for a range, `join` for two results; `neutral` is the result of an empty range.
    """
    length = _block_length(emitter, extent)
    count = _quotient(emitter, emitter.add(extent, emitter.subtract(length, 1)), length)
    partial = [scratch(emitter, [MOST_BLOCKS], value.type) for value in neutral]
    with emitter.loop(count, parallel=True) as block:
        start = emitter.multiply(block, length)
        stop = emitter.minimum(emitter.add(start, length), extent)
        for value, memref in zip(reduce(start, stop), partial, strict=True):
            store(value, memref, [emitter.value(block)])
    loop = ForLoop(emitter, 0, count, 1, neutral, unroll=False)
    with loop.body():
        found = [load(memref, [emitter.value(loop.position)]) for memref in partial]
        loop.end(join(loop.carried, found))
    return loop.results


def _block_length(emitter: Emitter, extent: Index) -> Index:
    """Blocks are whole multiples of the shortest, so that there are at most so many; less than two are one."""
    multiple = emitter.add(emitter.divide(extent, BLOCK * MOST_BLOCKS), 1)
    length = emitter.multiply(multiple, BLOCK)
    if isinstance(extent, int):
        return length
    is_short = compare("ult", extent, emitter.value(2 * BLOCK))
    operands = [is_short, emitter.value(2 * BLOCK), emitter.value(length)]
    return create("arith.select", [emitter.index_type], operands)


def _quotient(emitter: Emitter, left: Index, right: Index) -> Index:
    if isinstance(left, int) and isinstance(right, int):
        return left // right
    return create("arith.divui", [emitter.index_type], [emitter.value(left), emitter.value(right)])

"""Blocks that share the keys of few rows: how many these are, and the kernel that merges what they leave."""

from __future__ import annotations

from ...nests.emit import ForLoop, Index, create, load
from ...target import current_gpu
from ..code.control import compare, only_if
from ..code.walk import split
from .attention_parts import Parts, Tile
from .attention_rows import Rows

_IDLE = 4
"""Keys are shared where blocks of rows are so many times fewer than multiprocessors."""
_LEAST = 4
"""Tiles of keys that are worth a block."""


def pieces_of(parts: Parts, tile: Tile, blocks: Index) -> int:
    """How many blocks share the keys of some rows: several, where rows alone would leave most of the GPU idle."""
    gpu = current_gpu()
    keys = parts.keys
    if not isinstance(blocks, int) or not isinstance(keys, int) or blocks * _IDLE > gpu.multiprocessors:
        return 1
    tiles = -(-keys // tile.keys)
    each = max(_LEAST, -(-tiles * blocks // gpu.multiprocessors))
    return max(1, -(-tiles // each))


def merged(kind: type[Rows]) -> type[Rows]:
    """What merges the pieces that a kind of rows leaves: a thread for each element of the result."""

    class Merged(_Merged):
        scale = staticmethod(kind.scale)

    return Merged


class _Merged(Rows):
    """Writes what a thread does: it has an element of a row."""

    lanes = 1
    quad = 1

    def _place(self) -> None:
        """Which element the thread has."""
        emitter = self.emitter
        self.thread = self.kernel.number()
        extents = [*self.parts.outer, self.rows, self.parts.columns]
        *batch, self.first, self.column = split(self.thread, extents, emitter)
        self._take_batch(batch)

    def emit(self) -> None:
        """Write the kernel."""
        count = self.emitter.product([*self.parts.outer, self.rows, self.parts.columns])
        with only_if(compare("ult", self.thread, self.emitter.value(count))):
            self._merge()

    def _merge(self) -> None:
        """The largest score tells what the weights of each piece come to; they are added up in their order."""
        emitter, (of_largest, of_totals, of_sums) = self.emitter, self.pieces.memory
        row, column = self._row_of_all(self.first), emitter.value(self.column)
        loop = ForLoop(emitter, 0, self.pieces.count, 1, [self.least])
        with loop.body():
            found = load(of_largest, [emitter.value(loop.position), row])
            loop.end([self._largest(loop.carried[0], [found])])
        finite = self._finite(loop.results[0])
        none = emitter.splat(0, of_totals.type.element_type)
        loop = ForLoop(emitter, 0, self.pieces.count, 1, [none, self.zero])
        with loop.body():
            piece = emitter.value(loop.position)
            smaller = self._exponential(load(of_largest, [piece, row]), finite)
            total, value = load(of_totals, [piece, row]), load(of_sums, [piece, row, column])
            own = [
                create("arith.mulf", [total.type], [total, self.as_type(smaller, total.type)]),
                create("arith.mulf", [value.type], [value, smaller]),
            ]
            pairs = zip(loop.carried, own, strict=True)
            loop.end([create("arith.addf", [before.type], [before, more]) for before, more in pairs])
        total, value = loop.results
        (value,) = self._divided(total, [value])
        self.store_neighbours([value], emitter.value(self.first), column)

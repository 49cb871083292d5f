"""Keys and values of attention that are copied to shared memory while the tile before them is multiplied.

There are two tiles of each, or three where that leaves room for two blocks on a multiprocessor. A tile has one barrier,
behind which it has come, and the place of the one before is free.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Type, Value
from ....dialect.records import dataclass
from ...nests.emit import Index, create
from ...target import current_gpu
from ..code.asynchronous import close_group, wait_for_groups
from ..code.control import compare, only_if
from ..code.tensor_copies import SharedTiles
from .attention_rows import Rows
from .attention_tiles import LineLoader, Staged
from .copied_tiles import CopiedFactor


@dataclass
class _Lines(Staged):
    """Lines of keys, or columns of values, of which every warp has all, or of queries."""

    half: Type
    fragments: int
    warp: tuple[Index, Index] = (0, 0)

    @staticmethod
    def of_loader(loader: LineLoader, half: Type, first: Index = 0, count: int = 0) -> _Lines:
        """Those that a loader brings; or 16 of them, from one on, of each warp."""
        own = loader.product
        assert isinstance(own, Staged)
        parts = own.emitter, own.contraction, own.element, own.thread, own.outer, own.summed, own.depth
        return _Lines(*parts, half, count or loader.box.side // 8, (first, 0))


class CopiedAttention:
    """The tiles of keys and values of a block."""

    def __init__(
        self,
        rows: Rows,
        half: Type,
        loaders: Sequence[LineLoader],
        queries: tuple[LineLoader, Index] | None = None,
    ) -> None:
        """Of keys and of values; and of queries that stay in shared memory, with the first row of the warp."""
        self._rows, self._emitter, (self._keys, values) = rows, rows.emitter, loaders
        first = CopiedFactor(_Lines.of_loader(self._keys, half), self._keys, 0)
        self._factors = first, CopiedFactor(_Lines.of_loader(values, half), values, first.bytes)
        self._bytes = sum(factor.bytes for factor in self._factors)
        gpu = current_gpu()
        self._stages = 3 if 2 * 3 * self._bytes <= gpu.shared_bytes else 2
        self.shared_bytes = self._stages * self._bytes
        self._queries: CopiedFactor | None = None
        if queries is not None:
            loader, row = queries
            self._queries = CopiedFactor(_Lines.of_loader(loader, half, row, 1), loader, self.shared_bytes)
            self.shared_bytes += self._queries.bytes
        self._memory = SharedTiles(rows.kernel)

    def begin(self, first: Index, last: Index) -> None:
        """Begin to copy the first tiles of keys from one to another one."""
        self._last = last
        if self._queries is not None:
            self._queries.fill(0, self._emitter.value(0), self._memory)
        for number in range(self._stages - 1):
            self._fill(self._emitter.add(first, number * self._rows.tile_shape.keys))

    def next(self, first: Index) -> None:
        """Wait for the tile that begins at a key, and begin to copy another one."""
        wait_for_groups(self._stages - 2)
        self._rows.kernel.barrier()
        self._place = self._place_of(first)
        self._fill(self._emitter.add(first, (self._stages - 1) * self._rows.tile_shape.keys))

    def fragments(self, factor: int, depth: int) -> list[list[Value]]:
        """What a thread gives instructions of the keys, or of the columns of values, at a depth."""
        return self._factors[factor].squares(depth, self._place, self._memory)

    @property
    def has_queries(self) -> bool:
        """Whether queries are in shared memory."""
        return self._queries is not None

    def queries(self, depth: int) -> list[Value]:
        """What a thread gives an instruction of queries that are in shared memory."""
        assert self._queries is not None
        (found,) = self._queries.squares(depth, self._emitter.value(0), self._memory)
        return found

    def _place_of(self, key: Index) -> Value:
        """Where the tile that begins at a key is, in bytes."""
        emitter = self._emitter
        number = emitter.value(emitter.divide(key, self._rows.tile_shape.keys))
        turn = create("arith.remui", [number.type], [number, emitter.value(self._stages)])
        return emitter.value(emitter.multiply(turn, self._bytes))

    def _fill(self, first: Index) -> None:
        """Begin to copy the tile that begins at a key; a group without copies, if there is none."""
        with only_if(compare("ult", self._emitter.value(first), self._emitter.value(self._last))):
            place = self._place_of(first)
            keys, values = self._factors
            self._keys.first = first
            keys.fill(0, place, self._memory)
            values.fill(first, place, self._memory)
        close_group()

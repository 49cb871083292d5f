"""Attention without tensor cores: 16 by 16 threads, each of which has some rows, some keys and some columns of values.

Queries and weights lie in shared memory; of keys and values, what is multiplied next.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Type, Value
from ....dialect.records import dataclass
from ...nests.contraction import Contraction
from ...nests.emit import Emitter, ForLoop, Index, create, store
from ...nests.nest import whole
from ..code.vectors import BYTES, element_bytes, load_lanes, store_lanes
from .attention_parts import Parts, Tile
from .attention_rows import Rows
from .loaders import Box, Loader

_SIDE = 16
"""So many threads share rows, and so many have other ones."""
_DEPTH = 16
"""What is multiplied in a step."""
_PAD = 4
"""Elements between the lines of a tile, so that the threads of a warp read from different banks."""
_SHARED = 48 << 10
"""Bytes of shared memory that every kernel may have."""


@dataclass
class Staged:
    """A product, as what loads its factors asks for it."""

    emitter: Emitter
    contraction: Contraction
    element: Type
    thread: Value
    outer: Sequence[Index]
    summed: list[Index]
    depth: Index

    @staticmethod
    def of(rows: Rows, contraction: Contraction, outer: Sequence[Index], depth: Index) -> Staged:
        """One of the products of attention, which is summed over so many places."""
        return Staged(rows.emitter, contraction, contraction.element, rows.thread, outer, [depth], depth)


class LineLoader(Loader):
    """Brings tiles whose lines are rows, keys or columns, with what is summed side by side."""

    base: Index = 0
    """Where in its line what is summed begins."""

    def store(self, values: Sequence[Value], tile: Value) -> None:
        """Put what was read to its place in shared memory, neighbours at once."""
        if not self.by_depth or self.lanes == 1 or self.factor.conversion is not None:
            super().store(values, tile)
            return
        most = min(self.lanes, BYTES // element_bytes(tile.type.element_type))
        for number, (k, side) in enumerate(self.starts):
            for lane in range(0, self.lanes, most):
                point = [side, self.emitter.add(self.emitter.add(self.base, k), lane)]
                own = values[number * self.lanes + lane :][:most]
                store_lanes(own, whole(tile), point, self.emitter)

    def put(self, value: Value, tile: Value, depth: Index, place: Index) -> None:
        """Store an element, in the type that is multiplied."""
        super().put(value, tile, place, self.emitter.add(self.base, depth))


class TiledRows(Rows):
    """Writes what a thread does."""

    lanes = _SIDE

    @staticmethod
    def tile(parts: Parts) -> Tile | None:
        """The most rows and keys that shared memory has room for."""
        size = element_bytes(parts.scores.element)
        depth = -(-parts.depth // _DEPTH) * _DEPTH
        columns = _SIDE
        while columns < parts.columns:
            columns *= 2
        few = parts.rows if isinstance(parts.rows, int) else 4 * _SIDE
        for rows, keys in ((4, 4), (2, 4), (1, 4), (2, 2), (1, 2), (1, 1)):
            rows, keys = rows * _SIDE, keys * _SIDE
            lines = [rows * (depth + _PAD), rows * (keys + _PAD), keys * (_DEPTH + _PAD)]
            if size * (sum(lines) + _DEPTH * (columns + _PAD)) <= _SHARED and rows < 2 * max(
                few, _SIDE // 2 + 1
            ):
                return Tile(rows, keys, depth, columns)
        return None

    def prepare(self) -> None:
        """Bring the queries to shared memory."""
        emitter, tile, kernel = self.emitter, self.tile_shape, self.kernel
        by = emitter.value(_SIDE)
        self.down = create("arith.divui", [self.thread.type], [self.thread, by])
        self.across = create("arith.remui", [self.thread.type], [self.thread, by])
        self.each = tile.rows // _SIDE
        self.quad = min(4, tile.columns // _SIDE)
        self.wide = BYTES // element_bytes(self.element)
        self.queries = kernel.shared([tile.rows, tile.depth + _PAD], self.element)
        self.weights = kernel.shared([tile.rows, tile.keys + _PAD], self.element)
        self.some_keys = kernel.shared([tile.keys, _DEPTH + _PAD], self.element)
        self.some_values = kernel.shared([_DEPTH, tile.columns + _PAD], self.element)
        parts = self.parts
        staged = Staged.of(self, parts.scores, self.outer_of_scores, parts.depth)
        box = Box(tile.rows, _DEPTH)
        loader = LineLoader(staged, parts.scores.left, parts.scores.row, self.first, self.rows, box)
        for depth in range(0, tile.depth, _DEPTH):
            loader.base = depth
            loader.store(loader.load(depth), self.queries)
        staged = Staged.of(self, parts.scores, self.outer_of_scores, parts.depth)
        box = Box(tile.keys, _DEPTH)
        self.of_keys = LineLoader(staged, parts.scores.right, parts.scores.column, 0, self.keys, box)
        staged = Staged.of(self, parts.result, self.outer, self.keys)
        box = Box(tile.columns, _DEPTH)
        self.of_values = Loader(staged, parts.result.right, parts.result.column, 0, parts.columns, box)

    def row_places(self) -> list[Index]:
        """Neighbours."""
        first = self.emitter.multiply(self.down, self.each)
        return [self.emitter.add(first, i) for i in range(self.each)]

    def key_places(self) -> list[Index]:
        """Those of neighbouring threads are neighbours."""
        count = self.tile_shape.keys // _SIDE
        return [self.emitter.add(self.across, _SIDE * j) for j in range(count)]

    def column_places(self) -> list[Index]:
        """Groups of neighbours."""
        emitter, quad = self.emitter, self.quad
        first = emitter.multiply(self.across, quad)
        turns = range(0, self.tile_shape.columns, _SIDE * quad)
        return [emitter.add(first, turn + lane) for turn in turns for lane in range(quad)]

    def scores(self, first: Index) -> list[list[Value]]:
        """Multiply some columns of queries and keys at a time."""
        rows, keys = self.row_places(), self.key_places()
        self.of_keys.first = first
        loop = ForLoop(self.emitter, 0, self.tile_shape.depth, _DEPTH, [self.zero] * (len(rows) * len(keys)))
        with loop.body():
            self._bring(self.of_keys, loop.position, self.some_keys)
            sums = loop.carried
            for k in range(0, _DEPTH, self.wide):
                at = self.emitter.add(loop.position, k)
                left = [self._neighbours(self.queries, row, at, self.wide) for row in rows]
                right = [self._neighbours(self.some_keys, key, k, self.wide) for key in keys]
                sums = [
                    self._add_products(sums[i * len(keys) + j], a, b)
                    for i, a in enumerate(left)
                    for j, b in enumerate(right)
                ]
            loop.end(sums)
        return [loop.results[i * len(keys) :][: len(keys)] for i in range(len(rows))]

    def add_values(
        self, first: Index, weights: list[list[Value]], sums: list[list[Value]]
    ) -> list[list[Value]]:
        """Multiply the weights of some keys with their values at a time."""
        emitter, rows, columns = self.emitter, self.row_places(), self.column_places()
        for row, own in zip(rows, weights, strict=True):
            for key, weight in zip(self.key_places(), own, strict=True):
                store(weight, self.weights, [emitter.value(row), emitter.value(key)])
        carried = [value for row in sums for value in row]
        loop = ForLoop(emitter, 0, self.tile_shape.keys, _DEPTH, carried)
        with loop.body():
            self._bring(self.of_values, emitter.add(first, loop.position), self.some_values)
            found = loop.carried
            for k in range(0, _DEPTH, self.wide):
                at = emitter.add(loop.position, k)
                left = [self._neighbours(self.weights, row, at, self.wide) for row in rows]
                for lane in range(self.wide):
                    right = [
                        value
                        for start in range(0, len(columns), self.quad)
                        for value in self._columns(k + lane, columns[start])
                    ]
                    found = [
                        create("math.fma", [self.element], [a[lane], b, found[i * len(columns) + j]])
                        for i, a in enumerate(left)
                        for j, b in enumerate(right)
                    ]
            loop.end(found)
        return [loop.results[i * len(columns) :][: len(columns)] for i in range(len(rows))]

    def _bring(self, loader: Loader, depth: Index, tile: Value) -> None:
        values = loader.load(depth)
        self.kernel.barrier()
        loader.store(values, tile)
        self.kernel.barrier()

    def _columns(self, line: int, first: Index) -> list[Value]:
        lanes = min(self.quad, self.wide)
        return [
            value
            for start in range(0, self.quad, lanes)
            for value in self._neighbours(self.some_values, line, self.emitter.add(first, start), lanes)
        ]

    def _neighbours(self, tile: Value, line: Index, first: Index, lanes: int) -> list[Value]:
        points = [[line, self.emitter.add(first, lane)] for lane in range(lanes)]
        return load_lanes(whole(tile), points, 1, self.emitter)

    def _add_products(self, total: Value, left: Sequence[Value], right: Sequence[Value]) -> Value:
        for a, b in zip(left, right, strict=True):
            total = create("math.fma", [self.element], [a, b, total])
        return total

"""Attention without tensor cores: 16 by 16 threads, each of which has some rows, some keys and some columns of values.

Queries and weights lie in shared memory; of keys and values, what is multiplied next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from ....dialect.mlir import Type, Value
from ....dialect.records import dataclass
from ...nests.contraction import Contraction
from ...nests.emit import Emitter, ForLoop, Index, create, store
from ...nests.nest import whole
from ..code.kernel import Kernel
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


class Threads(Protocol):
    """What is asked of those who multiply."""

    emitter: Emitter
    thread: Value


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
    def of(rows: Threads, contraction: Contraction, outer: Sequence[Index], depth: Index) -> Staged:
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


class SquareThreads:
    """How 16 by 16 threads multiply lines that lie in shared memory: each has some rows, some keys, some columns."""

    lanes = _SIDE
    kernel: Kernel
    emitter: Emitter
    element: Type
    thread: Value
    tile_shape: Tile
    zero: Value
    of_values: Loader

    @staticmethod
    def largest(rows: Index, size: int, lines: Callable[[int, int], int]) -> tuple[int, int] | None:
        """The most rows and keys that shared memory has room for, of which `lines` says the elements."""
        few = rows if isinstance(rows, int) else 4 * _SIDE
        for each, others in ((4, 4), (2, 4), (1, 4), (2, 2), (1, 2), (1, 1)):
            own, keys = each * _SIDE, others * _SIDE
            if size * lines(own, keys) <= _SHARED and own < 2 * max(few, _SIDE // 2 + 1):
                return own, keys
        return None

    @staticmethod
    def columns_of(count: int) -> int:
        """So many columns of values, as far as threads go."""
        return max(_SIDE, 1 << (count - 1).bit_length())

    def take_threads(self) -> None:
        """Say which rows, and which columns, the thread has."""
        emitter, tile = self.emitter, self.tile_shape
        by = emitter.value(_SIDE)
        self.down = create("arith.divui", [self.thread.type], [self.thread, by])
        self.across = create("arith.remui", [self.thread.type], [self.thread, by])
        self.each = tile.rows // _SIDE
        self.quad = min(4, tile.columns // _SIDE)
        self.wide = BYTES // element_bytes(self.element)

    def share(self) -> None:
        """Get shared memory for weights, and for what is multiplied with them next."""
        tile = self.tile_shape
        self.weights = self.kernel.shared([tile.rows, tile.keys + _PAD], self.element)
        self.some_values = self.kernel.shared([_DEPTH, tile.columns + _PAD], self.element)

    def lines(self, count: int, depth: int = _DEPTH) -> Value:
        """Shared memory for lines."""
        return self.kernel.shared([count, depth + _PAD], self.element)

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

    def multiply_lines(
        self, depth: Index, left: tuple[Value, LineLoader | None], right: tuple[Value, LineLoader]
    ) -> list[list[Value]]:
        """Multiply rows with keys, some columns at a time; of the left ones all are there if nothing brings them."""
        rows, keys = self.row_places(), self.key_places()
        loop = ForLoop(self.emitter, 0, depth, _DEPTH, [self.zero] * (len(rows) * len(keys)))
        with loop.body():
            brought = [(loader, tile) for tile, loader in (left, right) if loader is not None]
            self.bring_all(brought, loop.position)
            sums = loop.carried
            for k in range(0, _DEPTH, self.wide):
                at = k if left[1] is not None else self.emitter.add(loop.position, k)
                own = [self._neighbours(left[0], row, at, self.wide) for row in rows]
                others = [self._neighbours(right[0], key, k, self.wide) for key in keys]
                sums = [
                    self._add_products(sums[i * len(keys) + j], a, b)
                    for i, a in enumerate(own)
                    for j, b in enumerate(others)
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
            self.bring_all([(self.of_values, self.some_values)], emitter.add(first, loop.position))
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

    def bring_all(self, brought: Sequence[tuple[Loader, Value]], depth: Index) -> None:
        """Bring tiles at a depth to shared memory, when nobody needs what is there."""
        values = [loader.load(depth) for loader, _ in brought]
        self.kernel.barrier()
        for (loader, tile), own in zip(brought, values, strict=True):
            loader.store(own, tile)
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


class TiledRows(SquareThreads, Rows):
    """Writes what a thread does."""

    @staticmethod
    def tile(parts: Parts) -> Tile | None:
        """The most rows and keys that shared memory has room for."""
        depth = -(-parts.depth // _DEPTH) * _DEPTH
        columns = SquareThreads.columns_of(parts.columns)

        def lines(rows: int, keys: int) -> int:
            weights = rows * (depth + _PAD) + rows * (keys + _PAD)
            return weights + keys * (_DEPTH + _PAD) + _DEPTH * (columns + _PAD)

        found = SquareThreads.largest(parts.rows, element_bytes(parts.scores.element), lines)
        return None if found is None else Tile(*found, depth, columns)

    def prepare(self) -> None:
        """Bring the queries to shared memory."""
        tile, parts = self.tile_shape, self.parts
        self.take_threads()
        self.queries = self.lines(tile.rows, tile.depth)
        self.share()
        self.some_keys = self.lines(tile.keys)
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

    def scores(self, first: Index) -> list[list[Value]]:
        """Multiply some columns of queries and keys at a time."""
        self.of_keys.first = first
        return self.multiply_lines(
            self.tile_shape.depth, (self.queries, None), (self.some_keys, self.of_keys)
        )

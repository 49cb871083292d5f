"""Attention of halves by tensor cores: a warp has 16 rows, and what comes out of one product goes into the next.

Queries stay in registers, keys and values come to shared memory: by copies that nobody waits for, while the tile before
is multiplied, where rows are multiples of 16 bytes; else by registers. A thread has of the scores what it has to give
of the weights, which therefore stay in registers, too. Weights that are no halves are sums of two or three, by which
values are multiplied one after the other: nothing of them is lost.
"""

from __future__ import annotations

from ....dialect.mlir import Value, ir
from ...nests.contraction import Contraction, Factor
from ...nests.emit import Index, create
from ...target import current_gpu
from ..code import assembly
from ..code.control import compare
from ..code.points import read
from ..code.walk import rest_and_quotient
from ..rewrites.attention import denominator
from .attention_copies import CopiedAttention
from .attention_parts import Parts, Tile
from .attention_rows import Rows
from .attention_tiles import LineLoader, Staged
from .copied_tiles import can_copy
from .loaders import Box
from .tensor_cores import as_word, instruction, read_words, take

_WARPS, _ROWS, _COLUMNS, _DEPTH = 8, 16, 8, 16
_PAD = 8
"""Halves between the lines of a tile, so that the threads of a warp read from different banks."""
_MOST, _MOST_OF_BFLOAT16 = 512, 384
"""Columns of queries and of values, together, that registers have room for: weights of bfloat16 are three halves."""
_QUERIES = 256
"""With more columns, queries are in shared memory, too."""
_KEYS = 128
"""With more columns, tiles have fewer keys than 64."""
_TWO_BLOCKS = 128
"""So many columns, together, leave registers for two blocks on a multiprocessor."""
_SCALE = 15
"""Weights of at most one are multiplied with this power of two, where halves are f16: fewer are too small for it."""


def takes(parts: Parts) -> bool:
    """Whether tensor cores multiply queries with keys, and weights with values."""
    scores, result = parts.scores, parts.result
    return take(scores.element, [scores.left, scores.right, result.right])


class HalfRows(Rows):
    """Writes what a thread does, with its warp."""

    lanes = 4
    of_values: LineLoader

    @staticmethod
    def tile(parts: Parts) -> Tile | None:
        """Fewer keys where there are many columns: a thread has parts of all in registers, if they have room."""
        is_float16 = isinstance(parts.scores.left.access.memref.type.element_type, ir.F16Type)
        if not takes(parts) or parts.depth + parts.columns > (_MOST if is_float16 else _MOST_OF_BFLOAT16):
            return None
        depth, columns = _DEPTH, _DEPTH
        while depth < parts.depth:
            depth *= 2
        while columns < parts.columns:
            columns *= 2
        keys = 64 if max(depth, columns) <= _KEYS else 32 if parts.depth + parts.columns <= 384 else 16
        return Tile(_WARPS * _ROWS, keys, depth, columns)

    @staticmethod
    def scale(parts: Parts) -> int | None:
        """Weights of bfloat16 are as small as those of float32."""
        return _SCALE if isinstance(parts.scores.left.access.memref.type.element_type, ir.F16Type) else None

    def prepare(self) -> None:
        """Read the queries of the thread."""
        parts, tile, kernel = self.parts, self.tile_shape, self.kernel
        self.quad = 2
        self.half = parts.scores.left.access.memref.type.element_type
        self.parts_of_weights = self._parts_of_weights()
        lane, self.warp = rest_and_quotient(self.thread, 32, self.emitter)
        self.pair, self.group = rest_and_quotient(lane, 4, self.emitter)
        self.deep = range(0, -(-parts.depth // _DEPTH) * _DEPTH, _DEPTH)
        box = Box(tile.keys, tile.depth)
        staged = Staged.of(self, parts.scores, self.outer_of_scores, parts.depth)
        self.of_keys = LineLoader(staged, _half(parts.scores.right), parts.scores.column, 0, self.keys, box)
        staged, box = Staged.of(self, parts.result, self.outer, self.keys), Box(tile.columns, tile.keys)
        column = parts.result.column
        self.of_values = LineLoader(staged, _half(parts.result.right), column, 0, parts.columns, box)
        self.copied = self._copies()
        if self.copied is None:
            self.some_keys = kernel.shared([tile.keys, tile.depth + _PAD], self.half)
            self.some_values = kernel.shared([tile.columns, tile.keys + _PAD], self.half)
        else:
            self.shared_bytes = self.copied.shared_bytes
        if tile.depth + tile.columns <= _TWO_BLOCKS:
            kernel.leave_room_for(2)
        in_registers = self.copied is None or not self.copied.has_queries
        self.queries = [self._queries(depth) for depth in self.deep] if in_registers else []

    def _copies(self) -> CopiedAttention | None:
        """The tiles that are copied ahead; none where these are no multiples of 16 bytes, or too many."""
        loaders, gpu = [self.of_keys, self.of_values], current_gpu()
        if not can_copy(loaders):
            return None
        found = CopiedAttention(self, self.half, loaders, self._shared_queries())
        return found if found.shared_bytes <= gpu.shared_bytes else None

    def _shared_queries(self) -> tuple[LineLoader, Index] | None:
        """What brings queries, of which registers have no room for more, and the first row of the warp."""
        parts, tile = self.parts, self.tile_shape
        if tile.depth + tile.columns <= _QUERIES:
            return None
        staged = Staged.of(self, parts.scores, self.outer_of_scores, parts.depth)
        box, row = Box(tile.rows, tile.depth), self.emitter.multiply(self.warp, _ROWS)
        loader = LineLoader(staged, _half(parts.scores.left), parts.scores.row, self.first, self.rows, box)
        return (loader, row) if can_copy([loader]) else None

    def begin(self, first: Index, last: Index) -> None:
        """Begin to copy the first tiles."""
        if self.copied is not None:
            self.copied.begin(first, last)

    def bring(self, first: Index) -> None:
        """Wait for the tile that is copied."""
        if self.copied is not None:
            self.copied.next(first)

    def _parts_of_weights(self) -> int:
        """How many halves a weight is the sum of."""
        shares = denominator(self.attention.shares, self.place_of_weights)
        assert shares is not None
        return 1 if shares.in_halves else 2 if isinstance(self.half, ir.F16Type) else 3

    def row_places(self) -> list[Index]:
        """Two, eight apart."""
        first = self.emitter.add(self.emitter.multiply(self.warp, _ROWS), self.group)
        return [first, self.emitter.add(first, 8)]

    def key_places(self) -> list[Index]:
        """Two of each eight."""
        return self._pairs(self.tile_shape.keys)

    def column_places(self) -> list[Index]:
        """Two of each eight."""
        return self._pairs(self.tile_shape.columns)

    def _pairs(self, count: int) -> list[Index]:
        first = self.emitter.multiply(self.pair, 2)
        turns = range(0, count, _COLUMNS)
        return [self.emitter.add(first, turn + lane) for turn in turns for lane in range(2)]

    def _queries(self, depth: int) -> list[Value]:
        """What the thread gives an instruction of the queries, from a column on; zeros beyond the last one."""
        found = []
        for deep in (0, 8):
            for place in self.row_places():
                row = self.emitter.add(self.first, place)
                row = self.emitter.minimum(row, self.emitter.subtract(self.rows, 1))
                column = self.emitter.add(self.emitter.multiply(self.pair, 2), depth + deep)
                halves = [self._query(row, self.emitter.add(column, lane)) for lane in range(2)]
                found.append(self._word(halves))
        return found

    def _query(self, row: Index, column: Index) -> Value:
        emitter, contraction = self.emitter, self.parts.scores
        last = self.parts.depth - 1
        clamped = emitter.minimum(column, last)
        point = _point(contraction, self.outer_of_scores, row, clamped)
        value = read(contraction.left.access, point, emitter)
        if self.parts.depth % _DEPTH == 0:
            return value
        inside = compare("ule", emitter.value(column), emitter.value(last))
        return create("arith.select", [value.type], [inside, value, emitter.splat(0, value.type)])

    def scores(self, first: Index) -> list[list[Value]]:
        """Multiply the queries with a tile of keys: eight after the other, none of which waits for the one before."""
        if self.copied is None:
            self.of_keys.first = first
            keys = self.of_keys.load(0)
            self.kernel.barrier()
            self.of_keys.store(keys, self.some_keys)
            self.kernel.barrier()
        sums = [[self.zero] * 4 for _ in range(0, self.tile_shape.keys, _COLUMNS)]
        for number, depth in enumerate(self.deep):
            queries = self.queries[number] if self.queries else self._shared(depth)
            keys = self._fragments(0, self.tile_shape.keys, depth)
            sums = [instruction(self.half, queries, own, four) for own, four in zip(keys, sums, strict=True)]
        return [[value for four in sums for value in four[half : half + 2]] for half in (0, 2)]

    def _shared(self, depth: int) -> list[Value]:
        """Queries that are in shared memory."""
        assert self.copied is not None
        return self.copied.queries(depth)

    def add_values(
        self, first: Index, weights: list[list[Value]], sums: list[list[Value]]
    ) -> list[list[Value]]:
        """Multiply weights with a tile of values."""
        if self.copied is None:
            self.of_values.store(self.of_values.load(first), self.some_values)
            self.kernel.barrier()
        for key in range(0, self.tile_shape.keys, _DEPTH):
            pairs = [row[key // 4 + 2 * deep :][:2] for deep in range(2) for row in weights]
            values = self._fragments(1, self.tile_shape.columns, key)
            for part in self._in_halves(pairs):
                sums = self._add_part(values, part, sums)
        return sums

    def _add_part(
        self, values: list[list[Value]], weights: list[Value], sums: list[list[Value]]
    ) -> list[list[Value]]:
        found: list[list[Value]] = [[], []]
        for number, own in enumerate(values):
            before = [value for row in sums for value in row[2 * number :][:2]]
            made = instruction(self.half, weights, own, before)
            found[0] += made[:2]
            found[1] += made[2:]
        return found

    def _fragments(self, factor: int, lines: int, depth: int) -> list[list[Value]]:
        """What a thread gives instructions of the keys, or of the columns of values, at a depth."""
        if self.copied is not None:
            return self.copied.fragments(factor, depth)
        tile = (self.some_keys, self.some_values)[factor]
        return [self._fragment(tile, line, depth) for line in range(0, lines, _COLUMNS)]

    def _in_halves(self, pairs: list[list[Value]]) -> list[list[Value]]:
        """Pairs of weights as the halves that they are sums of, in words."""
        found = []
        for number in range(self.parts_of_weights):
            rounded = [self._rounded(pair) for pair in pairs]
            found.append([word for word, _ in rounded])
            if number + 1 < self.parts_of_weights:
                pairs = [
                    [create("arith.subf", [w.type], [w, half]) for w, half in zip(pair, halves, strict=True)]
                    for pair, (_, halves) in zip(pairs, rounded, strict=True)
                ]
        return found

    def _rounded(self, pair: list[Value]) -> tuple[Value, list[Value]]:
        """Two weights as a word of halves, and what these are."""
        if isinstance(self.half, ir.F16Type):
            halves = [create("arith.truncf", [self.half], [weight]) for weight in pair]
            return self._word(halves), [create("arith.extf", [self.element], [half]) for half in halves]
        word = ir.IntegerType.get_signless(32)
        made = assembly.instruction("cvt.rn.bf16x2.f32 $0, $2, $1;", "=r,f,f", word, pair)
        low = create("arith.shli", [word], [made, self.emitter.splat(16, word)])
        high = create("arith.andi", [word], [made, self.emitter.splat(-1 << 16, word)])
        return made, [create("arith.bitcast", [self.element], [bits]) for bits in (low, high)]

    def _word(self, pair: list[Value]) -> Value:
        made = create("vector.from_elements", [ir.VectorType.get([2], self.half)], pair)
        return as_word(made)

    def _fragment(self, tile: Value, line: int, depth: int) -> list[Value]:
        """What a thread gives an instruction of keys or values: pairs at two depths."""
        return read_words(tile, self.pair, depth, [self.emitter.add(self.group, line)], self.emitter)


def _half(factor: Factor) -> Factor:
    """A factor that is stored as it is."""
    return Factor(factor.access, None)


def _point(contraction: Contraction, outer: list[Index], row: Index, depth: Index) -> list[Index]:
    """A place of the left factor of a contraction."""
    point: list[Index] = [0] * len(contraction.nest.parallel)
    for dim, index in zip(contraction.outer, outer, strict=True):
        point[dim] = index
    assert contraction.row is not None
    point[contraction.row], point[contraction.summed[0]] = row, depth
    return point

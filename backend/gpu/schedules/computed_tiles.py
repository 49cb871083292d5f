"""Sums of elements that products of few columns become: they are made where they are summed, and are in no memory.

    scores = queries @ keys.T                 products whose elements are more than their factors have
    gains = gradients @ values.T
    made = f(scores, gains, rows, ...)        element by element; numbers of rows and of columns are read
    result = made @ keys                      or made.T @ queries, or a reduction of the rows of `made`

A block has some rows of the result. It goes over what they sum up, tile by tile: it multiplies, makes the elements of
the tile, and adds them up, or multiplies them on. This is how gradients of attention are computed.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from ....dialect.mlir import Value, ir
from ...nests.contraction import Contraction
from ...nests.emit import Emitter, ForLoop, Index, create
from ...nests.nest import LoopNest
from ...target import gpu_figures
from ..code.control import compare, only_if
from ..code.kernel import Kernel
from ..code.points import read, write_body
from ..code.reduce import Reduction, warp_reduce
from ..code.vectors import element_bytes
from ..code.walk import split, where_any
from .attention_parts import Tile
from .attention_tiles import LineLoader, SquareThreads, Staged
from .device_schedule import DeviceSchedule, Run, size_of
from .followers import count_with_follower, finish, may_follow, not_asked_for
from .loaders import THREADS, Box, Loader
from .products import is_asked_for, is_replaced
from .results import Results
from .steps import Step
from .tile_parts import Part, TileParts, dims_of, find

_DEPTH, _PAD = 16, 4


class Tiles:
    """Writes what a thread does: it has some rows of a tile, and of each some elements."""

    lanes: int
    """The neighbouring threads that share rows."""
    quad: int
    """Neighbours in a row of the result that a thread has."""

    @staticmethod
    def tile(parts: TileParts) -> Tile | None:
        """How large tiles are; None where this is no way to do it."""
        raise NotImplementedError

    def __init__(self, kernel: Kernel, parts: TileParts, tile: Tile) -> None:
        self.kernel, self.parts, self.tile_shape = kernel, parts, tile
        self.emitter, self.element = kernel.emitter, parts.element
        self.rows, self.keys = parts.rows, parts.keys
        self.zero = self.emitter.splat(0, self.element)
        self.thread = kernel.id("thread_id")
        emitter = self.emitter
        count = emitter.divide_up(self.rows, tile.rows)
        *self.batch, number = split(kernel.id("block_id"), [*parts.outer, count], emitter)
        self.first = emitter.multiply(number, tile.rows)
        self._outside: dict[tuple[int, int | None], Value] = {}

    def emit(self, ending: Ending) -> None:
        """Write the kernel; nothing is done where there are no rows."""
        with where_any([*self.parts.outer, self.rows], self.emitter):
            self.prepare()
            self._read_rows()
            loop = ForLoop(self.emitter, 0, self.keys, self.tile_shape.keys, ending.start())
            with loop.body():
                self.begin(loop.position)
                made = self._made(loop.position)
                loop.end(ending.add(loop.position, made, loop.carried))
            ending.finish(loop.results)

    # What is written in other ways for other types

    @abstractmethod
    def prepare(self) -> None:
        """Compute what the thread needs all the time."""

    def begin(self, first: Index) -> None:
        """Bring what the tile that begins at an element needs."""

    @abstractmethod
    def row_places(self) -> list[Index]:
        """The rows of the thread, from the first of the block on."""

    @abstractmethod
    def key_places(self) -> list[Index]:
        """Its elements in a tile."""

    @abstractmethod
    def column_places(self) -> list[Index]:
        """Its columns of the result."""

    @abstractmethod
    def multiply(self, number: int, found: Contraction, first: Index) -> list[list[Value]]:
        """What a product has for the rows of the thread and its elements in the tile that begins at one."""

    @abstractmethod
    def add_values(
        self, first: Index, weights: list[list[Value]], sums: list[list[Value]]
    ) -> list[list[Value]]:
        """Add what the elements of a tile are multiplied with, by them."""

    # The elements

    @property
    def is_even(self) -> bool:
        """Whether all tiles are known to end inside of the matrix."""
        return isinstance(self.keys, int) and self.keys % self.tile_shape.keys == 0

    def inside(self, first: Index) -> list[Value]:
        """Which elements of the thread in a tile are in the matrix."""
        emitter = self.emitter
        places = [emitter.value(emitter.add(first, place)) for place in self.key_places()]
        return [compare("ult", place, emitter.value(self.keys)) for place in places]

    def point(self, row: Index, key: Index) -> list[Index]:
        """A place of the matrix; the last one in it, of those beyond."""
        emitter = self.emitter
        at = emitter.minimum(emitter.add(self.first, row), emitter.subtract(self.rows, 1))
        last = emitter.minimum(key, emitter.subtract(self.keys, 1))
        return [*self.batch, *((at, last) if self.parts.own == -2 else (last, at))]

    def outer_of(self, found: Contraction, dims: Sequence[int]) -> list[Index]:
        """Which of the products of a batch it is, as a contraction counts them, whose batches have these dimensions."""
        by_dim = dict(zip(dims, self.batch, strict=True))
        return [by_dim[dim] for dim in found.outer]

    def _read_rows(self) -> None:
        """Read the numbers of rows before the tiles."""
        for part in (*self.parts.makers, self.parts.total):
            if part.product is None:
                for access, maker in zip(part.nest.inputs, part.makers, strict=True):
                    if maker is None and not access.is_scalar and not access.mentions(self._summed):
                        for i, row in enumerate(self.row_places()):
                            self._outside[id(access), i] = read(access, self.point(row, 0), self.emitter)

    @property
    def _summed(self) -> int:
        """The axis of the matrix over which is summed."""
        return len(self.batch) + (1 if self.parts.own == -2 else 0)

    def _made(self, first: Index) -> list[list[Element]]:
        """The elements of the thread in the tile that begins at one, as the sum takes them."""
        parts, emitter = self.parts, self.emitter
        products = {
            number: self.multiply(number, part.product, first)
            for number, part in enumerate(parts.makers)
            if part.product is not None
        }
        columns: dict[tuple[int, int | None], Value] = {}
        found = []
        for i, row in enumerate(self.row_places()):
            elements = []
            for j, key in enumerate(self.key_places()):
                point = self.point(row, emitter.add(first, key))
                values = {number: own[i][j] for number, own in products.items()}
                for number, part in enumerate(parts.makers):
                    if part.product is None:
                        operands = self._operands(part, point, (i, j), values, columns)
                        operands.append(create("ub.poison", [_stored(part.nest)], []))
                        (values[number],) = write_body(part.nest, point, operands, emitter)
                asked = (
                    self._operands(parts.total, point, (i, j), values, columns)
                    if parts.total.product is None
                    else [next(values[maker] for maker in parts.total.makers if maker is not None)]
                )
                elements.append((point, asked))
            found.append(elements)
        return found

    def _operands(
        self,
        part: Part,
        point: list[Index],
        place: tuple[int, int],
        values: dict[int, Value],
        columns: dict[tuple[int, int | None], Value],
    ) -> list[Value]:
        """The inputs of a nest at an element: made, or read, numbers of rows and columns once for all of them."""
        found = []
        for access, maker in zip(part.nest.inputs, part.makers, strict=True):
            rows, keys = (id(access), place[0]), (id(access), place[1])
            if maker is not None:
                found.append(values[maker])
            elif rows in self._outside:
                found.append(self._outside[rows])
            elif access.is_scalar or access.mentions(len(self.batch) * 2 + 1 - self._summed):
                found.append(read(access, point, self.emitter))
            else:
                if keys not in columns:
                    columns[keys] = read(access, point, self.emitter)
                found.append(columns[keys])
        return found


Element = tuple[list[Index], list[Value]]
"""A place of the matrix, and what the sum takes there."""


def _stored(nest: LoopNest) -> ir.Type:
    return nest.outputs[0].memref.type.element_type


class Ending:
    """What becomes of the elements."""

    @abstractmethod
    def start(self) -> list[Value]:
        """What is carried from tile to tile."""

    @abstractmethod
    def add(self, first: Index, made: list[list[Element]], carried: Sequence[Value]) -> list[Value]:
        """Add a tile."""

    @abstractmethod
    def finish(self, carried: Sequence[Value]) -> None:
        """Store the result."""


class RowSums(Ending):
    """Reduces rows."""

    def __init__(self, tiles: Tiles, steps: Sequence[Step]) -> None:
        self.tiles, self.steps, self.nest = tiles, steps, tiles.parts.total.nest
        self.reduction = Reduction.known(self.nest)

    def start(self) -> list[Value]:
        return self.reduction.neutral(self.tiles.emitter) * len(self.tiles.row_places())

    def add(self, first: Index, made: list[list[Element]], carried: Sequence[Value]) -> list[Value]:
        tiles, count = self.tiles, len(self.nest.outputs)
        inside = None if tiles.is_even else tiles.inside(first)
        found: list[Value] = []
        for i, elements in enumerate(made):
            own = list(carried[i * count :][:count])
            if inside is None:
                points, operands = [point for point, _ in elements], [values for _, values in elements]
                own = self.reduction.add_points(own, points, operands, tiles.emitter)
            else:
                for condition, (point, values) in zip(inside, elements, strict=True):
                    more = self.reduction.add_points(own, [point], [values], tiles.emitter)
                    own = [
                        create("arith.select", [old.type], [condition, new, old])
                        for new, old in zip(more, own, strict=True)
                    ]
            found += own
        return found

    def finish(self, carried: Sequence[Value]) -> None:
        tiles, count = self.tiles, len(self.nest.outputs)
        emitter = tiles.emitter
        lane = create("arith.remui", [tiles.thread.type], [tiles.thread, emitter.value(tiles.lanes)])
        is_first = compare("eq", lane, emitter.value(0))
        for i, place in enumerate(tiles.row_places()):
            values = warp_reduce(self.reduction, list(carried[i * count :][:count]), tiles.lanes)
            row = emitter.value(emitter.add(tiles.first, place))
            inside = compare("ult", row, emitter.value(tiles.rows))
            with only_if(create("arith.andi", [inside.type], [inside, is_first])):
                point = [*tiles.batch, row, 0]
                finish(tiles.kernel, self.steps, self.nest, self.reduction, values, point)


class RowProducts(Ending, Results):
    """Multiplies rows on."""

    def __init__(self, tiles: Tiles, steps: Sequence[Step], nests: Sequence[LoopNest], asked: bool) -> None:
        found = tiles.parts.total.product
        assert found is not None
        Results.__init__(self, tiles.kernel, found, steps, nests, asked)
        self.tiles, self.rows = tiles, tiles.rows
        self.quad = 1
        self.outer = tiles.outer_of(found, dims_of(found.result)[:-2])

    def start(self) -> list[Value]:
        return [self.tiles.zero] * (len(self.tiles.row_places()) * len(self.tiles.column_places()))

    def add(self, first: Index, made: list[list[Element]], carried: Sequence[Value]) -> list[Value]:
        tiles = self.tiles
        count = len(tiles.column_places())
        inside = None if tiles.is_even else tiles.inside(first)
        weights = [[self._weight(values[0]) for _, values in elements] for elements in made]
        if inside is not None:  # what is beyond the end is multiplied with zeros, and may not be infinite
            weights = [
                [
                    create("arith.select", [tiles.element], [condition, weight, tiles.zero])
                    for condition, weight in zip(inside, own, strict=True)
                ]
                for own in weights
            ]
        sums = [list(carried[i * count :][:count]) for i in range(len(weights))]
        return [value for row in tiles.add_values(first, weights, sums) for value in row]

    def _weight(self, value: Value) -> Value:
        conversion = self.contraction.left.conversion
        return value if conversion is None else create(conversion, [self.element], [value])

    def finish(self, carried: Sequence[Value]) -> None:
        tiles = self.tiles
        places = tiles.column_places()
        values = [list(carried[i * len(places) :][: len(places)]) for i in range(len(tiles.row_places()))]
        self.quad = tiles.quad
        self.store_places(values, [tiles.emitter.add(tiles.first, i) for i in tiles.row_places()], places)


class SquareTiles(SquareThreads, Tiles):
    """Writes what a thread does without tensor cores: it is one of 16 by 16."""

    @staticmethod
    def tile(parts: TileParts) -> Tile | None:
        """The most rows and keys that shared memory has room for."""
        columns = SquareThreads.columns_of(parts.columns or 1)

        def lines(rows: int, keys: int) -> int:
            summed = rows * (keys + _PAD) + _DEPTH * (columns + _PAD) if parts.columns else 0
            return (rows + keys) * (_DEPTH + _PAD) + summed

        found = SquareThreads.largest(parts.rows, element_bytes(parts.element), lines)
        return None if found is None else Tile(*found, _DEPTH, columns)

    def prepare(self) -> None:
        parts, tile = self.parts, self.tile_shape
        self.take_threads()
        self.own_lines, self.other_lines = self.lines(tile.rows), self.lines(tile.keys)
        last = parts.total.product
        if last is not None:
            self.share()
            dims = dims_of(last.left.access)[:-2]
            staged = Staged.of(self, last, self.outer_of(last, dims), self.keys)
            box = Box(tile.columns, _DEPTH)
            self.of_values = Loader(staged, last.right, last.column, 0, parts.columns, box)
        self._loaders = {
            number: self._loaders_of(part.product)
            for number, part in enumerate(parts.makers)
            if part.product is not None
        }

    def _loaders_of(self, found: Contraction) -> list[LineLoader]:
        """What brings the rows of a product, and its keys."""
        depth = found.extent(found.summed[0])
        staged = Staged.of(self, found, self.outer_of(found, dims_of(found.result)[:-2]), depth)
        sides = [(found.left, found.row), (found.right, found.column)]
        own, other = sides if self.parts.own == -2 else sides[::-1]
        return [
            LineLoader(staged, *own, self.first, self.rows, Box(self.tile_shape.rows, _DEPTH)),
            LineLoader(staged, *other, 0, self.keys, Box(self.tile_shape.keys, _DEPTH)),
        ]

    def multiply(self, number: int, found: Contraction, first: Index) -> list[list[Value]]:
        own, other = self._loaders[number]
        other.first = first
        depth = found.extent(found.summed[0])
        return self.multiply_lines(depth, (self.own_lines, own), (self.other_lines, other))


class ComputedTiles(DeviceSchedule):
    """Reductions of rows, and products, of elements that products of few columns become (gradients of attention, kernel
    functions of points): they are made where they are summed, and are in no memory.
    """

    reason = "elements are made where they are summed"
    writer: ClassVar[type[Tiles]] = SquareTiles

    def __init__(self, run: Run, parts: TileParts, count: int, tile: Tile) -> None:
        ends = run.steps[count - 1 :]
        if parts.total.product is None:
            more = count_with_follower(ends) - 1
        else:
            more = int(len(ends) > 1 and may_follow(ends[0], ends[1]))
        super().__init__(run, count + more)
        self.parts, self.count, self.tile = parts, count, tile

    @classmethod
    def match(cls, run: Run) -> ComputedTiles | None:
        parts, count = find(run.steps) or (None, 0)
        tile = None if parts is None or not cls.takes(parts) else cls.writer.tile(parts)
        return None if parts is None or tile is None else cls(run, parts, count, tile)

    @classmethod
    def takes(cls, parts: TileParts) -> bool:
        """Whether it multiplies numbers of such types, which are not made wider on the way."""
        return parts.total.product is None or _stored(parts.total.nest).width <= parts.element.width

    @property
    def operations_per_second(self) -> float:
        """Additions and multiplications in products; 0 where that is not known."""
        return gpu_figures().f32_per_second

    def seconds(self) -> float:
        parts = (*self.parts.makers, self.parts.total)
        each = 2 * sum(size_of(part.nest.extents) for part in parts if part.product is not None)
        return each / self.operations_per_second if self.operations_per_second else 0.0

    def write(self, name: str) -> None:
        steps, tile = self.steps, self.tile
        emitter = Emitter(self.function)
        ends = steps[self.count - 1 :]
        between = [step.nest.outputs[0].memref for step in steps[: self.count - 1]]
        asked = True
        if self.parts.total.product is None:
            between += not_asked_for(ends)
        else:
            asked = is_asked_for(ends)
            if not asked and not is_replaced(ends):
                between.append(ends[0].nest.outputs[0].memref)
        ops = [step.nest.operation for step in steps]
        given = [start for step in steps for start in step.starts]
        kernel = Kernel(self.function, name, ops, (THREADS, 1, 1), given, between)
        with kernel.nests(ops) as nests:
            self._write(kernel, nests, ends, asked)
        counts = [*self.parts.outer, emitter.divide_up(self.parts.rows, tile.rows)]
        text = f"{self.title}; {tile.rows} rows and {tile.keys} elements of them at a time"
        kernel.launch([emitter.maximum(1, emitter.product(counts))], text)

    def _write(self, kernel: Kernel, nests: list[LoopNest], ends: Sequence[Step], asked: bool) -> None:
        parts = TileParts.of(nests[: self.count])
        assert parts is not None
        tiles = self.writer(kernel, parts, self.tile)
        if parts.total.product is None:
            tiles.emit(RowSums(tiles, ends))
        else:
            tiles.emit(RowProducts(tiles, ends, [parts.total.nest, *nests[self.count :]], asked))

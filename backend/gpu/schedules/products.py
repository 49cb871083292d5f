"""Products of matrices, batched ones and convolutions, without tensor cores: tiles in shared memory and in registers.

A block makes a square of the result. It brings the rows and columns that it needs step by step to shared memory, where
each thread reads some of both, and multiplies all pairs of them. While it does so, what the next step needs is on its
way to registers, and from there to the other half of the shared memory, so that a step has one barrier. A nest that
follows, and needs of the result the same element only, is computed before it is stored.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar

from ....dialect.mlir import Type, Value, ir
from ....dialect.records import dataclass
from ...nests.contraction import Contraction, Factor, known_contraction
from ...nests.emit import Emitter, ForLoop, Index, create
from ...nests.nest import LoopNest, loop_nest, whole
from ...target import current_gpu, gpu_figures
from ..code.control import compare, only_if, otherwise
from ..code.kernel import Kernel
from ..code.vectors import BYTES, element_bytes, load_lanes
from ..code.walk import split, where_any
from .device_schedule import DeviceSchedule, Run, size_of
from .followers import may_follow
from .loaders import THREADS, Box, Loader, fits, slice_of
from .results import Results
from .row_boxes import BlockRows, RowBox, row_box, row_count, tile_counts
from .steps import Step

_SIDE = 16
"""A block is a square of so many threads."""
_PAD = 4
"""Elements between the rows of a tile in shared memory, so that they begin in different banks."""
_LEAST = 4
"""With fewer rows or columns, if their number is known, tiles have next to nothing to share."""


@dataclass(frozen=True)
class Shape:
    """How large tiles are."""

    down: int
    """Rows of a thread."""
    across: int
    """Columns of a thread."""
    depth: int
    """What is summed in a step."""

    @property
    def rows(self) -> int:
        """Of a block."""
        return _SIDE * self.down

    @property
    def columns(self) -> int:
        """Of a block."""
        return _SIDE * self.across


def _shape(contraction: Contraction, kind: type[Product]) -> Shape:
    size = element_bytes(contraction.element)
    extents = [contraction.extent(contraction.row), contraction.columns]
    outer = [contraction.extent(dim) for dim in contraction.outer]
    found = kind.tiles_of(size)
    down, across = next(iter(found))
    if all(isinstance(extent, int) for extent in (*extents, *outer)):
        rows, columns = map(int, extents)
        count = math.prod(map(int, outer))
        down, across = max(
            found, key=lambda tile: found[tile] * _filled(contraction, rows * columns * count, tile)
        )
        if kind.may_be_small and max(rows, columns) <= _SIDE:
            down = across = 1
    # A tile has something for each thread to load.
    each = min(down, across)
    return Shape(down, across, max(kind.depth_of(size, each), THREADS // (_SIDE * each)))


def _filled(contraction: Contraction, elements: int, tile: tuple[int, int]) -> float:
    """Which part of what all multiprocessors could do is asked for: not beyond edges, nor beside the last blocks."""
    gpu = current_gpu()
    down, across = (_SIDE * each for each in tile)
    blocks = math.prod(_known_counts(contraction, row_box(contraction, down), across))
    rounds = -(-blocks // gpu.multiprocessors)
    return elements / (max(rounds, 1) * gpu.multiprocessors * down * across)


def _known_counts(contraction: Contraction, box: RowBox, columns: int) -> Iterator[int]:
    """How many tiles there are along each dimension, all of which have known extents."""
    sizes = {contraction.column: columns, **dict(zip(box.dims, box.sizes, strict=True))}
    for dim in {*contraction.outer, contraction.row, contraction.column}:
        extent = contraction.columns if dim == contraction.column else contraction.extent(dim)
        assert isinstance(extent, int)
        yield -(-extent // sizes.get(dim or 0, 1))


def known_sides(contraction: Contraction) -> list[int]:
    """How many rows and columns tiles can have of the result, of those that are known."""
    sides = row_count(contraction), contraction.columns
    return [extent for extent in sides if isinstance(extent, int)]


def is_asked_for(steps: Sequence[Step]) -> bool:
    """Whether the result of the product is asked for behind the nest that is computed with it."""
    result = steps[0].nest.outputs[0].memref
    if len(steps) == 1:
        return True
    return not is_replaced(steps) and not steps[0].alone_touch(steps, result)


def is_replaced(steps: Sequence[Step]) -> bool:
    """Whether what is computed with a product is put in the place of its result."""
    result = steps[0].nest.outputs[0].memref
    return any(access.memref == result for step in steps[1:] for access in step.nest.outputs)


def _in_square(thread: Value, emitter: Emitter) -> tuple[Index, Index]:
    """The row and the column of a thread among those of a block.

    A warp has 4 rows of 8 columns: what it reads of both factors is 12 lines, not 18 as of 2 rows of 16. Neighbours
    are below each other, and the next two beside them. Where each thread reads 16 bytes, a multiprocessor gives as
    many bytes as half a warp has asked for at once if all of these, or all of those, have asked for the same ones.
    """
    down, across, row, column, low = split(thread, [4, 2, 2, 8, 2], emitter)
    below = emitter.add(emitter.multiply(row, 2), low)
    return emitter.add(emitter.multiply(down, 4), below), emitter.add(emitter.multiply(across, 8), column)


class Product(Results):
    """Writes what a thread does."""

    may_be_small = True
    """Whether a thread can have one element of a square."""
    shared_bytes = 0
    """What a launch gives to a block, besides what the kernel has."""
    are_multiples = False
    """Whether the host has looked that rows of unknown length begin at multiples of 16 bytes."""

    def __init__(
        self,
        kernel: Kernel,
        contraction: Contraction,
        shape: Shape,
        steps: Sequence[Step],
        nests: Sequence[LoopNest],
        is_asked_for: bool,
    ) -> None:
        super().__init__(kernel, contraction, steps, nests, is_asked_for)
        self.shape = shape
        self.block_rows: BlockRows | None = None
        """The rows that the block has, if these are of several dimensions."""
        self.own: tuple[Index, Index] | None = None
        """Where what the block stores begins, if its tile may have been moved inside of the result."""
        self.summed = [self.nest.extents[dim] for dim in contraction.summed]
        self.quad = min(max(BYTES // element_bytes(self.element), 1), shape.down, shape.across, 4)

    def emit(self) -> None:
        """Write the kernel; nothing is done where there are no products."""
        with where_any([self.contraction.extent(dim) for dim in self.contraction.outer], self.emitter):
            self._square()

    def _square(self) -> None:
        """Compute a square of one of the products; zeros where there is nothing to be summed."""
        emitter = self.emitter
        depth = emitter.product(self.summed)
        self.depth = depth
        self._place()
        self.prepare()
        carried = [emitter.splat(0, self.element)] * (self.shape.down * self.shape.across)
        some = emitter.multiply(emitter.product([self.rows, self.columns]), depth)
        if isinstance(some, int):
            sums = self._sums(carried)
        else:
            with only_if(compare("ne", some, emitter.value(0)), [v.type for v in carried]) as branch:
                branch.give(self._sums(carried))
            with otherwise(branch):
                branch.give(carried)
            sums = branch.results
        self._place(again=True)  # so that where results are stored needs no registers while they are added up
        self.prepare()
        self.store_square(sums, self.stored_at_once())

    @staticmethod
    def tiles_of(size: int) -> dict[tuple[int, int], float]:
        """Rows and columns that a thread can have, of elements of so many bytes; the largest tile comes first.

        Beside them is which part of the peak such tiles reach, as far as instructions tell: those that multiply among
        all, or what they wait for shared memory. The part is predicted, not measured.
        """
        large = {(8, 8): 0.87, (8, 4): 0.8, (4, 8): 0.8} if size <= 4 else {}
        return {**large, (4, 4): 0.68, (4, 2): 0.5, (2, 4): 0.5, (2, 2): 0.4}

    @staticmethod
    def depth_of(size: int, each: int) -> int:
        """What is summed in a step, of elements of so many bytes: a thread brings up to 16 bytes of a factor."""
        return 16 if size <= 4 and each < 8 else 8

    def prepare(self) -> None:
        """Compute what the thread needs all the time."""

    def tile_shape(self, box: Box) -> tuple[list[int], Type]:
        """Of a tile in shared memory."""
        return [box.depth, box.side + _PAD], self.element

    def loader(self, factor: Factor, along: int | None, first: Index, extent: Index, box: Box) -> Loader:
        """What brings tiles of a factor to shared memory."""
        return Loader(self, factor, along, first, extent, box, is_moved=True)

    def _place(self, again: bool = False) -> None:
        """Which square of the result the block has, and what of it the thread."""
        emitter, (down, across) = self.emitter, self.sides
        box = row_box(self.contraction, down)
        extents = tile_counts(self.contraction, box, across, emitter)
        *others, row, column = split(self.kernel.id("block_id", again=again), extents, emitter)
        self.outer = others
        if len(box.dims) > 1:
            self.take_rows(box, others, row)
            row = 0
        self.own = emitter.multiply(row, down), emitter.multiply(column, across)
        self.first = (
            self._moved(self.own[0], self.rows, down),
            self._moved(self.own[1], self.columns, across),
        )
        thread = self.kernel.id("thread_id", again=again)
        self.thread = thread
        self.down, self.across = _in_square(thread, emitter)

    def take_rows(self, box: RowBox, others: Sequence[Index], number: Index) -> BlockRows:
        """Let the block have the rows of a box by its number, in products by their places along other dimensions."""
        outer = self.contraction.outer
        by_dim = dict(zip((dim for dim in outer if dim not in box.dims), others, strict=True))
        self.outer = [by_dim.get(dim, 0) for dim in outer]
        self.block_rows = BlockRows(self.contraction, box, number, self.emitter)
        return self.block_rows

    def _moved(self, first: Index, extent: Index, side: int) -> Index:
        """Where a tile begins that is not to reach over the end, if there is room for it."""
        if isinstance(extent, int) and fits(extent, side) and extent % side:
            return self.emitter.minimum(first, extent - side)
        return first

    def is_inside(self, row: Value, column: Value) -> Value:
        """Whether a place is the block's own: in the result, and in no tile before."""
        if self.own is None:
            return super().is_inside(row, column)
        emitter = self.emitter
        found = emitter.splat(1, ir.IntegerType.get_signless(1))
        extents = self.rows, self.columns
        if self.block_rows is not None:
            is_inside = self.block_rows.are_inside(self.block_rows.places(row))
            found, row = found if is_inside is None else is_inside, emitter.value(0)
            extents = self.sides[0], self.columns
        for at, extent, own, side in zip((row, column), extents, self.own, self.sides, strict=True):
            if not fits(extent, side):
                condition = compare("ult", at, emitter.value(extent))
            elif isinstance(extent, int) and extent % side:
                condition = compare("uge", at, emitter.value(own))
            else:
                continue
            found = create("arith.andi", [found.type], [found, condition])
        return found

    def store_neighbours(self, sums: list[Value], row: Value, column: Value) -> None:
        """Store neighbours, and what follows of them, from a place in the result, or in the box of rows, on."""
        if self.block_rows is not None:
            places = self.block_rows.places(row)
            outer = zip(self.contraction.outer, self.outer, strict=True)
            self.outer = [places.get(dim, at) for dim, at in outer]
            row = self.emitter.value(places[self.contraction.row or 0])
        super().store_neighbours(sums, row, column)

    # The sums

    @property
    def sides(self) -> tuple[int, int]:
        """Rows, and columns, of a block."""
        return self.shape.rows, self.shape.columns

    def _sums(self, zeros: list[Value]) -> list[Value]:
        factors, boxes = self.contraction, [Box(side, self.shape.depth) for side in self.sides]
        left = self.loader(factors.left, factors.row, self.first[0], self.rows, boxes[0])
        left.block_rows = self.block_rows
        right = self.loader(factors.right, factors.column, self.first[1], self.columns, boxes[1])
        return self.add_up([left, right], zeros)

    def add_up(self, loaders: Sequence[Loader], zeros: list[Value]) -> list[Value]:
        """The sums of the thread, step by step."""
        emitter, shape = self.emitter, self.shape
        self.buffers = []
        for loader in loaders:
            extents, type = self.tile_shape(loader.box)
            self.buffers.append(self.kernel.shared([2, *extents], type))
        with self._ahead(loaders, 0, 0, begins=True):
            pass
        loop = ForLoop(emitter, 0, self.depth, shape.depth, zeros)
        with loop.body():
            place, other = self._turn(loop.position)
            self.tiles = [slice_of(buffer, place) for buffer in self.buffers]
            with self._ahead(loaders, emitter.add(loop.position, shape.depth), other, begins=False):
                sums = self.multiply_tiles(loop.carried)
            loop.end(sums)
        return loop.results

    def _turn(self, position: Value) -> tuple[Value, Value]:
        """Which half of the shared memory a step multiplies, and which the next one."""
        depth = self.emitter.value(self.shape.depth)  # which is a power of two
        bit = create("arith.andi", [position.type], [position, depth])
        bits = bit, create("arith.xori", [position.type], [bit, depth])
        place, other = (create("arith.divui", [position.type], [each, depth]) for each in bits)
        return place, other

    @contextmanager
    def _ahead(self, loaders: Sequence[Loader], depth: Index, place: Index, begins: bool) -> Iterator[None]:
        """Bring tiles to shared memory; while they are on their way to registers, something else is done."""
        fetched = [loader.fetch(depth, begins) for loader in loaders]
        yield
        for loader, arrived, buffer in zip(loaders, fetched, self.buffers, strict=True):
            loader.store(loader.without_rest(*arrived), slice_of(buffer, place))
        self.kernel.barrier()

    def multiply_tiles(self, sums: list[Value]) -> list[Value]:
        """Add the products of what is in shared memory."""
        for k in range(self.shape.depth):
            sums = self._multiply(k, sums)
        return sums

    def _multiply(self, k: int, sums: list[Value]) -> list[Value]:
        """Multiply each row with each column of the thread."""
        shape = self.shape
        left = self._shared(self.tiles[0], k, self.down, shape.down)
        right = self._shared(self.tiles[1], k, self.across, shape.across)
        pairs = ((a, b) for a in left for b in right)
        return [self._add_product(total, a, b) for total, (a, b) in zip(sums, pairs, strict=True)]

    def _shared(self, tile: Value, k: int, thread: Index, count: int) -> list[Value]:
        emitter, quad = self.emitter, self.quad
        found: list[Value] = []
        for number in range(count // quad):
            start = emitter.add(emitter.multiply(thread, quad), number * _SIDE * quad)
            points = [[k, emitter.add(start, lane)] for lane in range(quad)]
            found += load_lanes(whole(tile), points, 1, emitter)
        return found

    def _add_product(self, total: Value, left: Value, right: Value) -> Value:
        if self.contraction.logical:
            both = create("arith.andi", [self.element], [left, right])
            return create("arith.ori", [self.element], [total, both])
        if isinstance(self.element, ir.IntegerType):
            both = create("arith.muli", [self.element], [left, right])
            return create("arith.addi", [self.element], [total, both])
        return create("math.fma", [self.element], [left, right, total])

    # The result

    def store_square(self, sums: list[Value], lanes: int) -> None:
        """Store what the thread has, so many neighbours at once."""
        across, quad = self.shape.across, self.quad
        for i in range(self.shape.down):
            row = self._position(self.first[0], self.down, i)
            for start in range(0, across, quad):
                for lane in range(0, quad, lanes):
                    j = start + lane
                    column = self._position(self.first[1], self.across, j)
                    with only_if(self.is_inside(row, column)):
                        self.store_neighbours(sums[i * across + j : i * across + j + lanes], row, column)

    def _position(self, first: Index, thread: Index, number: int) -> Value:
        emitter, quad = self.emitter, self.quad
        within = emitter.add(emitter.multiply(thread, quad), number // quad * _SIDE * quad + number % quad)
        return emitter.value(emitter.add(first, within))


class Products(DeviceSchedule):
    """Tiles in shared memory and registers, with the elementwise work behind them."""

    reason = "tiles in shared memory"
    writer: ClassVar[type[Product]] = Product

    @classmethod
    def match(cls, run: Run) -> Products | None:
        found = run.contraction
        if found is None or found.row is None or found.packed is not None or run.is_small_product:
            return None
        if (
            len(found.nest.outputs) != 1
            or 0 in found.nest.extents
            or run.reduction is None
            or not cls.takes(found)
        ):
            return None
        if min(known_sides(found), default=_LEAST) < _LEAST:
            return None
        return cls(run, 2 if len(run.steps) > 1 and may_follow(run.steps[0], run.steps[1]) else 1)

    @classmethod
    def takes(cls, contraction: Contraction) -> bool:
        """Whether it multiplies factors of such types, so placed."""
        del contraction
        return True

    @property
    def operations_per_second(self) -> float:
        """Additions and multiplications that such products reach at most; 0 where that is not known."""
        return gpu_figures().f32_per_second

    def seconds(self) -> float:
        each = 2 * size_of(self.steps[0].nest.extents)
        return each / self.operations_per_second if self.operations_per_second else 0.0

    def write(self, name: str) -> None:
        self.write_tiles(name, self.title)

    def write_tiles(
        self, name: str, reason: str, shape: Shape | None = None, are_multiples: bool = False
    ) -> None:
        """Write with tiles of a shape, or of one that suits the extents."""
        emitter = Emitter(self.function)
        outer = loop_nest(self.steps[0].nest.operation)
        contraction = known_contraction(outer)
        shape = shape or _shape(contraction, self.writer)
        given = [step.initial for step in self.steps if step.initial is not None]
        asked = is_asked_for(self.steps)
        result = self.steps[0].nest.outputs[0].memref
        local = [] if asked or is_replaced(self.steps) else [result]
        kernel = Kernel(self.function, name, self.ops, (THREADS, 1, 1), given, local)
        with kernel.nests(self.ops) as nests:
            found = known_contraction(nests[0])
            written = self.writer(kernel, found, shape, self.steps, nests, asked)
            written.are_multiples = are_multiples
            written.emit()
        blocks = emitter.product(
            tile_counts(contraction, row_box(contraction, shape.rows), shape.columns, emitter)
        )
        tile = f"{shape.rows} by {shape.columns} by {shape.depth}, {shape.down} by {shape.across} a thread"
        kernel.launch([blocks], f"{reason}; {tile}", shared=written.shared_bytes)

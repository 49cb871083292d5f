"""Products of halves and bytes by warpgroups: a thread brings boxes to shared memory, where others multiply them.

The first warpgroup of a block has that thread. The others have 64 rows of the result each, and wait for the next boxes
in a ring while the thread is some ahead. Boxes that reach over the end of an array are filled with zeros. Arrays and
their rows have to begin at multiples of 16 bytes, which the host looks at as far as it is not known; for others there
are the kernels of `tensor_cores`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

from ....dialect.mlir import Value, ir
from ....dialect.records import dataclass
from ....passes.control_flow.structure import constant_index
from ....passes.rewriting import operations_in
from ...nests.contraction import Contraction, Factor, known_contraction
from ...nests.emit import Emitter, ForLoop, Index, create
from ...nests.independence import base
from ...nests.nest import LoopNest, loop_nest
from ...target import current_gpu
from ..code.control import compare, only_if, otherwise
from ..code.kernel import Kernel
from ..code.tensor_copies import (
    CHUNK,
    GROUP,
    LINE,
    STEPS,
    Matrix,
    Mbarriers,
    SharedTiles,
    Sums,
    as_word,
    constant,
    copy_box,
    limit_registers,
    show_mbarriers,
)
from ..code.vectors import element_bytes, is_aligned
from ..code.walk import rest_and_quotient, split
from . import products, tensor_cores
from .row_boxes import RowBox, box_of, depth_dim, first_of_box, has_boxes, row_box, tile_counts
from .steps import Step

_STAGES = 4
"""Steps that the ring has room for."""
_BAND = 8
"""Rows of tiles that are made at a time, column by column."""
_ALIGNMENT = 16
"""Where arrays and their rows have to begin, in bytes."""
_LEAST = 64
"""Of rows, columns, and what is summed: with fewer, boxes are filled with zeros for the most part."""
_FILLED = 0.5
"""Of boxes of rows that part is in the result at least."""


@dataclass(frozen=True)
class Tile:
    """What a block makes of the result."""

    rows: int
    columns: int

    @property
    def groups(self) -> int:
        """Warpgroups that multiply."""
        return self.rows // 64

    @property
    def threads(self) -> int:
        """Of a block."""
        return GROUP * (1 + self.groups)

    @property
    def step_bytes(self) -> int:
        """What comes to shared memory in a step."""
        return (self.rows + self.columns) * LINE


_TILES = (Tile(128, 256), Tile(128, 128), Tile(128, 64), Tile(64, 64))
"""From the one that reads least to the one of which there are most; behind the first, only roundings follow."""


def _takes(contraction: Contraction) -> bool:
    """Whether warpgroups multiply what tensor cores do of factors, if these begin where they have to."""
    if not current_gpu().warpgroups:
        return False
    depth = depth_dim(contraction)
    extents = [contraction.columns, contraction.extent(depth)]
    return (
        all(not isinstance(extent, int) or extent >= _LEAST for extent in extents)
        and has_boxes(contraction.left, contraction.row, depth)
        and has_boxes(contraction.right, contraction.column, depth)
        and row_box(contraction, _LEAST, is_copied=True).filled(contraction) > _FILLED
    )


def _line(contraction: Contraction) -> int:
    """Elements in a line of shared memory, which are summed in a step."""
    return LINE // element_bytes(contraction.left.access.memref.type.element_type)


def _tile(contraction: Contraction, is_alone: bool, emitter: Emitter) -> Tile:
    """The largest tile of which there is one for each multiprocessor, else the smallest; or one between.

    None is more than twice as wide as the result.
    """
    gpu, columns = current_gpu(), contraction.columns
    for tile in _TILES if is_alone else _TILES[1:]:
        if isinstance(columns, int) and 2 * columns <= tile.columns:
            continue
        count = emitter.product(_counts(contraction, tile, emitter))
        if not isinstance(count, int):
            return _TILES[1]
        if count >= gpu.multiprocessors:
            return tile
    return _TILES[-1]


def _counts(contraction: Contraction, tile: Tile, emitter: Emitter) -> list[Index]:
    """How many tiles there are."""
    return tile_counts(contraction, row_box(contraction, tile.rows, is_copied=True), tile.columns, emitter)


def _only_rounds(step: Step) -> bool:
    """Whether a step does nothing but to round each number, which takes no registers."""
    ops = operations_in(step.nest.body)[:-1]
    return [op.name for op in ops] == ["arith.truncf"] and len(step.nest.inputs) == 1


def _are_aligned(steps: Sequence[Step], contraction: Contraction, emitter: Emitter) -> Value:
    """Whether copies of boxes, and stores of pairs, can take arrays and their rows; what is allocated begins well."""
    accesses = [access for step in steps for access in step.nest.accesses if not access.is_scalar]
    arrays = [access.memref for access in accesses if not _is_allocated(access.memref)]
    aligned = is_aligned(arrays, _ALIGNMENT, [], emitter)
    found = constant(1, 1) if aligned is None else aligned
    rows = {factor.access.expressions[-1].position for factor in (contraction.left, contraction.right)}
    lanes = _ALIGNMENT * _line(contraction) // LINE
    even = is_aligned([], lanes, map(contraction.extent, rows | {contraction.column}), emitter)
    for condition in [even, *_are_long(contraction, emitter)]:
        if condition is not None:
            found = create("arith.andi", [found.type], [found, condition])
    return found


def _are_long(contraction: Contraction, emitter: Emitter) -> list[Value]:
    """Whether there are enough rows and columns for tiles, and of what is summed, and a product at all."""
    dims = (contraction.row, contraction.column, *contraction.summed, *contraction.outer)
    long = (contraction.row, contraction.column, depth_dim(contraction))
    return [
        compare("uge", extent, emitter.value(_LEAST if dim in long else 1))
        for dim, extent in zip(dims, map(contraction.extent, dims), strict=True)
        if not isinstance(extent, int)
    ]


def _is_allocated(memref: Value) -> bool:
    return not isinstance(memref.owner, ir.Block) and bool(memref.owner.operation.name == "memref.alloc")


def _not_needed(steps: Sequence[Step], contraction: Contraction, is_asked_for: bool) -> list[Value]:
    """The memory that the kernel does not use by pointers: factors, and a result that is not asked for."""
    result = contraction.result.memref
    used = [access.memref for step in steps[1:] for access in step.nest.accesses if not access.is_scalar]
    used = [memref for memref in used if memref != result]
    for step in steps:
        if step.initial is not None and not isinstance(step.initial.owner, ir.Block):
            operands = step.initial.owner.operation.operands
            used += [value for value in operands if isinstance(value.type, ir.MemRefType)]
    if is_asked_for or products.is_replaced(steps):
        used.append(result)
    bases = {base(memref) for memref in used}
    memrefs = dict.fromkeys([contraction.left.access.memref, contraction.right.access.memref, result])
    return [memref for memref in memrefs if base(memref) not in bases]


def _box(contraction: Contraction, number: int, tile: Tile) -> tuple[list[int], list[int]]:
    """The extents of the boxes that are taken of a factor, and their steps."""
    factor, rows = _roles(contraction, tile)[number]
    length = _line(contraction)
    sizes = dict(zip(rows.dims, rows.sizes, strict=True))
    if _is_across(factor, rows):
        sizes = dict.fromkeys(rows.dims, length)
    return box_of(factor, {**sizes, depth_dim(contraction): length})


def _roles(contraction: Contraction, tile: Tile) -> list[tuple[Factor, RowBox]]:
    """Both factors, with the dimensions along which they have rows or columns, and how many of these a block has."""
    return [
        (contraction.left, row_box(contraction, tile.rows, is_copied=True)),
        (contraction.right, RowBox((contraction.column,), (tile.columns,))),
    ]


def _is_across(factor: Factor, rows: RowBox) -> bool:
    """Whether lines of a factor are across what is summed."""
    return factor.access.is_contiguous_in(rows.dims[-1])


def _tensor_map(contraction: Contraction, number: int, tile: Tile) -> Value:
    """What tells copies where a factor lies; made by the host for each launch."""
    memref = (contraction.left, contraction.right)[number].access.memref
    box, steps = _box(contraction, number, tile)
    type = memref.type.element_type
    extents = "x".join(map(str, box))
    map_type = ir.Type.parse(
        f"!nvgpu.tensormap.descriptor<tensor = memref<{extents}x{type}, 3>, swizzle = swizzle_128b, "
        "l2promo = l2promo_128b, oob = zero, interleave = none>"
    )
    whole = ir.UnrankedMemRefType.get(type, None)
    tensor = create("memref.cast", [whole], [memref])
    sizes = [constant_index(extent) for extent in box]
    attributes = {} if max(steps) == 1 else {STEPS: ir.DenseI64ArrayAttr.get(steps)}
    made = create("nvgpu.tma.create.descriptor", [map_type], [tensor, *sizes], attributes)
    return create("builtin.unrealized_conversion_cast", [ir.Type.parse("!llvm.ptr")], [made])


class WarpgroupProduct(tensor_cores.TensorProduct):
    """Writes what a thread does, with its warpgroup."""

    def __init__(
        self,
        kernel: Kernel,
        contraction: Contraction,
        tile: Tile,
        steps: Sequence[Step],
        nests: Sequence[LoopNest],
        is_asked_for: bool,
        maps: Sequence[Value],
    ) -> None:
        shape = products.Shape(2, 2, _line(contraction))
        super().__init__(kernel, contraction, shape, steps, nests, is_asked_for)
        self.tile, self.maps = tile, maps

    def emit(self) -> None:
        """Write the kernel."""
        emitter, tile = self.emitter, self.tile
        self._place_block()
        thread = self.kernel.id("thread_id")
        within, number = rest_and_quotient(thread, GROUP, self.emitter)
        memory = SharedTiles(self.kernel)
        ring = _Ring(self, memory)
        with only_if(compare("eq", thread, emitter.value(0))):
            ring.make(tile.groups)
        self.kernel.barrier()
        many = tile.groups > 1
        with only_if(compare("eq", number, emitter.value(0))) as branch:
            if many:
                limit_registers(40, "decrease")
            with only_if(compare("eq", within, emitter.value(0))):
                ring.fill()
        with otherwise(branch):
            if many:
                limit_registers(232, "increase")
            group = emitter.value(emitter.subtract(number, 1))
            self._place_thread(within, group)
            self._finish(ring.multiply(within, group))

    def _place_block(self) -> None:
        emitter, tile = self.emitter, self.tile
        *outer, rows, columns = _counts(self.contraction, tile, emitter)
        tiles = emitter.multiply(rows, columns)
        *others, within = split(self.kernel.id("block_id"), [*outer, tiles], emitter)
        row, column = self._by_bands(emitter.value(within), rows, columns)
        box = row_box(self.contraction, tile.rows, is_copied=True)
        self.boxed = self.take_rows(box, others, row)
        self.first = self.boxed.firsts[-1], emitter.multiply(column, tile.columns)

    def first_point(self) -> list[Index]:
        """Where in the nest the tile begins, but for what is summed."""
        points: list[Index] = [0] * len(self.nest.parallel)
        outer = dict(zip(self.contraction.outer, self.outer, strict=True))
        for dim, place in {**outer, **self.boxed.places(0), self.contraction.column: self.first[1]}.items():
            points[dim] = place
        return points

    def _by_bands(self, number: Value, rows: Index, columns: Index) -> tuple[Index, Index]:
        """Where the tile of a number is: those at work together share rows and columns, which stay in the cache."""
        emitter = self.emitter
        if isinstance(rows, int) and rows <= _BAND:
            rest, quotient = rest_and_quotient(number, rows, self.emitter)
            return rest, quotient
        within, band = rest_and_quotient(number, emitter.multiply(columns, _BAND), self.emitter)
        first = emitter.multiply(band, _BAND)
        height = emitter.value(emitter.minimum(emitter.subtract(rows, first), _BAND))
        row = create("arith.remui", [number.type], [within, height])
        column = create("arith.divui", [number.type], [within, height])
        return emitter.add(first, row), column

    def _place_thread(self, within: Value, group: Value) -> None:
        """Where in the tile the sums of the thread lie: as those of `mma.sync`, 16 rows a warp."""
        emitter = self.emitter
        lane, warp = rest_and_quotient(within, 32, self.emitter)
        self.pair, self.group = rest_and_quotient(lane, 4, self.emitter)
        row = emitter.add(emitter.multiply(group, 64), emitter.multiply(warp, 16))
        self.warp = emitter.value(row), emitter.value(0)
        self.quad = 2

    def _finish(self, sums: list[Value]) -> None:
        """Store pairs; the host has looked at where arrays begin."""
        is_even = not isinstance(self.columns, int) or self.columns % 2 == 0
        pairs = is_even and self.accesses_are_even()
        self.store_square(sums, 2 if pairs else 1)

    def store_square(self, sums: list[Value], lanes: int) -> None:
        """Store what is in the result of the sums of a thread."""
        emitter = self.emitter
        for half in range(2):
            row = emitter.value(emitter.add(emitter.add(self.warp[0], 8 * half), self.group))
            is_inside = self.boxed.are_inside(self.boxed.places(row))
            with nullcontext() if is_inside is None else only_if(is_inside):
                for j in range(self.tile.columns // 8):
                    column = self.place_of(1, 8 * j, self.emitter.multiply(self.pair, 2))
                    for lane in range(0, 2, lanes):
                        at = self.emitter.value(self.emitter.add(column, lane))
                        start = 4 * j + 2 * half + lane
                        with self._if_inside(at, self.columns, self.tile.columns):
                            self.store_neighbours(sums[start : start + lanes], row, at)

    def _if_inside(self, at: Value, extent: Index, tile: int) -> AbstractContextManager[object]:
        """Write what is done for places in the result, which all are where tiles divide it."""
        if isinstance(extent, int) and extent % tile == 0:
            return nullcontext()
        return only_if(compare("ult", at, self.emitter.value(extent)))


class _Ring:
    """Room for the boxes of some steps, which are filled and emptied in turn."""

    def __init__(self, product_: WarpgroupProduct, memory: SharedTiles) -> None:
        self._product, self._memory, self._emitter = product_, memory, product_.emitter
        tile = self._tile = product_.tile
        start = _STAGES * tile.step_bytes
        self._full = Mbarriers(memory, start, self._emitter)
        self._empty = Mbarriers(memory, start + 8 * _STAGES, self._emitter)
        contraction = product_.contraction
        self._length, self._depth = _line(contraction), depth_dim(contraction)
        self._summed = [*(dim for dim in contraction.summed if dim != self._depth), self._depth]
        *extents, depth = map(contraction.extent, self._summed)
        self._counts = [*extents, self._emitter.divide_up(depth, self._length)]
        self._steps = self._emitter.product(self._counts)

    def make(self, groups: int) -> None:
        """Let one thread and its copies fill, and so many warpgroups empty it."""
        for number in range(_STAGES):
            self._full.make(number, 1)
            self._empty.make(number, groups)
        show_mbarriers()

    def _turn(self, step: Value) -> tuple[Value, Value]:
        """The place of a step in the ring, and the parity of the turn."""
        emitter = self._emitter
        place = create("arith.remui", [step.type], [step, emitter.value(_STAGES)])
        turn = create("arith.divui", [step.type], [step, emitter.value(_STAGES)])
        parity = create("arith.andi", [step.type], [turn, emitter.value(1)])
        return place, as_word(parity, emitter)

    def fill(self) -> None:
        """One thread brings boxes, whenever there is room."""
        emitter = self._emitter
        loop = ForLoop(emitter, 0, self._steps, 1, [], unroll=False)
        with loop.body():
            place, parity = self._turn(loop.position)
            before = create("arith.xori", [parity.type], [parity, constant(1)])
            self._empty.wait(place, before)
            barrier = self._full.expect(place, self._tile.step_bytes)
            start: Index = emitter.multiply(place, self._tile.step_bytes)
            for number in range(2):
                self._copy(number, start, loop.position, barrier)
                start = emitter.add(start, self._tile.rows * LINE)
            loop.end([])

    def _copy(self, number: int, start: Index, step: Value, barrier: Value) -> None:
        """Bring what a step needs of a factor."""
        emitter, product_ = self._emitter, self._product
        contraction = product_.contraction
        factor, rows = _roles(contraction, self._tile)[number]
        points = product_.first_point()
        for dim, place in zip(self._summed, split(step, self._counts, emitter), strict=True):
            points[dim] = emitter.multiply(place, self._length) if dim == self._depth else place
        for chunk in range(rows.sizes[-1] // self._length if _is_across(factor, rows) else 1):
            if chunk:
                points[rows.dims[-1]] = emitter.add(product_.first[number], chunk * self._length)
            first = [as_word(place, emitter) for place in first_of_box(factor, points, emitter)]
            copy_box(
                self._memory.at(emitter.add(start, chunk * CHUNK)), product_.maps[number], barrier, first
            )

    def multiply(self, within: Value, group: Value) -> list[Value]:
        """A warpgroup adds up its rows; the sums of the thread."""
        emitter, product_, tile = self._emitter, self._product, self._tile
        contraction = product_.contraction
        kinds = tensor_cores.signs(contraction) if product_.size == 1 else [str(product_.half)] * 2
        sums = Sums(tile.columns, kinds)
        transposed = [_is_across(factor, rows) for factor, rows in _roles(contraction, tile)]
        loop = ForLoop(emitter, 0, self._steps, 1, [sums.zeros()], unroll=False)
        with loop.body():
            place, parity = self._turn(loop.position)
            self._full.wait(place, parity)
            start = emitter.multiply(place, tile.step_bytes)
            rows = emitter.add(start, emitter.multiply(group, CHUNK))
            columns = emitter.add(start, tile.rows * LINE)
            left, right = (
                Matrix(self._memory.at(at), across)
                for at, across in zip((rows, columns), transposed, strict=True)
            )
            total = sums.add(loop.carried[0], left, right)
            is_done = compare("ugt", loop.position, emitter.value(0))
            is_first = compare("eq", within, emitter.value(0))
            with only_if(create("arith.andi", [is_done.type], [is_done, is_first])):
                before, _ = self._turn(emitter.value(emitter.subtract(loop.position, 1)))
                self._empty.arrive(before)
            loop.end([total])
        return sums.parts(sums.done(loop.results[0]))


class Warpgroups(tensor_cores.TensorProducts):
    """Products of halves on sm_90a where extents are at least 64, and rows begin at multiples of 16 bytes: TMA brings
    tiles to a ring in shared memory, `wgmma` multiplies them.
    """

    @classmethod
    def takes(cls, contraction: Contraction) -> bool:
        return tensor_cores.takes(contraction) and _takes(contraction)

    def write(self, name: str) -> None:
        contraction = known_contraction(loop_nest(self.ops[0]))
        emitter = Emitter(self.function)
        with only_if(_are_aligned(self.steps, contraction, emitter)) as branch:
            self._write_boxes(name)
        with otherwise(branch):
            is_known = not _are_long(contraction, emitter)
            small = products.Shape(2, 2, self.writer.depth_of(2, 2)) if is_known else None
            self.write_tiles(f"{name}_anywhere", "tensor cores: arrays begin anywhere", small)

    def _write_boxes(self, name: str) -> None:
        contraction = known_contraction(loop_nest(self.ops[0]))
        emitter = Emitter(self.function)
        tile = _tile(contraction, all(map(_only_rounds, self.steps[1:])), emitter)
        maps = [_tensor_map(contraction, number, tile) for number in range(2)]
        is_asked_for = products.is_asked_for(self.steps)
        local = _not_needed(self.steps, contraction, is_asked_for)
        given = [step.initial for step in self.steps if step.initial is not None]
        kernel = Kernel(self.function, name, self.ops, (tile.threads, 1, 1), given, local, maps)
        with kernel.nests(self.ops) as nests:
            found = known_contraction(nests[0])
            WarpgroupProduct(
                kernel, found, tile, self.steps, nests, is_asked_for, [kernel.value(m) for m in maps]
            ).emit()
        blocks = emitter.product(_counts(contraction, tile, emitter))
        shared = _STAGES * (tile.step_bytes + 16)
        text = f"{self.title}; {tile.rows} by {tile.columns} by {_line(contraction)}, {_STAGES} steps in shared memory"
        kernel.launch([blocks], text, shared=shared)


class ByteWarpgroups(Warpgroups):
    """Products of bytes on sm_90a, as those of halves, where lines of both factors are along what is summed."""

    name = "warpgroups-bytes"
    reason = tensor_cores.ByteProducts.reason
    writer = tensor_cores.ByteProduct

    @classmethod
    def takes(cls, contraction: Contraction) -> bool:
        return tensor_cores.takes_bytes(contraction) and _takes(contraction)

    @property
    def operations_per_second(self) -> float:
        return 2 * super().operations_per_second

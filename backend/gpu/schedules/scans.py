"""Running sums and their kin (see `nests/running.py`).

Along what lies side by side, a block takes a row, tile by tile, and a thread a few neighbours of each tile. Where there
are few long rows, blocks take slices of them, as many as fill the device: a first kernel leaves what each slice has, a
second one what slices have together with those before them, and in the third one each block starts from what is before
its slice. So the result depends on the extents alone: blocks that look back at what others have left so far would add
in another order each time. Along other dimensions a thread takes a column, in the order of the processor.
"""

from __future__ import annotations

from ....dialect.mlir import Operation, Value, ir
from ....passes.rewriting import constant_integer
from ...nests.collapse import is_identity_layout
from ...nests.emit import Emitter, ForLoop, Index, create, load, store
from ...nests.running import RunningLoop, match_running
from ...target import current_gpu
from ..code.captures import is_known_to_host
from ..code.control import compare, only_if, otherwise
from ..code.kernel import Kernel, allocate, clone_with
from ..code.scan import BlockScan, Prefix, of_one
from ..code.vectors import element_bytes, elements_of, is_aligned, vector_alignment
from ..code.walk import split
from .device_schedule import DeviceSchedule, Run

THREADS = 256
_EACH = 4
"""Neighbours that a thread takes of a tile."""
TILE = THREADS * _EACH
_TILES = 4
"""Of a slice at least."""
_BLOCKS = 6
"""For each multiprocessor, where blocks share rows."""
_COLUMN_THREADS = 128
_FEW = 64
"""So few columns are rows of blocks, though what they have does not lie side by side."""
_SHORT = 32
"""The longest rows of which many are columns, though what they have lies side by side."""


class Scans(DeviceSchedule):
    """Running sums, products and extremes: blocks for rows or slices of them, threads for columns."""

    reason = "each element needs the one before"

    def __init__(self, run: Run, found: RunningLoop) -> None:
        super().__init__(run)
        self.found = found

    @classmethod
    def match(cls, run: Run) -> Scans | None:
        found = match_running(run.ops[0]) if run.is_loop and run.ops[0].name == "scf.for" else None
        is_known = found is not None and all(is_known_to_host(each.operands[1]) for each in found.loops)
        return cls(run, found) if found is not None and is_known else None

    def write(self, name: str) -> None:
        loop = self.found.loops[0]
        others = [_extent(each) for number, each in enumerate(self.found.loops) if number != self.found.axis]
        emitter = Emitter(self.function)
        rows, length = emitter.product(others), _extent(self.found.loops[self.found.axis])
        has_few_rows = isinstance(rows, int) and rows <= _FEW
        is_short = isinstance(length, int) and length <= _SHORT
        if not has_few_rows and (is_short or not self.found.is_contiguous):
            _Columns(self.function, name, self.found, self.title).launch(rows)
            return
        slices, most = _slices(rows, length, emitter)
        if most == 1:
            kernel = Kernel(self.function, name, [loop], (THREADS, 1, 1))
            _Rows(kernel, self.found).emit(None, stores=True)
            kernel.launch([emitter.maximum(1, rows)], f"{self.title}; a block a row")
            return
        assert isinstance(rows, int)
        parts = allocate([rows * most], self.found.value.type)
        first = Kernel(self.function, f"{name}_parts", [loop], (THREADS, 1, 1), [parts])
        _Rows(first, self.found).emit(parts, stores=False)
        first.launch([rows, slices], f"{self.title}; what slices of rows have")
        _Shares(self.function, f"{name}_shares", self.found, parts, slices).launch(rows, self.title)
        last = Kernel(self.function, name, [loop], (THREADS, 1, 1), [parts])
        _Rows(last, self.found).emit(parts, stores=True)
        last.launch([rows, slices], f"{self.title}; slices, behind those before them")


def _extent(loop: Operation) -> Index:
    known = constant_integer(loop.operands[1])
    return loop.operands[1] if known is None else known


def _slices(rows: Index, length: Index, emitter: Emitter) -> tuple[Index, int]:
    """How many blocks share a row, and how many may."""
    gpu = current_gpu()
    if not isinstance(rows, int) or rows >= gpu.multiprocessors:
        return 1, 1
    most = gpu.multiprocessors * _BLOCKS // max(rows, 1)
    share = TILE * _TILES
    slices = emitter.maximum(1, emitter.minimum(emitter.divide_up(length, share), most))
    return slices, slices if isinstance(slices, int) else most


class _Element:
    """An element of a loop inside of a kernel, and how two are combined."""

    def __init__(self, kernel: Kernel, found: RunningLoop) -> None:
        self.kernel, self.found, self.emitter = kernel, found, kernel.emitter
        others = [each for number, each in enumerate(found.loops) if number != found.axis]
        self.extents = [self._inner(_extent(each)) for each in others]
        self.length = self._inner(_extent(found.loops[found.axis]))

    def _inner(self, extent: Index) -> Index:
        return extent if isinstance(extent, int) else self.kernel.value(extent)

    def go_to_row(self, number: Value) -> None:
        """Say which elements are combined: the position along all other loops."""
        others = [p for axis, p in enumerate(self.found.positions) if axis != self.found.axis]
        for position, index in zip(others, split(number, self.extents, self.emitter), strict=True):
            self.kernel.bind(position, self.emitter.value(index))

    def at(self, index: Value) -> Value:
        """An element of the row."""
        self.kernel.bind(self.found.positions[self.found.axis], index)
        for op in self.found.element:
            self.kernel.clone(op)
        return self.kernel.value(self.found.value)

    def store(self, value: Value, index: Value) -> None:
        """Store the result at an element."""
        self.kernel.bind(self.found.positions[self.found.axis], index)
        _, target, *places = self.found.store.operands
        store(value, self.kernel.value(target), [self.kernel.value(place) for place in places])

    def find_vectors(self) -> None:
        """Look which loads, and the store, are of neighbours that one access takes, where addresses allow it."""
        found, target = self.found, self.found.store.operands[1]
        position, inner = found.positions[found.axis], set[Value]()
        for op in found.element:
            inner.update(op.results)
        self.vectors: list[Operation] = []
        self.aligned: Value | None = None
        loads = [op for op in found.element if op.name == "memref.load"]
        loads = [
            op
            for op in loads
            if list(op.operands)[-1] == position
            and not {position, *inner} & {*list(op.operands)[1:-1]}
            and op.operands[0] not in inner
        ]
        memrefs = [op.operands[0] for op in loads] + [target]
        fits = all(
            is_identity_layout(each.type) and element_bytes(each.type.element_type) for each in memrefs
        )
        extent = target.type.shape[-1]
        is_row = target.type.rank == 1
        is_known = extent != ir.ShapedType.get_dynamic_size()
        if not found.is_contiguous or not fits or not (is_row or (is_known and extent % _EACH == 0)):
            return
        same = all(each.type.shape[-1] == extent or each.type.rank == 1 for each in memrefs)
        if loads and same:
            self.vectors = loads
            own = [self.kernel.value(each) for each in memrefs]
            self.aligned = is_aligned(own, _EACH, [], self.emitter)

    def at_neighbours(self, places: list[Value], is_whole: Value) -> list[Value]:
        """The elements at places; if that is the case, those that lie side by side are loaded by one access."""
        kernel, position = self.kernel, self.found.positions[self.found.axis]
        memrefs = [op.operands[0] for op in self.vectors]
        types = [ir.VectorType.get([len(places)], memref.type.element_type) for memref in memrefs]
        with only_if(is_whole, types) as branch:
            kernel.bind(position, places[0])
            pairs = zip(types, map(self._indices, self.vectors), strict=True)
            branch.give(
                [create("vector.load", [type], operands, vector_alignment(type)) for type, operands in pairs]
            )
        with otherwise(branch):
            single: list[list[Value]] = [[] for _ in types]
            for place in places:
                kernel.bind(position, place)
                for values, (memref, *indices) in zip(single, map(self._indices, self.vectors), strict=True):
                    values.append(load(memref, indices))
            branch.give(
                [create("vector.from_elements", [type], own) for type, own in zip(types, single, strict=True)]
            )
        loaded = dict(zip(self.vectors, map(elements_of, branch.results), strict=True))
        found = []
        for lane, place in enumerate(places):
            kernel.bind(position, place)
            for op in self.found.element:
                if op in loaded:
                    kernel.bind(op.results[0], loaded[op][lane])
                else:
                    kernel.clone(op)
            found.append(kernel.value(self.found.value))
        return found

    def _indices(self, op: Operation) -> list[Value]:
        return [self.kernel.value(operand) for operand in op.operands]

    def store_neighbours(self, values: list[Value], first: Value) -> None:
        """Store the results at neighbouring places by one access."""
        self.kernel.bind(self.found.positions[self.found.axis], first)
        target, *places = (self.kernel.value(operand) for operand in list(self.found.store.operands)[1:])
        type = ir.VectorType.get([len(values)], values[0].type)
        vector = create("vector.from_elements", [type], values)
        create("vector.store", [], [vector, target, *places], vector_alignment(type))

    def join(self, left: Value, right: Value) -> Value:
        """What two neighbours are together."""
        values = {self.found.before: left, self.found.value: right}
        for op in self.found.join:
            clone_with(op, values, values.__getitem__)
        return values[self.found.join[-1].results[0]]


class _Rows(_Element):
    """Writes what a block does with a row, or a slice of one."""

    def emit(self, parts: Value | None, *, stores: bool) -> None:
        """Go over the tiles; `parts` has what slices have, and gets it where nothing is stored."""
        kernel, emitter = self.kernel, self.emitter
        with kernel.body():
            self.go_to_row(kernel.id("block_id"))
            self.thread = kernel.id("thread_id")
            self.scan = BlockScan(kernel, THREADS, of_one(self.join))
            self.find_vectors()
            number, count = kernel.id("block_id", "y"), kernel.id("grid_dim", "y")
            each = emitter.add(self.length, TILE - 1)
            if parts is not None:  # of whole tiles
                each = create("arith.ceildivui", [count.type], [emitter.value(self.length), count])
                each = emitter.add(each, TILE - 1)
            each = emitter.multiply(emitter.divide(each, TILE), TILE)
            start = emitter.value(emitter.multiply(number, each))
            end = emitter.value(emitter.minimum(emitter.add(start, each), self.length))
            is_row = compare("ult", kernel.id("block_id"), emitter.value(emitter.product(self.extents)))
            is_slice = compare("ult", start, end)
            with only_if(create("arith.andi", [is_row.type], [is_row, is_slice])):
                before = self.at(start)  # of the type, where there is nothing before
                has = compare("ugt", number, emitter.value(0))
                if stores and parts is not None:
                    with only_if(has, [before.type]) as branch:
                        last = emitter.subtract(self._part(number, count), 1)
                        branch.give([load(kernel.value(parts), [emitter.value(last)])])
                    with branch.way(1):
                        branch.give([before])
                    before = branch.results[0]
                total = self._tiles(start, end, Prefix([before], has if stores else None), stores)
                if not stores:
                    assert parts is not None
                    with only_if(compare("eq", self.thread, emitter.value(0))):
                        store(total, kernel.value(parts), [self._part(number, count)])

    def _part(self, number: Index, count: Value) -> Value:
        """Where the share of a slice is."""
        row = self.emitter.multiply(self.kernel.id("block_id"), count)
        return self.emitter.value(self.emitter.add(row, number))

    def _tiles(self, start: Value, end: Value, before: Prefix, stores: bool) -> Value:
        """Go over the tiles of a slice; returns what it has, with what is before it."""
        emitter = self.emitter
        last = emitter.value(emitter.subtract(end, 1))
        loop = ForLoop(emitter, start, end, TILE, before.numbers)
        with loop.body():
            first = emitter.add(loop.position, emitter.multiply(self.thread, _EACH))
            places = [emitter.value(emitter.add(first, number)) for number in range(_EACH)]
            is_whole = self._is_whole(loop.position, end)
            inside = [emitter.value(emitter.minimum(place, last)) for place in places]
            values = (
                [self.at(place) for place in inside]
                if is_whole is None
                else self.at_neighbours(inside, is_whole)
            )
            has = compare("ugt", loop.position, start)
            if before.is_there is not None:
                has = create("arith.ori", [has.type], [has, before.is_there])
            scanned, (total,) = self.scan.scan([[value] for value in values], Prefix(loop.carried, has))
            results = [result for (result,) in scanned]
            if stores:
                self._store_all(results, places, end, is_whole)
            loop.end([total])
        return loop.results[0]

    def _is_whole(self, tile: Value, end: Value) -> Value | None:
        """Whether a thread may load and store its neighbours of a tile at once; None if no thread may."""
        if not self.vectors:
            return None
        emitter = self.emitter
        is_whole = compare("ule", emitter.value(emitter.add(tile, TILE)), end)
        return (
            is_whole
            if self.aligned is None
            else create("arith.andi", [self.aligned.type], [self.aligned, is_whole])
        )

    def _store_all(
        self, results: list[Value], places: list[Value], end: Value, is_whole: Value | None
    ) -> None:
        """Store the results of a thread."""

        def single() -> None:
            for place, value in zip(places, results, strict=True):
                with only_if(compare("ult", place, end)):
                    self.store(value, place)

        if is_whole is None:
            single()
            return
        with only_if(is_whole) as branch:
            self.store_neighbours(results, places[0])
        with otherwise(branch):
            single()


class _Shares(_Rows):
    """Writes what each slice of a row has with those before it, in the place of what it has: a block a row."""

    def __init__(
        self, function: Operation, name: str, found: RunningLoop, parts: Value, slices: Index
    ) -> None:
        values = [parts, *([] if isinstance(slices, int) else [slices])]
        self.kernel, self.found = Kernel(function, name, [], (THREADS, 1, 1), values, writes=[parts]), found
        self.emitter, self.vectors, self.aligned = self.kernel.emitter, [], None
        with self.kernel.body():
            self._parts = self.kernel.value(parts)
            count = self.emitter.value(slices if isinstance(slices, int) else self.kernel.value(slices))
            self._first = self.emitter.multiply(self.kernel.id("block_id"), count)
            self.thread = self.kernel.id("thread_id")
            self.scan = BlockScan(self.kernel, THREADS, of_one(self.join))
            zero = self.emitter.value(0)
            self._tiles(zero, count, Prefix([self.at(zero)], None), True)

    def at(self, index: Value) -> Value:
        return load(self._parts, [self.emitter.value(self.emitter.add(self._first, index))])

    def store(self, value: Value, index: Value) -> None:
        store(value, self._parts, [self.emitter.value(self.emitter.add(self._first, index))])

    def launch(self, rows: int, title: str) -> None:
        """Launch a block for each row."""
        self.kernel.launch([rows], f"{title}; what slices have with those before them")


class _Columns(_Element):
    """Writes what a thread does with a column."""

    def __init__(self, function: Operation, name: str, found: RunningLoop, reason: str) -> None:
        super().__init__(Kernel(function, name, [found.loops[0]], (_COLUMN_THREADS, 1, 1)), found)
        self._outer, self._reason = Emitter(function), reason
        with self.kernel.body():
            self._emit()

    def _emit(self) -> None:
        kernel, emitter = self.kernel, self.emitter
        number = kernel.number()
        is_column = compare("ult", number, emitter.value(emitter.product(self.extents)))
        zero = emitter.value(0)
        is_long = compare("ugt", emitter.value(self.length), zero)
        with only_if(create("arith.andi", [is_long.type], [is_column, is_long])):
            self.go_to_row(number)
            first = self.at(zero)
            self.store(first, zero)
            loop = ForLoop(emitter, 1, self.length, 1, [first])
            with loop.body():
                value = self.join(loop.carried[0], self.at(loop.position))
                self.store(value, loop.position)
                loop.end([value])

    def launch(self, columns: Index) -> None:
        """Launch as many threads as there are columns."""
        emitter = self._outer
        blocks = emitter.divide_up(columns, _COLUMN_THREADS)
        self.kernel.launch([emitter.maximum(1, blocks)], f"{self._reason}; a thread a column")

"""Sorts of rows, stable: blocks sort tiles in shared memory, then neighbouring runs are merged until there is one; long
rows of numbers are sorted by their digits (see `radix`).

Both are the same step: an element of one of two sorted runs goes to the place that is its own in the run, and as many
further as elements of the other run come before it, which a binary search tells. Equal elements keep their order, as
those of the first run come before those of the second. What is sorted by keys is moved with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ....dialect.mlir import Operation, Type, Value, ir
from ....dialect.records import dataclass
from ...nests.emit import Emitter, ForLoop, Index, create, load, store
from ..code.control import compare, first_without, only_if
from ..code.kernel import Kernel
from ..code.order import comes_before
from .points import grid
from .radix import RadixSorter, digits_of, flat

_THREADS = 256
_EACH = 4
"""Elements of a tile that a thread moves."""
TILE = _THREADS * _EACH
_DOUBLINGS = TILE.bit_length() - 1
"""How often runs of a tile are merged until it is one; an even number, so that the result is where it began."""


@dataclass(frozen=True)
class Runs:
    """Memory of keys, and of what moves with them, of all rows; without a payload there are keys alone."""

    keys: Value
    payload: Value | None

    @property
    def memory(self) -> list[Value]:
        """The arrays that there are."""
        return [self.keys] if self.payload is None else [self.keys, self.payload]


class Sorter:
    """Writes the kernels that sort, and their launches."""

    def __init__(
        self,
        function: Operation,
        name: str,
        rows: Index,
        length: Index,
        reason: str,
        bits: Sequence[int] | None = None,
    ) -> None:
        """Of keys it may be known which bits tell the order, from one up to another one."""
        self._function, self._name, self._reason, self._bits = function, name, reason, bits
        self._rows, self._length, self._emitter = rows, length, Emitter(function)
        self._index = ir.IndexType.get()

    def sort(self, source: Value, target: Runs, spare: Runs) -> None:
        """Sort the keys of a source; the payload is the place of each key in its row. All are without gaps.

        The result is in the target; the spare memory is as large.
        """
        rows, length = self._rows, self._length
        if isinstance(rows, int) and isinstance(length, int):
            digits = digits_of(source.type.element_type, length, self._bits)
            if digits:
                radix = RadixSorter(self._function, self._name, rows, length, self._reason)
                radix.sort(source, target.memory, spare.memory, digits)
                return
        tiles = self._emitter.divide_up(self._length, TILE)
        if isinstance(tiles, int):
            count = (tiles - 1).bit_length() if tiles else 0
            first, second = (spare, target) if count % 2 else (target, spare)
            self._sort_tiles(source, first, tiles)
            merge = self._merge_kernel(first, second) if count else None
            for number in range(count):
                assert merge is not None
                merge(first, second, self._emitter.value(TILE << number))
                first, second = second, first
            return
        self._sort_tiles(source, target, tiles)
        merge = self._merge_kernel(target, spare)
        loop = ForLoop(self._emitter, 0, self._pairs_of_merges(tiles), 1, [self._emitter.value(TILE)])
        with loop.body():
            (run,) = loop.carried
            twice = self._emitter.value(self._emitter.add(run, run))
            merge(target, spare, run)
            merge(spare, target, twice)
            loop.end([self._emitter.value(self._emitter.add(twice, twice))])

    def _pairs_of_merges(self, tiles: Index) -> Value:
        """Half as many as runs have to become twice as long, rounded up."""
        i64 = ir.IntegerType.get_signless(64)
        rest = create("arith.index_cast", [i64], [self._emitter.value(self._emitter.subtract(tiles, 1))])
        zeros = create("arith.index_cast", [self._index], [create("math.ctlz", [i64], [rest])])
        doublings = self._emitter.subtract(64, zeros)
        return self._emitter.value(self._emitter.divide(self._emitter.add(doublings, 1), 2))

    # Tiles

    def _sort_tiles(self, source: Value, target: Runs, tiles: Index) -> None:
        outer = self._emitter
        threads = (_THREADS, 1, 1)
        values = [value for value in (self._rows, self._length) if not isinstance(value, int)]
        memory = [source, *target.memory]
        kernel = Kernel(self._function, self._name, [], threads, values, given=memory, writes=target.memory)
        emitter = kernel.emitter
        with kernel.body():
            rows, length = (self._inside(kernel, extent) for extent in (self._rows, self._length))
            tiles_inside = emitter.value(emitter.divide_up(length, TILE))
            block = kernel.id("block_id")
            with only_if(compare("ult", block, emitter.value(emitter.multiply(rows, tiles_inside)))):
                row, tile = (
                    create(f"arith.{name}ui", [self._index], [block, tiles_inside]) for name in ("div", "rem")
                )
                first = emitter.multiply(tile, TILE)
                place = emitter.add(emitter.multiply(row, length), first)
                count = emitter.value(emitter.minimum(emitter.subtract(length, first), TILE))
                rows_of = [flat(kernel.value(memref)) for memref in memory]
                _Tile(kernel, count).sort(rows_of[0], rows_of[1:], place, first)
        blocks = outer.multiply(self._rows, tiles)
        kernel.launch([blocks], f"{self._reason}; tiles of {TILE} in shared memory")

    # Merges

    def _merge_kernel(self, source: Runs, target: Runs) -> Callable[[Runs, Runs, Value], None]:
        """Write the kernel that merges runs; what is returned launches it, for runs of a length."""
        outer = self._emitter
        run = outer.value(TILE)
        values = [value for value in (self._rows, self._length) if not isinstance(value, int)]
        memory = [*source.memory, *target.memory]
        kernel = Kernel(
            self._function,
            f"{self._name}_merge",
            [],
            (_THREADS, 1, 1),
            values,
            given=[*memory, run],
            writes=memory,
        )
        emitter = kernel.emitter
        with kernel.body():
            rows, length = (self._inside(kernel, extent) for extent in (self._rows, self._length))
            rows_of = [flat(kernel.value(memref)) for memref in memory]
            half = len(rows_of) // 2
            start = kernel.number()
            step = emitter.multiply(kernel.id("grid_dim"), _THREADS)
            loop = ForLoop(emitter, start, emitter.multiply(rows, length), step, [])
            with loop.body():
                row, place = (
                    create(f"arith.{name}ui", [self._index], [loop.position, emitter.value(length)])
                    for name in ("div", "rem")
                )
                begin = emitter.value(emitter.multiply(row, length))
                _move(
                    rows_of[:half],
                    rows_of[half:],
                    begin,
                    place,
                    kernel.value(run),
                    emitter.value(length),
                    emitter,
                )
                loop.end([])
        blocks = grid(outer.multiply(self._rows, self._length), _THREADS, outer)

        def launch(source_now: Runs, target_now: Runs, length_now: Value) -> None:
            pairs = zip(memory, [*source_now.memory, *target_now.memory], strict=True)
            kernel.launch([blocks], f"{self._reason}; runs are merged", {**dict(pairs), run: length_now})

        return launch

    def _inside(self, kernel: Kernel, extent: Index) -> Index:
        return extent if isinstance(extent, int) else kernel.value(extent)


class _Tile:
    """Sorts what a block has in shared memory."""

    def __init__(self, kernel: Kernel, count: Value) -> None:
        self._kernel, self._emitter, self._count = kernel, kernel.emitter, count
        self._word = ir.IntegerType.get_signless(32)

    def sort(self, source: Value, targets: Sequence[Value], place: Index, first: Index) -> None:
        """Sort what is from a place on; `first` is where in its row that is."""
        emitter, kernel = self._emitter, self._kernel
        keys = [kernel.shared([TILE], source.type.element_type) for _ in range(2)]
        places = [kernel.shared([TILE], self._word) for _ in range(2)] if len(targets) > 1 else []
        halves = [[memory[number] for memory in (keys, places) if memory] for number in range(2)]

        def read(at: Value) -> None:
            store(load(source, [emitter.value(emitter.add(place, at))]), keys[0], [at])
            if places:
                store(create("arith.index_cast", [self._word], [at]), places[0], [at])

        self._each(read)
        kernel.barrier()
        loop = ForLoop(emitter, 0, _DOUBLINGS // 2, 1, [emitter.value(1)])
        with loop.body():
            (run,) = loop.carried
            twice = emitter.value(emitter.add(run, run))
            for here, there, length in ((*halves, run), (*reversed(halves), twice)):
                self._each(self._mover(here, there, length))
                kernel.barrier()
            loop.end([emitter.value(emitter.add(twice, twice))])

        def write(at: Value) -> None:
            to = [emitter.value(emitter.add(place, at))]
            store(load(keys[0], [at]), targets[0], to)
            if places:
                own = create("arith.index_cast", [emitter.index_type], [load(places[0], [at])])
                store(
                    _as(emitter.value(emitter.add(first, own)), targets[1].type.element_type), targets[1], to
                )

        self._each(write)

    def _mover(self, here: Sequence[Value], there: Sequence[Value], run: Value) -> Callable[[Value], None]:
        begin = self._emitter.value(0)
        return lambda at: _move(here, there, begin, at, run, self._count, self._emitter)

    def _each(self, do: Callable[[Value], None]) -> None:
        """Do something for each element of a thread that there is."""
        thread = self._kernel.id("thread_id")
        for number in range(_EACH):
            at = self._emitter.value(self._emitter.add(thread, number * _THREADS))
            with only_if(compare("ult", at, self._count)):
                do(at)


def _move(
    here: Sequence[Value],
    there: Sequence[Value],
    begin: Value,
    at: Value,
    run: Value,
    count: Value,
    emitter: Emitter,
) -> None:
    """Move the element at a place of a row to where it belongs once runs of a length are merged with their neighbours.

    `begin` is where the row is, which has so many elements.
    """
    index = emitter.index_type
    number = create("arith.divui", [index], [at, run])
    bit = create("arith.andi", [index], [number, emitter.value(1)])
    is_first = compare("eq", bit, emitter.value(0))
    own = emitter.multiply(number, run)
    pair = emitter.value(emitter.subtract(own, emitter.multiply(bit, run)))
    behind = emitter.minimum(emitter.add(own, run), count)
    twice = emitter.minimum(emitter.add(behind, run), count)
    start = create("arith.select", [index], [is_first, emitter.value(behind), pair])
    end = create("arith.select", [index], [is_first, emitter.value(twice), emitter.value(own)])
    own_place = [emitter.value(emitter.add(begin, at))]
    key = load(here[0], own_place)

    def comes_first(middle: Value) -> Value:
        other = load(here[0], [emitter.value(emitter.add(begin, middle))])
        truth = ir.IntegerType.get_signless(1)
        true = create("arith.constant", [truth], [], {"value": ir.BoolAttr.get(True)})
        not_behind = create("arith.xori", [truth], [comes_before(key, other), true])
        return create("arith.select", [truth], [is_first, comes_before(other, key), not_behind])

    found = first_without(comes_first, start, end)
    within = emitter.add(emitter.subtract(at, own), emitter.subtract(found, start))
    place = [emitter.value(emitter.add(emitter.add(begin, pair), within))]
    store(key, there[0], place)
    for source, target in zip(here[1:], there[1:], strict=True):
        store(load(source, own_place), target, place)


def _as(number: Value, type: Type) -> Value:
    return number if number.type == type else create("arith.index_cast", [type], [number])
